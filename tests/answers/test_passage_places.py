"""How near queries come to their gold passages, against sets of characters."""

from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.passage_metrics import score
from benchbench.answers.passage_places import frame, funnel, shown
from benchbench.answers.passage_scores import PassageScores
from benchbench.tables.passages import Passage, Passages, Place

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


def scored(given_queries: list[tuple[list[Place], list[Place]]], k: int = 3) -> PassageScores:
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
    scores = scored(given_queries)
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
    scores = scored(given_queries)
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
    scores = scored(
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
