import contextlib
import json
import re
import tomllib
from pathlib import Path

import pytest
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st
from judged_items import ITEM

from benchbench.answers.judges.prompt import prompt
from benchbench.answers.judges.rubric import Rubric, rubric
from benchbench.answers.judges.rubric_file import described
from benchbench.answers.judges.verdict import read
from benchbench.errors import InputError

RUBRICS = {path.stem: path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "rubrics").glob("*.toml")}
OWN, LISTS, GRADED = RUBRICS["politeness"], RUBRICS["lists"], RUBRICS["graded"]
WRONG = tables(__file__)


@pytest.fixture
def written(tmp_path):
    def write(text: str):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_may_have_one_language_and_needs_no_other_to_be_named(written):
    one = rubric(written(OWN))
    assert one.label == "politeness.ja@2026-01"
    assert rubric(str(written(OWN)), "ja") == one
    assert "毎月末です" in prompt(one, ITEM).user
    assert "データ" in one.system
    reading = read(one, '{"rationale":"","kind":"rude","tone":-0.5}', ITEM)
    assert (reading.score, reading.parts) == (-0.5, {"kind": -1})
    assert one.scaled(-0.5) == 0.25
    assert [one.band(score) for score in (1, 0.6, 0.5, 0, -0.1)] == ["good", "good", "acceptable", "acceptable", "poor"]
    with pytest.raises(InputError, match=r"own\.toml: there is no language 'en'; choose ja"):
        rubric(written(OWN), "en")


def test_a_file_may_describe_some_grades_and_refuses_a_scale_it_does_not_describe(written):
    assert "- 2: good\nUp to 2." in rubric(written(GRADED)).system
    with pytest.raises(InputError, match=r"own\.toml: en\.grades: there are grades up to 2 only, not up to 3"):
        rubric(written(GRADED), scale=3)


def test_a_list_without_a_worth_of_its_own_counts_what_is_true(written):
    one = rubric(written(LISTS))
    whole, part = (json.dumps({"rationale": "", "entries": some}) for some in (ENTRIES, ENTRIES[:2]))
    assert read(one, whole, ITEM).score == pytest.approx(2 / 3)
    assert read(one, part, ITEM).problem == "does not take each of the nuggets exactly once"


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_one_sentence_with_its_name(written, name):
    def check(old, new, said):
        assert old in RUBRICS[name]
        refuses(written(RUBRICS[name].replace(old, new, 1)), said)

    check_rows(check, WRONG[name])


def test_an_empty_file_is_said_to_be_empty(written):
    refuses(written(""), "own.toml is empty")


def refuses(path, said):
    with pytest.raises(InputError, match=re.escape(said)) as raised:
        rubric(path)
    assert "own.toml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_schema_may_refer_to_itself(written):
    text = OWN.replace("[ja]", '[schema."$defs"]\nt = { minimum = -1 }\n[ja]').replace(
        "minimum = -1, maximum", '"$ref" = "#/$defs/t", maximum'
    )
    one = rubric(written(text))
    assert read(one, '{"rationale":"","kind":"rude","tone":-0.5}', ITEM).score == -0.5
    assert read(one, '{"rationale":"","kind":"rude","tone":-1.5}', ITEM).score is None


def test_a_score_beyond_the_scale_is_refused_where_the_schema_lets_it_pass(written):
    one = rubric(written(OWN.replace(", minimum = -1, maximum = 1", "")))
    assert read(one, '{"rationale":"","kind":"rude","tone":1.5}', ITEM).problem == "out of scale"


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def places(value, path=()):
    yield path
    for step, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, step))


def changed(value, path, new):
    if not path:
        return new
    copied = value.copy()
    if new is None and len(path) == 1:
        del copied[path[0]]
    else:
        copied[path[0]] = changed(value[path[0]], path[1:], new)
    return copied


ODD = st.sampled_from(
    [
        *(None, 0, -1, 1 << 60, 1e308, True, "", "x", "{answer}", "integer", "array"),
        *([], [[1]], [{"a": []}], {}, {"enum": [{}]}),
    ]
)


ENTRIES = [{"nugget": number, "is_there": is_there} for number, is_there in ((1, True), (2, False), (3, True))]
LIKELY = [0, 1, 0.5, 1.0, True, "kind", "x", None, [], [1], [1, 2], [True], ["x"], ENTRIES, ENTRIES[:2]]


@given(st.sampled_from(sorted(RUBRICS.values())).map(tomllib.loads), st.data())
def test_a_file_with_anything_odd_in_it_is_a_rubric_or_a_sentence(whole, data):
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from([one for one in places(whole) if one]))
        whole = changed(whole, path, data.draw(ODD))
    content = "\n".join(f"{json.dumps(name)} = {toml(value)}" for name, value in whole.items()).encode()
    with contextlib.suppress(InputError):
        made = Rubric(**described(content, "odd.toml").chosen(None, None))
        assert read(made, "{}", ITEM).score is None
        values = {member: data.draw(st.sampled_from(LIKELY)) for member in made.schema["properties"]}
        score = read(made, json.dumps({**values, "rationale": ""}), ITEM).score
        assert score is None or made.scale[0] <= score <= made.scale[1]
