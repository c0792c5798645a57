import pytest

from benchbench.errors import InputError
from benchbench.formats.exports import Export
from benchbench.index.drafts import citation, drafts, passage, save_drafts
from benchbench.tables.documents import Document

PROSE = "A claimant may apply for summary judgment where the defendant has no real prospect of success."
OTHER = "The court may give directions about the management of the case at any hearing that it holds."


def test_a_draft_has_a_question_a_passage_and_the_document_cited():
    document = Document("d", "Part 24#page=Grounds", "Part 24", "CPR and PDs", f"PART 24\n\n{PROSE}\n\n{OTHER}")
    (one,) = drafts([Export("summary judgment", [document])]).questions
    assert one.question == "What does Part 24 say about summary judgment?"
    assert one.truth == f"{PROSE} [Part 24#page=Grounds]"
    assert (one.source_type, one.category) == ("CPR", "CPR and PDs")


def test_chunks_of_one_document_are_one_draft():
    chunks = [Document(f"d{n}", "Part 24", text=PROSE) for n in range(3)]
    made = drafts([Export("x", chunks), Export("x", chunks[:1])])
    assert (len(made.questions), made.repeated) == (1, 3)


def test_documents_without_text_are_counted():
    made = drafts([Export("x", [Document("d", "Part 24", text=" \n ")])])
    assert (made.questions, made.without_text) == ([], 1)


@pytest.mark.parametrize(
    ("document", "source"),
    [
        (Document("d", "Practice Direction 28"), "PD"),
        (Document("d", "PD 28 and Part 28"), "PD"),
        (Document("cpr:Part 24 – Summary Judgment", "Summary Judgment"), "CPR"),
        (Document("d", "Disclosure", category="Commercial Court"), "Court Guide"),
        (Document("d", "King's Bench Guide"), "Court Guide"),
        (Document("d", "Annex 6"), ""),
        (Document("d", "FPR PD 12J"), ""),
        (Document("d", "Family Procedure Rules Part 12"), ""),
        (Document("d", "Court of Protection Rules 2017"), ""),
        (Document("d", "Civil Procedure Rules Part 12"), "CPR"),
    ],
)
def test_the_source_type_comes_from_the_name_the_id_or_the_category(document: Document, source: str):
    one = Document(document.id, document.name, "", document.category, PROSE)
    assert drafts([Export("x", [one])]).questions[0].source_type == source
    assert drafts([Export("x", [one])], "Mine").questions[0].source_type == "Mine"


def test_brackets_in_a_name_and_in_a_passage_do_not_end_the_citation():
    assert citation(Document("d", "22. Enforcement [Part 2/2]")) == "[22. Enforcement (Part 2/2)]"
    assert passage(f"{PROSE} [See Part 3]", "summary") == f"{PROSE} (See Part 3)"


def test_the_passage_is_the_paragraph_with_most_words_of_the_query():
    text = f"MANAGEMENT OF CASES AND HEARINGS\n\n{OTHER}\n\n{PROSE}\n\n{PROSE} And more."
    assert passage(text, "Summary judgment") == PROSE
    assert passage(text, "unknown") == OTHER


def test_a_text_of_headings_only_gives_a_heading():
    assert passage("PART 24\n\nContents", "contents") == "Contents"


def test_a_long_passage_ends_with_a_sentence():
    text = f"{PROSE} 7. {OTHER} " * 10
    said = passage(text, "summary")
    assert len(said) <= 400
    assert said.endswith(("success.", "holds."))


def test_a_passage_without_sentences_ends_with_a_word():
    assert passage("word " * 200, "word") == "word " * 79 + "…"


def test_without_a_query_the_question_asks_what_a_document_says():
    (one,) = drafts([Export("", [Document("d", "Part 24", text=PROSE)])]).questions
    assert one.question == "What does Part 24 say?"


def test_drafts_never_take_the_place_of_a_file_that_may_have_been_reviewed(tmp_path):
    reviewed = tmp_path / "truth.jsonl"
    reviewed.write_text("reviewed")
    with pytest.raises(InputError, match="exists already"):
        save_drafts(reviewed, drafts([Export("x", [Document("d", "Part 24", text=PROSE)])]))
    assert reviewed.read_text() == "reviewed"
