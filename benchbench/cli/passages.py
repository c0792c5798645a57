"""`benchbench passages PREDICTIONS GOLD`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common
from benchbench.cli.files import check_place, write
from benchbench.cli.numbers import Number
from benchbench.cli.options import loudness
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.errors import visible
from benchbench.tables.numbers import COUNT

if TYPE_CHECKING:
    from benchbench.answers.passage_scores import Ideal


@click.command(cls=Command, name="passages")
@click.argument("predictions", type=PATH)
@click.argument("gold", type=PATH)
@click.option(
    "-k",
    "--cutoff",
    "k",
    cls=Option,
    old=("--k",),
    type=Number(COUNT),
    default=10,
    show_default=True,
    help="Cut-off of recall, nDCG, characters.",
)
@click.option(
    "--ideal",
    type=Choice(["gold", "retrieved"]),
    default="gold",
    show_default=True,
    help="Ideal list of nDCG: all gold passages in front, or the retrieved ones in the best order.",
)
@click.option("--normalise", is_flag=True, help="Let exact_match take any white space as one space.")
@common.cluster
@click.option(
    "--out", cls=Option, old=("--output",), type=PATH, help="Results folder, or one .json file.  [default: none]"
)
@click.option("--per-query", is_flag=True, help="Print the values of each query too, in JSON and CSV.")
@reporting("recall@10<0.8", out=None)
@loudness
def command(
    predictions: Path,
    gold: Path,
    k: int,
    ideal: "Ideal",
    normalise: bool,
    cluster: str | None,
    out: Path | None,
    per_query: bool,
    report: Reporting,
) -> None:
    """Score the passages that a system retrieved against the GOLD passages that answer each query.

    PREDICTIONS is a JSON list of {"query", "retrieved_passages"}, best passage first, or the results folder of a
    run; GOLD is LegalBench-RAG's {"tests": [{"query", "snippets"}]}. .gz and .zst are unpacked, `-` is standard input.

    Exact match and span F1 of the first passage, recall@k and nDCG@k by substring; and, when passages name
    file_path and span, precision and recall in characters.
    """
    file = out if out is not None and out.suffix == ".json" else None
    check_place("out", file)
    if file is None:
        report = replace(report, out=out)
        report.check()
    from benchbench.answering.retrieved import score_passages
    from benchbench.report.draw import draw

    scores = score_passages(predictions, gold, k, ideal, report.fail_if, normalise, cluster or "")
    found = scores.details()
    for sentence in () if report.quiet else (*found.notes, f"Signature {found.signature}"):
        click.echo(visible(sentence), err=True)
    report.describe(scores)
    if file is not None:
        write("out", file, draw(scores, "json", per_query=per_query))
    report.finish(scores, per_query=per_query)
