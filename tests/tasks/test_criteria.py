"""How a run is judged, and what recall divides by."""

from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.tiered import read_tiered
from benchbench.kernels.judge import KEPT, SELF, TASKS
from benchbench.tables.hashing import id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tasks.criteria import Criteria, denominators

THEFT = {"accusation": ["盗窃"], "relevant_articles": [264], "imprisonment": 8}
RELEVANT = {
    "accusation": {"q1": 4, "q2": 40},
    "article": {"q1": 5, "q2": 50},
    "imprisonment": {"q1": 0, "q2": 60},
}


def read(folder: Path, *records: dict[str, Any]) -> Queries:
    path = folder / "tiered.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return read_tiered(path, max_positives=20)


@pytest.fixture
def queries(tmp_path: Path) -> Queries:
    return read(
        tmp_path,
        {"query_id": "q1", "query": {"fact": "甲", "meta": THEFT}, "positives": [{"fact_id": "p", "fact": "丙"}]},
        {
            "query_id": "q2",
            "query": {"fact": "乙", "meta": THEFT},
            "positives": [{"fact_id": n, "fact": f"案{n}"} for n in range(12)],
        },
    )


@pytest.mark.parametrize("cutoffs", [(), (0,), (3, -1)])
def test_a_cutoff_below_1_is_refused(cutoffs: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="a cut-off"):
        Criteria(cutoffs=cutoffs)


def test_a_limit_of_positives_below_0_is_refused_and_0_is_none() -> None:
    with pytest.raises(InputError, match="--max-positives is a whole number from 0 to"):
        Criteria(max_positives=-1)
    assert Criteria(max_positives=0).max_positives == 0


def test_a_data_set_without_positives_and_labels_is_refused_and_one_with_labels_has_their_tasks(tmp_path: Path) -> None:
    own = {"query_id": "q3", "query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": " 甲"}]}
    with pytest.raises(InputError, match="no hit can be relevant: no query of the data set has a positive"):
        Criteria().tasks_of(read(tmp_path, {"query_id": "q1", "query": {"fact": "乙"}}, own))
    labelled = {"query_id": "q2", "query": {"fact": "乙", "meta": {"accusation": ["盗窃"]}}}
    assert Criteria().tasks_of(read(tmp_path, own, labelled)) == ("accusation",)
    with pytest.raises(InputError, match="--tasks gold: no query of the data set has what this task compares"):
        Criteria(tasks=("gold",)).tasks_of(read(tmp_path, own, labelled))


def test_the_defaults_are_those_of_the_specification() -> None:
    criteria = Criteria()
    assert criteria.tasks == ("gold", "accusation", "article", "imprisonment")
    assert criteria.cutoffs == (3, 5, 10)
    assert (criteria.self_by, criteria.recall_denominator, criteria.max_positives) == ("text", "fixed", 10)


@pytest.mark.parametrize("relevant", [None, RELEVANT])
def test_fixed_is_10_everywhere(queries: Queries, relevant: Any) -> None:
    assert denominators(queries, "fixed", relevant).tolist() == [[10] * 4] * 2


def test_full_is_the_number_of_relevant_cases_and_of_positives_as_cut(queries: Queries) -> None:
    assert denominators(queries, "full", RELEVANT).tolist() == [[1, 4, 5, 0], [12, 40, 50, 60]]


def test_capped_is_that_and_at_most_10(queries: Queries) -> None:
    assert denominators(queries, "capped", RELEVANT).tolist() == [[1, 4, 5, 0], [10, 10, 10, 10]]


@pytest.mark.parametrize("rule", ["capped", "full"])
@pytest.mark.parametrize(
    ("relevant", "task"),
    [
        (None, "accusation"),
        ({}, "accusation"),
        ({"accusation": RELEVANT["accusation"]}, "article"),
        (RELEVANT | {"imprisonment": {"q1": 3}}, "imprisonment"),
    ],
)
def test_without_counts_the_error_says_how_to_get_them(queries: Queries, rule: Any, relevant: Any, task: str) -> None:
    with pytest.raises(InputError) as caught:
        denominators(queries, rule, relevant)
    message = str(caught.value)
    assert message.startswith(f"--recall-denominator {rule} needs the number of relevant cases")
    assert f"for task {task}, which the data set's .card.json carries" in message
    assert "benchbench prepare" in message


def test_a_task_that_no_query_has_a_label_for_needs_no_counts(tmp_path: Path) -> None:
    queries = read(tmp_path, {"query": {"fact": "甲"}, "positives": [{"fact": "乙"}]})
    assert denominators(queries, "full", None).tolist() == [[1, 0, 0, 0]]


def hits_of(*lists: list[tuple[str, str]]) -> Hits:
    flat = [hit for one in lists for hit in one]
    return Hits(
        counts=[len(one) for one in lists],
        ids=[identity for identity, _ in flat],
        id=[id_hash(identity) for identity, _ in flat],
        text=[text_hash(text) for _, text in flat],
        score=[0.0] * len(flat),
        accusation=[-1] * len(flat),
        article=[-1] * len(flat),
        months=[-1] * len(flat),
        penalty=[0] * len(flat),
    )


def test_the_query_is_known_by_text_or_by_id_as_the_criteria_say(queries: Queries) -> None:
    hits, recall_denominators = hits_of([("q1", "戊")]), denominators(queries, "fixed", None)
    assert Criteria(self_by="text").judge(queries, 0, hits, recall_denominators).fate.tolist() == [KEPT]
    assert Criteria(self_by="id").judge(queries, 0, hits, recall_denominators).fate.tolist() == [SELF]


def test_a_positive_is_known_by_text_or_by_id_as_the_criteria_say(queries: Queries) -> None:
    hits, recall_denominators = hits_of([("p", "戊"), ("x", "丙")]), denominators(queries, "fixed", None)
    assert Criteria(gold_by="text").judge(queries, 0, hits, recall_denominators).relevant[0].tolist() == [False, True]
    assert Criteria(gold_by="id").judge(queries, 0, hits, recall_denominators).relevant[0].tolist() == [True, False]


def test_later_queries_are_judged_with_their_own_positives_and_denominators(queries: Queries) -> None:
    both, recall_denominators = (
        hits_of([("x", "丙")], [("y", "案3"), ("z", "丙")]),
        denominators(queries, "full", RELEVANT),
    )
    whole = Criteria().judge(queries, 0, both, recall_denominators)
    second = Criteria().judge(queries, 1, hits_of([("y", "案3"), ("z", "丙")]), recall_denominators)
    assert whole.values[1].tobytes() == second.values[0].tobytes()
    recall = [Criteria().plans.columns[one][0] for one in Criteria().measures if one.name == "R"]
    assert second.values[0, TASKS.index("gold"), recall] == pytest.approx(np.full(3, 1 / 12))


def test_one_task_or_cut_off_may_stand_alone():
    assert Criteria("gold", 10) == Criteria(("gold",), (10,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tasks": "glod"}, "--tasks 'glod' is not one of gold, accusation, article, imprisonment"),
        ({"tasks": ("gold", "g")}, "--tasks 'g' is not one of gold, "),
        ({"cutoffs": "10"}, "a cut-off (-k) is a whole number from 1"),
        ({"cutoffs": (2.5,)}, "a cut-off (-k) is a whole number from 1"),
        ({"cutoffs": ()}, "a cut-off (-k) is missing, such as 10"),
        ({"self_by": "url"}, "--self is text or id, not 'url'"),
        ({"gold_by": None}, "--gold is text or id, not None"),
        ({"recall_denominator": "fulll"}, "--recall-denominator is fixed or capped or full, not 'fulll'"),
    ],
)
def test_a_word_that_is_no_option_is_refused_with_those_that_are(options: dict[str, Any], reason: str):
    with pytest.raises(InputError) as refused:
        Criteria(**options)
    assert str(refused.value).startswith(reason)
