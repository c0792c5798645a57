"""Real data sets and the shipped one, one pass, and memory that texts do not fill."""

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import audited
import data_sets
import numpy as np

from benchbench.audit.documents import Places, read_documents
from benchbench.audit.outcome import Audit, audit
from benchbench.audit.settings import AuditSettings
from benchbench.audit.source import Audited, Document, document_of
from benchbench.audit.source import audited as of_data_set
from benchbench.formats.card import locate
from benchbench.prepare.cail import CailFile
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.tables.hashing import NO_HASH, content_digest


def of(name: str) -> Audit:
    return audit(of_data_set(locate(name), name))


def test_the_shipped_data_set_has_copies_and_groups_and_no_error():
    result = of("synthetic-cases")
    counts = {one.name: one.count for one in result.checks if one.count}
    assert counts == {
        "queries_in_collection": 200,
        "duplicate_documents": 37,
        "correlated_queries": counts["correlated_queries"],
        "labels_seen_once": 1,
    }
    assert {one.severity for one in result.findings} == {"note"}


def test_cail_has_5_facts_that_two_cases_have(shared_data: Path, tmp_path: Path):
    cases = CailFile(shared_data / "cail2018" / "data_train.json", "gb18030", False, content_digest())
    write_tiered(cases, tmp_path, Choice(queries=50), dict)
    result = of(str(tmp_path))
    assert audited.number(result, "duplicate_documents") == 5
    assert audited.number(result, "dangling_judgments") == 0
    assert audited.found(result)["duplicate_documents"].documents.count == 10


def test_bad_lines_are_counted_on_both_sides(tmp_path: Path):
    folder = data_sets.write(tmp_path)
    for name in ("tiered.jsonl", "collection.jsonl"):
        with (folder / name).open("a") as file:
            file.write('{"broken\n')
    finding = audited.found(of(str(folder)))["unreadable_records"]
    assert finding.count == 2
    assert finding.said == (
        f"1 record of {folder / 'collection.jsonl'} and 1 query record of {folder / 'tiered.jsonl'} cannot be read"
    )
    assert finding.examples == ["line 29"]


def test_each_document_is_read_once_and_no_text_is_kept():
    queries, _ = audited.clean()
    size, length = 150, 100_000
    passes = 0

    def documents() -> Iterator[tuple[int, Document | None]]:
        nonlocal passes
        passes += 1
        for number in range(size):
            yield number, document_of(number, {"id": f"d{number}", "text": f"{number} " * (length // 4)})

    plain = audited.data(queries, [])
    data = Audited("large", "large", "made", plain.queries, documents, "docs", "id")
    audit(audited.data(*audited.clean()))  # what is loaded at first use does not count
    gc.collect()
    tracemalloc.start()
    try:
        audit(data, AuditSettings(sample=50))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert passes == 1
    assert peak < size * length / 2


def test_places_are_those_of_plain_python():
    hashes = np.array([7, 9, 7, NO_HASH, 3, NO_HASH, 9, 7], np.uint64)
    places = Places(hashes)
    assert places.first(np.array([9, 8, NO_HASH, 3], np.uint64)).tolist() == [1, -1, -1, 4]
    assert places.every(7) == [0, 2, 7]
    assert places.every(NO_HASH) == places.every(8) == []
    assert places.repeated().tolist() == [True, True, True, False, False, False, True, True]
    nothing = Places(np.empty(0, np.uint64))
    assert nothing.first(np.array([1], np.uint64)).tolist() == [-1]
    assert nothing.repeated().tolist() == []


def test_a_document_is_read_under_any_usual_name_and_a_bad_one_is_none():
    assert document_of(3, {"fact": "text"}) == Document("3", "", "text", {"fact": "text"})
    assert document_of(3, {"_id": 7, "title": "t", "text": "x"}).whole == "t x"  # type: ignore[union-attr]
    for record in (None, [], {"id": ["a"], "text": "x"}, {"id": "a", "text": 5}):
        assert document_of(3, record) is None
    assert read_documents(audited.data([], None), []) is None
