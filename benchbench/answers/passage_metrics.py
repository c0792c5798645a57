"""How well retrieved passages answer: exact match, span F1, recall and nDCG by substring, characters by spans.

Conventions
-----------
Texts are compared in lower case, without outer white space and with a single space for any white space within; but
exact match keeps the white space within. A retrieved passage matches a gold one when either contains the other. A text
without a visible character matches nothing.

Metrics, for one query with `k` the cut-off
-------------------------------------------
exact_match
    1 when the first passage equals a gold one, white space within included unless `normalise` is asked for.
span_f1
    The highest F1 of the token sets of the first passage and a gold one (`answers.tokens`).
recall@k
    Share of the gold passages that one of the first k passages matches; each counts once.
ndcg@k
    Gains over log2(rank + 1), divided by that of the ideal list. With `ideal="gold"` a passage gains 1 when it matches
    a gold passage that no earlier one matched, and the ideal list has min(gold passages, k) gains. With
    `ideal="retrieved"` any passage that matches gains 1, and the ideal list has the same gains in front.
char_precision@k, char_recall@k
    Shares of characters (`answers.spans`); only when all retrieved and gold passages say where they stand.

A gold query without predictions counts as 0 in every mean; a prediction for a query without gold is left out.
"""

import math
import time
from collections.abc import Callable, Sequence

from benchbench.answers.passage_scores import Ideal, PassageScores
from benchbench.answers.spans import overlap
from benchbench.answers.tokens import single_spaces, token_set
from benchbench.errors import InputError
from benchbench.tables.passages import Passage, Passages


def score(
    gold: Passages,
    predicted: Passages,
    k: int = 10,
    ideal: Ideal = "gold",
    normalise: bool = False,
    cluster: str = "",
) -> PassageScores:
    """Score the retrieved passages of each gold query.

    Parameters
    ----------
    gold, predicted
        As `formats.legalbench_rag` reads them. The order of queries in `predicted` does not matter.
    k
        Cut-off of recall, nDCG and the shares of characters, from 1.
    ideal
        What nDCG is divided by.
    normalise
        Whether `exact_match` takes any white space within a text as one space, as the other measures do.
    cluster
        What `gold.clusters` are called.

    Raises
    ------
    InputError
        When no predicted query is among the gold ones.
    """
    if gold.by_query.keys().isdisjoint(predicted.by_query):
        raise InputError(
            f"{predicted.name} holds no query of {gold.name}: queries are matched by their whole text, "
            f"and the first of each are {next(iter(predicted.by_query))!r} and {next(iter(gold.by_query))!r}"
        )
    began = time.time()
    names = measures(gold, predicted, k)
    placed = f"char_recall@{k}" in names
    rows = []
    for query, answers in gold.by_query.items():
        retrieved = predicted.by_query.get(query, [])[:k]
        texts, wanted = [passage.text for passage in retrieved], [passage.text for passage in answers]
        row = (_exact(texts, wanted, single_spaces if normalise else _trimmed), *_texts(texts, wanted, k, ideal))
        rows.append((*row, *_characters(retrieved, answers)) if placed else row)
    columns: list[list[float]] = [list(column) for column in zip(*rows, strict=True)]
    values = dict(zip(names, columns, strict=True))
    return PassageScores(
        queries=list(gold.by_query),
        values=values,
        means={name: math.fsum(column) / len(column) for name, column in values.items()},
        missing=[query for query in gold.by_query if query not in predicted.by_query],
        extra=[query for query in predicted.by_query if query not in gold.by_query],
        counts=_counts(gold, predicted),
        k=k,
        ideal=ideal,
        normalise=normalise,
        cluster=cluster,
        gold=gold,
        predicted=predicted,
        began=began,
    )


def measures(gold: Passages, predicted: Passages, k: int) -> list[str]:
    """Return the names of the measures; those of characters only when every passage has a place."""
    placed = gold.are_placed and predicted.are_placed
    names = ["exact_match", "span_f1", f"recall@{k}", f"ndcg@{k}"]
    return names + ([f"char_precision@{k}", f"char_recall@{k}"] if placed else [])


def refuse_nothing(passages: Passages, what: str) -> None:
    """Raise InputError when no passage has a text or a place: every score would be 0."""
    if not any(passage.text.strip() or passage.place for answers in passages.by_query.values() for passage in answers):
        queries = len(passages.by_query)
        raise InputError(
            f"{passages.name} has no {what} with a text or a place in any of its {queries:,} queries, "
            "so every score would be 0"
        )


def _trimmed(text: str) -> str:
    return text.strip().lower()


def _exact(retrieved: Sequence[str], answers: Sequence[str], form: Callable[[str], str]) -> float:
    """Return 1 when the first text equals an answer with something in it, each in a form."""
    first = form(retrieved[0]) if retrieved else ""
    return float(first != "" and any(first == form(answer) for answer in answers))


def _texts(retrieved: Sequence[str], answers: Sequence[str], k: int, ideal: Ideal) -> tuple[float, ...]:
    """Return span F1, recall and nDCG of one query."""
    retrieved = [single_spaces(text) for text in retrieved]
    answers = [text for text in map(single_spaces, answers) if text]
    if not retrieved or not answers:
        return 0.0, 0.0, 0.0
    matched = [
        {n for n, answer in enumerate(answers) if text in answer or answer in text} if text else set()
        for text in retrieved
    ]
    covered: set[int] = set()
    gains = []
    for ones in matched:
        gains.append(bool(ones - covered) if ideal == "gold" else bool(ones))
        covered |= ones
    best = _discounted([True] * min(len(answers), k)) if ideal == "gold" else _discounted(sorted(gains, reverse=True))
    return (
        _span_f1(retrieved[0], answers),
        len(covered) / len(answers),
        _discounted(gains) / best if best else 0.0,
    )


def _discounted(gains: Sequence[bool]) -> float:
    return math.fsum(1 / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain)


def _span_f1(text: str, answers: Sequence[str]) -> float:
    own = token_set(text)
    return max(_f1(own, token_set(answer)) for answer in answers)


def _f1(one: frozenset[str], other: frozenset[str]) -> float:
    """Harmonic mean of |one ∩ other| / |one| and |one ∩ other| / |other|."""
    size = len(one) + len(other)
    return 2 * len(one & other) / size if size else 0.0


def _characters(retrieved: Sequence[Passage], answers: Sequence[Passage]) -> tuple[float, float]:
    return overlap(
        [passage.place for passage in retrieved if passage.place is not None],
        [passage.place for passage in answers if passage.place is not None],
    )


def _counts(gold: Passages, predicted: Passages) -> dict[str, int]:
    shared = [query for query in gold.by_query if query in predicted.by_query]
    gold_texts = [[passage.text.strip() for passage in answers] for answers in gold.by_query.values()]
    return {
        "gold": len(gold.by_query),
        "predicted": len(shared),
        "missing": len(gold.by_query) - len(shared),
        "extra": len(predicted.by_query) - len(shared),
        "without_passages": sum(not predicted.by_query[query] for query in shared),
        "blank_passages": sum(not one.text.strip() for query in shared for one in predicted.by_query[query]),
        "repeated_predictions": predicted.repeated,
        "without_gold_text": sum(not any(texts) for texts in gold_texts),
        "blank_snippets": sum(not text for texts in gold_texts for text in texts),
        "repeated_tests": gold.repeated,
    }
