"""Counts of a ground truth: questions, lengths, citations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchbench.answers.citations import document_citations
from benchbench.answers.citations.grammars import GRAMMARS
from benchbench.tables.questions import Question


@dataclass(frozen=True, slots=True)
class AnswersAnalysis:
    """Counts of a ground truth."""

    questions: int
    groups: dict[tuple[str, str], int]  # (source type, category) -> questions
    truth_length: tuple[int, float, int]  # characters: least, median, most
    citations: dict[tuple[str, str], int]  # (jurisdiction, kind) -> citations in truths
    documents: dict[str, int]  # cited documents -> truths that cite them
    citing_nothing: int  # truths without a citation of law
    naming_no_document: int


def analysis(questions: Sequence[Question]) -> AnswersAnalysis:
    """Count questions, lengths and citations; there must be at least one question."""
    citations: Counter[tuple[str, str]] = Counter()
    named: Counter[str] = Counter()
    citing_nothing = naming_no_document = 0
    for one in questions:
        kinds = [(name, found.kind) for name, extract in GRAMMARS.items() for found in extract(one.truth)]
        citations.update(kinds)
        sources = {found.source for found in document_citations.documents(one.truth)}
        named.update(sources)
        citing_nothing += not kinds
        naming_no_document += not sources
    lengths = sorted(len(one.truth) for one in questions)
    middle = len(lengths) // 2
    median = float(lengths[middle]) if len(lengths) % 2 else (lengths[middle - 1] + lengths[middle]) / 2
    return AnswersAnalysis(
        len(questions),
        dict(sorted(Counter((one.source_type, one.category) for one in questions).items())),
        (lengths[0], median, lengths[-1]),
        dict(sorted(citations.items())),
        dict(named.most_common()),
        citing_nothing,
        naming_no_document,
    )
