"""The page of a load test, opened in a browser: one launch for all tests, each in a page of its own."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

import invented_rates as invented
import pytest

from benchbench.report.draw import draw

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("needs chromium", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra `test`")

EVIL = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>" + "long" * 40


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with everything in it, and markup in every name."""
    folder = tmp_path_factory.mktemp("evil")
    failing = invented.step(120.0, 9000.0, 40.0, failed=300, values={"late": 500.0}, failures={EVIL: 300})
    steps = [replace(one, limit=f"the client was slow {EVIL}") for one in (*invented.SATURATED, failing)]
    few = invented.step(5.0, 60.0, size=1, values={"queries_asked": 8.0})
    result = invented.outcome(folder / "out", [few, *steps], fail_if=("p99>100ms",), assumed=(EVIL,), interrupted=True)
    result.describe(name=EVIL)
    path = folder / "report.html"
    path.write_text(draw(result, "html"), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, evil: Path) -> Iterator[Callable[..., "playwright.Page"]]:
    """Open the page; at the end it must have said nothing on the console and asked nobody for anything."""
    said: list[str] = []
    contexts = []

    def opening(width: int, scheme: str, **options) -> "playwright.Page":
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True, **options)
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda one: one.url.startswith(("file:", "data:")) or said.append(one.url))
        shown.goto(evil.as_uri())
        return shown

    yield opening
    for context in contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(opened, width: int, scheme: str):
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra `test`")
    shown = opened(width, scheme)
    for summary in shown.locator(".fold > summary").all():
        summary.click()
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("window.broken") is None
    shown.evaluate(resources.files(axe).joinpath("axe.min.js").read_text("utf-8"))
    found = shown.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_no_text_of_a_chart_leaves_it(opened, width: int):
    shown = opened(width, "light")
    outside = shown.evaluate(
        """() => [...document.querySelectorAll('.plot svg')].filter(one => one.getBoundingClientRect().width)
            .flatMap(one => { const all = one.getBoundingClientRect();
                return [...one.querySelectorAll('text')].filter(text => { const at = text.getBoundingClientRect();
                    return at.left < all.left - 4 || at.right > all.right + 4 || at.top < all.top - 4
                        || at.bottom > all.bottom + 4 }).map(text => text.textContent) })"""
    )
    assert outside == []


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
    assert shown.locator(".plot svg.narrow:visible").count() == 4 + 6
    assert shown.locator(".lede:visible").count() == 1
    assert not shown.locator(".js:visible").count()
