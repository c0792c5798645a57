"""`benchbench index list|categories|search|test|export|convert|validate`."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli.groups import Group
from benchbench.cli.options import Force, ProtocolOptions, ReachOptions, pairs
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Argument, File, Files, Options, described_command
from benchbench.index.protocols import NAMES, kind
from benchbench.report.draw import printed
from benchbench.results.ranges import COUNT, Range
from benchbench.results.settings import Encoding, Opt

if TYPE_CHECKING:
    from benchbench.index.look import Opened, Probes
    from benchbench.index.validate import Validation
    from benchbench.report.layout import Layout
    from benchbench.results.gates import Gate


class IndexOptions(Options):
    """Which index, and how it is reached."""

    url: Annotated[str | None, Opt("Service that has the index.", metavar="URL", instead_of=("collection",))] = None
    collection: Annotated[
        Path | None, Opt("Collection (JSON lines) to use, instead of --url.", instead_of=("url",))
    ] = None
    protocol: Annotated[str, Opt("How to ask.", NAMES)] = "benchbench"
    protocol_options: ProtocolOptions = ()
    fields: Annotated[
        tuple[str, ...],
        Opt(
            "Where the index has id, name, file or text.",
            flags=("--field",),
            metavar="MEMBER=FIELD",
            is_repeated=True,
        ),
    ] = ()
    reach: ReachOptions
    encoding: Encoding = None

    def opened(self, texts: bool = True) -> "Opened":
        """Open it, with texts or without; InputError where none is named, or two are."""
        from benchbench.errors import InputError

        if (self.url is None) == (self.collection is None):
            raise InputError("name the index: either --url URL or --collection FILE")
        if self.collection is not None:
            if self.fields or self.protocol_options:
                raise InputError("--field and --protocol-option are for --url; --collection has no use for them")
            from benchbench.formats.collection import read_collection
            from benchbench.serve.document_pages import CollectionIndex

            documents = read_collection(self.collection, self.encoding, texts=texts)
            return nullcontext(CollectionIndex(documents, str(self.collection)))
        from benchbench.index.remote_index import RemoteIndex

        options, fields = pairs(self.protocol_options, "--protocol-option"), pairs(self.fields, "--field")
        return RemoteIndex(self.url or "", kind(self.protocol, options, fields), **self.reach())


Category = Annotated[str | None, Opt("Only documents of this category; '': none.")]
Top = Annotated[int, Opt("Hits to ask for per query.", Range(1, 1_000), ("--top-k",), old=("--top",))]
Printed = Annotated[str, printed_as(*printed())]


@click.group(cls=Group, name="index")
def command() -> None:
    """Look into a search index, and make and check ground truth from it."""


@described_command("list", within=command)
def list_(
    index: IndexOptions,
    category: Category = None,
    limit: Annotated[int, Opt("Documents to show.", COUNT)] = 50,
    *,
    output: Printed,
    quiet: bool,
) -> None:
    """List the documents of an index.

    Examples
    --------
    benchbench index list --collection docs.jsonl  # documents of a file
    benchbench index list --url http://127.0.0.1:9200  # of an index
    benchbench index list --collection docs.jsonl --category law  # of one category
    """
    from benchbench.index import look
    from benchbench.report.layouts.index import documents

    looked = look.documents(index.opened(texts=False), category, limit)
    shown, total = len(looked.page.documents), looked.page.total
    rest = "" if shown >= min(limit, total) else "; the index did not show the others"
    more = f"; --limit {total} shows all" if shown == limit < total else rest
    _print(documents(looked, category=category), output, quiet, f"{shown:,} of {total:,} documents{more}")


@described_command("categories", within=command)
def categories(index: IndexOptions, output: Printed, quiet: bool) -> None:
    """Count the documents of each category.

    Examples
    --------
    benchbench index categories --collection docs.jsonl  # of a file
    benchbench index categories --url http://127.0.0.1:9200  # of an index
    benchbench index categories --collection docs.jsonl --format json  # for a program
    """
    from benchbench.index import look
    from benchbench.report.layouts import index as layouts

    looked = look.categories(index.opened(texts=False))
    _print(layouts.categories(looked), output, quiet, f"{looked.page.total:,} documents")


@described_command("search", within=command)
def search(
    query: Annotated[str, Argument()],
    index: IndexOptions,
    category: Category = None,
    top: Top = 5,
    *,
    output: Printed,
    quiet: bool,
) -> None:
    """Show the hits of a QUERY.

    Examples
    --------
    benchbench index search 'stolen phone' --collection docs.jsonl  # search a file
    benchbench index search 'stolen phone' --url http://127.0.0.1:9200  # an index
    benchbench index search 'stolen phone' --collection docs.jsonl --category law  # one category
    """
    from benchbench.index import look
    from benchbench.report.layouts.index import documents

    looked = look.search(index.opened(), query, category, top)
    hits = f"{len(looked.page.documents):,} of {looked.page.total:,} hits"
    _print(documents(looked, query=query, category=category), output, quiet, hits)


def _print(layout: "Layout", output: str, quiet: bool, counted: str) -> None:
    echo(None, layout, output)
    if not quiet:
        click.echo(counted, err=True)


@described_command("test", within=command)
def probe(
    index: IndexOptions,
    queries: Annotated[Path | None, Opt("File with one query per line.")] = None,
    top: Top = 5,
    *,
    report: Annotated[Reporting, reporting("without_hits_rate>10%", judges=True)],
) -> None:
    """Run queries that must find something; exit code 1 when one finds nothing.

    Examples
    --------
    benchbench index test --collection docs.jsonl  # ten queries of English law
    benchbench index test --collection docs.jsonl --queries queries.txt  # your queries
    benchbench index test --url http://127.0.0.1:9200  # an index
    """
    from benchbench.index import look
    from benchbench.index.look import PROBES_NUMBERS

    gates = report.gates(PROBES_NUMBERS)
    probes = look.probe(index.opened(), look.LEGAL_QUERIES if queries is None else _lines(queries), top)
    if not probes.nothing and not report.quiet:
        click.echo(f"All {len(probes.queries):,} queries find something", err=True)
    _finish(report, probes, gates)


@described_command("export", within=command)
def export(
    query: Annotated[str, Argument()],
    out: Annotated[Path, Opt("JSON file to write.", old=("--output",))],
    force: Force = False,
    *,
    index: IndexOptions,
    category: Category = None,
    top: Top = 5,
    quiet: bool,
) -> None:
    """Write the hits of a QUERY to a file, for `index convert`.

    Examples
    --------
    benchbench index export 'stolen phone' --collection docs.jsonl --out truth.json  # hits as drafts
    benchbench index export 'stolen phone' --url http://127.0.0.1:9200 --out truth.json  # from an index
    benchbench index export 'stolen phone' --collection docs.jsonl --category law --out truth.json  # one category
    """
    from benchbench.errors import InputError
    from benchbench.index import look
    from benchbench.index.drafts import save_export
    from benchbench.prepare.files import check_free

    check_free(out.parent, [out.name], force)
    looked = look.search(index.opened(), query, category, top)
    if not looked.page.documents:
        raise InputError(f"{query!r} finds nothing in {looked.shown}, so there is nothing to write; try other words")
    save_export(out, looked, query, category, force)
    if not quiet:
        click.echo(f"{len(looked.page.documents):,} of {looked.page.total:,} hits written to {out}", err=True)


@described_command("convert", within=command)
def convert(
    exports: Files,
    out: Annotated[Path, Opt("JSON lines file to write.", old=("--output",))],
    source_type: Annotated[
        str | None, Opt("Source type of all questions.", default="by the name of each document")
    ] = None,
    *,
    quiet: bool,
) -> None:
    """Make drafts of ground truth from EXPORTS: a question to rewrite, a passage to check, the document cited.

    No model writes here. Each truth is a passage of the document as it stands, with its citation behind it; a person
    reviews every line before it is used.
    """
    from benchbench.errors import InputError
    from benchbench.formats.exports import read_export
    from benchbench.index.drafts import drafts, save_drafts

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


@described_command("validate", within=command)
def validate(
    ground_truth: File,
    index: IndexOptions,
    fuzzy: Annotated[bool, Opt("Accept names that nearly match.")] = False,
    *,
    report: Annotated[Reporting, reporting("missing_rate>5%", "citing_none>0", judges=True)],
) -> None:
    """Check that every document which a GROUND_TRUTH cites exists in the index; exit code 1 when one does not.

    Examples
    --------
    benchbench index validate truth.jsonl --collection docs.jsonl  # does each document exist?
    benchbench index validate truth.jsonl --url http://127.0.0.1:9200  # in an index
    benchbench index validate truth.jsonl --collection docs.jsonl --fuzzy  # nearly matching names too
    """
    from benchbench.errors import InputError
    from benchbench.formats.ground_truth import read_ground_truth
    from benchbench.index import look
    from benchbench.index.validate import VALIDATION_NUMBERS
    from benchbench.index.validate import validate as checked

    gates = report.gates(VALIDATION_NUMBERS)
    questions = read_ground_truth(ground_truth)
    looked = look.documents(index.opened(texts=False))
    if (came := len(looked.page.documents)) < looked.page.total:
        raise InputError(
            f"{looked.shown} showed {came:,} of its {looked.page.total:,} documents, so nothing can be said of those "
            "not found; for Azure AI Search name a sortable field with --protocol-option order_by=FIELD"
        )
    validation = checked(questions, looked.page.documents, fuzzy, looked.shown, str(ground_truth))
    if not validation.cited:
        raise InputError(
            f"{ground_truth}: no truth of its {validation.questions:,} questions cites a document, as [Name] or "
            "[Name#page=Section], so that there is nothing to check"
        )
    _finish(report, validation, gates)


def _finish(report: Reporting, result: "Probes | Validation", gates: "Sequence[Gate]") -> None:
    url = click.get_current_context().params["url"]
    result.describe(options={"url": None if url is None else result.index})  # which has no secret
    report.describe(result, gates)
    report.finish(result)


def _lines(path: Path) -> list[str]:
    from benchbench.errors import InputError
    from benchbench.formats.lines import open_input

    with open_input(path) as file:
        try:
            queries = [line for row in file.read().decode().splitlines() if (line := row.strip())]
        except UnicodeDecodeError:
            raise InputError(f"--queries {path}: not UTF-8") from None
    if not queries:
        raise InputError(f"--queries {path} has no query in it")
    return queries
