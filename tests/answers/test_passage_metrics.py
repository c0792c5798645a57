"""Passage scores, beside the seed's text in plain Python."""

import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

import naive_passages
import polars as pl
import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st
from results.round_trip import round_trip

from benchbench.answers.passage_metrics import score
from benchbench.answers.passage_places import frame, funnel, shown
from benchbench.answers.passage_scores import PassageScores
from benchbench.answers.spans import merged, overlap
from benchbench.answers.tokens import token_set
from benchbench.errors import InputError
from benchbench.tables.passages import Passage, Passages, Place

texts = st.lists(st.sampled_from(["a", "B", "ab", " a b", "b\na", "", " ", "C.", "abc"]), max_size=2).map(" ".join)


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


def test_line_breaks_within_a_text_are_spaces_to_an_exact_match_only_where_that_is_asked_for():
    found, answer = ["shall  not\ndisclose "], [" Shall not\tdisclose"]
    assert scored(found, answer)["exact_match"] == 0
    assert scored(found, answer)["recall@10"] == scored(found, answer)["span_f1"] == 1
    assert scored(found, answer, normalise=True)["exact_match"] == 1
    assert scored([" Shall not\ndisclose\n"], ["shall NOT\ndisclose"])["exact_match"] == 1


def test_a_blank_snippet_is_left_out_and_counted():
    assert scored(["whole"], ["whole", " "])["recall@10"] == 1
    gold = Passages("gold", {"q": [Passage("whole"), Passage(" ")], "r": [Passage("")]})
    scores = score(gold, Passages("run", {"q": [Passage("whole"), Passage("")], "r": []}))
    assert scores.values["recall@10"] == [1.0, 0.0]
    wanted = {"blank_snippets": 2, "without_gold_text": 1, "blank_passages": 1, "without_passages": 1}
    assert scores.counts.items() >= wanted.items()


def test_characters_are_scored_when_all_passages_say_where_they_stand():
    at = Passage("whole", Place("x", 0, 5))
    names = [f"{name}@10" for name in ("char_precision", "char_recall")]
    assert list(score(Passages("gold", {"q": [at]}), Passages("run", {"q": [at]})).means)[4:] == names
    for gold, run in (([at, Passage("other")], [at]), ([at], [Passage("whole")]), ([at], [])):
        assert len(score(Passages("gold", {"q": gold}), Passages("run", {"q": run})).means) == 4


def test_predictions_for_other_queries_alone_are_refused():
    gold, run = Passages("g.json", {"q": [Passage("x")]}), Passages("p.json", {"r": [Passage("x")]})
    with pytest.raises(InputError, match=r"p\.json holds no query of g\.json: .* 'r' and 'q'"):
        score(gold, run)


# How near queries come to their gold passages, against sets of characters

TEXTS = {"a": "abcdefghijklmnopqrstuvwxyzABCD", "b": "0123456789αβγδεζηθικλμνξοπρστυφ"}


places = st.builds(
    lambda file, start, length: Place(file, start, min(start + length, 30)),
    st.sampled_from(sorted(TEXTS)),
    st.integers(0, 28),
    st.integers(1, 12),
)


queries = st.lists(
    st.tuples(st.lists(places, min_size=1, max_size=3), st.lists(places, max_size=4)), min_size=1, max_size=6
)


def passage(place: Place) -> Passage:
    return Passage(TEXTS[place.file][place.start : place.end], place)


def passage_places_scored(given_queries: list[tuple[list[Place], list[Place]]], k: int = 3) -> PassageScores:
    gold, found = (
        Passages(name, {f"q{n}": [passage(one) for one in row[side]] for n, row in enumerate(given_queries)})
        for side, name in enumerate(("gold", "found"))
    )
    return score(gold, found, k)


def characters(of: list[Place]) -> set[tuple[str, int]]:
    return {(one.file, place) for one in of for place in range(one.start, one.end)}


def stage(gold: list[Place], found: list[Place]) -> str:
    """Return how near a query comes, by sets of characters."""
    wanted, there = characters(gold), characters(found)
    if wanted <= there:
        return "all"
    if wanted & there:
        return "part"
    return "place" if {one.file for one in gold} & {one.file for one in found} else "none"


@given(queries)
def test_stages_are_those_of_sets_of_characters(given_queries: list[tuple[list[Place], list[Place]]]):
    scores = passage_places_scored(given_queries)
    assert scores.is_placed == any(found for _, found in given_queries)
    if not scores.is_placed:
        return
    stages = [stage(gold, found[:3]) for gold, found in given_queries]
    assert scores.stages == stages
    counts = funnel(scores.gold, scores.predicted, scores.stages, True)
    assert (counts.asked, counts.right_text, counts.right_place, counts.all) == (
        len(stages),
        len(stages) - stages.count("none"),
        stages.count("part") + stages.count("all"),
        stages.count("all"),
    )


@given(queries)
def test_gold_characters_are_marked_in_the_retrieved_text_and_missed_ones_in_the_gold_text(
    given_queries: list[tuple[list[Place], list[Place]]],
):
    scores = passage_places_scored(given_queries)
    if not scores.is_placed:
        return
    for one in shown(scores.gold, scores.predicted, scores.stages, scores.recall, 3, True):
        gold, found = given_queries[one.number - 1]
        wanted, there = characters(gold), characters(found[:3])
        assert one.characters == len(wanted)
        for each in one.retrieved:
            own = {(each.file, place) for place in range(each.start, each.end)}
            assert each.shared == len(own & wanted)
            marked = {(each.file, each.start + place) for m in each.marks for place in range(m.start, m.end)}
            assert marked == own & wanted
        for each in one.gold:
            own = {(each.file, place) for place in range(each.start, each.end)}
            assert each.found == len(own & there)
            missed = {(each.file, each.start + place) for m in each.missed for place in range(m.start, m.end)}
            assert missed == (own - there if 0 < each.found < each.length else set())


def test_the_nearest_misses_are_first_by_what_was_found_and_then_by_how_far_it_was_missed():
    scores = passage_places_scored(
        [
            ([Place("a", 0, 10)], [Place("a", 20, 25)]),  # missed by 10
            ([Place("a", 0, 10)], [Place("a", 9, 15)]),  # a tenth
            ([Place("a", 0, 10)], [Place("b", 0, 10)]),  # another text
            ([Place("a", 0, 10)], [Place("a", 12, 25)]),  # missed by 2
            ([Place("a", 0, 10)], [Place("a", 0, 12)]),  # all of it
            ([Place("a", 0, 10)], [Place("a", 5, 15)]),  # half
        ]
    )
    rows = shown(scores.gold, scores.predicted, scores.stages, scores.recall, 3, True)
    assert [(one.query, one.stage, one.distance) for one in rows] == [
        ("q5", "part", None),
        ("q1", "part", None),
        ("q3", "place", 2),
        ("q0", "place", 10),
        ("q2", "none", None),
        ("q4", "all", None),
    ]
    assert [one.lengths for one in rows][:2] == [[25], [25]]
    table = frame(rows)
    assert table["retrieved"].to_list()[2][0]["text"] == TEXTS["a"][12:25], "the nearest miss is read"


def test_without_places_a_gold_passage_is_found_whole_or_not():
    gold = Passages("gold", {"q": [Passage("the tenant pays"), Passage("the landlord pays")], "r": [Passage("nobody")]})
    found = Passages("found", {"q": [Passage("Who? The  Tenant pays."), Passage("x")], "r": [Passage("zzz")]})
    scores = score(gold, found, 2)
    assert not scores.is_placed
    assert scores.stages == ["part", "none"]
    counts = funnel(gold, found, scores.stages, False)
    assert (counts.right_text, counts.right_place, counts.all, counts.texts) == (None, 1, 0, 0)
    one, other = shown(gold, found, scores.stages, scores.recall, 2, False)
    assert [each.found for each in one.gold] == [15, 0]
    assert one.files == other.files == []
    assert [(each.rank, each.text) for each in other.retrieved] == [(1, "zzz")], "the first is read where none matches"


def test_a_query_that_nothing_was_retrieved_for_has_no_passages():
    scores = score(
        Passages("gold", {"q": [Passage("a")], "r": [Passage("b")]}), Passages("found", {"r": [Passage("b")]})
    )
    rows = shown(scores.gold, scores.predicted, scores.stages, scores.recall, 10, False)
    assert [(one.query, len(one.retrieved)) for one in rows] == [("q", 0), ("r", 1)]


# The record of scores of passages: what they depend on, and what is read back

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
    assert said == scores.json_members()["signature"] == scores.record.subject[0].signature
    assert "|k:5|ideal:gold|" in said
    assert "|queries:2 (predicted 1, missing 1)|gold:g|predictions:f|version:" in said


def test_values_per_query_are_in_the_order_of_the_gold_file(scores: PassageScores):
    assert scores.per_query().columns == ["query", "exact_match", "span_f1", "recall@5", "ndcg@5"]
    assert scores.per_query()["recall@5"].equals(pl.Series("recall@5", [1.0, 0.0]))


# Characters shared by spans, beside a set of characters

spans_places = st.lists(
    st.builds(lambda file, start, length: Place(file, start, start + length), st.sampled_from("ab"), st.integers(0, 20),
              st.integers(0, 9)),
    max_size=6,
)  # fmt: skip


def parsed(spans_places: list[Place]) -> list[dict[str, object]]:
    return [{"file_path": place.file, "span": [place.start, place.end]} for place in spans_places]


@given(spans_places, spans_places)
def test_precision_and_recall_are_shares_of_characters(retrieved: list[Place], gold: list[Place]):
    assert list(overlap(retrieved, gold)) == naive_passages.characters(parsed(retrieved), parsed(gold), 99)


@given(spans_places)
def test_merged_spans_are_in_order_and_apart(found: list[Place]):
    for spans in merged(found).values():
        assert all(one[1] < other[0] for one, other in itertools.pairwise(spans))


# Token sets, beside NLTK's own

TABLES = tables(__file__, "tokens")


PIECES = [  # what the rules of sentences and words look at
    *("a", "j", "the", "cannot", "wanna", "gonna", "more'n", "d'ye", "x'll", "s'", "'s", "n't", "u.s"),
    *("5", "3.88", "-"),
    *("'", "''", "'''", '"', "`", "``", ".", "..", "...", "?", "!", ",", ":", ";", "(", ")", "[", "]", "{", "}", "--"),
    *("<", ">", "@", "#", "*", "&", "_", "$", "%", "/", "\\", "“", "”", "‘", "’", "«", "»", "—", "é", "ÿ", "法"),
    *(" ", " ", " ", " ", " "),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(st.characters(max_codepoint=127), max_size=60)
)
def test_pieces_that_the_rules_look_at_and_any_ascii_text_give_the_tokens_of_nltk(text: str):
    assert token_set(text) == naive_passages.tokens(naive_passages.single_spaces(text))


@pytest.mark.slow  # real data
def test_contracts_give_the_tokens_of_nltk(shared_data: Path):
    """Answers, and stretches that begin and end anywhere, as chunks do."""
    folder = shared_data / "legalbench-rag"
    tests = json.loads((folder / "benchmarks" / "contractnli.json").read_bytes())["tests"]
    texts = {snippet["answer"] for test in tests[:300] for snippet in test["snippets"]}
    draw = random.Random(6)
    for path in sorted(folder.glob("corpus/contractnli/*.txt")):
        text = path.read_text(encoding="utf-8")
        starts = [draw.randrange(len(text)) for _ in range(8)]
        texts |= {text[start : start + draw.choice((250, 500))] for start in starts}
    assert len(texts) > 900
    for text in texts:
        assert token_set(text) == naive_passages.tokens(naive_passages.single_spaces(text))


@pytest.mark.parametrize(("text", "tokens"), TABLES["tokens"].items())
def test_a_token_is_letters_and_digits_alone(text: str, tokens: str):
    assert token_set(text) == set(tokens.split())
