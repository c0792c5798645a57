"""A document of a search index, under the names that every index is brought to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A document, or a chunk of one; what an index does not have is empty."""

    id: str
    name: str = ""  # what a citation calls it: a title, or a source page such as "Part 36#page=Offers to Settle"
    file: str = ""  # the file that it is a part of
    category: str = ""
    text: str = ""
    score: float | None = None  # of a search; None in a listing

    @property
    def called(self) -> str:
        """Return its name, or else its file, or else its id."""
        return self.name or self.file or self.id
