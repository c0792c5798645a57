"""Whose grades a file has: people's and those of judges, apart."""

import json
from pathlib import Path

import pytest

from benchbench.errors import InputError
from benchbench.judging.agreement.grades import Grades, read_judges, read_people, renamed

MIXED = """q1 0 d1 1
q1 0 d2 0
q2 0 d1 2
q2 gpt-4o/relevance.en@1 d1 3
q1 gpt-4o/relevance.en@1 d1 1
q1 gpt-4o/relevance.en@1 d9 2
q1 vllm/org/m/umbrela.en@1 d1 0
"""


def written(place: Path, text: str = MIXED) -> Path:
    place.write_text(text, encoding="utf-8")
    return place


def table(one: Grades) -> dict[str, list[float]]:
    ends = one.qrels.offsets
    return {name: sorted(one.qrels.grade[ends[q] : ends[q + 1]].tolist()) for q, name in enumerate(one.qrels.ids)}


def test_people_have_the_lines_that_name_no_judge(tmp_path: Path) -> None:
    found = read_people(written(tmp_path / "mixed.trec"))
    assert (found.name, table(found)) == ("mixed", {"q1": [0.0, 1.0], "q2": [2.0]})


def test_a_file_has_as_many_judges_as_it_names(tmp_path: Path) -> None:
    first, second = read_judges(written(tmp_path / "mixed.trec"))
    assert (first.name, first.model, first.rubric) == ("gpt-4o/relevance.en@1", "gpt-4o", "relevance.en@1")
    assert table(first) == {"q2": [3.0], "q1": [1.0, 2.0]}
    assert (second.model, second.rubric) == ("vllm/org/m", "umbrela.en@1")
    assert table(second) == {"q1": [0.0]}


def test_a_file_that_names_nobody_is_called_as_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "my.judge.qrels.txt", "q1 0 d1 1\nq1 0 d2 -1\n")
    with pytest.raises(InputError, match=r"names a judge in its second column, so its labels may be people's"):
        read_judges(path)
    (found,) = read_judges(path, is_named=True)
    assert (found.name, found.model, table(found)) == ("my.judge", "", {"q1": [-1.0, 1.0]})


def test_other_formats_are_read_too(tmp_path: Path) -> None:
    (found,) = read_judges(written(tmp_path / "judge.json", json.dumps({"q1": {"d1": 0.5}})))
    assert table(found) == {"q1": [0.5]}
    assert table(read_people(written(tmp_path / "beir.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\n"))) == {
        "q1": [2.0]
    }


def test_labels_by_judges_alone_are_not_peoples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has labels by judges alone \(gpt-4o/relevance.en@1\)"):
        read_people(written(tmp_path / "judge.trec", "q1 gpt-4o/relevance.en@1 d1 1\n"))


def test_a_pair_that_is_graded_twice_by_one_judge_differently_is_refused(tmp_path: Path) -> None:
    twice = "q1 0 d1 1\nq1 m/r.en@1 d1 1\nq1 m/r.en@1 d1 2\n"
    with pytest.raises(InputError, match=r"m/r.en@1, judges document d1 of query q1 twice, with different grades"):
        read_judges(written(tmp_path / "judge.trec", twice))


def test_a_pair_that_is_graded_twice_alike_counts_once(tmp_path: Path) -> None:
    found = read_people(written(tmp_path / "people.trec", "q1 0 d1 1\nq1 0 d1 1\n"))
    assert (found.qrels.grade.size, found.qrels.duplicates) == (1, 1)


def test_queries_in_pieces_all_over_a_file_are_one(tmp_path: Path) -> None:
    lines = "".join(f"q{n % 7} {'m/r.en@1' if n % 2 else 0} d{n} {n % 3}\n" for n in range(60_000))
    (judge,) = read_judges(written(tmp_path / "judge.trec", lines))
    people = read_people(tmp_path / "judge.trec")
    assert len(judge.qrels) == len(people.qrels) == 7
    assert judge.qrels.grade.size == people.qrels.grade.size == 30_000


def test_a_folder_that_has_no_labels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="is no results folder"):
        read_judges(tmp_path / "other")


def test_judges_are_named_as_given_or_told_apart_by_their_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name / "judge.trec", "q1 0 d1 1\n")
    both = [one for name in ("a", "b") for one in read_judges(tmp_path / name / "judge.trec", True)]
    assert [one.name for one in renamed(both, ())] == [f"judge ({tmp_path}/{name}/judge.trec)" for name in ("a", "b")]
    assert [one.name for one in renamed(both, ("x", "y"))] == ["x", "y"]
    with pytest.raises(InputError, match="2 judges need 2 names, and --judge-name has 1"):
        renamed(both, ("x",))
    with pytest.raises(InputError, match="two judges are called x"):
        renamed(both, ("x", "x"))
    with pytest.raises(InputError, match="two judges are the same file"):
        renamed([both[0], both[0]], ())
