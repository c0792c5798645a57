"""A nugget: a fact that a good answer has, and what became of it in an answer."""

from typing import NamedTuple

VITAL, OKAY = "vital", "okay"
SUPPORT, PARTIAL_SUPPORT, NOT_SUPPORT = "support", "partial_support", "not_support"
FAILED = "failed"  # what the tool of the TREC RAG track writes where its model gave no label
IMPORTANCES = (VITAL, OKAY)
ASSIGNMENTS = (SUPPORT, PARTIAL_SUPPORT, NOT_SUPPORT)


class Nugget(NamedTuple):
    """A nugget; the words as they were read, in lower case, and None where there is none."""

    text: str
    importance: str | None = None
    assignment: str | None = None

    @property
    def is_vital(self) -> bool:
        """Whether an answer must have it; one without an importance is taken for vital, as the track's tool does."""
        return self.importance in (VITAL, None)
