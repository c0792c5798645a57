"""What a check comes to: how often something was found, in which queries and documents, and what it does to a score."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from benchbench.errors import visible
from benchbench.results.estimates import Estimate
from benchbench.tables.shared_messages import counted

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

MOST = 1_000  # ids of a finding that are kept
SHOWN = 5  # examples of a finding
_KEPT = (
    200  # texts of a kind of damage that are kept, so that the first by id are shown whatever the order of the files
)
_EXCERPT, _EXAMPLE = 60, 400  # characters of a text, and of an example: a line of a terminal, and a few of them


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
class Shown:
    """A query or a document of an example; `text` is its beginning, where it is known, `mark` what is wrong with it."""

    noun: Literal["query", "document"]
    id: str
    mark: str = ""
    text: str = ""


Pair = tuple[Shown, ...]  # a fault and what makes it one, or alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that was found.

    Attributes
    ----------
    check
        The name of the check, which adds it; the gate on its count has the same.
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
    pairs
        Examples of which two texts are worth reading next to each other.
    effect
        What it does to scores; empty where nothing can be said.
    advice
        What to do.
    """

    check: str = ""
    severity: Severity
    said: str
    count: int
    queries: Concerned = field(default_factory=Concerned)
    documents: Concerned = field(default_factory=Concerned)
    examples: list[str] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    effect: str = ""
    advice: str = ""

    def __post_init__(self) -> None:
        """Cut examples: ids may be of any length."""
        object.__setattr__(self, "examples", [_cut(visible(example), _EXAMPLE) for example in self.examples])


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check that was done, or not.

    Attributes
    ----------
    check
        As gates name its count.
    title
        What people call what it finds.
    count
        How often it found something; None where it was not done.
    skipped
        Why it was not done; empty where it was.
    remark
        What it was done on, where that is not everything.
    effects
        What the scores can be at most, and the like, by the names of the numbers; None where there is no value.
    """

    check: str
    title: str = ""
    count: int | None
    skipped: str = ""
    remark: str = ""
    effects: dict[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How much a mean rises when the fault of a check is mended alone; `after` is the mean once those before are too.

    Where a run already mends it (`is_handled`), it is how much the mean would change if nobody did.
    """

    check: str
    value: float
    low: float
    high: float
    after: float | None = None
    is_handled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What all faults cost together, and each of them, the dearest first."""

    measure: str
    retriever: str
    before: float
    after: float
    queries: int
    left: int  # queries, once all is mended
    loss: Estimate
    checks: list[Effect]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDetails:
    """The members of `summary.json` and `--format json` of an audit."""

    dataset: str
    collection: str
    service: str | None
    queries: int
    documents: int | None
    judgments: int
    checks: list[Check]
    effects: Effects | None = None  # on BM25; None where they were not measured
    findings: list[Finding]  # the worst first, in the order of the checks


def finding(
    severity: Severity,
    count: int,
    said: str,
    *,
    queries: Iterable[str] | Concerned = (),
    documents: Iterable[str] | Concerned = (),
    examples: Iterable[str] | None = None,
    pairs: Iterable[Pair] = (),
    **members: str,
) -> Finding:
    """Return what a check has found, with its first examples.

    Ids may come in any order and twice, and are the examples where none are given. `members` are effect and advice.
    """
    sides = [side if isinstance(side, Concerned) else Concerned.of(side) for side in (queries, documents)]
    if examples is None:
        named = [f"query {name}" for name in sides[0].ids] or [f"document {name}" for name in sides[1].ids]
        examples = map(excerpt, named[:SHOWN])
    shown = list(islice(examples, SHOWN))
    return Finding(
        severity=severity,
        said=said,
        count=count,
        queries=sides[0],
        documents=sides[1],
        examples=shown,
        pairs=list(islice(pairs, SHOWN)),
        **members,
    )


def excerpt(text: str) -> str:
    """Return the beginning of a text, as an example shows it."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return visible(_cut(line, _EXCERPT))


def beginning(text: str, same: int = 0) -> str:
    """Return as much of a text as stands next to another one, of which so many first characters are the same."""
    begin = max(0, same - _EXAMPLE // 3)
    begin = text.rfind(" ", 0, begin) + 1  # with a whole word
    line = " ".join(text[begin : begin + 4 * _EXAMPLE].split())
    return visible(_cut(("… " if begin else "") + line, _EXAMPLE))


def around(text: str, place: int, before: int = 20, after: int = 40) -> str:
    """Return what stands around a place of a text, as an example shows it."""
    begin = max(0, place - before)
    return excerpt(("…" if begin else "") + text[begin : place + after])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def some(ids: Iterable[str], most: int = SHOWN) -> str:
    """Return a few ids in a sentence."""
    known = sorted(set(ids))
    return ", ".join(map(excerpt, known[:most])) + (", …" if len(known) > most else "")


def many(count: int, one: str, several: str = "") -> str:
    """Return a count with its noun: `1 query`, `2 queries`; `several` where that is more than a noun."""
    return f"{count:,} {one if count == 1 else several}" if several else counted(count, one)


def both(documents: int, queries: int) -> str:
    """Return counts of documents and queries, as the beginning of a sentence."""
    return " and ".join(many(number, noun) for number, noun in ((documents, "document"), (queries, "query")) if number)


class Examples:
    """Counts texts, and keeps the first by id with what there is to see."""

    def __init__(self) -> None:
        """Begin without any."""
        self.count = 0
        self._kept: list[tuple[str, str, str]] = []

    def add(self, what: str, identifier: str, shown: str) -> None:
        """Count a text of a query or a document."""
        self.count += 1
        self._kept.append((what, identifier, shown))
        if len(self._kept) > 2 * _KEPT:
            self._kept = self.first()

    def first(self) -> list[tuple[str, str, str]]:
        """Return the first."""
        return sorted(self._kept)[:_KEPT]

    def concerned(self) -> Concerned:
        """Return the ids of those that are kept, and how many others there are."""
        kept = self.first()
        return Concerned(Concerned.of(identifier for _, identifier, _ in kept).ids, self.count - len(kept))
