"""The records of `index validate` and `index test`."""

from pathlib import Path
from typing import TYPE_CHECKING

import benchbench
from benchbench.results.environment import environment
from benchbench.results.record import Data, GateResult, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.signature import Signature

if TYPE_CHECKING:
    from benchbench.index.look import Probes
    from benchbench.index.validate import Validation

_LIBRARIES = ("msgspec", "orjson")
_NAMED = 10  # questions in a sentence


def validation_record(found: "Validation") -> Record:
    """Return the record of a validation; its gate fails when a cited document is not in the index."""
    cited, missing, none = len(found.cited), len(found.missing), len(found.citing_none)
    names = "fuzzy" if found.fuzzy else "exact"
    signature = str(Signature({"names": names, "data": found.digest, "version": benchbench.__version__}))
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
        settings=settings_of({"ground_truth": found.ground_truth or None, "index": found.index, "fuzzy": found.fuzzy}),
        environment=environment(_LIBRARIES),
        numbers=[
            Number(name="cited", value=float(cited), n=found.questions),
            Number(name="missing", value=float(missing), n=cited, better="lower"),
            Number(name="missing_rate", value=missing / cited if cited else None, n=cited, better="lower"),
            Number(name="citing_none", value=float(none), n=found.questions, better="lower"),
        ],
        counts=counts_of(counts),
        notes=[Note(text=text) for text in notes(found)],
        gates=[_own("missing", missing, said)],
    )


VALIDATION_NUMBERS = ("cited", "missing", "missing_rate", "citing_none")


def notes(found: "Validation") -> list[str]:
    """Return how many sections could not be checked, and which truths cite nothing."""
    said = []
    unchecked, none = _unchecked(found), found.citing_none
    if unchecked:
        said.append(f"Sections not checked, because the index has no sections of their documents: {unchecked:,}")
    if none:
        some = ", ".join(map(str, none[:_NAMED])) + (", …" if len(none) > _NAMED else "")
        said.append(f"Truths that cite no document: {len(none):,} (questions {some})")
    return said


def probes_record(found: "Probes") -> Record:
    """Return the record of a test; its gate fails when a query finds nothing."""
    queries, nothing = len(found.queries), found.nothing
    said = f"{len(nothing):,} of {queries:,} queries find nothing in {found.index}: {', '.join(nothing)}"
    return record(
        "index",
        found.began,
        name=found.index,
        subject=[Subject(name=found.index, source=found.index)],
        data=Data(make="queries", queries=queries),
        settings=settings_of({"index": found.index, "top_k": found.top}),
        environment=environment(_LIBRARIES),
        numbers=[
            Number(name="without_hits", value=float(len(nothing)), n=queries, better="lower"),
            Number(name="without_hits_rate", value=len(nothing) / queries, n=queries, better="lower"),
        ],
        gates=[_own("without_hits", len(nothing), said)],
    )


PROBES_NUMBERS = ("without_hits", "without_hits_rate")


def _own(name: str, value: int, failed: str) -> GateResult:
    """Return the result of the gate that a command always has: the number must not be above 0."""
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
    return sum(not one["section_checked"] for one in found.cited)
