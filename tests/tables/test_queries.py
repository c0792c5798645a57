"""A tiered data set as columns."""

from typing import Any

import numpy as np
import pytest

from benchbench.kernels.judge import TASKS
from benchbench.tables.hashing import id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import Labels, sentence
from benchbench.tables.queries import Positives, Queries

Row = tuple[str, str, dict[str, Any], list[tuple[str, str]]]

ROWS: list[Row] = [
    ("q1", "甲", {"accusation": ["盗窃"], "article": [264], "sentence": 8}, [("p1", "丙"), ("p2", "丁")]),
    ("q2", "乙", {"accusation": ["诈骗"]}, []),
    ("q3", "戊", {"article": [266], "sentence": 0}, [("p1", "己")]),
]


def make(rows: list[Row]) -> Queries:
    labels = Labels()
    sentences = [sentence(row[2].get("sentence")) for row in rows]
    positives = [positive for row in rows for positive in row[3]]
    return Queries(
        ids=[row[0] for row in rows],
        texts=[row[1] for row in rows],
        id=np.array([id_hash(row[0]) for row in rows], np.uint64),
        text=np.array([text_hash(row[1]) for row in rows], np.uint64),
        text_prefixes=[text_prefix(normalise(row[1])) for row in rows],
        accusation=np.array([labels.code(row[2].get("accusation")) for row in rows], np.int32),
        article=np.array([labels.code(row[2].get("article")) for row in rows], np.int32),
        months=np.array([months for months, _ in sentences], np.int32),
        penalty=np.array([penalty for _, penalty in sentences], np.uint8),
        positives=Positives(
            offsets=np.cumsum([0, *(len(row[3]) for row in rows)], dtype=np.int64),
            ids=[identity for identity, _ in positives],
            id=np.array([id_hash(identity) for identity, _ in positives], np.uint64),
            text=np.array([text_hash(text) for _, text in positives], np.uint64),
            text_prefixes=[text_prefix(normalise(text)) for _, text in positives],
            gain=np.arange(len(positives), dtype=np.float64) + 1,
        ),
        labels=labels,
        digest="",
        skipped_lines=0,
        dropped_positives=0,
    )


def test_tasks_are_those_for_which_a_query_has_what_they_compare() -> None:
    assert make(ROWS).tasks == TASKS
    assert make(ROWS[1:2]).tasks == ("accusation",)
    assert make(ROWS[2:]).tasks == ("gold", "article", "imprisonment")
    assert make([("q", "甲", {}, [])]).tasks == ()


def test_a_sentence_of_no_months_is_a_label() -> None:
    assert make([("q", "甲", {"sentence": 0}, [])]).tasks == ("imprisonment",)


def test_queries_that_no_hit_can_be_relevant_for_are_counted_a_task() -> None:
    assert make(ROWS).without_label() == {"gold": 1, "accusation": 1, "article": 1, "imprisonment": 1}
    assert make(ROWS[:1]).without_label() == dict.fromkeys(TASKS, 0)


def test_a_hit_is_compared_with_the_query_and_its_own_positives_only() -> None:
    queries = make(ROWS)
    assert set(queries.compared_prefixes_of(0)) == {text_prefix(text) for text in "甲丙丁"}
    assert set(queries.compared_prefixes_of(1)) == {text_prefix("乙")}
    assert set(queries.compared_prefixes_of(2)) == {text_prefix(text) for text in "戊己"}


@pytest.mark.parametrize(("first", "last"), [(0, 3), (0, 1), (1, 2), (1, 3), (2, 3), (2, 2)])
def test_columns_of_a_part_are_those_of_these_queries_with_their_positives(first: int, last: int) -> None:
    denominator = np.arange(12, dtype=np.int64).reshape(3, 4)
    columns = make(ROWS).columns(first, last, denominator)
    part = ROWS[first:last]
    assert columns.id.tolist() == [id_hash(row[0]) for row in part]
    assert columns.text.tolist() == [text_hash(row[1]) for row in part]
    assert columns.months.tolist() == [row[2].get("sentence", -1) for row in part]
    assert columns.denominator.tolist() == denominator[first:last].tolist()
    assert columns.positive_offsets.tolist() == np.cumsum([0, *(len(row[3]) for row in part)]).tolist()
    assert columns.positive_id.tolist() == [id_hash(identity) for row in part for identity, _ in row[3]]
    assert columns.positive_text.tolist() == [text_hash(text) for row in part for _, text in row[3]]
    assert columns.positive_gain.size == columns.positive_text.size


def test_the_number_of_queries_is_their_length() -> None:
    assert len(make(ROWS)) == 3


def test_what_is_sought_is_found_as_it_is_asked_for():
    queries = make(ROWS)
    assert list(queries.compared_prefixes(1, 2)) == [queries.compared_prefixes_of(1), queries.compared_prefixes_of(2)]
    assert queries.compared_prefixes(0, 3)[1:] == list(queries.compared_prefixes(1, 2))
    assert len(queries.compared_prefixes(2, 0)) == 0
