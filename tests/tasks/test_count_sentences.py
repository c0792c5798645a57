import numpy as np
import pytest

from benchbench.tasks.count_sentences import beyond, capped, counted, limit_of_hits, reading

READ = {
    "queries": 50,
    "left_out_positives": 0,
    "queries_with_left_out_positives": 0,
    "skipped_lines": 0,
    "assumed_tiers": 0,
}


def test_nothing_is_said_where_nothing_was_left_out():
    assert reading(READ, 10) == []
    assert beyond({"without_text": 3}, 20) == []
    assert counted({"short_lists": 0}, 10, {"accusation": 0}, {"gold": 0}, {}) == []


def test_positives_beyond_the_limit_and_skipped_lines_have_a_sentence_each():
    counts = READ | {"left_out_positives": 1200, "queries_with_left_out_positives": 3, "skipped_lines": 2}
    assert reading(counts, 10) == [
        "1,200 positives beyond the first 10 per query were left out, in 3 of 50 queries: numbers from all would "
        "differ; --max-positives 0 takes all",
        "2 bad lines of the data set were skipped",
    ]


def test_hits_beyond_top_k_are_said_once():
    faults = {"beyond_top_k": 7, "without_text": 2}
    assert beyond(faults, 20) == ["7 hits were cut: the service sent more than --top-k 20 per query"]
    assert counted({}, 10, {}, {}, faults) == ["2 hits with fault: without text"]


def test_counts_that_a_result_does_not_have_are_not_said():
    said = counted({"short_lists": 4}, 10, {"imprisonment": 5}, {"gold": 1}, {})
    assert said == [
        "4 queries had fewer than 10 hits left after the removals",
        "5 hits without a label for task imprisonment",
        "1 query that no hit can be relevant for in task gold",
    ]


def test_one_of_a_kind_is_said_in_the_singular():
    counts = READ | {"left_out_positives": 1, "queries_with_left_out_positives": 1, "skipped_lines": 1}
    assert [one.partition(",")[0] for one in reading(counts | {"assumed_tiers": 1}, 10)] == [
        "1 positive beyond the first 10 per query was left out",
        "1 bad line of the data set was skipped",
        "1 positive has no tier",
    ]
    assert counted({"short_lists": 1, "hits_named_like_positives": 1}, 10, {}, {}, {"odd {x}": 1}) == [
        "1 query had fewer than 10 hits left after the removals",
        "1 hit has the id of a positive of its query, and another text",
        "1 hit with fault: odd {x}",
    ]


@pytest.mark.parametrize(
    ("bounded", "said"),
    [
        ([], ""),
        (["R@100"], ", which bounds R@100 (*)"),
        (["a", "b", "c", "d"], ", which bounds a, b, c and d (*)"),
        (["a", "b", "c", "d", "e"], ", which bounds a, b, c and 2 more (*)"),
    ],
)
def test_a_limit_of_the_service_names_the_measures_that_look_deeper(bounded: list[str], said: str):
    begin = "your API returned at most 50 hits of 120 asked"
    (sentence,) = capped({"most_hits": 50, "hits_asked": 120}, bounded)
    assert sentence.startswith(f"{begin}{said}; [pages] of a protocol description")
    (paged,) = capped({"most_hits": 50, "hits_asked": 120, "max_pages": 2}, bounded)
    assert paged == f"{begin}{said}; max_pages of the protocol description is 2"
    assert capped({}, bounded) == []


@pytest.mark.parametrize(
    ("each", "documents", "limit"),
    [
        ([50, 50, 50, 20, -1], None, {"most_hits": 50, "hits_asked": 120}),
        ([50, 50, 20, 30], None, {}),  # two may be chance
        ([50] * 4, 50, {}),
        ([120] * 4, None, {}),
        ([0] * 4, None, {}),
        ([], None, {}),
    ],
)
def test_a_limit_is_what_many_queries_got_where_there_was_more(each: list[int], documents: int | None, limit):
    card = {} if documents is None else {"collection": {"documents": documents}}
    assert limit_of_hits(np.array(each, np.int64), 120, card, None) == limit
