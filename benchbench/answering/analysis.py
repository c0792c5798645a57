"""Counts of a ground truth: questions, lengths, citations."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchbench.answers.citations import document_citations
from benchbench.answers.citations.grammars import GRAMMARS
from benchbench.tables.questions import Question


def analysis(questions: Sequence[Question]) -> dict[str, Any]:
    """Count questions, lengths in characters, citations, and cited documents, of each the truths that cite it.

    The result has the members of JSON. There must be at least one question.
    """
    citations: Counter[tuple[str, str]] = Counter()
    named: Counter[str] = Counter()
    citing_nothing = naming_no_document = 0
    for question in questions:
        kinds = [(name, citation.kind) for name, extract in GRAMMARS.items() for citation in extract(question.truth)]
        citations.update(kinds)
        sources = {citation.source for citation in document_citations.documents(question.truth)}
        named.update(sources)
        citing_nothing += not kinds
        naming_no_document += not sources
    lengths = sorted(len(question.truth) for question in questions)
    middle = len(lengths) // 2
    median = float(lengths[middle]) if len(lengths) % 2 else (lengths[middle - 1] + lengths[middle]) / 2
    groups = sorted(Counter((question.source_type, question.category) for question in questions).items())
    return {
        "questions": len(questions),
        "groups": [{"source_type": source, "category": name, "questions": n} for (source, name), n in groups],
        "truth_length": {"least": lengths[0], "median": median, "most": lengths[-1]},
        "citations": [{"law": law, "kind": kind, "citations": n} for (law, kind), n in sorted(citations.items())],
        "documents": dict(named.most_common()),
        "citing_nothing": citing_nothing,
        "naming_no_document": naming_no_document,
    }
