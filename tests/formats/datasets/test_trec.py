"""TREC's files, by options and by folder: fields of topics, grades, subtopics, names."""

from pathlib import Path

import makes
import pytest
from makes import MAKES, SMALL

from benchbench.errors import InputError
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries


@pytest.mark.parametrize("make", ["trec, SGML", "trec, XML"])
def test_the_title_is_asked_or_the_field_that_is_named(tmp_path: Path, make: str) -> None:
    given = MAKES[make](tmp_path, SMALL)
    assert list(read_queries(locate(**given)).texts) == list(SMALL.queries.values())[:3]
    found = read_queries(locate(**given, topic_field="description"))
    assert list(found.texts) == ["not asked"] * 3


def test_of_several_subtopics_a_document_has_its_highest_grade(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 1 d1 1\nq1 2 d1 3\nq1 1 d2 0\nq1 2 d2 -2\n2 1 d1 0\n")
    found = makes.columns(read_queries(locate(**given)))
    assert {query: grades for query, (_, grades) in found.items()} == {"q1": {"d1": 3.0, "d2": 0.0}, "2": {"d1": 0.0}}
    given["qrels"].write_text("q1 1 d1 1\nq1 1 d1 1\nq1 1 d1 2\n")
    with pytest.raises(InputError, match="judges document d1 of query q1 twice, with different grades"):
        read_queries(locate(**given))


def test_positives_beyond_the_most_are_left_out_in_the_order_of_the_judgments(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 0 d1 1\nq3 0 d2 1\nq1 0 d9 0\nq1 0 d2 2\nq3 0 d3 0\nq1 0 d3 3\n")
    found = read_queries(locate(**given), max_positives=1)
    assert {query: grades for query, (_, grades) in makes.columns(found).items()} == {
        "q1": {"d1": 1.0, "d9": 0.0},
        "q3": {"d2": 1.0, "d3": 0.0},
    }
    assert found.left_out is not None
    assert (list(found.left_out.ids), found.left_out.grade.tolist()) == (["d2", "d3"], [2.0, 3.0])
    assert found.left_out.offsets.tolist() == [0, 2, 2]
    assert read_queries(locate(**given), max_positives=3).left_out is None


def test_files_of_a_folder_are_found_by_their_names_and_of_several_one_is_to_be_named(tmp_path: Path) -> None:
    MAKES["trec, a folder"](tmp_path, SMALL)
    (tmp_path / "topics.tsv").rename(tmp_path / "adhoc.topics.tsv")
    (tmp_path / "qrels.txt").rename(tmp_path / "adhoc-qrels.txt")
    found = locate(tmp_path)
    assert (found.make, found.queries.path.name, found.qrels[0].path.name) == (
        "trec",
        "adhoc.topics.tsv",
        "adhoc-qrels.txt",
    )
    assert found.collection is not None
    assert found.collection.path.name == "docs.trec"
    (tmp_path / "qrels.2.txt").touch()
    with pytest.raises(
        InputError, match=r"has several files of qrels: adhoc-qrels.txt, qrels.2.txt; say which with --qrels"
    ):
        locate(tmp_path)
    assert locate(tmp_path, qrels=tmp_path / "adhoc-qrels.txt").qrels == found.qrels


def test_a_query_and_a_document_of_one_id_are_not_the_same_unless_it_is_said(tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("q1 0 q1 1\nq1 0 d2 1\n")
    assert read_queries(locate(**given)).dropped_positives == 0
    assert read_queries(locate(**given), self_by="id").dropped_positives == 1
    assert read_queries(locate(**given)).id.tolist() == [0]
