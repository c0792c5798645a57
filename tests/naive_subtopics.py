"""Slow and obvious twins of the subtopic measures: judgments are (document, subtopic, grade), a ranking is ids."""

import math
from collections import defaultdict
from collections.abc import Sequence

Judgment = tuple[str, str, float]


def covers(judgments: Sequence[Judgment], document: str, rel: float) -> list[str]:
    """Return the subtopics that a document is relevant for."""
    return sorted({subtopic for judged, subtopic, grade in judgments if judged == document and grade >= rel})


def judged_only(ranking: Sequence[str], judgments: Sequence[Judgment]) -> list[str]:
    """Return the ranking without the documents that nobody judged."""
    return [document for document in ranking if any(d == document and grade >= 0 for d, _, grade in judgments)]


def number_of_subtopics(judgments: Sequence[Judgment], rel: float) -> int:
    """Count the subtopics that have a relevant document."""
    return len({subtopic for _, subtopic, grade in judgments if grade >= rel})


def gains(ranking: Sequence[str], judgments: Sequence[Judgment], rel: float, alpha: float) -> list[float]:
    """Return what each document gains: 1 a subtopic, times 1 - alpha for each earlier document that covers it."""
    weight: dict[str, float] = defaultdict(lambda: 1.0)
    gained = []
    for document in ranking:
        gained.append(0.0)
        for subtopic in covers(judgments, document, rel):
            gained[-1] += weight[subtopic]
            weight[subtopic] *= 1 - alpha
    return gained


def ideal(judgments: Sequence[Judgment], rel: float, alpha: float) -> list[str]:
    """Return the judged documents, at each rank the one that gains most, of equal ones that with the highest id."""
    left = sorted({document for document, _, _ in judgments}, key=str.encode, reverse=True)
    order: list[str] = []
    while left:
        order.append(max(left, key=lambda document: gains([*order, document], judgments, rel, alpha)[-1]))
        left.remove(order[-1])
    return order


def alpha_ndcg(ranking: Sequence[str], judgments: Sequence[Judgment], k: int, rel: float, alpha: float) -> float:
    """Σ gain / log2(rank + 1) over the same sum for the ideal order, both cut at k."""
    dcg, best = (
        sum(gain / math.log2(i + 2) for i, gain in enumerate(gains(order, judgments, rel, alpha)[:k]))
        for order in (ranking, ideal(judgments, rel, alpha))
    )
    return dcg / best if best else 0.0


def err_ia(ranking: Sequence[str], judgments: Sequence[Judgment], k: int, rel: float) -> float:
    """Σ gain / rank, over the same sum where every document covers every subtopic; undivided at k = 1."""
    gained = sum(gain / (i + 1) for i, gain in enumerate(gains(ranking, judgments, rel, 0.5)[:k]))
    best = number_of_subtopics(judgments, rel) * sum(0.5**i / (i + 1) for i in range(k))
    return gained if k == 1 else gained / best if best else 0.0


def strecall(ranking: Sequence[str], judgments: Sequence[Judgment], k: int, rel: float) -> float:
    """Return the share of the subtopics that the first k documents cover."""
    covered = {subtopic for document in ranking[:k] for subtopic in covers(judgments, document, rel)}
    return len(covered) / number_of_subtopics(judgments, rel) if covered else 0.0
