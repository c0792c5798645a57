"""The page of a check, opened in a browser: verdicts of several measures, with names that find no place to break."""

from pathlib import Path

import history_series as series
import pytest
from cases import first_of
from unfolded import unfold

from benchbench.history.check.check_run import check
from benchbench.history.check_settings import CheckSettings
from benchbench.history.store import open_history
from benchbench.report.draw import draw

EVIL = "<script>window.broken = 1</script>" + "long" * 30 + "家事・相続"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    with open_history(folder / "history.db", create=True) as history:
        for name, worse in (("quiet", 99), (EVIL, 13)):
            for run in range(1, 15):
                shift = -0.15 * (run >= worse)
                measures = {f"{task}.nDCG@10": series.values(run, shift) for task in ("gold", "task_" * 12)}
                columns = {EVIL: ["long" * 30] * 20 + ["<b>"] * 20}
                series.add(history, run + 100 * (worse == 13), measures=measures, columns=columns, name=name)
        page = draw(check(history, settings=CheckSettings(every=True)), "html")
    path = folder / "check.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", first_of(390, 1280))
@pytest.mark.parametrize("scheme", first_of("dark", "light"))
def test_axe_finds_nothing_nothing_scrolls_sideways_and_names_stay_text(
    opened_page, violations, file: Path, width: int, scheme: str
):
    shown = opened_page(file, width, scheme)
    unfold(shown, ".fold > summary")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate("window.broken") is None
    assert "is worse since run 27" in shown.locator("h1").inner_text()
    assert violations(shown) == []


def test_runs_of_each_series_are_read_by_keys_with_what_changed_there(opened_page, file: Path):
    shown = opened_page(file, 1280, "light")
    sliders = shown.locator(".slider:visible").all()
    assert len(sliders) == 4
    for slider, run in ((sliders[0], 28), (sliders[2], 14)):
        slider.focus()
        shown.keyboard.press("Home")
        shown.keyboard.press("End")
        assert shown.locator(".tip:visible").inner_text().startswith(f"Run {run} ")
    sliders[0].focus()
    shown.keyboard.press("ArrowLeft")
    told = shown.locator(".tip:visible").inner_text()
    assert "is worse since run 27" in told
    assert "Changed at run 27: commit c112" in told


def test_on_paper_charts_and_tables_stand(opened_page, file: Path):
    shown = opened_page(file, 794, "dark")
    shown.emulate_media(media="print", color_scheme="dark")
    assert shown.locator("svg:visible").count() >= 4
    assert shown.locator("table:visible").count() >= 4
    assert shown.evaluate("document.documentElement.scrollWidth") <= 794
