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


DIRECTIONS = {
    "CrimPD 5A.1": ["CrimPR PD 5A 1"],
    "Crim PD 24B; CPR PD 5A": ["CrimPR PD 24B", "PD 5A"],
    "the crime PD 5B": ["PD 5B"],
    "FPR PD 12J para 14": ["FPR PD 12J 14"],
    "Practice Direction 12J of the Family Procedure Rules": ["FPR PD 12J"],
    "Paragraph 4 of Practice Direction 9E to the Court of Protection Rules 2017": ["COPR PD 9E 4"],
    "PDs 12J and 12B of the FPR": ["FPR PD 12J", "FPR PD 12B"],
    "Practice Direction 12J (FPR), and CPR PD 44": ["FPR PD 12J", "PD 44"],
    "FPR PD 12J and CPR PD 5A": ["FPR PD 12J", "PD 5A"],
    "PD 30A FPR 2010": ["FPR PD 30A"],
    "Part 12 Practice Direction of the FPR": ["FPR PD 12"],
    "FPR 9.9A, read with PD 9A para 13.1": ["FPR 9.9A", "FPR PD 9A 13.1"],
    "The FPR differ: CPR Practice Direction 44 has no place there.": ["PD 44"],
    "PD 57AC is not for cases under the FPR.": [],
    "the Insolvency Rules 2016 and PD 57AC": ["Insolvency Rules 2016", "PD 57AC"],  # those have no directions
    "## FPR\n\nPD 12J applies.\n\n## CPR\n\nPD 16 para 2.1.": ["FPR PD 12J", "PD 16 2.1"],
}


def named(text):
    return [f"{one.source} {'.'.join(one.path)}".strip() for one in extract(text)]


def test_the_book_is_part_of_a_citation():
    assert {text: named(text) for text in WRITTEN} == WRITTEN


def test_nothing_is_of_the_cpr_by_default_where_the_sentence_or_the_heading_names_another_book():
    assert {text: named(text) for text in AROUND} == AROUND


def test_a_practice_direction_has_its_book_as_a_rule_has():
    found = {text: [name for name in named(text) if name] for text in DIRECTIONS}
    assert found == DIRECTIONS


def test_those_rules_are_the_rules_named_last():
    text = "The Criminal Procedure Rules have rule 3.2. Rule 1.1 of those Rules states the objective."
    assert named(text) == ["CrimPR 3.2", "CrimPR 1.1"]
    assert named("CPR 3.4 is wide. Rule 3.2 of those Rules is not.") == ["CPR 3.4", "CPR 3.2"]
