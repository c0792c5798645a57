"""Texts of what a judge is asked about."""

import json
from pathlib import Path

import pytest

from benchbench.errors import InputError
from benchbench.formats.records import Part
from benchbench.formats.trec import token
from benchbench.judging.relevance import pair_texts
from benchbench.judging.relevance.pair_texts import PairTexts, Spool, add_documents, add_queries


def collection(folder: Path, *rows: object) -> Part:
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return Part(path)


def test_texts_come_back_whole_from_memory_and_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wanted = {f"d{n}": f"文書{n} " * n for n in range(1, 200)}
    part = collection(tmp_path, *({"_id": one, "title": "", "text": text} for one, text in wanted.items()))
    for most in (1 << 26, 100):
        monkeypatch.setattr(pair_texts, "_IN_MEMORY", most)
        with Spool(tmp_path) as spool:
            texts = PairTexts(spool)
            add_documents(texts, part, set(wanted) - {"d7"})
            assert len(texts) == 198
            assert texts.get("d7") is None
            for one in ("d199", "d1", "d100"):
                assert texts.get(one) == wanted[one]


def test_a_document_is_read_behind_its_title(tmp_path: Path):
    part = collection(tmp_path, {"_id": "d", "title": "刑法", "text": "第二百六十四条"})
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"d"})
        assert texts.get("d") == "刑法 第二百六十四条"


def test_what_is_missing_empty_or_cannot_be_read_has_no_text(tmp_path: Path):
    part = collection(tmp_path, {"_id": "a", "text": " "}, ["no", "object"], {"_id": "b"}, {"_id": "c", "text": "C"})
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"a", "b", "c", "absent"})
        assert [texts.get(one) for one in ("a", "b", "c", "absent")] == [None, None, "C", None]


def test_of_two_documents_with_one_id_the_first_counts(tmp_path: Path):
    part = collection(
        tmp_path, {"_id": "a", "text": "first"}, {"_id": "a", "text": "second"}, {"_id": "b", "text": "B"}
    )
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"a", "b"})
        assert texts.get("a") == "first"


def test_ids_of_runs_are_found_whether_they_were_written_as_fields_or_not(tmp_path: Path):
    part = collection(
        tmp_path, {"_id": "d 1", "text": "one"}, {"_id": "50%", "text": "half"}, {"_id": "d%202", "text": "two"}
    )
    wanted = {token("d 1"), token("50%"), "d%202"}
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, wanted)
        assert [texts.get(one) for one in (token("d 1"), token("50%"), "d%202")] == ["one", "half", "two"]


def test_a_collection_is_read_no_further_than_needed(tmp_path: Path):
    part = collection(tmp_path, *({"_id": f"d{n}", "text": "x"} for n in range(50_000)))
    with part.path.open("ab") as file:
        file.write(b"\xff\xfe broken")
    with Spool() as spool:
        texts = PairTexts(spool)
        add_documents(texts, part, {"d3"})
        assert len(texts) == 1


def test_texts_of_queries_are_whole(tmp_path: Path):
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(json.dumps({"_id": f"q{n}", "text": f"{n} " * 5000}) + "\n" for n in range(20)))
    with Spool() as spool:
        texts = PairTexts(spool)
        add_queries(texts, Part(path), {"q3", "q19", "q77"})
        assert texts.get("q19") == "19 " * 5000
        assert texts.get("q77") is None


def test_what_is_no_collection_is_refused(tmp_path: Path):
    with Spool() as spool, pytest.raises(InputError, match="is no collection: none of its lines is a JSON object"):
        add_documents(PairTexts(spool), collection(tmp_path, 1, 2), {"a"})
