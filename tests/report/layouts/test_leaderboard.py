"""Many systems on a terminal: one table instead of all pairs."""

import invented_comparison
import numpy as np
import pytest
from invented_comparison import lists

from benchbench.errors import InputError
from benchbench.report.draw import draw
from benchbench.report.render.lines import width
from benchbench.report.render.screen import Screen
from benchbench.significance.comparison_settings import CompareSettings


def body(text: str) -> list[list[str]]:
    """Return the words of the rows of the first table."""
    return [line.split() for line in text.partition("──\n")[2].partition("\n\n")[0].splitlines()]


def test_systems_stand_in_the_order_of_the_first_measure_with_letters_and_ranks():
    text = draw(lists((0.3, 0.7, 0.7, 0.5, 0.5)), "text", Screen(80))
    rows = body(text)
    assert [row[0] for row in rows] == ["1–2", "1–2", "3–4", "3–4", "5"]
    assert {row[1] for row in rows[:2]} == {"s1", "s2"}
    assert [row[3] for row in rows] == ["a", "a", "b", "b", "c"]
    assert rows[0][4] == "best"
    assert [row[4] for row in rows[1:]] == ["○", "▼", "▼", "▼"]
    assert " - " not in text.partition("Moved most")[0]


def test_the_verdict_names_the_best_who_is_as_good_and_how_many_are_worse():
    lines = draw(lists((0.3, 0.7, 0.7, 0.5, 0.5)), "text", Screen(80)).splitlines()
    assert " has the best m0 of 5 systems, 0." in lines[0]
    assert lines[1].endswith(" is too close to decide; 3 are worse.")
    clear = draw(lists((0.3, 0.7, 0.6, 0.5)), "text", Screen(80)).splitlines()
    assert clear[1] == "▼ The other 3 are all measurably worse (next: s2, −0.097)."
    tied = draw(lists((0.5, 0.5, 0.5, 0.5)), "text", Screen(80)).splitlines()
    assert tied[0].startswith("○ 4 systems do not differ measurably from the best in ")


def test_against_a_baseline_no_letters_stand():
    text = draw(lists(baseline="s3"), "text", Screen(80))
    assert "▲ Against s3: s1 and s2 are better; s0 is worse." in text
    assert "ties" not in text
    assert [row[1] for row in body(text)][2:] == ["s3", "s0"]


@pytest.mark.parametrize("way", ["s1", "all"])
def test_pairs_are_shown_where_they_are_asked_for(way: str):
    text = draw(lists(), "text", Screen(80), pairs=way)
    assert text.count("better  worse  equal") == 2
    assert len(body(text)) == (3 if way == "s1" else 6)
    assert ("s1 minus" in text) == (way == "s1")
    s0 = next(row for row in body(text) if row[0] == "s0" or row[:3] == ["s1", "-", "s0"])
    assert "▲" in s0
    with pytest.raises(InputError, match="--pairs s9 is none of the systems; there are: s1, s2, s3, s0, or all"):
        draw(lists(), "text", pairs="s9")


def test_formats_for_programs_have_all_pairs():
    assert draw(lists(), "csv").count("\n") == 1 + 2 * 6


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120, 200])
def test_a_wider_terminal_has_more_columns_and_no_line_more(columns: int):
    names = tuple(f"a-system-with-a-long-name-{number}-{'x' * 200}" for number in range(5))
    for outcome in (lists(), invented_comparison.outcome(100, names)):
        narrow, wide = (draw(outcome, "text", Screen(width)) for width in (columns, columns + 20))
        assert len(wide.splitlines()) <= len(narrow.splitlines())
        table = narrow.partition("Rank")[2].partition("\n\n")[0].splitlines()
        assert max(map(width, table)) <= columns


def test_forty_systems_are_a_table():
    random = np.random.default_rng(1)
    values = np.sort(random.random((1, 40, 30)), axis=1)
    outcome = invented_comparison.compared(values, CompareSettings(resamples=200, test="t"))
    assert len(body(draw(outcome, "text", Screen(80)))) == 40
