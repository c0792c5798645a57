"""The book of rules that a rule is of: the CPR only where neither its sentence nor the heading above names another."""

from benchbench.answers.citations.uk import extract

WRITTEN = {
    "Crim PR r. 17.27": ["CrimPR 17.27"],
    "Crim. P.R. r. 17.27 applies": ["CrimPR 17.27"],
    "r 17.27 of the Crim PR": ["CrimPR 17.27"],
    "COPR r 3.1": ["COPR 3.1"],
    "rule 3.1 of the Court of Protection Rules 2017": ["COPR 3.1"],
    "UT Rules, rule 15": ["UT Rules 15"],
    "the Tribunal Rules, rule 8": ["Tribunal Rules 8"],
    "ETR r 12": ["ETR 12"],
    "C.P.R. 3.4": ["CPR 3.4"],
}
AROUND = {
    "The Criminal Procedure Rules apply, and rule 17.27 says": ["CrimPR 17.27"],
    "FPR 9.12 and rule 30.3": ["FPR 9.12", "FPR 30.3"],
    "Rule 17.27 is in the Criminal Procedure Rules.": ["17.27"],
    "The tribunal rules say in rule 5.1": ["5.1"],
    "## Family Procedure Rules\n\nRule 30.3.\n\n## CPR\n\nRule 52.3.": ["FPR 30.3", "CPR 52.3"],
    "Rule 9.1 of the Family Procedure Rules. Rule 3.4 applies.": ["FPR 9.1", "CPR 3.4"],
}


def named(text):
    return [f"{one.source} {'.'.join(one.path)}".strip() for one in extract(text)]


def test_the_book_is_part_of_a_citation():
    assert {text: named(text) for text in WRITTEN} == WRITTEN


def test_nothing_is_of_the_cpr_by_default_where_the_sentence_or_the_heading_names_another_book():
    assert {text: named(text) for text in AROUND} == AROUND
