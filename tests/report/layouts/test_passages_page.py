"""The page of scores of passages in each state; a browser's view is in `test_cards_browser`."""

import functools
from pathlib import Path
from typing import Any

import invented_answers as invented
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_text import Page

from benchbench.answering.retrieved import score_passages
from benchbench.report.card_blocks import Funnel, Means, PassageList
from benchbench.report.draw import draw, page
from benchbench.report.layouts.passages_page import blocks
from benchbench.report.page_blocks import Masthead
from benchbench.results.folder import save
from benchbench.results.result import Result
from benchbench.stored import load

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'>&amp;{{ 7 * 7 }}</style>"


def of(result: Result, kind: type) -> Any:
    return next(one for one in blocks(result) if isinstance(one, kind))


def test_the_headline_says_how_much_of_the_gold_text_is_found_and_where_no_text_is_right():
    verdict = of(invented.passages(), Masthead)
    assert verdict.title == "On average 33 % of a query's gold text is retrieved; 1 of 4 queries gets all of it."
    assert "".join(verdict.pieces) == ("2 of 4 queries reach the right place, 1 only the right document, 1 neither.")
    assert verdict.notes == ["No query has more than 2 passages, so scores at 10 are scores at 2."]


def test_the_headline_does_not_mention_wrong_documents_where_there_are_none():
    assert "".join(of(invented.passages(2), Masthead).pieces).endswith(" only the right document.")


def test_the_funnel_has_right_text_right_place_and_all_of_it():
    steps = of(invented.passages(), Funnel).steps
    assert [(one.name, one.reached, one.share) for one in steps] == [
        ("Asked", "4", "100 %"),
        ("Right document", "3", "75 %"),
        ("Right place", "2", "50 %"),
        ("All of it found", "1", "25 %"),
    ]


def test_without_places_the_funnel_has_two_steps_and_there_is_no_ruler():
    found = invented.passages(places=False)
    assert [one.name for one in of(found, Funnel).steps] == ["Asked", "Something found", "All of it found"]
    cards = of(found, PassageList).cards
    assert {one.key for one in cards} == {"all", "none"}
    assert not any(one.rulers for one in cards)
    assert draw(found, "html")


def test_measures_are_on_one_scale_with_their_intervals():
    rows = of(invented.passages(), Means).rows
    assert [one.name for one in rows][:2] == ["Character recall@10", "Character precision@10"]
    assert max(one.high or one.mean for one in rows) <= 100.0
    assert all(one.low is not None for one in rows)


def test_gold_spans_stand_inside_the_retrieved_text_and_what_was_missed_below():
    card = next(one for one in of(invented.passages(), PassageList).cards if one.key == "part")
    retrieved, *missed = card.entries
    gold = [one.text for one in retrieved.text if one.mark == "gold"]
    assert gold == [invented.TEXT[350:420]]
    assert (retrieved.rank, retrieved.tone, retrieved.label) == ("1", "good", "● 70 of 250 characters gold")
    assert [(one.rank, one.label) for one in missed] == [
        ("◐", "gold, 70 of 120 characters found"),
        ("∅", "gold, not found"),
    ]
    assert [one.text for one in missed[0].text if one.mark == "missed"] == [invented.TEXT[300:350]]


def test_a_ruler_has_gold_and_retrieved_passages_where_they_stand():
    card = next(one for one in of(invented.passages(), PassageList).cards if one.key == "part")
    (ruler,) = card.rulers
    assert ruler.hint == "one.txt: 2 gold passages, 2 of 2 retrieved passages"
    shown = [(one.rank, one.touches, round(one.left, 2)) for one in ruler.spans]
    assert shown == [(None, False, 13.64), (None, False, 45.45), (1, True, 15.91), (2, False, 90.91)]


def test_several_texts_of_a_query_have_a_ruler_each():
    gold = {"Where?": [invented.placed(0, 50), invented.placed(10, 60, "two.txt")]}
    found = {"Where?": [invented.placed(20, 70, "two.txt")]}
    (card,) = of(score_passages(found, gold), PassageList).cards
    assert [one.name for one in card.rulers] == ["one.txt", "two.txt"]
    assert "1 of 1 passages from these 2 documents" in card.facts


def test_the_nearest_miss_is_read_where_nothing_was_hit():
    card = next(one for one in of(invented.passages(), PassageList).cards if one.key == "place")
    assert "nearest passage 180 characters away" in card.facts
    assert card.entries[0][:3] == ("1", "", "no overlap")


def test_ranks_that_stand_close_are_above_and_below_and_left_out_where_there_is_no_room():
    gold = {"Where?": [invented.placed(5000, 5050)]}
    found = {"Where?": [invented.placed(n, n + 40) for n in range(1000, 1500, 50)]}
    (card,) = of(score_passages(found, gold), PassageList).cards
    labels = [one.label for one in card.rulers[0].spans if one.rank]
    assert set(labels) == {"above", "below", ""}


@pytest.mark.slow  # 480 queries with texts
def test_of_many_queries_the_page_holds_a_hundred_of_each_kind():
    queries = of(invented.passages(480), PassageList)
    assert len(queries.cards) == 400
    assert queries.notes == ["The page holds 400 of 480 queries: of each kind those that come nearest."]
    assert [one.entries for one in queries.filters] == [120, 120, 120, 120]


def test_a_folder_draws_the_same_page(tmp_path: Path):
    found = invented.passages(fail_if=["recall@10<0.9"])
    shown = draw(found, "html")
    save(found, tmp_path / "out", page(found))
    assert (tmp_path / "out" / "report.html").read_text("utf-8") == shown
    assert draw(load(tmp_path / "out"), "html") == shown
    assert "The gate failed" in shown


def test_chinese_passages_say_their_language():
    gold = {"谁付租金？": ["承租人应当按照约定的期限支付租金。"]}
    found = {"谁付租金？": ["第七百二十一条 承租人应当按照约定的期限支付租金。对支付期限没有约定的，依照本法。"]}
    (card,) = of(score_passages(found, gold), PassageList).cards
    assert (card.lang, card.entries[0].lang) == ("zh", "zh")
    assert [one.text for one in card.entries[0].text if one.mark] == gold["谁付租金？"]


hostile = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12).map(
    lambda text: f"{text}{EVIL}{text}x"
)


def with_text(field: str, text: str) -> Page:
    """Return a page of which one field has a text."""
    query = text if field == "query" else "q"
    found, gold = (
        _placed(text if field == of else other, text, field) for of, other in (("found", "abc"), ("gold", "abd"))
    )
    return Page(draw(score_passages({query: [found]}, {query: [gold]}), "html"))


@functools.cache
def usual_page(field: str) -> Page:
    return with_text(field, "plain")


@given(st.sampled_from(("query", "gold", "found", "file")), hostile)
def test_markup_in_any_field_stays_text(field: str, text: str):
    shown, usual = with_text(field, text), usual_page(field)
    assert set(shown.tags) == set(usual.tags)
    assert shown.tags.count("script") == usual.tags.count("script") == 1
    assert not [value for name, value in shown.attributes if name.startswith("on")]


def _placed(text: str, field: str, kind: str) -> dict[str, Any]:
    return {"text": text, "file_path": field if kind == "file" else "a.txt", "span": [0, max(len(text), 1)]}
