"""Collections whose texts were cut at one length."""

import random

import audited
import pytest

from benchbench.audit.texts import TextEnds


def prose(number: int, least: int = 100, most: int = 900, seed: int = 0) -> list[str]:
    """Return texts of sentences."""
    rng = random.Random(seed)
    texts = []
    for _ in range(number):
        text, length = "", rng.randint(least, most)
        while len(text) < length:
            text += " ".join("abcdefghij"[: rng.randint(2, 10)] for _ in range(rng.randint(4, 9))).capitalize() + ". "
        texts.append(text.strip())
    return texts


def cut(texts: list[str]) -> int:
    ends = TextEnds()
    for text in texts:
        ends.take("query", "", text)
    return len(ends.cut("query"))


@pytest.mark.parametrize(
    "texts", [prose(300), prose(9, 300), [], [""] * 50, ["K12.345"] * 50, ["Three whole words. " * 9 + "."] * 50]
)
def test_texts_that_end_where_they_end_are_not_cut(texts: list[str]):
    assert cut(texts) == 0


@pytest.mark.parametrize("length", [60, 200, 600])
def test_texts_that_end_within_a_sentence_at_one_length_are_cut(length: int):
    texts = prose(300)
    longer = sum(len(one) > length for one in texts)
    assert 0.9 * longer <= cut([one[:length] for one in texts]) <= longer


def test_lower_case_is_no_sign_of_a_part_where_nothing_has_capitals():
    assert cut([one[:200].lower() for one in prose(300, 250)]) > 280


def test_parts_of_longer_texts_begin_within_a_sentence_and_are_not_cut():
    whole = " ".join(prose(100))
    assert cut([whole[begin : begin + 200] for begin in range(0, len(whole), 200)]) == 0


def test_a_few_longer_ones_do_not_hide_the_limit():
    assert cut([*(one[:200] for one in prose(300, 250)), "x" * 5_000]) > 280


def test_an_ellipsis_ends_no_sentence():
    assert cut([f"{one[:197]}..." for one in prose(50, 250)]) == 50


def test_cut_texts_that_are_relevant_are_named():
    queries, documents = audited.clean()
    for one, text in zip(documents, prose(len(documents), 300), strict=True):
        one["text"] = f"{one['text'].capitalize()}. {text}"[:200]
    finding = audited.found(audited.audited(queries, documents))["cut_texts"]
    assert f"of {len(documents)} end within a sentence after exactly 200 characters" in finding.said
    assert finding.said.endswith("of them are judged relevant")
    assert finding.examples[0].endswith(", judged relevant")
    assert finding.effect.startswith("for ")


def test_cut_queries_are_found_too():
    queries, documents = audited.clean(queries=30, documents=120)
    for one, text in zip(queries, prose(30, 300), strict=True):
        one["text"] = f"{one['text'].capitalize()}. {text}"[:120]
    assert audited.found(audited.audited(queries, documents))["cut_texts"].queries.count > 20
