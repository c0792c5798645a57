"""The quick look for words that open a provision misses none that the forms know."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.answers.citations.uk_forms import likely, members, opener_at

WORDS = re.findall(
    r"\S+",
    """
    Part part Parts PART Pt Pt. Pts Rule rule RULES r r. rr. R R. Rr Section sections SECTION s s. ss S. §
    §§ CPR CPR, FPR CrimPR PD PDs RSC CCR Ord Order Practice Direction Directions practice direction
    PRACTICE DIRECTION on Pre-Action Conduct paragraph Paragraphs para. Para Chapter chapters article Art.
    arts Regulation reg. Regs Schedule Schedules Sch. Schs Annex Annexes ANNEX Appendix APPENDIX Appendices
    Chancery Guide Patents Court TCC King’s Bench Party parties rest similar 3 36.14 A E1 IV 57AD the of
    solicitor's
    """,
)
texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "", "  ", "\n", "'", "’", "_", "-", "("]))
)


@given(texts)
@example([("s", ""), ("Part", " ")])
@example([("s", ""), ("3", " ")])
@example([("rr", ""), ("36.14", " ")])
@example([("S", ""), ("3", " ")])
@example([("R", ""), ("57AD", "\n")])
def test_every_word_that_opens_a_provision_is_likely(pieces: list[tuple[str, str]]):
    text = "".join(word + gap for word, gap in pieces)
    alone = [
        at
        for at in range(len(text))
        if at == 0 or not (text[at - 1] in "'’_" or (text[at - 1].isalnum() and text[at] != "§"))
    ]
    missed = {at for at in alone if opener_at(text, at)}.difference(likely(text))
    assert all(text[at - 1] == "§" for at in missed)  # the second sign of §§


def test_a_word_in_another_and_a_genitive_are_not_likely():
    assert list(likely("apart 3, claimant's 33, the_Part 3, Party 3")) == []


LISTS = {
    "CPR 8.5 and 6 set out": "8.5 8.6",
    "CPR 44.13-17": "44.13 44.14 44.15 44.16 44.17",
    "rules 6.32 and 33": "6.32 6.33",
    "CPR 11(1) and 11(4)": "11.1 11.4",
    "rule 3.4 and 14 days": "3.4",
    "CPR 3.4 and 24.": "3.4",
    "CPR 44.2(4)-(5), 44.4": "44.2.4 44.2.5 44.4",
    "sections 1 to 3, 6 and 9": "1 2 3 6 9",
    "sections 1 to 3, 14 days": "1 2 3",
    "PD63.6.1-6.3": "63.6.1 63.6.2 63.6.3",
    "rule $\n\n73.10 A(2)$": "73.10A.2",
    "PD\n\n57": None,
}


def test_lists_and_ranges_go_on_as_they_are_written():
    found = {}
    for text in LISTS:
        opener = opener_at(text, 0)
        found[text] = opener and " ".join(".".join(one.path) for one in members(text, opener))
    assert found == LISTS
