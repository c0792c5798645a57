"""`benchbench passages PREDICTIONS GOLD`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli.files import check_place
from benchbench.cli.numbers import Number
from benchbench.cli.options import loudness, output_format
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.project_file import Command
from benchbench.errors import visible
from benchbench.tables.numbers import COUNT

if TYPE_CHECKING:
    from benchbench.answers.passages import Ideal


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
    help="What nDCG is divided by: all gold passages in front, or what was retrieved, in the best order.",
)
@click.option("--out", "saved", cls=Option, old=("--output",), type=PATH, help="JSON file for the whole result.")
@click.option("--per-query", is_flag=True, help="A value for each query as well, in JSON and CSV.")
@output_format("text", "json", "jsonl", "csv", "markdown", "latex")
@loudness
def command(
    predictions: Path,
    gold: Path,
    k: int,
    ideal: "Ideal",
    saved: Path | None,
    per_query: bool,
    output: str,
    quiet: bool,
) -> None:
    """Score the passages that a system retrieved against the GOLD passages that answer each query.

    PREDICTIONS is a JSON list of {"query", "retrieved_passages"}, best passage first, or the results folder of a
    run; GOLD is LegalBench-RAG's {"tests": [{"query", "snippets"}]}. .gz and .zst are unpacked, `-` is standard input.

    Exact match and span F1 of the first passage, recall@k and nDCG@k by substring; and, when passages name
    file_path and span, precision and recall in characters.
    """
    check_place("out", saved)
    from benchbench.answering.retrieved import as_gold, as_predictions, score_passages
    from benchbench.report import passages as report

    answers, retrieved = as_gold(gold), as_predictions(predictions)
    scores = score_passages(retrieved, answers, k, ideal)
    signature = report.signature(answers, retrieved, scores, k, ideal)
    notes = report.notes(scores, answers, retrieved)
    whole = report.value(scores, signature, per_query) | {"notes": notes}
    formats: dict[str, Callable[[], str]] = {
        "text": lambda: report.text(scores),
        "json": lambda: report.json(whole).decode(),
        "jsonl": lambda: report.json_lines(scores, per_query),
        "csv": lambda: report.comma_separated(scores, per_query),
        "markdown": lambda: report.markdown(scores, notes),
        "latex": lambda: report.latex(scores, notes),
    }
    if saved is not None:
        report.save(saved, whole)
    click.echo(formats[output](), nl=False)
    if not quiet:
        for sentence in (*notes, f"Signature {signature}"):
            click.echo(visible(sentence), err=True)
