"""The records of what was seen in an index: citations that it has, and queries that find something."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import benchbench
from benchbench.results.environment import environment
from benchbench.results.record import Count, Data, GateResult, Note, Number, Record, Setting, Subject, record

if TYPE_CHECKING:
    from benchbench.index.look import Probes
    from benchbench.index.validate import Cited, Validation

_LIBRARIES = ("msgspec", "orjson")
_NAMED = 10  # questions in a sentence

NearDetails = TypedDict("NearDetails", {"name": str, "id": str, "as": str, "level": str})


class CitedDetails(TypedDict):
    """What JSON has of a cited document."""

    name: str
    section: str | None
    questions: list[int]
    found: bool
    ids: list[str]
    section_checked: bool
    near: list[NearDetails]


@dataclass(frozen=True, slots=True)
class ValidationDetails:
    """What JSON has of a validation."""

    index: str
    documents: int
    questions: int
    cited: int
    missing: int
    citing_none: list[int]
    citations: list[CitedDetails]


class ProbeDetails(TypedDict):
    """What JSON has of a query."""

    query: str
    total: int
    documents: list[str]


@dataclass(frozen=True, slots=True)
class ProbesDetails:
    """What JSON has of queries that were tried."""

    index: str
    queries: list[ProbeDetails]


def validation_details(found: "Validation") -> ValidationDetails:
    """Return what JSON has of a validation."""
    return ValidationDetails(
        found.index,
        found.documents,
        found.questions,
        len(found.cited),
        len(found.missing),
        list(found.citing_none),
        [_cited(one) for one in found.cited],
    )


def validation_record(found: "Validation") -> Record:
    """Return the record of a validation; its gate fails where a cited document is not in the index."""
    cited, missing, none = len(found.cited), len(found.missing), len(found.citing_none)
    signature = "|".join(
        [f"names:{'fuzzy' if found.fuzzy else 'exact'}", f"data:{found.digest}", f"version:{benchbench.__version__}"]
    )
    said = f"{missing:,} of {cited:,} cited documents are not in {found.index}"
    counts = {"questions": found.questions, "documents": found.documents, "sections_unchecked": _unchecked(found)}
    return record(
        "index",
        found.began,
        name=found.index,
        subject=[Subject(name=found.index, source=found.index, signature=signature)],
        data=Data(
            name=Path(found.ground_truth).name or None,
            make="ground truth",
            source=found.ground_truth or None,
            digest=found.digest or None,
            queries=found.questions,
            documents=found.documents,
        ),
        signature=signature,
        settings={
            "ground_truth": Setting(value=found.ground_truth or None),
            "index": Setting(value=found.index),
            "fuzzy": Setting(value=found.fuzzy),
        },
        environment=environment(_LIBRARIES),
        numbers=[
            Number(name="cited", value=float(cited), n=found.questions),
            Number(name="missing", value=float(missing), n=cited, better="lower"),
            Number(name="missing_rate", value=missing / cited if cited else None, n=cited, better="lower"),
            Number(name="citing_none", value=float(none), n=found.questions, better="lower"),
        ],
        counts=[Count(name=name, count=count) for name, count in counts.items()],
        notes=[Note(text=text) for text in notes(found)],
        gates=[_own("missing", missing, said)],
    )


VALIDATION_NUMBERS = ("cited", "missing", "missing_rate", "citing_none")


def notes(found: "Validation") -> list[str]:
    """Return what could not be checked, and which truths cite nothing."""
    said = []
    unchecked, none = _unchecked(found), found.citing_none
    if unchecked:
        said.append(f"Sections not checked, because the index has no sections of their documents: {unchecked:,}")
    if none:
        some = ", ".join(map(str, none[:_NAMED])) + (", …" if len(none) > _NAMED else "")
        said.append(f"Truths that cite no document: {len(none):,} (questions {some})")
    return said


def probes_details(found: "Probes") -> ProbesDetails:
    """Return what JSON has of queries that were tried."""
    return ProbesDetails(
        found.index,
        [
            {
                "query": one.query,
                "total": one.page.total,
                "documents": [document.called for document in one.page.documents],
            }
            for one in found.probes
        ],
    )


def probes_record(found: "Probes") -> Record:
    """Return the record of queries that were tried; its gate fails where one finds nothing."""
    queries, nothing = len(found.probes), found.nothing
    said = f"{len(nothing):,} of {queries:,} queries find nothing in {found.index}: {', '.join(nothing)}"
    return record(
        "index",
        found.began,
        name=found.index,
        subject=[Subject(name=found.index, source=found.index)],
        data=Data(make="queries", queries=queries),
        settings={"index": Setting(value=found.index), "top_k": Setting(value=found.top)},
        environment=environment(_LIBRARIES),
        numbers=[
            Number(name="without_hits", value=float(len(nothing)), n=queries, better="lower"),
            Number(name="without_hits_rate", value=len(nothing) / queries, n=queries, better="lower"),
        ],
        gates=[_own("without_hits", len(nothing), said)],
    )


PROBES_NUMBERS = ("without_hits", "without_hits_rate")


def _own(name: str, value: int, failed: str) -> GateResult:
    """Return what becomes of the gate that a command has whatever `--fail-if` says: that a number is above 0."""
    condition = f"{name}>0"
    return GateResult(
        condition=condition,
        verdict="failed" if value else "passed",
        said=failed if value else f"{condition} passed with 0",
        name=name,
        value=float(value),
        bound=0.0,
    )


def _unchecked(found: "Validation") -> int:
    return sum(not one.section_checked for one in found.cited)


def _cited(one: "Cited") -> CitedDetails:
    near: list[NearDetails] = [
        {"name": n.document.called, "id": n.document.id, "as": n.written, "level": n.level} for n in one.near
    ]
    return {
        "name": one.name,
        "section": one.section or None,
        "questions": list(one.questions),
        "found": bool(one.found),
        "ids": [document.id for document in one.found],
        "section_checked": one.section_checked,
        "near": near,
    }
