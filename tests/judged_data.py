"""Two data sets to judge hits of: two criminal cases, and a shop with goods."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import judging_of

Record = dict[str, Any]

THEFT = {"accusation": ["盗窃"], "relevant_articles": [264], "imprisonment": 8}
CASES: list[Record] = [
    {"query_id": "q1", "query": {"fact": "甲", "meta": THEFT}, "positives": [{"fact_id": "p", "fact": "丙"}]},
    {
        "query_id": "q2",
        "query": {"fact": "乙", "meta": THEFT},
        "positives": [{"fact_id": n, "fact": f"案{n}"} for n in range(12)],
    },
]
RELEVANT = {
    "accusation": {"q1": 4, "q2": 40},
    "article": {"q1": 5, "q2": 50},
    "imprisonment": {"q1": 0, "q2": 60},
}
SHOP = """
[tasks.brand]
label = "brand"
rule = "equal"

[tasks.price]
label = "price"
rule = "within"
relative = 0.2
"""
LAMPS: list[Record] = [
    {"query_id": "a", "query": {"text": "lamp", "brand": "lumen", "price": 10}},
    {"query_id": "b", "query": {"text": "desk", "brand": "oak"}},
    {"query_id": "c", "query": {"text": "rug"}, "positives": [{"id": "d3", "text": "red rug"}]},
]
GOODS: list[Record] = [
    *({"_id": f"d{n}", "text": f"lamp {n}", "brand": "lumen", "price": n} for n in range(14)),
    {"_id": "a", "text": "lamp", "brand": "lumen", "price": 10},
    {"_id": "e", "text": "oak desk", "brand": ["oak"]},
]


def write(path: Path, records: list[Record]) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return path


def data_set(
    folder: Path, records: list[Record], described: str = "", collection: list[Record] | None = None
) -> DataSet:
    write(folder / "tiered.jsonl", records)
    if described:
        (folder / "dataset.toml").write_text(described, encoding="utf-8")
    if collection is not None:
        write(folder / "collection.jsonl", collection)
    return locate(folder)


def described(folder: Path, text: str = "") -> DataSet:
    """Return a data set without a query, with a description where there is a text."""
    return data_set(folder, [], text)


def cases_in(folder: Path) -> DataSet:
    folder.mkdir()
    return data_set(folder, CASES)


def shop_in(folder: Path) -> DataSet:
    folder.mkdir()
    return data_set(folder, LAMPS, SHOP, GOODS)


def options(**given: Any) -> Criteria:
    """Return options, of values of types that become right."""
    return Criteria(**given)


def refused(data: DataSet, **given: Any) -> str:
    """Return why a data set is not judged."""
    with pytest.raises(InputError) as caught:
        judging_of(options(**given), data)
    return str(caught.value)
