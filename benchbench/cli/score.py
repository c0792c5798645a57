"""`benchbench score QRELS RUN…`."""

from functools import partial
from pathlib import Path

import click

from benchbench.cli.common import scoring
from benchbench.cli.options import loudness
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting

_DEFAULT = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Success@10")


def _list_measures(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from benchbench.measures.catalog import CATALOG

    for row in CATALOG.values():
        params = ", ".join(f"{p.name}={p.default!r}" if p.default is not None else p.name for p in row.params)
        cutoff = {"required": "@k", "optional": "[@k]", "none": ""}[row.cutoff]
        click.echo(f"{row.name}{f'({params})' if params else ''}{cutoff}\n    {row.definition}\n    {row.citation}")
    context.exit()


@click.command(cls=Command, name="score")
@click.argument("qrels", type=PATH)
@click.argument("runs", type=PATH, nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    default=_DEFAULT,
    show_default=True,
    help="Measures as ir_measures writes them.",
)
@click.option("--per-query", is_flag=True, help="Print the values of each query too.")
@click.option(
    "--over",
    type=Choice(["judged", "returned"]),
    default="judged",
    show_default=True,
    help="Queries that the mean is over; a judged query without hits counts as 0.",
)
@scoring
@click.option(
    "--list-measures",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_measures,
    help="List all measures with their definitions, and exit.",
)
@reporting("nDCG@10<0.4")
@loudness
def command(
    qrels: Path,
    runs: tuple[Path, ...],
    measures: tuple[str, ...],
    per_query: bool,
    ties: str,
    score_precision: str,
    over: str,
    no_positives: str,
    rel: float | None,
    strict: bool,
    report: Reporting,
) -> None:
    """Score RUNs against QRELS: TREC text, JSON, JSON lines, a table with a header (BEIR), Parquet or Arrow.

    .gz and .zst are unpacked, `-` is standard input, QRELS may be `ir_datasets:ID`. A run is read while it is scored
    and may be larger than memory.

    Agrees with trec_eval to 1e-12 per query. Values in JSON and CSV are whole, in text rounded to four decimals.
    """
    from benchbench.formats.excerpt import example
    from benchbench.formats.qrels_runs import scan_run
    from benchbench.formats.swapped_files import read_qrels
    from benchbench.kernels.measure import measure
    from benchbench.measures.evaluate import Evaluator, compile_scoring, watched
    from benchbench.measures.notation import measure_named, resolve, with_rel
    from benchbench.measures.scores import SeveralScores
    from benchbench.tables.compiled_ahead import compiled_ahead

    wanted = resolve(measures)
    if rel is not None:
        wanted = [with_rel(one, rel) for one in wanted]
    gates = report.gates([*map(str, wanted), *map(str, watched(wanted))], measure_named)
    with compiled_ahead(measure, partial(compile_scoring, [str(one) for one in wanted], ties)) as compiled:
        evaluator = Evaluator(read_qrels(qrels, runs), wanted, over, no_positives, partial(example, qrels))
        evaluator.refuse_nothing_relevant()
        compiled()
    scores = [evaluator.score(scan_run(run, ties, strict, score_precision)) for run in runs]
    result = scores[0] if len(scores) == 1 else SeveralScores(tuple(scores))
    result.describe(options={"rel": rel, "strict": strict, "score_precision": score_precision})
    report.describe(result, gates)
    report.finish(result, per_query=per_query)
