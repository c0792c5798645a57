import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from benchbench.answering.retrieved import score_passages
from benchbench.errors import InputError

GOLD = {"Who pays?": ["tenant pays", "landlord repairs"], "When?": ["in March"]}
FOUND = {"Who pays?": ["The tenant pays.", "nothing"], "When?": ["in May", "In  March it is"]}


def test_passages_in_memory_come_to_what_files_of_them_do(tmp_path: Path):
    gold, found = tmp_path / "gold.json", tmp_path / "found.json"
    tests = [{"query": query, "snippets": [{"answer": one} for one in some]} for query, some in GOLD.items()]
    gold.write_text(json.dumps({"tests": tests}), encoding="utf-8")
    found.write_text(
        json.dumps([{"query": query, "retrieved_passages": some} for query, some in FOUND.items()]), encoding="utf-8"
    )
    for predictions in (FOUND, str(found)):
        for answers in (GOLD, gold):
            scores = score_passages(predictions, answers, k=2)
            assert scores.values["recall@2"] == [0.5, 1.0]
            assert scores == score_passages(found, str(gold), k=2)


def test_passages_with_places_are_measured_in_characters():
    place = {"file_path": "a.txt", "span": (0, 10)}
    gold = {"q": [{"text": "x", "file_path": "a.txt", "span": [5, 10]}]}
    scores = score_passages({"q": [MappingProxyType({"text": "x", **place})]}, gold)
    assert scores.means["char_precision@10"] == 0.5
    assert scores.means["char_recall@10"] == 1.0


def test_a_gold_passage_that_stands_twice_counts_once():
    assert score_passages({"q": ["a b"]}, {"q": ["a b", "a b", "c d"]}).means["recall@10"] == 0.5


def test_gates_are_read_before_anything_is_scored_and_decided_with_it():
    scores = score_passages(FOUND, GOLD, 2, fail_if=["recall@2<0.8", "exact_match<0"])
    assert [gate.said for gate in scores.record.gates] == [
        "gate failed: recall@2 is 0.75, required at least 0.8",
        "exact_match<0 passed with 0",
    ]
    with pytest.raises(InputError, match=r"--fail-if recall@10<0\.8: recall@10 is not measured"):
        score_passages(FOUND, GOLD, 2, fail_if="recall@10<0.8")


@pytest.mark.parametrize(
    ("found", "gold", "k", "said"),
    [
        ([FOUND], GOLD, 10, "predictions are passages by query"),
        (FOUND, {}, 10, "gold has no query in it"),
        ({"q": "text"}, GOLD, 10, "predictions, query 1: its passages are one text; give a list of passages"),
        ({3: ["text"]}, GOLD, 10, "predictions, query 1 has no query"),
        ({"q": [3]}, GOLD, 10, "predictions, query 1, passages 1 is neither a text nor a JSON object"),
        ({"q": None}, GOLD, 10, "predictions, query 1: its passages are of type NoneType"),
        ({"Who pays?": [""]}, GOLD, 10, "predictions has no passage with a text or a place"),
        (FOUND, {"other": ["a"]}, 10, "predictions holds no query of gold"),
        (FOUND, GOLD, 0, "-k is a whole number from 1"),
    ],
)
def test_what_are_no_passages_is_refused_with_one_sentence(found: Any, gold: Any, k: int, said: str):
    with pytest.raises(InputError) as raised:
        score_passages(found, gold, k)
    assert said in str(raised.value)
