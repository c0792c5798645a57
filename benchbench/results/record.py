"""The record of a result: what was measured, on what, how, and what came out.

Whatever shows, stores, gates or compares results takes records. `schema/record-2.json` is their JSON Schema, made from
the types of this module by `scripts/schema`. Schema 1 had no `title`, `band` and `failed`; its records are read too.
"""

import math
import os
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from benchbench.errors import InputError, visible

SCHEMA: Literal[2] = 2

Scope = dict[str, str]
Better = Literal["higher", "lower"]
Band = Literal["good", "acceptable", "poor"]
State = Literal["passed", "failed", "broken", "not judged"]
Status = Literal["complete", "failed", "interrupted"]
_Kind = TypeVar("_Kind")


def _said(sentence: str) -> Meta:
    return Meta(description=sentence)


class Number(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number, with what it is about."""

    name: Annotated[str, _said("As gates name it, without its scope: nDCG@10, p99, Δ nDCG@10.")]
    value: Annotated[float | None, _said("Whole, not rounded; null where there is no number.")]
    low: Annotated[float | None, _said("Lower end of the interval.")] = None
    high: Annotated[float | None, _said("Upper end of the interval.")] = None
    stderr: Annotated[float | None, _said("Standard error.")] = None
    interval: Annotated[str | None, _said("Method and level of the interval.")] = None
    n: Annotated[int | None, _said("How many queries, requests or answers it is taken over.")] = None
    unit: Annotated[str, _said("ms, s, MB, queries/s, …; empty for a share or a count.")] = ""
    better: Annotated[Better | None, _said("Which direction is an improvement; null for neither.")] = None
    scope: Annotated[Scope, _said("Which task, target, step, run, pair or slice it is of.")] = {}
    title: Annotated[str | UnsetType, _said("What people call it, where that is not its name: Precision@10.")] = UNSET
    band: Annotated[Band | UnsetType, _said("How good that is, where there is a scale for it.")] = UNSET
    failed: Annotated[str | UnsetType, _said("Why it has no value, where something failed or was left out.")] = UNSET

    def __post_init__(self) -> None:
        """Replace NaN and infinity by null, because JSON has neither."""
        for name in ("value", "low", "high", "stderr"):
            given = getattr(self, name)
            if given is not None and not math.isfinite(given):
                msgspec.structs.force_setattr(self, name, None)


def in_record(text: str) -> str | UnsetType:
    """Return a title, or why there is no value, as a number has it; a record has none that is empty."""
    return text or UNSET


def band_in_record(word: str) -> Band | UnsetType:
    """Return a band as a number has it; a record has none of other words, such as `not tested`."""
    return next((band for band in get_args(Band) if band == word), UNSET)


def with_ends(number: Number, low: float | None, high: float | None, method: str | None) -> Number:
    """Return a number with an interval."""
    return msgspec.structs.replace(number, low=low, high=high, interval=method)


class Count(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many there were of something."""

    name: Annotated[str, _said("What was counted, e.g. queries, self_hits, skipped_lines.")]
    count: int
    scope: Scope = {}


class Failure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often something failed for one reason."""

    reason: str
    count: int
    scope: Scope = {}


class Note(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the numbers leave out or assume, in a sentence."""

    text: str
    scope: Scope = {}
    shown: Annotated[
        Literal["always", "first", "verbose"],
        _said("On a terminal: always, where it is among the first three such notes, or with --verbose only."),
    ] = "always"


class GateResult(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of a gate."""

    condition: Annotated[str, _said("As it was written: nDCG@10<0.4. It says what must not be.")]
    verdict: Annotated[
        State, _said("broken: so much has failed that other gates say little; not judged: too little data.")
    ]
    said: Annotated[str, _said("A sentence with what was observed and what was required.")]
    name: Annotated[str, _said("Of what was observed, with its task: gold.nDCG@10; of the condition that decided.")] = (
        ""
    )
    value: Annotated[float | None, _said("What was observed, of the condition that decided.")] = None
    bound: Annotated[float | None, _said("What it was compared with, in the unit of the value.")] = None
    unit: str = ""
    about: Annotated[str, _said("The target, step, run or pair; empty where there is one only.")] = ""
    scope: Scope = {}

    @property
    def is_failure(self) -> bool:
        """Say whether it ends a command with an error."""
        return self.verdict in ("failed", "broken")

    @property
    def outcome(self) -> str:
        """Return the sentence as it stands behind the word gate, in a place that says what it is about."""
        sentence = self.said.removeprefix(f"{self.about}: ") if self.about else self.said
        return sentence.removeprefix("gate ") if self.is_failure else sentence

    @property
    def failure(self) -> str | None:
        """Return what the values are and had to be; None where it passed, or was not judged."""
        return self.outcome.removeprefix("failed: ") if self.is_failure else None

    @property
    def observed(self) -> str:
        """Return the sentence as it stands behind the condition: what the value is, of what, and had to be."""
        value = "no value" if self.value is None else f"{self.value:.6g} {self.unit}".rstrip()
        text, about = self.failure or f"{self.name} is {value}", f"{self.about}: " if self.about else ""
        return text if text.startswith(about) else about + text


class Subject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was measured: a service, a run file, a model."""

    name: str
    source: Annotated[str, _said("URL without secrets, or file.")]
    signature: Annotated[str, _said("What its numbers depend on.")] = ""


class Data(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data set it was measured with."""

    name: str | None = None
    make: Annotated[str | None, _said("tiered, qrels, passages, ground truth, …")] = None
    source: Annotated[str | None, _said("File or folder.")] = None
    digest: str | None = None
    queries: int | None = None
    documents: int | None = None


class Setting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option in force, and where its value came from."""

    value: Any
    source: Annotated[str, _said("command line, a file, environment, default, or Python.")] = "default"


class Environment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What it was measured with, and where."""

    versions: dict[str, str] = {}
    host: dict[str, Any] = {}
    command: Annotated[list[str], _said("Arguments, without what may be secret.")] = []


class TableFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table beside the record, read only when it is asked for."""

    name: str
    file: Annotated[str, _said("Parquet, beside the record.")]
    rows: int | None = None


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One result."""

    kind: Annotated[str, _said("run, load, score, compare, passages, answers, …")]
    schema: Annotated[Literal[1, 2], _said("The version of this layout; 1 is of an older benchbench.")] = SCHEMA
    id: Annotated[str, _said("A UUID, version 7: ids sort by time.")]
    started: Annotated[str, _said("UTC, ISO 8601.")]
    finished: Annotated[str, _said("UTC, ISO 8601.")]
    status: Status = "complete"
    name: str = ""
    subject: list[Subject] = []
    tags: dict[str, str] = {}
    data: Data = Data()
    signature: Annotated[str, _said("What makes two numbers comparable; of several subjects, what they share.")] = ""
    settings: dict[str, Setting] = {}
    environment: Environment = Environment()
    numbers: list[Number] = []
    counts: list[Count] = []
    failures: list[Failure] = []
    notes: list[Note] = []
    gates: list[GateResult] = []
    tables: list[TableFile] = []


def record(kind: str, began: float, ended: float | None = None, **members: Any) -> Record:
    """Return a record with an id of its own.

    Parameters
    ----------
    kind
        What was measured.
    began, ended
        Seconds since 1970, as `time.time` returns them; the end is now by default.
    members
        The other members of a record.
    """
    ended = time.time() if ended is None else max(ended, began)
    return Record(kind=kind, id=uuid7(ended), started=utc(began), finished=utc(ended), **members)


def within(part: Record, scope: Scope) -> Record:
    """Return the record of a part as the record of the whole takes it: with more scope, and gates that say of what."""
    copy, about = msgspec.structs.replace, ", ".join(scope.values())
    return copy(
        part,
        numbers=[copy(number, scope=scope | number.scope) for number in part.numbers],
        counts=[copy(count, scope=scope | count.scope) for count in part.counts],
        failures=[copy(failure, scope=scope | failure.scope) for failure in part.failures],
        notes=[copy(note, scope=scope | note.scope) for note in part.notes],
        gates=[copy(gate, scope=scope | gate.scope, about=about, said=f"{about}: {gate.said}") for gate in part.gates],
    )


def settings_of(options: Mapping[str, Any]) -> dict[str, Setting]:
    """Return options with their values as settings."""
    return {name: Setting(value=value) for name, value in options.items()}


def counts_of(counts: Mapping[str, int], scope: Scope | None = None) -> list[Count]:
    """Return counts by name, all of one scope."""
    return [Count(name=name, count=count, scope=scope or {}) for name, count in counts.items()]


def failures_of(reasons: Mapping[str, int], scope: Scope | None = None) -> list[Failure]:
    """Return failures by reason, all of one scope."""
    return [Failure(reason=reason, count=count, scope=scope or {}) for reason, count in reasons.items()]


def utc(seconds: float) -> str:
    """Return a time as ISO 8601 with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def uuid7(seconds: float, seed: bytes = b"") -> str:
    """Return a UUID of version 7 (RFC 9562, 5.7): milliseconds since 1970 and 74 bits, random or by a seed."""
    from benchbench.tables.hashing import content_digest

    milliseconds = int(seconds * 1e3) & (1 << 48) - 1
    random = int.from_bytes(content_digest(seed).digest()[:10] if seed else os.urandom(10), "big")
    high, low = random >> 62 & 0xFFF, random & (1 << 62) - 1
    return str(uuid.UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low))


def identified(record: Record, identity: str) -> Record:
    """Return a record with another id: that of a folder without one is the same each time it is read."""
    return msgspec.structs.replace(record, id=identity)


def plain(value: object) -> Any:
    """Return a record or details as JSON values; NaN and infinity are null."""
    return msgspec.to_builtins(value)


def converted(value: object, kind: type[_Kind], place: object) -> _Kind:
    """Return JSON values as a type; InputError, which names the place, when they are not of it."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{place} is damaged: {visible(str(error), 200)}") from None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    json_schema = msgspec.json.schema(Record)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A benchbench record", **json_schema}
