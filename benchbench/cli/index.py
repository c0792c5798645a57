"""`benchbench index list|categories|search|test|export|convert|validate`."""

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common
from benchbench.cli.options import encoding as encoding_option
from benchbench.cli.options import force, loudness, output_format, pairs, protocol_option, reach_options
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.project_file import Group
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo, screen_options
from benchbench.report.draw import printed
from benchbench.tables.numbers import Range

if TYPE_CHECKING:
    from benchbench.index.look import Opened, Probes
    from benchbench.index.validate import Validation
    from benchbench.report.layout import Layout
    from benchbench.results.gates import Gate


def _index(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which index; the command receives `index`, which opens it, with texts or without."""

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        url: str | None,
        collection: Path | None,
        encoding: str | None,
        protocol: str,
        protocol_options: tuple[str, ...],
        fields: tuple[str, ...],
        reach: Callable[[], dict[str, Any]],
        **others: Any,
    ) -> Any:
        from benchbench.errors import InputError

        def opened(texts: bool = True) -> "Opened":
            if (url is None) == (collection is None):
                raise InputError("name the index: either --url URL or --collection FILE")
            if collection is not None:
                if fields or protocol_options:
                    raise InputError("--field and --protocol-option are for --url; --collection has no use for them")
                from benchbench.formats.collection import read_collection
                from benchbench.serve.document_pages import Documents

                return nullcontext(Documents(read_collection(collection, encoding, texts=texts), str(collection)))
            from benchbench.client.index import RemoteIndex
            from benchbench.client.index_kinds import kind

            described = kind(protocol, pairs(protocol_options, "--protocol-option"), pairs(fields, "--field"))
            return RemoteIndex(url or "", described, **reach())

        return command(*arguments, index=opened, **others)

    for option in reversed((*_INDEX, reach_options, encoding_option)):
        wrapped = option(wrapped)
    return wrapped


_INDEX = (
    click.option("--url", cls=Option, instead_of=("collection",), metavar="URL", help="Service that has the index."),
    click.option(
        "--collection",
        cls=Option,
        instead_of=("url",),
        type=PATH,
        help="Collection (JSON lines) to use, instead of --url.",
    ),
    click.option(
        "--protocol",
        type=Choice(["benchbench", "azure-ai-search"]),
        default="benchbench",
        show_default=True,
        help="How the service is asked.",
    ),
    protocol_option,
    click.option(
        "--field",
        "fields",
        metavar="MEMBER=FIELD",
        multiple=True,
        help="Where the index has a document's id, name, file, category or text.",
    ),
)
_category = click.option("--category", help="Only documents of this category; '' for those without one.")
_top = common.top_k(5, Range(1, 1_000), "--top", name="top")


@click.group(cls=Group, name="index")
def command() -> None:
    """Look into a search index, and make and check ground truth from it."""


@command.command(name="list")
@_index
@_category
@common.limit(50, "Documents to show.")
@output_format(*printed())
@screen_options
@loudness
def list_(index: "Callable[..., Opened]", category: str | None, limit: int, output: str, quiet: bool) -> None:
    """List the documents of an index."""
    from benchbench.index import look
    from benchbench.report.layouts.index import documents

    looked = look.documents(index(texts=False), category, limit)
    shown, total = len(looked.page.documents), looked.page.total
    rest = "" if shown >= min(limit, total) else "; the index did not show the others"
    more = f"; --limit {total} shows all" if shown == limit < total else rest
    _print(documents(looked, category=category), output, quiet, f"{shown:,} of {total:,} documents{more}")


@command.command(name="categories")
@_index
@output_format(*printed())
@screen_options
@loudness
def categories(index: "Callable[..., Opened]", output: str, quiet: bool) -> None:
    """Count the documents of each category."""
    from benchbench.index import look
    from benchbench.report.layouts import index as layouts

    looked = look.categories(index(texts=False))
    _print(layouts.categories(looked), output, quiet, f"{looked.page.total:,} documents")


@command.command(name="search")
@click.argument("query")
@_index
@_category
@_top
@output_format(*printed())
@screen_options
@loudness
def search(
    query: str, index: "Callable[..., Opened]", category: str | None, top: int, output: str, quiet: bool
) -> None:
    """Show the hits of a QUERY."""
    from benchbench.index import look
    from benchbench.report.layouts.index import documents

    looked = look.search(index(), query, category, top)
    hits = f"{len(looked.page.documents):,} of {looked.page.total:,} hits"
    _print(documents(looked, query=query, category=category), output, quiet, hits)


def _print(layout: "Layout", output: str, quiet: bool, counted: str) -> None:
    echo(None, layout, output)
    if not quiet:
        click.echo(counted, err=True)


@command.command(name="test")
@_index
@click.option("--queries", type=PATH, help="File with one query per line, instead of ten of English law.")
@_top
@reporting("without_hits_rate>10%", judges=True)
@loudness
def test(index: "Callable[..., Opened]", queries: Path | None, top: int, report: Reporting) -> None:
    """Run queries that must find something; exit code 1 when one finds nothing."""
    from benchbench.index import look
    from benchbench.index.look import PROBES_NUMBERS

    gates = report.gates(PROBES_NUMBERS)
    found = look.probe(index(), look.LEGAL_QUERIES if queries is None else _lines(queries), top)
    if not found.nothing and not report.quiet:
        click.echo(f"All {len(found.queries):,} queries find something", err=True)
    _finish(report, found, gates)


@command.command(name="export")
@click.argument("query")
@click.option("--out", cls=Option, old=("--output",), type=PATH, required=True, help="JSON file to write.")
@force
@_index
@_category
@_top
@loudness
def export(
    query: str,
    out: Path,
    force: bool,
    index: "Callable[..., Opened]",
    category: str | None,
    top: int,
    quiet: bool,
) -> None:
    """Write the hits of a QUERY to a file, for `index convert`."""
    from benchbench.errors import InputError
    from benchbench.index import look
    from benchbench.index.saved import save_export
    from benchbench.prepare.files import check_free

    check_free(out.parent, [out.name], force)
    looked = look.search(index(), query, category, top)
    if not looked.page.documents:
        raise InputError(f"{query!r} finds nothing in {looked.shown}, so there is nothing to write; try other words")
    save_export(out, looked, query, category, force)
    if not quiet:
        click.echo(f"{len(looked.page.documents):,} of {looked.page.total:,} hits written to {out}", err=True)


@command.command(name="convert")
@click.argument("exports", nargs=-1, required=True, type=PATH)
@click.option("--out", cls=Option, old=("--output",), type=PATH, required=True, help="JSON lines file to write.")
@click.option("--source-type", help="Source type of all questions.  [default: by the name of each document]")
@loudness
def convert(exports: tuple[Path, ...], out: Path, source_type: str | None, quiet: bool) -> None:
    """Make drafts of ground truth from EXPORTS: a question to rewrite, a passage to check, the document cited.

    No model writes here. Each truth is a passage of the document as it stands, with its citation behind it; a person
    reviews every line before it is used.
    """
    from benchbench.errors import InputError
    from benchbench.formats.exports import read_export
    from benchbench.index.drafts import drafts
    from benchbench.index.saved import save_drafts

    if out.exists():
        raise InputError(f"{out} exists already, and may have been reviewed; name another file with --out")
    made = drafts(map(read_export, exports), source_type)
    if not made.questions:
        raise InputError("no document of the exports has a text, so there is nothing to make a draft of")
    save_drafts(out, made)
    if not quiet:
        click.echo(f"{len(made.questions):,} drafts written to {out}: review each before you use it", err=True)
        if made.repeated or made.without_text:
            click.echo(
                f"Left out: {made.repeated:,} further chunks of the same documents, {made.without_text:,} without text",
                err=True,
            )


@command.command(name="validate")
@click.argument("ground_truth", type=PATH)
@_index
@click.option("--fuzzy", is_flag=True, help="Accept names that contain one another or share most words.")
@reporting("missing_rate>5%", "citing_none>0", judges=True)
@loudness
def validate(ground_truth: Path, index: "Callable[..., Opened]", fuzzy: bool, report: Reporting) -> None:
    """Check that every document which a GROUND_TRUTH cites exists in the index; exit code 1 when one does not."""
    from benchbench.errors import InputError
    from benchbench.formats.ground_truth import read_ground_truth
    from benchbench.index import look
    from benchbench.index.validate import VALIDATION_NUMBERS
    from benchbench.index.validate import validate as checked

    gates = report.gates(VALIDATION_NUMBERS)
    questions = read_ground_truth(ground_truth)
    looked = look.documents(index(texts=False))
    if (came := len(looked.page.documents)) < looked.page.total:
        raise InputError(
            f"{looked.shown} showed {came:,} of its {looked.page.total:,} documents, so nothing can be said of those "
            "not found; for Azure AI Search name a sortable field with --protocol-option order_by=FIELD"
        )
    found = checked(questions, looked.page.documents, fuzzy, looked.shown, str(ground_truth))
    if not found.cited:
        raise InputError(
            f"{ground_truth}: no truth of its {found.questions:,} questions cites a document, as [Name] or "
            "[Name#page=Section], so that there is nothing to check"
        )
    _finish(report, found, gates)


def _finish(report: Reporting, found: "Probes | Validation", gates: "Sequence[Gate]") -> None:
    url = click.get_current_context().params["url"]
    found.describe(options={"url": None if url is None else found.index})  # which has no secret
    report.describe(found, gates)
    report.finish(found)


def _lines(path: Path) -> list[str]:
    from benchbench.errors import InputError
    from benchbench.formats.lines import open_input

    with open_input(path) as file:
        try:
            queries = [line for one in file.read().decode().splitlines() if (line := one.strip())]
        except UnicodeDecodeError:
            raise InputError(f"--queries {path}: not UTF-8") from None
    if not queries:
        raise InputError(f"--queries {path} has no query in it")
    return queries
