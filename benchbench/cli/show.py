"""`benchbench show RESULTS`."""

from pathlib import Path

import click

from benchbench.cli.numbers import Number
from benchbench.cli.options import force, loudness
from benchbench.cli.parameters import PATH, Choice
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import FORMATS
from benchbench.tables.numbers import COUNT


@click.command(cls=Command, name="show")
@click.argument("results", type=PATH)
@click.option("--query", metavar="ID", help="Show one query with its values and its hits.")
@click.option("--worst", type=Number(COUNT), help="Show so many queries with the lowest values of the first measure.")
@click.option("--html", type=PATH, help="Write a page that opens offline.")
@click.option("--run-file", type=PATH, help="Write the hits as a TREC run, with ir_metadata above it.")
@force
@click.option("--format", "output", type=Choice(FORMATS), default=FORMATS[0], show_default=True, help="What to print.")
@loudness
def command(
    results: Path,
    query: str | None,
    worst: int | None,
    html: Path | None,
    run_file: Path | None,
    force: bool,
    output: str,
    quiet: bool,
) -> None:
    """Show a RESULTS folder of any kind again, in any format; those of version 0.1 as well.

    Exit code 0 whatever its gates were.
    """
    from benchbench.cli.files import check_place, write
    from benchbench.errors import InputError
    from benchbench.report.draw import layout, rendered
    from benchbench.report.layouts import queries
    from benchbench.stored import load

    if query is not None and worst is not None:
        raise InputError("--query shows one query, and --worst several; give either")
    check_place("html", html)
    result = load(results)
    if run_file is not None:
        _write_run(results, run_file, force)
    if query is not None:
        drawn = queries.one_query(result, query)
    elif worst is not None:
        drawn = queries.worst(result, worst)
    else:
        drawn = layout(result)
    if html is not None:
        write("html", html, rendered(result, drawn, "html"))
    click.echo(rendered(result, drawn, output), nl=False)
    for sentence in () if quiet or output in drawn.shows_notes else drawn.notes:
        click.echo(f"Note: {sentence}", err=True)


def _write_run(results: Path, path: Path, force: bool) -> None:
    """Write the run of a folder with its metadata; the file appears whole or not at all."""
    from benchbench.errors import InputError
    from benchbench.prepare.files import together
    from benchbench.results.ir_metadata import header
    from benchbench.stored import load

    run = results / "run.trec"
    if not run.is_file():
        raise InputError(f"{results} has no run.trec to write with its metadata")
    with together(path.parent, [path.name], force) as parts, run.open("rb") as source:
        with parts[path.name].open("wb") as file:
            file.write(header(load(results).record).encode())
            while block := source.read(1 << 20):
                file.write(block)
