"""Judgments of nothing, equal texts judged differently, and what scores can be at most: against plain Python."""

import math

import audited
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.audit.audit_settings import AuditSettings

grades = st.sampled_from([0, 1, 2, 3])
judgments = st.lists(st.dictionaries(st.integers(0, 9).map("d{}".format), grades, max_size=6), min_size=1, max_size=5)
texts = st.lists(st.integers(0, 4), min_size=1, max_size=8)


def dcg(gains: list[float], k: int) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))


def naive(judged: list[dict[str, int]], documents: dict[str, str], k: int) -> dict[str, float | None]:
    """Return the numbers, query by query and document by document."""
    values: dict[str, list[float]] = {}
    for grade in judged:
        gains = sorted(grade.values(), reverse=True)
        relevant = sum(gain > 0 for gain in gains)
        if not relevant:
            continue
        there = {document: gain for document, gain in grade.items() if document in documents}
        lists = []
        for text in {documents[one] for one in there if there[one] > 0}:
            lists.append(sorted(grade.get(one, 0) for one, its in documents.items() if its == text))
        ranked = [gain for one in sorted(lists, key=lambda one: (-one[-1], one)) for gain in one]
        ideal = sorted((gain for gain in grade.values() if gain > 0), reverse=True)
        # What does not exist stands where it would; only equal texts push others down.
        for document, gain in grade.items():
            if document not in documents and gain > 0:
                lists.append([gain])
        ranked = [gain for one in sorted(lists, key=lambda one: (-one[-1], one)) for gain in one]
        for name, value in {
            f"possible_nDCG@{k}": dcg(sorted(there.values(), reverse=True), k) / dcg(ideal, k),
            "possible_R": sum(gain > 0 for gain in there.values()) / relevant,
            f"ceiling_P@{k}": min(k, relevant) / k,
            f"ceiling_R@{k}": min(k, relevant) / relevant,
            f"twin_loss_nDCG@{k}": 1 - dcg(ranked, k) / dcg(ideal, k),
            f"twin_loss_R@{k}": (min(k, relevant) - sum(gain > 0 for gain in ranked[:k])) / relevant,
        }.items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}


@given(judgments, texts, st.integers(1, 4))
def test_what_scores_can_be_equals_the_naive_twin(judged: list[dict[str, int]], equal: list[int], k: int):
    documents = {f"d{n}": audited.sentence(text) for n, text in enumerate(equal)}
    rows = [{"id": f"q{n}", "text": audited.sentence(100 + n), "judged": one} for n, one in enumerate(judged)]
    records = [{"id": one, "text": text} for one, text in documents.items()]
    result = audited.audited(rows, records, settings=AuditSettings(cutoff=k))
    wanted = naive(judged, documents, k)
    for name in ("possible_nDCG", "possible_R", "ceiling_P", "ceiling_R", "twin_loss_nDCG", "twin_loss_R"):
        full = name if name == "possible_R" else f"{name}@{k}"
        found = audited.number(result, full)
        assert found == (pytest.approx(wanted[full], abs=1e-12) if wanted else None), full
    missing = sum(document not in documents for one in judged for document in one)
    assert audited.number(result, "dangling_judgments") == missing


def test_copies_of_the_query_are_no_twins_for_they_are_removed():
    queries, documents = audited.clean()
    queries[0]["text"] = documents[30]["text"] = documents[0]["text"]
    result = audited.audited(queries, documents)
    assert "twins_judged_differently" not in audited.found(result)
    own = audited.found(result)["queries_in_collection"]
    assert own.severity == "error"
    assert own.queries.ids == ["q0"]
    assert own.documents.ids == ["d0", "d30"]
    assert "1 query is judged relevant for itself" in own.said


def test_twins_that_are_judged_alike_are_copies_and_no_error():
    queries, documents = audited.clean()
    documents[1]["text"] = documents[0]["text"]  # both are relevant for q0
    found = audited.found(audited.audited(queries, documents))
    assert found.keys() == {"duplicate_documents"}
    assert found["duplicate_documents"].examples == ["d0, d1"]


def test_the_effect_of_a_twin_is_that_of_a_ranking_with_the_twin_first():
    queries, documents = audited.clean(queries=4)
    documents[30]["text"] = documents[0]["text"]
    result = audited.audited(queries, documents)
    finding = audited.found(result)["twins_judged_differently"]
    loss = 1 - (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert audited.number(result, "twin_loss_nDCG@10") == pytest.approx(loss / 4, abs=1e-12)
    assert audited.number(result, "twin_loss_R@10") == 0.0
    assert finding.effect == (
        f"a perfect retriever that returns the lower-judged one first loses {loss / 4:.3f} in nDCG@10 and 0.000 in "
        "R@10, over 4 queries"
    )
    assert finding.examples == ["query q0: d0 is judged higher than d30"]


def test_judgments_by_text_judge_equal_texts_alike():
    queries, documents = audited.clean()
    documents[30]["text"] = documents[0]["text"]
    found = audited.found(audited.audited(queries, documents, gold_by="text"))
    assert found.keys() == {"duplicate_documents"}


def test_an_id_that_is_written_otherwise_is_named():
    queries, documents = audited.clean()
    queries[0]["judged"] = {"D07": 1, "d8.0": 1, "gone": 1}
    finding = audited.found(audited.audited(queries, documents))["dangling_judgments"]
    assert finding.count == 3
    assert finding.examples == ["query q0: 3 of 3 judgments (D07, d8.0, gone)"]
    assert (
        finding.advice == "rename 2 ids in 2 judgments: D07 → d7; restore 1 missing document, or leave out 1 judgment"
    )
    ((query, shown),) = finding.pairs
    assert (query.id, shown.id, shown.mark) == ("q0", "d7", "D07 → d7"), "with the text of the document that it is"


def test_equal_queries_say_whether_they_are_judged_differently():
    queries, documents = audited.clean()
    queries[3]["text"] = queries[4]["text"]
    finding = audited.found(audited.audited(queries, documents))["equal_queries"]
    assert (finding.severity, finding.count, finding.queries.ids) == ("warning", 1, ["q3", "q4"])
    queries[3]["judged"] = dict(queries[4]["judged"])
    finding = audited.found(audited.audited(queries, documents))["equal_queries"]
    assert finding.severity == "note"


def test_an_id_of_a_query_and_a_document_collides_unless_it_is_the_same_text():
    queries, documents = audited.clean()
    queries[0] |= {"id": "d1"}  # which is relevant for it
    queries[2] |= {"id": "d30", "text": documents[30]["text"]}
    found = audited.found(audited.audited(queries, documents))
    assert found.keys() == {"colliding_ids", "queries_in_collection"}
    assert found["colliding_ids"].queries.ids == ["d1"]
    assert found["colliding_ids"].severity == "warning"
    assert "1 judgment of them would be lost" in found["colliding_ids"].effect
