"""Does every document that a ground truth cites exist in the index?

A citation `[Name]` exists when `Name` is, without case, punctuation and file ending, the id, the name, the title or
the file of a document. An id may be cited without the part before its first colon: `cpr:Part 5` as `[Part 5]`.
`[Name#page=Section]` exists when the index has that section of the document; where it keeps no sections of it, the
document is enough. A name that only resembles a document's does not count: the nearest are reported with the level.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import benchbench
from benchbench.answers.citations.document_citations import documents
from benchbench.answers.precedents import compare, normalised
from benchbench.answers.summary import digest
from benchbench.index.look import LIBRARIES, own_gate
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.tables.documents import Document
from benchbench.tables.questions import Question

VALIDATION_NUMBERS = ("cited", "missing", "missing_rate", "citing_none")
_NAMED = 10  # questions in a sentence
_COMPARED = 50  # names with the most words in common that are compared
_NEAREST = 3
_FUZZY = ("exact", "containment", "overlap")


# A document that resembles a cited one. `as` is its name, file or id that does; `level` is a level of
# `answers.precedents`, "exact" when only the section differs.
Near = TypedDict("Near", {"name": str, "id": str, "as": str, "level": str})


class Cited(TypedDict):
    """A document as the truths cite it."""

    name: str
    section: str | None
    questions: list[int]  # from 1, in the order of the ground truth
    found: bool
    ids: list[str]  # of what has that name: several are chunks of one document, or share a title
    section_checked: bool  # whether the index could tell that the section exists
    near: list[Near]  # best first, where it is not found exactly


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationDetails:
    """The members of its JSON."""

    index: str
    documents: int
    questions: int
    cited: int
    missing: int
    citing_none: list[int]
    citations: list[Cited]


@dataclass(frozen=True, repr=False, kw_only=True)
class Validation(Result):
    """The cited documents, and which of them the index has."""

    kind = "index"

    questions: int
    documents: int  # in the index
    cited: list[Cited]
    citing_none: list[int]  # questions whose truth names no document
    index: str = "the index"
    ground_truth: str = ""
    fuzzy: bool = False
    digest: str = ""  # of the questions
    began: float = field(default_factory=time.time)  # seconds since 1970

    @property
    def missing(self) -> list[Cited]:
        """Return the cited documents that the index does not have."""
        return [cited for cited in self.cited if not cited["found"]]

    def to_record(self) -> Record:
        """Return the record; its own gate fails when a document is missing."""
        cited, missing, none = len(self.cited), len(self.missing), len(self.citing_none)
        names = "fuzzy" if self.fuzzy else "exact"
        signature = str(Signature({"names": names, "data": self.digest, "version": benchbench.__version__}))
        sentence = f"{missing:,} of {cited:,} cited documents are not in {self.index}"
        counts = {"questions": self.questions, "documents": self.documents, "sections_unchecked": _unchecked(self)}
        return record(
            "index",
            self.began,
            name=self.index,
            subject=[Subject(name=self.index, source=self.index, signature=signature)],
            data=Data(
                name=Path(self.ground_truth).name or None,
                make="ground truth",
                source=self.ground_truth or None,
                digest=self.digest or None,
                queries=self.questions,
                documents=self.documents,
            ),
            signature=signature,
            settings=settings_of({"ground_truth": self.ground_truth or None, "index": self.index, "fuzzy": self.fuzzy}),
            environment=environment(LIBRARIES),
            numbers=[
                Number(name="cited", value=float(cited), n=self.questions),
                Number(name="missing", value=float(missing), n=cited, better="lower"),
                Number(name="missing_rate", value=missing / cited if cited else None, n=cited, better="lower"),
                Number(name="citing_none", value=float(none), n=self.questions, better="lower"),
            ],
            counts=counts_of(counts),
            notes=[Note(text=text) for text in notes(self)],
            gates=[own_gate("missing", missing, sentence)],
        )

    def details(self) -> ValidationDetails:
        """Return the members of its JSON."""
        return ValidationDetails(
            index=self.index,
            documents=self.documents,
            questions=self.questions,
            cited=len(self.cited),
            missing=len(self.missing),
            citing_none=self.citing_none,
            citations=self.cited,
        )


def notes(validation: "Validation") -> list[str]:
    """Return how many sections could not be checked, and which truths cite nothing."""
    sentences = []
    unchecked, none = _unchecked(validation), validation.citing_none
    if unchecked:
        sentences.append(f"Sections not checked, because the index has no sections of their documents: {unchecked:,}")
    if none:
        numbers = ", ".join(map(str, none[:_NAMED])) + (", …" if len(none) > _NAMED else "")
        sentences.append(f"Truths that cite no document: {len(none):,} (questions {numbers})")
    return sentences


def _unchecked(validation: "Validation") -> int:
    return sum(not cited["section_checked"] for cited in validation.cited)


def validate(
    questions: Sequence[Question],
    held: Iterable[Document],
    fuzzy: bool = False,
    index: str = "the index",
    ground_truth: str = "",
) -> Validation:
    """Look for every document that a truth cites.

    Parameters
    ----------
    questions
        A ground truth.
    held
        All documents of an index.
    fuzzy
        Accept a name that resembles by containment or overlap.
    index, ground_truth
        What they are called.
    """
    began = time.time()
    asked: dict[tuple[str, str], list[int]] = defaultdict(list)
    citing_none = []
    for number, question in enumerate(questions, 1):
        citations = documents(question.truth)
        for key in dict.fromkeys((citation.source, "".join(citation.path)) for citation in citations):
            asked[key].append(number)
        if not citations:
            citing_none.append(number)
    names = Names(held=held, words=frozenset(word for name, _ in asked for word in normalised(name).split()))
    cited = [names.look(name, section, numbers, fuzzy) for (name, section), numbers in asked.items()]
    return Validation(
        questions=len(questions),
        documents=names.count,
        cited=cited,
        citing_none=citing_none,
        index=index,
        ground_truth=ground_truth,
        fuzzy=fuzzy,
        digest=digest(questions),
        began=began,
    )


@dataclass(slots=True, kw_only=True)
class Names:
    """The names of an index that have a word of a citation, normalised, to look citations up in."""

    held: Iterable[Document]
    words: frozenset[str]  # of all citations
    count: int = 0
    _by_name: dict[str, dict[str, Document]] = field(default_factory=lambda: defaultdict(dict))  # and by id
    _by_section: dict[tuple[str, str], list[Document]] = field(default_factory=lambda: defaultdict(list))
    _sectioned: set[str] = field(default_factory=set)
    _written: dict[str, str] = field(default_factory=dict)
    _by_word: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for document in self.held:
            self.count += 1
            for written in dict.fromkeys((document.name, document.file, document.id, document.id.partition(":")[2])):
                name, _, section = written.partition("#page=")
                key = normalised(name)
                words = self.words.intersection(key.split())
                if not words:
                    continue
                if key not in self._by_name:
                    self._written[key] = name
                    for word in words:
                        self._by_word[word].append(key)
                self._by_name[key][document.id] = document
                if section:
                    self._sectioned.add(key)
                    self._by_section[key, normalised(section)].append(document)

    def look(self, name: str, section: str, questions: list[int], fuzzy: bool) -> Cited:
        """Return a citation with its document, or else with the documents that it resembles."""
        key = normalised(name)
        same = list(self._by_name.get(key, {}).values())
        any_section = not section or key not in self._sectioned
        matches = same if any_section else self._by_section.get((key, normalised(section)), [])
        ids = [document.id for document in matches]
        near: list[Near] = []
        if not matches:
            near = [_near(document, document.called, "exact") for document in same[:_NEAREST]] or self._nearest(key)
            ids = [best["id"] for best in near[:1] if fuzzy and best["level"] in _FUZZY]
        return {
            "name": name,
            "section": section or None,
            "questions": questions,
            "found": bool(ids),
            "ids": ids,
            "section_checked": not (section and same and any_section),
            "near": near,
        }

    def _nearest(self, key: str) -> list[Near]:
        words = set(key.split())
        shared = Counter(name for word in words for name in self._by_word.get(word, ()))
        ranked = []
        most_shared = sorted(shared.items(), key=lambda item: (-item[1], item[0]))  # the same in every process
        for name, common in most_shared[:_COMPARED]:
            score, level = compare(key, name)
            if level:
                ranked.append((-score, -common / len(words | set(name.split())), name, level))
        near: dict[str, Near] = {}  # once per document, under its nearest name
        for _, _, name, level in sorted(ranked):
            document = next(iter(self._by_name[name].values()))
            near.setdefault(document.called, _near(document, self._written[name], level))
        return list(near.values())[:_NEAREST]


def _near(document: Document, written: str, level: str) -> Near:
    return {"name": document.called, "id": document.id, "as": written, "level": level}
