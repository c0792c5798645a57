"""The workload that scoring is measured with."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from cases import first_of

import benchbench as bb
from benchbench.profile.workload import write


def written(folder: Path, queries: int, depth: int, judged: int, seed: int = 7) -> tuple[list[list[str]], ...]:
    """Write a workload and return the fields of each line: of its qrels, and of its run."""
    files = folder / "w.qrels", folder / "w.run"
    write(queries, depth, judged, seed, *files)
    return tuple([line.split() for line in file.read_text().splitlines()] for file in files)


@pytest.mark.parametrize(("queries", "depth", "judged"), [(3, 20, 10), (2, 1, 1), (1, 3, 50), (2, 100, 7)])
def test_each_query_has_all_its_hits_and_judgments_and_none_twice(tmp_path, queries, depth, judged):
    qrels, run = written(tmp_path, queries, depth, judged)
    hits, judgments = defaultdict(set), defaultdict(set)
    for query, _, document, *_ in run:
        hits[query].add(document)
    for query, _, document, _ in qrels:
        judgments[query].add(document)
    assert set(hits) == set(judgments) == {f"q{q}" for q in range(queries)}
    assert {len(documents) for documents in hits.values()} == {depth}
    assert {len(documents) for documents in judgments.values()} == {judged}
    assert {len(hits[query] & judgments[query]) for query in hits} == {min((judged + 1) // 2, depth)}


def test_lines_are_those_of_trec_and_grades_are_0_to_3(tmp_path):
    qrels, run = written(tmp_path, 50, 5, 10)
    assert [fields[1] for fields in qrels] == ["0"] * 500
    assert {fields[3] for fields in qrels} == {"0", "1", "2", "3"}
    assert [(fields[1], fields[3], fields[5]) for fields in run[:5]] == [("Q0", str(k), "tag") for k in range(1, 6)]


@pytest.mark.parametrize("depth", first_of(2, 1_000, 100_000, first=2))
def test_scores_descend_and_no_two_are_equal_even_in_32_bits(tmp_path, depth):
    _, run = written(tmp_path, 2, depth, 2)
    for first in (0, depth):
        scores = np.array([fields[4] for fields in run[first : first + depth]], np.float64).astype(np.float32)
        assert (np.diff(scores) < 0).all()


def test_the_same_arguments_give_the_same_bytes_and_another_seed_others(tmp_path):
    first, again, other = (written(tmp_path, 3, 10, 4, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.slow  # a process
def test_a_process_of_its_own_writes_the_same(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    written(here, 3, 10, 4)
    files = [there / "w.qrels", there / "w.run"]
    subprocess.run([sys.executable, "-m", "benchbench.profile.workload", "3", "10", "4", "7", *files], check=True)
    assert [file.read_bytes() for file in files] == [(here / file.name).read_bytes() for file in files]


def test_our_engine_reads_it_and_finds_something(tmp_path):
    written(tmp_path, 20, 10, 10)
    scores = bb.evaluate(
        bb.Qrels.from_file(tmp_path / "w.qrels"), bb.Run.from_file(tmp_path / "w.run"), ["P@10", "R@10"]
    )
    assert scores.queries["returned"] == 20
    assert all(0 < mean < 1 for mean in scores.mean().values())
