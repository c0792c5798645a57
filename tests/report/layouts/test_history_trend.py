"""A trend on a terminal, in Markdown, LaTeX, JSON and CSV: all of it fits, and nothing in it is obeyed."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from cases import check_rows
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from invented_trend import EVIL, line, of_series, run, stepped, trend
from msgspec.structs import replace

from benchbench.history.trend.lines import found_in, latest_of
from benchbench.history.trend.trend_details import LineDetails, Trend, TrendDetails
from benchbench.history.trend.trend_run import completed
from benchbench.report.draw import draw
from benchbench.report.render.lines import sparkline, width
from benchbench.report.render.screen import Screen
from benchbench.results.reading import Loaded
from benchbench.results.record import converted, plain


def small(values: list[float | None], **members: object) -> Trend:
    """Return a trend of one measure."""
    runs = [run(number + 1) for number in range(len(values))]
    series = [of_series("a", "", "none", len(runs), data="cases")]
    given = line(values, half=0.0, **members)
    found = TrendDetails(name="nightly", kind="run", data="cases", recorded=len(runs), runs=runs, series=series)
    return Trend(completed(replace(found, lines=[found_in(given, runs)])), began=1.78e9)


@pytest.mark.parametrize("columns", [20, 60, 80, 120])
def test_every_line_fits_the_terminal(columns: int):
    text = draw(trend(), "text", Screen(columns))
    longest = {one: width(one) for one in text.split("\n") if width(one) > columns}
    unbroken = [one for one in longest if max(map(width, one.split())) < columns - 14]
    assert unbroken == []


def test_the_verdict_comes_first_and_a_row_of_bars_per_measure_behind_it():
    lines = draw(trend(), "text", Screen(100)).split("\n")
    assert lines[0] == "▼ 1 alert is open: gold.nDCG@10 since run 39."
    assert lines[1].startswith(
        "▼ gold.nDCG@10 fell from 0.412 to 0.382 at run 38 (commit 0b1fe68 → 0bbe1e0, top_k 50 → 20,"
    )
    bars = next(one for one in lines if one.startswith("gold.nDCG@10    "))
    assert len(re.findall("[▁-█·]", bars)) == 60
    assert bars.count("·") == 8  # of other rules, and one that failed
    assert bars.endswith("  0.381")
    below = lines[lines.index(bars) + 1]
    assert below.index("▼") == bars.index("·") + 37


def test_bars_of_more_runs_than_columns_are_means_and_marks_stay_below_them():
    shown = draw(trend(200), "text", Screen(60)).split("\n")
    bars = next(one for one in shown if one.startswith("gold.nDCG@10  "))
    assert width(bars) <= 60
    assert "▼" in shown[shown.index(bars) + 1]


def test_ascii_terminals_get_other_bars():
    text = draw(trend(30), "text", Screen(80, is_ascii=True))
    bars = next(one for one in text.split("\n") if one.startswith("gold.nDCG@10  "))
    assert bars.isascii()
    assert set(bars.split()[1]) <= set("_.-:=+*#")


def test_the_table_of_runs_has_the_newest_first_and_what_happened():
    text = draw(trend(20), "text", Screen(140))
    rows = text[text.index("The last 10 runs") :].split("\n")
    assert re.findall(r"^ (\d+) ", "\n".join(rows), re.MULTILINE) == [str(number) for number in range(20, 10, -1)]
    assert "top_k 50 → 20, version of numpy 2.1.0 → 2.2.1" in text


def test_what_was_left_out_is_said_in_every_format():
    result = trend()
    notes = result.found.notes
    assert len(notes) == 4
    for form in ("markdown", "summary", "html"):
        made = draw(result, form)
        for note in notes:
            assert note.split("(")[0] in made, form
    assert json.loads(draw(result, "json"))["notes"] == notes
    assert [one["text"] for one in json.loads(draw(result, "json"))["record"]["notes"]] == notes


def test_markdown_has_the_verdict_bars_and_what_changed():
    made = draw(trend(), "markdown")
    assert made.startswith("- ▼ 1 alert is open")
    assert re.search(r"\| gold\.nDCG@10 \| \*\*0\.381\*\* \| 0\.366 to 0\.396 \| \+0\.004 \|.*···[▁-█]{21}", made)
    assert "- Change: ▼ gold.nDCG@10 fell from 0.412 to 0.382, between commit" in made
    assert "| **▼ open** | gold.nDCG@10 | run 39" in made


def test_latex_has_numbers_and_none_of_the_signs_that_its_fonts_lack():
    made = draw(trend(), "latex")
    tables = made[made.index(r"\begin") :]
    assert r"gold.nDCG@10 & \textbf{0.381}" in tables
    assert not re.search("[▁-█→]", tables)


def test_json_is_the_whole_and_reads_back():
    result = trend(20)
    made = json.loads(draw(result, "json"))
    record = made.pop("record")
    assert record["kind"] == "history_trend"
    assert converted(made, TrendDetails, "summary.json") == result.found
    again = Loaded(Path("there"), result.record, plain(result.found), [])
    assert draw(again, "text", Screen(80)) == draw(result, "text", Screen(80))
    names = [(one["name"], one["scope"]) for one in record["numbers"][:3]]
    assert names == [(f"{kind}nDCG@10", {"task": "gold"}) for kind in ("", "change ", "drift ")]


def test_csv_has_a_row_per_run_and_measure_and_slice():
    result = trend(20)
    rows = list(csv.DictReader(io.StringIO(draw(result, "csv"))))
    assert len(rows) == 20 * (3 + 4)
    mine = [row for row in rows if row["measure"] == "gold.nDCG@10" and not row["slice"]]
    assert [float(row["value"]) for row in mine] == result.found.lines[0].values
    assert {row["alert"] for row in mine} == {"", "open"}
    assert [row["run"] for row in mine if row["change"]] == ["13"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json", "summary", "html"])
def test_names_with_markup_stay_texts(form: str):
    made = draw(trend(20, evil=f"{EVIL}\x1b[31m"), form)
    assert "\x1b" not in made
    if form in ("html", "summary"):
        assert not re.search(r"(?<!\\)<(script>w|img)", made)


def test_little_data_is_drawn_and_said():
    def check(values: list[float | None], said: str, form: str) -> None:
        assert said in re.sub(r"\s+", " ", draw(small(values), form))

    check_rows(
        check,
        (
            (*row, form)
            for row in [
                ([0.4], "1 comparable run is too few"),
                ([0.4, 0.5], "2 comparable runs are too few"),
                ([0.5] * 20, "No measurable change or drift over 20 runs"),
                ([None, None], "No run of nightly has a value"),
                ([None] * 9 + [0.5], "10 runs"),
            ]
            for form in ["text", "html", "markdown"]
        ),
    )


def test_one_slice_alone_is_drawn():
    assert "gold.nDCG@10 by matter" in draw(trend(20, slices=1), "text", Screen(80))
    assert 'id="slices"' in draw(trend(20, slices=1), "html")


@pytest.mark.slow  # change points of 40 measures in a thousand runs
def test_a_page_of_a_thousand_runs_and_thirty_measures_is_bounded_and_says_what_it_leaves_out():
    source = draw(trend(1_000, measures=40, searched=1), "html")
    assert len(source.encode()) < 4_500_000
    assert "The page draws 30 of 40 measures; --measure names others." in source
    assert "The page draws 0 of 4 slices; --format csv has all." in source
    few = draw(trend(60), "html")
    assert len(few.encode()) < 250_000


@pytest.mark.parametrize(
    ("values", "columns", "bars"),
    [
        ([], 9, ""),
        ([1.0], 9, "▄"),
        ([0.0, 1.0], 9, "▁█"),
        ([0.0, None, 1.0], 9, "▁ █"),
        ([None, None], 9, "  "),
        ([0.0, 0.0, 1.0, 1.0], 2, "▁█"),
        ([2.0, float("nan"), 4.0], 9, "▁ █"),
    ],
)
def test_bars_are_as_high_as_values(values: list[float | None], columns: int, bars: str):
    assert sparkline(values, columns) == bars


def test_places_apart_are_dots_and_move_no_bar():
    assert sparkline([9.0, 0.0, 1.0, None], 9, {0}) == "·▁█ "
    assert sparkline([9.0, 9.0, 0.0, 1.0], 2, {0, 1, 2}) == "·▄"
    assert sparkline([9.0], 9, {0}) == "·"


@pytest.mark.slow  # a thousand runs
def test_a_step_of_a_thousand_runs_is_found_where_it_is():
    (point,) = found_in(line(stepped(1_000)), [run(number + 1) for number in range(1_000)]).points
    assert abs(point.after - 625) <= 2


_VALUES = st.none() | st.floats(-1e150, 1e150)
_RUNS = st.lists(
    st.tuples(_VALUES, _VALUES, st.integers(0, 2), st.sampled_from(["complete", "failed", "interrupted"]), st.text()),
    min_size=1,
    max_size=12,
)


@given(_RUNS, st.sampled_from(["", "higher", "lower"]), st.sampled_from(["", "ms"]), st.text())
@settings(phases=[Phase.generate])
def test_any_trend_is_drawn_in_every_format(
    given_runs: list[tuple[float | None, float | None, int, str, str]], better: str, unit: str, name: str
):
    runs = [
        run(place + 1, series=series, status=status, commit=text, branch=text, tags={text: text}, started=text)
        for place, (_, _, series, status, text) in enumerate(given_runs)
    ]
    values = [value for value, *_ in given_runs]
    ends = [end for _, end, *_ in given_runs]
    lists = {"values": values, "low": ends, "high": ends[::-1], "n": [None] * len(runs)}
    of = LineDetails(measure=name, name=name, unit=unit, better=better, **lists)
    series = [of_series(str(place), name, name, 1, data=name) for place in range(3)]
    found = TrendDetails(name=name, kind="run", data=name, by=name, recorded=len(runs), runs=runs, series=series)
    found = replace(found, lines=[found_in(of, runs)], slices=[latest_of(replace(of, slice=f"a={name}"), runs)])
    result = Trend(completed(found), began=1.78e9)
    for form in ("text", "markdown", "latex", "csv", "json", "jsonl", "summary", "html"):
        assert draw(result, form)
    assert not re.search(r'd="[^"]*(nan|inf)', draw(result, "html"))
