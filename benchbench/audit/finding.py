"""What a check comes to: how often something was found, in which queries and documents, and what it does to a score."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from benchbench.errors import visible

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

MOST = 1_000  # ids of a finding that are kept
SHOWN = 5  # examples of a finding
_EXCERPT = 60  # characters
_EXAMPLE = 400


@dataclass(frozen=True, slots=True)
class Concerned:
    """Ids in their order as texts, the first `MOST` of them, and how many were left out."""

    ids: list[str] = field(default_factory=list)
    left_out: int = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.ids) + self.left_out

    @classmethod
    def of(cls, ids: Iterable[str]) -> "Concerned":
        """Return ids, each once."""
        known = sorted(set(ids))
        return cls(known[:MOST], max(0, len(known) - MOST))


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found.

    Attributes
    ----------
    check
        The name of the check; the gate on its count has the same.
    severity
        `error`: scores are wrong; `warning`: they may mislead; `note`: good to know when they are read.
    said
        A sentence.
    count
        How often it was found.
    queries, documents
        Which it concerns.
    examples
        A few, as they are shown.
    effect
        What it does to scores; empty where nothing can be said.
    advice
        What to do.
    """

    check: str
    severity: Severity
    said: str
    count: int
    queries: Concerned = field(default_factory=Concerned)
    documents: Concerned = field(default_factory=Concerned)
    examples: list[str] = field(default_factory=list)
    effect: str = ""
    advice: str = ""

    def __post_init__(self) -> None:
        """Cut examples: ids may be of any length."""
        object.__setattr__(self, "examples", [_cut(visible(one), _EXAMPLE) for one in self.examples])


@dataclass(frozen=True, slots=True)
class Check:
    """One check that was done, or not.

    Attributes
    ----------
    name
        As gates name its count.
    count
        How often it found something; None where it was not done.
    findings
        What there is to say.
    skipped
        Why it was not done; empty where it was.
    remark
        What it was done on, where that is not everything.
    effects
        What the scores can be at most, and the like, by the names of the numbers; None where there is no value.
    """

    name: str
    count: int | None
    findings: Sequence[Finding] = ()
    skipped: str = ""
    remark: str = ""
    effects: Mapping[str, float | None] = field(default_factory=dict)


def skipped(name: str, why: str, **effects: float | None) -> Check:
    """Return a check that was not done."""
    return Check(name, None, skipped=why, effects=effects)


def excerpt(text: str) -> str:
    """Return the beginning of a text, as an example shows it."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return visible(_cut(line, _EXCERPT))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def some(ids: Iterable[str], most: int = SHOWN) -> str:
    """Return a few ids in a sentence."""
    known = sorted(set(ids))
    return ", ".join(map(excerpt, known[:most])) + (", …" if len(known) > most else "")


def many(count: int, one: str, several: str = "") -> str:
    """Return a count with its noun: `1 query`, `2 queries`."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
