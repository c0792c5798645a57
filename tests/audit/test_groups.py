"""Queries that are not independent, splits that share some, and labels that one query or no document has."""

import math

import audited
import polars as pl
import pytest

from benchbench.errors import InputError


def test_a_column_with_groups_is_noted_with_how_much_too_narrow_intervals_are():
    queries, documents = audited.clean(queries=12)
    columns = pl.DataFrame({"topic": [f"t{n // 2}" for n in range(12)], "own": [f"o{n}" for n in range(12)]})
    finding = audited.found(audited.audited(queries, documents, columns=columns))["correlated_queries"]
    assert finding.said == "12 queries have the same value of topic as another one (6 groups, the largest of 2)"
    assert finding.effect.startswith(f"intervals are up to {math.sqrt(2):.2f} times too narrow")
    assert finding.advice == "take intervals by group: --cluster topic"
    named = audited.audited(queries, documents, columns=columns, cluster="topic")
    assert audited.found(named)["correlated_queries"].advice.endswith(", as the data set says")


def test_columns_of_numbers_few_groups_and_few_shared_values_are_not_noted():
    queries, documents = audited.clean(queries=12)
    columns = pl.DataFrame(
        {
            "year": [1990 + n // 2 for n in range(12)],
            "half": [f"h{n // 6}" for n in range(12)],
            "few": [f"f{max(n, 4)}" for n in range(12)],
            "none": [None] * 12,
        },
        schema_overrides={"none": pl.String},
    )
    assert audited.audited(queries, documents, columns=columns).findings == []


def test_queries_with_the_same_relevant_documents_are_groups():
    queries, documents = audited.clean(queries=12)
    for n in range(0, 12, 2):
        queries[n + 1]["judged"] = dict(reversed(queries[n]["judged"].items()))
    finding = audited.found(audited.audited(queries, documents))["correlated_queries"]
    assert finding.said.startswith("12 queries have the same relevant documents as another one (6 groups")


def test_queries_of_other_splits_are_found_by_id_and_by_text():
    queries, documents = audited.clean()
    splits = {
        "train": {"other": queries[3]["text"] + " ", "q5": "another text", "t1": "of its own"},
        "dev": {"d1": "of its own", "d2": ""},
    }
    result = audited.audited(queries, documents, splits=splits)
    finding = audited.found(result)["shared_between_splits"]
    assert finding.queries.ids == ["q3", "q5"]
    assert finding.said == "this split shares 2 queries with train"
    assert finding.examples == ["train: q3, q5"]
    assert "16.7% of the queries" in finding.effect
    clean = audited.audited(queries, documents, splits={"dev": splits["dev"]})
    assert audited.number(clean, "shared_between_splits") == 0.0


def test_label_values_of_one_query_and_of_no_document_are_found():
    queries, documents = audited.clean(queries=4)
    for query, brand in zip(queries, ("Acme", ["Acme", "Bolt"], "Cord", "Cord"), strict=True):
        query["brand"] = brand
    for n, brand in enumerate(("Acme", "Bolt")):
        documents[n]["brand"] = brand
    result = audited.audited(queries, documents, audited.BRAND)
    found = audited.found(result)
    assert found["labels_seen_once"].examples == ["Bolt: query q1"]
    assert found["labels_without_documents"].examples == ["Cord: query q2"]
    assert found["labels_without_documents"].queries.ids == ["q2", "q3"]
    assert audited.number(result, "labels_without_documents") == 1


def test_the_query_itself_is_no_document_that_has_its_label():
    queries, documents = audited.clean(queries=4)
    for query in queries:
        query["brand"] = "Acme"
    documents[30] |= {"text": queries[0]["text"], "brand": "Acme"}
    found = audited.found(audited.audited(queries, documents, audited.BRAND))
    assert found["labels_without_documents"].queries.ids == ["q0"]  # for the others there is that document
    documents[31]["meta"] = {"brand": "Acme"}
    assert "labels_without_documents" not in audited.found(audited.audited(queries, documents, audited.BRAND))


def test_equal_texts_with_other_labels_are_found():
    queries, documents = audited.clean(queries=4)
    queries[0]["brand"] = "Acme"
    for n, brand in ((1, "Acme"), (2, "Acme"), (20, "Acme"), (21, "Acme"), (22, ["Acme", "Bolt"])):
        documents[n]["brand"] = brand
    documents[21]["text"] = documents[20]["text"]
    assert "twins_labelled_differently" not in audited.found(audited.audited(queries, documents, audited.BRAND))
    documents[22]["text"] = documents[20]["text"]
    finding = audited.found(audited.audited(queries, documents, audited.BRAND))["twins_labelled_differently"]
    assert finding.said == "1 text has copies under other ids with another brand"
    assert finding.documents.ids == ["d20", "d21", "d22"]


def test_a_collection_without_a_document_is_refused():
    queries, _ = audited.clean()
    with pytest.raises(InputError, match="docs has no document that can be read, and 2 that cannot"):
        audited.audited(queries, [None, {"id": ["a"]}])
