"""The names under which tables of judgments and hits have their columns."""

import pytest

from benchbench.errors import InputError
from benchbench.formats.columns import are_names, choose_columns


@pytest.mark.parametrize(
    ("names", "run"),
    [
        (["query_id", "doc_id", "score"], True),
        (["query_id", "doc_id", "relevance"], False),
        (["query-id", "corpus-id", "score"], True),  # BEIR
        (["query-id", "corpus-id", "score"], False),
        (["qid", "docno", "score"], True),  # PyTerrier
        (["qid", "docno", "label"], False),
        (["q_id", "doc_id", "score"], True),  # ranx
        (["query", "docid", "rel"], False),  # trectools
        (["queryId", "documentId", "similarity"], True),
        (["Query ID", "Passage ID", "Grade"], False),
        (["topic", "document", "judgment"], False),
    ],
)
def test_the_usual_names_are_known_in_any_order_and_among_others(names: list[str], run: bool):
    assert choose_columns(names, run, "x") == names
    assert choose_columns(["text", *reversed(names), "rank"], run, "x") == names
    assert are_names(names)


def test_of_several_names_the_more_exact_is_taken_and_of_equal_ones_the_first():
    assert choose_columns(["query", "qid", "query_id", "doc", "docno", "score"], True, "x") == [
        "query_id",
        "docno",
        "score",
    ]
    assert choose_columns(["score", "qid", "docno", "relevance"], False, "x") == ["qid", "docno", "relevance"]
    assert choose_columns(["qid", "QID", "docno", "Score", "score"], True, "x") == ["qid", "docno", "Score"]


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "iteration", "iter"])
def test_a_column_of_subtopics_is_one_of_qrels_alone(name: str):
    assert choose_columns(["qid", name, "docno", "rel"], False, "x") == ["qid", "docno", "rel", name]
    assert choose_columns(["qid", name, "docno", "score"], True, "x") == ["qid", "docno", "score"]


QUERIES = "query_id, qid, query, q_id, topic_id or topic"
DOCUMENTS = "doc_id, docid, docno, document_id, corpus_id, doc, document, pid or passage_id"
GRADES = "relevance, rel, grade, label, judgment or score"


@pytest.mark.parametrize(
    ("names", "run", "sentence"),
    [
        (["id", "docno", "score"], True, f"f: no column query_id; there are id, docno, score; call it {QUERIES}"),
        (["qid", "text", "score"], True, f"f: no column doc_id; there are qid, text, score; call it {DOCUMENTS}"),
        (
            ["qid", "docno", "rel"],
            True,
            "f: no column score; there are qid, docno, rel; these are judgments, not a run",
        ),
        (["qid", "docno", "rank"], False, f"f: no column relevance; there are qid, docno, rank; call it {GRADES}"),
        ([], True, "f: no column query_id; there are none"),
        (["", "a\0b"], True, f"f: no column query_id; there are '', 'a\\x00b'; call it {QUERIES}"),
    ],
)
def test_a_missing_column_is_named_beside_those_that_are_there_and_the_names_it_may_have(
    names: list[str], run: bool, sentence: str
):
    with pytest.raises(InputError) as caught:
        choose_columns(names, run, "f")
    assert str(caught.value) == sentence


def test_a_table_of_thousands_of_columns_is_refused_in_a_short_sentence():
    with pytest.raises(InputError, match=r"column_1, .*, …; call it ") as caught:
        choose_columns([f"column_{i}" for i in range(5000)] + ["x" * 10**6], True, "f")
    assert len(str(caught.value)) < 400
    with pytest.raises(InputError) as caught:
        choose_columns(["x" * 10**6], True, "f")
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("fields", [["q1", "0", "d1", "1"], ["query", "0", "x", "1"], ["a", "b", "doc_id"], []])
def test_a_line_of_values_is_no_header(fields: list[str]):
    assert not are_names(fields)
