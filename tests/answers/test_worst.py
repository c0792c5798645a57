"""The answers that a page shows: those with the lowest means, whatever the order and the processes."""

from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.metrics import Mark, Metric, MetricWords, Value
from benchbench.answers.worst import Shown, Worst
from benchbench.scores.tables import table_of
from benchbench.tables.questions import Answer, Question

METRICS = [
    Metric("a", "", lambda answer: 0.0, good=0.8, acceptable=0.5),
    Metric("seconds", "", lambda answer: 0.0, unit="s"),
    Metric("b", "", lambda answer: 0.0, words=MetricWords("B")),
]
rows = st.lists(
    st.tuples(
        st.sampled_from((0.0, 0.5, 1.0)), st.booleans(), st.sampled_from((0.0, 1.0)), st.booleans(), st.booleans()
    ),
    max_size=12,
)


def added(worst: Worst, number: int, row: tuple[float, bool, float, bool, bool]) -> None:
    a, wants_a, b, wants_b, failed = row
    answer = Answer(Question(f"q{number}", "t"), None if failed else "x", failure="HTTP 500" if failed else None)
    worst.add(number, answer, [Value(a, wants_a), Value(9.0), Value(b, wants_b)])


def order(item: tuple[int, tuple[float, bool, float, bool, bool]]) -> tuple[bool, float, int]:
    """Return where an answer stands, in plain Python."""
    number, (a, wants_a, b, wants_b, failed) = item
    tested = [score for score, wanted in ((a, wants_a), (b, wants_b)) if wanted and not failed]
    return failed, sum(tested) / len(tested) if tested else 2.0, number


@given(rows, st.integers(1, 6), st.integers(0, 12), st.booleans())
def test_they_are_the_lowest_means_failures_last_in_any_order_and_of_any_parts(
    given_rows: list[tuple[float, bool, float, bool, bool]], most: int, cut: int, backwards: bool
):
    numbered = list(enumerate(given_rows, 1))
    whole, part = Worst(METRICS, most), Worst(METRICS, most)
    for number, row in reversed(numbered[:cut]) if backwards else numbered[:cut]:
        added(whole, number, row)
    for number, row in numbered[cut:]:
        added(part, number, row)
    whole.merge(part.rows())
    assert [one.number for one in whole.rows()] == [number for number, _ in sorted(numbered, key=order)[:most]]


def test_a_row_has_what_was_expected_with_its_marks_and_faults():
    worst = Worst(METRICS)
    asked = Question("May I?", "Yes, by law.", "CPR", "costs")
    marks = (Mark(0, 2, "wrong"), Mark(1, 3, "matched"), Mark(0, 3, "missed"))
    worst.add(7, Answer(asked, "No."), [Value(0.25, True, {}, marks), Value(3.0), Value(1.0, False)])
    (row,) = worst.rows()
    assert (row.number, row.source_type, row.category, row.mean) == (7, "CPR", "costs", 0.25)
    assert row.scores == [("a", 0.25, "partial")]
    assert row.answer_marks == [Mark(0, 2, "wrong"), Mark(2, 3, "matched")]
    assert row.truth_marks == [Mark(0, 3, "missed")]
    assert [one.text for one in row.faults] == ["No", "Yes"]


def test_a_table_of_them_takes_any_text():
    worst = Worst(METRICS)
    worst.add(1, Answer(Question("\ud800?", "t"), "a\x00", failure=None), [Value(0.0), Value(0.0), Value(0.0)])
    table = table_of(Shown, worst.rows())
    assert table["question"].to_list() == ["??"]
    assert table["scores"].to_list() == [
        [{"metric": "a", "score": 0.0, "state": "wrong"}, {"metric": "b", "score": 0.0, "state": "wrong"}]
    ]
    assert table_of(Shown, []).is_empty()
