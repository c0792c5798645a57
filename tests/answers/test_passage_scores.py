"""The record of scores of passages: what they depend on, and what is read back."""

from pathlib import Path

import polars as pl
import pytest
from results.round_trip import round_trip

from benchbench.answers.passage_metrics import score
from benchbench.answers.passage_scores import PassageScores
from benchbench.tables.passages import Passage, Passages

GOLD = Passages("gold.json", {"who?": [Passage("tenant pays")], "<b>when?": [Passage("in March")]}, digest="g")
FOUND = Passages("found.json", {"who?": [Passage("The tenant pays.")], "other?": []}, repeated=2, digest="f")


@pytest.fixture
def scores() -> PassageScores:
    return score(GOLD, FOUND, 5)


@pytest.mark.parametrize("per_query", [False, True])
def test_a_result_is_drawn_alike_before_and_after_it_lay_in_a_folder(
    scores: PassageScores, tmp_path: Path, per_query: bool
):
    loaded = round_trip(scores, tmp_path / "out", per_query=per_query)
    assert loaded.table("per_query").equals(scores.per_query())


def test_numbers_are_the_means_over_all_gold_queries(scores: PassageScores):
    record = scores.record
    assert {one.name: one.value for one in record.numbers} == scores.means
    assert {(one.n, one.better) for one in record.numbers} == {(2, "higher")}
    assert (record.name, record.data.name, record.data.digest, record.data.queries) == (
        "found.json",
        "gold.json",
        "g",
        2,
    )
    assert {name: one.value for name, one in record.settings.items()} == {
        "cutoff": 5,
        "ideal": "gold",
        "normalise": False,
        "cluster": None,
        "fail_if": [],
    }


def test_what_a_reader_must_know_of_is_notes_and_counts(scores: PassageScores):
    assert [note.text for note in scores.record.notes] == [
        "1 queries of gold.json have no prediction and count as 0, such as '<b>when?'",
        "1 predictions are for queries without gold and are left out, such as 'other?'",
        "2 predictions repeat a query; the first of each counts",
    ]
    assert {one.name: one.count for one in scores.record.counts} == scores.counts


def test_the_signature_names_what_was_read_and_how(scores: PassageScores):
    said = str(scores.record.signature)
    assert said == scores.details().signature == scores.record.subject[0].signature
    assert "|k:5|ideal:gold|" in said
    assert "|queries:2 (predicted 1, missing 1)|gold:g|predictions:f|version:" in said


def test_values_per_query_are_in_the_order_of_the_gold_file(scores: PassageScores):
    assert scores.per_query().columns == ["query", "exact_match", "span_f1", "recall@5", "ndcg@5"]
    assert scores.per_query()["recall@5"].equals(pl.Series("recall@5", [1.0, 0.0]))
