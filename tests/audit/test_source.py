"""Real data sets and the shipped one, one pass, and memory that texts do not fill."""

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import audited
import data_sets
import numpy as np
import pytest

from benchbench.audit.audit_run import Audit, audit
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.documents import Places, read_documents
from benchbench.audit.source import Audited
from benchbench.audit.source import audited as of_data_set
from benchbench.formats.collection import Document
from benchbench.formats.datasets.locate import locate
from benchbench.prepare.cail import CailFile
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.tables.hashing import NO_HASH, content_digest


def of(name: str) -> Audit:
    return audit(of_data_set(locate(name)))


@pytest.mark.slow  # the whole data set
def test_the_shipped_data_set_has_copies_and_groups_and_no_error():
    result = of("synthetic-cases")
    counts = {one.check: one.count for one in result.checks if one.count}
    assert counts == {
        "queries_in_collection": 200,
        "duplicate_documents": 37,
        "correlated_queries": counts["correlated_queries"],
        "labels_seen_once": 1,
    }
    assert {one.severity for one in result.findings} == {"note"}


@pytest.mark.slow  # a real data set
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


@pytest.mark.slow  # every allocation is traced
def test_each_document_is_read_once_and_no_text_is_kept():
    queries, _ = audited.clean()
    size, length = 150, 10_000
    passes = 0

    def documents() -> Iterator[tuple[int, Document | None]]:
        nonlocal passes
        passes += 1
        for number in range(size):
            yield number, audited.document_of(number, {"id": f"d{number}", "text": f"{number} " * (length // 4)})

    plain = audited.data(queries, [])
    data = Audited(
        name="large", source="large", make="made", queries=plain.queries, documents=documents, collection="docs",
        gold_by="id",
    )  # fmt: skip
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


def test_without_a_collection_there_is_no_table():
    assert read_documents(audited.data(audited.clean()[0], None), []) is None


def beir(folder: Path) -> Path:
    """Write a data set with three splits: `train` shares a text with `test`, and `dev` judges unknown queries."""
    (folder / "qrels").mkdir(parents=True)
    for name, front, texts in (("queries", "q", (0, 1, 2, 3, 0, 1)), ("corpus", "d", range(50, 56))):
        rows = [{"_id": f"{front}{n}", "text": audited.sentence(text)} for n, text in enumerate(texts)]
        data_sets.write_lines(folder / f"{name}.jsonl", rows)
    for split, judged in {"test": ("q0", "q1"), "train": ("q3", "q4"), "dev": ("other",)}.items():
        lines = ["query-id\tcorpus-id\tscore", *(f"{query}\td{n}\t1" for n, query in enumerate(judged))]
        (folder / "qrels" / f"{split}.tsv").write_text("\n".join(lines) + "\n")
    return folder


def test_splits_of_a_folder_are_compared_and_one_that_cannot_be_read_is_said(tmp_path: Path):
    result = of(str(beir(tmp_path / "data")))
    finding = audited.found(result)["shared_between_splits"]
    assert finding.said == "this split shares 1 query with train"
    assert finding.queries.ids == ["q0"]
    assert result.record.notes[0].text.startswith("4 queries of queries.jsonl have no judgment")
    assert result.record.notes[1].text.startswith("the split dev was not compared: no query of")


def test_judgments_of_the_query_itself_are_seen_where_ids_are_shared(tmp_path: Path):
    folder = beir(tmp_path / "data")
    with (folder / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "q0", "text": "of its own"}\n')
    with (folder / "qrels" / "test.tsv").open("a") as file:
        file.write("q0\tq0\t1\n")
    finding = audited.found(of(str(folder)))["colliding_ids"]
    assert finding.severity == "error"
    assert finding.effect.startswith("self-retrieval by id, the default of these data, removes these documents")
    assert finding.effect.endswith("; 1 judgment of them would be lost")


@pytest.mark.slow  # a real data set
def test_cacm_has_55_judgments_of_documents_that_do_not_exist(shared_data: Path):
    result = of(str(shared_data / "cacm"))
    finding = audited.found(result)["dangling_judgments"]
    assert finding.count == 55
    assert finding.queries.count == 19
    assert finding.queries.ids[:2] == ["10", "13"]
    assert finding.advice == "rename 46 ids in 55 judgments: CACM-115 → CACM-0115"
    assert audited.number(result, "possible_R") == pytest.approx(0.9514, abs=5e-5)
    assert result.record.notes[0].text.startswith("12 queries of queries.jsonl have no judgment")


@pytest.mark.slow  # a real data set
def test_scifact_has_damaged_and_long_texts_and_nothing_else(shared_data: Path):
    result = of(str(shared_data / "scifact"))
    assert {one.check for one in result.findings} == {"damaged_texts", "texts_over_limit"}
    damage = {one.said.partition(" ")[2]: one.count for one in result.findings}
    assert damage["texts were decoded with a wrong encoding, as in Ã© for é"] == 2
