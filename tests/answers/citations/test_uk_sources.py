"""What a provision is of: titles, guides, directions, words that refer back, and what a text defines."""

import pytest

from benchbench.answers.citations.uk import extract


def named(text):
    return [f"{one.source} {'.'.join(one.path)}".strip() for one in extract(text)]


GUIDES = {
    "Sub-Section B.4 of the CCG": ["Commercial Court Guide B.4"],
    "Section K of the CCG and KBG para 3.1": ["Commercial Court Guide K", "King's Bench Guide 3.1"],
    "the Circuit Commercial Court Guide and Section K of the CCG": [
        *("Circuit Commercial Court Guide", "Commercial Court Guide K"),
    ],
    'the Patents Court Guide ("the Guide"), the Chancery Guide, section 3 of the Guide': [
        *("Patents Court Guide", "Chancery Guide", "Patents Court Guide 3"),
    ],
    "the TCC Guide, and Annex G to the guide": ["TCC Guide", "TCC Guide G"],
    "Annex (A)": ["A"],
    "paragraph 4 of Appendix 2 to the TCC Guide": ["TCC Guide 2.4"],
    "paragraph 9 of this Guide": [],
    "section 4 and Appendix A of the TCC Guide": ["TCC Guide 4", "TCC Guide A"],
    "The TCC Guide states at section 8.1 that": ["TCC Guide 8.1"],
    "the TCC Guide, whose section 9.4 is long": ["TCC Guide 9.4"],
    "section 4.11 of the Guide to the Intellectual Property Enterprise Court": [
        "Intellectual Property Enterprise Court Guide 4.11",
    ],
    "[Or where paragraph 9 of PD 63 has been complied with.]": ["PD 63 9"],
    "the TCC Guide (2nd edition), D8.2 and F5.4(b)": ["TCC Guide D.8.2", "TCC Guide F.5.4.b"],
    "section 9.2 TCC Guide; section 9.3 of the same guide": ["TCC Guide 9.2", "TCC Guide 9.3"],
    "the Technology & Construction Court Guide": ["TCC Guide"],
}
DIRECTIONS = {
    "Paragraph 8 of the Part 21 Practice Direction": ["PD 21 8"],
    "the Part 21 PD and CPR 22 PD para 3": ["PD 21", "PD 22 3"],
    "paragraph 5 of the Practice Direction - Patents etc. supplementing Part 63": ["PD 63 5"],
    "the Practice Direction to Part 52, para 4": ["PD 52 4"],
    "This Practice Direction supplements CPR Part 49": ["CPR 49"],
    "Section II of PD2B; PD 52C, sections 2 and 4": ["PD 2B II", "PD 52C 2", "PD 52C 4"],
    "Section IV of Part 6": ["CPR 6"],
    "PD 51O.13 and 14.3 to 14.11 below": ["PD 51O 13"],
    "PD63.5.2(2), PD63.6.1-6.3": ["PD 63 5.2.2", "PD 63 6.1", "PD 63 6.2", "PD 63 6.3"],
    "paragraph 5 of the Practice Direction on Insolvency Proceedings": ["PD Insolvency Proceedings 5"],
    "para 6 of the PD-PAC": ["PD Pre-Action Conduct 6"],
    "the practice direction\n\n1 This applies": [],
}
ENDS = {  # another source, named after, has what stands beside it
    "the Chancery Guide section 5.1, section 32 of the Limitation Act 1980": [
        *("Chancery Guide 5.1", "Limitation Act 1980 32"),
    ],
    "the Limitation Act 1980, s 2, s 8 of the Housing Act 1988": ["Limitation Act 1980 2", "Housing Act 1988 8"],
    "the Limitation Act 1980, s 2 and section 8 of the lease": ["Limitation Act 1980 2"],
    "the Chancery Guide, section 8 of the Housing Act 1988": ["Chancery Guide", "Housing Act 1988 8"],
    "PD 16 para 2.1, para 3 of PD 32": ["PD 16 2.1", "PD 32 3"],
    "CPR 3.4 and rule 12.5 of the Insolvency Rules 2016": ["CPR 3.4", "Insolvency Rules 2016 12.5"],
}
DEFINED = {
    "the Companies Act 2006 (“the Act”), the Insolvency Act 1986, and section 9 of the Act": [
        *("Companies Act 2006", "Insolvency Act 1986", "Companies Act 2006 9"),
    ],
    "“the 1996 Act” means the Housing Act 1996. Unlike the Arbitration Act 1996, section 2 of the 1996 Act": [
        *("Housing Act 1996", "Arbitration Act 1996", "Housing Act 1996 2"),
    ],
    "the Financial Services and Markets Act 2000 (FSMA); FSMA, s 19; s 26 of FSMA; s 27 FSMA": [
        *("Financial Services and Markets Act 2000", "Financial Services and Markets Act 2000 19"),
        *("Financial Services and Markets Act 2000 26", "Financial Services and Markets Act 2000 27"),
    ],
    "the Employment Rights Act 1996, s 94; s 98 ERA 1996; ERA s 99": [
        *(f"Employment Rights Act 1996 {one}" for one in (94, 98, 99)),
    ],
    "section 59 of the CJPA": ["CJPA 59"],  # which the text does not explain
    "section 59 of the DCP": [],  # a pilot scheme
    "the 1980 Act, s 33, where the Limitation Act 1980": ["Limitation Act 1980 33", "Limitation Act 1980"],
    "section 2 of the Act of 1980 and the Limitation Act 1980": ["Limitation Act 1980 2", "Limitation Act 1980"],
    "Article 3 of Rome I, that is Regulation (EC) No 593/2008 (“Rome I”)": [
        *("Regulation (EC) 593/2008 3", "Regulation (EC) 593/2008"),
    ],
}
ACTS = {
    "section 36 (personal injury) of the Limitation Act 1980": ["Limitation Act 1980 36"],
    "sections 1 and 2 of, and Schedule 1 to, the Human Rights Act 1998": [
        *("Human Rights Act 1998 1", "Human Rights Act 1998 2", "Human Rights Act 1998 Schedule 1"),
    ],
    "section 9, Part 2 and Schedule 1 of the Rent Act 1977": [
        *("Rent Act 1977 9", "Rent Act 1977 Part 2", "Rent Act 1977 Schedule 1"),
    ],
    "section 2 (truth), section 3 (opinion) or section 4 of the Defamation Act 2013": [
        *(f"Defamation Act 2013 {one}" for one in (2, 3, 4)),
    ],
    "article 3 and 17, the Police Act 1997": ["Police Act 1997"],
    "S.I. 1990/2591, S.I. 1993/603": ["SI 1990/2591", "SI 1993/603"],
    "regulation 5 and paragraph 2 of Schedule 1 to the Rent Act 1977": ["5", "Rent Act 1977 Schedule 1.2"],
    "section 2 and 5 of the Limitation Act 1980": ["Limitation Act 1980 2", "Limitation Act 1980 5"],
    "s 11-12 Limitation Act 1980": ["Limitation Act 1980 11", "Limitation Act 1980 12"],
    "subsection (2) of section 33 of the Limitation Act 1980": ["Limitation Act 1980 33.2"],
    "subsection (2) applies": [],
    "Chapter 2 of Part 8 of the Criminal Finances Act 2017": ["Criminal Finances Act 2017 Part 8.Chapter 2"],
    "paragraph 3 of Part 1 of Schedule 4 to the Housing Act 1996": ["Housing Act 1996 Schedule 4.Part 1.3"],
    "paragraph 3 of Schedule 8 A to the Housing Act 1996": ["Housing Act 1996 Schedule 8A.3"],
    "Insolvency Act 1986, Sched B1, para 43": ["Insolvency Act 1986 Schedule B1.43"],
    "paragraph 43 of Schedule B1 to the Insolvency Act 1986": ["Insolvency Act 1986 Schedule B1.43"],
    "Housing Act 1996, section 2, Schedule Part I": ["Housing Act 1996 2", "Housing Act 1996 Schedule.Part I"],
    "the Schedule to the Housing Act 1996; the Schedule to the lease": ["Housing Act 1996 Schedule"],
    "Housing Act 1996, Schedule 4 Part 2 para 1": ["Housing Act 1996 Schedule 4.Part 2.1"],
    "Schedule 4, Part 2, para 1 to the Housing Act 1996": ["Housing Act 1996 Schedule 4.Part 2.1"],
    "paragraph 3 of the Schedule to the Housing Act 1996": ["Housing Act 1996 Schedule.3"],
    "Limitation Act 1980 (c. 58), s 2; Limitation Act 1980(2), s 3": ["Limitation Act 1980 2", "Limitation Act 1980 3"],
    "Limitation Act 1980 (s 2)": ["Limitation Act 1980 2"],
    "Limitation Act 1980: sections 2 and 5": ["Limitation Act 1980 2", "Limitation Act 1980 5"],
    "S.I. 1998/2940 article 3(a), (c)": ["SI 1998/2940 3.a", "SI 1998/2940 3.c"],
    "Water Regulations 2013 (SI 2013/18), reg 3": ["Water Regulations 2013 3"],
    "Article 6(1)(f) UK GDPR": ["UK GDPR 6.1.f"],
    "**Section 33** of the **Limitation Act 1980**": ["Limitation Act 1980 33"],
}
RULES = {
    "notice under rule 82.21 of a person's wish": ["CPR 82.21"],
    "rule 82.21 of the club's rules": [],
    "CPR3.3 paragraphs 5 and 6": ["CPR 3.3.5", "CPR 3.3.6"],
    "paragraph (2) of rule 36.5": ["CPR 36.5.2"],
    "Part 3, rule 4(2)": ["CPR 3.4.2"],
    "rule 57.31\n\nPara. 5": ["CPR 57.31"],
    "Part 63 A (Financial List) and a Part 36 A party": ["CPR 63A", "CPR 36"],
    "rule 12.5 of the Insolvency Rules, and the Insolvency Rules": ["Insolvency Rules 12.5"],
    "Part 23 (General Rules about Applications)": ["CPR 23"],
    "rule 25.4 FPR; FPR 2010, r 9.12": ["FPR 25.4", "FPR 9.12"],
    "the Civil Procedure Rules 3.4": ["CPR 3.4"],
    "rule\n\n72.8 applies": ["CPR 72.8"],
}


@pytest.mark.parametrize("forms", [GUIDES, DIRECTIONS, ENDS, DEFINED, ACTS, RULES])
def test_a_provision_is_of_the_source_that_its_text_names(forms):
    assert {text: named(text) for text in forms} == forms


def test_emphasis_does_not_move_the_place_of_a_citation():
    text = "See **section 33** of the *Limitation Act 1980*, `Part 36`, * and * _rule 3.4_."
    assert [text[one.start : one.end] for one in extract(text)] == [
        *("section 33** of the *Limitation Act 1980", "Part 36", "rule 3.4"),
    ]
