"""The page of a run, opened in a browser: one launch for all tests, each in a page of its own."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import invented_run as invented
import pytest
from any_result import scores
from cases import first_of
from unfolded import unfold

from benchbench.report.draw import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page


QUERIES, FAILED = 60, 3
EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>" + "long" * 40
ABOUT_THEFT = sum(number % 4 == 0 for number in range(QUERIES))


def drawn(folder: Path, said: str = "") -> Path:
    gates = [invented.gate(True, said), invented.gate(False, said)]
    path = folder / "report.html"
    result = invented.result(folder / "out", QUERIES, FAILED, said=said, gates=gates)
    path.write_text(draw(result, "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(tmp_path_factory.mktemp("evil"), EVIL)


@pytest.fixture
def opened(opened_page, file: Path) -> Callable[..., "Page"]:
    return lambda width=1280, scheme="light", where=file, **more: opened_page(where, width, scheme, **more)


def counted(shown: "Page") -> str:
    return shown.locator("#count").inner_text()


@pytest.fixture(scope="module")
def one_task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one")
    path = folder / "report.html"
    path.write_text(draw(invented.one_task(folder / "out", QUERIES, FAILED, said=EVIL), "html"), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_on_a_page_with_one_task(opened, violations, one_task: Path, width: int, scheme: str):
    shown = opened(width, scheme, one_task)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(shown) == []


def test_ranks_values_and_kinds_narrow_the_list_together(opened, one_task: Path):
    shown = opened(where=one_task)
    none = shown.locator("button[data-rank].zero")
    number = int(none.locator(".n").inner_text())
    none.click()
    assert counted(shown).startswith(f"{number} of {QUERIES} queries")
    zero = shown.locator("button[data-bin].zero")
    part = int(zero.locator(".n").inner_text())
    assert 0 < part <= number, "the histogram shows the part that the ranks have left"
    zero.click()
    assert counted(shown).startswith(f"{part} of {QUERIES} queries")
    kind = shown.locator(".ranges:visible button").first
    kind.click()
    assert int(counted(shown).split()[0]) <= part
    assert shown.locator("#chips button").count() == 3
    shown.reload()
    shown.wait_for_selector("html[data-ready]")
    assert shown.locator("#chips button").count() == 3
    for _ in range(3):
        shown.locator("#chips button").first.click()
    assert counted(shown).startswith(f"All {QUERIES} queries")
    assert shown.locator(".q .label").first.inner_text() in ("", "none in 10")


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_and_nothing_scrolls_sideways(opened, violations, evil: Path, width: int, scheme: str):
    shown = opened(width, scheme, evil)
    shown.locator(".q summary").last.click()
    unfold(shown, ".fold > summary")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("window.broken") is None
    assert violations(shown) == []


def test_axe_finds_nothing_on_a_page_of_scores(opened, violations, tmp_path: Path):
    path = tmp_path / "scores.html"
    path.write_text(draw(scores("one", EVIL), "html"), encoding="utf-8")
    shown = opened(390, where=path)
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(shown) == []


def test_a_bar_and_a_label_narrow_the_list_and_give_it_back(opened):
    shown = opened()
    zero = shown.locator(".bars:visible button.zero")
    number = zero.locator(".n").inner_text()
    zero.click()
    assert counted(shown) == f"{number} of {QUERIES} queries, worst first"
    assert zero.get_attribute("aria-pressed") == "true"
    shown.locator(".ranges:visible button", has_text="盗窃").click()
    both = int(counted(shown).split()[0])
    assert 0 < both < int(number)
    assert zero.locator(".n").inner_text() == str(both), "the histogram shows the part within the whole"
    assert zero.get_attribute("aria-label").startswith(f"{both} of {number} queries: ")
    shown.get_by_role("button", name="Remove the filter 盗窃").click()
    zero.click()
    assert counted(shown) == f"All {QUERIES} queries, worst first"


def test_the_button_of_the_band_shows_what_failed(opened):
    shown = opened()
    shown.get_by_role("button", name=f"Show the {FAILED} queries without an answer").click()
    assert counted(shown) == f"{FAILED} of {QUERIES} queries, worst first"
    assert shown.locator(".q .why").all_inner_texts() == [invented.REASON] * FAILED


def test_search_finds_whole_texts_labels_and_ids_and_shows_the_place(opened):
    shown = opened()
    assert "构成盗窃罪" not in invented.text(0)[:60]
    shown.locator("#find").fill("构成盗窃罪")
    assert counted(shown) == f"{ABOUT_THEFT} of {QUERIES} queries, worst first"
    assert shown.locator(".q .begin mark").first.inner_text() == "构成盗窃罪"
    shown.locator("#find").fill("Q59")
    assert counted(shown) == f"1 of {QUERIES} queries, worst first"
    shown.locator("#find").fill("nothing has this")
    assert shown.get_by_text("No query matches.").is_visible()


def test_an_opened_query_has_marks_that_agree_with_its_value(opened):
    shown = opened(fragment="#q=q7")
    query = shown.locator(".q[open]")
    score = query.locator(".score b")
    assert score.evaluate("b => b.scrollWidth <= b.clientWidth && b.clientHeight < 30"), "it stands on one line"
    value = float(score.inner_text())
    filled = query.locator(".hits .marks svg:first-child use.f").count()
    assert value == filled / 10 == invented.relevant(7) / 10
    shown.locator('input[name="view"]').nth(1).check(force=True)
    value = float(query.locator(".score b").inner_text())
    assert value == query.locator(".hits .marks svg:last-child use.f").count() / 10
    assert "self-retrieval" in query.locator(".hits .gone").inner_text()
    assert query.locator(".hits mark").all_inner_texts() == ["撬开房门"]
    assert query.locator(".wanted li").first.inner_text().startswith("✓ rank 1")


def test_a_reload_shows_the_same(opened):
    shown = opened()
    shown.locator('input[name="view"]').nth(1).check(force=True)
    shown.locator('.bars:visible button[data-bin="3"]').click()
    shown.locator("#find").fill("罪")
    shown.locator("#sort").select_option("slow")
    shown.locator(".q summary").first.click()
    shown.locator(".q[open] .detail").wait_for()
    before = [counted(shown), shown.locator("#list").inner_text(), shown.url]
    shown.reload()
    shown.wait_for_selector("html[data-ready]")
    assert [counted(shown), shown.locator("#list").inner_text(), shown.url] == before
    assert shown.locator('input[name="view"]').nth(1).is_checked()
    assert shown.locator('.bars:visible button[data-bin="3"]').get_attribute("aria-pressed") == "true"


def test_it_goes_by_keyboard(opened):
    shown = opened()
    shown.keyboard.press("/")
    assert shown.evaluate("document.activeElement.id") == "find"
    shown.keyboard.press("Tab")
    shown.locator("h1").click()
    for key in ("j", "j", "k", "j", "Enter"):
        shown.keyboard.press(key)
    assert shown.locator(".q").nth(1).get_attribute("open") is not None
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert shown.evaluate(outline) == "solid"


def test_more_queries_come_by_a_button(opened):
    shown = opened()
    assert shown.locator(".q").count() == 10
    shown.locator("#more").click()
    assert shown.locator(".q").count() == 30
    assert shown.evaluate("document.activeElement.closest('.q') === document.querySelectorAll('.q')[10]")


def test_without_decompression_beginnings_stay_and_it_says_so(opened):
    shown = opened(before="delete window.DecompressionStream")
    assert "cannot unpack" in shown.locator("#find").get_attribute("placeholder")
    shown.locator("#find").fill("构成盗窃罪")
    assert counted(shown) == f"0 of {QUERIES} queries, worst first"
    shown.locator("#find").fill("经审理查明")
    assert counted(shown) == f"{QUERIES} of {QUERIES} queries, worst first".replace(f"{QUERIES} of", "All", 1)
    shown.locator(".q summary").nth(5).click()
    shown.get_by_text("cannot be unpacked by this browser").wait_for(state="visible")  # a query opens in a while


def test_without_scripts_charts_numbers_and_the_worst_queries_stand(opened):
    shown = opened(java_script_enabled=False)
    assert shown.locator(".plot svg.wide").first.is_visible()
    assert shown.locator(".bars .n").first.is_visible()
    assert shown.locator(".q .row").count() == 12
    assert not shown.locator("#find").is_visible()


def test_a_chart_is_drawn_at_both_widths_with_text_of_its_size(opened):
    for width, name in ((1280, "wide"), (390, "narrow")):
        shown = opened(width)
        text = shown.locator(f".plot svg.{name} text").first
        assert text.is_visible()
        scale = "(e) => e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width"
        assert 0.85 < text.evaluate(scale) < 1.2


def test_tables_are_open_in_print(opened):
    shown = opened()
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.locator(".fold:not([open])").count() == 0
    shown.evaluate("dispatchEvent(new Event('afterprint'))")
    assert shown.locator(".fold[open]").count() == 0


def test_headings_go_down_one_by_one_and_none_is_empty(opened):
    shown = opened()
    found = shown.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((e) => [e.tagName, e.textContent.trim()])"
    )
    levels = [int(tag[1]) for tag, _ in found]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(next_ - level <= 1 for level, next_ in pairwise(levels))
    assert all(text for _, text in found)
