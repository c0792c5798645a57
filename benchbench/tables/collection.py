"""A searchable collection of documents."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents in file order; `meta` holds what the file says of each besides id, title and text.

    `names`, `files` and `categories` are empty where no document has one; a document without has "".
    """

    ids: list[str]
    texts: list[str]  # with the title in front
    meta: list[dict[str, Any]]
    names: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)  # members too long for `meta`, and of how many documents

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)
