"""Judged hits as a frame, one row a hit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest
from hit_lists import hits_of, label_columns

from benchbench.formats.datasets.locate import locate
from benchbench.tables.frames import hit_frame
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import Judging, judging_of

TASKS = ("gold", "accusation", "article", "imprisonment")

THEFT = {"accusation": ["盗窃"], "relevant_articles": [264], "imprisonment": 8}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [
        {"query_id": "q1", "query": {"fact": "甲", "meta": THEFT}, "positives": [{"fact_id": "p1", "fact": "乙"}]},
        {"query_id": "q2", "query": {"fact": "丙", "meta": {}}, "positives": []},
        {
            "query_id": "q3",
            "query": {"fact": "丁", "meta": THEFT},
            "positives": [{"fact_id": "p1", "fact": "戊"}, {"fact_id": "p2", "fact": "己"}],
        },
    ]
    path = tmp_path / "tiered.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def make(judging: Judging, lists: list[list[dict[str, Any]]]) -> Hits:
    flat = [hit for one in lists for hit in one]
    hits = hits_of(
        counts=[len(one) for one in lists],
        ids=[hit.get("id") for hit in flat],
        id_hashes=[id_hash(hit["id"]) if "id" in hit else NO_HASH for hit in flat],
        text_hashes=[text_hash(hit["text"]) for hit in flat],
        score=[hit.get("score", math.nan) for hit in flat],
    )
    hits.labels = label_columns(judging.queries.schema, judging.queries.labels, flat)
    return hits


def frame(path: Path, first: int, lists: list[list[dict[str, Any]]], tasks: tuple[str, ...] = TASKS) -> pl.DataFrame:
    judging = judging_of(Criteria(tasks), locate(path))
    hits = make(judging, lists)
    return hit_frame(judging.queries, first, hits, judging.judge(first, hits), judging.tasks)


def test_every_hit_is_a_row_in_response_order(path: Path) -> None:
    lists: list[list[dict[str, Any]]] = [
        [
            {"id": "q1", "text": "甲", "score": 9.5},
            {"id": "c1", "text": "甲 ", "score": 8.0},
            {"id": "x", "text": "乙", "score": 7.0, **THEFT},
            {"text": "别的", "accusation": ["盗窃"]},
            {"id": "x", "text": "乙", "score": 6.0},
        ],
        [],
        [{"id": "y", "text": "己", "score": 1.0}],
    ]
    rows = frame(path, 0, lists)
    assert rows["query_id"].to_list() == ["q1"] * 5 + ["q3"]
    assert rows["place"].to_list() == [1, 2, 3, 4, 5, 1]
    assert rows["rank"].to_list() == [None, None, 1, 2, None, 1]
    assert rows["id"].to_list() == ["q1", "c1", "x", None, "x", "y"]
    assert rows["score"].to_list() == [9.5, 8.0, 7.0, None, 6.0, 1.0]
    assert rows["self"].to_list() == [True, False, False, False, False, False]
    assert rows["copy"].to_list() == [False, True, False, False, False, False]
    assert rows["duplicate"].to_list() == [False, False, False, False, True, False]
    assert rows["gold"].to_list() == [False, False, True, False, False, True]
    assert rows["accusation"].to_list() == [False, False, True, True, False, False]
    assert rows["article"].to_list() == [False, False, True, False, False, False]
    assert rows["imprisonment"].to_list() == [False, False, True, False, False, False]
    assert rows["positive_id"].to_list() == [None, None, "p1", None, None, "p2"]


def test_a_later_chunk_names_its_own_queries_and_positives(path: Path) -> None:
    rows = frame(path, 1, [[{"id": "a", "text": "乙"}], [{"id": "b", "text": "己"}, {"id": "c", "text": "戊"}]])
    assert rows["query_id"].to_list() == ["q2", "q3", "q3"]
    assert rows["positive_id"].to_list() == [None, "p2", "p1"]


def test_chunks_have_equal_columns_and_types_whether_or_not_they_have_hits(path: Path) -> None:
    full = frame(path, 0, [[{"id": "x", "text": "乙", "score": 1.0}], [], []])
    empty = frame(path, 0, [[], [], []])
    assert empty.schema == full.schema
    assert empty.height == 0
    assert pl.concat([full, empty]).height == 1


def test_a_chunk_without_positives_has_no_positive_ids(path: Path) -> None:
    rows = frame(path, 1, [[{"id": "x", "text": "乙"}]])
    assert rows["positive_id"].to_list() == [None]
    assert rows.schema == frame(path, 0, [[{"id": "x", "text": "乙"}]]).schema


def test_only_the_tasks_asked_for_have_a_column(path: Path) -> None:
    columns = frame(path, 0, [[], [], []], ("accusation", "gold")).columns
    assert [name for name in columns if name in TASKS] == ["gold", "accusation"]


def test_a_score_that_is_infinite_stays(path: Path) -> None:
    rows = frame(path, 0, [[{"id": "x", "text": "乙", "score": -math.inf}]])
    assert rows["score"].to_list() == [-np.inf]
