"""Tables on a terminal: they fit it, numbers stand at the right and stay whole."""

import re
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from benchbench.report.blocks import AnyCell, Cell, Spark, Sparks, Table
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.report.render.lines import longest_word, width
from benchbench.report.render.screen import Screen

HEAD = ("System", "nDCG@10", "95 % interval", "p99", "Said")
ROWS = (
    ("plain", "0.051", "0.042 to 0.061", "111.5", "the client was late"),
    ("a longer name", "12.5", "", "9.5", ""),
)
SIDES = "lrrrl"
KEEPS = (0, 0, 2, 1, 3)

words = st.text("abc 判例é%", max_size=14)
numbers = st.from_regex(r"-?[0-9]{1,3}(,[0-9]{3}){0,2}(\.[0-9]{1,4})?", fullmatch=True)
asides = st.just("") | st.tuples(numbers, numbers).map(lambda ends: f"[{ends[0]}, {ends[1]}]")


class Drawn(NamedTuple):
    """A table with the text of its cells."""

    table: Table
    texts: list[str]


@st.composite
def tables(draw: st.DrawFn) -> Drawn:
    """Return a table of words and numbers, some with intervals."""
    sides = draw(st.text("lr", min_size=1, max_size=7))
    rows: list[list[AnyCell]] = []
    for _ in range(draw(st.integers(0, 4))):
        cells = [Cell(draw(numbers), draw(asides)) if side == "r" else draw(words) for side in sides]
        rows.append(list(cells))
    head = [draw(words) for _ in sides]
    keeps = [0, *(draw(st.integers(0, 3)) for _ in sides[1:])]
    texts = [*head, *(f"{one.text} {one.aside}" if isinstance(one, Cell) else one for row in rows for one in row)]
    return Drawn(Table(head, rows, sides, keeps=keeps, grouped=draw(st.booleans())), texts)


def shown(table: Table, columns: int, colours: bool = False) -> str:
    return rendered(None, Layout("", [table], dict, list), "text", Screen(columns, colours))


def test_where_there_is_room_every_column_is_shown():
    assert shown(Table(HEAD, ROWS, SIDES, keeps=KEEPS), 80) == (
        "System         nDCG@10   95 % interval    p99  Said\n"
        "─────────────  ───────  ──────────────  ─────  ───────────────────\n"
        "plain            0.051  0.042 to 0.061  111.5  the client was late\n"
        "a longer name     12.5                    9.5\n"
    )


def test_the_least_needed_columns_are_left_out_first_and_named():
    lines = shown(Table(HEAD, ROWS, SIDES, keeps=KEEPS), 40).splitlines()
    assert lines[0] == "System         nDCG@10    p99"
    assert " ".join(lines[4:]) == "Not shown: 95 % interval, Said; --wide has more."
    wide = Layout("", [Table(["A" * 70, "B" * 60], [["1", "2"]], "rr", keeps=[0, 1])], dict, list)
    assert rendered(None, wide, "text", Screen(120, whole=True)).endswith("--format csv has all.\n")


def test_texts_are_wrapped_before_a_needed_column_would_not_fit():
    lines = shown(Table(("Check", "Found"), [("one two three four five six seven", "12")], "lr"), 32).splitlines()
    assert lines[2:] == ["one two three four five       12", "six seven"]


def test_intervals_are_left_out_before_rows_are_stacked():
    rows = [["a", Cell("0.500", "[0.400, 0.600]"), Cell("0.250", "[0.200, 0.300]")]]
    lines = shown(Table(["Run", "P@5", "P@10"], rows, "lrr"), 30).splitlines()
    assert lines[2].split() == ["a", "0.500", "0.250"]
    assert lines[3].startswith("Not shown: intervals;")


def test_rows_are_stacked_where_the_needed_columns_do_not_fit():
    assert shown(Table(HEAD, ROWS, SIDES), 36) == (
        "plain\n"
        "  nDCG@10                 0.051\n"
        "  95 % interval  0.042 to 0.061\n"
        "  p99                     111.5\n"
        "  Said           the client was late\n"
        "\n"
        "a longer name\n"
        "  nDCG@10                  12.5\n"
        "  p99                       9.5\n"
    )


def test_a_column_of_numbers_without_a_side_stands_at_the_right():
    lines = shown(Table(["Measure", "Hits"], [["a", "1"], ["b", "1,000"], ["c", "-"]]), 80).splitlines()
    assert [line[-5:] for line in lines[2:]] == ["    1", "1,000", "    -"]


@given(tables(), st.integers(20, 130))
def test_no_line_is_wider_than_the_terminal_but_for_a_part_that_stays_whole(drawn: Drawn, columns: int):
    widest = max(map(longest_word, drawn.texts), default=0)
    beside = 4 + max(map(width, map(str, drawn.table.head)), default=0)
    for line in shown(drawn.table, columns).splitlines():
        assert width(line) <= columns or width(line.strip()) <= widest or width(line) <= beside + widest <= columns + 4


@given(tables(), st.integers(20, 130))
def test_no_number_is_broken_at_any_width(drawn: Drawn, columns: int):
    told = shown(drawn.table, columns)
    kept = re.findall(r"-?\d[\d.,]*\d|-?\d", told)
    given_numbers = re.findall(r"-?\d[\d.,]*\d|-?\d", "\n".join(drawn.texts))
    assert set(kept) <= set(given_numbers)


@given(tables(), st.integers(20, 130))
def test_colours_change_no_character(drawn: Drawn, columns: int):
    assert re.sub(r"\x1b\[[\d;]*m", "", shown(drawn.table, columns, True)) == shown(drawn.table, columns)


def test_marks_stand_below_their_bars():
    row = Spark("nDCG", [0.1, 0.4, 0.2, 0.3, 0.5], "0.5", ((1, "▲"), (4, "▼")))
    bars, marks = rendered(None, Layout("", [Sparks([row])], dict, list), "text", Screen(80, False)).splitlines()
    first = bars.index("▁")
    assert (marks.index("▲") - first, marks.index("▼") - first) == (1, 4)
