"""Tiered data sets are read tolerantly, and what cannot be read is named with file, line and reason."""

from pathlib import Path
from typing import Any

import naive
import numpy as np
import orjson
import pytest
import xxhash
from cases import tables
from hypothesis import given
from hypothesis import strategies as st
from legal_labels import SCHEMA

from benchbench.errors import InputError
from benchbench.formats.tiered import read_tiered
from benchbench.tables.hashing import id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Spans
from benchbench.tables.queries import Queries

Record = dict[str, Any]

META = {
    "accusation": ["盗窃"],
    "relevant_articles": [264],
    "term_of_imprisonment": {"imprisonment": 8, "death_penalty": False, "life_imprisonment": False},
}
THEFT = {
    "accusation": {"盗窃"},
    "relevant_articles": {"264"},
    "imprisonment": 8.0,
    "death_penalty": None,
    "life_imprisonment": None,
}
LINE = {
    "query_id": 17,
    "query": {"fact": "被告人张某", "meta": META},
    "positives": [
        {"fact_id": "c9", "fact": "被告人李某", "tier": 1, "accusation": ["盗窃"]},
        {"fact_id": "c2", "fact": "被告人王某", "tier": 4},
    ],
    "positives_count": 2,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tiered.jsonl"


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(b"\n".join(each if isinstance(each, bytes) else orjson.dumps(each) for each in records))
    return path


def error(path: Path, *records: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_tiered(write(path, *records), **({"schema": SCHEMA} | options))
    return str(caught.value)


def positives(queries: Queries, q: int = 0) -> list[tuple[str, float]]:
    part = slice(queries.positives.offsets[q], queries.positives.offsets[q + 1])
    return list(zip(queries.positives.ids[part], queries.positives.grade[part].tolist(), strict=True))


def labels(queries: Queries, q: int = 0) -> dict[str, Any]:
    """Return what a query has of each label: a set, a number or None."""
    sets, found = queries.labels.sets(), {}
    for label in queries.schema.labels:
        row = queries.schema.row(label.name)
        if label.kind is Kind.NUMBER:
            number = float(queries.numbers[row, q])
            found[label.name] = None if np.isnan(number) else number
        else:
            code = int(queries.codes[row, q])
            found[label.name] = None if code == MISSING else sets[code]
    return found


# What is read


def test_a_strict_file_is_read_whole(file: Path) -> None:
    queries = read_tiered(write(file, LINE, LINE | {"query_id": "18", "positives": []}), schema=SCHEMA)
    assert queries.ids == ["17", "18"]
    assert queries.texts == ["被告人张某"] * 2
    assert queries.id.tolist() == [id_hash("17"), id_hash("18")]
    assert queries.text.tolist() == [text_hash("被告人张某")] * 2
    assert queries.text_prefixes == [text_prefix("被告人张某")] * 2
    assert labels(queries) == THEFT
    assert positives(queries) == [("c9", 5.0), ("c2", 2.0)]
    assert queries.positives.offsets.tolist() == [0, 2, 2]
    assert queries.positives.text.tolist() == [text_hash("被告人李某"), text_hash("被告人王某")]
    assert queries.positives.text_prefixes == [text_prefix("被告人李某"), text_prefix("被告人王某")]
    assert queries.digest == xxhash.xxh3_128_hexdigest(file.read_bytes())
    assert (queries.skipped_lines, queries.dropped_positives) == (0, 0)


def test_the_line_number_serves_where_there_is_no_query_id(file: Path) -> None:
    without = {name: value for name, value in LINE.items() if name != "query_id"}
    queries = read_tiered(write(file, without, b"", without | {"query_id": None}, LINE))
    assert queries.ids == ["1", "3", "17"]


@pytest.mark.parametrize(
    "query",
    [
        {"fact": "甲", "meta": META},
        {"fact": "甲", **META},
        {"text": "甲", "accusation": "盗窃", "meta": {"relevant_articles": ["264"], "imprisonment": 8}},
        {"content": "甲", "accusation": ["[盗窃]"], "articles": ["264", 264], "imprisonment": {"imprisonment": 8}},
        {"fact": "甲", "accusation": None, "meta": META, "relevant_articles": 264},
    ],
)
def test_labels_stand_in_meta_or_at_the_top_level_and_articles_may_be_strings(file: Path, query: Record) -> None:
    assert labels(read_tiered(write(file, {"query": query}), schema=SCHEMA)) == THEFT


@pytest.mark.parametrize("meta", [None, {}, {"accusation": [], "relevant_articles": None}, "text"])
@pytest.mark.parametrize("members", [{}, {"positives": None}, {"positives": []}])
def test_a_query_may_be_without_labels_and_positives(file: Path, meta: Any, members: Record) -> None:
    queries = read_tiered(write(file, {"query": {"fact": "甲", "meta": meta}} | members), schema=SCHEMA)
    assert (labels(queries), positives(queries)) == (dict.fromkeys(THEFT), [])


@pytest.mark.parametrize(
    ("tiers", "grades"),
    [
        ((5, 4, 3, 2, 1), [1.0, 2.0, 3.0, 4.0, 5.0]),  # 6 minus the tier
        (("", None, 2), [5.0, 5.0, 4.0]),  # a missing tier is tier 1
        (("", None), [1.0, 1.0]),  # the data have no tiers
    ],
)
def test_the_grade_of_a_positive_goes_by_its_tier(file: Path, tiers: tuple[Any, ...], grades: list[float]) -> None:
    rows = [{"fact": f"案{n}"} | ({"tier": tier} if tier != "" else {}) for n, tier in enumerate(tiers)]
    queries = read_tiered(write(file, LINE | {"positives": rows}))
    assert [grade for _, grade in positives(queries)] == grades


def test_a_positive_without_id_is_named_by_query_and_place(file: Path) -> None:
    queries = read_tiered(write(file, LINE | {"positives": [{"fact": "乙"}, {"doc_id": 4, "text": "丙"}]}))
    assert queries.positives.ids == ["17.1", "4"]


def test_the_queries_own_text_is_never_a_positive_and_an_equal_text_counts_once(file: Path) -> None:
    texts = ["乙", " 被告人张某\r\n", "乙 ", "丙"]
    rows = [{"fact_id": f"c{n}", "fact": text} for n, text in enumerate(texts)]
    queries = read_tiered(write(file, LINE | {"positives": rows}))
    assert queries.positives.ids == ["c0", "c3"]
    assert queries.dropped_positives == 2


def test_positives_are_cut_in_file_order(file: Path) -> None:
    rows = [{"fact_id": str(n), "fact": f"案{n}", "tier": 1 + n % 5} for n in range(25)]
    write(file, LINE | {"positives": rows})
    assert read_tiered(file).positives.ids == [str(n) for n in range(10)]
    assert read_tiered(file, max_positives=3).positives.ids == ["0", "1", "2"]
    for most in (0, 25, 99):
        assert read_tiered(file, max_positives=most).positives.ids == [str(n) for n in range(25)]
        assert read_tiered(file, max_positives=most).left_out is None


def test_positives_beyond_the_most_are_kept_aside_and_counted(file: Path) -> None:
    rows = [{"fact_id": str(n), "fact": f"案{n}", "tier": 1 + n % 5} for n in range(5)]
    again = [{"fact_id": "again", "fact": "案4"}, {"fact_id": "own", "fact": "被告人张某"}]
    few, many = LINE | {"query_id": 1}, LINE | {"positives": rows + again}
    queries = read_tiered(write(file, few, many), max_positives=3)
    left_out = queries.left_out
    assert left_out is not None
    assert left_out.offsets.tolist() == [0, 0, 2]
    assert left_out.ids == ["3", "4"]
    assert left_out.grade.tolist() == [2.0, 1.0]
    assert left_out.text.tolist() == [text_hash("案3"), text_hash("案4")]
    assert queries.read == {
        "skipped_lines": 0,
        "dropped_positives": 2,  # also where what they repeat is left out
        "left_out_positives": 2,
        "queries_with_left_out_positives": 1,
        "assumed_tiers": 2,
    }
    assert queries.compared_prefixes([1])[0] == ("被告人张某", "案0", "案1", "案2", "案3", "案4")


def test_a_tier_is_assumed_and_counted_only_where_other_positives_have_one(file: Path) -> None:
    bare = [{"fact_id": n, "fact": f"案{n}"} for n in range(3)]
    assert read_tiered(write(file, LINE | {"positives": bare})).assumed_tiers == 0
    queries = read_tiered(write(file, LINE | {"positives": [*bare, {"fact_id": 4, "fact": "丙", "tier": 2}]}))
    assert (queries.assumed_tiers, positives(queries)) == (3, [("0", 5.0), ("1", 5.0), ("2", 5.0), ("4", 4.0)])


def test_a_skipped_line_changes_no_grade_of_the_others(file: Path) -> None:
    bare = {"query_id": 1, "query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": "丁"}]}
    bad = LINE | {"positives": [{"fact_id": "c9", "fact": "乙", "tier": 1}, {"fact_id": "c2", "fact": ""}]}
    alone = read_tiered(write(file, bare))
    queries = read_tiered(write(file, bare, bad), skip_bad_lines=True)
    assert positives(queries) == positives(alone) == [("p", 1.0)]
    assert queries.skipped_lines == 1


texts = st.sampled_from(["甲", "甲 ", "乙", "e\u0301", "\u00e9", "a\r\nb", "a\nb", "丙", "丁"])
drawn = st.lists(
    st.fixed_dictionaries(
        {
            "query": st.fixed_dictionaries({"fact": texts}),
            "positives": st.lists(
                st.fixed_dictionaries({"fact": texts}, optional={"tier": st.integers(1, 5)}), max_size=8
            ),
        }
    ),
    min_size=1,
    max_size=4,
)


@given(drawn, st.integers(1, 6))
def test_positives_are_those_of_the_naive_twin(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record], limit: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.jsonl"
    queries = read_tiered(write(path, *records), max_positives=limit)
    tiers = any("tier" in each for record in records for each in record["positives"])
    for q, record in enumerate(records):
        expected = naive.cut_positives(record, limit)
        part = slice(queries.positives.offsets[q], queries.positives.offsets[q + 1])
        assert queries.positives.text[part].tolist() == [text_hash(each["fact"]) for each in expected]
        assert queries.positives.grade[part].tolist() == [6 - each.get("tier", 1) if tiers else 1 for each in expected]
        assert queries.positives.text_prefixes[part] == [text_prefix(normalise(each["fact"])) for each in expected]


# Labels and gold spans of a schema

SHOP = LabelSchema(
    (
        Label("brand", Kind.SET, (("meta", "brand"),), (("brand",),)),
        Label("price", Kind.NUMBER, (("price",),), (("price",),)),
        Label("file", Kind.SET, (), (("file",),), ignore="/"),
    ),
    (Spans("quotes", (("quotes",),), "file"),),
)


def test_without_a_schema_no_label_is_read(file: Path) -> None:
    queries = read_tiered(write(file, {"query": {"fact": "甲", "accusation": {"a": 1}}}))
    assert (queries.codes.shape, queries.numbers.shape, queries.spans.offsets.shape) == ((0, 1), (0, 1), (0, 2))


def test_gold_spans_have_the_codes_of_the_files_of_hits(file: Path) -> None:
    quotes = [{"file": "/a.txt", "start": 5, "end": 9}, {"file_path": "b.txt", "span": [0, 2.0]}]
    queries = read_tiered(
        write(file, {"query": {"text": "a"}}, {"query": {"text": "b", "quotes": quotes}}, {"query": {"text": "c"}}),
        schema=SHOP,
    )
    spans = queries.spans
    assert spans.offsets.tolist() == [[0, 0, 2, 2]]
    assert spans.file.tolist() == [queries.labels.code("a.txt", "/"), queries.labels.code("b.txt", "/")] == [0, 1]
    assert list(zip(spans.start, spans.end, strict=True)) == [(5, 9), (0, 2)]


def test_a_skipped_line_leaves_no_trace_in_any_column(file: Path) -> None:
    good = {"query": {"text": "a", "meta": {"brand": "x"}, "quotes": [{"file": "f", "start": 1, "end": 2}]}}
    bad = {"query": {"text": "b", "meta": {"brand": "y"}, "quotes": [{"file": "g", "start": 2, "end": 1}]}}
    queries = read_tiered(write(file, bad, good), skip_bad_lines=True, schema=SHOP)
    assert queries.labels.sets() == [{"x"}, {"f"}]
    assert (queries.codes.tolist(), queries.spans.file.tolist(), queries.skipped_lines) == ([[0], [MISSING]], [1], 1)


# What is refused


def changed(change: dict[str, Any]) -> Any:
    """Return what stands in a line: anything, or the usual with other members of it, its query or second positive."""
    ((place, given),) = change.items()
    if place == "line":
        return LINE | given
    if place == "query":
        return LINE | {"query": {"fact": "被告人张某"} | given}
    if place == "positive":
        return LINE | {"positives": [{"fact_id": "c1", "fact": "乙"}, {"fact_id": "c2", "fact": "丙"} | given]}
    return given


@pytest.mark.parametrize(("change", "reason"), tables(__file__).items())
def test_a_bad_line_is_named_with_file_line_and_reason_or_skipped_and_counted(
    file: Path, change: str, reason: str
) -> None:
    before, after = LINE | {"query_id": "first"}, LINE | {"query_id": "last"}
    assert error(file, before, b"", changed(orjson.loads(change)), after) == f"{file}, line 3: {reason}"
    queries = read_tiered(file, skip_bad_lines=True, schema=SCHEMA)
    assert queries.ids == ["first", "last"]
    assert queries.skipped_lines == 1
    assert positives(queries, 1) == [("c9", 5.0), ("c2", 2.0)]


def test_a_line_that_is_not_json_is_named_or_skipped_and_counted(file: Path) -> None:
    assert error(file, LINE, b"{", LINE | {"query_id": 2}).startswith(f"{file}, line 2: not JSON (")
    queries = read_tiered(file, skip_bad_lines=True)
    assert (queries.ids, queries.skipped_lines) == (["17", "2"], 1)


def test_the_id_of_a_skipped_line_is_free(file: Path) -> None:
    queries = read_tiered(write(file, LINE | {"positives": "乙"}, LINE), skip_bad_lines=True)
    assert (queries.ids, queries.skipped_lines) == (["17"], 1)


def test_a_line_number_that_serves_as_id_and_an_id_cannot_be_equal(file: Path) -> None:
    without = {name: value for name, value in LINE.items() if name != "query_id"}
    assert error(file, LINE | {"query_id": 2}, without) == f"{file}, line 2: query id 2 was used in line 1 already"


def test_a_file_without_a_query_is_an_error(file: Path) -> None:
    assert error(file, b"\n\n") == f"{file} has no query"
    assert error(file, b"{}", b"[", skip_bad_lines=True) == f"{file} has no query: all 2 lines are bad"
    assert error(file) == f"{file} is empty"
