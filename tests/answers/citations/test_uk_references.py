"""Provisions without a source beside them are of what was named before, and end where that ends."""

import pytest

from benchbench.answers.citations.uk import extract


def named(text):
    return [f"{one.source} {'.'.join(one.path)}".strip() for one in extract(text)]


GUIDES = {
    "The TCC Guide applies. Section 4.2 deals with costs, and section 4.3 with trials.": [
        *("TCC Guide", "TCC Guide 4.2", "TCC Guide 4.3"),
    ],
    "See Section F of the Commercial Court Guide, and Section F.2 in particular.": [
        *("Commercial Court Guide F", "Commercial Court Guide F.2"),
    ],
    "The Chancery Guide has been revised:\n\n• Section A.1 is new.\n• Sections B.2 and B.3 are not.": [
        *("Chancery Guide", *(f"Chancery Guide {one}" for one in ("A.1", "B.2", "B.3"))),
    ],
    "The Patents Court Guide applies. Section 12 deals with experts.": [
        "Patents Court Guide",
        "Patents Court Guide 12",
    ],
    "the Patents Court Guide, the Patents Act 1977, section 12; section 13": [
        *("Patents Court Guide", "Patents Act 1977 12", "Patents Act 1977 13"),
    ],
    "The Chancery Guide, section 4; section 5 is new.": ["Chancery Guide 4", "Chancery Guide 5"],
    "The Chancery Guide applies. Section 4.2 below does not.": ["Chancery Guide"],
    "4.1 The Chancery Guide applies.\n\n4.2 Trials are dealt with in section 4.7.": ["Chancery Guide"],
    "The Chancery Guide applies.\n\n# Costs\n\nSection 4.2 of something": ["Chancery Guide"],
    "Section 4.2 is of no guide.": [],
    "the Chancery Guide, paragraph 3.4 and Appendix C": ["Chancery Guide 3.4", "Chancery Guide C"],
    "The Chancery Guide, paragraph 3.4, and Appendix C to the report": ["Chancery Guide 3.4"],
    "Annex C to this Guide, after the Chancery Guide, paragraph 3.4": ["C", "Chancery Guide 3.4"],
    "The IPEC Guide, para 3.4, follows the Chancery Guide, para 9.2. See para 3.5.": [
        *(f"Intellectual Property Enterprise Court Guide {one}" for one in ("3.4",)),
        *("Chancery Guide 9.2", "Intellectual Property Enterprise Court Guide 3.5"),
    ],
}
DIRECTIONS = {
    "PD 8B applies, and paragraph 6.2 says how.": ["PD 8B", "PD 8B 6.2"],
    "PD 8B, para 6.2.\n- See paragraph 6.4 too.": ["PD 8B 6.2", "PD 8B 6.4"],
    "Paragraph 7 of PD 8B, with paragraphs 8 and 9": ["PD 8B 7", "PD 8B 8", "PD 8B 9"],
    "paragraph 7.1 of PD 8B and paragraph 7.2 below": ["PD 8B 7.1"],
    "paragraph 7 of PD 8B. In paragraph 8 of her judgment": ["PD 8B 7"],
    "The Particulars cite PD 8B, paragraph 7. Paragraph 8 denies it.": ["PD 8B 7"],
    "PD 8B, para 3.1; PD 9A on costs, paragraph 3.2": ["PD 8B 3.1", "PD 9A", "PD 9A 3.2"],
    "PD 8B applies to this Guide; see paragraph 6.2.": ["PD 8B"],
    "7.1 PD 8B applies: see paragraphs 4.3 to 4.4.\n\n7.2 See paragraph 9.9 and Annex 3 to PD 32.": [
        "PD 8B",
        "PD 32 3",
    ],
    "7.1 See also section 9.": [],
    "7.1 See PD 8B, paragraph 3.1, with this guide.\n\n7.2 Paragraph 6.2 requires it.": ["PD 8B 3.1", "PD 8B 6.2"],
    "7.1 See PD 8B, paragraph 3.1.\n\n7.2 Paragraph 7.1 applies.": ["PD 8B 3.1"],
    "PD 8B, para 6.2, and paragraph 3 of that practice direction": ["PD 8B 6.2", "PD 8B 3"],
    "PD 8B para 6.2. The form is at Annex D.": ["PD 8B 6.2", "PD 8B D"],
    "Appendix B to this practice direction": ["B"],
    "PRACTICE DIRECTION 8B\n\nParagraph 2 of this practice direction": ["PD 8B", "PD 8B 2"],
}
ACTS = {
    "The Equality Act 2010 has sections 20 to 21 and Schedule 8.": [
        *("Equality Act 2010", "Equality Act 2010 20", "Equality Act 2010 21", "Equality Act 2010 Schedule 8"),
    ],
    "Section 8 of the Housing Act 1988. The lease is at Schedule 1.": ["Housing Act 1988 8"],
    "Section 8 of the Housing Act 1988 and Schedule 1 to this letter": ["Housing Act 1988 8"],
    "The Finance Act 2008 is amended as follows.\n2 In Sch 41 para 6, omit it.": [
        *("Finance Act 2008", "Finance Act 2008 Schedule 41.6"),
    ],
    "paragraph 3 of Schedule 2 to the Housing Act 1988. Paragraph 4 too": [
        *("Housing Act 1988 Schedule 2.3", "Housing Act 1988 Schedule 2.4"),
    ],
    "Schedule 12 to the Courts Act 2007. One. Two. Three. Four. A warrant under paragraph 31 of Schedule 12": [
        *("Courts Act 2007 Schedule 12", "Courts Act 2007 Schedule 12.31"),
    ],
    "SECTION 6 - OMITTED, after the Housing Act 1988": ["Housing Act 1988"],
    "the Housing Act 1988, and see section 5 above": ["Housing Act 1988"],
    "section 3 of the 1954 Act and section 4": ["3", "4"],  # no Act of 1954 is named
    "the Housing Act 1988 and section 3 of the 1954 Act, section 4": ["Housing Act 1988", "3", "4"],
    "the Housing Act 1988. 1984 c. 28. Section 5 was amended.": ["Housing Act 1988", "5"],
    "(1) See the Housing Act 1988.\n(2) Section 3 of this Act and section 4 apply.": ["Housing Act 1988", "3", "4"],
    "(1) See section 8 of the Housing Act 1988.\n(2) In this section, Schedule 2 applies.": [
        *("Housing Act 1988 8", "Schedule 2"),
    ],
    "(1) See the Housing Act 1988.\n(2) In this Act, Part 2 of Schedule 1 applies.": [
        "Housing Act 1988",
        "Schedule 1.Part 2",
    ],
    "The Water Regulations 2020\n(1) In these Regulations see regulation 4.": [
        *("Water Regulations 2020", "Water Regulations 2020 4"),
    ],
    "Part 7 of the Housing Act 1996 and Part 36. Part 7 is long; a Part 7 claim is not.": [
        *("Housing Act 1996 Part 7", "CPR 36", "Housing Act 1996 Part 7", "CPR 7"),
    ],
    "article 5 of the Ports Order 2001; article 6 and Article 8": [
        *("Ports Order 2001 5", "Ports Order 2001 6", "Ports Order 2001 8"),
    ],
}
RULES = {
    "rule 13 of the Property Chamber Rules 2013 and rule 8": [
        *("Property Chamber Rules 2013 13", "Property Chamber Rules 2013 8"),
    ],
    "rule 12.5 of the Insolvency Rules 2016, rule 12.6 and rule 52.6": [
        *("Insolvency Rules 2016 12.5", "Insolvency Rules 2016 12.6", "Insolvency Rules 2016 52.6"),
    ],
    "rule 3(7) of the 1993 Rules and rule 3(10) of those Rules; rule 52.6": ["3.7", "3.10", "52.6"],
    "FPR 9.12 and rule 9.13": ["FPR 9.12", "FPR 9.13"],
}


@pytest.mark.parametrize("forms", [GUIDES, DIRECTIONS, ACTS, RULES])
def test_a_provision_alone_is_of_what_was_named_before(forms):
    assert {text: named(text) for text in forms} == forms
