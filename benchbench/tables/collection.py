"""A searchable collection of documents."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field


class Collection(Struct, frozen=True):
    """Documents in file order; `meta` holds what the file says of each besides id, title and text.

    `names`, `files` and `categories` are empty where no document has one; a document without has "".
    """

    ids: Sequence[str]
    texts: Sequence[str]  # with the title in front
    meta: Sequence[dict[str, Any]]
    names: Sequence[str] = field(default_factory=list)
    files: Sequence[str] = field(default_factory=list)
    categories: Sequence[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)  # members too long for `meta`, and of how many documents
    skipped: int = 0  # lines, rows or elements that are no documents

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)
