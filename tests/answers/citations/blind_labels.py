"""Citations that somebody labelled who had not seen the grammars, before the grammars ran on the texts.

`blind/LANGUAGE-seen.jsonl` is the half that the grammars were then improved on; `-unseen` was set aside and read by
nobody who worked on them. Rows have `id`, `origin`, `manner`, `citations` as `[kind, source, path, start, end]`, and
`headings`, spans of headings, in which nothing was labelled. Texts that were written for this stand in the row; of real
data it has the place (`place`), below the folder of shared data.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.answers.citations.citation import Citation, Key
from benchbench.answers.citations.grammars import GRAMMARS

FOLDER = Path(__file__).parent / "blind"
NOT_LABELLED = {"jp": "本文"}  # a step of paths that the labels leave out


class Labelled(NamedTuple):
    """A text with its citations."""

    id: str
    origin: str
    text: str
    citations: list[Key]
    headings: list[tuple[int, int]]


class Counts(NamedTuple):
    """Citations that are in both, found, and labelled; each as often as it is made."""

    both: int
    found: int
    labelled: int

    @property
    def precision(self) -> float:
        return self.both / self.found

    @property
    def recall(self) -> float:
        return self.both / self.labelled


def labelled(language: str, half: str, shared_data: Path | None) -> Iterator[Labelled]:
    """Yield the texts of a half; those of real data only where its folder is given."""
    for line in (FOLDER / f"{language}-{half}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "text" not in row and shared_data is None:
            continue
        text = row["text"] if "text" in row else _placed(row["place"], shared_data)
        citations = [(kind, source, tuple(path)) for kind, source, path, *_ in row["citations"]]
        headings = [(start, end) for start, end in row.get("headings", ())]
        yield Labelled(row["id"], row["origin"], text, citations, headings)


def compared(language: str, one: Labelled) -> tuple[Counts, Counter[Key], Counter[Key]]:
    """Return the counts of a text, what is missing and what was found besides."""
    found, labels = Counter[Key](), Counter(one.citations)
    within = Counter[Key]()
    for citation in GRAMMARS[language](one.text):
        inside = any(start <= citation.start and citation.end <= end for start, end in one.headings)
        (within if inside else found)[_key(language, citation)] += 1
    found += within & (labels - found)
    return Counts((found & labels).total(), found.total(), labels.total()), labels - found, found - labels


def _key(language: str, citation: Citation) -> Key:
    return citation.kind, citation.source, tuple(step for step in citation.path if step != NOT_LABELLED.get(language))


def _placed(place: dict[str, Any], shared_data: Path | None) -> str:
    assert shared_data is not None
    path = shared_data / place["file"]
    if "doc" in place:
        whole = _documents(path)[place["doc"]]
    elif "row" in place:
        whole = _samples(path)[place["row"]][place["field"]]
    else:
        record = json.loads(_lines(path)[place["line"] - 1])
        whole = record.get("fact", record.get("text"))
    return place.get("before", "") + whole[place["start"] : place["end"]]


@lru_cache
def _documents(path: Path) -> dict[str, str]:
    return {one["_id"]: one["text"] for one in map(json.loads, filter(None, _lines(path)))}


@lru_cache
def _samples(path: Path) -> list[dict[str, str]]:
    samples: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))["samples"]
    return samples


@lru_cache
def _lines(path: Path) -> list[str]:
    encoding = "gb18030" if path.name == "data_train.json" else "utf-8"
    return path.read_text(encoding=encoding).split("\n")
