"""A searchable collection of documents."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents in file order; `meta` holds the labels as the file has them."""

    ids: list[str]
    texts: list[str]
    meta: list[dict[str, Any]]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)
