from answer_values import made, scored

from benchbench.answering.scoring import chosen


def test_any_citation_is_anything_in_brackets():
    assert scored("any_citation", "See [1].").score == 1.0
    for text in ("See 1.", "As held in [2024] UKSC 1.", "[a link](http://a)", "[TENANT_ID]"):
        assert scored("any_citation", text).score == 0.0


def test_citations_match_letter_for_letter():
    assert scored("citations_matched", "[a.pdf#page=3]", "x [a.pdf#page=3] y [b.pdf]").score == 0.5
    assert scored("citations_matched", "[AB]", "[ab]").score == 0.0
    assert not scored("citations_matched", "[A]", "none").expected


def test_length_is_in_characters():
    assert scored("answer_length", "条文").score == 2.0


def test_latency_is_that_of_the_answer_or_not_a_number():
    (latency,) = chosen(["latency"])
    assert latency.value(made("x", latency=1.5)).score == 1.5
    assert latency.value(made("x")).score != latency.value(made("x")).score
