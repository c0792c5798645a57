"""A data set in which nothing is wrong, and one in which each thing is: what is found does not depend on any order."""

import functools
import random
from typing import Any

import audited
import orjson
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly

from benchbench.audit.audit_run import CHECKS, Audit, names
from benchbench.audit.audit_settings import AuditSettings
from benchbench.report.draw import draw
from benchbench.results.record import plain


def test_nothing_is_found_in_a_clean_set():
    result = audited.audited(*audited.clean())
    assert result.findings == []
    assert {one.check: one.count for one in result.checks if one.count is not None} == dict.fromkeys(
        [check.name for check in CHECKS if check.name not in SKIPPED], 0
    )
    assert {one.check: one.skipped for one in result.checks if one.skipped} == SKIPPED
    shown = " ".join(draw(result, "text").split())
    assert "24 checks passed, nothing was found in 12 queries, 24 judgments, 40 documents" in shown
    assert "Not run 4 checks: the data set has one split; the queries have no labels" in shown


SKIPPED = {
    "shared_between_splits": "the data set has one split",
    "labels_seen_once": "the queries have no labels",
    "labels_without_documents": "the queries have no labels",
    "twins_labelled_differently": "the queries have no labels",
}


def test_the_numbers_of_the_record_are_those_that_gates_may_name():
    result = audited.audited(*audited.clean(), settings=AuditSettings(cutoff=3))
    numbers = [one.name for one in result.record.numbers]
    assert sorted(numbers) == sorted(names(AuditSettings(cutoff=3), False))


def faulty() -> tuple[list[dict[str, Any]], list[Any]]:
    """Return a clean set with a fault of most kinds planted."""
    queries, documents = audited.clean(queries=30, documents=120)
    queries[0]["judged"]["gone"] = 1
    queries[1]["text"] = documents[50]["text"]
    queries[2]["judged"] = {}
    queries[3]["judged"] |= {f"d{n}": 1 for n in range(90, 105)}
    queries[4]["text"] = queries[5]["text"]
    queries[6]["id"] = "d70"
    queries[7]["text"] = documents[71]["text"].replace(" ", "  ").upper() + " more"
    documents[72]["text"] = documents[16]["text"]  # judged for q8
    documents[73]["text"] = documents[18]["text"] + " again"  # judged for q9
    documents[74]["text"] = ""
    documents[75]["text"] = "x"
    documents[76]["text"] = "word " * 1000
    documents[77]["text"] += " cafÃ©s"
    documents[78]["text"] += " lost \ufffd"
    documents[79]["text"] += " &amp;"
    documents[80]["text"] += " \x07"
    documents[81]["text"] += " cafe\u0301"
    documents[82]["id"] = "d 82"
    documents[83]["id"] = "d84"
    documents.append({"id": ["none"], "text": "t"})
    return queries, documents


PLANTED = {
    "unreadable_records": 1,
    "repeated_ids": 1,
    "colliding_ids": 1,
    "unwritable_ids": 1,
    "dangling_judgments": 1,
    "queries_without_positives": 1,
    "queries_beyond_cutoff": 1,
    "queries_in_collection": 1,
    "duplicate_documents": 1,
    "twins_judged_differently": 1,
    "equal_queries": 1,
    "near_duplicates": 2,
    "near_duplicate_queries": 1,
    "empty_texts": 1,
    "extreme_lengths": 2,
    "texts_over_limit": 1,
    "damaged_texts": 5,
}


def test_each_planted_fault_is_found_and_nothing_else():
    result = audited.audited(*faulty())
    assert {one.check: one.count for one in result.checks if one.count} == PLANTED


@functools.cache
def found_in_order() -> Any:
    return _found(audited.audited(*faulty()))


@settings(max_examples=costly(10))
@given(st.randoms(use_true_random=False))
def test_the_order_of_queries_and_documents_changes_nothing(chance: random.Random):
    queries, documents = faulty()
    chance.shuffle(queries)
    chance.shuffle(documents)
    assert _found(audited.audited(queries, documents)) == found_in_order()


def _found(result: Audit) -> Any:
    findings = plain(result.findings)
    for one in findings:
        if one["check"] == "unreadable_records":
            one["examples"] = []  # numbers of lines
    return findings, {one.name: one.value for one in result.record.numbers}


def test_without_a_collection_what_needs_one_is_not_done():
    queries, _ = audited.clean()
    result = audited.audited(queries, None)
    skipped = {one.check for one in result.checks if one.skipped == "there is no collection"}
    assert skipped == {
        "repeated_ids",
        "colliding_ids",
        "dangling_judgments",
        "swapped_judgments",
        "queries_in_positives",
        "queries_in_collection",
        "duplicate_documents",
        "twins_judged_differently",
        "near_duplicates",
    }
    assert audited.number(result, "dangling_judgments") is None
    reasons = {number.name: number.failed for number in result.record.numbers if number.failed}
    assert {name for name, why in reasons.items() if why == "there is no collection"} == skipped
    assert result.findings == []


def test_findings_stand_with_the_worst_first():
    severities = [one.severity for one in audited.audited(*faulty()).findings]
    assert severities == sorted(severities, key=("error", "warning", "note").index)
    assert set(severities) == {"error", "warning", "note"}


@pytest.mark.parametrize("form", ["markdown", "latex", "html", "summary"])
def test_people_are_shown_each_finding(form: str):
    shown = draw(audited.audited(*faulty()), form)
    assert "1 judgment of 1 query names a document that does not exist" in shown
    assert "1 document and" not in shown


def test_a_terminal_names_each_check_that_found_something_with_its_count():
    result = audited.audited(*faulty())
    shown = " ".join(draw(result, "text").lower().split())
    titles = {check.name: check.title.lower() for check in CHECKS}
    for name, count in PLANTED.items():
        title = titles[name]
        handled = name == "queries_in_collection" and "handled the text" in shown
        assert handled or f"{title} {count}" in shown or f"{title} ({count})" in shown, name


def test_rows_of_csv_are_the_checks_and_lines_of_json_the_findings():
    result = audited.audited(*faulty())
    rows = pl.read_csv(draw(result, "csv").encode())
    counts = dict(zip(rows["check"], rows["count"], strict=True))
    assert list(counts) == [check.name for check in CHECKS]
    assert {name: count for name, count in counts.items() if count} == PLANTED
    lines = [orjson.loads(line) for line in draw(result, "jsonl").splitlines()]
    assert lines == orjson.loads(draw(result, "json"))["findings"]
    assert {one["check"] for one in lines} == set(PLANTED)


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex", "html", "summary"])
def test_hostile_ids_texts_and_columns_are_shown_on_lines_of_their_own(form: str):
    hostile = ("\x1b[31mred", "a\nError: forged", "\u202eright", "|a|\t<b>")
    queries, documents = audited.clean(queries=len(hostile))
    for n, name in enumerate(hostile):
        queries[n] |= {"id": name, "judged": {name: 1}, "brand": [name, "Acme"]}
        documents[n] |= {"id": name, "text": f"{name} {documents[n]['text']} \x07"}
        documents[20 + n]["text"] = documents[n]["text"]
    columns = pl.DataFrame({hostile[0]: ["x", "x", "y", "y"]})
    shown = draw(audited.audited(queries, documents, audited.BRAND, columns=columns), form)
    assert all(one.isprintable() or one == "\n" for one in shown)
