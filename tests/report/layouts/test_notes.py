"""Which notes of a record a terminal shows."""

from benchbench.report.blocks import Detail
from benchbench.report.layouts.notes import note_rows
from benchbench.results.record import Note


def test_what_limits_is_always_shown_of_what_explains_three_and_of_defaults_nothing() -> None:
    shown = ["first", "always", "verbose", "first", "first", "always", "first"]
    notes = [Note(text=f"note {number}", shown=one) for number, one in enumerate(shown)]  # type: ignore[arg-type]
    rows = note_rows(notes)
    assert [said for _, said in rows] == [one.text for one in notes]
    assert [said for row in rows if isinstance(row, Detail) for _, said in [row]] == ["note 2", "note 6"]


def test_a_note_of_several_steps_is_one_row() -> None:
    assert note_rows([Note(text="cut", scope={"task": one}) for one in "ab"]) == [("Note", "cut")]
