"""Records from Parquet, some thousand rows at a time and only of the columns that are needed."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, BinaryIO

from benchbench.errors import InputError, said_by, visible
from benchbench.formats.source import Source

BATCH = 4_096  # rows
_NEEDED = ("id", "text")
_SHOWN = 20  # columns that an error names


def parquet_records(
    source: Source, file: BinaryIO, wanted: Mapping[str, Collection[str]] | None, digest: Any
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows and their numbers from 1.

    Parameters
    ----------
    source, file
        The file, and itself opened.
    wanted
        For each member that is needed, the columns that may have it; of dots in a name, what precedes the first.
        None reads all columns.
    digest
        Is fed the file's bytes; None for none.

    Raises
    ------
    InputError
        It is no Parquet, or has none of the columns of an id or a text that is needed.
    """
    import polars as pl

    if digest is not None:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
        file.seek(0)
    number = 0
    try:
        # What was packed is unpacked in memory: Parquet is read from its end.
        lazy = pl.scan_parquet(
            source.path if source.is_plain else file.read(), glob=False, hive_partitioning=False, low_memory=True
        )
        if wanted is not None:
            lazy = lazy.select(_columns(source.name, lazy.collect_schema().names(), wanted))
        for frame in lazy.collect_batches(chunk_size=BATCH, maintain_order=True):
            for part in frame.iter_slices(BATCH):
                for number, row in enumerate(part.iter_rows(named=True), number + 1):  # noqa: B020 (counts on)
                    yield number, row
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{source.name} is no parquet file: {said_by(error)}") from None


def _columns(name: str, present: list[str], wanted: Mapping[str, Collection[str]]) -> list[str]:
    """Return the columns to read; InputError when there is none for an id or a text."""
    columns = []
    for member, names in wanted.items():
        known = [
            column for column in present if column in names or any(path.startswith(f"{column}.") for path in names)
        ]
        if not known and member in _NEEDED:
            there = ", ".join(visible(column, 40) for column in present[:_SHOWN]) or "none"
            more = ", …" if len(present) > _SHOWN else ""
            raise InputError(
                f"{name} has no column of the {member}: looked for {', '.join(names)}; there are {there}{more}"
            )
        columns += known
    return list(dict.fromkeys(columns))
