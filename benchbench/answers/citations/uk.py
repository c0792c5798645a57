"""Citations of the law of England and Wales: provisions and neutral citations of cases."""

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.document_citations import blanked
from benchbench.answers.citations.uk_cases import cases
from benchbench.answers.citations.uk_provisions import provisions


def extract(text: str) -> list[Citation]:
    """Return the citations of a text in the order of their places."""
    text = blanked(text)
    return sorted([*provisions(text), *cases(text)], key=lambda citation: (citation.start, citation.end))
