"""The page of a trend, opened in a browser: one launch for all tests, each in a page of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cases import first_of
from invented_trend import EVIL, trend
from unfolded import unfold

from benchbench.report.draw import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVERYWHERE = first_of((390, "dark"), (1280, "light"))


def written(folder: Path, *given: object, **members: object) -> Path:
    path = folder / "trend.html"
    path.write_text(draw(trend(*given, **members), "html"), encoding="utf-8")  # type: ignore[arg-type]
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with markup, and no place to break a line, in every name."""
    return written(tmp_path_factory.mktemp("evil"), 20, evil=EVIL + "long" * 40 + "家事・相続", measures=9)


@pytest.fixture
def opened(opened_page, file: Path) -> Callable[..., "Page"]:
    return lambda width=1280, scheme="light", where=file, **more: opened_page(where, width, scheme, **more)


@pytest.mark.parametrize(("width", "scheme"), EVERYWHERE)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(opened, violations, width: int, scheme: str):
    shown = opened(width, scheme)
    unfold(shown, ".fold > summary")
    shown.locator(".slider:visible").first.focus()
    shown.keyboard.press("ArrowLeft")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(shown) == []


@pytest.mark.parametrize("width", first_of(390, 1280))
def test_markup_in_names_stays_text_and_nothing_scrolls_sideways(opened, violations, evil: Path, width: int):
    shown = opened(width, where=evil)
    shown.locator(".slider:visible").first.focus()
    shown.keyboard.press("ArrowLeft")
    shown.keyboard.press("End")
    assert "<script>" in shown.locator(".tip:visible").inner_text()
    assert shown.evaluate("window.broken") is None
    assert shown.locator("main img").count() == 0
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(shown) == []


def test_keys_read_run_by_run_commit_settings_and_what_was_found(opened):
    shown = opened()
    slider = shown.locator(".slider:visible").first
    slider.focus()
    for _ in range(22):
        shown.keyboard.press("ArrowLeft")
    said = slider.get_attribute("aria-valuetext")
    assert said.startswith("Run 38, 10 April 2026, 04:00 UTC: 0.375 (0.360 to 0.390) of 300; Commit: 0bbe1e0 on main")
    assert "Change: −0.035 since run 37" in said
    assert "Changed: top_k 50 → 20, version of numpy 2.1.0 → 2.2.1" in said
    assert "Found: ▼ gold.nDCG@10 fell from 0.412 to 0.382" in said
    tip = shown.locator(".tip:visible").inner_text()
    assert "Run 38 · 10 April 2026, 04:00 UTC" in tip
    assert "0bbe1e0 on main" in tip
    for key, number in (("Home", "1"), ("PageUp", "11"), ("ArrowRight", "12"), ("PageDown", "2"), ("End", "60")):
        shown.keyboard.press(key)
        assert slider.get_attribute("aria-valuenow") == number
    shown.keyboard.press("Escape")
    assert shown.locator(".tip:visible").count() == 0


def test_a_pointer_reads_what_is_below_it_and_stays_where_it_is_pressed(opened):
    shown = opened()
    slider = shown.locator(".slider:visible").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    shown.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)
    first = slider.get_attribute("aria-valuenow")
    assert shown.locator(".tip:visible").count() == 1
    shown.mouse.down()
    shown.mouse.up()
    shown.mouse.move(box["x"] + 90, box["y"] + 80)
    assert slider.get_attribute("aria-valuenow") == first
    shown.mouse.move(5, 5)
    assert shown.locator(".tip:visible").count() == 1
    shown.keyboard.press("Escape")
    assert shown.locator(".tip:visible").count() == 0


def test_a_tap_reads_a_run_below_the_chart_of_a_phone(opened):
    shown = opened(390, has_touch=True)
    slider = shown.locator(".slider:visible").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    shown.touchscreen.tap(box["x"] + box["width"] - 20, box["y"] + 60)
    tip = shown.locator(".tip:visible")
    assert tip.inner_text().startswith("Run 5")
    assert tip.bounding_box()["y"] >= box["y"] + box["height"]


def test_the_measure_is_chosen_for_all_charts_and_stands_in_the_address(opened):
    shown = opened()
    shown.get_by_label("p50", exact=True).check()
    assert shown.locator(".course:visible h3").all_inner_texts() == ["p50"]
    assert shown.locator(".none").is_visible()
    assert shown.evaluate("location.hash") == "#measure=p50"
    shown.reload()
    assert shown.locator(".course:visible h3").all_inner_texts() == ["p50"]
    again = opened(fragment="#measure=nothing")
    assert again.locator(".course:visible h3").first.inner_text() == "gold.nDCG@10"


def test_many_measures_are_chosen_from_a_list(opened, tmp_path: Path):
    shown = opened(where=written(tmp_path, 20, measures=12))
    shown.locator("select").select_option("expert.nDCG@10" and "1")
    assert shown.locator(".course:visible h3").all_inner_texts() == ["expert.nDCG@10"]


def test_what_happened_is_shown_in_its_chart(opened):
    shown = opened()
    button = shown.locator("#changes .moments li", has_text="expert.nDCG@10 drifts").get_by_role("button")
    button.click()
    assert shown.locator(".course:visible h3").first.inner_text() == "expert.nDCG@10"
    assert shown.locator(".slider:focus").get_attribute("aria-label") == "Runs of expert.nDCG@10"
    assert shown.locator(".tip:visible").inner_text().startswith("Run 8 ")
    assert shown.locator("#alerts .moments li").count() == 2


def test_other_rules_are_drawn_apart_and_failed_runs_hollow(opened):
    shown = opened()
    chart = shown.locator(".course:visible svg.wide").first
    lines = chart.locator("path.line:not(.level)")
    assert chart.locator("path.line.dashed.thin").count() == 1
    assert lines.count() == 3
    assert chart.locator("circle.ring").count() == 1
    assert chart.locator("rect.shade.bad").count() == 1
    assert chart.locator("path.drop").count() == 2


def test_without_scripts_all_charts_of_a_few_measures_stand(browser, file: Path):
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.goto(file.as_uri())
    assert shown.locator("#trend .course:visible").count() == 3
    assert not shown.locator(".seg").first.is_visible()
    shown.locator(".fold summary", has_text="Runs").click()
    assert shown.locator("table:visible tbody tr").count() == 60
    context.close()


def test_on_paper_all_charts_of_a_few_measures_stand_and_nothing_is_to_press(opened):
    shown = opened()
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown.emulate_media(media="print")
    assert shown.locator("#trend .course:visible").count() == 3
    assert shown.locator(".moments .link:visible").count() == 0
    assert not shown.locator(".slider").first.is_visible()
    assert all(one.get_attribute("open") is not None for one in shown.locator(".fold").all())


@pytest.mark.parametrize(("runs", "slices", "measures"), first_of((1, 0, 1), (2, 1, 3), (13, 4, 3)))
def test_few_runs_and_one_measure_are_read_too(
    opened, violations, tmp_path: Path, runs: int, slices: int, measures: int
):
    shown = opened(where=written(tmp_path, runs, slices=slices, measures=measures))
    shown.locator(".slider:visible").first.focus()
    shown.keyboard.press("Home")
    assert shown.locator(".tip:visible").inner_text().startswith("Run 1 ")
    assert violations(shown) == []


@pytest.mark.slow  # change points of 30 measures in a thousand runs
def test_a_thousand_runs_of_thirty_measures_are_drawn_soon(opened, tmp_path: Path):
    shown = opened(where=written(tmp_path, 1_000, measures=30, searched=1))
    spent = shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert spent < 5_000  # a tenth of that on a machine that is not busy: benchmarks/trend_page.py
    shown.locator(".slider:visible").first.focus()
    shown.keyboard.press("ArrowLeft")
    assert shown.locator(".tip:visible").inner_text().startswith("Run 999 ")
