"""The pages of a difference of two stored runs, and of runs beside one another, opened in a browser."""

from pathlib import Path

import histories
import pytest
from cases import first_of
from histories import Kept
from unfolded import unfold

from benchbench.history.diff.diff_run import StoredRun, diff
from benchbench.history.store import Store, open_history
from benchbench.history.summary import stored_summary
from benchbench.history.wanted import ALL
from benchbench.report.draw import draw, rendered
from benchbench.report.layouts.history_list import summary_layout

EVIL = "<script>window.broken = 1</script>" + "long" * 40 + "家事・相続"


def written(history: Store, folder: Path, first: int, second: int) -> Path:
    """Write the page of the difference of two runs."""
    sides = [StoredRun(history, history.one(f"{number}"), f"#{number}") for number in (first, second)]
    path = folder / f"diff{first}{second}.html"
    path.write_text(draw(diff(*sides), "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    first, second, third = histories.three()
    alone = Kept({}, 7, tags={EVIL: EVIL})
    with open_history(folder / "history.db", create=True) as history:
        again = Kept(first.values, 5, columns=first.columns, tags=first.tags)
        named = Kept(third.values, 6, columns=third.columns, tags={"model": EVIL}, settings={EVIL: EVIL})
        for result in (first, second, third, again, named, alone):
            history.add(result)
        made = {f"{one}{other}": written(history, folder, one, other) for one, other in ((1, 3), (1, 4), (2, 5))}
        made["summary"] = folder / "summary.html"
        drawn = summary_layout(stored_summary(history, ALL, "recording", (), None, whole=False))
        made["summary"].write_text(rendered(None, drawn, "html"), encoding="utf-8")
    return made


@pytest.mark.parametrize("name", ["13", "25", "summary"])
@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_axe_finds_nothing_nothing_scrolls_sideways_and_names_stay_text(
    opened_page, violations, pages: dict[str, Path], name: str, width: int, scheme: str
):
    shown = opened_page(pages[name], width, scheme)
    unfold(shown, ".fold > summary")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("window.broken") is None
    assert violations(shown) == []


def test_what_changed_stands_beside_what_did_not_and_above_the_queries(opened_page, pages: dict[str, Path]):
    shown = opened_page(pages["13"], 1280, "light")
    assert (
        shown.locator("h1").inner_text()
        == "#3 is worse than #1 in 1 of 2 measures: gold.nDCG@10 fell from 0.548 to 0.352."
    )
    assert [text.split() for text in shown.locator("#changed table").first.locator("tr").all_inner_texts()[:3]] == [
        ["#1", "#3"],
        ["model", "(tag)", "v0", "v2"],
        ["commit", "1" * 8, "3" * 8],
    ]
    assert "The same in both: " in shown.locator("main").inner_text()
    assert shown.locator('[data-figure="differences"] path').count()
    assert shown.locator("#list .q").count() == 12


def test_runs_that_differ_in_nothing_but_the_time_are_said_to(opened_page, pages: dict[str, Path]):
    shown = opened_page(pages["14"], 1280, "light")
    assert "Nothing that is recorded changed but the time" in shown.locator("main").inner_text()
    assert shown.locator("#changed table").first.locator("tbody tr").count() == 0


def test_a_summary_leads_with_the_best_run_and_draws_each_measure(opened_page, pages: dict[str, Path]):
    shown = opened_page(pages["summary"], 1280, "light")
    assert shown.locator("h1").inner_text().startswith("gold.nDCG@10 rose from 0.352 to 0.548 at #4 (")
    assert "1" * 9 not in shown.locator("h1").inner_text()
    assert shown.locator("#measures figure").count() == 2
    assert shown.locator("#runs tbody tr").count() == 5
