"""Titles of Acts and instruments in running text, in headings, in capitals, and by their numbers."""

from benchbench.answers.citations.uk_titles import titles

FORMS = {
    "UNDER SECTION 2 OF THE PARTNERSHIP ACT 1890": ["Partnership Act 1890"],
    "TRUSTS OF LAND AND APPOINTMENT OF TRUSTEES ACT 1996": ["Trusts of Land and Appointment of Trustees Act 1996"],
    "A HOUSING ACT CLAIM": [],
    "the 1998 Human Rights Act": ["Human Rights Act 1998"],
    "Limitation Act of 1980": ["Limitation Act 1980"],
    "the Tribunals (Constitution and Rules of Procedure) Regulations 2013": [
        "Tribunals (Constitution and Rules of Procedure) Regulations 2013",
    ],
    "the Limitation Act 1980 and the Family Courts (Children Act 1989) Rules 1991": [
        *("Limitation Act 1980", "Family Courts (Children Act 1989) Rules 1991"),
    ],
    "NOTICE TO QUIT (Protection from Eviction Act 1977, s 5)": ["Protection from Eviction Act 1977"],
    "Finance (no 2) Act 1992": ["Finance (No 2) Act 1992"],
    "Health and Safety at Work etc Act 1974": ["Health and Safety at Work etc Act 1974"],
    "Health and Safety at Work etc. Act 1974": ["Health and Safety at Work etc. Act 1974"],
    "Notice Seeking Possession\nHousing Act 1988": ["Housing Act 1988"],
    "a long line that is wrapped within the title of the Trusts of\nLand Act 1996": ["Trusts of Land Act 1996"],
    "Civil Procedure Rules 1998 (Amendment) (EU Exit) Regulations 2019": [
        "Civil Procedure Rules 1998 (Amendment) (EU Exit) Regulations 2019",
    ],
    "S.I. 1993/564; SI 2000/1": ["SI 1993/564", "SI 2000/1"],
    "Water Regulations 2013 (SI 2013/18)": ["Water Regulations 2013"],
    "1984 c. 28; Limitation Act 1980 c. 58": ["", "Limitation Act 1980"],
    "Directive 2001/29/EC": ["Directive 2001/29/EC"],
}


def test_each_title_has_one_name():
    assert {text: [one.name for one in titles(text)] for text in FORMS} == FORMS
