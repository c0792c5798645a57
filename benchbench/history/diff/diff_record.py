"""The record of two stored runs side by side; its numbers are named as those of `compare`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchbench.history.diff.details import DiffDetails
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Subject, record, settings_of
from benchbench.results.signature import parts_of, shared_signature

if TYPE_CHECKING:
    from benchbench.history.diff.settings import DiffSettings

_LIBRARIES = ("msgspec", "numba", "numpy", "orjson", "polars", "scipy")
_LONG_NAMES = {"measures": "measure", "slices": "slice"}


def diff_record(found: DiffDetails, settings: "DiffSettings", signatures: Sequence[str], began: float) -> Record:
    """Return the record of a comparison of two stored runs."""
    sides = (found.first, found.second)
    given = {_LONG_NAMES.get(name, name): value for name, value in asdict(settings).items()}
    return record(
        "history_diff",
        began,
        name=f"{found.second.label} against {found.first.label}",
        subject=[
            Subject(name=side.label, source=side.name, signature=signature)
            for side, signature in zip(sides, signatures, strict=True)
        ],
        data=Data(name=found.first.data or None, queries=found.queries or None),
        signature=shared_signature([parts_of(one) for one in signatures]),
        settings=settings_of({name: list(one) if isinstance(one, tuple) else one for name, one in given.items()}),
        environment=environment(_LIBRARIES),
        numbers=list(_numbers(found)),
        notes=[Note(text=one) for one in found.notes],
    )


def _numbers(found: DiffDetails) -> Iterator[Number]:
    first, second = found.first.label, found.second.label
    pair = {"baseline": first, "system": second}
    level = f"{100 * (1 - found.alpha):g} %"
    for one in found.changes:
        yield Number(
            name=f"Δ {one.measure}",
            value=one.difference,
            low=one.low,
            high=one.high,
            interval=f"{one.interval}, {level}" if one.tested else None,
            n=one.queries,
            unit=one.unit,
            better=one.better,
            scope=pair,
        )
        if one.tested:
            yield Number(name=f"p {one.measure}", value=one.p, n=one.queries, scope=pair)
    for one in found.changes:
        for label, value in ((first, one.first), (second, one.second)):
            yield Number(name=one.measure, value=value, unit=one.unit, better=one.better, scope={"system": label})
    for part in found.slices:
        yield Number(
            name=f"Δ {part.measure}",
            value=part.difference,
            low=part.low,
            high=part.high,
            n=part.queries,
            scope={**pair, "slice": f"{part.column}={part.value}"},
        )
