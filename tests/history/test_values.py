"""Values per query of any kind of result: found by the names of columns, kept in a file, and read back."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from invented_run import result as invented_run
from stored_runs import kept

import benchbench as bb
from benchbench.formats.query_table import read_query_table
from benchbench.history.per_query import per_query, verdict_table
from benchbench.history.store import open_history
from benchbench.history.values import RunValues
from benchbench.results.record import Data, Number, settings_of


def values_of(folder: Path, result) -> RunValues:
    with open_history(folder / "history.db", create=True) as history:
        return history.values(history.add(result)[0])


def table(**columns) -> pl.DataFrame:
    return pl.DataFrame({"query_id": ["a", "b", "c", "d"], **columns})


def test_columns_of_numbers_are_values_and_short_texts_that_repeat_are_labels(tmp_path: Path):
    whole = table(
        **{"P@5": [0.0, 0.5, 1.0, None], "R": pl.Series([0.0, float("nan"), 1.0, 0.5], dtype=pl.Float32)},
        hits=[1, 2, 3, 4],
        language=["de", "en", "de", None],
        judged=[True, False, True, True],
        text=["one", "two", "three", "four"],
        failure=[None, "late", "late", None],
    )
    result = kept(1, tables={"per_query": whole})
    values = values_of(tmp_path, result)
    assert values.values.to_dict(as_series=False) == {"P@5": [0.0, 0.5, 1.0, None], "R": [0.0, None, 1.0, 0.5]}
    assert values.columns.to_dict(as_series=False) == {
        "language": ["de", "en", "de", None],
        "judged": ["true", "false", "true", "true"],
    }
    assert values.queries.to_list() == ["a", "b", "c", "d"]


def test_a_table_of_plain_columns_is_given_back_whole(tmp_path: Path):
    whole = table(
        number=[3, 1, 2, 4],
        **{"P@5": [0.0, 0.5, 1.0, None], "R": pl.Series([0.0, 0.25, 1.0, 0.5], dtype=pl.Float32)},
        latency_ms=[1.0, 2.0, None, 3.0],
        label=["x", "x", "y", "y"],
        flag=[True, True, False, None],
        failure=[None, None, "late", None],
    )
    with open_history(tmp_path / "history.db", create=True) as history:
        entry, _ = history.add(kept(1, tables={"per_query": whole}))
        assert history.result(entry).table("per_query").equals(whole)
        assert history.result(entry).table("per_query").schema == whole.schema


def test_a_table_with_texts_and_lists_is_not_given_back_for_it_is_not_kept_whole(tmp_path: Path):
    columns = {"number": [2, 1], "id": ["q2", "q1"], "contexts": [[{"text": "long"}], []]}
    questions = pl.DataFrame({**columns, "overall": [0.25, 0.5], "faithfulness": [None, 1.0]})
    numbers = [
        Number(name="overall", value=0.375),
        Number(name="overall", value=0.1, scope={"slice": "category=law"}),
        Number(name="faithfulness", value=1.0, scope={"pillar": "generation", "judge": "m", "rubric": "r"}),
    ]
    with open_history(tmp_path / "history.db", create=True) as history:
        entry, _ = history.add(kept(1, kind="evaluate", tables={"questions": questions}, numbers=numbers))
        values = history.values(entry).values
        assert values.to_dict(as_series=False) == {"overall": [0.25, 0.5], "generation.m.r.faithfulness": [None, 1.0]}
        assert set(values.columns) == set(history.numbers([entry])["measure"])
        assert history.result(entry).tables() == {}


def test_each_target_has_its_values_and_latencies(tmp_path: Path):
    numbers = [Number(name="P@5", value=0.5, scope={"target": name, "task": "gold"}) for name in ("old", "new")]
    tables = {
        "old/per_query": table(
            **{"gold.P@5": [0.0, 0.5, 1.0, 1.0]}, latency_ms=[1.0, 2.0, 3.0, 4.0], kind=list("xxyy")
        ),
        "new/per_query": table(
            **{"gold.P@5": [1.0, 0.5, 1.0, 0.0]}, latency_ms=[5.0, 6.0, 7.0, 8.0], kind=list("xxyy")
        ),
        "new/requests": pl.DataFrame({"first_query": [2, 0, 0], "sent": [0.1, 0.3, 0.2]}),
    }
    values = values_of(tmp_path, kept(1, kind="targets", tables=tables, numbers=numbers))
    assert values.values.to_dict(as_series=False) == {
        "old.gold.P@5": [0.0, 0.5, 1.0, 1.0],
        "new.gold.P@5": [1.0, 0.5, 1.0, 0.0],
    }
    assert values.columns.columns == ["kind"]
    assert values.latency.rows() == [
        *((query, float(place + 1), None, "old") for place, query in enumerate("abcd")),
        *(("c", 7.0, 2, "new"), ("d", 8.0, 2, "new"), ("a", 5.0, 0, "new"), ("b", 6.0, 0, "new")),
    ]


def test_latencies_are_in_the_order_of_sending_with_the_request_that_carried_them(tmp_path: Path):
    tables = {
        "per_query": table(P=[1.0] * 4, latency_ms=[4.0, None, 2.0, 1.0]),
        "requests": pl.DataFrame({"first_query": [3, 0, 2], "queries": [1, 2, 1], "sent": [0.0, 0.2, 0.1]}),
    }
    latency = values_of(tmp_path, kept(1, tables=tables)).latency
    assert latency.rows() == [("d", 1.0, 3, ""), ("c", 2.0, 2, ""), ("a", 4.0, 0, "")]


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"steps": table(P=[1.0] * 4)},
        {"per_query": table(P=[1.0] * 4).drop("query_id")},
        {"per_query": pl.DataFrame({"query_id": ["a", "a"], "P": [1.0, 0.0]})},
        {"per_query": pl.DataFrame({"query_id": ["a", None], "P": [1.0, 0.0]})},
    ],
)
def test_what_has_no_row_per_query_has_no_values(tables: dict):
    assert per_query(kept(1, tables=tables)) is None


def test_rows_of_a_query_and_a_document_are_told_apart_by_both(tmp_path: Path):
    rows = pl.DataFrame({"query_id": ["a", "a", "b"], "document_id": ["x", "y", "x"], "score": [1.0, 2.0, 3.0]})
    values = values_of(tmp_path, kept(1, tables={"per_query": rows}))
    assert values.queries.to_list() == ["a/x", "a/y", "b/x"]


def test_queries_that_only_some_runs_have_have_no_value_of_the_others(tmp_path: Path):
    rows = pl.DataFrame({"run": ["one", "one", "two"], "query_id": ["a", "b", "c"], "P": [1.0, 2.0, 3.0]})
    values = values_of(tmp_path, kept(1, tables={"per_query": rows}))
    assert values.queries.to_list() == ["a", "b", "c"]
    assert values.values.rows() == [(1.0, None), (2.0, None), (None, 3.0)]
    assert values.values.columns == ["one.P", "two.P"]


def test_an_empty_table_has_no_rows_and_is_no_error(tmp_path: Path):
    empty = pl.DataFrame(schema={"query_id": pl.String, "P": pl.Float64, "latency_ms": pl.Float64})
    values = values_of(tmp_path, kept(1, tables={"per_query": empty}))
    assert (values.values.shape, values.latency.height) == ((0, 1), 0)


def write_queries(path: Path) -> Path:
    rows = [
        {"query_id": "a", "query": "one", "law": "tenancy", "tags": ["x", "y"], "year": 1999, "file": "f1"},
        {"query_id": "b", "query": "two", "law": "crime", "tags": [], "year": 2001, "file": "f1"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def of_data(tmp_path: Path):
    """Return what makes a run with a data set that is there."""
    queries = write_queries(tmp_path / "queries.jsonl")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("a 0 d1 1\nb 0 d1 1\n")
    options = {"queries": str(queries), "qrels": str(qrels), "dataset_format": "trec", "dataset": str(queries)}

    def made(**changed):
        return kept(
            1,
            tables={"per_query": table(P=[1.0] * 4, law=list("wxyy"))},
            data=Data(name="mine"),
            settings=settings_of({**options, **changed}),
        )

    return made


def test_columns_of_the_data_set_are_kept_where_it_is_at_hand(tmp_path: Path, of_data):
    values = values_of(tmp_path, of_data())
    assert values.why == ""
    assert values.columns.to_dict(as_series=False) == {
        "law": list("wxyy"),  # the table's own
        "tags": ["x, y", None, None, None],
        "year": ["1999", "2001", None, None],
        "file": ["f1", "f1", None, None],
        "length": ["3", "3", None, None],
    }


def test_a_data_set_that_is_gone_is_said_to_be(tmp_path: Path, of_data):
    values = values_of(tmp_path, of_data(queries=str(tmp_path / "gone.jsonl")))
    assert values.columns.columns == ["law"]
    assert values.why == (f"no columns of the data set's queries: --queries {tmp_path}/gone.jsonl does not exist")


def test_a_data_set_of_other_queries_is_said_to_be(tmp_path: Path, of_data):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query_id": "z", "query": "other", "law": "x"}\n')
    assert values_of(tmp_path, of_data()).why == "no columns of the data set's queries: it has none of these queries"


@pytest.mark.parametrize("has_changed", [True, False])
def test_a_tiered_data_set_that_has_changed_is_said_to_be(tmp_path: Path, has_changed: bool):
    whole = invented_run(tmp_path / "run", queries=8)
    name = whole.record.settings["dataset"].value
    digest = "of another file" if has_changed else read_query_table(Path(name)).digest
    settings = settings_of({"dataset": name})
    result = kept(1, tables={"per_query": whole.table("per_query")}, settings=settings, data=Data(digest=digest))
    values = values_of(tmp_path, result)
    assert values.why == (f"no columns of the data set's queries: {name} has changed since" if has_changed else "")
    assert ("accusation" in values.columns.columns) is not has_changed


def test_a_folder_of_version_0_1_is_kept(tmp_path: Path):
    stored = Path(__file__).resolve().parents[1] / "golden" / "_stored"
    with open_history(tmp_path / "history.db", create=True) as history:
        entries = [history.add(bb.load(stored / name), source=name)[0] for name in ("whole", "half", "load-whole")]
        assert [history.add(bb.load(stored / one.source))[1] for one in entries] == [False] * 3
        whole, half, load = entries
        assert set(history.values(whole).values.columns) <= set(history.numbers([whole])["measure"])
        assert len(history.values(half).latency) > 0
        values = history.values(load)
        steps = {one.scope["step"] for one in history.record(load).numbers if "step" in one.scope}
        assert (len(values.queries), values.values.width) == (0, 0)
        assert set(values.latency["subject"]) == steps


LABELS = ("faithfulness.en@1", "grade.ja@2")
NUMBERS = [
    Number(name="faithfulness", value=0.5, scope={"judge": "m", "rubric": LABELS[0]}),
    Number(name="flip_rate", value=0.1, scope={"judge": "m", "rubric": LABELS[0]}),
    Number(name="grade", value=2.0, scope={"judge": "m", "rubric": LABELS[1], "slice": "category=a"}),
    Number(name="grade", value=1.0, scope={"judge": "m", "rubric": LABELS[1]}),
    Number(name="errors", value=0.0),
]


def verdicts(*rows: tuple[str, str, int, float | None, str | None], **more: Any) -> pl.DataFrame:
    schema = dict.fromkeys(("item", "rubric", "attempt", "score", "question"), pl.String)
    schema |= {"attempt": pl.Int64, "score": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(raw=pl.lit("same"), failure=pl.lit(None, pl.String), **more)


def made(table: pl.DataFrame) -> pl.DataFrame:
    return verdict_table({"verdicts": lambda: table}, NUMBERS)


TWO = verdicts(
    ("1", LABELS[0], 1, 1.0, "a?"),
    ("2", LABELS[0], 1, None, "b?"),
    ("2", LABELS[1], 1, 3.0, "b?"),
    ("1", LABELS[1], 1, 2.0, "a?"),
    ("1", LABELS[1], 2, 0.0, "a?"),
    category=pl.Series(["x", "y", "y", "x", "x"]),
)


def test_an_item_has_the_score_of_the_first_attempt_by_each_rubric():
    assert made(TWO).to_dict(as_series=False) == {
        "id": ["a?", "b?"],
        "category": ["x", "y"],
        f"m.{LABELS[0]}.faithfulness": [1.0, None],
        f"m.{LABELS[1]}.grade": [2.0, 3.0],
    }


@pytest.mark.parametrize("other", ["a?", None])
def test_items_with_the_same_question_or_none_are_known_by_their_keys(other: str | None):
    found = made(verdicts(("7", LABELS[0], 1, 1.0, "a?"), ("9", LABELS[0], 1, 0.0, other)))
    assert found["id"].to_list() == ["7", "9"]


def test_only_what_an_item_belongs_to_becomes_a_column():
    found = per_query(kept(1, tables={"verdicts": TWO}, numbers=NUMBERS))
    assert [name for name in found.frame.columns if name.startswith("column/")] == []  # two items, two categories
    assert found.table == ""
    assert found.frame["query"].to_list() == ["a?", "b?"]


@pytest.mark.parametrize(
    "table",
    [
        TWO.drop("item"),
        TWO.with_columns(rubric=pl.lit("of another record")),
        verdicts(("1", LABELS[0], 1, 1.0, "a?"), ("1", LABELS[0], 1, 0.0, "a?")),
        TWO.clear(),
    ],
)
def test_what_has_no_row_per_item_and_rubric_of_a_mean_has_no_values(table: pl.DataFrame):
    assert verdict_table({"verdicts": lambda: table}, NUMBERS) is None
    assert per_query(kept(1, tables={"verdicts": table}, numbers=NUMBERS)) is None


def test_values_of_a_table_go_before_those_of_verdicts():
    table = pl.DataFrame({"query_id": ["q"], "P": [1.0]})
    found = per_query(kept(1, tables={"verdicts": TWO, "per_query": table}, numbers=NUMBERS))
    assert found.frame.columns[:2] == ["query", "value/P"]
