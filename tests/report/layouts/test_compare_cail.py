"""The page of a comparison in a browser, on 100 queries of CAIL2018 over 1,500 cases, by two settings."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import embedded
import pytest

import benchbench as bb
from benchbench.experiment import Settings, run
from benchbench.formats.datasets.locate import locate
from benchbench.formats.query_table import read_query_table
from benchbench.prepare.cail import CailFile
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.report.draw import draw
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.runs.run_folder import ResultsFolder
from benchbench.tables.hashing import content_digest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow  # 1,500 cases are searched for 100 queries, twice
MEASURES = ["gold.nDCG@10", "accusation.P@10", "imprisonment.P@10"]


@pytest.fixture(scope="module")
def folder(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a data set, the results of two settings, and the page that compares them."""
    path = tmp_path_factory.mktemp("cail")
    lines = (shared_data / "cail2018" / "data_train.json").read_bytes().splitlines(keepends=True)
    (path / "cases.json").write_bytes(b"".join(lines[:1500]))
    cases = CailFile(path / "cases.json", "gb18030", False, content_digest())
    write_tiered(cases, path / "data", Choice(queries=100), dict)
    with pytest.MonkeyPatch.context() as monkeypatch:
        embedded.in_this_process(monkeypatch)
        for name, k1 in (("usual", 1.2), ("counts", 8.0)):
            with ResultsFolder(path / name) as results:
                outcome = run(Settings(locate(str(path / "data")), name=name, bm25=BM25Options(k1=k1)), results.append)
                results.finish(outcome)
    found = bb.compare_results([path / "usual", path / "counts"], MEASURES, slices=("accusation",), resamples=500)
    (path / "page.html").write_text(draw(found, "html"), encoding="utf-8")
    return path


@pytest.fixture
def shown(opened_page, folder: Path) -> "Page":
    return opened_page(folder / "page.html")


def test_people_find_what_moved_and_whether_that_was_right(shown: "Page", folder: Path):
    assert (folder / "page.html").stat().st_size < 5_000_000

    theft = "盗窃"
    table = read_query_table(folder / "data" / "tiered.jsonl")
    accused = table.columns["accusation"].to_list()
    found = sum(
        theft in (text or "") or any(theft in one for one in of) for text, of in zip(table.texts, accused, strict=True)
    )
    shown.locator("#find").fill(theft)
    assert shown.locator("#count").inner_text() == f"{found} of 100 queries"
    assert found == 51
    shown.locator("#find").fill("")

    stretch = shown.locator('[data-figure="differences"] .over').first
    name = stretch.get_attribute("data-stretch")
    stretch.click()
    number = shown.locator(f"#stretches [data-stretch={name}] small").inner_text()
    assert shown.locator("#count").inner_text() == f"{number} of 100 queries"
    shown.locator("#chips button").click()

    for place, measure in enumerate(MEASURES):
        shown.locator(f".cell[data-m='{place}']:visible").click()
        while shown.locator("#list .q[open]").count():  # the address keeps one, and the last is asked for below
            shown.locator("#list .q[open] summary").first.click()
        query = shown.locator("#list .q").first
        query.locator("summary").click()
        query.locator(".detail").wait_for()
        values = [float(one) for one in query.locator(".both").inner_text().split(" → ")]
        marks = [query.locator(f"{side} li.relevant").count() for side in (".first", ".second")]
        if "P@10" in measure:
            assert marks == [round(10 * value) for value in values]
        else:
            assert [mark > 0 for mark in marks] == [value > 0 for value in values]

    opened = shown.locator("#list .q[open]").first.get_attribute("data-id")
    shown.wait_for_url(lambda url: parse_qs(urlsplit(url).fragment).get("q") == [opened])
    before = shown.evaluate("location.hash"), shown.locator("main").inner_text()
    shown.reload()
    shown.locator("html[data-ready=yes]").wait_for(state="attached")
    assert (shown.evaluate("location.hash"), shown.locator("main").inner_text()) == before
