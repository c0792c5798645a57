"""Relevant documents are counted in a collection as a naive twin counts them, and as the shipped card has them."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import makes
import numpy as np
import orjson
import pytest
from cases import first_of
from drawn_records import DOCUMENTS, QUERIES, TASKS
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL, Invented
from naive import id_of, text_of
from naive_rules import can_be_relevant, is_relevant

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.data_set_options import DEFAULT
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.records import Part
from benchbench.formats.tiered import read_tiered
from benchbench.tables.queries import Queries
from benchbench.tasks import missing_documents as module
from benchbench.tasks.collection_counts import CollectionCounts, relevant_in_collection
from benchbench.tasks.compiled import compiled
from benchbench.tasks.count_sentences import beyond, capped, limit_of_hits, reading
from benchbench.tasks.count_sentences import counted as count_sentences_counted
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.missing_documents import documents_of, missing_documents
from benchbench.tasks.reading import parse_tasks
from benchbench.tasks.task import Task

Record = dict[str, Any]


def read(folder: Path, queries: list[Record], tasks: tuple[Task, ...]) -> Queries:
    path = folder / "tiered.jsonl"
    lines = ({"query_id": f"q{n}", "query": query} for n, query in enumerate(queries, 1))
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return read_tiered(path, schema=compiled(tasks).schema)


def counted(
    folder: Path, queries: list[Record], documents: list[Any], tasks: tuple[Task, ...] = TASKS, **options: Any
) -> CollectionCounts:
    path = folder / "collection.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, documents)))
    return relevant_in_collection(path, read(folder, queries, tasks), compiled(tasks), **{"self_by": "text", **options})


def naive_counts(queries: list[Record], documents: list[Record], self_by: str) -> list[list[int]]:
    def is_own(number: int, query: Record, line: int, document: Record) -> bool:
        text = text_of(document) if isinstance(document.get("text", ""), str) else None
        by_id = self_by == "id" or text is None
        return text == text_of(query) or (by_id and (id_of(document) or str(line)) == f"q{number}")

    def hit(document: Record) -> Record:
        meta = document.get("meta")
        return {**document, "meta": {**document, **(meta if isinstance(meta, dict) else {})}}

    return [
        [
            0
            if task.judged
            else sum(
                is_relevant(task, query, hit(document)) is True and not is_own(number, query, line, document)
                for line, document in enumerate(documents, 1)
            )
            for task in TASKS
        ]
        for number, query in enumerate(queries, 1)
    ]


@given(
    st.lists(QUERIES, min_size=1, max_size=5),
    st.lists(DOCUMENTS, min_size=1, max_size=12),
    st.sampled_from(["text", "id"]),
)
def test_counts_are_those_of_the_naive_twin(queries: list[Record], documents: list[Record], self_by: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = counted(Path(folder), queries, documents, self_by=self_by)
    assert found.counts.tolist() == naive_counts(queries, documents, self_by)
    assert (found.documents, found.skipped_lines) == (len(documents), 0)


def test_counts_of_the_shipped_set_are_those_of_its_card() -> None:
    data = locate(DEFAULT)
    tasks = compiled(legal_cases())
    queries = read_tiered(data.queries.path, schema=tasks.schema)
    found = relevant_in_collection(data.served(), queries, tasks, "text")
    assert found.documents == data.card["collection"]["documents"]
    assert not found.counts[:, 0].any()
    for t, name in enumerate(tasks.names[1:], 1):
        assert found.counts[:, t].tolist() == [data.card["relevant"][name][query] for query in queries.ids]


def test_documents_that_are_the_query_do_not_count_and_copies_of_others_do(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    documents = [
        {"id": "q1", "text": "another", "kind": "a"},
        {"id": "x", "text": " one\r\n", "kind": "a"},
        {"id": "y", "text": "two", "kind": "a"},
        {"id": "z", "text": "two", "kind": "a"},
        {"id": "q1", "kind": "a"},
    ]
    query = {"text": "one", "kind": "a"}
    assert counted(tmp_path, [query], documents, tasks).counts.tolist() == [[3]]
    assert counted(tmp_path, [query], documents, tasks, self_by="id").counts.tolist() == [[2]]


def test_a_document_without_an_id_has_the_number_of_its_line(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    path = tmp_path / "tiered.jsonl"
    path.write_bytes(b'{"query_id": 2, "query": {"text": "one", "kind": "a"}}')
    queries = read_tiered(path, schema=compiled(tasks).schema)
    (tmp_path / "c.jsonl").write_bytes(b'{"text": "x", "kind": "a"}\n' * 3)
    for self_by, count in (("text", 3), ("id", 2)):
        found = relevant_in_collection(tmp_path / "c.jsonl", queries, compiled(tasks), self_by)
        assert found.counts.tolist() == [[count]]


def test_more_documents_than_are_encoded_at_once(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)", "near=within(n, absolute=1)"])
    documents = [{"text": f"text {n}", "kind": n % 3, "n": n} for n in range(9_000)]
    found = counted(tmp_path, [{"text": "q", "kind": 1, "n": 4_096}], documents, tasks)
    assert found.counts.tolist() == [[3_000, 3]]


@pytest.mark.parametrize("where", ["meta", "metadata", ""])
def test_a_label_counts_wherever_serve_finds_what_it_sends_in_meta(tmp_path: Path, where: str) -> None:
    labels = [{"brand": "A"}, {"brand": "A"}, {"brand": "B"}, {"brand": None}]
    documents = [{"text": f"text {n}", **({where: one} if where else one)} for n, one in enumerate(labels)]
    tasks = parse_tasks(["brand=equal(meta.brand)"])
    found = counted(tmp_path, [{"text": "q", "meta": {"brand": "A"}}], documents, tasks)
    assert found.counts.tolist() == [[2]]
    served = read_collection(tmp_path / "collection.jsonl").meta
    assert [meta.get("brand") for meta in served] == ["A", "A", "B", None]


def test_a_line_that_is_no_document_is_an_error_or_counted(tmp_path: Path) -> None:
    documents = [{"text": "x", "kind": "a"}, [], 3, {"text": "y", "kind": "a"}]
    query = {"text": "one", "kind": "a"}
    with pytest.raises(InputError, match=r"collection\.jsonl, line 2: not a JSON object"):
        counted(tmp_path, [query], documents)
    found = counted(tmp_path, [query], documents, parse_tasks(["equal=equal(kind)"]), skip_bad_lines=True)
    assert (found.counts.tolist(), found.documents, found.skipped_lines) == ([[2]], 2, 2)


def test_the_encoding_of_a_collection_is_named_or_detected(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    queries = read(tmp_path, [{"text": "one", "kind": "盗窃"}], tasks)
    line = '{"text": "二", "kind": "盗窃"}\n'
    for named, encoding in ((None, "utf-16"), ("gb18030", "gb18030")):
        path = tmp_path / encoding
        path.write_bytes(line.encode(encoding))
        found = relevant_in_collection(path, queries, compiled(tasks), "text", named)
        assert found.counts.tolist() == [[1]]


def test_counts_are_whole_numbers_a_task_and_query(tmp_path: Path) -> None:
    found = counted(tmp_path, [{"text": "a"}, {"text": "b"}], [{"text": "c"}])
    assert found.counts.shape == (2, len(TASKS))
    assert found.counts.dtype == np.int64
    assert not found.counts.any()


@pytest.mark.parametrize("others", [[], [{"text": "y", "dead": True}]])
def test_a_malformed_flag_is_a_missing_one_whatever_other_documents_have(tmp_path: Path, others: list[Record]) -> None:
    tasks = parse_tasks(["term=within(price, absolute=1, unless=['dead', 'alive'])"])
    malformed = {"text": "x", "dead": {}, "alive": True}
    found = counted(tmp_path, [{"text": "q", "alive": True}], [malformed, *others], tasks)
    assert found.counts.tolist() == [[1]]


# Judged documents that a collection does not have, and collections that are too large to look at before a run


def data_set(folder: Path, documents: dict[str, str]) -> DataSet:
    return locate(**MAKES["beir"](folder, Invented(SMALL.queries, SMALL.judgments, documents)))


def test_nothing_is_said_of_a_collection_that_has_all(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    assert missing_documents(data, read_queries(data)) == ()


def test_those_that_it_does_not_have_are_counted_with_examples(tmp_path: Path) -> None:
    data = data_set(tmp_path, {"d1": "a text", "more": "another"})
    queries = read_queries(data)
    said = (
        "3 judged documents are not in corpus.jsonl, such as d2, 17, d3: no service can return them, "
        "so the best possible recall may be below 1",
    )
    found = documents_of(data, queries)
    assert (missing_documents(data, queries), found) == (said, (2, 0, said))


def test_one_that_has_none_is_of_other_data(tmp_path: Path) -> None:
    data = data_set(tmp_path, {"x": "a text"})
    with pytest.raises(InputError, match=r"corpus.jsonl has none of the 4 documents that were judged"):
        missing_documents(data, read_queries(data))


def test_without_a_collection_or_judgments_there_is_nothing_to_say(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    queries = read_queries(data)
    assert missing_documents(replace(data, collection=None), queries) == ()
    assert documents_of(replace(data, collection=None), queries) is None
    assert missing_documents(data, read_queries(replace(data, qrels=()))) == ()


def test_a_large_one_is_not_looked_through_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_set(tmp_path, {"d1": "a text", "d2": "another"})
    queries = read_queries(data)
    monkeypatch.setattr(module, "_MOST", 10)
    (said,) = missing_documents(data, queries)
    assert said.startswith(
        "whether corpus.jsonl has every judged document was not checked because the collection is large"
    )
    found = documents_of(data, queries)
    assert found is not None
    assert found.notes[0].startswith("2 judged documents are not in corpus.jsonl")


def test_one_of_a_package_is_looked_through_up_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = makes.texts({"d1": "a", "d2": "b", "d3": "c"}, "id")
    queries = read_queries(data_set(tmp_path, SMALL.documents))
    data = replace(data_set(tmp_path, {}), collection=Part(Path("package:set"), generated=lambda: iter(rows)))
    assert missing_documents(data, queries)[0].startswith("1 judged document is not in package:set, such as 17")
    monkeypatch.setattr(module, "_MOST_DOCUMENTS", 2)
    assert "was not checked" in missing_documents(data, queries)[0]


def test_what_is_no_record_is_counted_where_that_is_asked_for(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    with (tmp_path / "corpus.jsonl").open("a") as file:
        file.write("nothing\n")
    queries = read_queries(data)
    with pytest.raises(InputError, match=r"corpus.jsonl, line 5: not JSON"):
        documents_of(data, queries)
    assert documents_of(data, queries, skip_bad_lines=True) == (4, 1, ())
    assert missing_documents(data, queries, skip_bad_lines=True) == ()


@pytest.mark.parametrize("make", first_of(*MAKES, first=5))
def test_a_collection_of_which_over_half_has_no_text_is_refused(tmp_path: Path, make: str) -> None:
    texts = {"d1": "a text", "d2": "another", "d3": "", "d4": " \n"}
    for empty in (2, 3):
        (folder := tmp_path / str(empty)).mkdir()
        documents = texts | ({"d5": ""} if empty == 3 else {})
        data = locate(**MAKES[make](folder, Invented(SMALL.queries, SMALL.judgments, documents)))
        queries = read_queries(data)
        assert data.collection is not None
        if empty == 2:
            found = documents_of(data, queries)
            assert found is not None
            assert found.number == len(read_collection(data.collection)) == 4
            continue
        said = f"3 of 5 documents of {data.collection.path} have no text, so no search can find them; are the texts in"
        with pytest.raises(InputError, match=re.escape(said)):
            documents_of(data, queries)
        with pytest.raises(InputError, match=re.escape(said)):
            read_collection(data.collection)
        assert len(read_collection(data.collection, texts=False)) == 5


# Count sentences

READ = {
    "queries": 50,
    "left_out_positives": 0,
    "queries_with_left_out_positives": 0,
    "skipped_lines": 0,
    "assumed_tiers": 0,
}


def test_nothing_is_said_where_nothing_was_left_out():
    assert reading(READ, 10) == []
    assert beyond({"without_text": 3}, 20) == []
    assert count_sentences_counted({"short_lists": 0}, 10, {"accusation": 0}, {"gold": 0}, {}) == []


def test_positives_beyond_the_limit_and_skipped_lines_have_a_sentence_each():
    counts = READ | {"left_out_positives": 1200, "queries_with_left_out_positives": 3, "skipped_lines": 2}
    assert reading(counts, 10) == [
        "1,200 positives beyond the first 10 per query were left out, in 3 of 50 queries: numbers from all would "
        "differ; --max-positives 0 takes all",
        "2 bad lines of the data set were skipped",
    ]


def test_hits_beyond_top_k_are_said_once():
    faults = {"beyond_top_k": 7, "without_text": 2}
    assert beyond(faults, 20) == ["7 hits were cut: the service sent more than --top-k 20 per query"]
    assert count_sentences_counted({}, 10, {}, {}, faults) == ["2 hits with fault: without text"]


def test_counts_that_a_result_does_not_have_are_not_said():
    said = count_sentences_counted({"short_lists": 4}, 10, {"imprisonment": 5}, {"gold": 1}, {})
    assert said == [
        "4 queries had fewer than 10 hits; ranks without a hit count as not relevant",
        "5 hits without a label for task imprisonment",
        "1 query that no hit can be relevant for in task gold",
    ]


def test_one_of_a_kind_is_said_in_the_singular():
    counts = READ | {"left_out_positives": 1, "queries_with_left_out_positives": 1, "skipped_lines": 1}
    assert [one.partition(",")[0] for one in reading(counts | {"assumed_tiers": 1}, 10)] == [
        "1 positive beyond the first 10 per query was left out",
        "1 bad line of the data set was skipped",
        "1 positive has no tier",
    ]
    assert count_sentences_counted({"short_lists": 1, "hits_named_like_positives": 1}, 10, {}, {}, {"odd {x}": 1}) == [
        "1 query had fewer than 10 hits; ranks without a hit count as not relevant",
        "1 hit has the id of a relevant document but another text, and counts as not judged",
        "1 hit with fault: odd {x}",
    ]


@pytest.mark.parametrize(
    ("bounded", "said"),
    [
        ([], ""),
        (["R@100"], ", which bounds R@100 (*)"),
        (["a", "b", "c", "d"], ", which bounds a, b, c and d (*)"),
        (["a", "b", "c", "d", "e"], ", which bounds a, b, c and 2 more (*)"),
    ],
)
def test_a_limit_of_the_service_names_the_measures_that_look_deeper(bounded: list[str], said: str):
    begin = "your API returned at most 50 hits of 120 asked"
    (sentence,) = capped({"most_hits": 50, "hits_asked": 120}, bounded)
    assert sentence.startswith(f"{begin}{said}; [pages] of a protocol description")
    (paged,) = capped({"most_hits": 50, "hits_asked": 120, "max_pages": 2}, bounded)
    assert paged == f"{begin}{said}; max_pages of the protocol description is 2"
    assert capped({}, bounded) == []


@pytest.mark.parametrize(
    ("each", "documents", "limit"),
    [
        ([50, 50, 50, 20, -1], None, {"most_hits": 50, "hits_asked": 120}),
        ([50, 50, 20, 30], None, {}),  # two may be chance
        ([50] * 4, 50, {}),
        ([120] * 4, None, {}),
        ([0] * 4, None, {}),
        ([], None, {}),
    ],
)
def test_a_limit_is_what_many_queries_got_where_there_was_more(each: list[int], documents: int | None, limit):
    card = {} if documents is None else {"collection": {"documents": documents}}
    assert limit_of_hits(np.array(each, np.int64), 120, card, None) == limit


# Queries that no hit can be relevant for are those that lack what a task compares

ANSWERABLE_TASKS = parse_tasks(
    [
        "equal=equal(kind)",
        "share=overlap(tags, least=2)",
        "alike=overlap(tags, least=2, jaccard=0.5)",
        "above=contains(tags)",
        "price=within(price, relative=0.2, same=['kind'])",
        "term=within(price, absolute=1, unless=['dead', 'alive'])",
        "passage=span(spans, least=3)",
    ]
)


SPAN = st.builds(lambda start, length: {"file": "f", "start": start, "end": start + length}, *(st.integers(0, 5),) * 2)


ANSWERABLE_QUERIES = st.fixed_dictionaries(
    {"text": st.just("text")},
    optional={
        "kind": st.sampled_from(["a", "", [], None, ["a", "b"]]),
        "tags": st.lists(st.sampled_from(["a", "b", " "]), max_size=3),
        "price": st.sampled_from([None, 0, 1.5, "2"]),
        "dead": st.booleans(),
        "alive": st.sampled_from([0, 1, None]),
        "spans": st.lists(SPAN, max_size=2),
    },
)


def answerable_read(folder: Path, *records: Record, **options: Any) -> Queries:
    path = folder / "tiered.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return read_tiered(path, **options)


@given(st.lists(ANSWERABLE_QUERIES, min_size=1, max_size=6))
def test_they_are_those_of_the_naive_twin(queries: list[Record]) -> None:
    tasks = compiled(ANSWERABLE_TASKS)
    with tempfile.TemporaryDirectory() as folder:
        found = answerable_read(Path(folder), *({"query": query} for query in queries), schema=tasks.schema)
    expected = [sum(not can_be_relevant(task, query) for query in queries) for task in ANSWERABLE_TASKS]
    assert list(tasks.lacking(found).values()) == expected


def test_a_query_without_a_positive_of_the_grade_has_no_judgments(tmp_path: Path) -> None:
    tasks = compiled(parse_tasks(["gold=judgments()", "strict=judgments(rel=5)", "never=judgments(rel=6)"]))
    queries = answerable_read(
        tmp_path,
        {"query": {"text": "a"}, "positives": [{"text": "x", "tier": 3}, {"text": "y", "tier": 1}]},
        {"query": {"text": "b"}},
        {"query": {"text": "c"}, "positives": [{"text": "x", "tier": 2}]},
        {"query": {"text": "d"}, "positives": [{"text": " d"}]},
    )
    assert list(tasks.lacking(queries).values()) == [2, 3, 4]


def test_a_case_with_a_flag_and_without_months_can_have_relevant_ones(tmp_path: Path) -> None:
    tasks = compiled(legal_cases())
    queries = answerable_read(
        tmp_path,
        {"query": {"fact": "a", "meta": {"accusation": ["[盗窃]"], "term_of_imprisonment": {"death_penalty": True}}}},
        {"query": {"fact": "b", "articles": ["264"], "imprisonment": 8}},
        {"query": {"fact": "c", "imprisonment": {"death_penalty": False}}},
        schema=tasks.schema,
    )
    assert list(tasks.lacking(queries).values()) == [3, 2, 2, 1]
