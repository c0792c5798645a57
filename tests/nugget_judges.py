"""Judges of nuggets as a scripted server plays them, and files for them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

WORDS = ("support", "partial_support", "not_support")
_BLOCK = re.compile(r"=== BEGIN nuggets \w+ ===\n(.*?)\n=== END nuggets", re.DOTALL)
_NUMBER = re.compile(r"(\d+) ")


def listed(said: str) -> list[str]:
    """Return the nuggets that a message lists, without their numbers."""
    block = _BLOCK.search(said)
    assert block is not None
    return [line.partition(". ")[2] for line in block[1].split("\n")]


def assigning(word: Callable[[str], str]) -> Callable[[str], Any]:
    """Return what assigns each nugget of a message by its text."""

    def verdict(said: str) -> Any:
        entries = [{"nugget": n, "assignment": word(text)} for n, text in enumerate(listed(said), 1)]
        return {"rationale": "because", "assignments": entries}

    return verdict


def by_number(text: str) -> str:
    """Assign a nugget by the number in its text."""
    number = _NUMBER.search(text)
    assert number is not None
    return WORDS[int(number[1]) % 3]


def nugget_rows(queries: int = 4, nuggets: int = 23) -> list[dict[str, Any]]:
    """Return the nuggets of some questions, more than a window has."""
    return [
        {
            "qid": f"q{number}",
            "query": f"question {number}",
            "nuggets": [
                {"text": f"fact {place} of {number}", "importance": "vital" if place % 2 else "okay"}
                for place in range(nuggets)
            ],
        }
        for number in range(queries)
    ]


def answer_rows(run: str = "one", queries: int = 4) -> list[dict[str, Any]]:
    """Return an answer to each of the questions."""
    return [
        {"run_id": run, "topic_id": f"q{number}", "answer": [{"text": f"Answer {number}"}, {"text": f"by {run}."}]}
        for number in range(queries)
    ]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as lines of JSON."""
    path.write_bytes(b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in rows))
    return path
