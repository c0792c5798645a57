"""`benchbench datasets [PATH…]`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli.data_sets import with_argument
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import visible
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.results.settings import Encoding, SkipBadLines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchbench.audit.overview import Overview
    from benchbench.report.layout import Layout

_LONGEST = 1_000  # characters of a note
_COLUMNS = 12  # of the queries, and grades, that are shown as text


@described_command("datasets")
def command(
    names: Annotated[tuple[str, ...], Argument("[PATH]…")] = (),
    *,
    given: DataSetOptions,
    skip_bad_lines: SkipBadLines = False,
    output: Annotated[str, printed_as("text", "json")],
    encoding: Encoding = None,
) -> None:
    """Say what each PATH is: its make, queries, judgments, documents, tasks, sizes, and how it is measured by default.

    A PATH is what --dataset takes. Without one, the data sets that travel with benchbench and the makes that are
    known are listed.

    Examples
    --------
    benchbench datasets  # those of ours
    benchbench datasets scifact  # what a path is
    benchbench datasets scifact --format json  # for a program
    """
    from benchbench.formats.datasets.locate import located, make_of, shipped_names
    from benchbench.formats.datasets.makes import MAKES

    if not names and not given.given():
        if output == "json":
            _print_json({"shipped": shipped_names(), "makes": {name: make_of(name).looks_like for name in MAKES}})
            return
        click.echo("Shipped: " + ", ".join(shipped_names()))
        width = max(map(len, MAKES))
        for make in MAKES:
            click.echo(f"{make:{width}}  {make_of(make).looks_like}")
        return
    from benchbench.audit.overview import overview

    found = []
    for number, name in enumerate(names or (None,)):
        data = located(with_argument(given, name, "PATH"))
        found.append(overview(data, encoding, skip_bad_lines))
        if output == "text":
            click.echo("\n" if number else "", nl=False)
            echo(None, _layout(found[-1]), output)
    if output == "json":
        _print_json([asdict(one) for one in found])


def _layout(found: "Overview") -> "Layout":
    """Return what a data set is, in sentences."""
    from benchbench.report.blocks import Facts, Verdict
    from benchbench.report.layout import Layout

    documents = "no documents" if found.documents is None else f"{found.documents:,} documents"
    said = f"{found.name}: {found.queries:,} queries, {found.judgments:,} judgments, {documents}."
    return Layout("", [Verdict([("", said)]), Facts(list(_facts(found)))], dict, list)


def _facts(found: "Overview") -> "Iterator[tuple[str, str]]":
    split = f", split {found.split}" + (f" of {', '.join(found.splits)}" if len(found.splits) > 1 else "")
    rows = [
        ("Make", found.make + (split if found.split else "")),
        ("Queries", f"{found.queries:,} of {_file(found, 'queries')}"),
    ]
    if found.judgments:
        by = f"{found.judgments:,} of {_file(found, 'qrels')}" if "qrels" in found.files else f"{found.judgments:,}"
        rows.append(("Judgments", f"{by}: {_grades(found.grades)}"))
    if found.relevant:
        numbers = ", ".join(f"{name} {value:,.2f}".removesuffix(".00") for name, value in found.relevant.items())
        rows.append(("Relevant", f"{numbers} per query"))
    documents = "none, so that nothing can be served" if found.documents is None else f"{found.documents:,} of "
    rows.append(("Documents", documents + ("" if found.documents is None else _file(found, "collection"))))
    if found.columns:
        shown = [f"{visible(name, 40)} ({count:,})" for name, count in list(found.columns.items())[:_COLUMNS]]
        more = ", …" if len(found.columns) > _COLUMNS else ""
        rows.append(("Columns", f"of the queries, with the number of values: {', '.join(shown)}{more}"))
    rows += [("Task", visible(text)) for text in found.tasks.values()]
    most = found.defaults["max_positives"]
    rows.append(("Measures", ", ".join(found.defaults["measures"])))
    rows.append(
        (
            "Defaults",
            f"--self {found.defaults['self']} --gold {found.defaults['gold']} --top-k {found.defaults['top_k']} "
            f"--max-positives {most or 0}",
        )
    )
    rows += [
        (name, visible(value)) for name, value in (("Cluster", found.cluster), ("Licence", found.licence)) if value
    ]
    rows.append(("Digest", found.digest))
    rows += [
        ("Skipped", f"{count:,} lines of the {part} that cannot be read")
        for part, count in found.skipped_lines.items()
        if count
    ]
    yield from [*rows, *(("Note", visible(note, _LONGEST)) for note in found.notes)]


def _grades(grades: dict[str, int]) -> str:
    if len(grades) > _COLUMNS:
        first, *_, last = grades
        return f"{len(grades):,} grades from {first} to {last}"
    return ", ".join(f"{count:,} of grade {grade}" for grade, count in grades.items())


def _file(found: "Overview", part: str) -> str:
    size = f" ({found.sizes[part]:,} bytes)" if part in found.sizes else ""
    return visible(found.files[part]) + size


def _print_json(value: object) -> None:
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))
