"""Documents cited: four levels, each reported apart."""

import pytest
from answer_values import scored
from cases import tables

from benchbench.answers.precedents import compare, normalised

TABLES = tables(__file__)


@pytest.mark.parametrize(("expected", "cited", "level", "score"), TABLES["levels"])
def test_levels(expected: str, cited: str, level: str, score: float):
    assert compare(normalised(expected), normalised(cited)) == (pytest.approx(score), level)


def test_the_example_of_the_seed():
    truth = "...as stated in [Part 36#page=Offers to Settle]"
    response = "Under Part 36 [Part 36#page=Offers to Settle], a party may..."
    value = scored("precedent_matching", response, truth)
    assert (value.score, value.parts["precedent_exact"]) == (1.0, 1.0)


def test_each_level_is_reported_apart():
    value = scored("precedent_matching", "[a b] [Hearings in private]", "[a b] [a b c#page=x] [Open justice] [zzz yyy]")
    assert value.score == pytest.approx((1.0 + 0.95 + 0.75) / 4)
    assert value.parts == {
        "precedent_exact": 0.25,
        "precedent_containment": 0.25,
        "precedent_overlap": 0.0,
        "precedent_topic": 0.25,
        "precedent_page": 0.0,
    }


@pytest.mark.parametrize(
    ("response", "page"),
    [("[CPR_Part_36.pdf#page=3]", 1.0), ("[cpr part 36#page=5]", 0.0), ("[CPR_Part_36.pdf]", 0.0)],
)
def test_a_document_cited_with_another_page_is_the_same_document(response: str, page: float):
    value = scored("precedent_matching", response, "See [CPR_Part_36.pdf#page=3].")
    assert (value.score, value.parts["precedent_exact"], value.parts["precedent_page"]) == (1.0, 1.0, page)


def test_pages_are_compared_where_the_truth_has_them():
    truth = "[a.pdf#page=1] [a.pdf#page=2] [b.pdf]"
    value = scored("precedent_matching", "[a.pdf#page=2] [a.pdf#page=9] [b.pdf#page=4]", truth)
    assert (value.score, value.parts["precedent_page"]) == (1.0, 0.5)
    assert {mark.found for mark in value.marks} == {"matched"}
    assert "precedent_page" not in scored("precedent_matching", "[b.pdf#page=4]", "[b.pdf]").parts


def test_a_page_of_another_document_is_no_agreement():
    value = scored("precedent_matching", "[White Book.pdf#page=3]", "[Green Book.pdf#page=3]")
    assert (value.score, value.parts["precedent_page"]) == (0.0, 0.0)


def test_a_number_stands_for_a_document_of_the_context():
    context = ("Part 36#page=Offers to Settle: A Part 36 offer…", "Part 31: Disclosure…")
    truth = "[Part 36#page=Offers to Settle]"
    assert scored("precedent_matching", "An offer [1].", truth, *context).score == 1.0
    assert scored("precedent_matching", "An offer [2].", truth, *context).score == 0.0
    assert scored("precedent_matching", "An offer [9].", truth, *context).score == 0.0
    assert scored("precedent_matching", "An offer [2].", truth, "", *context).score == 1.0


def test_marks_name_what_was_matched_unexpected_and_missed():
    truth, response = "[Part 36] [Default Judgment]", "[Part 36] [Traffic Enforcement]"
    marks = scored("precedent_matching", response, truth).marks
    found = {mark.found: (truth if mark.found == "missed" else response)[mark.start : mark.end] for mark in marks}
    assert found == {"matched": "[Part 36]", "unexpected": "[Traffic Enforcement]", "missed": "[Default Judgment]"}


def test_where_no_document_is_expected_nothing_is_missed():
    value = scored("precedent_matching", "[Part 36]", "No document.")
    assert (value.score, value.expected) == (1.0, False)
