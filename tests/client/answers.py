"""Recorded shapes, in files of `cases`: what services answer with, as their vendors document it.

Search services answer two queries: the first gets the hits `c1` (text 甲, score 1.5, accusation 盗窃) and `c2`, the
second gets `c3`. A row has the bodies of either one answer to both, or one answer to each.
"""

from pathlib import Path
from typing import Any

import orjson


def rows(name: str) -> list[Any]:
    """Return the rows of a file."""
    return [orjson.loads(line) for line in (Path(__file__).parent / "cases" / name).read_bytes().splitlines()]


BODIES: dict[str, list[Any]] = {row["description"]: row["bodies"] for row in rows("answers.jsonl")}
ONE_FAILED = BODIES.pop("elasticsearch.toml, one search failed")[0]
