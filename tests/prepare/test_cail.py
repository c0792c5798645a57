"""Cases from CAIL2018 files: a few invented ones, and the real file."""

from collections import Counter
from pathlib import Path
from typing import Any

import naive
import orjson
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.tiered import read_tiered
from benchbench.prepare.cail import CailFile
from benchbench.prepare.cases import Case
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
