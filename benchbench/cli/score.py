"""`benchbench score QRELS RUN…`."""

from functools import partial
from typing import Annotated

import click

from benchbench.cli.options import ScoringOptions
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import File, Files, at_once, described_command
from benchbench.results.settings import Opt

_DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Success@10")


def _list_measures() -> None:
    from benchbench.measures.catalog import CATALOG

    for row in CATALOG.values():
        params = ", ".join(f"{p.name}={p.default!r}" if p.default is not None else p.name for p in row.params)
        cutoff = {"required": "@k", "optional": "[@k]", "none": ""}[row.cutoff]
        click.echo(f"{row.name}{f'({params})' if params else ''}{cutoff}\n    {row.definition}\n    {row.citation}")


@described_command(
    "score",
    (at_once("--list-measures", "List all measures with their definitions, and exit.", _list_measures), "strict"),
)
def command(
    qrels: File,
    runs: Files,
    measures: Annotated[
        tuple[str, ...],
        Opt("Measures, as ir_measures writes them.", flags=("-m", "--measure"), default="nDCG@10, AP, …"),
    ] = _DEFAULT,
    per_query: Annotated[bool, Opt("Print the values of each query too.")] = False,
    over: Annotated[str, Opt("Mean over queries.", ("judged", "returned"))] = "judged",
    *,
    scoring: ScoringOptions,
    report: Annotated[Reporting, reporting("nDCG@10<0.4")],
) -> None:
    """Score RUNs against QRELS: TREC text, JSON, JSON lines, a table with a header (BEIR), Parquet or Arrow.

    .gz and .zst are unpacked, `-` is standard input, QRELS may be `ir_datasets:ID`. A run is read while it is scored
    and may be larger than memory.

    Agrees with trec_eval to 1e-12 per query. Values in JSON and CSV are whole, in text rounded to four decimals.

    Examples
    --------
    benchbench score qrels.trec a.run  # one run, as trec_eval scores it
    benchbench score qrels.trec a.run b.run -m nDCG@10,RR  # several runs, the best first
    benchbench score qrels.trec a.run --per-query  # the values of each query
    """
    from benchbench.formats.excerpt import example
    from benchbench.formats.swapped_files import read_qrels
    from benchbench.measures.evaluate import Evaluator, watched
    from benchbench.measures.notation import measure_named, resolve, with_rel
    from benchbench.measures.scores import SeveralScores

    wanted = resolve(measures)
    if scoring.rel is not None:
        wanted = [with_rel(parsed, scoring.rel) for parsed in wanted]
    gates = report.gates([*map(str, wanted), *map(str, watched(wanted))], measure_named)
    evaluator = Evaluator(read_qrels(qrels, runs), wanted, over, scoring.no_positives, partial(example, qrels))
    evaluator.refuse_nothing_relevant()
    scores = [evaluator.score(scoring.read(run)) for run in runs]
    result = scores[0] if len(scores) == 1 else SeveralScores(tuple(scores))
    result.describe(options=scoring.described())
    report.describe(result, gates)
    report.finish(result, per_query=per_query)
