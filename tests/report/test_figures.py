"""Charts as pictures: each chart of a page has a name, by which Python and the command line write it."""

import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import invented_comparison
import invented_rates
import invented_run
import invented_trend
import pytest
from command_line import said, sentence

from benchbench.errors import InputError
from benchbench.report.draw import draw, layout
from benchbench.report.figures import charts, of_page
from benchbench.results.result import Result
from benchbench.stored import load

OLD = Path(__file__).parents[1] / "stored"
SYSTEMS = tuple(f"system {number}" for number in range(5))
SVG = "{http://www.w3.org/2000/svg}"


def few(_: Path) -> Result:
    return invented_comparison.outcome(queries=40)


def many(_: Path) -> Result:
    return invented_comparison.outcome(queries=40, names=SYSTEMS)


def stored(kind: str) -> Callable[[Path], Result]:
    return lambda _: load(OLD / kind)


PAGES = {
    "run": invented_run.result,
    "load": invented_rates.outcome,
    "trend": lambda _: invented_trend.trend(),
    "few": few,
    "many": many,
    **{f"stored {kind}": stored(kind) for kind in ("run", "load", "answers")},
}


@pytest.mark.parametrize("kind", PAGES)
def test_each_chart_of_a_page_has_a_name_and_is_had_by_it(kind: str, tmp_path: Path):
    result = PAGES[kind](tmp_path / "folder")
    blocks = layout(result).of_page()
    found = list(charts(blocks))
    assert draw(result, "html").count('<div class="plot"') == len(found)
    assert all(chart.name for chart in found)
    assert len(of_page(blocks)) == len(found)
    for name in list(of_page(blocks))[:6]:
        root = ET.fromstring(result.figure(name).svg)
        assert root.tag == f"{SVG}svg"
        style = root.findtext(f"{SVG}style") or ""
        assert "var(" not in style
        assert style.count("{") == style.count("}") > 20


def test_an_unknown_name_says_which_there_are_and_what_a_choice_shows():
    with pytest.raises(InputError, match=r"no figure 'tree'; there are: forest, front, .*NAME:OPTION .* nDCG@10"):
        many(Path()).figure("tree")
    result = many(Path())
    first, other = result.figure("forest").svg, result.figure("forest:RR").svg
    assert "Leaderboard, nDCG@3" in first
    assert "Leaderboard, RR" in other


def test_texts_from_outside_stay_texts():
    svg = few(Path()).figure("front").svg
    assert "dense <b>" not in svg
    assert "dense &lt;b&gt;v2&lt;/b&gt;" in svg


def test_a_figure_is_saved_whole_as_its_name_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    figure = few(tmp_path).figure("front")
    assert figure._repr_svg_() == figure.svg
    assert figure.save(tmp_path / "front.SVG").read_text("utf-8") == figure.svg
    asked = {}
    maker = SimpleNamespace(svg_to_bytes=lambda **given: asked.update(given) or b"png")
    monkeypatch.setitem(sys.modules, "resvg_py", maker)
    assert figure.save(tmp_path / "front.png").read_bytes() == b"png"
    assert asked["svg_string"] == figure.svg
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(InputError, match=r"PNG needs resvg-py: pip install resvg-py"):
        figure.save(tmp_path / "other.png")
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        figure.save(tmp_path / "front.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        figure.save(tmp_path / "none" / "front.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"front.SVG", "front.png"}


def test_the_command_writes_figures_after_its_result_and_names_those_that_there_are(capsys, tmp_path: Path):
    folder = OLD / "run"
    name = next(iter(of_page(layout(load(folder)).of_page())))
    path = tmp_path / "one.svg"
    code, output, errors = said(capsys, "show", folder, "--figure", name, path)
    assert (code, errors) == (0, "")
    assert output == said(capsys, "show", folder).output
    assert path.read_text("utf-8") == load(folder).figure(name).svg
    code, output, errors = said(capsys, "show", folder, "--figure", "tree", tmp_path / "two.svg")
    assert code == 2
    assert output, "the result is printed all the same"
    assert "the page has no figure 'tree'; there are: " in errors
    assert "ends in neither" in sentence(said(capsys, "show", folder, "--figure", name, tmp_path / "two.pdf").errors)
    assert "two files" in sentence(said(capsys, "show", folder, "--figure", name, path, "--html", path).errors)
    assert [path.name for path in tmp_path.iterdir()] == ["one.svg"]
