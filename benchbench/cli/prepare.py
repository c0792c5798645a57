"""`benchbench prepare cail|beir|legalbench-rag|trec|synthetic|shards`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli.data_sets import with_argument
from benchbench.cli.groups import Group
from benchbench.cli.options import Folder, Force, output_format
from benchbench.cli.signatures import After, Argument, File, Options, described_command
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.results.ranges import COUNT, COUNT_OR_0
from benchbench.results.settings import Encoding, Opt, Seed, SkipBadLines

if TYPE_CHECKING:
    from benchbench.prepare.converted import Converted

Printed = Annotated[str, output_format("text", "json")]
Queries = Annotated[int, Opt("Queries to choose.", COUNT, ("--limit",), old=("--queries",))]
Positives = Annotated[int, Opt("Most positives per query.", COUNT)]
MinPositives = Annotated[int, Opt("Fewest positives per query.", COUNT_OR_0)]


@click.group(cls=Group, name="prepare")
def command() -> None:
    """Make data sets, and convert one of any make to the files of another."""


@described_command("cail", within=command)
def cail(
    file: File,
    out: Folder,
    force: Force = False,
    queries: Queries = 300,
    positives: Positives = 10,
    min_positives: MinPositives = 1,
    seed: Seed = 0,
    min_length: Annotated[int, Opt("Fewest characters per query.", COUNT)] = 100,
    skip_bad_lines: SkipBadLines = False,
    output: Printed = "text",
    encoding: Encoding = None,
    *,
    quiet: bool,
) -> None:
    """Make a tiered data set from a CAIL2018 FILE (fact and meta, one JSON object per line).

    Examples
    --------
    benchbench prepare cail data_train.json --out my  # a data set from judgments
    benchbench prepare cail data_train.json --encoding gb18030 --out my  # in another encoding
    benchbench prepare cail data_train.json --out my --force  # replace what is there
    """
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


@described_command("legalbench-rag", within=command)
def legalbench_rag(
    corpus: File,
    benchmark: File,
    out: Folder,
    force: Force = False,
    chunk: Annotated[int, Opt("Characters per chunk.", COUNT, ("--chunk-size",), old=("--chunk",))] = 500,
    overlap: Annotated[int, Opt("Characters that two neighbours share.", COUNT_OR_0)] = 0,
    output: Printed = "text",
    *,
    quiet: bool,
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


@described_command("synthetic", within=command)
def synthetic(
    out: Folder,
    force: Force = False,
    queries: Queries = 200,
    positives: Positives = 10,
    min_positives: MinPositives = 1,
    seed: Seed = 0,
    cases: Annotated[int, Opt("Cases in the collection.", COUNT)] = 2000,
    output: Printed = "text",
    *,
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


@described_command("shards", within=command)
def shards(
    run: File,
    out: Folder,
    shards: Annotated[int, Opt("Shards to write.", COUNT)] = 64,
    *,
    quiet: bool,
) -> None:
    """Write a RUN as a folder of Parquet, all hits of a query in one shard, which `score` and `compare` read.

    RUN is what `score` takes, and may be larger than memory.

    Examples
    --------
    benchbench prepare shards big.run --out big  # 64 shards
    benchbench prepare shards big.run --out big --shards 400  # more, for less memory per shard
    benchbench score qrels.trec big  # as one run
    """
    from benchbench.prepare.shards import write_shards

    found = write_shards(run, out, shards)
    click.echo(f"{found.hits:,} hits in {found.shards:,} shards, {found.files:,} files")
    if not quiet:
        click.echo(f"Written to {out}", err=True)


class Conversion(Options):
    """What a conversion takes."""

    source: Annotated[str | None, Argument("[DATASET]")] = None
    out: Folder
    force: Force = False
    skip_bad_lines: SkipBadLines = False
    output: Printed = "text"
    encoding: Encoding = None
    quiet: bool
    named: Annotated[DataSetOptions, After("verbose")]


@described_command("beir", within=command)
def beir(given: Conversion) -> None:
    """Write a DATASET of any make as a BEIR folder: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.

    Nothing needs to be converted to be measured; this is for other tools. Queries without judgments are left out.

    Examples
    --------
    benchbench prepare beir scifact --out converted  # convert a data set
    benchbench prepare beir --dataset scifact --out converted  # the same
    benchbench prepare beir scifact --out converted --force  # replace what is there
    """
    from benchbench.prepare.converted import write_beir

    _convert(write_beir, given)


@described_command("trec", within=command)
def trec(given: Conversion) -> None:
    """Write a DATASET of any make as TREC's files: topics.tsv, qrels.txt and collection.jsonl.

    Nothing needs to be converted to be measured; this is for other tools. Queries without judgments are left out.

    Examples
    --------
    benchbench prepare trec scifact --out converted  # convert a data set
    benchbench prepare trec --dataset scifact --out converted  # the same
    benchbench prepare trec scifact --out converted --force  # replace what is there
    """
    from benchbench.prepare.converted import write_trec

    _convert(write_trec, given)


def _convert(write: "Callable[..., Converted]", given: Conversion) -> None:
    from benchbench.errors import InputError, visible
    from benchbench.formats.datasets.locate import located

    named = with_argument(given.named, given.source)
    if not named.given():
        raise InputError("name the data set to convert: a folder, a file, a shipped name, or ir_datasets:ID")
    found = write(located(named), given.out, given.encoding, given.skip_bad_lines, given.force)
    if given.output == "json":
        _print(found._asdict())
        return
    documents = "no documents" if found.documents is None else f"{found.documents:,} documents"
    click.echo(f"{found.queries:,} queries, {found.judgments:,} judgments, {documents}: {', '.join(found.files)}")
    for part, count in found.skipped_lines.items():
        if count:
            click.echo(f"{count:,} lines of the {part} cannot be read, and were skipped")
    for note in found.notes:
        click.echo(visible(note))
    if not given.quiet:
        click.echo(f"Written to {given.out}", err=True)


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
