import contextlib
import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_items import ITEM

from benchbench.answers.judges.prompt import prompt
from benchbench.answers.judges.rubric import Rubric, rubric
from benchbench.answers.judges.rubric_file import described
from benchbench.answers.judges.verdict import read
from benchbench.errors import InputError

OWN, LISTS, FOUND, GRADED = (
    (Path(__file__).parent / "rubrics" / f"{name}.toml").read_text(encoding="utf-8")
    for name in ("politeness", "lists", "found", "graded")
)


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


WRONG = [
    (OWN, "", "", "own.toml is empty"),
    (OWN, 'name = "politeness"', "name = ", "own.toml, line 2, column 8: not TOML"),
    (OWN, 'name = "politeness"', "", "own.toml: name is missing"),
    (OWN, 'name = "politeness"', 'name = "Polite ness"', "own.toml: name is not lower-case letters"),
    (OWN, 'name = "politeness"', 'nmae = "politeness"', "there is no 'nmae' here; did you mean name?"),
    (OWN, 'version = "2026-01"', "version = 1", 'version is not a text such as "1"'),
    (OWN, 'needs = ["answer"]', 'needs = ["answers"]', "needs: there is no 'answers' here; did you mean answer?"),
    (OWN, 'needs = ["answer"]', 'needs = "answer"', "needs is not a list of different texts"),
    (OWN, 'needs = ["answer"]', 'needs = ["answer", "answer"]', "needs is not a list of different texts"),
    (OWN, "{answer}", "{answer} {truth}", "ja.prompt has a place {truth} that needs does not have (answer)"),
    (OWN, "{answer}", "", "ja.prompt has 0 places {answer}; give it one"),
    (OWN, "{answer}", "{answer}{answer}", "ja.prompt has 2 places {answer}; give it one"),
    (OWN, "[-1, 1]", "[1, -1]", "scale does not go up"),
    (OWN, "[-1, 1]", "[1]", "scale is not the lowest and the highest score"),
    (OWN, "[-1, 1]", "[nan, 1]", "scale is no number that can be used"),
    (OWN, "[-1, 1]", "[false, true]", "scale is no number that can be used"),
    (OWN, "good = 0.5", "", "give good and acceptable together"),
    (OWN, "good = 0.5", "good = -0.5", "give good and acceptable together"),
    (OWN, "[ja]", "[fr]", "there is no 'fr' here"),
    (OWN, "[ja]", "[[ja]]", "ja is not a table"),
    (OWN, 'system = "回答の丁寧さを評価してください。"', "", "ja.system is missing"),
    (OWN, 'system = "回答の丁寧さを評価してください。"', 'system = " "', "ja.system is blank"),
    (OWN, 'system = "回答の丁寧さを評価してください。"', "system = 3", "ja.system is not a text"),
    (OWN, 'rule = "member"', 'rule = "median"', "score.rule: there is no 'median' here"),
    (OWN, 'rule = "member"', "", "score.rule: there is no '' here; there are member, mean, share, found"),
    (OWN, 'member = "tone"', "", "score.member is missing"),
    (OWN, 'member = "tone"', 'member = "tune"', "score: there is no 'tune' here; did you mean tone?"),
    (OWN, 'member = "tone"', 'member = "rationale"', "score: there is no 'rationale' here"),
    (OWN, 'member = "tone"', "member = 3", "score.member is not a text"),
    (OWN, "rude = -1, ", "", "schema.properties.kind is no number, and score.worth does not say its words"),
    (OWN, "rude = -1", 'rude = "-1"', "score.worth.rude is no number that can be used"),
    (OWN, 'type = "object"', 'type = "array"', "schema is not that of an object"),
    (OWN, 'type = "object"', 'type = "objekt"', "schema.type is no JSON Schema of draft 2020-12"),
    (OWN, 'tone = { type = "number"', 'tone = { type = "string"', "schema.properties.tone is no number"),
    (OWN, "minimum = -1", 'minimum = "-1"', "schema.properties.tone.minimum is no JSON Schema of draft 2020-12"),
    (OWN, "minimum = -1", "minimum = nan", "schema.properties.tone.minimum is no finite number"),
    (OWN, "minimum = -1", "minimum = -9007199254740993", "schema.properties.tone.minimum is too large a number"),
    (OWN, "minimum = -1", "default = 2026-01-01", "schema.properties.tone.default is a date, and JSON has none"),
    (OWN, "minimum = -1", '"$ref" = "http://127.0.0.1:1/x"', "schema.properties.tone.$ref points elsewhere"),
    (OWN, "minimum = -1", '"$ref" = "file:///etc/passwd"', "schema.properties.tone.$ref points elsewhere"),
    (OWN, "minimum = -1", '"$dynamicRef" = "other.json"', "schema.properties.tone.$dynamicRef points elsewhere"),
    (OWN, "minimum = -1", '"$ref" = "#/$defs/none"', "schema is no JSON Schema of draft 2020-12"),
    (OWN, "minimum = -1", "allOf = [{'$ref' = 'x'}]", "schema.properties.tone.allOf.$ref points elsewhere"),
    (OWN, "additionalProperties = false", "", "set additionalProperties = false"),
    (OWN, '"rationale", "kind", "tone"]', '"rationale", "tone"]', "schema.required does not name every one"),
    (OWN, 'rationale = { type = "string" }', "", "schema.required does not name every one"),
    (OWN, 'rationale = { type = "string" }', "rationale = { }", "reasons come before grades"),
    (LISTS, 'each = "nuggets"', "", "give score.each and score.number together"),
    (LISTS, 'each = "nuggets"', 'each = "relations"', "score.each is none of relations and nuggets that needs has"),
    (LISTS, 'member = "is_there"', 'member = "here"', "schema.properties.entries.items needs a required member here"),
    (LISTS, 'required = ["nugget", "is_there"]', "", "items needs a required member is_there"),
    (LISTS, "nugget = { type = ", "nugget = { const = ", "items.properties.nugget has to be an integer"),
    (LISTS, 'is_there = { type = "boolean" }', 'is_there = { enum = ["x"] }', "score.worth does not say what each is_"),
    (LISTS, 'type = "object"\nrequired = ["nugget"', 'required = ["nugget"', "items has to be an object"),
    (LISTS, '{ type = "boolean" }', '{ type = "string" }', "score.worth does not say what each is_there is worth"),
    (OWN, '["rude", "plain", "kind"]', '["rude", 1]', "score.worth does not say its words"),
    (LISTS, 'type = "array"', 'type = "string"', "schema.properties.entries has to be an array"),
    (FOUND, 'a = { type = "array", items = { type = "integer" } }', 'a = { type = "array" }', "schema.properties.a"),
    (FOUND, 'c = { type = "array", items = { type = "string" } }', 'c = { type = "integer" }', "has to be an array"),
    (GRADED, 'member", member = "grade"', 'mean", of = ["grade"]', "grades need a score.member with enum"),
    (GRADED, "scale = [0, 2]", "scale = [0, 3]", "grades need a score.member with enum"),
    (GRADED, '"bad", "fair", "good"', '"bad", "good"', "en.grades.2 does not describe the 3 grades from 0 to 2"),
    (GRADED, "[en.grades]", '[ja]\nsystem = "a"\nprompt = "{answer}"\n[en.grades]', "in some languages only"),
    (GRADED, 'member", member = "grade"', 'mean", of = []', "score.of is empty"),
]


@pytest.mark.parametrize(("whole", "old", "new", "said"), WRONG, ids=[one[-1][:60] for one in WRONG])
def test_what_is_wrong_with_a_file_is_one_sentence_with_its_name(written, whole, old, new, said):
    assert old in whole
    with pytest.raises(InputError, match=re.escape(said)) as raised:
        rubric(written(whole.replace(old, new, 1) if old else ""))
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


@given(st.sampled_from([OWN, LISTS, FOUND, GRADED]).map(tomllib.loads), st.data())
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
