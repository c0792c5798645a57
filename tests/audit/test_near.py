"""Near-duplicates: every pair that is clearly alike, no pair that is clearly not, in memory that does not grow."""

import random
import sys

import audited
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly

from benchbench.audit import near_duplicates
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.near_duplicates import Signatures, shingles
from benchbench.formats.collection import Document
from benchbench.tables.hashing import text_hash

WORDS = [f"word{n}" for n in range(400)]


def jaccard(one: str, other: str) -> float:
    first, second = ({tuple(words[n : n + 3]) for n in range(len(words) - 2)} for words in (one.split(), other.split()))
    return len(first & second) / len(first | second)


def altered(text: str, changes: int, chance: random.Random) -> str:
    words = text.split()
    for place in chance.sample(range(len(words)), changes):
        words[place] = chance.choice(WORDS)
    return " ".join(words)


@settings(max_examples=costly(20))
@given(st.integers(0, 10_000))
def test_pairs_are_those_of_the_naive_twin(seed: int):
    chance = random.Random(seed)
    texts = [" ".join(chance.choices(WORDS, k=120)) for _ in range(15)]
    texts += [altered(text, changes, chance) for text, changes in zip(texts, (0, 1, 2, 5, 8, 20), strict=False)]
    texts = list(dict.fromkeys(texts))
    signed = Signatures([], [], 0)
    for text in texts:
        signed.add(Document(text, "", text, {}), text_hash(text))
    found = set(signed.pairs)
    for place, one in enumerate(texts):
        for other in texts[:place]:
            pair = tuple(sorted((text_hash(one), text_hash(other))))
            alike = jaccard(one, other)
            if alike >= 0.93:
                assert pair in found, alike
            if alike <= 0.65:
                assert pair not in found, alike


def test_shingles_are_of_words_or_where_most_is_chinese_of_characters():
    assert len(shingles("The cat, the HAT and the cat the hat")) == 5  # of 7 runs, two stand twice
    assert np.array_equal(shingles("The cat, the HAT"), shingles("the cat -- the hat"))
    assert len(shingles("a b")) == len(shingles("被告")) == 1
    assert len(shingles("被告人在车站，窃得手机")) == 6
    assert len(shingles("")) == len(shingles("¡!")) == 0


def test_a_near_copy_that_is_not_judged_costs_a_perfect_retriever():
    queries, documents = audited.clean(queries=4)
    documents[30]["text"] = documents[0]["text"] + " indeed"
    result = audited.audited(queries, documents)
    finding = audited.found(result)["near_duplicates"]
    assert finding.severity == "warning"
    assert finding.documents.ids == ["d0", "d30"]
    assert finding.queries.ids == ["q0"]
    assert audited.number(result, "near_loss_nDCG@10") > 0.05


def test_equal_texts_are_duplicates_and_not_near_ones():
    queries, documents = audited.clean()
    documents[31]["text"] = documents[30]["text"]
    assert audited.found(audited.audited(queries, documents)).keys() == {"duplicate_documents"}


def test_queries_that_are_nearly_a_document_or_another_query_are_found():
    queries, documents = audited.clean()
    queries[0]["text"] = documents[30]["text"] + " indeed"
    queries[1]["text"] = queries[2]["text"] + " indeed"
    finding = audited.found(audited.audited(queries, documents))["near_duplicate_queries"]
    assert finding.said.startswith("2 queries are nearly another query and 1 query is nearly a document")
    assert finding.queries.ids == ["q0", "q1", "q2"]
    assert finding.documents.ids == ["d30"]
    assert "query q0 is nearly document d30" in finding.examples


def test_a_sample_is_said_and_does_not_depend_on_the_order():
    queries, documents = audited.clean(documents=200)
    few = AuditSettings(sample=50)
    result = audited.audited(queries, documents, settings=few)
    note = "Near-copies, Near-equal queries: 50 of 200 documents were compared (--sample)"
    assert note in [one.text for one in result.record.notes]
    assert not [one for one in audited.audited(queries, documents).record.notes if "--sample" in one.text]
    first, second = Signatures([], [], 50), Signatures([], [], 50)
    for signed, rows in ((first, documents), (second, documents[::-1])):
        for one in rows:
            signed.add(Document(one["id"], "", one["text"], one), text_hash(one["text"]))
    assert first.documents == second.documents
    assert len(first.documents) == len(first._rows) == 50


def test_queries_are_sampled_as_documents_are():
    texts = [audited.sentence(n) for n in range(30)]
    hashes = list(map(text_hash, texts))
    signed = Signatures(hashes, texts, 10)
    assert signed.queries == set(sorted(hashes)[:10])
    assert signed.are_some_queries
    assert not Signatures(hashes, texts, 30).are_some_queries
    queries, documents = audited.clean(queries=12, documents=24)
    result = audited.audited(queries, documents, settings=AuditSettings(sample=10))
    said = "10 of 24 documents and 10 of 12 queries were compared (--sample)"
    assert any(one.text.endswith(said) for one in result.record.notes)


def test_one_template_in_all_documents_is_one_group_and_no_square_of_work():
    queries, _ = audited.clean(queries=2)
    documents = [{"id": f"d{n}", "text": " ".join(WORDS) + f" {n}"} for n in range(300)]
    finding = audited.found(audited.audited(queries, documents))["near_duplicates"]
    assert finding.said.startswith("300 documents in 1 group are nearly another document")


def test_without_the_library_the_check_is_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    result = audited.audited(*audited.clean())
    assert audited.number(result, "near_duplicates") is None
    assert any(
        one.text == f"not checked: Near-copies, Near-equal queries, because {near_duplicates._TAKES}"
        for one in result.record.notes
    )
