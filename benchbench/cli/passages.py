"""`benchbench passages PREDICTIONS GOLD`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli.files import check_place, write
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import File, described_command
from benchbench.errors import visible
from benchbench.results.ranges import COUNT
from benchbench.results.settings import OUTPUT, Cluster, Opt

if TYPE_CHECKING:
    from benchbench.answers.passage_scores import Ideal


@described_command("passages")
def command(
    predictions: File,
    gold: File,
    k: Annotated[int, Opt("Cut-off of recall, nDCG, characters.", COUNT, ("-k", "--cutoff"), old=("--k",))] = 10,
    ideal: Annotated[
        "Ideal",
        Opt(
            "Ideal list of nDCG.",
            ("gold", "retrieved"),
        ),
    ] = "gold",
    normalise: Annotated[bool, Opt("Let exact_match take any white space as one space.")] = False,
    cluster: Cluster = None,
    out: Annotated[
        Path | None, Opt("Results folder, or one .json file.", default="none", old=("--output",), section=OUTPUT)
    ] = None,
    per_query: Annotated[bool, Opt("Print the values of each query too, in JSON and CSV.")] = False,
    *,
    report: Annotated[Reporting, reporting("recall@10<0.8", out=None)],
) -> None:
    """Score the passages that a system retrieved against the GOLD passages that answer each query.

    PREDICTIONS is a JSON list of {"query", "retrieved_passages"}, best passage first, or the results folder of a
    run; GOLD is LegalBench-RAG's {"tests": [{"query", "snippets"}]}. .gz and .zst are unpacked, `-` is standard input.

    Exact match and span F1 of the first passage, recall@k and nDCG@k by substring; and, when passages name
    file_path and span, precision and recall in characters.

    Examples
    --------
    benchbench passages predictions.json gold.json  # all scores
    benchbench passages predictions.json gold.json -k 10  # at another depth
    benchbench passages predictions.json gold.json --html passages.html  # as a page
    """
    file = out if out is not None and out.suffix == ".json" else None
    check_place("out", file)
    if file is None:
        report = replace(report, out=out)
        report.check()
    from benchbench.answering.retrieved import score_passages
    from benchbench.report.draw import draw

    scores = score_passages(predictions, gold, k, ideal, report.fail_if, normalise, cluster or "")
    for sentence in () if report.quiet else (*scores.details().notes, f"Signature {scores.record.signature}"):
        click.echo(visible(sentence), err=True)
    report.describe(scores)
    if file is not None:
        write("out", file, draw(scores, "json", per_query=per_query))
    report.finish(scores, per_query=per_query)
