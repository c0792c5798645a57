"""A citation of any law: a source, a path into it, and a place in the text."""

from collections.abc import Callable
from typing import NamedTuple


class Citation(NamedTuple):
    """One provision, case or document that a text names, in one canonical form.

    Two texts cite the same thing when `key` is equal, however they write it.
    """

    kind: str  # "rule", "practice direction", "annex", "guide", "act", "case", "article", …
    source: str  # the law, rules or court, by its normalised name: "CPR", "Limitation Act 1980", "民法"
    path: tuple[str, ...]  # from the outside in: ("33", "3") is section 33(3), ("709", "1") is 第709条第1項
    start: int  # in characters of the text
    end: int

    @property
    def resolved(self) -> bool:
        """Return whether the source is known; that of a section without an Act is not, and an annex needs none."""
        return self.source != "" or self.kind in ("annex", "appendix")

    @property
    def key(self) -> "Key":
        """Return the citation without its place."""
        return self[:3]

    def covers(self, other: "Citation") -> bool:
        """Return whether this cites the other's provision or one that contains it: rule 3.4 covers rule 3.4(2)(a).

        Of a law that is not known it covers nothing.
        """
        same = self.resolved and self.kind == other.kind and self.source == other.source
        return same and other.path[: len(self.path)] == self.path


Key = tuple[str, str, tuple[str, ...]]
Extract = Callable[[str], list[Citation]]  # all citations of a text, in the order of their places
