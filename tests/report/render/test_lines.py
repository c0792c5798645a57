"""Lines of a terminal: where they are broken, and charts of one line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import visible
from benchbench.report.render.lines import bar, longest_word, span, width, wrapped

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("  判例12,.%[]ms"), max_size=120).map(
    visible
)


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("the slowest took 111 ms", 20, ["the slowest took", "111 ms"]),
        ("an interval [0.1, 0.2] of it", 18, ["an interval", "[0.1, 0.2] of it"]),
        ("max 1,234.5 ms", 6, ["max 1,234.5 ms"]),
        ("a difference with p = 0.04", 24, ["a difference with", "p = 0.04"]),
        ("判例判例判例", 5, ["判例", "判例", "判例"]),
        ("判例12345判例", 6, ["判例", "12345", "判例"]),
        ("http://127.0.0.1:8000/batch_search is asked", 12, ["http://127.0.0.1:8000/batch_search", "is asked"]),
    ],
)
def test_a_line_ends_between_words_and_within_no_number(text: str, columns: int, lines: list[str]):
    assert wrapped(text, columns) == lines


def test_further_lines_hang_below_what_stands_before_the_first():
    assert wrapped("one two three four", 16, first=8, hang=4) == ["one two", "    three four"]
    assert wrapped("判例判例判例判例", 12, first=4, hang=4) == ["判例判例", "    判例判例"]


@given(texts, st.integers(20, 130), st.integers(0, 12), st.integers(0, 12))
def test_no_line_is_wider_than_the_terminal_but_for_what_stays_whole(text: str, columns: int, first: int, hang: int):
    lines = wrapped(text, columns, first, hang)
    assert width(lines[0]) + first <= max(columns, first + longest_word(text))
    assert all(width(line) <= max(columns, hang + longest_word(text)) for line in lines[1:])
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text), "nothing is lost"


@given(st.lists(st.from_regex(r"-?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?( %| ms)?", fullmatch=True)), st.integers(20, 80))
def test_no_number_is_broken_and_none_parts_from_its_unit(numbers: list[str], columns: int):
    lines = wrapped(", then ".join(numbers), columns)
    told = "\n".join(lines)
    assert all(number in told for number in numbers)


@pytest.mark.parametrize(
    ("share", "rest", "drawn"),
    [
        (0.0, "", ""),
        (1.0, "", "████"),
        (0.53, "", "██▏"),
        (2.0, "", "████"),
        (None, "░", ""),
        (float("nan"), "", ""),
        (0.5, "░", "██░░"),
        (0.0, "░", "░░░░"),
    ],
)
def test_a_bar_has_the_length_of_its_share(share: float | None, rest: str, drawn: str):
    assert bar(share, 4, rest) == drawn


def test_an_interval_is_drawn_on_its_scale_with_its_mean_and_zero():
    assert span((-0.2, 0.1), -0.1, 0.0, (-0.2, 0.2), 9) == "━━●━┿━━  "
    assert span((0.1, 0.2), 0.15, 0.0, (0.0, 0.2), 5) == "┊ ━●━"
    assert len(span((0.0, 0.0), 0.0, 0.0, (0.0, 0.0), 5)) == 5
