"""The page of a comparison, opened in a browser: one launch for all tests, each in a page of its own."""

import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import invented_comparison as invented
import pytest

from benchbench.report.draw import draw

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("needs chromium", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra `test`")

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(draw(invented.outcome(), "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with everything in it, and few rows: for tools that look at every element."""
    path = tmp_path_factory.mktemp("page") / "small.html"
    path.write_text(draw(invented.outcome(queries=60, shown=4, hits=3), "html"), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, file: Path) -> Iterator[Callable[..., "playwright.Page"]]:
    """Open the page; at the end it must have said nothing on the console and asked nobody for anything."""
    said: list[str] = []
    contexts = []

    def opening(width: int = 1280, scheme: str = "light", where: Path = file) -> "playwright.Page":
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda one: one.url.startswith(("file:", "data:")) or said.append(one.url))
        shown.goto(where.as_uri())
        return shown

    yield opening
    for context in contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_nothing_serious(opened, small: Path, width: int, scheme: str):
    axe = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra `test`")
    shown = opened(width, scheme, small)
    shown.locator("button.open").first.click()
    for summary in shown.locator("summary").all():
        summary.click()
    shown.evaluate(resources.files(axe).joinpath("axe.min.js").read_text("utf-8"))
    found = shown.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}]
    assert serious == []


def test_nothing_scrolls_sideways(opened):
    shown = opened()
    shown.get_by_label("Find in ids and texts").fill("Donaudampf")
    shown.locator("button.open").first.click()
    for width in WIDTHS:
        shown.set_viewport_size({"width": width, "height": 900})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_name_without_spaces_and_many_systems_scroll_nothing_sideways(opened, tmp_path: Path):
    path = tmp_path / "many.html"
    names = (*(f"system-{number}" for number in range(7)), "results/20261121T230000Z-" + "long" * 30)
    path.write_text(draw(invented.outcome(queries=30, names=names, shown=5), "html"), encoding="utf-8")
    shown = opened(390, where=path)
    shown.get_by_label("Pair").select_option(index=6)
    shown.locator("button.open").first.click()
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390


def test_every_chart_answers_a_pointer(opened):
    shown = opened()
    for name in ("cutoffs", "differences", "front", "latency", "load"):
        chart = shown.locator(f"#{name} .chart")
        chart.scroll_into_view_if_needed()
        box = chart.locator("svg").bounding_box()
        if name in {"front", "load"}:  # these tell about the point under the pointer
            spot = chart.locator("svg path[fill='#0a5c9c']").first.bounding_box()
            shown.mouse.move(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
        else:
            shown.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + box["height"] * 0.6)
        tip = chart.locator(".tip")
        tip.wait_for(state="visible")
        told = tip.inner_text()
        assert all(system in told for system in (invented.NAMES if name in {"cutoffs", "latency"} else ("bm25",)))


def test_a_legend_button_takes_a_system_out_and_puts_it_back_by_keyboard(opened, small: Path):
    shown = opened(where=small)
    lines = shown.locator("#latency .chart svg path[stroke='#b84a00']")
    button = shown.locator("#latency .legend button", has_text="bm25-title")
    assert (lines.count(), button.get_attribute("aria-pressed")) == (1, "true")
    button.focus()
    shown.keyboard.press("Enter")
    assert (lines.count(), button.get_attribute("aria-pressed")) == (0, "false")
    shown.keyboard.press("Space")
    assert (lines.count(), button.get_attribute("aria-pressed")) == (1, "true")


def test_charts_take_the_colours_of_the_scheme_when_it_changes_and_light_ones_on_paper(opened, small: Path):
    shown = opened(scheme="dark", where=small)
    light = shown.locator("#latency .chart svg path[stroke='#0a5c9c']")
    dark = shown.locator("#latency .chart svg path[stroke='#74b8f5']")
    assert (light.count(), dark.count()) == (0, 1)
    shown.emulate_media(media="print")
    light.wait_for(state="attached")
    assert not shown.locator("nav").is_visible()
    assert shown.locator("#latency .chart svg").is_visible()
    shown.emulate_media(media="screen", color_scheme="light")
    light.wait_for(state="attached")
    shown.emulate_media(color_scheme="dark")
    dark.wait_for(state="attached")


def test_the_measure_chosen_holds_for_verdicts_charts_and_queries(opened, small: Path):
    shown = opened(where=small)
    shown.get_by_label("Measure").select_option(label="RR")
    shown.get_by_label("Pair").select_option(index=2)
    assert shown.locator(".verdicts:visible").count() == 1
    assert shown.locator(".verdicts:visible li").first.inner_text().startswith("RR: ")
    assert (
        shown.locator("#differences .title").inner_text().startswith("RR of dense <b>v2</b> minus that of bm25-title")
    )
    assert "RR of each query" in shown.locator("#query-table caption").inner_text()
    assert "RR of dense" in shown.locator("#slices caption").inner_text()


def test_queries_begin_with_the_greatest_move_and_go_by_the_head_that_was_pressed(opened):
    shown = opened()
    outcome = invented.outcome()
    moves = abs(outcome.comparison.paired.values[1, 1] - outcome.comparison.paired.values[1, 0])
    ids = shown.locator("#query-table button.open").all_inner_texts()
    assert ids[0] == outcome.comparison.paired.queries[moves.argmax()]
    shown.locator("#query-table thead button", has_text="Query").focus()
    shown.keyboard.press("Enter")
    assert shown.locator("#query-table button.open").first.inner_text() == "q00000"
    assert shown.evaluate("document.activeElement.textContent") == "Query"


def test_the_search_goes_through_ids_and_texts_and_says_how_many_match(opened):
    shown = opened()
    shown.get_by_label("Find in ids and texts").fill("电动自行车")
    count = shown.locator("#count")
    assert count.inner_text() == "200 of 1,000 queries match; 50 listed"
    shown.locator("#more").click()
    assert count.inner_text() == "200 of 1,000 queries match; 100 listed"
    shown.get_by_label("Find in ids and texts").fill("Q00421")
    assert shown.locator("#query-table button.open").all_inner_texts() == ["q00421"]
    shown.get_by_label("Find in ids and texts").fill("no such words")
    assert count.inner_text() == "0 of 1,000 queries match; 0 listed"


def test_a_row_opens_by_keyboard_and_shows_the_hits_of_all_systems(opened):
    shown = opened()
    button = shown.locator("#query-table button.open").first
    button.focus()
    shown.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    detail = shown.locator(f"#{button.get_attribute('aria-controls')}")
    assert detail.locator(".sides ol").count() == 3
    assert detail.locator(".sides li").count() == 30
    assert detail.locator(".sides li.relevant .mark").first.inner_text().startswith("✓ relevant")
    shown.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "false"
    assert not detail.is_visible()


def test_a_script_in_the_text_of_a_query_stays_text(opened):
    shown = opened()
    shown.get_by_label("Find in ids and texts").fill("q00050")
    shown.locator("#query-table button.open").first.click()
    assert shown.locator(".detail .asked").inner_text() == invented.EVIL
    assert shown.evaluate("window.broken") is None
    assert shown.locator("img").count() == 0


def test_a_table_goes_by_the_numbers_of_the_column_whose_head_is_pressed(opened, small: Path):
    shown = opened(where=small)
    table = shown.locator("#means table").nth(1)
    table.locator("thead button", has_text="Difference").click()
    values = [float(text.replace("−", "-")) for text in table.locator("tbody td:nth-child(4)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert table.locator("th[aria-sort=descending]").inner_text() == "Difference"


def test_a_page_without_texts_speed_or_hits_opens_as_quietly(opened, tmp_path: Path):
    path = tmp_path / "bare.html"
    bare = invented.outcome(queries=60, names=("a", "b"), speed=False, load=False, slices=False, texts=False, hits=0)
    path.write_text(draw(bare, "html"), encoding="utf-8")
    shown = opened(where=path)
    shown.locator("button.open").first.click()
    assert shown.locator(".detail").inner_text().count("No hits.") == 2
