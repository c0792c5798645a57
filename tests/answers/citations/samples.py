"""Citations that were written down by hand: of texts in `written`, and of samples of real data in `sampled`.

A row of `written/JURISDICTION.toml` is a text and the citations in it, in the order of the text: source and path.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.grammars import GRAMMARS

Named = tuple[str, tuple[str, ...]]  # law and path
FOLDER = Path(__file__).parent


def table(name: str) -> dict[str, Any]:
    """Return a TOML beside this file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def written(jurisdiction: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of a jurisdiction with their citations."""
    yield from _rows(table(f"written/{jurisdiction}"))


def _rows(rows: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for name, value in rows.items():
        if isinstance(value, dict):
            yield from _rows(value)
        else:
            yield name, value


def named(jurisdiction: str, text: str) -> list[str]:
    """Return the citations that a grammar finds, as the tables have them."""
    gap, dot = (" ", ".") if jurisdiction == "uk" else ("", "/")
    return [f"{one.source}{gap}{dot.join(one.path)}".strip() for one in GRAMMARS[jurisdiction](text)]


def japanese() -> dict[tuple[str, int], list[Named]]:
    """Return the sample of lawqa-jp: "q" or "c" and the row's number, then law and path of each citation."""
    sample = table("sampled/jp")
    return {
        (row[0], int(row[1:])): [
            (sample["laws"][one[0]], tuple(one[1:].split("/")) if one[1:] else ()) for one in citations.split()
        ]
        for row, citations in sample["rows"].items()
    }


def british() -> list[list[Named]]:
    """Return source and path of each citation of the sample of uk-cpr, line by line."""
    parts = [[one.replace("_", " ").partition(":") for one in line.split()] for line in table("sampled/uk")["lines"]]
    return [
        [("" if source == "?" else source, tuple(path.split(".")) if path else ()) for source, _, path in line]
        for line in parts
    ]


def chinese(line: str) -> list[Named]:
    """Return law and path of each citation of a line of the samples of Chinese texts."""
    found = []
    for one in line.split():
        path = tuple(one.split("/")) if one[0].isdigit() else ()
        found.append(("宪法" if one == "宪法" else "刑法", path))
    return found


def check_agreement(pairs: Iterable[tuple[list[Citation], list[Named]]], least: float = 0.97) -> None:
    """Check precision and recall over all texts, each citation counted as often as it is made; print what differs."""
    both = found = expected = 0
    for number, (citations, named) in enumerate(pairs):
        got, want = Counter((one.source, one.path) for one in citations), Counter(named)
        both, found, expected = both + (got & want).total(), found + got.total(), expected + want.total()
        print(*(f"{number}: missing {one}" for one in (want - got).elements()), sep="\n")
        print(*(f"{number}: extra {one}" for one in (got - want).elements()), sep="\n")
    print(f"precision {both / found:.3f}, recall {both / expected:.3f}")
    assert min(both / found, both / expected) >= least
