"""The page of a comparison, opened in a browser: one launch for all tests, each in a page of its own."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import compared
import invented_comparison as invented
import pytest
from cases import first_of
from unfolded import unfold

import benchbench as bb
from benchbench.report.draw import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page


WIDTHS = (1280, 390)


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
def opened(opened_page, file: Path) -> Callable[..., "Page"]:
    return lambda width=1280, scheme="light", where=file, **more: opened_page(where, width, scheme, **more)


def state(shown: "Page") -> str:
    return shown.evaluate("decodeURIComponent(location.hash)")


def classes(shown: "Page", selector: str) -> list[str]:
    return shown.locator(selector).evaluate_all("all => all.map(one => one.getAttribute('class'))")


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing(opened, violations, small: Path, width: int, scheme: str):
    shown = opened(width, scheme, small)
    shown.locator("#list summary").first.click()
    unfold(shown, ".fold > summary")
    shown.locator("#list summary").first.scroll_into_view_if_needed()
    assert violations(shown) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_scrolls_sideways(opened, width: int):
    shown = opened(width)
    shown.locator("#find").fill("Donaudampf")
    shown.locator("#list summary").first.click()
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_name_without_spaces_and_many_systems_scroll_nothing_sideways(opened, tmp_path: Path):
    path = tmp_path / "many.html"
    names = (*(f"system-{number}" for number in range(7)), "results/20261121T230000Z-" + "long" * 30)
    path.write_text(draw(invented.outcome(queries=30, names=names, shown=5), "html"), encoding="utf-8")
    shown = opened(390, where=path)
    shown.locator("select[name=s]").select_option(index=6)
    shown.locator("#list summary").first.click()
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_cell_chooses_system_and_measure_for_all_below(opened):
    shown = opened()
    cell = shown.locator(".matrix:visible .cell[data-m='5']").last
    cell.click()
    assert cell.get_attribute("aria-pressed") == "true"
    assert shown.locator(".cell[aria-pressed=true]:visible").count() == 1
    system = shown.locator("select[name=s]").evaluate("one => one.selectedOptions[0].textContent")
    assert " in RR" in shown.locator("#reading").inner_text()
    assert shown.locator("select[name=m]").input_value() == "5"
    assert shown.locator('[data-figure="differences"] .sub').inner_text().startswith(f"{system} minus ")
    assert "in RR:" in shown.locator('[data-figure="differences"] .sub').inner_text()
    assert state(shown) == f"#m=RR&b=dense+<b>v2</b>&s={system}"


def test_another_baseline_has_a_matrix_of_its_own(opened):
    shown = opened()
    shown.get_by_label("bm25", exact=True).check()
    assert shown.locator(".matrix:visible .base th").inner_text().startswith("bm25")
    assert shown.locator("#base").inner_text() == "bm25"
    assert "b=bm25&" in state(shown)


def test_a_stretch_of_differences_filters_the_list_by_pointer_and_by_button(opened):
    shown = opened()
    button = shown.locator("#stretches button").first
    name = button.get_attribute("data-stretch")
    number = button.locator("small").inner_text()
    shown.locator(f'[data-figure="differences"] [data-stretch={name}]').click()
    assert shown.locator("#count").inner_text() == f"{number} of 1,000 queries"
    assert f"f={name}" in state(shown)
    moves = [float(one.replace("−", "-")) for one in shown.locator("#list .d").all_inner_texts()]
    assert moves == sorted(moves)
    assert all(move < 0 for move in moves)
    button.focus()
    shown.keyboard.press("Enter")
    assert shown.locator("#count").inner_text() == "711 of 1,000 queries; equal ones are left out"
    assert shown.evaluate("document.activeElement.dataset.stretch") == name


def test_a_slice_filters_the_list_together_with_the_search(opened):
    shown = opened()
    shown.locator("#slice-rows button", has_text="high").click()
    assert shown.locator("#count").inner_text() == "333 of 1,000 queries"
    shown.locator("#find").fill("q0000")
    assert shown.locator("#count").inner_text() == "3 of 1,000 queries"
    assert "sl=court:high&find=q0000" in state(shown)
    shown.locator("#chips button").click()
    assert shown.locator("#count").inner_text() == "10 of 1,000 queries"


def test_the_search_goes_through_ids_whole_texts_and_labels(opened, tmp_path: Path):
    outcome = invented.outcome(queries=60, hits=2)
    evidence = tuple(
        replace(one, text="x" * 3_000 + ("盗窃" if one.number % 4 == 0 else ""), labels=f"court: {one.number % 3}")
        for one in outcome.evidence
    )
    path = tmp_path / "texts.html"
    path.write_text(draw(replace(outcome, evidence=evidence), "html"), encoding="utf-8")
    shown = opened(where=path)
    shown.keyboard.press("/")
    shown.keyboard.insert_text("盗窃")
    assert shown.locator("#count").inner_text() == "15 of 60 queries"
    assert shown.locator("#list .begin mark").first.inner_text() == "盗窃"
    shown.locator("#find").fill("court: 2")
    assert shown.locator("#count").inner_text() == "20 of 60 queries"
    assert shown.locator("#list .begin mark").first.inner_text() == "court: 2"
    shown.locator("#find").fill("Q00042")
    assert shown.locator("#list .id").all_inner_texts() == ["q00042"]
    shown.locator("#find").fill("no such words")
    assert shown.locator("#count").inner_text() == "0 of 60 queries"


def test_marks_of_hits_agree_with_the_value_of_the_chosen_measure(opened, tmp_path: Path):
    _, whole, half = compared.write_results(tmp_path)
    path = tmp_path / "tasks.html"
    measures = ["gold.P@10", "accusation.P@10"]
    path.write_text(draw(bb.compare_results([whole, half], measures, resamples=200), "html"), encoding="utf-8")
    shown = opened(where=path)
    for place, measure in enumerate(measures):
        shown.locator("select[name=m]").select_option(str(place))
        query = shown.locator("#list .q").first
        if query.get_attribute("open") is None:
            query.locator("summary").click()
        query.locator(".second").wait_for()
        before, after = (float(one) for one in query.locator(".both").inner_text().split(" → "))
        for side, value in ((".first", before), (".second", after)):
            assert query.locator(f"{side} li.relevant").count() == round(10 * value), measure
        assert f"the task of {measure}" in query.inner_text()


def test_rank_changes_are_drawn_as_lines_and_said(opened):
    shown = opened()
    shown.locator("#list summary").first.click()
    query = shown.locator("#list .q[open]")
    query.locator(".sides").wait_for()
    both = [side.locator("code").all_inner_texts() for side in query.locator(".sides > div:not(.between)").all()]
    shared = set(both[0]) & set(both[1])
    assert query.locator(".slope path").count() == len(shared) > 0
    ways = query.locator(".second .way").all_inner_texts()
    for place, (document, way) in enumerate(zip(both[1], ways, strict=True)):
        there = both[0].index(document) if document in both[0] else None
        wanted = (
            "new"
            if there is None
            else "="
            if there == place
            else f"↑ {there - place}"
            if there > place
            else f"↓ {place - there}"
        )
        assert way == wanted


def test_the_same_state_stands_after_a_reload(opened):
    shown = opened()
    shown.locator(".matrix:visible .cell[data-m='3']").first.click()
    shown.locator("#sort").select_option("gains")
    shown.locator("#slice-rows button", has_text="district").click()
    shown.locator("#find").fill("bicycle")
    shown.locator("#list summary").nth(1).click()
    shown.wait_for_url(lambda url: "&q=" in url)
    before = state(shown), shown.locator("#main").inner_text()
    assert {one.partition("=")[0] for one in before[0][1:].split("&")} == {"m", "b", "s", "sl", "find", "q", "sort"}
    shown.reload()
    shown.locator("html[data-ready=yes]").wait_for(state="attached")
    assert (state(shown), shown.locator("#main").inner_text()) == before


def test_a_linked_query_that_is_not_among_the_first_stands_before_them(opened):
    shown = opened(fragment="#m=R@10&q=q00421")
    assert shown.locator("#list .id").first.inner_text() == "q00421"
    assert shown.locator("#list .q").first.get_attribute("open") is not None
    assert shown.locator("select[name=m]").evaluate("one => one.selectedOptions[0].textContent") == "R@10"


def test_what_the_fragment_names_that_is_not_there_is_passed_over(opened):
    shown = opened(fragment="#m=Nope&b=x&s=<img>&sl=court:none&f=zz&q=none&c=y&sort=odd")
    assert shown.locator("#count").inner_text() == "711 of 1,000 queries; equal ones are left out"
    assert shown.locator("#list .q").count() == 12


def test_queries_are_reached_by_keyboard(opened, small: Path):
    shown = opened(where=small)
    for key in "jjk":
        shown.keyboard.press(key)
    shown.keyboard.press("Enter")
    assert shown.locator("#list .q").first.get_attribute("open") is not None
    shown.locator("#more").click()
    assert shown.locator("#list .q").count() == 32
    assert shown.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_a_script_in_the_text_of_a_query_stays_text(opened):
    shown = opened()
    shown.locator("#find").fill("window.broken")
    shown.locator("#list summary").first.click()
    assert shown.locator("#list .text").first.inner_text() == invented.EVIL
    assert shown.evaluate("window.broken") is None
    assert shown.locator("img").count() == 0


def test_charts_follow_the_measure_and_name_both_axes(opened, small: Path):
    shown = opened(where=small)
    for name in ("front", "cutoffs", "requests", "load-p50", "load-p99"):
        chart = f'[data-figure="{name}"] svg:visible'
        assert shown.locator(f"{chart} path").count() > 0
        assert {"base", "chosen"} <= set(" ".join(classes(shown, f"{chart} .series")).split())
    shown.locator("select[name=m]").select_option(label="RR")
    front = shown.locator('[data-figure="front"] .plot:visible')
    assert front.get_attribute("aria-label").startswith("Queries per second against mean RR")
    assert {"queries per second", "RR"} <= set(front.locator("svg:visible text").all_text_contents())


def test_on_paper_everything_is_unfolded_and_nothing_is_to_press(opened, small: Path):
    shown = opened(where=small)
    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown.emulate_media(media="print")
    assert all(one.get_attribute("open") is not None for one in shown.locator(".fold").all())
    assert not shown.locator("nav").is_visible()
    assert not shown.locator(".choices").is_visible()
    assert shown.locator("#speed svg:visible").first.is_visible()


def test_without_scripts_the_verdict_and_all_tables_stand(browser, small: Path):
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.goto(small.as_uri())
    assert shown.locator("h1").inner_text().startswith("dense <b>v2</b> is ")
    assert shown.locator(".matrix:visible .track").count() > 0
    assert shown.locator("#reading").is_visible()
    assert not shown.locator("#find").is_visible()
    assert shown.locator("noscript").count() == 1
    context.close()


def test_where_texts_cannot_be_unpacked_the_rest_stands(browser, small: Path):
    context = browser.new_context()
    context.add_init_script("delete window.DecompressionStream")
    shown = context.new_page()
    shown.goto(small.as_uri())
    shown.locator("#unpacked").wait_for(state="visible")
    assert not shown.locator("#differences").is_visible()
    shown.locator(".matrix:visible .cell").last.click()
    assert "RR" in shown.locator("#reading").inner_text()
    context.close()


def test_ten_thousand_queries_open_at_once(opened, tmp_path: Path):
    path = tmp_path / "large.html"
    path.write_text(draw(invented.outcome(queries=10_000, shown=300), "html"), encoding="utf-8")
    shown = opened(where=path)
    assert shown.locator("#count").inner_text() == "7,238 of 10,000 queries; equal ones are left out"
    shown.locator("#find").fill("q09999")
    assert shown.locator("#list .id").all_inner_texts() == ["q09999"]
    shown.locator("#list summary").first.click()
    assert "nDCG@100" in shown.locator("#list .detail").first.inner_text()
    assert shown.locator('[data-figure="differences"] .plot svg *').count() < 60


def test_a_pair_without_texts_speed_or_hits_has_a_line_a_measure_and_opens_as_quietly(opened, tmp_path: Path):
    path = tmp_path / "bare.html"
    bare = invented.outcome(queries=60, names=("a", "b"), speed=False, load=False, slices=False, texts=False, hits=0)
    path.write_text(draw(bare, "html"), encoding="utf-8")
    assert opened(where=path).locator(".matrix thead th").all_inner_texts() == ["System", *invented.MEASURES]
    shown = opened(where=path, width=390)
    assert [one.split()[0] for one in shown.locator(".matrix .cell:visible").all_inner_texts()] == list(
        invented.MEASURES
    )
    shown.locator("#list summary").first.click()
    assert "nDCG@10" in shown.locator("#list .detail").inner_text()
    assert "No hits are stored of these runs." in shown.locator("main").inner_text()


SVG = "{http://www.w3.org/2000/svg}"


def test_the_page_saves_what_it_shows_and_asks_for_nothing(opened_page, tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text(draw(invented.outcome(queries=40, names=tuple("abcde")), "html"), encoding="utf-8")
    shown = opened_page(page, 1280, "dark")
    menus = shown.locator(".save > summary")
    assert menus.count() == page.read_text("utf-8").count('<figure class="panel" data-figure="')
    for kind in ("svg", "png"):
        shown.locator('[data-figure="forest"] summary').click()
        with shown.expect_download() as caught:
            shown.locator(f'[data-figure="forest"] .save button:has-text("{kind.upper()}")').click()
        assert caught.value.suggested_filename == f"forest.{kind}"
        content = Path(caught.value.path()).read_bytes()
        if kind == "png":
            assert content[:8] == b"\x89PNG\r\n\x1a\n"
            continue
        root = ET.fromstring(content)
        assert root.find(f"{SVG}rect").get("fill") == "#121417", "dark as the page"
        assert next(text.text for text in root.iter(f"{SVG}text")) == "Leaderboard, nDCG@3"
        assert "var(" not in root.findtext(f"{SVG}style")
