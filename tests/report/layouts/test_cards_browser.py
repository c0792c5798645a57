"""The pages of answers and of passages, opened in a browser: one launch for all tests, each in a page of its own."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import invented_agreement as agreement
import invented_answers as invented
import invented_evaluation as evaluation
import invented_judge as judge
import pytest
from cases import first_of
from unfolded import unfold

from benchbench.report.draw import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page


EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'><b>'"
JAPANESE = {
    "question": "民法第709条は何を定めるか。",
    "truth": "民法第709条は不法行為を定める。[Costs]",
    "answer": "民法第710条です。[1-3]",
    "source_type": EVIL,
    "category": '民法 & "Co"',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages")
    hostile = {**JAPANESE, "question": EVIL, "truth": f"[{EVIL}] CPR 1.1", "answer": f"[{EVIL}] CPR 1.2"}
    hostile["category"] = EVIL * 3
    rows = [*invented.rows(60, 2), {**JAPANESE}, hostile]
    made = {
        "answers": invented.answers(rows),
        "small": invented.answers([*invented.rows(9, 1), JAPANESE], fail_if=["precedent_matching<0.9"]),
        "passages": invented.passages(120),
        "few": invented.passages(),
        "bare": invented.passages(places=False),
        "evaluate": evaluation.made(),
        "agreement": agreement.made(("gpt-4o/relevance.ja@1", EVIL), fail_if=("low kappa<0.9",)),
    }
    texts = {**dict.fromkeys(("question", "answer", "rationale", "category"), EVIL), "faults": [EVIL]}
    evil = [one._replace(**texts) for one in judge.LOWEST]
    made["judge"] = replace(judge.outcome(judge.GATES), lowest=[*judge.LOWEST, *evil])
    for name, result in made.items():
        (path / f"{name}.html").write_text(draw(result, "html"), encoding="utf-8")
    return path


@pytest.fixture
def opened(opened_page, folder: Path) -> Callable[..., "Page"]:
    return lambda name, fragment="", **more: opened_page(folder / f"{name}.html", fragment=fragment, **more)


def numbers(shown: "Page") -> list[str]:
    """Return the numbers of the entries that are shown."""
    return shown.locator(".card:visible").evaluate_all("cards => cards.map(card => card.dataset.number)")


@pytest.mark.parametrize("name", ["small", "few", "bare", "agreement", "judge", "evaluate"])
@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing(opened, violations, name: str, width: int, scheme: str):
    shown = opened(name, width=width, scheme=scheme)
    unfold(shown, "summary")
    assert violations(shown) == []


@pytest.mark.parametrize("name", ["answers", "passages", "bare", "agreement", "judge", "evaluate"])
@pytest.mark.parametrize("width", first_of(390, 1280))
def test_nothing_scrolls_sideways_but_tables(opened, name: str, width: int):
    shown = opened(name, width=width)
    unfold(shown, "summary")
    assert shown.evaluate("document.documentElement.scrollWidth") == width


def test_a_button_filters_the_answers_and_the_fragment_brings_the_same_again(opened):
    shown = opened("answers")
    assert len(numbers(shown)) == 25
    assert shown.locator("#count").inner_text() == "62 of 62 answers"
    shown.get_by_role("button", name="US term").click()
    count = shown.locator("#count").inner_text()
    assert count == "29 of 29 answers"
    first = numbers(shown)
    shown.locator(".heat button", has_text="PD").click()
    assert shown.evaluate("location.hash") == "#f=legal_terminology_accuracy-wrong&source_type=PD"
    both = numbers(shown)
    assert set(both) < set(first) | set(both)
    again = opened("answers", shown.evaluate("location.hash"))
    assert numbers(again) == both
    assert again.get_by_role("button", name="US term").get_attribute("aria-pressed") == "true"
    again.get_by_role("button", name="Remove the filter PD").click()
    assert again.locator("#count").inner_text() == count


def test_a_group_with_markup_in_its_name_filters_too(opened):
    shown = opened("answers")
    shown.locator(".heat button", has_text="<script>").first.click()
    assert set(numbers(shown)) == {"61", "62"}
    assert set(numbers(opened("answers", shown.evaluate("location.hash")))) == {"61", "62"}
    assert shown.evaluate("window.broken") is None


def test_texts_are_found_in_any_script(opened):
    shown = opened("answers")
    shown.keyboard.press("/")
    shown.keyboard.type("不法行為")
    assert numbers(shown) == ["61"]
    assert shown.locator("#count").inner_text() == "1 of 62 answers"
    assert numbers(opened("answers", shown.evaluate("location.hash"))) == ["61"]


def test_a_box_leads_to_its_answer_whatever_is_chosen(opened):
    shown = opened("small", "#f=none")
    link = shown.locator(".boxes a.wrong").first
    number = link.get_attribute("href").removeprefix("#a")
    link.click()
    assert shown.evaluate("document.activeElement.dataset.number") == number
    assert shown.evaluate("location.hash") == f"#q={number}"
    again = opened("small", f"#q={number}")
    assert again.evaluate("document.activeElement.dataset.number") == number
    assert opened("small", f"#a{number}").evaluate("document.activeElement.dataset.number") == number


def test_a_linked_answer_is_shown_although_others_stand_before_it(opened):
    assert "60" in numbers(opened("answers", "#q=60"))


def test_more_answers_are_shown_when_asked_for(opened):
    shown = opened("answers")
    shown.get_by_role("button", name="Show 37 more of 37").press("Enter")  # a click may miss what still moves
    shown.locator("#more").wait_for(state="hidden")  # the others are opened when they are asked for
    assert len(numbers(shown)) == 62


def test_j_and_k_go_from_answer_to_answer(opened):
    shown = opened("answers")
    first, second, *_ = numbers(shown)
    for key, number in (("j", first), ("j", second), ("k", first), ("k", first)):
        shown.keyboard.press(key)
        assert shown.evaluate("document.activeElement.dataset.number") == number


def test_marks_stand_in_both_texts_and_their_symbols_are_not_read_twice(opened):
    shown = opened("small")
    card = shown.locator('.card[data-number="2"]')
    marks = card.locator("mark").evaluate_all("all => all.map(one => [one.className, one.firstChild.textContent])")
    assert marks == [
        ["k unexpected", "Part 45"],
        ["k wrong", "discovery"],
        ["k wrong", "[1-3]"],
        ["k missed", "Part 46"],
        ["k missed", "disclosure"],
        ["k missed", "[Costs special cases]"],
    ]
    shown_faults = card.locator(".faults li").all_inner_texts()
    assert shown_faults[0] == "∅ Part 46: statute missed"
    assert shown_faults[-1] == "+ Part 45: not in the reference"


def test_no_text_of_an_evaluation_is_obeyed(opened):
    assert opened("evaluate").evaluate("window.broken") is None


def test_what_a_judge_said_is_shown_and_not_obeyed(opened):
    shown = opened("judge")
    assert shown.evaluate("window.broken") is None
    assert EVIL in shown.locator(".card").first.inner_text() or EVIL in shown.locator(".cards").inner_text()
    shown.get_by_role("button", name="faithfulness").click()
    assert len(numbers(shown)) == 1


def test_without_scripts_every_answer_is_there(opened):
    shown = opened("answers", java_script_enabled=False)
    assert shown.locator(".card:visible").count() == 62
    assert not shown.locator(".filters").is_visible()


def test_a_filter_of_passages_stays_in_the_fragment(opened):
    shown = opened("passages")
    shown.get_by_role("button", name="right document, wrong place").click()
    assert shown.locator("#count").inner_text() == "30 of 30 queries"
    keys = set(shown.locator(".card:visible").evaluate_all("cards => cards.map(card => card.dataset.k)"))
    assert (keys, shown.evaluate("location.hash")) == ({"place"}, "#f=place")
    again = opened("passages", "#f=place")
    assert numbers(again) == numbers(shown)


def test_a_gold_span_is_never_too_narrow_to_see(opened):
    shown = opened("passages", width=390)
    widths = shown.locator(".spans .gold").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert min(width for width in widths if width) >= 4


def test_a_printed_page_has_its_numbers_open_and_a_dozen_answers(opened):
    shown = opened("answers")
    shown.emulate_media(media="print")
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(shown.locator("details").evaluate_all("all => all.map(one => one.open)"))
    assert shown.locator(".card:visible").count() <= 12
