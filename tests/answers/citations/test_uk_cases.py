"""Neutral citations."""

import pytest

from benchbench.answers.citations.uk_cases import cases

SUFFIXES = ("Ch", "Comm", "TCC", "QB", "KB", "Pat", "Admin", "Fam", "IPEC", "Costs")


def keys(text):
    return [one.key for one in cases(text)]


@pytest.mark.parametrize(
    "court", ["UKSC", "UKHL", "UKPC", "EWCA Civ", "EWCA Crim", "EWHC", "EWFC", "EAT", "CSIH", "NICA"]
)
def test_a_case_is_its_year_court_and_number(court):
    assert keys(f"as in [2024] {court} 12, and") == [("case", court, ("2024", "12"))]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_division_of_the_high_court_is_part_of_the_court(suffix):
    assert keys(f"[2024] EWHC 789 ({suffix})") == [("case", f"EWHC ({suffix})", ("2024", "789"))]


def test_cases_that_differ_in_one_part_are_different():
    texts = ["[2024] EWHC 789 (Ch)", "[2023] EWHC 789 (Ch)", "[2024] EWHC 788 (Ch)", "[2024] EWHC 789 (Comm)"]
    texts += ["[2024] EWCA Civ 789", "[2024] EWCA Crim 789", "[2024] UKSC 789", "[2024] UKUT 789 (AAC)"]
    assert len({keys(text)[0] for text in texts}) == len(texts)


@pytest.mark.parametrize(
    "text", ["[2024]EWCA Civ 5", "[2024] EWCA  civ 5", "[2024] EWCA Civ. 5", "[2024] EWCA Civ No 005"]
)
def test_writing_does_not_change_a_case(text):
    assert keys(text) == [("case", "EWCA Civ", ("2024", "5"))]


@pytest.mark.parametrize(
    "text", ["[2024] 1 AC 5", "2024 UKSC 5", "[24] UKSC 5", "[2024] UKSC", "[2024] EWHC x", "[1] UKSC 5"]
)
def test_what_is_no_neutral_citation_is_left_alone(text):
    assert keys(text) == []


def test_a_word_in_brackets_that_is_no_division_is_not_taken():
    assert keys("[2024] EWHC 789 (unreported)") == [("case", "EWHC", ("2024", "789"))]


def test_old_citations_of_the_administrative_court_are_those_of_today():
    assert keys("[2001] EWHC Admin 12") == keys("[2001] EWHC 12 (Admin)")


def test_a_number_of_the_b_series_keeps_its_letter():
    assert keys("[2017] EWHC B12 (Costs)") == [("case", "EWHC (Costs)", ("2017", "B12"))]


@pytest.mark.parametrize(("written", "division"), [("KBD", "KB"), ("QBD", "QB"), ("ChD", "Ch"), ("Admin Ct", "Admin")])
def test_a_division_has_one_name_however_it_is_written(written, division):
    assert keys(f"[2020] EWHC 5 ({written})") == keys(f"[2020] EWHC 5 ({division})")
