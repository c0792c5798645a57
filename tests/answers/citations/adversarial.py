"""Texts made to be slow: read all of them with all grammars, with work that grows as they do."""

from cProfile import Profile

from answers.citations.samples import table

from benchbench.answers.citations.citation import Extract
from benchbench.answers.citations.document_citations import documents
from benchbench.answers.citations.grammars import GRAMMARS

UNITS: list[str] = table("written/slow")["units"]


LONG = 120_000  # characters: work that grew with the square of them would take hours
READERS: tuple[Extract, ...] = (*GRAMMARS.values(), documents)


def calls(extract: Extract, text: str) -> int:
    """Return how many functions were called to read a text, ours and those of the interpreter."""
    profile = Profile()
    profile.runcall(extract, text)
    return sum(one.callcount for one in profile.getstats())


def main() -> None:
    """Check that twice the text takes twice the calls, and read at length what calls little and may still scan much."""
    for unit in UNITS:
        for extract in READERS:
            once, twice = (calls(extract, unit * (size // len(unit))) for size in (1000, 2000))
            assert twice <= 2.3 * once + 100, f"{unit!r} takes {once} and {twice} calls"
            if twice < 500:
                extract(unit * (LONG // len(unit)))


if __name__ == "__main__":
    main()
