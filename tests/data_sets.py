"""A tiny tiered data set with its collection: invented cases, small enough to check by eye."""

from pathlib import Path
from typing import Any

import orjson

from benchbench.experiment import Outcome, Settings, run
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.tables.collection import Collection

_FACTS = {  # accusation -> articles, fact
    "盗窃": ([264], "被告人在{place}趁人不备，窃得{thing}后逃离现场，赃物价值{n}百元。"),
    "诈骗": ([266], "被告人谎称能代办{thing}，在{place}骗取被害人{n}千元后失去联系。"),
    "危险驾驶": (["133-1"], "被告人酒后驾车经过{place}，车上载有{thing}，行驶{n}公里后被查获。"),
}
_PLACES = ("甲市车站", "乙县集市", "丙镇码头", "丁村桥头")
_THINGS = ("手机", "自行车", "木材")
QUERIES = 12


def cases() -> list[dict[str, Any]]:
    """Return 28 documents: three accusations in turn, a death and a life sentence, copies of four texts."""
    made = []
    for n in range(24):
        accusation, (articles, fact) = list(_FACTS.items())[n % 3]
        months = {"imprisonment": 6 + n, "death_penalty": n == 7, "life_imprisonment": n == 8}
        meta = {"accusation": [accusation], "relevant_articles": articles, "term_of_imprisonment": months}
        text = fact.format(place=_PLACES[n % 4], thing=_THINGS[n // 3 % 3], n=n + 2)
        made.append({"_id": f"c{n}", "text": text, "meta": meta})
    return [*made, *({**made[n], "_id": f"copy{n}"} for n in range(4))]


def lines() -> list[dict[str, Any]]:
    """Return the tiered lines: the first cases are the queries, and the last of them has no positives."""
    documents = cases()[:24]
    made = []
    for n, query in enumerate(documents[:QUERIES]):
        positives = [
            {"fact_id": one["_id"], "fact": one["text"], "tier": 1 + place, "accusation": one["meta"]["accusation"]}
            for place, one in enumerate(documents[n + 3 :: 3][:4])
        ]
        made.append(
            {
                "query_id": query["_id"],
                "query": {"fact": query["text"], "meta": query["meta"]},
                "positives": positives if n < QUERIES - 1 else [],
            }
        )
    return made


def write_lines(path: Path, values: list[Any], encoding: str = "utf-8") -> Path:
    """Write JSON values, one a line."""
    path.write_bytes(b"".join(orjson.dumps(value) + b"\n" for value in values).decode().encode(encoding))
    return path


def write(folder: Path) -> Path:
    """Write `collection.jsonl` and `tiered.jsonl`; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "collection.jsonl", cases())
    write_lines(folder / "tiered.jsonl", lines())
    return folder


def collection(folder: Path) -> Collection:
    """Return the collection of a written data set."""
    return read_collection(folder / "collection.jsonl")


def settings(folder: Path, url: str, **options: Any) -> Settings:
    """Return the settings of a run over a written data set."""
    return Settings(dataset=locate(str(folder)), url=url, **options)


def outcome(folder: Path, url: str, **options: Any) -> Outcome:
    """Run over a written data set."""
    return run(settings(folder, url, **options))
