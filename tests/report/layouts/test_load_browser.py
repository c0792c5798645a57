"""The page of a load test, opened in a browser: one launch for all tests, each in a page of its own."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import invented_rates as invented
import pytest
from cases import first_of
from unfolded import unfold

from benchbench.report.draw import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page


EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>" + "long" * 40


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with everything in it, and markup in every name."""
    folder = tmp_path_factory.mktemp("evil")
    failing = invented.step(120.0, 9000.0, 40.0, failed=300, values={"late": 500.0}, failures={EVIL: 300})
    steps = [replace(one, client_is_the_limit=f"the client was slow {EVIL}") for one in (*invented.SATURATED, failing)]
    few = invented.step(5.0, 60.0, size=1, values={"queries_asked": 8.0})
    result = invented.outcome(folder / "out", [few, *steps], fail_if=("p99>100ms",), assumed=(EVIL,), interrupted=True)
    result.describe(name=EVIL)
    path = folder / "report.html"
    path.write_text(draw(result, "html"), encoding="utf-8")
    return path


@pytest.fixture
def opened(opened_page, evil: Path) -> Callable[..., "Page"]:
    return partial(opened_page, evil)


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_and_nothing_scrolls_sideways(opened, violations, width: int, scheme: str):
    shown = opened(width, scheme)
    unfold(shown, ".fold > summary")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("window.broken") is None
    assert violations(shown) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_no_text_of_a_chart_leaves_it_and_no_two_overlap(opened, width: int):
    wrong = opened(width, "light").evaluate(
        """() => [...document.querySelectorAll('.plot svg')].filter(one => one.getBoundingClientRect().width)
            .flatMap(one => { const all = one.getBoundingClientRect();
                const texts = [...one.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
                const outside = texts.filter(([, at]) => at.left < all.left - 4 || at.right > all.right + 4
                    || at.top < all.top - 4 || at.bottom > all.bottom + 4);
                const meet = (at, by) => at.left < by.right - 1 && by.left < at.right - 1
                    && at.top < by.bottom - 4 && by.top < at.bottom - 4; // letters are lower than their lines
                const lying = texts.filter(([, at], first) => texts.some(([, by], n) => n < first && meet(at, by)));
                return [...outside, ...lying].map(([text]) => text.textContent) })"""
    )
    assert wrong == []


def test_charts_below_one_another_share_the_horizontal_scale(opened):
    shown = opened(1280, "light")
    places = shown.evaluate(
        """() => [...document.querySelectorAll('#rates .panel')].map(one => {
            const ticks = [...one.querySelectorAll('.wide text[text-anchor=middle]')];
            const tick = ticks.find(text => text.textContent == '70');
            return Math.round(tick.getBoundingClientRect().left) })"""
    )
    latency, answered, quality, late = places
    assert (latency, answered) == (quality, late)


def test_without_scripts_all_charts_and_numbers_stand(opened):
    shown = opened(390, "light", java_script_enabled=False)
    assert shown.locator(".plot svg.narrow:visible").count() == 4 + 1 + 6
    assert shown.locator(".lede:visible").count() == 1
    assert not shown.locator(".js:visible").count()


SHEET = 695  # pixels between the margins of A4


def test_on_paper_folds_are_open_and_no_table_or_chart_is_wider_than_the_sheet(opened):
    shown = opened(SHEET, "light")
    shown.emulate_media(media="print")
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.evaluate("[...document.querySelectorAll('.fold')].every(one => one.open)")
    wide = shown.evaluate(
        """() => [...document.querySelectorAll('table, svg, pre')]
            .filter(one => one.getBoundingClientRect().right > innerWidth).map(one => one.textContent.slice(0, 80))"""
    )
    assert wide == []
