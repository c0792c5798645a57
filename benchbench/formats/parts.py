"""What reads the rows of a file of judgments or hits, whatever its format."""

from collections.abc import Callable, Iterator
from functools import partial

from benchbench.formats.source import Format, Source
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.rows import Rows

Parts = Callable[[], Iterator[Borrowed[Rows]]]  # each part has the rows of whole queries


def kind_of(source: Source, run: bool) -> Format:
    """Return the format of a file of judgments or hits."""
    source.narrow()
    kind = source.format()
    return "table" if kind == "trec" and _is_table(source, run) else kind


def file_parts(source: Source, run: bool, kind: Format | None = None) -> Parts:
    """Return what reads the rows of a file each time it is called; `kind` is its format, where that is known."""
    kind = kind or kind_of(source, run)
    if kind == "trec":
        from benchbench.formats.trec_reading import mapped_rows, streamed_rows

        text = source.text()
        return partial(mapped_rows, text, run, source.name) if text is not None else partial(streamed_rows, source, run)
    if kind == "json" or kind == "json lines":
        from benchbench.formats.json_rows import json_line_rows, json_rows

        return partial(json_rows if kind == "json" else json_line_rows, source, run)
    from benchbench.formats.frames import file_rows

    return partial(file_rows, source, kind, run)


def _is_table(source: Source, run: bool) -> bool:
    """Say whether what could be TREC text is a table of judgments that does not name its columns."""
    first = next((line for _, line in source.lines()), b"")
    if run or first.count(b"\t") + first.count(b",") < 2:
        return False
    from benchbench.formats.frames import is_nameless

    return is_nameless(first, run)
