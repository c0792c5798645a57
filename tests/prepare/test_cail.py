"""Cases from CAIL2018 files: a few invented ones, and the real file."""

import hashlib
import itertools
import re
import tomllib
from collections import Counter, defaultdict
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Any

import bm25s
import naive
import numpy as np
import orjson
import pytest
import xxhash
from cases import first_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from profiles import costly

from benchbench.errors import InputError
from benchbench.formats.tiered import read_tiered
from benchbench.prepare.cail import CailFile
from benchbench.prepare.cases import Case
from benchbench.prepare.synthetic import generate
from benchbench.prepare.tiered import Choice, write_tiered
from benchbench.tables.hashing import content_digest

LINE: dict[str, Any] = {
    "fact": "被告人张某盗窃。",
    "meta": {
        "relevant_articles": [264],
        "accusation": ["盗窃"],
        "punish_of_money": 0,
        "criminals": ["张某"],
        "term_of_imprisonment": {"death_penalty": False, "imprisonment": 8, "life_imprisonment": False},
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cases.json"


def read(path: Path, *records: Any, skip: bool = False) -> tuple[list[Case], int]:
    path.write_bytes(b"\n".join(each if isinstance(each, bytes) else orjson.dumps(each) for each in records))
    cases = CailFile(path, None, skip, content_digest())
    return list(cases), cases.skipped


def meta(**members: Any) -> dict[str, Any]:
    return LINE | {"meta": LINE["meta"] | members}


def sentence(**members: Any) -> dict[str, Any]:
    return meta(term_of_imprisonment=LINE["meta"]["term_of_imprisonment"] | members)


def test_a_case_has_text_and_labels_and_the_number_of_its_line(file: Path) -> None:
    cases, skipped = read(file, LINE, b"", LINE)
    assert cases == [
        Case("c1", "被告人张某盗窃。", ("盗窃",), ("264",), 8, False, False),
        Case("c3", "被告人张某盗窃。", ("盗窃",), ("264",), 8, False, False),
    ]
    assert skipped == 0


@pytest.mark.parametrize(
    ("record", "members"),
    [
        (meta(relevant_articles=["264"]), {}),
        (meta(relevant_articles=264, accusation="盗窃"), {}),
        (meta(accusation=[" 盗窃 "], relevant_articles=["264", 266]), {"articles": ("264", "266")}),
        (meta(accusation=[], relevant_articles=None), {"accusations": (), "articles": ()}),
        (meta(accusation=["", " "], relevant_articles=[""]), {"accusations": (), "articles": ()}),
        (sentence(death_penalty=True, imprisonment=5), {"death": True, "months": 0}),
        (sentence(life_imprisonment=True), {"life": True, "months": 0}),
        (sentence(imprisonment=None), {"months": -1}),
        (meta(term_of_imprisonment=None), {"months": -1}),
        (meta(term_of_imprisonment=8), {}),
        (meta(term_of_imprisonment=0), {"months": 0}),
        (meta(term_of_imprisonment="8"), {}),
        (meta(term_of_imprisonment=8.0), {}),
        (meta(term_of_imprisonment={}), {"months": -1}),
        (meta(term_of_imprisonment={"death_penalty": True}), {"death": True, "months": 0}),
        (meta(term_of_imprisonment={"life_imprisonment": 1, "death_penalty": 0}), {"life": True, "months": 0}),
        (sentence(death_penalty=True, imprisonment="for ever"), {"death": True, "months": 0}),
        ({"fact": LINE["fact"], **LINE["meta"]}, {}),
    ],
)
def test_labels_are_read_tolerantly(file: Path, record: Any, members: dict[str, Any]) -> None:
    expected = Case("c1", LINE["fact"], ("盗窃",), ("264",), 8, False, False)._replace(**members)
    assert read(file, record)[0] == [expected]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "not a JSON object"),
        ({"meta": LINE["meta"]}, 'the case has no text (a member "fact" with a string)'),
        (LINE | {"fact": " "}, 'the case has no text (a member "fact" with a string)'),
        (LINE | {"fact": 5}, 'the case has no text (a member "fact" with a string)'),
        *(
            (record, "term_of_imprisonment has a wrong type")
            for record in (
                *(sentence(imprisonment=wrong) for wrong in ("eight", [8])),
                *(meta(term_of_imprisonment=wrong) for wrong in (-1, 8.5, True, 2**31, "eight", "9" * 5000, [8])),
                sentence(death_penalty="no"),
                sentence(life_imprisonment=0.5),
            )
        ),
        (meta(accusation=[None]), "accusation is not a list of strings or numbers"),
        (meta(accusation={"a": 1}), "accusation is not a list of strings or numbers"),
        (meta(relevant_articles=[True]), "relevant_articles is not a list of strings or numbers"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_reason_or_skipped_and_counted(
    file: Path, record: Any, reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(file, LINE, record, LINE)
    assert str(caught.value) == f"{file}, line 2: {reason}"
    cases, skipped = read(file, LINE, record, b"nonsense", LINE, skip=True)
    assert [case.id for case in cases] == ["c1", "c4"]
    assert skipped == 2


def test_the_digest_is_of_the_file(file: Path) -> None:
    file.write_bytes(orjson.dumps(LINE) + b"\r\n\n")
    digest = content_digest()
    assert len(list(CailFile(file, None, False, digest))) == 1
    assert digest.hexdigest() == xxhash.xxh3_128_hexdigest(file.read_bytes())


wild = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text("8年 -", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a", max_size=2), inner, max_size=2),
    max_leaves=5,
)


whole = st.fixed_dictionaries(dict.fromkeys(LINE["meta"]["term_of_imprisonment"], wild))


usual = st.fixed_dictionaries(
    {},
    optional={
        "imprisonment": st.none() | st.integers(0, 400),
        "death_penalty": st.none() | st.booleans(),
        "life_imprisonment": st.none() | st.booleans(),
    },
)


@given(st.lists(usual, min_size=1, max_size=8))
def test_a_sentence_is_that_of_the_naive_twin(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    file = tmp_path_factory.mktemp("drawn") / "cases.json"
    cases, _ = read(file, *(meta(term_of_imprisonment=value) for value in values))
    found = [(case.death, case.life, case.months) if case.months >= 0 else None for case in cases]
    assert found == [naive.sentence_of({"imprisonment": value}) for value in values]


@given(
    st.lists(
        wild | st.fixed_dictionaries(dict.fromkeys(LINE["meta"]["term_of_imprisonment"], wild)), min_size=1, max_size=8
    )
)
def test_no_value_breaks_the_reading_of_a_sentence(tmp_path_factory: pytest.TempPathFactory, values: list[Any]) -> None:
    file = tmp_path_factory.mktemp("drawn") / "cases.json"
    cases, skipped = read(file, *(meta(term_of_imprisonment=value) for value in values), skip=True)
    assert len(cases) + skipped == len(values)
    for case in cases:
        assert case.months >= -1
        assert case.months == 0 or not (case.death or case.life)


# The real file


@pytest.fixture(scope="module")
def real(shared_data: Path) -> Path:
    return shared_data / "cail2018" / "data_train.json"


def test_the_real_file_is_not_utf8_and_the_error_says_what_to_do(real: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: not UTF-8 .*; name the encoding, e\.g\. --encoding gb18030"):
        next(iter(CailFile(real, None, False, content_digest())))


@pytest.mark.slow  # real data
def test_the_real_file_is_read_whole_as_gb18030(real: Path) -> None:
    cases = list(CailFile(real, "gb18030", False, content_digest()))
    raw = [orjson.loads(line) for line in real.read_text(encoding="gb18030").splitlines()]
    assert len(cases) == len(raw) == 3675
    for case, record in zip(cases, raw, strict=True):
        assert case.text == record["fact"]
        assert list(case.accusations) == record["meta"]["accusation"]
        assert list(case.articles) == [str(article) for article in record["meta"]["relevant_articles"]]
        assert (case.death, case.life, case.months) == naive.sentence_of(record)
    assert Counter((case.death, case.life) for case in cases) == {
        (False, False): 3593,
        (False, True): 45,
        (True, False): 37,
    }


@pytest.mark.slow  # real data
def test_a_data_set_from_the_real_file_agrees_with_the_naive_twins(real: Path, tmp_path: Path) -> None:
    records = [orjson.loads(line) for line in real.read_text(encoding="gb18030").splitlines()]
    by_id = {f"c{number}": record for number, record in enumerate(records, 1)}
    cases = CailFile(real, "gb18030", False, content_digest())
    choice = Choice(queries=60, seed=1)
    card = write_tiered(cases, tmp_path, choice, dict)
    lines = [orjson.loads(line) for line in (tmp_path / "tiered.jsonl").read_bytes().splitlines()]
    queries = read_tiered(tmp_path / "tiered.jsonl")
    assert len(lines) == len(queries) == 60
    assert (card["collection"]["documents"], card["distinct_texts"]) == (3675, 3670)
    for line in lines:
        assert len(naive.text_of(line["query"]) or "") >= 100
        for positive in line["positives"]:
            assert naive.tier(line["query"], positive) == positive["tier"]
            assert naive.tier(by_id[line["query_id"]], by_id[positive["fact_id"]]) == positive["tier"]
    # Every comparison with every case takes the twin a while: three queries stand for all.
    for line in lines[:3]:
        counts = {task: counts[line["query_id"]] for task, counts in card["relevant"].items()}
        assert counts == naive.relevant_in(line["query"], records)
        there = Counter(tier for record in records if (tier := naive.tier(line["query"], record)) is not None)
        assert [positive["tier"] for positive in line["positives"]] == sorted(there.elements())[: choice.positives]
    cases = Counter(name for record in records for name in naive.accusations_of(record) or ())
    rarest = Counter(
        min(naive.accusations_of(line["query"]) or (), key=lambda name: (cases[name], name)) for line in lines
    )
    assert len(rarest) >= 25
    assert max(rarest.values()) <= 4


# What holds for invented cases, whatever their number and seed, and for a collection of 2,000 of them

SEEDS = st.integers(0, 2**63)


GRID = {*range(1, 11), 12, 14, 15, 18, 24, 30, 36, 42, 48, 60, 72, 84, 96, *range(120, 241, 12)}


@pytest.fixture(scope="module")
def material() -> dict[str, Any]:
    return tomllib.loads(resources.files("benchbench.prepare").joinpath("offences.toml").read_text("utf-8"))


@pytest.fixture(scope="module", params=first_of(1, 2, 7))
def cases(request: pytest.FixtureRequest) -> list[Case]:
    return list(generate(2000, request.param))


def bigrams(text: str) -> set[str]:
    return set(map("".join, itertools.pairwise(text)))


def phrases(table: Any) -> list[str]:
    if isinstance(table, str):
        return [table]
    if isinstance(table, dict):
        table = table.values()
    return [each for part in table for each in phrases(part)] if not isinstance(table, int | float) else []


# Any number, any seed


@given(SEEDS)
@settings(max_examples=costly(15))
def test_fewer_cases_are_the_beginning_of_more(seed: int) -> None:
    assert list(generate(40, seed)) == list(generate(90, seed))[:40]


@given(SEEDS)
@example(7756)  # a short one, of 67 characters
def test_every_case_is_well_formed(seed: int) -> None:
    for number, case in enumerate(generate(60, seed), 1):
        assert case.id == f"s{number}"
        assert 50 <= len(case.text.strip()) <= 260
        assert not re.search(r"[{}|()\s]|，，|。。|，。", case.text.strip())
        assert len(set(case.accusations)) == len(case.accusations) in (1, 2)
        assert len(set(case.articles)) == len(case.articles) > 0
        assert all(article.isdecimal() for article in case.articles)
        assert not (case.death and case.life)
        assert case.months == 0 if case.death or case.life else case.months in GRID


def test_no_case_is_made_when_none_is_asked_for() -> None:
    assert list(generate(0, 1)) == []


def test_one_case_is_made_when_one_is_asked_for() -> None:
    assert [case.id for case in generate(1, 0)] == ["s1"]


def test_the_first_case_does_not_wait_for_the_last() -> None:
    assert next(generate(10**12, 0)).id == "s1"


def test_another_seed_tells_other_cases() -> None:
    assert not {case.text for case in generate(50, 1)} & {case.text for case in generate(50, 2)}


def test_bytes_are_the_same_on_every_platform() -> None:
    """The digest is of this material: change it only together with offences.toml or the way it is told."""
    digest = hashlib.sha256("\n".join(map(repr, generate(500, 1))).encode()).hexdigest()
    assert digest == "f1a829efbabb47acc62a7e63933bdc5aff1ba6ad624d0655aa5233ef81ba644d"


# The material


def test_the_material_has_enough_offences_with_different_names(material: dict[str, Any]) -> None:
    names = [offence["name"] for offence in material["offences"]]
    assert len(names) == len(set(names)) >= 42


def test_everything_in_the_material_is_used(material: dict[str, Any]) -> None:
    offences, families = material["offences"], material["families"]
    assert {level["harm"] for offence in offences for level in offence["levels"]} == set(material["harms"])
    assert {offence["family"] for offence in offences} == set(families)
    told = {one for family in families.values() for one in family["circumstances"]}
    assert told == set(material["circumstances"])


def test_no_phrase_of_the_material_names_an_accusation(material: dict[str, Any]) -> None:
    plain = [re.sub(r"[\[\]]", "", offence["name"]) for offence in material["offences"]]
    rest = {**material, "offences": [{**offence, "name": ""} for offence in material["offences"]]}
    assert [(name, phrase) for phrase in phrases(rest) for name in plain if name in phrase] == []


def test_levels_have_their_ends_in_order(material: dict[str, Any]) -> None:
    for offence in material["offences"]:
        for level in offence["levels"]:
            assert level["quantity"] == sorted(level["quantity"])
            assert level["months"] == sorted(level["months"])
            assert level.get("end", "life") in ("life", "death")


# A collection of 2,000


def test_lengths_suit_queries_and_the_size_of_the_collection(cases: list[Case]) -> None:
    lengths = [len(case.text.strip()) for case in cases]
    assert 115 <= fmean(lengths) <= 132
    assert fmean(length >= 100 for length in lengths) >= 0.6


def test_every_accusation_comes_often_enough_to_be_found(cases: list[Case], material: dict[str, Any]) -> None:
    counts = Counter(accusation for case in cases for accusation in case.accusations)
    assert set(counts) == {offence["name"] for offence in material["offences"]}
    assert min(counts.values()) >= 8
    assert max(counts.values()) >= 5 * min(counts.values())


def test_no_text_names_an_accusation(cases: list[Case]) -> None:
    names = {re.sub(r"[\[\]]", "", accusation) for case in cases for accusation in case.accusations}
    assert [name for name in names for case in cases if name in case.text] == []


def test_articles_are_those_of_the_accusations(cases: list[Case], material: dict[str, Any]) -> None:
    allowed = {each["name"]: {frozenset(one) for one in each["articles"]} for each in material["offences"]}
    for case in cases:
        choices = itertools.product(*(allowed[accusation] for accusation in case.accusations))
        assert frozenset(case.articles) in {frozenset().union(*choice) for choice in choices}


def test_some_cases_have_two_accusations(cases: list[Case]) -> None:
    assert 0.05 <= fmean(len(case.accusations) == 2 for case in cases) <= 0.11


def test_some_sentences_have_no_months(cases: list[Case]) -> None:
    assert any(case.death for case in cases)
    assert any(case.life for case in cases)
    assert 0.002 <= fmean(case.months == 0 for case in cases) <= 0.03


def test_copies_have_the_labels_of_their_recent_original(cases: list[Case]) -> None:
    seen: dict[str, int] = {}
    copies = changed = 0
    for place, case in enumerate(cases):
        first = cases[seen.setdefault(case.text.strip(), place)]
        if first is not case:
            assert case[2:] == first[2:]
            copies += 1
            changed += case.text != first.text
    assert 0.01 <= copies / len(cases) <= 0.035
    assert 0 < changed < copies


@pytest.mark.slow  # 128,000 pairs of texts
def test_some_cases_retell_a_recent_one_with_mostly_the_same_labels(cases: list[Case]) -> None:
    texts = [bigrams(case.text.strip()) for case in cases]
    bit = {pair: 1 << number for number, pair in enumerate(sorted(set().union(*texts)))}
    sets = [sum(bit[pair] for pair in text) for text in texts]  # the bits of a number: 128,000 pairs are compared
    retold = same = 0
    for place in range(64, len(cases)):
        near = [
            other
            for other in range(place - 64, place)
            if 0.55 < (sets[place] & sets[other]).bit_count() / (sets[place] | sets[other]).bit_count() < 1
        ]
        retold += bool(near)
        same += any(cases[place][2:] == cases[other][2:] for other in near)
    assert 0.02 <= retold / len(cases) <= 0.08
    assert same / retold >= 0.6


@pytest.mark.slow  # an index of 2,000 texts
def test_bm25_over_bigrams_finds_some_equal_cases_and_not_all(cases: list[Case]) -> None:
    texts = [case.text.strip() for case in cases]
    numbers: dict[str, int] = defaultdict(lambda: len(numbers))
    tokens = [[numbers[a + b] for a, b in itertools.pairwise(text)] for text in texts]
    index = bm25s.BM25()
    index.index((tokens, dict(numbers)), show_progress=False)
    long_enough: dict[str, list[int]] = defaultdict(list)
    for place, case in enumerate(cases):
        if len(texts[place]) >= 100:
            long_enough[case.accusations[0]].append(place)
    found: dict[str, list[float]] = defaultdict(list)
    for query in [place for places in long_enough.values() for place in places[:3]]:
        ranked = np.argsort(-index.get_scores_from_ids(tokens[query]), kind="stable")
        hits = [cases[place] for place in ranked[:40] if texts[place] != texts[query]][:10]
        case = cases[query]
        found["accusation"].append(fmean(set(hit.accusations) == set(case.accusations) for hit in hits))
        found["article"].append(fmean(set(hit.articles) == set(case.articles) for hit in hits))
        tolerance = max(6, 0.2 * case.months)
        ends = [(hit.death, hit.life) == (case.death, case.life) for hit in hits]
        near = [abs(hit.months - case.months) <= tolerance for hit in hits]
        found["imprisonment"].append(fmean(a and b for a, b in zip(ends, near, strict=True)))
    assert 0.35 <= fmean(found["accusation"]) <= 0.75
    assert 0.35 <= fmean(found["article"]) <= 0.75
    assert 0.30 <= fmean(found["imprisonment"]) <= 0.75
