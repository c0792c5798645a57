from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.excerpt import example, excerpt_hits, excerpt_judgments
from benchbench.formats.qrels_runs import Qrels, Run, scan_qrels, scan_run
from benchbench.kernels.arrays import U64
from benchbench.tables.rows import Rows

IDS = st.text("abcé1", min_size=1, max_size=3)
HITS = st.lists(st.tuples(st.sampled_from("pqr"), IDS, st.sampled_from([0.0, 0.5, 1.0, -2.0])), min_size=1, max_size=60)


def hashes(*queries: str) -> U64:
    return Rows.from_dict({query: {} for query in queries}, "queries").query


def write(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_text("".join(f"{q} Q0 {d} 0 {score} tag\n" for q, d, score in rows), encoding="utf-8")
    return path


def ranked(rows: list[tuple[str, str, float]], query: str, by_id: bool) -> list[str]:
    """Return the documents in rank order: a naive twin."""
    own = [(document, score) for q, document, score in rows if q == query]
    if by_id:
        own.sort(key=lambda hit: hit[0].encode(), reverse=True)
    own.sort(key=lambda hit: -hit[1])
    return list(dict.fromkeys(document for document, _ in own))


@given(rows=HITS, depth=st.integers(1, 8), ties=st.sampled_from(["trec", "input"]))
def test_hits_are_the_first_in_rank_order_wherever_their_lines_stand(tmp_path_factory, rows, depth, ties):
    path = write(tmp_path_factory.mktemp("chosen") / "a.run", rows)
    for query, found in zip("qp", excerpt_hits(scan_run(path, ties), hashes("q", "p"), depth), strict=True):
        assert [hit.document for hit in found] == ranked(rows, query, ties == "trec")[:depth]


@given(rows=HITS)
def test_hits_are_those_that_are_scored(tmp_path_factory, rows):
    path = write(tmp_path_factory.mktemp("chosen") / "a.run", rows)
    run = Run.from_file(path)
    for query, documents in scored(run).items():
        (found,) = excerpt_hits(scan_run(path), np.array([query], np.uint64), 100)
        assert [hit.hash for hit in found] == documents


def scored(run: Run) -> Mapping[int, list[int]]:
    table = run.rankings
    return {
        int(query): table.document[table.offsets[g] : table.offsets[g + 1]].tolist()
        for g, query in enumerate(table.query)
    }


def test_a_query_without_hits_has_none(tmp_path: Path):
    path = write(tmp_path / "a.run", [("q", "d", 1.0)])
    assert excerpt_hits(scan_run(path), hashes("elsewhere"), 3) == [[]]


@pytest.mark.parametrize("suffix", ["trec", "jsonl"])
def test_judgments_come_with_their_ids_and_hashes_best_first(tmp_path: Path, suffix):
    path = tmp_path / f"qrels.{suffix}"
    if suffix == "trec":
        path.write_text("q 0 low 1\np 0 other 3\nq 0 high 2\nq 0 none 0\n")
    else:
        path.write_text('{"q": {"low": 1}}\n{"p": {"other": 3}}\n{"q": {"high": 2, "none": 0}}\n')
    (found,) = excerpt_judgments(scan_qrels(path), hashes("q"))
    assert [(row.document, row.value) for row in found] == [("high", 2.0), ("low", 1.0), ("none", 0.0)]
    qrels = Qrels.from_file(path)
    assert [row.hash for row in found] == qrels.document[qrels.offsets[0] : qrels.offsets[1]].tolist()


def test_an_example_shows_a_hit_and_a_judgment_and_is_empty_for_what_cannot_be_read_again(tmp_path: Path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 low 0\nq 0 D-12 1\n")
    run.write_text("q Q0 d1\u202e2 1 2 t\nq Q0 d13 2 1 t\n")
    table, held = Qrels.from_file(qrels), scan_run(run)
    assert example(qrels, held, "q", table.query) == r"query q got 'd1\u202e2', and 'D-12' is judged"
    assert example(None, held, "q", table.query) == ""
    assert example(qrels, Run.from_file(run), "q", table.query) == ""
    run.write_text("other Q0 d12 1 2 t\n")
    assert example(qrels, scan_run(run), "q", table.query) == ""
