"""The grammars on texts that somebody else labelled before the grammars ran on them; `-s` prints what differs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from answers.citations.blind_labels import FOLDER, Counts, Labelled, compared, labelled

LANGUAGES = ("uk", "jp", "cn")
LEAST = 0.95  # of precision and recall: the figures are in docs/answers.md, and this says that they have not fallen


def agreement(language: str, texts: Iterator[Labelled]) -> Counts:
    total = Counts(0, 0, 0)
    for one in texts:
        counts, missing, extra = compared(language, one)
        total = Counts(*(a + b for a, b in zip(total, counts, strict=True)))
        for said, citations in (("missing", missing), ("extra", extra)):
            for key in citations.elements():
                print(f"{one.id}: {said} {key}")
    return total


@pytest.mark.parametrize("half", ["seen", "unseen"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_citations_of_all_texts_are_found(language: str, half: str, shared_data: Path):
    counts = agreement(language, labelled(language, half, shared_data))
    print(f"{language} {half}: {counts.labelled} citations, {counts.precision:.3f} {counts.recall:.3f}")
    assert counts.labelled >= 290
    assert min(counts.precision, counts.recall) >= LEAST


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_lie_in_their_texts(language: str):
    for half in ("seen", "unseen"):
        for one in labelled(language, half, None):
            assert all(0 <= start < end <= len(one.text) for start, end in one.headings), one.id
            assert all(kind and all(path) for kind, _, path in one.citations), one.id


def test_no_text_is_in_both_halves():
    for language in LANGUAGES:
        seen, unseen = ({one.text for one in labelled(language, half, None)} for half in ("seen", "unseen"))
        assert seen.isdisjoint(unseen)


def test_real_data_are_not_copied():
    for path in FOLDER.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            assert ('"text"' in line) == ('"origin":"written"' in line)
