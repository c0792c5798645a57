"""A rubric's TOML file: what it may have, and everything that can be wrong with one."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import jsonschema_rs
import orjson
from msgspec import Meta, Struct

from benchbench.answers.judges.notices import LANGUAGES, PLACE, filled, notice
from benchbench.answers.judges.scores import Amount, Found, Member, ScoreRule, Share
from benchbench.errors import InputError, said_by, visible
from benchbench.results.declared import Filled, Texts, not_blank, taken
from benchbench.tables.shared_messages import not_among
from benchbench.tables.text_files import toml_value

NUMBERED = ("relations", "nuggets")
RATIONALE = "rationale"

_HIGHEST = 10  # grade: nobody can say what more of them mean
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DESCRIBED = "docs/rubrics.md describes the file"

Table = Mapping[str, Any]
Field = Literal["question", "document", "answer", "contexts", "truth", "relations", "nuggets"]


class Spoken(Struct, frozen=True, forbid_unknown_fields=True):
    """What a judge is told in one language, with descriptions of grades by the highest one."""

    system: Filled
    prompt: Filled
    grades: (
        Annotated[
            dict[str, Texts | str], Meta(description="lists of different texts by the highest grade, and a text many")
        ]
        | None
    ) = None


class RubricFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rubric's file as it is, before a language and a scale are chosen."""

    name: Annotated[
        str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,39}\Z", description="lower-case letters, digits and _, at most 40")
    ]
    version: Annotated[str, Meta(pattern=r"\A[0-9A-Za-z][0-9A-Za-z._-]{0,19}\Z", description='a text such as "1"')]
    needs: tuple[Field, ...]
    scale: Annotated[tuple[Amount, Amount], Meta(description="the lowest and the highest score, such as [0, 3]")]
    good: Amount | None = None
    acceptable: Amount | None = None
    score: ScoreRule
    schema: dict[str, Any]
    en: Spoken | None = None
    ja: Spoken | None = None
    zh: Spoken | None = None

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        _check_different(self.needs, "needs")
        if self.scale[0] >= self.scale[1]:
            raise InputError("scale does not go up; give the lowest score first")
        _check_schema(self.schema)
        if not self.spoken:
            raise InputError("it has no language; add a table [en], [ja] or [zh] with system and prompt")
        for language, spoken in self.spoken.items():
            for name in ("system", "prompt"):
                not_blank(getattr(spoken, name), f"{language}.{name}")
        self._check_score()
        if any(spoken.grades is not None for spoken in self.spoken.values()):
            self._check_grades()
        good, acceptable = self.good, self.acceptable
        if (good is None) != (acceptable is None) or (good or 0.0) < (acceptable or 0.0):
            raise InputError("give good and acceptable together, with good at least as high, or neither")

    @property
    def spoken(self) -> dict[str, Spoken]:
        """Return what a judge is told, by language."""
        tables = {language: getattr(self, language) for language in LANGUAGES}
        return {language: table for language, table in tables.items() if table is not None}

    def _check_score(self) -> None:
        rule = self.score
        each = getattr(rule, "each", "")
        if each and each not in self.needs:
            raise InputError(f"score.each is none of {' and '.join(NUMBERED)} that needs has")
        if isinstance(rule, Share) and bool(each) != bool(rule.number):
            raise InputError("give score.each and score.number together, or neither")
        if not rule.members:
            raise InputError("score.of is empty; name the members whose mean is the score")
        _check_different(getattr(rule, "parts", ()), "score.parts")
        _check_different(getattr(rule, "of", ()), "score.of")
        there = [member for member in self.schema["properties"] if member != RATIONALE]
        for member in rule.members:
            if member not in there:
                raise InputError(f"score: {not_among(visible(member, 80), 'known', there)}")
        _check_kinds(rule, self.schema)

    def _check_grades(self) -> None:
        if any(spoken.grades is None for spoken in self.spoken.values()):
            raise InputError(f"grades are given in some languages only; give them in {' and '.join(self.spoken)}")
        grades = list(range(int(self.scale[1]) + 1))
        rule, member = self.score, self.score.members[0]
        properties = self.schema["properties"]
        if not isinstance(rule, Member) or self.scale[0] != 0 or properties[member].get("enum") != grades:
            raise InputError(f"grades need a score.member with enum = [0, 1, …] up to the end of scale, not {member}")

    def chosen(self, language: str | None, highest: int | None) -> dict[str, Any]:
        """Return what a `Rubric` is made of, in a language and with a highest grade; InputError as `rubric` says."""
        language = self._language(language)
        spoken = self.spoken[language]
        version, scale, places = self.version, self.scale, {}
        schema: Table = self.schema
        if highest is not None and spoken.grades is None:
            raise InputError(f"the scale of {self.name} is fixed, so leave the scale out")
        if spoken.grades is not None:
            top = int(scale[1]) if highest is None else highest
            places = {"highest": str(top), "grades": _described_grades(spoken.grades, top, f"{language}.grades")}
            if top != scale[1]:
                version, scale, schema = f"{version}+scale{top}", (0.0, float(top)), self._schema_to(top)
        system, prompt = (filled(text, places).strip() for text in (spoken.system, spoken.prompt))
        _check_places(prompt, self.needs, f"{language}.prompt")
        form = filled(notice(language, "form"), {"schema": orjson.dumps(schema).decode()})
        return {
            **{name: getattr(self, name) for name in ("name", "needs", "good", "acceptable")},
            "version": version,
            "language": language,
            "scale": scale,
            "system": "\n\n".join((system, notice(language, "data"), form)),
            "prompt": prompt,
            "schema": schema,
            "rule": self.score,
        }

    def _language(self, language: str | None) -> str:
        if language is None:
            return "en" if "en" in self.spoken else min(self.spoken)
        if language not in self.spoken:
            there = " and ".join(self.spoken)
            raise InputError(f"there is no language {visible(language, 40)!r}; choose {there}")
        return language

    def _schema_to(self, highest: int) -> Table:
        member = self.score.members[0]
        properties = self.schema["properties"]
        grades = {**properties[member], "enum": list(range(highest + 1))}
        return {**self.schema, "properties": {**properties, member: grades}}


def read_rubric(content: bytes, where: str) -> RubricFile:
    """Return the rubric that a TOML file describes.

    Raises
    ------
    InputError
        Naming the file, the member that is wrong, and what to do.
    """
    return taken(toml_value(content, where), RubricFile, where, _DESCRIBED)


def compiled(schema: Table) -> jsonschema_rs.Draft202012Validator:
    """Return what checks a value by a schema; InputError where the schema is none, or needs another."""
    try:
        return jsonschema_rs.Draft202012Validator(dict(schema), offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        path = getattr(error, "instance_path", ())
        place = visible(".".join(("schema", *map(str, path))), 120)
        raise InputError(f"{place} is not a JSON Schema of draft 2020-12 ({said_by(error)})") from None


def _check_kinds(rule: ScoreRule, schema: Table) -> None:
    """Refuse a rule that could not make a score of everything that fits the schema."""
    properties = {member: _keywords(one) for member, one in schema["properties"].items()}
    lists = rule.members if isinstance(rule, Share | Found) else ()
    for member in rule.members:
        kind = properties[member].get("type")
        if (kind == "array") != (member in lists):
            raise InputError(f"schema.properties.{member} has to be {'an array' if member in lists else 'a number'}")
        if not lists and kind not in ("integer", "number") and not _are_worth(properties[member], rule):
            raise InputError(f"schema.properties.{member} is not a number, and score.worth has no values for its words")
    if isinstance(rule, Share):
        entry = _keywords(properties[rule.list].get("items"))
        inner = {member: _keywords(one) for member, one in entry.get("properties", {}).items()}
        if entry.get("type") != "object":
            raise InputError(f"schema.properties.{rule.list}.items has to be an object")
        for member in (rule.member, rule.number) if rule.each else (rule.member,):
            if member not in inner or member not in entry.get("required", []):
                raise InputError(f"schema.properties.{rule.list}.items needs a required member {member}")
        if rule.each and inner[rule.number].get("type") != "integer":
            raise InputError(f"schema.properties.{rule.list}.items.properties.{rule.number} has to be an integer")
        if not _are_worth(inner[rule.member], rule):
            raise InputError(f"score.worth does not say what each {rule.member} is worth")
    if isinstance(rule, Found) and rule.each:
        for member in (rule.found, rule.missed):
            if properties[member].get("items") != {"type": "integer"}:
                raise InputError(f"schema.properties.{member}.items has to be integers, as score.each is given")


def _are_worth(schema: Table, rule: ScoreRule) -> bool:
    """Whether a rule knows the worth of all words, or of both booleans, that a schema lets pass."""
    words = ["true", "false"] if schema == {"type": "boolean"} else schema.get("enum") or []
    worth = rule.worth if isinstance(rule, Member | Share) else {}
    return bool(words) and all(isinstance(word, str) and word in worth for word in words)


def _keywords(schema: Any) -> Table:
    return schema if isinstance(schema, dict) else {}


def _check_schema(schema: Table) -> None:
    """Refuse what is no schema of a verdict that is read whole, reasons first."""
    _check_json(schema, "schema")
    compiled(schema)
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict) or not properties:
        raise InputError('schema does not describe an object; give type = "object" and properties')
    if schema.get("additionalProperties") is not False:
        raise InputError("schema allows members that are never read; set additionalProperties = false")
    required = schema.get("required")
    if not isinstance(required, list) or sorted(map(str, required)) != sorted(properties):
        raise InputError("schema.required does not name every one of schema.properties; a verdict has all of them")
    first = next(iter(properties))
    if first != RATIONALE or properties[first] != {"type": "string"}:
        raise InputError(
            f'schema.properties does not begin with {RATIONALE} = {{ type = "string" }}; reasons come before grades'
        )


def _check_json(value: Any, where: str) -> None:
    if isinstance(value, dict):
        for member, inner in value.items():
            if member in _REFERENCES and not (isinstance(inner, str) and inner.startswith("#")):
                raise InputError(f"{where}.{member} points elsewhere; a schema refers to itself only (#/$defs/…)")
            _check_json(inner, f"{where}.{visible(member, 40)}")
    elif isinstance(value, list):
        for inner in value:
            _check_json(inner, where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where} is not a finite number, and JSON has no others")
    elif isinstance(value, int) and abs(value) >= 1 << 53:
        raise InputError(f"{where} is too large a number; stay below 2^53")
    elif not isinstance(value, str | bool | int | float):
        raise InputError(f"{where} is a {type(value).__name__}, and JSON has none")


def _described_grades(grades: Mapping[str, Texts | str], highest: int, where: str) -> str:
    if isinstance(highest, bool) or not 1 <= highest <= _HIGHEST:
        raise InputError(f"{where}: a scale ends between 1 and {_HIGHEST}, not at {highest}")
    lines, many = grades.get(str(highest)), grades.get("many")
    if lines is not None:
        if isinstance(lines, str) or len(lines) != highest + 1:
            raise InputError(f"{where}.{highest} does not describe the {highest + 1} grades from 0 to {highest}")
        _check_different(lines, f"{where}.{highest}")
        return "\n".join(f"- {grade}: {line}" for grade, line in enumerate(lines))
    if not isinstance(many, str):
        there = " and ".join(key for key in grades if key.isdigit())
        raise InputError(f"{where}: there are grades up to {there} only, not up to {highest}")
    places = {"middle": str(highest // 2), "almost": str(highest - 1), "highest": str(highest)}
    return filled(many, places).strip()


def _check_places(prompt: str, needs: tuple[str, ...], where: str) -> None:
    places = PLACE.findall(prompt)
    for place in places:
        if place not in needs:
            raise InputError(f"{where} has a place {{{place}}} that needs does not have ({', '.join(needs)})")
    for need in needs:
        if places.count(need) != 1:
            raise InputError(
                f"{where} has {places.count(need)} places {{{need}}}; give it one, or take it out of needs"
            )


def _check_different(texts: Sequence[str], where: str) -> None:
    if len(set(texts)) != len(texts):
        raise InputError(f"{where} is not a list of different texts")
