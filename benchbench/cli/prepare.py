"""`benchbench prepare cail|beir|legalbench-rag|trec|synthetic`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli import data_sets
from benchbench.cli.common import limit, seed
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, force, loudness, output_format, skip_bad_lines
from benchbench.cli.parameters import PATH, Option
from benchbench.cli.project_file import Group
from benchbench.tables.numbers import COUNT, COUNT_OR_0

if TYPE_CHECKING:
    from benchbench.prepare.converted import Converted

_Command = TypeVar("_Command", bound=Callable[..., Any])


@click.group(cls=Group, name="prepare")
def command() -> None:
    """Make data sets, and convert one of any make to the files of another."""


def _choice(queries: int) -> Callable[[_Command], _Command]:
    """Add the options that say how queries and positives are chosen."""

    def add(function: _Command) -> _Command:
        for option in reversed(
            (
                click.option("--out", type=PATH, required=True, help="Folder to write."),
                force,
                limit(queries, "Queries to choose.", "--queries", name="queries"),
                click.option(
                    "--positives",
                    type=Number(COUNT),
                    default=10,
                    show_default=True,
                    help="Most positives per query.",
                ),
                click.option(
                    "--min-positives",
                    type=Number(COUNT_OR_0),
                    default=1,
                    show_default=True,
                    help="Fewest positives per query.",
                ),
                seed(0),
            )
        ):
            function = option(function)
        return function

    return add


@command.command(name="cail")
@click.argument("file", type=PATH)
@_choice(queries=300)
@click.option("--min-length", type=Number(COUNT), default=100, show_default=True, help="Fewest characters per query.")
@skip_bad_lines
@output_format("text", "json")
@encoding
@loudness
def cail(
    file: Path,
    out: Path,
    force: bool,
    queries: int,
    positives: int,
    min_positives: int,
    seed: int,
    min_length: int,
    skip_bad_lines: bool,
    output: str,
    encoding: str | None,
    quiet: bool,
) -> None:
    """Make a tiered data set from a CAIL2018 FILE (fact and meta, one JSON object per line)."""
    from benchbench.prepare.cail import CailFile
    from benchbench.prepare.tiered import Choice, write_tiered
    from benchbench.tables.hashing import content_digest

    digest = content_digest()
    cases = CailFile(file, encoding, skip_bad_lines, digest)
    choice = Choice(queries, positives, min_positives, min_length, seed)

    def about() -> dict[str, Any]:
        source = {"file": file.name, "digest": f"xxh3-128:{digest.hexdigest()}", "skipped_lines": cases.skipped}
        return {"about": "Tiered retrieval data set of Chinese criminal cases, from a CAIL2018 file", "source": source}

    _show(write_tiered(cases, out, choice, about, replace=force), out, output, quiet)


@command.command(name="legalbench-rag")
@click.argument("corpus", type=PATH)
@click.argument("benchmark", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder to write.")
@force
@click.option(
    "--chunk-size",
    "chunk",
    cls=Option,
    old=("--chunk",),
    type=Number(COUNT),
    default=500,
    show_default=True,
    help="Characters per chunk.",
)
@click.option(
    "--overlap", type=Number(COUNT_OR_0), default=0, show_default=True, help="Characters that two neighbours share."
)
@output_format("text", "json")
@loudness
def legalbench_rag(
    corpus: Path, benchmark: Path, out: Path, force: bool, chunk: int, overlap: int, output: str, quiet: bool
) -> None:
    """Cut the texts of LegalBench-RAG into chunks: a collection, and the questions of a BENCHMARK over it.

    CORPUS is the folder that the benchmark's file paths start from. A chunk is a positive when it has a character of
    a snippet; its id is file#start-end. Tasks are written beside: the positives, the spans of the snippets, and the
    contract. `benchbench passages` scores the results of a run over it.
    """
    from benchbench.formats.datasets.legalbench_rag import Cut
    from benchbench.prepare.chunks import write_chunks

    card = write_chunks(corpus, benchmark, out, Cut(chunk, overlap), force)
    if output == "json":
        _print(card)
        return
    texts, queries = card["source"]["texts"], card["queries"]
    click.echo(
        f"{card['collection']['documents']:,} chunks of {texts['files']:,} texts ({texts['characters']:,} characters)\n"
        f"{queries['count']:,} queries with {queries['positives']:,} positives"
    )
    if not quiet:
        click.echo(f"Written to {out}", err=True)


@command.command(name="synthetic")
@_choice(queries=200)
@click.option("--cases", type=Number(COUNT), default=2000, show_default=True, help="Cases in the collection.")
@output_format("text", "json")
@loudness
def synthetic(
    out: Path,
    force: bool,
    queries: int,
    positives: int,
    min_positives: int,
    seed: int,
    cases: int,
    output: str,
    quiet: bool,
) -> None:
    """Make a collection of invented Chinese criminal cases, of any size, and a tiered data set over it."""
    from benchbench.prepare.synthetic import generate
    from benchbench.prepare.tiered import Choice, write_tiered

    choice = Choice(queries, positives, min_positives, seed=seed)

    def about() -> dict[str, Any]:
        return {
            "about": "Invented Chinese criminal cases, written by the benchbench project; no real person or case",
            "licence": "Apache-2.0",
            "source": {"generator": "benchbench prepare synthetic", "cases": cases, "seed": seed},
        }

    _show(write_tiered(generate(cases, seed), out, choice, about, replace=force), out, output, quiet)


def _conversion(command: _Command) -> Callable[..., Any]:
    """Add what both conversions take; the command receives `data`, and the rest under its names."""
    function: Callable[..., Any] = data_sets.data_set_options(command)
    for option in (loudness, encoding, output_format("text", "json"), skip_bad_lines, force):
        function = option(function)
    function = click.option("--out", type=PATH, required=True, help="Folder to write.")(function)
    return click.argument("source", metavar="[DATASET]", required=False)(function)


@command.command(name="beir")
@_conversion
def beir(source: str | None, **given: Any) -> None:
    """Write a DATASET of any make as a BEIR folder: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.

    Nothing needs to be converted to be measured; this is for other tools. Queries without judgments are left out.
    """
    from benchbench.prepare.converted import write_beir

    _convert(write_beir, source, given)


@command.command(name="trec")
@_conversion
def trec(source: str | None, **given: Any) -> None:
    """Write a DATASET of any make as TREC's files: topics.tsv, qrels.txt and collection.jsonl.

    Nothing needs to be converted to be measured; this is for other tools. Queries without judgments are left out.
    """
    from benchbench.prepare.converted import write_trec

    _convert(write_trec, source, given)


def _convert(write: "Callable[..., Converted]", source: str | None, given: dict[str, Any]) -> None:
    from benchbench.errors import InputError, visible
    from benchbench.formats.datasets.locate import located

    named = data_sets.with_argument(data_sets.named(given), source)
    if not named.given():
        raise InputError("name the data set to convert: a folder, a file, a shipped name, or ir_datasets:ID")
    out: Path = given["out"]
    found = write(located(named), out, given["encoding"], given["skip_bad_lines"], given["force"])
    if given["output"] == "json":
        _print(found._asdict())
        return
    documents = "no documents" if found.documents is None else f"{found.documents:,} documents"
    click.echo(f"{found.queries:,} queries, {found.judgments:,} judgments, {documents}: {', '.join(found.files)}")
    for part, count in found.skipped_lines.items():
        if count:
            click.echo(f"{count:,} lines of the {part} cannot be read, and were skipped")
    for note in found.notes:
        click.echo(visible(note))
    if not given["quiet"]:
        click.echo(f"Written to {out}", err=True)


def _show(card: dict[str, Any], out: Path, output: str, quiet: bool) -> None:
    if output == "json":
        _print(card)
        return
    from benchbench.prepare.tiered import summary

    click.echo(summary(card))
    wanted, written = card["options"]["queries"], card["queries"]["count"]
    if written < wanted:
        click.echo(f"Only {written:,} of {wanted:,} queries: no more cases have what a query takes", err=True)
    if not quiet:
        click.echo(f"Written to {out}", err=True)


def _print(card: dict[str, Any]) -> None:
    import orjson

    click.echo(orjson.dumps(card, option=orjson.OPT_INDENT_2))
