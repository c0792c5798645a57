"""Qrels that name subtopics: the same from every format, and what is not one of them."""

from pathlib import Path

import naive_subtopics as naive
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_files import GRADES, HITS, equal, flat, in_pieces, written

import benchbench as bb
from benchbench.errors import InputError

DIVERSE = ["alpha_nDCG@5", "ERR_IA@5", "StRecall@5"]
Judgments = dict[str, dict[tuple[str, str], float]]  # query -> (document, subtopic) -> grade


def diverse_lines(given: Judgments) -> bytes:
    return "".join(f"{q} {s} {d} {grade:g}\n" for q, found in given.items() for (d, s), grade in found.items()).encode()


def diverse_frame(given: Judgments, name: str = "subtopic") -> pl.DataFrame:
    kinds = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64, name: pl.String}
    rows = [(query, d, grade, s) for query, found in given.items() for (d, s), grade in found.items()]
    return pl.DataFrame(rows, kinds, orient="row")


FORMATS = ("d.trec", "d.csv", "d.jsonl", "d.parquet", "frame", "numbers")


def diverse_qrels(folder: Path, given: Judgments, name: str) -> bb.Qrels:
    """Return the judgments as a format that can hold subtopics gives them."""
    frame = diverse_frame(given)
    if name == "frame":
        return bb.Qrels.from_frame(frame)
    if name == "numbers":
        return bb.Qrels.from_frame(frame.with_columns(pl.col("subtopic").cast(pl.Int64)))
    if name == "d.trec":
        (folder / name).write_bytes(diverse_lines(given))
    elif name == "d.csv":
        diverse_frame(given, "iteration").write_csv(folder / name)
    elif name == "d.jsonl":
        frame.write_ndjson(folder / name)
    else:
        frame.write_parquet(folder / name)
    return bb.Qrels.from_file(folder / name)


two = st.text("ab", min_size=1, max_size=2)
graded = st.sampled_from([-1.0, 0.0, 1.0, 2.0])
diverse = st.dictionaries(two, st.dictionaries(st.tuples(two, st.sampled_from("123")), graded, min_size=1), min_size=1)


@given(diverse, st.lists(two, unique=True, min_size=1), st.integers(1, 4), st.sampled_from(FORMATS))
def test_measures_of_subtopics_are_those_of_naive_twins_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, given: Judgments, ranking: list[str], size: int, name: str
):
    if len({subtopic for found in given.values() for _, subtopic in found}) < 2:
        return
    run = bb.Run.from_dict({query: {d: -float(i) for i, d in enumerate(ranking)} for query in given})
    rows = [[(d, s, grade) for (d, s), grade in found.items()] for found in given.values()]
    twins = [
        [
            naive.alpha_ndcg(ranking, one, 5, 1, 0.5),
            naive.err_ia(ranking, one, 5, 1),
            naive.strecall(ranking, one, 5, 1),
        ]
        for one in rows
    ]
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch, size)
        read = [diverse_qrels(tmp_path_factory.getbasetemp(), given, one) for one in (name, "frame")]
    scores, framed = (bb.evaluate(qrels, run, [*DIVERSE, "nDCG@5"]) for qrels in read)
    assert scores.ids == list(given)
    assert [list(row) for row in zip(*(scores.values[one] for one in DIVERSE), strict=True)] == [
        pytest.approx(twin, abs=1e-12) for twin in twins
    ]
    assert equal(scores, framed)


def test_a_document_judged_for_several_subtopics_counts_with_its_highest_grade_elsewhere(tmp_path: Path):
    given: Judgments = {"a": {("x", "1"): 0, ("x", "2"): 2, ("y", "1"): 1, ("y", "2"): 0}, "b": {("x", "1"): 1}}
    plain = bb.Qrels.from_dict({"a": {"x": 2, "y": 1}, "b": {"x": 1}})
    for qrels in (diverse_qrels(tmp_path, given, name) for name in FORMATS):
        one, other = (
            bb.evaluate(each, bb.Run.from_dict(HITS | {"a": {"y": 2, "x": 1}}), ["nDCG@10", "AP", "P@2"])
            for each in (qrels, plain)
        )
        assert {name: column.tolist() for name, column in one.values.items()} == {
            name: column.tolist() for name, column in other.values.items()
        }


@pytest.mark.parametrize("size", [1, 1000])
def test_two_grades_for_one_subtopic_are_an_error_wherever_other_subtopics_stand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
):
    in_pieces(monkeypatch, size)
    for text in ("a 0 x 1\na 0 x 2\n", "a 1 x 1\na 1 x 2\nb 2 x 1\n", "a 1 x 1\nb 2 x 1\na 1 x 2\n"):
        (tmp_path / "qrels").write_text(text)
        with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
            bb.Qrels.from_file(tmp_path / "qrels")


def test_a_measure_of_subtopics_is_refused_where_there_are_none(tmp_path: Path):
    path = written(tmp_path, "lines.trec", flat(GRADES), False)
    for qrels in (bb.Qrels.from_file(path), bb.Qrels.from_dict(GRADES)):
        with pytest.raises(InputError, match="the qrels name no subtopics"):
            bb.evaluate(qrels, bb.Run.from_dict(HITS), ["nDCG@5", "StRecall@5"])
