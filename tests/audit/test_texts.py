"""Damaged, empty, long and extreme texts, and ids that files cannot hold."""

import random

import audited
import pytest
from cases import check_rows

from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.check import Judged
from benchbench.audit.damage import damages
from benchbench.audit.identifiers import unwritable_ids
from benchbench.audit.texts import TextEnds, tokens


def broken(text: str, wrong: str = "cp1252") -> str:
    """Return a text whose UTF-8 was decoded with another encoding."""
    return text.encode().decode(wrong)


def test_damage_is_found():
    def check_case(text: str, kind: str) -> None:
        assert kind in damages(text)

    check_rows(
        check_case,
        [
            ("lost \ufffd here", "replaced"),
            (broken("the world’s largest"), "mojibake"),
            (broken("changes—in rent"), "mojibake"),
            (broken("crème brûlée"), "mojibake"),
            (broken("Müller, Zürich"), "mojibake"),
            (broken("5°, £100"), "mojibake"),
            (broken("中文检索", "latin-1"), "mojibake"),
            (broken("被告人", "latin-1"), "mojibake"),
            (broken("Привет", "latin-1"), "mojibake"),
            ("锟斤拷", "mojibake"),
            ("half \ud83d pair", "surrogates"),
            ("a\x00b", "controls"),
            ("cell\x93quoted\x94", "controls"),
            ("AT&amp;T", "entities"),
            ("&#8217;s and &#x2019;", "entities"),
            ("caf\u00e9 and cafe\u0301", "unnormalised"),
        ],
    )


@pytest.mark.parametrize(
    "text",
    [
        "plain words, with tabs\tand\nlines\r\n",
        "Crème brûlée à la façon de Zürich; «ÉTÉ», Ça va, Âge, PÃO, São Tomé, ÅNGSTRÖM",
        "被告人在甲市车站趁人不备，窃得手机后逃离现场。",
        "東京都、ひらがな、カタカナ、한국어",
        "Привет, мир; Ελληνικά; עברית; العربية",
        "a & b; R&D; x&y; &notanentity; &; fish&chips",
        "naïve — “quoted” … € ™ © ® ° ±",
        "emoji 😀 and \u200d joiners",
    ],
)
def test_sound_texts_of_many_languages_are_not_called_damaged(text: str):
    assert damages(text) == {}


def test_each_kind_of_damage_is_a_finding_with_ids_and_what_stands_there():
    queries, documents = audited.clean()
    documents[3]["text"] = "see AT&amp;T and \x07 bell"
    queries[2]["text"] += " lost \ufffd here"
    result = audited.audited(queries, documents)
    assert audited.number(result, "damaged_texts") == 2
    said = {one.said: one for one in result.findings}
    assert said["1 text has HTML entities such as &amp;"].examples == ["document d3: see AT&amp;T and \\x07 bell"]
    assert said["1 text has control characters"].documents.ids == ["d3"]
    lost = said["1 text has characters that were lost (U+FFFD)"]
    assert (lost.severity, lost.queries.ids) == ("warning", ["q2"])


@pytest.mark.parametrize(("sound", "advice"), [(0, "read the files"), (2, "export the damaged texts again")])
def test_an_encoding_is_named_only_where_most_texts_beyond_ascii_were_decoded_wrongly(sound: int, advice: str):
    """Two texts of five thousand were damaged before the file was written, and no encoding of the file mends them."""
    queries, documents = audited.clean()
    for document in documents[:2]:
        document["text"] += broken(" crème brûlée")
    for document in documents[2 : 2 + sound]:
        document["text"] += " crème"
    documents[9]["text"] += " lost \ufffd here" * (sound == 0)
    found = [one for one in audited.audited(queries, documents).findings if one.check == "damaged_texts"]
    assert next(one for one in found if "wrong encoding" in one.said).advice.startswith(advice)
    assert [bool(one.effect) for one in found] == [True, *[False] * (len(found) - 1)], "said once"
    for one in found:
        assert "U+FFFD" not in one.said or one.advice.startswith("take the damaged texts from their source")


def test_ids_beyond_the_examples_are_counted_as_left_out():
    queries, documents = audited.clean(documents=900)
    for one in documents:
        one["text"] += " &amp;"
    (finding,) = audited.audited(queries, documents).findings
    assert finding.count == finding.documents.count == 900
    assert finding.documents.left_out > 0
    assert finding.documents.ids == sorted(one["id"] for one in documents)[: len(finding.documents.ids)]


def test_a_token_is_four_characters_and_of_chinese_one():
    assert tokens("word " * 8) == 10
    assert tokens("被告人窃得手机") == 7
    assert tokens("被告人 wins!!") == 3 + 2


def test_long_texts_are_counted_with_the_longest_as_examples():
    queries, documents = audited.clean()
    documents[4]["text"] = "word " * 450  # of 2,250 characters
    documents[5]["text"] = "词" * 600
    queries[1]["text"] = " ".join(f"other{n}" for n in range(400))
    result = audited.audited(queries, documents)
    finding = audited.found(result)["texts_over_limit"]
    assert finding.count == 3
    assert finding.examples[:2] == ["document d5: about 600 tokens", "document d4: about 563 tokens"]
    few = audited.audited(queries, documents, settings=AuditSettings(max_tokens=10_000))
    assert "texts_over_limit" not in audited.found(few)


def test_empty_texts_of_both_sides_are_named_and_a_title_is_a_text():
    queries, documents = audited.clean()
    documents[3]["text"] = " \n"
    documents[4] = {"id": "d4", "title": "a title alone", "text": ""}
    documents[5] = {"id": "d5", "text": ""}
    queries[1]["text"] = " "
    finding = audited.found(audited.audited(queries, documents))["empty_texts"]
    assert finding.queries.ids == ["q1"]
    assert finding.documents.ids == ["d3", "d5"]
    assert (finding.said, finding.severity) == ("2 documents and 1 query have no text", "warning")
    for document in documents[: len(documents) // 2 + 1]:
        document.update(title="", text="")
    assert audited.found(audited.audited(queries, documents))["empty_texts"].severity == "error"


def test_lengths_far_from_the_others_are_noted_unless_there_are_few_texts():
    queries, documents = audited.clean()
    documents[3]["text"] = "x"
    finding = audited.found(audited.audited(queries, documents))["extreme_lengths"]
    assert finding.documents.ids == ["d3"]
    assert finding.examples == ["document d3: 1 character, judged relevant"]
    assert "extreme_lengths" not in audited.found(audited.audited(queries[:3], documents[:8]))


def test_ids_with_white_space_are_found_in_queries_documents_and_judgments():
    queries, documents = audited.clean()
    queries[0]["id"] = "q 0"
    queries[1]["judged"] = {"d\t1": 1}
    documents[9]["id"] = "d9 "
    data = audited.data(queries, documents)
    check, _ = unwritable_ids(Judged(data, None))
    assert check.count == 2
    result = audited.found(audited.audited(queries, documents))["unwritable_ids"]
    assert result.count == 3
    assert result.documents.ids == ["d\t1", "d9 "]
    assert result.examples == ["'q 0'", "'d\\t1'", "'d9 '"]


def test_ids_of_any_length_are_cut_where_they_are_shown():
    queries, documents = audited.clean()
    finding = audited.found(audited.audited(queries, [*documents, {"id": "x" * 5_000, "text": "lost \ufffd here"}]))
    (example,) = finding["damaged_texts"].examples
    assert len(example) == 400
    assert finding["damaged_texts"].documents.ids == ["x" * 5_000]


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
