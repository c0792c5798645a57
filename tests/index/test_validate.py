"""What of a ground truth exists in an index; every case is a small index written out."""

from contextlib import nullcontext
from pathlib import Path

import indexes
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.collection import read_collection
from benchbench.formats.ground_truth import read_ground_truth
from benchbench.index.drafts import citation
from benchbench.index.look import documents
from benchbench.index.validate import Cited, Names, Validation, validate
from benchbench.serve.document_pages import CollectionIndex
from benchbench.tables.documents import Document
from benchbench.tables.questions import Question

HELD = [
    Document(one["id"], one["sourcepage"], one["sourcefile"], one["category"] or "", one["content"])
    for one in indexes.RECORDS
]


def checked(*truths: str, held: list[Document] = HELD, fuzzy: bool = False) -> Validation:
    return validate([Question(f"question {n}", truth) for n, truth in enumerate(truths)], held, fuzzy)


def alone(truth: str, held: list[Document] = HELD, fuzzy: bool = False) -> Cited:
    (one,) = checked(truth, held=held, fuzzy=fuzzy).cited
    return one


def test_a_document_is_found_by_name_file_and_id_whatever_the_case_and_the_punctuation():
    for written in (
        "Part 36",
        "PART-36",
        "part  36",
        "commercial-court-guide",
        "Commercial Court Guide.pdf",
        "guide-d",
    ):
        assert alone(f"As it says [{written}].")["found"], written


def test_a_section_is_found_where_the_index_has_it():
    one = alone("[Part 36#page=offers to settle]")
    assert (one["ids"], one["section_checked"]) == (["part36-1"], True)
    assert alone("[commercial-court-guide.pdf#page=41]")["ids"] == ["guide-d"]


def test_a_document_without_a_section_is_all_its_chunks():
    assert alone("[Part 36]")["ids"] == ["part36-1", "part36-2"]


def test_a_section_that_the_document_does_not_have_is_missing_and_the_document_is_named():
    one = alone("[commercial-court-guide.pdf#page=99]")
    assert one["ids"] == []
    assert [(near["id"], near["level"]) for near in one["near"]] == [("guide-d", "exact")]
    assert alone("[commercial-court-guide.pdf#page=99]", fuzzy=True)["found"]


def test_a_section_cannot_be_checked_where_the_index_has_none_of_the_document():
    one = alone("[Notes#page=2]")
    assert (one["ids"], one["section_checked"]) == (["notes"], False)


def test_an_id_may_be_cited_without_its_prefix():
    held = [Document("cpr:Part 5 – Court Documents", "Court Documents")]
    assert alone("[Part 5 – Court Documents]", held)["found"]
    assert alone("[cpr:Part 5 – Court Documents]", held)["found"]
    assert not alone("[Part 5]", held)["found"]


def test_a_name_that_contains_a_documents_is_missing_and_the_document_is_named():
    held = [Document("a", "Part 24 – Summary Judgment"), Document("b", "Part 36"), Document("c", "Fees")]
    one = alone("[Summary Judgment]", held)
    assert one["ids"] == []
    assert [(near["id"], near["as"], near["level"]) for near in one["near"]] == [
        ("a", "Part 24 – Summary Judgment", "containment")
    ]
    assert alone("[Summary Judgment]", held, fuzzy=True)["ids"] == ["a"]


def test_names_that_share_most_words_resemble_one_another():
    held = [Document("a", "Costs in special cases"), Document("b", "Special masters")]
    one = alone("[Costs special cases]", held)
    assert [(near["id"], near["level"]) for near in one["near"]] == [("a", "overlap")]


def test_a_shared_topic_is_no_resemblance_that_fuzzy_takes():
    held = [Document("a", "Default judgment of the court")]
    one = alone("[Summary judgment without trial]", held, fuzzy=True)
    assert (one["ids"], [near["level"] for near in one["near"]]) == ([], ["topic"])


def test_what_resembles_nothing_has_no_near():
    assert alone("[Zoning bylaws]")["near"] == []


def test_the_nearest_are_three_documents_at_most_the_best_first():
    held = [Document(f"d{n}", f"Part 36 {n}") for n in range(9)] + [Document("x", "Part 36 and costs")]
    one = alone("[Part 36 costs]", held)
    assert len(one["near"]) == 3
    assert one["near"][0]["id"] == "x"


def test_a_citation_stands_once_with_all_its_questions():
    found = checked("[Part 36] and [Part 36]", "none", "[Part 36]", "[1][2]")
    assert [(one["name"], one["questions"]) for one in found.cited] == [("Part 36", [1, 3])]
    assert found.citing_none == [2, 4]
    assert (found.questions, found.documents, found.missing) == (4, 4, [])


def test_an_empty_index_has_nothing():
    assert [one["name"] for one in checked("[Part 36]", held=[]).missing] == ["Part 36"]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=30), max_size=5))
def test_every_document_that_has_a_name_is_found_by_the_citation_of_it(names: list[str]):
    held = [Document(f"d{n}", name) for n, name in enumerate(names)]
    for one in held:
        found = validate([Question("q", f"As it says {citation(one)}.")], held)
        assert all(cited["found"] for cited in found.cited if any(map(str.isalnum, cited["name"])))


def test_the_ground_truth_of_the_civil_procedure_rules(shared_data: Path):
    """17 of the 19 documents that the 20 truths cite are titles of the corpus; two are written otherwise."""
    folder = shared_data / "uk-cpr"
    index = CollectionIndex(read_collection(folder / "corpus.jsonl"))
    held = documents(nullcontext(index)).page.documents
    found = validate(read_ground_truth(folder / "ground_truth.jsonl"), held)
    assert (found.questions, found.documents, len(found.cited), found.citing_none) == (20, 345, 19, [])
    assert {one["name"][:22]: (one["near"][0]["as"][:19], one["near"][0]["level"]) for one in found.missing} == {
        "CPR Part 75": ("cpr:Part 75 – Traff", "containment"),
        "Practice Direction 27B": ("Claims Under the Pr", "overlap"),
    }


def test_names_that_share_no_word_with_a_citation_are_not_kept():
    names = Names(
        held=[Document("a", "Part 36"), Document("b", "Fees"), Document("c", "Costs")],
        words=frozenset({"part", "fees"}),
    )
    assert (names.count, sorted(names._by_name)) == (3, ["fees", "part 36"])
