"""What is wrong with judgments, by the texts of queries and of the documents that are relevant for them."""

import math
import random
import re
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import audited
import numpy as np
import pytest
from msgspec import structs

from benchbench.audit import source
from benchbench.audit.audit_run import audit
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.gold import words
from benchbench.formats.datasets.locate import locate
from benchbench.tables.hashing import text_hash


def about(queries: int = 12, documents: int = 40) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a clean set in which the two relevant documents of a query have half of its words each."""
    asked, texts = audited.clean(queries, documents)
    for n, query in enumerate(asked):
        found = query["text"].split()
        for side in range(2):
            texts[2 * n + side]["text"] += " " + " between ".join(found[side::2])
    return asked, texts


def swap(queries: list[dict[str, Any]], one: int, other: int) -> None:
    queries[one]["judged"], queries[other]["judged"] = queries[other]["judged"], queries[one]["judged"]


def test_nothing_is_found_where_documents_have_words_of_their_queries():
    assert audited.audited(*about()).findings == []


def test_judgments_of_two_queries_that_were_swapped_are_found():
    queries, documents = about()
    swap(queries, 3, 7)
    finding = audited.found(audited.audited(queries, documents))["swapped_judgments"]
    assert (finding.count, finding.severity, finding.examples) == (1, "error", ["queries q3 and q7"])
    assert finding.queries.ids == ["q3", "q7"]
    assert finding.documents.ids == ["d14", "d15", "d6", "d7"]
    assert finding.effect == "a good retriever scores about 0 for 16.7% of the queries"


def test_swapped_judgments_by_text_are_found_too():
    queries, documents = about()
    documents[2]["title"] = "a title"
    swap(queries, 0, 1)
    texts = {one["id"]: text_hash(one["text"]) for one in documents}
    given = audited.data(queries, documents, gold_by="text")
    positives = structs.replace(
        given.queries.positives,
        id=np.arange(len(given.queries.positives.id), dtype=np.uint64),  # no document's
        text=np.array([texts[name] for name in given.queries.positives.ids], np.uint64),
    )
    found = audit(replace(given, queries=replace(given.queries, positives=positives)))
    assert audited.found(found)["swapped_judgments"].examples == ["queries q0 and q1"]


def test_as_many_swaps_are_found_as_by_comparing_every_word_of_every_pair():
    rng = random.Random(7)
    queries, documents = about(16)
    for one, other in ((0, 1), (2, 9), (5, 12)):
        swap(queries, one, other)
    for query in rng.sample(queries, 5):
        query["text"] += " what is it about"
    assert audited.found(audited.audited(queries, documents))["swapped_judgments"].count == naive_swaps(
        queries, documents
    )


def naive_swaps(queries: list[dict[str, Any]], documents: list[dict[str, Any]]) -> int:
    """Return how many pairs cover each other's documents better than their own, in the plainest way."""
    bags = [set(one["text"].lower().split()) for one in queries]
    texts = {one["id"]: set(one["text"].lower().split()) for one in documents}
    having = {word: sum(word in bag for bag in bags) for bag in bags for word in bag}
    told = [{word for word in bag if having[word] <= max(1, int(0.1 * len(bags)))} for bag in bags]

    def cover(q: int, document: str) -> tuple[float, int]:
        shared = told[q] & texts[document]
        weight = {word: math.log(1 + len(bags) / having[word]) for word in told[q]}
        return sum(weight[word] for word in shared) / sum(weight.values()), len(shared)

    def best(q: int, of: int) -> float:
        found = [cover(q, one) for one in queries[of]["judged"]]
        return max((share for share, count in found if of == q or (share >= 0.15 and count >= 2)), default=0.0)

    own = [best(q, q) for q in range(len(queries))]
    usual, found = statistics.median(own), []
    for a in range(len(queries)):
        for b in range(a):
            gains = best(a, b) - own[a], best(b, a) - own[b]
            if min(gains) >= 0.05 and sum(gains) >= 0.5 and max(own[a], own[b]) < usual:
                found.append((-sum(gains), a, b))
    taken: set[int] = set()
    for _, a, b in sorted(found):
        taken |= set() if taken & {a, b} else {a, b}
    return len(taken) // 2


def test_a_query_is_swapped_with_one_other():
    queries, documents = about(30, 80)
    swap(queries, 3, 7)
    queries[9]["text"] = queries[7]["text"]
    assert audited.found(audited.audited(queries, documents))["swapped_judgments"].count == 1


def test_where_most_queries_share_no_word_with_their_documents_none_is_swapped():
    queries, documents = about(16)
    swap(queries, 3, 7)
    for n in range(8, 16):
        queries[n]["text"] = " ".join(f"word{n}x{place}" for place in range(6))
    assert "swapped_judgments" not in audited.found(audited.audited(queries, documents))


def test_queries_copied_from_their_documents_are_found_whatever_case_and_marks():
    queries, documents = about()
    for n in (2, 5):
        documents[2 * n]["text"] += f", {queries[n]['text'].upper().replace(' ', ', ')}: {audited.sentence(77 + n)}"
    documents[30]["text"] += " " + queries[8]["text"]  # which is not relevant for it
    finding = audited.found(audited.audited(queries, documents))["queries_in_positives"]
    assert (finding.count, finding.severity) == (2, "warning")
    assert finding.queries.ids == ["q2", "q5"]
    assert finding.documents.ids == ["d10", "d4"]
    assert finding.effect.startswith("for 16.7% of the queries any search by words finds the answer")


def test_short_queries_and_one_of_many_are_no_copies():
    queries, documents = about(120, 300)
    documents[0]["text"] += " " + queries[0]["text"]
    assert "queries_in_positives" not in audited.found(audited.audited(queries, documents))
    few, texts = about()
    few[1]["text"] = "four words of it"
    texts[2]["text"] += " four words of it"
    assert "queries_in_positives" not in audited.found(audited.audited(few, texts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat's 2 hats", ["the", "cat", "s", "2", "hats"]),
        ("被告人张某", ["被告", "告人", "人张", "张某"]),
        ("刑法 232 条", ["刑法", "232", "条"]),
        ("Straße", ["strasse"]),
    ],
)
def test_words_are_those_of_a_text_and_pairs_of_characters_of_scripts_without_spaces(text: str, expected: list[str]):
    assert words(text) == expected


def test_a_document_relevant_for_many_queries_is_found_with_what_it_is_worth():
    queries, documents = audited.clean(40, 100)
    for query in queries[:12]:
        query["judged"]["d99"] = 1
    finding = audited.found(audited.audited(queries, documents))["documents_relevant_for_many"]
    assert (finding.count, finding.severity, finding.documents.ids) == (1, "warning", ["d99"])
    assert finding.examples == ["d99: 12 queries"]
    assert finding.effect == "a system that returns d99 first for whatever is asked has Success@1 0.300"
    for query in queries[:3]:
        del query["judged"]["d99"]
    assert "documents_relevant_for_many" not in audited.found(audited.audited(queries, documents))


def test_a_grade_many_times_as_high_as_all_others_is_found():
    queries, documents = audited.clean(30, 80)
    queries[4]["judged"]["d8"] = 100
    queries[5]["judged"]["d10"] = 3
    finding = audited.found(audited.audited(queries, documents))["outlying_grades"]
    assert (finding.count, finding.severity, finding.queries.ids) == (1, "error", ["q4"])
    assert finding.said == "1 judgment has a grade of 100 or more, and all others have 3 at most"
    assert finding.examples == ["query q4: d8 has 100"]
    assert "33 times as much" in finding.effect


def test_a_scale_with_wide_steps_is_no_fault():
    queries, documents = audited.clean(30, 80)
    for n, query in enumerate(queries):
        query["judged"][f"d{2 * n}"] = 10 if n % 3 else 100
    assert "outlying_grades" not in audited.found(audited.audited(queries, documents))


def test_relevant_documents_that_were_cut_short_are_named_as_relevant():
    queries, documents = audited.clean()
    documents[4]["text"], documents[39]["text"] = "keeps", "folds"
    finding = audited.found(audited.audited(queries, documents))["extreme_lengths"]
    assert finding.said.endswith("; 1 of the short ones is judged relevant")
    assert finding.examples == ["document d4: 5 characters, judged relevant", "document d39: 5 characters"]
    assert finding.effect.startswith("for 1 query a relevant document may have lost the words")


def test_tags_of_html_are_found_in_documents_and_queries():
    queries, documents = audited.clean()
    documents[3]["text"] = f'<div class="x"><p>{documents[3]["text"]}</p></div>'
    documents[4]["text"] += " where a<b and b > c, of the tag <br>"
    queries[1]["text"] = f"<B>{queries[1]['text']}</B>"
    result = audited.audited(queries, documents)
    finding = audited.found(result)["markup_in_texts"]
    assert (finding.count, finding.severity) == (2, "warning")
    assert (finding.queries.ids, finding.documents.ids) == (["q1"], ["d3"])
    assert (finding.queries.left_out, finding.documents.left_out) == (0, 0)
    assert finding.said == "1 document and 1 query have tags of HTML"
    assert finding.examples[0].startswith('document d3: <div class="x"><p>')
    inside = len('<div class="x"><p></p></div><B></B>') / (len(documents[3]["text"]) + len(queries[1]["text"]))
    assert re.match(rf"{inside:.1%} of the characters", finding.effect)


NEW = ("documents_relevant_for_many", "outlying_grades", "swapped_judgments", "queries_in_positives", "markup_in_texts")


@pytest.mark.slow  # real data
@pytest.mark.parametrize("name", ["cacm", "scifact"])
def test_none_of_it_is_found_in_real_sets_and_most_swapped_judgments_are(shared_data: Path, name: str):
    given = source.audited(locate(str(shared_data / name)))
    found = audited.found(audit(given, AuditSettings(sample=1)))
    assert not found.keys() & set(NEW)
    if name == "cacm":  # whose queries have many relevant documents, so that few swaps show
        return
    order = list(range(len(given.queries)))
    chosen = random.Random(5).sample(order, 20)
    for one, other in zip(chosen[:10], chosen[10:], strict=True):
        order[one], order[other] = other, one
    old = given.queries.positives
    rows = np.concatenate([np.arange(old.of(q).start, old.of(q).stop) for q in order])
    moved = structs.replace(
        old,
        offsets=np.cumsum([0, *(old.of(q).stop - old.of(q).start for q in order)]),
        ids=[old.ids[row] for row in rows],
        id=old.id[rows],
        text=old.text[rows],
        grade=old.grade[rows],
    )
    swapped = audit(replace(given, queries=replace(given.queries, positives=moved)), AuditSettings(sample=1))
    assert 6 <= audited.found(swapped)["swapped_judgments"].count <= 10
