"""Judgments by grade and hits by rank, as columns; naive twins beside them."""

import itertools
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest
from cases import check_each, check_rows
from hit_lists import assert_same, hits_of, label_columns
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.tables import qrels_runs
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.frames import hit_frame
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema
from benchbench.tables.paired import Paired
from benchbench.tables.qrels_runs import QrelsTable, RankedRun, Rankings, joined, judgments, rankings
from benchbench.tables.rows import Rows
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import Judging, judging_of

Row = tuple[str, float]


ids = st.text("ab1é法", min_size=1, max_size=2)


values = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 1.0000000000000002, math.inf])


rows = st.lists(st.tuples(ids, values), min_size=1, max_size=25)


queries = st.dictionaries(ids, rows, min_size=1, max_size=4)


def made(given: dict[str, list[Row]], subtopics: list[str] | None = None) -> Borrowed[Rows]:
    documents = [document for found in given.values() for document, _ in found] + (subtopics or [])
    numbers = np.array([value for found in given.values() for _, value in found], np.float64)
    sizes = [len(found) for found in given.values()]
    return Borrowed.of(lambda: Rows.of(list(given), sizes, documents, numbers.copy()))


def ranked(given: dict[str, list[Row]], ties: str, strict: bool = False) -> Rankings:
    return rankings(made(given), ties, strict, "run").kept()


def hashed(documents: list[str]) -> list[int]:
    return Rows.of(["q"], [len(documents)], documents, np.zeros(len(documents))).document.tolist()


def deduplicated(documents: list[str]) -> list[str]:
    return list(dict.fromkeys(documents))


def parts(table: Any, column: str) -> list[list[Any]]:
    ends = table.offsets.tolist()
    return [getattr(table, column)[a:b].tolist() for a, b in pairwise(ends)]


# Hits


@given(queries)
def test_hits_stand_by_score_then_by_id_descending_in_bytes_and_each_once(given: dict[str, list[Row]]):
    table = ranked(given, "trec")
    wanted = [
        deduplicated([d for d, _ in sorted(found, key=lambda row: (row[1], row[0].encode()), reverse=True)])
        for found in given.values()
    ]
    assert parts(table, "document") == [hashed(documents) for documents in wanted]
    assert table.duplicates == sum(map(len, given.values())) - sum(map(len, wanted))


@given(queries)
def test_with_ties_as_they_came_the_order_is_that_of_the_rows(given: dict[str, list[Row]]):
    table = ranked(given, "input")
    assert parts(table, "document") == [hashed(deduplicated([d for d, _ in found])) for found in given.values()]


@given(queries)
def test_a_hit_is_tied_if_the_one_above_has_its_score(given: dict[str, list[Row]]):
    table = ranked(given, "expected")
    for tied, found in zip(parts(table, "tied"), given.values(), strict=True):
        best: dict[str, float] = {}
        for document, value in found:
            best[document] = max(value, best.get(document, -math.inf))
        scores = sorted(best.values(), reverse=True)
        assert tied[1:] == [a == b for a, b in pairwise(scores)]
    assert ranked(given, "trec").tied.size == 0


@given(queries, st.randoms())
def test_the_digest_of_a_run_is_of_its_rankings_in_any_order_of_queries_and_rows(
    given: dict[str, list[Row]], rng: random.Random
):
    order = list(given)
    rng.shuffle(order)
    shuffled = {query: rng.sample(given[query], len(given[query])) for query in order}
    digests = [RankedRun("", "trec", ranked(one, "trec")).digest for one in (given, shuffled)]
    assert digests[0] == digests[1]


def test_the_digest_of_a_run_changes_with_each_rank_document_and_query():
    given = [
        {"a": [("x", 2.0), ("y", 1.0)]},
        {"a": [("x", 1.0), ("y", 2.0)]},
        {"b": [("x", 2.0), ("y", 1.0)]},
        {"a": [("x", 2.0), ("z", 1.0)]},
        {"a": [("x", 2.0)]},
        {"a": [("x", 2.0), ("y", 1.0)], "b": [("x", 1.0)]},
        {"a": [("x", 2.0)], "b": [("y", 1.0)]},
    ]
    assert len({RankedRun("", "trec", ranked(one, "trec")).digest for one in given}) == len(given)


@given(queries, st.sampled_from(["trec", "expected"]))
def test_rankings_are_cut_and_joined_between_queries(given: dict[str, list[Row]], ties: str):
    table = ranked(given, ties)
    for cut in range(len(given) + 1):
        again = Rankings.concatenated([table.between(0, cut), table.between(cut, len(given))])
        for column in ("query", "offsets", "document", "tied", "fingerprint"):
            assert np.array_equal(getattr(again, column), getattr(table, column))


def test_a_run_is_cut_into_stretches_of_whole_queries(monkeypatch: pytest.MonkeyPatch):
    run = RankedRun("", "trec", ranked({f"q{i}": [("x", 1.0)] * (i % 3 + 1) for i in range(10)}, "trec"))
    for workers in (1, 3, 20):
        monkeypatch.setattr(qrels_runs, "THREADS", workers)
        monkeypatch.setattr(qrels_runs, "_MANY", 1)
        pieces = [shard.kept() for shard in run.shards()]
        assert len(pieces) <= workers
        assert np.array_equal(np.concatenate([piece.query for piece in pieces]), run.rankings.query)
    assert run.gathered() is run
    assert len(run) == 10


# Judgments


@given(st.dictionaries(ids, st.dictionaries(ids, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), max_size=9), min_size=1))
def test_judgments_stand_by_grade_descending(given: dict[str, dict[str, float]]):
    table = judgments(made({query: list(found.items()) for query, found in given.items()}), "qrels")
    assert table.ids == list(given)
    for documents, grades, found in zip(parts(table, "document"), parts(table, "grade"), given.values(), strict=True):
        assert grades == sorted(found.values(), reverse=True)
        assert dict(zip(documents, grades, strict=True)) == dict(zip(hashed(list(found)), found.values(), strict=True))


def test_a_judgment_given_twice_is_counted_and_with_another_grade_an_error():
    assert judgments(made({"a": [("x", 1.0), ("y", 0.0), ("x", 1.0)]}), "qrels").duplicates == 1
    with pytest.raises(
        InputError, match=r"^qrels judges document x of query b twice, with different grades; keep one$"
    ):
        judgments(made({"a": [("x", 1.0)], "b": [("x", 1.0), ("x", 2.0)]}), "qrels")


def table_of(given: dict[str, list[Row]], subtopics: list[str] | None = None) -> QrelsTable:
    return judgments(made(given, subtopics), "qrels")


def test_the_digest_of_judgments_changes_with_each_grade_and_not_with_their_order():
    one = table_of({"a": [("x", 1.0), ("y", 0.0)], "b": [("x", 2.0)]}).digest
    assert table_of({"b": [("x", 2.0)], "a": [("y", -0.0), ("x", 1.0)]}).digest == one
    assert table_of({"a": [("x", 1.0), ("y", 0.0)], "b": [("x", 1.0)]}).digest != one
    assert table_of({"a": [("x", 1.0), ("y", 0.0), ("x", 1.0)], "b": [("x", 2.0)]}).digest == one


@given(
    st.lists(
        st.dictionaries(ids, st.dictionaries(ids, values.filter(math.isfinite), min_size=1), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_parts_that_share_no_query_are_joined_to_what_the_whole_gives(given: list[dict[str, dict[str, float]]]):
    tables = [table_of({query: list(found.items()) for query, found in part.items()}) for part in given]
    whole: dict[str, list[Row]] = {query: list(found.items()) for part in given for query, found in part.items()}
    table = joined(tables)
    if len(whole) < sum(map(len, given)):
        assert table is None
        return
    assert table is not None
    wanted = table_of(whole)
    assert (table.ids, table.digest) == (wanted.ids, wanted.digest)
    for column in ("query", "offsets", "document", "grade", "fingerprint"):
        assert np.array_equal(getattr(table, column), getattr(wanted, column))


# Subtopics


def test_with_one_subtopic_throughout_there_are_none():
    assert table_of({"a": [("x", 0.0)], "b": [("x", 1.0)]}, ["1", "1"]).subtopics is None
    with pytest.raises(InputError, match="judges document x of query a twice"):
        table_of({"a": [("x", 0.0), ("x", 1.0)]}, ["1", "1"])


def test_parts_that_name_other_subtopics_are_not_joined():
    one, two = (table_of({query: [("x", 1.0)]}, [subtopic]) for query, subtopic in (("a", "1"), ("b", "2")))
    assert joined([one, two]) is None
    assert joined([one, table_of({"b": [("x", 1.0)]}, ["1"])]) is not None


def test_two_grades_for_one_subtopic_are_an_error_and_a_judgment_for_each_of_two_is_not_given_twice():
    with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
        table_of({"a": [("x", 0.0), ("x", 1.0), ("x", 0.0)]}, ["1", "1", "2"])
    assert table_of({"a": [("x", 1.0), ("x", 1.0)]}, ["1", "2"]).duplicates == 0
    assert table_of({"a": [("x", 1.0), ("x", 1.0), ("x", 1.0)]}, ["1", "2", "1"]).duplicates == 1


def test_the_digest_of_judgments_changes_with_their_subtopics():
    one, two, three = (
        table_of({"a": [("x", 1.0), ("y", 1.0), ("z", 1.0)]}, list(subtopics)) for subtopics in ("112", "122", "111")
    )
    assert len({one.digest, two.digest, three.digest}) == 3
    assert three.digest == table_of({"a": [("x", 1.0), ("y", 1.0), ("z", 1.0)]}).digest


# Rows as they came: made of dictionaries and of spans, joined, and gathered by query

rows_ids = st.text("ab1é法\n", min_size=1, max_size=20)


groups = st.lists(
    st.tuples(rows_ids, st.lists(st.tuples(rows_ids, st.floats(allow_nan=False)), max_size=6)), max_size=8
)


Groups = list[tuple[str, list[tuple[str, float]]]]


def rows_made(given: Groups) -> Rows:
    documents = [document for _, found in given for document, _ in found]
    values = np.array([value for _, found in given for _, value in found], np.float64)
    return Rows.of([query for query, _ in given], [len(found) for _, found in given], documents, values)


def read(rows: Rows) -> Groups:
    """Return what rows hold; where hashes are not those of the ids, they are no rows."""
    queries = [bytes(rows.text[a:b]).decode() for a, b in zip(rows.query_start, rows.query_stop, strict=True)]
    found = [(rows.document_id(row), float(rows.value[row])) for row in range(rows.value.size)]
    assert rows.query.tolist() == rows_made([(query, []) for query in queries]).query.tolist()
    assert rows.document.tolist() == rows_made([("q", found)]).document.tolist()
    ends = rows.groups.tolist()
    assert all(rows.query_id(row) == queries[g] for g in range(len(queries)) for row in range(ends[g], ends[g + 1]))
    return [(query, found[a:b]) for query, (a, b) in zip(queries, pairwise(ends), strict=True)]


@given(groups)
def test_rows_are_what_they_were_made_of(given: Groups):
    assert read(rows_made(given)) == given


@given(st.lists(groups, min_size=1, max_size=4))
def test_joined_rows_stand_behind_each_other(given: list[Groups]):
    assert read(Rows.concatenated([rows_made(part) for part in given])) == [group for part in given for group in part]


@given(groups)
def test_gathered_rows_stand_by_query_in_order_of_appearance_and_else_as_they_came(given: Groups):
    wanted: dict[str, list[tuple[str, float]]] = {}
    for query, found in given:
        wanted.setdefault(query, []).extend(found)
    assert read(rows_made(given).gathered()) == list(wanted.items())


def test_gathered_rows_keep_their_subtopics():
    text = np.frombuffer(b"abaxyz123", np.uint8)
    start = np.arange(9, dtype=np.uint64)
    rows = Rows.of_spans(text, start, start + np.uint64(1), np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 3.0]))
    one, two, three = rows.subtopic.tolist()
    assert rows.gathered().subtopic.tolist() == [one, three, two]
    assert [rows.gathered().document_id(row) for row in range(3)] == ["x", "z", "y"]


def test_copied_rows_change_no_others():
    rows = rows_made([("a", [("x", 1.0)])])
    copied = rows.copied()
    copied.value[0] = copied.document[0] = copied.groups[0] = 7
    assert read(rows) == [("a", [("x", 1.0)])]


def test_a_dictionary_gives_its_rows_also_of_numpy_numbers_and_without_any():
    given = {"a": {"x": np.float32(0.5), "y": np.int64(2), "z": True}, "b": {}, "c": {"x": -math.inf}}
    wanted = [("a", [("x", 0.5), ("y", 2.0), ("z", 1.0)]), ("b", []), ("c", [("x", -math.inf)])]
    assert read(Rows.from_dict(given, "run")) == wanted
    assert read(Rows.from_dict({}, "run")) == []


def test_what_is_no_dictionary_of_dictionaries_of_numbers_is_refused_with_an_example():
    def check(given: Any) -> None:
        with pytest.raises(InputError, match=r"^run: .* instead of a .*, as in \{'q1': \{'d1': 1\.0\}\}$"):
            Rows.from_dict(given, "run")

    check_each(
        check,
        [
            None,
            1,
            "ab",
            ["a"],
            {"a": 1},
            {"a": None},
            {"a": ["x"]},
            {"a": {"x": "1"}},
            {"a": {"x": b"1"}},
            {"a": {"x": 1, "y": "2"}},
            {"a": {"x": [1]}},
            {"a": {"x": [1, 2], "y": [3, 4]}},
            {"a": {"x": {"y": 1}}},
            {"a": {"x": 1j}},
            {"a": {"x": np.datetime64("2020-01-01")}},
        ],
    )


def test_the_first_value_that_is_no_number_is_named_with_its_document_and_query():
    with pytest.raises(InputError, match=r"^run: document 'y' of query 'b' has '0\.5' instead of a number, as in "):
        Rows.from_dict({"a": {"x": 1.0}, "b": {"y": "0.5", "z": "0.7"}}, "run")  # type: ignore[dict-item]


def test_ids_that_are_whole_numbers_or_bytes_are_their_text():
    def check(query: Any, document: Any) -> None:
        rows = Rows.from_dict({query: {document: 1.0, "x": 2.0}}, "run")
        wanted = Rows.from_dict({"7": {"-3": 1.0, "x": 2.0}}, "run")
        assert rows.query.tolist() == wanted.query.tolist()
        assert rows.document.tolist() == wanted.document.tolist()

    check_rows(check, itertools.product([7, np.int64(7), np.uint8(7), b"7", np.str_("7")], [-3, np.int32(-3), b"-3"]))


@pytest.mark.parametrize("identity", [1.0, None, True, ("a",), np.float64(2)])
def test_an_id_that_is_no_text_and_no_whole_number_is_refused_with_what_to_do(identity: Any):
    for records, what in (({identity: {"x": 1}}, "query"), ({"a": {identity: 1}}, "document")):
        with pytest.raises(
            InputError, match=rf"^run: the {what} id .* is of type \w+; ids are text or whole numbers: write "
        ):
            Rows.from_dict(records, "run")


@pytest.mark.parametrize("identity", ["\ud800", b"\xff"])
def test_an_id_that_is_not_utf_8_is_refused(identity: Any):
    with pytest.raises(InputError, match=r"^run: the document id .* is not UTF-8; ids are text$"):
        Rows.from_dict({"a": {identity: 1}}, "run")


@pytest.mark.parametrize("value", [math.nan, None, np.nan])
def test_a_value_that_is_no_number_is_named_by_its_document_and_query(value: Any):
    with pytest.raises(InputError) as caught:
        Rows.from_dict({"a": {"x": 1.0}, "b": {"y": 2, "文": value}}, "run")
    assert str(caught.value) == "run has a value that is not a number, of document 文 of query b"


@pytest.mark.parametrize(
    ("given", "what"), [({"": {"x": 1.0}}, "query"), ({"a": {"": 1.0}}, "document"), ({b"": {"x": 1.0}}, "query")]
)
def test_an_empty_id_is_refused(given: Any, what: str):
    with pytest.raises(InputError, match=rf"^run has an empty {what} id; each {what} needs one$"):
        Rows.from_dict(given, "run")


# Hits as columns

SCHEMA = LabelSchema(
    tuple(
        Label(name, kind, (), ((name,),))
        for name, kind in (("brand", Kind.SET), ("price", Kind.NUMBER), ("sold", Kind.FLAG))
    )
)


def some(counts: list[int], first: int) -> Hits:
    n = sum(counts)
    codes = list(range(first, first + n))
    return hits_of(counts, [f"{c}" for c in codes], codes, codes, [1.0] * n, [codes, [0.5] * n, [-1] * n], {"odd": n})


def test_columns_have_a_row_per_label_of_each_kind():
    columns = some([2, 0, 1], 4).columns(SCHEMA)
    assert columns.offsets.tolist() == [0, 2, 2, 3]
    assert (columns.codes.tolist(), columns.numbers.tolist()) == ([[4, 5, 6], [-1, -1, -1]], [[0.5, 0.5, 0.5]])
    assert (columns.codes.dtype, columns.numbers.dtype) == (np.int32, np.float64)


def test_hits_without_columns_have_no_label():
    columns = hits_of([1], ["a"], [1], [1], [1.0]).columns(SCHEMA)
    assert columns.codes.tolist() == [[-1], [-1]]
    assert math.isnan(columns.numbers[0, 0])
    none = Hits.none(3).columns(SCHEMA)
    assert (none.codes.shape, none.numbers.shape, none.offsets.tolist()) == ((2, 0), (1, 0), [0, 0, 0, 0])


def test_joined_hits_stand_in_the_order_of_their_parts():
    one, other = some([1, 2], 0), some([2], 7)
    whole = Hits.joined([Hits.none(1), one, Hits.none(2), other])
    assert whole.counts.tolist() == [0, 1, 2, 0, 0, 2]
    assert whole.ids == ["0", "1", "2", "7", "8"]
    assert [column.tolist() for column in whole.labels] == [[0, 1, 2, 7, 8], [0.5] * 5, [-1] * 5]
    assert [column.dtype for column in whole.labels] == [np.int32, np.float64, np.int32]
    assert (whole.id.tolist(), whole.text.tolist(), whole.score.tolist()) == (
        [0, 1, 2, 7, 8],
        [0, 1, 2, 7, 8],
        [1.0] * 5,
    )
    assert whole.faults == {"odd": 5}
    assert_same(one, some([1, 2], 0))  # the parts stay as they are


def test_parts_without_labels_join_where_none_has_any():
    part = hits_of([1], ["a"], [1], [1], [1.0])
    assert Hits.joined([part, Hits.none(1)]).labels == []
    assert Hits.joined([part, part]).columns(NO_LABELS).codes.shape == (0, 2)
    with pytest.raises(ValueError, match="shorter"):
        Hits.joined([some([1], 0), part])


# Judged hits as a frame, one row a hit

TASKS = ("gold", "accusation", "article", "imprisonment")


THEFT = {"accusation": ["盗窃"], "relevant_articles": [264], "imprisonment": 8}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [
        {"query_id": "q1", "query": {"fact": "甲", "meta": THEFT}, "positives": [{"fact_id": "p1", "fact": "乙"}]},
        {"query_id": "q2", "query": {"fact": "丙", "meta": {}}, "positives": []},
        {
            "query_id": "q3",
            "query": {"fact": "丁", "meta": THEFT},
            "positives": [{"fact_id": "p1", "fact": "戊"}, {"fact_id": "p2", "fact": "己"}],
        },
    ]
    path = tmp_path / "tiered.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def make(judging: Judging, lists: list[list[dict[str, Any]]]) -> Hits:
    flat = [hit for one in lists for hit in one]
    hits = hits_of(
        counts=[len(one) for one in lists],
        ids=[hit.get("id") for hit in flat],
        id_hashes=[id_hash(hit["id"]) if "id" in hit else NO_HASH for hit in flat],
        text_hashes=[text_hash(hit["text"]) for hit in flat],
        score=[hit.get("score", math.nan) for hit in flat],
    )
    hits.labels = label_columns(judging.queries.schema, judging.queries.labels, flat)
    return hits


def frame(path: Path, first: int, lists: list[list[dict[str, Any]]], tasks: tuple[str, ...] = TASKS) -> pl.DataFrame:
    judging = judging_of(Criteria(tasks), locate(path))
    hits = make(judging, lists)
    return hit_frame(judging.queries, first, hits, judging.judge(first, hits), judging.tasks)


def test_every_hit_is_a_row_in_response_order(path: Path) -> None:
    lists: list[list[dict[str, Any]]] = [
        [
            {"id": "q1", "text": "甲", "score": 9.5},
            {"id": "c1", "text": "甲 ", "score": 8.0},
            {"id": "x", "text": "乙", "score": 7.0, **THEFT},
            {"text": "别的", "accusation": ["盗窃"]},
            {"id": "x", "text": "乙", "score": 6.0},
        ],
        [],
        [{"id": "y", "text": "己", "score": 1.0}],
    ]
    rows = frame(path, 0, lists)
    assert rows["query_id"].to_list() == ["q1"] * 5 + ["q3"]
    assert rows["place"].to_list() == [1, 2, 3, 4, 5, 1]
    assert rows["rank"].to_list() == [None, None, 1, 2, None, 1]
    assert rows["id"].to_list() == ["q1", "c1", "x", None, "x", "y"]
    assert rows["score"].to_list() == [9.5, 8.0, 7.0, None, 6.0, 1.0]
    assert rows["self"].to_list() == [True, False, False, False, False, False]
    assert rows["copy"].to_list() == [False, True, False, False, False, False]
    assert rows["duplicate"].to_list() == [False, False, False, False, True, False]
    assert rows["gold"].to_list() == [False, False, True, False, False, True]
    assert rows["accusation"].to_list() == [False, False, True, True, False, False]
    assert rows["article"].to_list() == [False, False, True, False, False, False]
    assert rows["imprisonment"].to_list() == [False, False, True, False, False, False]
    assert rows["positive_id"].to_list() == [None, None, "p1", None, None, "p2"]


def test_a_later_chunk_names_its_own_queries_and_positives(path: Path) -> None:
    rows = frame(path, 1, [[{"id": "a", "text": "乙"}], [{"id": "b", "text": "己"}, {"id": "c", "text": "戊"}]])
    assert rows["query_id"].to_list() == ["q2", "q3", "q3"]
    assert rows["positive_id"].to_list() == [None, "p2", "p1"]


def test_chunks_have_equal_columns_and_types_whether_or_not_they_have_hits(path: Path) -> None:
    full = frame(path, 0, [[{"id": "x", "text": "乙", "score": 1.0}], [], []])
    empty = frame(path, 0, [[], [], []])
    assert empty.schema == full.schema
    assert empty.height == 0
    assert pl.concat([full, empty]).height == 1


def test_a_chunk_without_positives_has_no_positive_ids(path: Path) -> None:
    rows = frame(path, 1, [[{"id": "x", "text": "乙"}]])
    assert rows["positive_id"].to_list() == [None]
    assert rows.schema == frame(path, 0, [[{"id": "x", "text": "乙"}]]).schema


def test_only_the_tasks_asked_for_have_a_column(path: Path) -> None:
    columns = frame(path, 0, [[], [], []], ("accusation", "gold")).columns
    assert [name for name in columns if name in TASKS] == ["gold", "accusation"]


def test_a_score_that_is_infinite_stays(path: Path) -> None:
    rows = frame(path, 0, [[{"id": "x", "text": "乙", "score": -math.inf}]])
    assert rows["score"].to_list() == [-np.inf]


# Values of several systems over the same queries

VALUES = np.array([[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]])


@pytest.mark.parametrize(
    ("systems", "queries", "values", "match"),
    [
        (("A",), 3, VALUES[:, :1], "at least two systems"),
        (("A", "A"), 3, VALUES, "two systems are named A"),
        (("A", "B"), 1, VALUES[:, :, :1], "at least two queries"),
        (("A", "B"), 3, VALUES * np.nan, "not a finite number"),
    ],
)
def test_what_cannot_be_compared_is_refused(systems, queries, values, match) -> None:
    with pytest.raises(InputError, match=match):
        Paired(systems, ("M",), ["q"] * queries, values)


def test_values_must_fit_the_names() -> None:
    with pytest.raises(ValueError, match="do not fit the names"):
        Paired(("A", "B"), ("M", "N"), ["q"] * 3, VALUES)


def test_columns_must_have_a_row_a_query() -> None:
    with pytest.raises(ValueError, match="2 rows of columns for 3 queries"):
        Paired(("A", "B"), ("M",), ["q"] * 3, VALUES, pl.DataFrame({"length": [1, 2]}))


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=30))
def test_a_difference_is_0_where_values_are_equal_but_for_rounding(pairs: list[tuple[int, int]]) -> None:
    values = np.array([[[a * 0.1 for a, _ in pairs], [b / 10 for _, b in pairs]]])
    found = Paired(("A", "B"), ("M",), ["q"] * len(pairs), values).difference(0, 0, 1)
    exact = [b - a for a, b in pairs]
    assert (found == 0.0).tolist() == [one == 0 for one in exact]
    assert (np.ptp(found) == 0.0) == (len(set(exact)) == 1)
    assert found == pytest.approx(np.array(exact) / 10, abs=1e-15)


def test_a_part_has_the_values_of_its_queries() -> None:
    part = Paired(("A", "B"), ("M",), ["x", "y", "z"], VALUES).part(np.array([2, 0]))
    assert part.queries == ["z", "x"]
    assert part.of("M", "B").tolist() == [0.6, 0.4]
