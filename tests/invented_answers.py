"""Evaluations of answers and scores of passages, made up, for tests of their pages."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchbench.answering.answers_result import AnswersOutcome
from benchbench.answering.retrieved import score_passages
from benchbench.answering.stored import score_answers
from benchbench.answers.passage_scores import PassageScores

TRUTH = "Part 46 is about costs. It speaks of disclosure. [Costs special cases]"
SAID = (
    "Part 46 is about costs. It speaks of disclosure. [Costs special cases]",
    "Part 45 is about costs. It speaks of discovery. [1-3]",
    "Part 46 is about costs. It speaks of disclosure and of discovery. [Costs special cases]",
    "Nothing is said about that.",
)


def rows(number: int, failed: int = 0, **more: str) -> list[dict[str, Any]]:
    """Return answers, of which the last ones are failures."""
    made = []
    for n in range(number):
        row = {"question": f"What is {n}?", "truth": TRUTH, "answer": SAID[n % len(SAID)], "latency": 0.5 + n / 100}
        row |= {"source_type": ("CPR", "PD")[n % 2], "category": f"Category {n % 3}", **more}
        if n >= number - failed:
            row |= {"answer": None, "error": "HTTP 500"}
        made.append(row)
    return made


def answers(given: Iterable[Mapping[str, Any]] | None = None, *names: str, **options: Any) -> AnswersOutcome:
    return score_answers(rows(12, 1) if given is None else given, names, **options)


TEXT = "".join(f"{n:03d} is a number of the text. " for n in range(200))


def placed(start: int, end: int, file: str = "one.txt") -> dict[str, Any]:
    return {"text": TEXT[start:end], "file_path": file, "span": [start, end]}


def passages(queries: int = 4, places: bool = True, **options: Any) -> PassageScores:
    """Return scores of queries that find part of the gold text, miss it, find another text, and find all of it."""
    gold = {f"Where is {n}?": [placed(300, 420), placed(1000, 1090)] for n in range(queries)}
    ways = (
        [placed(350, 600), placed(2000, 2200)],
        [placed(600, 800), placed(1500, 1700)],
        [placed(0, 200, "other.txt")],
        [placed(300, 500), placed(900, 1100)],
    )
    found = {f"Where is {n}?": ways[n % len(ways)] for n in range(queries)}
    if places:
        return score_passages(found, gold, **options)
    bare = {query: [one["text"] for one in some] for query, some in found.items()}
    return score_passages(bare, {query: [one["text"] for one in some] for query, some in gold.items()}, **options)
