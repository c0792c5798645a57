"""Citations of the law of England and Wales."""

import json
import random
import re

import pytest
from answers.citations.samples import agreement
from answers.citations.uk_sample import expected

from benchbench.answers.citations.uk import extract

CHARGES = "Consumer Contracts (Information, Cancellation and Additional Charges) Regulations 2013"


def named(text):
    return [f"{one.source} {'.'.join(one.path)}".strip() for one in extract(text)]


SEED = {  # every citation that the description of the system shows
    "Part 36": ["CPR 36"],
    "Rule 3.4": ["CPR 3.4"],
    "r.24.2(3)(a)": ["CPR 24.2.3.a"],
    "CPR Part 36": ["CPR 36"],
    "CPR Part 36.14": ["CPR 36.14"],
    "CPR 3.9(1)": ["CPR 3.9.1"],
    "PD 28": ["PD 28"],
    "PD 28.3": ["PD 28 3"],
    "PD 57AD": ["PD 57AD"],
    "Practice Direction 28": ["PD 28"],
    "Practice Direction 53B": ["PD 53B"],
    "Annex B": ["B"],
    "section 33 of the Limitation Act 1980": ["Limitation Act 1980 33"],
    "Under section 33 of the Limitation Act 1980...": ["Limitation Act 1980 33"],
    "Limitation Act 1980 section 33": ["Limitation Act 1980 33"],
    "According to the Patents Court Guide section 14.1...": ["Patents Court Guide 14.1"],
    "Under Part 36 [Part 36#page=Offers to Settle], a party may make an offer": ["CPR 36"],
    "The claimant should provide disclosure under Part 31...": ["CPR 31"],
    "[2024] EWCA Civ 123": ["EWCA Civ 2024.123"],
    "[2019] UKSC 5": ["UKSC 2019.5"],
    "As held in [2023] EWCA Civ 456...": ["EWCA Civ 2023.456"],
    "Login: `az login --tenant [TENANT_ID]` [1][2][3]": [],
}
RULES = {
    "r 3.4(2)": ["CPR 3.4.2"],
    "under r3.4(2) and rr3.5 and 3.6": ["CPR 3.4.2", "CPR 3.5", "CPR 3.6"],
    "the first respondent (R1) and R2.1": [],
    "CPR r 3.4": ["CPR 3.4"],
    "CPR, r. 3.4": ["CPR 3.4"],
    "rules 3.4 and 3.5": ["CPR 3.4", "CPR 3.5"],
    "rr 3.4, 3.5 or 24.2": ["CPR 3.4", "CPR 3.5", "CPR 24.2"],
    "rule 3.4 and 14 days": ["CPR 3.4"],
    "rule 3.4(2)(a) and (b)": ["CPR 3.4.2.a", "CPR 3.4.2.b"],
    "rule 3.4(2)(a) to (c)": ["CPR 3.4.2.a", "CPR 3.4.2.b", "CPR 3.4.2.c"],
    "rules 3.1 to 3.3 and 3.7": ["CPR 3.1", "CPR 3.2", "CPR 3.3", "CPR 3.7"],
    "Parts 44 to 47": ["CPR 44", "CPR 45", "CPR 46", "CPR 47"],
    "Part 44 to Part 46": ["CPR 44", "CPR 45", "CPR 46"],
    "Part 36 of the Civil Procedure Rules": ["CPR 36"],
    "Civil Procedure Rules 1998, r 3.4": ["CPR 3.4"],
    "FPR 9.12": ["FPR 9.12"],
    "Family Procedure Rules 2010, r 9.12": ["FPR 9.12"],
    "RSC Ord 45 r 1(2)": ["RSC 45.1.2"],
    "Part 2 of the form, Part A, Section I of this Part, the CPR; r 3": [],
    "the claimant's 33.4 and parts of it": [],
    "rule 3.4 (the power)": ["CPR 3.4"],
}
DIRECTIONS = {
    "Practice Direction 51ZG3": ["PD 51ZG3"],
    "PDs 31A and 31B": ["PD 31A", "PD 31B"],
    "PD31B": ["PD 31B"],
    "Practice Directions 52 A, 52 B or 54 C applies": ["PD 52A", "PD 52B", "PD 54C"],
    "paragraph 3 of Practice Direction 57 AD": ["PD 57AD 3"],
    "paragraph 2.1 of Practice Direction 16": ["PD 16 2.1"],
    "PD 16 para 2.1": ["PD 16 2.1"],
    "Practice Direction 16, paragraph 2.1(3)": ["PD 16 2.1.3"],
    "CPR PD 57AD, paras 2.1 to 2.3": ["PD 57AD 2.1", "PD 57AD 2.2", "PD 57AD 2.3"],
    "Practice Direction – Pre-Action Conduct, para 6": ["PD Pre-Action Conduct 6"],
    "Annex A to PD 51R": ["PD 51R A"],
    "paragraph 2.1 above": [],
    "Commercial Court Guide section E1": ["Commercial Court Guide E.1"],
    "section E1.2 of the Commercial Court Guide": ["Commercial Court Guide E.1.2"],
    "the Admiralty and Commercial Courts Guide, E1.2": ["Commercial Court Guide E.1.2"],
    "Commercial Court Guide E.1.2": ["Commercial Court Guide E.1.2"],
    "Patents Court Guide, para 14.1": ["Patents Court Guide 14.1"],
    "the King’s Bench Guide": ["King's Bench Guide"],
    "QBD Guide": ["King's Bench Guide"],
    "TCC Guide, Appendix A": ["TCC Guide A"],
    "Appendix 2 to the Technology and Construction Court Guide": ["TCC Guide 2"],
    "section 2 of this Guide": [],
}
ACTS = {
    "s.33": ["33"],  # of no Act: the source is empty
    "s33(3) of the Limitation Act 1980": ["Limitation Act 1980 33.3"],
    "ss33 and 34 of the Limitation Act 1980": ["Limitation Act 1980 33", "Limitation Act 1980 34"],
    "the Limitation Act 1980: a file in S3, of SE1, sA": ["Limitation Act 1980"],
    "ss 33 and 34": ["33", "34"],
    "Limitation Act 1980, s 33(3)": ["Limitation Act 1980 33.3"],
    "Limitation Act 1980, ss 11 and 14A": ["Limitation Act 1980 11", "Limitation Act 1980 14A"],
    "s 33(3) and s 11 of the Limitation Act 1980": ["Limitation Act 1980 33.3", "Limitation Act 1980 11"],
    "ss. 1–3 of the Defamation Act 2013": [f"Defamation Act 2013 {one}" for one in (1, 2, 3)],
    "s.33 Limitation Act 1980": ["Limitation Act 1980 33"],
    "Section 51 Senior Courts Act 1981": ["Senior Courts Act 1981 51"],
    "ss.11-12 Limitation Act 1980": ["Limitation Act 1980 11", "Limitation Act 1980 12"],
    "section 33, Limitation Act 1980": ["Limitation Act 1980 33"],
    "section 33 (Limitation Act 1980)": ["Limitation Act 1980 33"],
    "s.21(1)(a) Housing Act 1988 and s.8 Housing Act 1988": ["Housing Act 1988 21.1.a", "Housing Act 1988 8"],
    "s.33 Limitation Act 1980 and s.8 Housing Act 1988": ["Limitation Act 1980 33", "Housing Act 1988 8"],
    "Limitation Act 1980 s 33, Equality Act 2010 s 4": ["Limitation Act 1980 33", "Equality Act 2010 4"],
    "regulation 5 Consumer Contracts Regulations 2013": ["Consumer Contracts Regulations 2013 5"],
    "Part 2 Housing Act 1996": ["Housing Act 1996 Part 2"],
    "Under Part 7, Human Rights Act 1998 claims": ["CPR 7", "Human Rights Act 1998"],
    "section 33 LA 1980; section 33 B 1980": ["33", "33"],
    "section 5 UK GDPR": ["5"],
    "SECTION 33 OF THE LIMITATION ACT 1980": ["Limitation Act 1980 33"],
    "RULE 3.4 AS AMENDED": ["CPR 3.4"],
    "PD 57 AS AMENDED": ["PD 57"],
    "the Human Rights Act 1998": ["Human Rights Act 1998"],
    "the Limitation Act 1980. See s 5(2) of the 1980 Act and section 6": [
        *("Limitation Act 1980", "Limitation Act 1980 5.2", "Limitation Act 1980 6"),
    ],
    "section 33 of the Limitation Act. The Limitation Act 1980": ["Limitation Act 1980 33", "Limitation Act 1980"],
    "Part 1 of Schedule 2 of the Constitutional Reform Act 2005": ["Constitutional Reform Act 2005 Schedule 2.Part 1"],
    "Housing Act 1996, Sch 2, para 3": ["Housing Act 1996 Schedule 2.3"],
    "paragraph 3 of Schedule 2 to the Housing Act 1996": ["Housing Act 1996 Schedule 2.3"],
    "Part II of the Arbitration Act 1950": ["Arbitration Act 1950 Part II"],
    "Offences Against the Person Act 1861, s 18": ["Offences Against the Person Act 1861 18"],
    "under Supply of Goods and Services Act 1982": ["Supply of Goods and Services Act 1982"],
    "Representation of the People Act 1983": ["Representation of the People Act 1983"],
    "the Limitation Act 19801": ["Limitation Act 1980"],  # 1 is the mark of a footnote
    "section 6 C(2) of the Senior Courts Act 1981": ["Senior Courts Act 1981 6C.2"],
    "section 6 of the Act": ["6"],
    "Proceeds of Crime Act 2002 (Appeals) Order 2003": ["Proceeds of Crime Act 2002 (Appeals) Order 2003"],
    "regulation 9(3) of the TCG Regulations": ["TCG Regulations 9.3"],
    f"regulation 5 of the {CHARGES}": [f"{CHARGES} 5"],
    f"{CHARGES}, reg 5": [f"{CHARGES} 5"],
    "rule 12.5 of the Insolvency (England and Wales) Rules 2016": ["Insolvency (England and Wales) Rules 2016 12.5"],
    "article 7 of Regulation (EU) No 1215/2012": ["Regulation (EU) 1215/2012 7"],
}


@pytest.mark.parametrize("forms", [SEED, RULES, DIRECTIONS, ACTS])
def test_each_written_form_has_its_canonical_form(forms):
    assert {text: named(text) for text in forms} == forms


def test_the_members_of_a_range_have_the_place_of_the_whole():
    text = "see Parts 44 to 47."
    assert {text[one.start : one.end] for one in extract(text)} == {"Parts 44 to 47"}


def test_the_members_of_a_list_have_their_own_places():
    text = "see rules 3.4 and 3.5."
    assert [text[one.start : one.end] for one in extract(text)] == ["rules 3.4", "3.5"]


TRUTHS = (  # read off the twenty answers by eye; names in brackets are documents, and no citations of law
    *("CPR 44, CPR 44.1, CPR 44, CPR 45, CPR 46, CPR 47", "CPR 74", "CPR 50", "CPR 12", "CPR 24", "CPR 31", "CPR 33"),
    *("CPR 46", "CPR 58", "CPR 71", "CPR 75, PD 75", "PD 3D, CPR 3", "PD 19A, CPR 19", "PD 31A, CPR 31", "PD 31C"),
    *("PD 44, CPR 44", "PD 47", "PD 52B, CPR 52", "PD 51ZG3", "PD 27B"),
)


def test_every_citation_of_the_twenty_truths_is_found(shared_data):
    lines = (shared_data / "uk-cpr" / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = []
    for line, truth in zip(lines, TRUTHS, strict=True):
        expected = []
        for one in truth.split(", "):
            source, number = one.split(" ")
            expected.append(("CPR", tuple(number.split("."))) if source == "CPR" else (one, ()))
        pairs.append((extract(json.loads(line)["truth"]), expected))
    precision, recall, differences = agreement(pairs)
    print(f"precision {precision:.3f}, recall {recall:.3f}", *differences, sep="\n")
    assert (precision, recall) == (1, 1)


def test_the_citations_of_sixty_lines_of_the_rules_are_found(shared_data):
    documents = (shared_data / "uk-cpr" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    words = "(?:Part|[Rr]ule|[Ss]ection|Practice Direction|Act|Regulation|EW|Guide|PD)"
    citing = re.compile(rf"\d.*{words}|{words}.*\d")
    lines = [line for document in documents for line in json.loads(document)["text"].split("\n")]
    lines = [line for line in lines if citing.search(line) and len(line) < 400]
    sample = random.Random(6).sample(lines, 60)
    precision, recall, differences = agreement(zip(map(extract, sample), expected(), strict=True))
    print(f"precision {precision:.3f}, recall {recall:.3f}", *differences, sep="\n")
    assert precision >= 0.97
    assert recall >= 0.97
