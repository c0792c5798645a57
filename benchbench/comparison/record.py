"""The record of a comparison."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchbench.comparison.unjudged import numbers_of
from benchbench.results.environment import environment
from benchbench.results.record import Count, Note, Record, Subject, counts_of, record, settings_of
from benchbench.results.signature import parts_of, shared_signature
from benchbench.significance.gates import numbers
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    from benchbench.comparison.outcome import Outcome

OF_TESTS = {"of": "tests"}  # the scope of notes on what the tests can show
OF_MARGIN = {"of": "margin"}  # … of what is said of it, by the measure and pair; the table has it too
_LIBRARIES = ("msgspec", "numba", "numpy", "orjson", "polars", "scipy")


def compare_record(outcome: "Outcome") -> Record:
    """Return the record of a comparison."""
    systems = outcome.systems
    return record(
        "compare",
        outcome.began,
        name=and_joined([one.name for one in systems]),
        subject=[Subject(name=one.name, source=one.source, signature=one.signature) for one in systems],
        data=outcome.data,
        signature=shared_signature([parts_of(one.signature) for one in systems]),
        settings=settings_of(dict(_settings(outcome))),
        environment=environment(_LIBRARIES),
        numbers=[
            *numbers(outcome.comparison),
            *numbers_of(outcome.unjudged, len(outcome.comparison.paired.queries)),
        ],
        counts=[
            *_groups(outcome),
            *(count for one in systems for count in counts_of(one.counts, {"system": one.name})),
        ],
        notes=[
            *(Note(text=note) for note in outcome.notes),
            *(
                Note(text=note, scope=OF_TESTS, shown="first" if note in outcome.comparison.explained else "always")
                for note in outcome.comparison.notes
            ),
            *_margins(outcome),
        ],
        gates=list(outcome.gates),
    )


def _margins(outcome: "Outcome") -> Iterator[Note]:
    """Yield what is said of the margin, of each measure and pair."""
    for one in outcome.comparison.differences:
        if one.margin is not None:
            said = f"{one.measure}: {one.system} against {one.baseline}: {one.margin.verdict}"
            yield Note(text=said, scope={**OF_MARGIN, "system": one.system, "baseline": one.baseline})


def _groups(outcome: "Outcome") -> list[Count]:
    groups = outcome.comparison.paired.groups
    return [] if groups is None else [Count(name="groups", count=groups.number, scope={"cluster": groups.column})]


def _settings(outcome: "Outcome") -> Iterator[tuple[str, object]]:
    """Yield the options in force by their long names."""
    yield "measure", list(outcome.comparison.paired.measures)
    for name, value in asdict(outcome.comparison.settings).items():
        yield ("slice", list(value)) if name == "slices" else (name, value)
    yield "moved", outcome.shown
    yield from outcome.options.items()
