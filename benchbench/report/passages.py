"""Scores of retrieved passages, printed: the block of four measures, or the same for other tools."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

import benchbench
from benchbench.answers.passages import Ideal, PassageScores
from benchbench.errors import InputError
from benchbench.measures.signature import Signature
from benchbench.report.columns import paged
from benchbench.report.escape import comma_rows, latex_notes, latex_row, markdown_notes, markdown_row
from benchbench.tables.passages import Passages

_RULE = "=" * 26
_SHOWN = 60  # characters of a query in a note


def text(scores: PassageScores) -> str:
    """Return the measures a line each, with four decimals, between two rules."""
    lines = [f"{name}: {value:.4f}" for name, value in _measures(scores).items()]
    return paged(["Evaluation Results:", _RULE, *lines, _RULE])


def markdown(scores: PassageScores, notes: Sequence[str] = ()) -> str:
    """Return the measures as a table in Markdown, and notes below it."""
    rows = [("Measure", "Value"), ("---", "---:"), *_shown(scores)]
    return "".join(map(markdown_row, rows)) + markdown_notes(notes)


def latex(scores: PassageScores, notes: Sequence[str] = ()) -> str:
    """Return the measures as a LaTeX tabular (package booktabs), below notes in comments."""
    rows = [latex_row(row) for row in _shown(scores)]
    head = [r"\begin{tabular}{lr}", r"\toprule", r"Measure & Value \\", r"\midrule"]
    return latex_notes(notes) + "\n".join([*head, *rows, r"\bottomrule", r"\end{tabular}", ""])


def comma_separated(scores: PassageScores, per_query: bool) -> str:
    """Return one row a query (empty for all) and measure, values whole."""
    return comma_rows([("query", "measure", "value"), *_rows(scores, per_query)])


def json_lines(scores: PassageScores, per_query: bool) -> str:
    """Return a JSON object a line: query (null for all), measure, value."""
    keys = ("query", "measure", "value")
    rows = _rows(scores, per_query)
    return "".join(orjson.dumps(dict(zip(keys, row, strict=True))).decode() + "\n" for row in rows)


def json(whole: dict[str, Any]) -> bytes:
    """Return the whole result as JSON text."""
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def value(scores: PassageScores, signature: Signature, per_query: bool) -> dict[str, Any]:
    """Return the whole result as a JSON value: measures, counts, the queries without a partner."""
    whole: dict[str, Any] = {
        "signature": str(signature),
        "measures": _measures(scores),
        "queries": scores.counts,
        "missing": scores.missing,
        "extra": scores.extra,
    }
    if per_query:
        whole["per_query"] = {
            query: dict(zip(scores.values, row, strict=True))
            for query, *row in zip(scores.queries, *scores.values.values(), strict=True)
        }
    return whole


def save(path: Path, whole: dict[str, Any]) -> None:
    """Write a result; the file appears whole or not at all."""
    part = path.with_name(f".{path.name}.partial")
    try:
        try:
            part.write_bytes(json(whole))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; name another file with --out") from None


def signature(gold: Passages, predicted: Passages, scores: PassageScores, k: int, ideal: Ideal) -> Signature:
    """Return what the scores depend on."""
    counts = scores.counts
    return Signature(
        {
            "measures": ",".join(scores.values),
            "k": str(k),
            "ideal": ideal,
            "match": "substring, lower case, single spaces",
            "tokens": "nltk, untrained punkt",
            "missing": "0",
            "queries": f"{counts['gold']} (predicted {counts['predicted']}, missing {counts['missing']})",
            "gold": gold.digest,
            "predictions": predicted.digest,
            "version": benchbench.__version__,
        }
    )


def notes(scores: PassageScores, gold: Passages, predicted: Passages) -> list[str]:
    """Return a sentence for each count that a reader must know of, and none for those that are 0."""
    counts = scores.counts
    counted = [
        (counts["missing"], f"queries of {gold.name} have no prediction and count as 0{_such(scores.missing)}"),
        (counts["extra"], f"predictions are for queries without gold and are left out{_such(scores.extra)}"),
        (counts["without_passages"], "predictions have no passage and count as 0"),
        (counts["blank_passages"], "passages have no text and match nothing"),
        (counts["repeated_predictions"], "predictions repeat a query; the first of each counts"),
        (predicted.skipped_lines, "bad lines of the run's data set were skipped, and are in no mean"),
        (counts["repeated_tests"], "tests repeat a query; their snippets are scored as one query's"),
        (counts["without_gold_text"], "queries have no snippet with a text and count as 0"),
        (counts["blank_snippets"], "snippets have no text and are left out"),
    ]
    sentences = [f"{number:,} {words}" for number, words in counted if number]
    if predicted.are_placed and not gold.are_placed:
        sentences.append("the predictions name spans and not all snippets do, so characters are not scored")
    return sentences


def _such(queries: list[str]) -> str:
    if not queries:
        return ""
    first = queries[0]
    return f", such as {first if len(first) <= _SHOWN else first[:_SHOWN] + '…'!r}"


def _measures(scores: PassageScores) -> dict[str, float]:
    return {**scores.means, "num_examples": len(scores.queries)}


def _shown(scores: PassageScores) -> list[tuple[str, str]]:
    return [(name, f"{number:.4f}") for name, number in _measures(scores).items()]


def _rows(scores: PassageScores, per_query: bool) -> list[tuple[str | None, str, float]]:
    rows: list[tuple[str | None, str, float]] = []
    if per_query:
        rows += [
            (query, name, column[q]) for q, query in enumerate(scores.queries) for name, column in scores.values.items()
        ]
    return rows + [(None, name, number) for name, number in _measures(scores).items()]
