"""Passage scores, beside the seed's text in plain Python."""

import math
from typing import Any

import naive_passages
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.passage_metrics import score
from benchbench.answers.passage_scores import PassageScores
from benchbench.errors import InputError
from benchbench.tables.passages import Passage, Passages, Place

texts = st.lists(st.sampled_from(["a", "B", "ab", " a b", "b\na", "", " ", "C.", "abc"]), max_size=4).map(" ".join)
spans = st.builds(lambda start, length: [start, start + length], st.integers(0, 9), st.integers(0, 9))
snippets = st.fixed_dictionaries({"answer": texts, "file_path": st.sampled_from("xy"), "span": spans})
placed = st.fixed_dictionaries({"text": texts, "file_path": st.sampled_from("xy"), "span": spans})


def files(predictions: list[Any], gold: Any) -> tuple[Passages, Passages]:
    """Return gold and predictions as they are after reading."""

    def passage(value: Any) -> Passage:
        if isinstance(value, str):
            return Passage(value)
        return Passage(value.get("text", value.get("answer")), Place(value["file_path"], *value["span"]))

    return (
        Passages("gold", {one["query"]: [passage(value) for value in one["snippets"]] for one in gold["tests"]}),
        Passages("run", {one["query"]: list(map(passage, one["retrieved_passages"])) for one in predictions}),
    )


def scored(found: list[str], answers: list[str], **options: Any) -> dict[str, float]:
    """Return the scores of one query."""
    given = Passages("gold", {"q": list(map(Passage, answers))}), Passages("run", {"q": list(map(Passage, found))})
    return score(*given, **options).means


def check(scores: PassageScores, rows: list[list[float]]) -> None:
    for column, twin in zip(scores.values.values(), zip(*rows, strict=True), strict=True):
        assert column == pytest.approx(list(twin), abs=1e-12)
    assert list(scores.means.values()) == pytest.approx(
        [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)], abs=1e-12
    )


@given(st.data(), st.integers(1, 4), st.sampled_from(["gold", "retrieved"]), st.booleans())
def test_scores_are_those_of_plain_python(data: st.DataObject, k: int, ideal: Any, with_places: bool):
    gold = {
        "tests": [
            {"query": f"q{n}", "snippets": data.draw(st.lists(snippets, min_size=1, max_size=4))} for n in (1, 2, 3)
        ]
    }
    lists = st.lists(placed if with_places else texts, max_size=5)
    predictions = [{"query": "q2", "retrieved_passages": data.draw(lists.filter(bool))}]
    predictions += [{"query": query, "retrieved_passages": data.draw(lists)} for query in ("other", "q1")]
    scores = score(*files(predictions, gold), k, ideal)
    check(scores, naive_passages.scores(predictions, gold, k, ideal))
    assert all(0 <= value <= 1 for column in scores.values.values() for value in column)
    assert (scores.missing, scores.extra) == (["q3"], ["other"])


def test_a_passage_matches_in_either_direction_and_in_any_case():
    for found, answer in (("the WHOLE clause", "whole"), ("whole", "The whole clause"), (" x ", "X")):
        assert scored([found], [answer])["recall@10"] == 1
    assert scored(["other"], ["whole"])["recall@10"] == 0


def test_line_breaks_within_a_text_are_spaces_to_an_exact_match_only_where_that_is_asked_for():
    found, answer = ["shall  not\ndisclose "], [" Shall not\tdisclose"]
    assert scored(found, answer)["exact_match"] == 0
    assert scored(found, answer)["recall@10"] == scored(found, answer)["span_f1"] == 1
    assert scored(found, answer, normalise=True)["exact_match"] == 1
    assert scored([" Shall not\ndisclose\n"], ["shall NOT\ndisclose"])["exact_match"] == 1


@pytest.mark.parametrize("ideal", ["gold", "retrieved"])
@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_passage_matches_nothing(blank: str, ideal: Any):
    assert set(scored([blank], ["whole"], ideal=ideal).values()) == {0.0}


def test_a_blank_snippet_is_left_out_and_counted():
    assert scored(["whole"], ["whole", " "])["recall@10"] == 1
    gold = Passages("gold", {"q": [Passage("whole"), Passage(" ")], "r": [Passage("")]})
    scores = score(gold, Passages("run", {"q": [Passage("whole"), Passage("")], "r": []}))
    assert scores.values["recall@10"] == [1.0, 0.0]
    wanted = {"blank_snippets": 2, "without_gold_text": 1, "blank_passages": 1, "without_passages": 1}
    assert scores.counts.items() >= wanted.items()


def test_a_snippet_that_several_passages_match_counts_once():
    measured = scored(["whole clause", "whole clause", "whole"], ["the whole clause", "other"])
    assert measured["recall@10"] == 0.5
    assert measured["ndcg@10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_one_passage_that_covers_two_snippets_finds_both_and_gains_once():
    measured = scored(["one and two"], ["one", "two"])
    assert measured["recall@10"] == 1
    assert measured["ndcg@10"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_the_ideal_of_what_was_retrieved_forgives_what_was_not():
    assert scored(["x", "one"], ["one", "two"], ideal="retrieved")["ndcg@10"] == pytest.approx(1 / math.log2(3))
    assert scored(["one"], ["one", "two"], ideal="retrieved")["ndcg@10"] == 1
    assert scored(["one"], ["one", "two"], ideal="gold")["ndcg@10"] < 1


def test_passages_beyond_the_cut_off_do_not_count():
    assert scored(["x", "whole"], ["whole"], k=1) == {"exact_match": 0, "span_f1": 0, "recall@1": 0, "ndcg@1": 0}
    assert scored(["x", "whole"], ["whole"], k=2)["recall@2"] == 1


def test_span_f1_is_the_best_over_the_snippets():
    assert scored(["a b c"], ["a x y", "a b"])["span_f1"] == pytest.approx(2 * 2 / 5)


def test_characters_are_scored_when_all_passages_say_where_they_stand():
    at = Passage("whole", Place("x", 0, 5))
    names = [f"{name}@10" for name in ("char_precision", "char_recall")]
    assert list(score(Passages("gold", {"q": [at]}), Passages("run", {"q": [at]})).means)[4:] == names
    for gold, run in (([at, Passage("other")], [at]), ([at], [Passage("whole")]), ([at], [])):
        assert len(score(Passages("gold", {"q": gold}), Passages("run", {"q": run})).means) == 4


def test_order_of_the_predicted_queries_does_not_matter():
    gold = Passages("gold", {"q": [Passage("one")], "r": [Passage("two")]})
    found = {"r": [Passage("two")], "q": [Passage("x")]}
    assert score(gold, Passages("run", found)).values["exact_match"] == [0.0, 1.0]


def test_predictions_for_other_queries_alone_are_refused():
    gold, run = Passages("g.json", {"q": [Passage("x")]}), Passages("p.json", {"r": [Passage("x")]})
    with pytest.raises(InputError, match=r"p\.json holds no query of g\.json: .* 'r' and 'q'"):
        score(gold, run)
