"""Nugget scores word for word: the definitions of the TREC 2024 RAG track, one nugget after the other."""

from collections.abc import Iterable
from typing import Any

WORTH = {True: {"support": 1.0}, False: {"support": 1.0, "partial_support": 0.5}}  # by whether it is strict
HALF = 0.5


def naive_scores(nuggets: list[dict[str, Any]]) -> dict[str, float]:
    """Return every measure of the nuggets of one answer."""
    found = {}
    for strict in (True, False):
        prefix = "strict_" if strict else ""
        worth = [WORTH[strict].get(one["assignment"], 0.0) for one in nuggets]
        weights = [1.0 if one["importance"] == "vital" else HALF for one in nuggets]
        of_vital = [value for value, one in zip(worth, nuggets, strict=True) if one["importance"] == "vital"]
        found[f"{prefix}vital_score"] = sum(of_vital) / len(of_vital) if of_vital else 0.0
        found[f"{prefix}all_score"] = sum(worth) / len(worth) if worth else 0.0
        weighted = sum(value * weight for value, weight in zip(worth, weights, strict=True))
        found[f"{prefix}weighted_score"] = weighted / sum(weights) if weights else 0.0
    return found


def naive_means(rows: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the mean of every measure over answers."""
    found = [naive_scores(row["nuggets"]) for row in rows]
    return {name: sum(one[name] for one in found) / len(found) for name in found[0]}


def invented_assignments(run: str = "one", queries: int = 40, shift: int = 0) -> list[dict[str, Any]]:
    """Return the answers of a run with their assignments, as the track's tool writes them."""
    words = ("support", "partial_support", "not_support")
    return [
        {
            "query": f"question {number}",
            "qid": f"q{number}",
            "answer_text": f"an answer to question {number}",
            "response_length": 5,
            "run_id": run,
            "nuggets": [
                {
                    "text": f"fact {place} of {number}",
                    "importance": "vital" if (3 * number + place) % 4 < 2 else "okay",
                    "assignment": words[(7 * number + place * place + shift * (number % 3)) % 3],
                }
                for place in range(1 + number % 6)
            ],
        }
        for number in range(queries)
    ]
