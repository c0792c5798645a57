import copy
import itertools
import pickle
import re
import tomllib
from pathlib import Path

import orjson
import pytest
from cases import check_rows
from jsonschema import Draft202012Validator
from judged_items import ITEM, VERDICTS, verdict

from benchbench.answers.judges.notices import LANGUAGES, PLACE
from benchbench.answers.judges.prompt import prompt
from benchbench.answers.judges.rubric import rubric, rubrics
from benchbench.answers.judges.verdict import read
from benchbench.errors import InputError

DIGESTS = tomllib.loads((Path(__file__).parent / "digests.toml").read_text(encoding="utf-8"))
BUILT_IN = [(name, language) for name in rubrics() for language in LANGUAGES]


def test_these_rubrics_are_built_in():
    assert rubrics() == sorted(VERDICTS)


def test_each_has_a_place_for_all_that_it_needs():
    def check(name, language):
        one = rubric(name, language)
        assert sorted(PLACE.findall(one.prompt)) == sorted(one.needs)
        assert not PLACE.findall(one.system)
        asked = prompt(one, ITEM)
        for need in one.needs:
            texts = ITEM.fields[need] if isinstance(ITEM.fields[need], list) else [ITEM.fields[need]]
            for text in texts:
                assert (
                    text in asked.user if isinstance(text, str) else all(value in asked.user for value in text.values())
                )

    check_rows(check, BUILT_IN)


def test_an_example_verdict_fits_and_is_scored():
    def check(name, language):
        one = rubric(name, language)
        values, score, parts = VERDICTS[name]
        Draft202012Validator.check_schema(one.schema)
        Draft202012Validator(one.schema).validate(verdict(name))
        reading = read(one, orjson.dumps(verdict(name)).decode(), ITEM)
        assert reading.problem is None
        assert reading.score == pytest.approx(score)
        assert reading.parts == parts
        assert reading.rationale == "理由"
        assert 0 <= one.scaled(score) <= 1
        assert set(values) <= set(one.schema["properties"])

    check_rows(check, BUILT_IN)


def test_every_verdict_has_its_reasons_first_and_no_member_that_nobody_reads():
    def check(name, language):
        one = rubric(name, language)
        assert next(iter(one.schema["properties"])) == one.schema["required"][0] == "rationale"
        assert list(one.schema["properties"]) == one.schema["required"]
        assert one.schema["additionalProperties"] is False
        assert orjson.dumps(one.schema).decode() in one.system

    check_rows(check, BUILT_IN)


def test_the_system_message_names_every_member_in_the_language_of_the_rubric():
    def check(name, language):
        one = rubric(name, language)
        said = one.system.partition("{")[0] + one.prompt
        for member in VERDICTS[name][0]:
            if member not in ("statements", "assignments"):
                assert member in said
        kana = re.search("[\u3041-\u30ff]", said) is not None
        han = re.search("[\u4e00-\u9fff]", said) is not None
        assert (kana, han) == {"en": (False, False), "ja": (True, True), "zh": (False, True)}[language]

    check_rows(check, BUILT_IN)


def test_a_wording_that_changes_is_a_new_version():
    """The digest of every version stays: after a change, raise the version and write down its digest."""

    def check(name, language):
        one = rubric(name, language)
        assert DIGESTS[one.label] == one.digest[:16]

    check_rows(check, BUILT_IN)


def test_labels_name_rubric_language_version_and_a_scale_that_was_chosen():
    assert rubric("relevance", "ja").label == "relevance.ja@1"
    assert rubric("relevance").label == "relevance.en@1"
    assert rubric("relevance", "zh", 3) == rubric("relevance", "zh")
    assert rubric("relevance", "zh", 5).label == "relevance.zh@1+scale5"
    assert len({rubric("relevance", "zh", scale).digest for scale in range(1, 11)}) == 10


def test_each_scale_describes_its_grades_and_takes_no_others():
    def check(language, scale):
        one = rubric("relevance", language, scale)
        assert one.scale == (0, scale)
        described = re.findall(r"^- (\d+)[:：]", one.system, flags=re.MULTILINE)
        assert {int(grade) for grade in described} >= {0, 1, scale}
        assert len(described) == len(set(described)) == min(scale + 1, 6 if scale <= 5 else 5)
        for grade in range(scale + 1):
            assert read(one, f'{{"rationale":"","relevance":{grade}}}', ITEM).score == grade
        assert read(one, f'{{"rationale":"","relevance":{scale + 1}}}', ITEM).score is None
        assert one.scaled(scale) == 1

    check_rows(check, itertools.product(LANGUAGES, range(1, 11)))


@pytest.mark.parametrize(
    ("name", "language", "scale", "said"),
    [
        ("relevence", "en", None, "there is no rubric 'relevence'; did you mean relevance"),
        ("x" * 500, "en", None, "there are answer_relevance, correctness"),
        ("relevance", "fr", None, "relevance: there is no language 'fr'; choose en and ja and zh"),
        ("relevance", "en", 0, "a scale ends between 1 and 10, not at 0"),
        ("relevance", "en", 11, "a scale ends between 1 and 10, not at 11"),
        ("umbrela", "en", 4, "the scale of umbrela is fixed"),
        ("nowhere.toml", "en", None, "cannot read the rubric nowhere.toml: No such file"),
    ],
)
def test_what_there_is_not_is_said(name, language, scale, said):
    with pytest.raises(InputError, match=re.escape(said)):
        rubric(name, language, scale)


def test_bands_are_those_of_the_mean_on_the_rubric_s_own_scale():
    one = rubric("groundedness")
    assert [one.band(score) for score in (5, 4.01, 4.0, 3.0, 2.99, 1)] == [
        "good",
        "good",
        "acceptable",
        "acceptable",
        "poor",
        "poor",
    ]
    assert rubric("relevance_1_5").band(4.5) == "good"
    assert rubric("relevance").band(3) == ""


def test_a_rubric_can_be_copied_and_sent_to_another_process():
    one = rubric("faithfulness", "ja")
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert other == one
        assert hash(other) == hash(one)
        assert read(other, orjson.dumps(verdict("faithfulness")).decode(), ITEM).score == pytest.approx(2 / 3)
