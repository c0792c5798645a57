"""A rubric's TOML file: what it may have, and everything that can be wrong with one."""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import orjson

from benchbench.answers.judges.notices import LANGUAGES, PLACE, filled, notice
from benchbench.answers.judges.scores import Found, Mean, Member, ScoreRule, Share
from benchbench.errors import InputError, said_by, said_of, visible
from benchbench.tables.text_files import toml_value

FIELDS = ("question", "document", "answer", "contexts", "truth", "relations", "nuggets")
NUMBERED = ("relations", "nuggets")
RATIONALE = "rationale"

_TOP = ("name", "version", "needs", "scale", "good", "acceptable", "score", "schema", *LANGUAGES)
_SPOKEN = ("system", "prompt", "grades")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,19}")
_HIGHEST = 10  # grade: nobody can say what more of them mean
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Described:
    """A rubric's file as it is, before a language and a scale are chosen."""

    name: str
    version: str
    needs: tuple[str, ...]
    scale: tuple[float, float]
    good: float | None
    acceptable: float | None
    rule: ScoreRule
    schema: Table
    spoken: Mapping[str, Table]  # by language

    def chosen(self, language: str | None, highest: int | None) -> dict[str, Any]:
        """Return what a `Rubric` is made of, in a language and with a highest grade; InputError as `rubric` says."""
        language = self._language(language)
        table = self.spoken[language]
        version, scale, schema, places = self.version, self.scale, self.schema, {}
        if highest is not None and "grades" not in table:
            raise InputError(f"the scale of {self.name} is fixed, so leave the scale out")
        if "grades" in table:
            top = int(scale[1]) if highest is None else highest
            places = {"highest": str(top), "grades": _grades(table["grades"], top, f"{language}.grades")}
            if top != scale[1]:
                version, scale, schema = f"{version}+scale{top}", (0.0, float(top)), self._schema_to(top)
        system, prompt = (filled(table[one], places).strip() for one in ("system", "prompt"))
        _check_places(prompt, self.needs, f"{language}.prompt")
        return {
            "name": self.name,
            "version": version,
            "language": language,
            "needs": self.needs,
            "scale": scale,
            "system": "\n\n".join((system, notice(language, "data"), _form(language, schema))),
            "prompt": prompt,
            "schema": schema,
            "rule": self.rule,
            "good": self.good,
            "acceptable": self.acceptable,
        }

    def _language(self, language: str | None) -> str:
        if language is None:
            return "en" if "en" in self.spoken else min(self.spoken)
        if language not in self.spoken:
            there = " and ".join(self.spoken)
            raise InputError(f"there is no language {visible(language, 40)!r}; choose {there}")
        return language

    def _schema_to(self, highest: int) -> Table:
        member = self.rule.members[0]
        properties = self.schema["properties"]
        grades = {**properties[member], "enum": list(range(highest + 1))}
        return {**self.schema, "properties": {**properties, member: grades}}


def described(content: bytes, where: str) -> Described:
    """Return the rubric that a TOML file describes.

    Raises
    ------
    InputError
        Naming the file, the member that is wrong, and what to do.
    """
    table = toml_value(content, where)
    with said_of(where):
        return _described(table)


def compiled(schema: Table) -> jsonschema_rs.Draft202012Validator:
    """Return what checks a value by a schema; InputError where the schema is none, or needs another."""
    try:
        return jsonschema_rs.Draft202012Validator(dict(schema), offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        path = getattr(error, "instance_path", ())
        place = visible(".".join(("schema", *map(str, path))), 120)
        raise InputError(f"{place} is no JSON Schema of draft 2020-12 ({said_by(error)})") from None


def _described(table: Table) -> Described:
    _check_members(table, _TOP, ("name", "version", "needs", "scale", "score", "schema"), "")
    needs = _texts(table["needs"], "needs")
    for need in needs:
        _check_known(need, FIELDS, "needs")
    scale = _scale(table["scale"])
    schema = _schema(table["schema"])
    spoken = {language: _spoken(table[language], language) for language in LANGUAGES if language in table}
    if not spoken:
        raise InputError("it has no language; add a table [en], [ja] or [zh] with system and prompt")
    rule = _rule(_table(table["score"], "score"), needs, schema)
    if any("grades" in one for one in spoken.values()):
        _check_grades(spoken, rule, scale, schema)
    good, acceptable = (_number(table[end], end) if end in table else None for end in ("good", "acceptable"))
    if (good is None) != (acceptable is None) or (good is not None and acceptable is not None and good < acceptable):
        raise InputError("give good and acceptable together, with good at least as high, or neither")
    return Described(
        _matching(table["name"], _NAME, "name", "lower-case letters, digits and _, at most 40"),
        _matching(table["version"], _VERSION, "version", 'a text such as "1"'),
        needs,
        scale,
        good,
        acceptable,
        rule,
        schema,
        spoken,
    )


def _rule(score: Table, needs: tuple[str, ...], schema: Table) -> ScoreRule:
    makers: dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[Table], ScoreRule]]] = {
        "member": (
            ("member",),
            ("parts", "worth"),
            lambda it: Member(_text(it, "member"), _texts(it.get("parts", []), "score.parts"), _worth(it)),
        ),
        "mean": (("of",), (), lambda it: Mean(_texts(it["of"], "score.of"))),
        "share": (
            ("list", "member"),
            ("worth", "each", "number"),
            lambda it: Share(
                _text(it, "list"), _text(it, "member"), _worth(it), _optional(it, "each"), _optional(it, "number")
            ),
        ),
        "found": (
            ("found", "missed", "wrong"),
            ("each",),
            lambda it: Found(_text(it, "found"), _text(it, "missed"), _text(it, "wrong"), _optional(it, "each")),
        ),
    }
    name = _text(score, "rule") if "rule" in score else ""
    _check_known(name, tuple(makers), "score.rule")
    required, further, made = makers[name]
    _check_members(score, ("rule", *required, *further), required, "score.")
    each = score.get("each")
    if each is not None and (each not in NUMBERED or each not in needs):
        raise InputError(f"score.each is none of {' and '.join(NUMBERED)} that needs has")
    if name == "share" and (each is None) != ("number" not in score):
        raise InputError("give score.each and score.number together, or neither")
    rule = made(score)
    if not rule.members:
        raise InputError("score.of is empty; name the members whose mean is the score")
    for member in rule.members:
        _check_known(member, tuple(one for one in schema["properties"] if one != RATIONALE), "score")
    _check_kinds(rule, schema)
    return rule


def _check_kinds(rule: ScoreRule, schema: Table) -> None:
    """Refuse a rule that could not make a score of everything that fits the schema."""
    properties = {member: _keywords(one) for member, one in schema["properties"].items()}
    lists = {Share: rule.members, Found: rule.members}.get(type(rule), ())
    for member in rule.members:
        kind = properties[member].get("type")
        if (kind == "array") != (member in lists):
            raise InputError(f"schema.properties.{member} has to be {'an array' if member in lists else 'a number'}")
        if not lists and kind not in ("integer", "number") and not _are_worth(properties[member], rule):
            raise InputError(f"schema.properties.{member} is no number, and score.worth does not say its words")
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


def _worth(score: Table) -> dict[str, float]:
    if "worth" not in score:
        return {"true": 1.0, "false": 0.0} if score["rule"] == "share" else {}
    worth = _table(score["worth"], "score.worth")
    return {word: _number(value, f"score.worth.{word}") for word, value in worth.items()}


def _schema(value: Any) -> Table:
    schema = _table(value, "schema")
    _check_json(schema, "schema")
    compiled(schema)
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict) or not properties:
        raise InputError('schema is not that of an object; give type = "object" and properties')
    if schema.get("additionalProperties") is not False:
        raise InputError("schema allows members that nobody reads; set additionalProperties = false")
    required = schema.get("required")
    if not isinstance(required, list) or sorted(map(str, required)) != sorted(properties):
        raise InputError("schema.required does not name every one of schema.properties; a verdict has all of them")
    first = next(iter(properties))
    if first != RATIONALE or properties[first] != {"type": "string"}:
        raise InputError(
            f'schema.properties does not begin with {RATIONALE} = {{ type = "string" }}; reasons come before grades'
        )
    return schema


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
        raise InputError(f"{where} is no finite number; JSON has no others")
    elif isinstance(value, int) and abs(value) >= 1 << 53:
        raise InputError(f"{where} is too large a number; stay below 2^53")
    elif not isinstance(value, str | bool | int | float):
        raise InputError(f"{where} is a {type(value).__name__}, and JSON has none")


def _spoken(value: Any, language: str) -> Table:
    table = _table(value, language)
    _check_members(table, _SPOKEN, ("system", "prompt"), f"{language}.")
    for one in ("system", "prompt"):
        if not _text(table, one, f"{language}.").strip():
            raise InputError(f"{language}.{one} is blank")
    return table


def _check_grades(spoken: Mapping[str, Table], rule: ScoreRule, scale: tuple[float, float], schema: Table) -> None:
    if not all("grades" in one for one in spoken.values()):
        raise InputError(f"grades are given in some languages only; give them in {' and '.join(spoken)}")
    grades = list(range(int(scale[1]) + 1))
    member = rule.members[0]
    if not isinstance(rule, Member) or scale[0] != 0 or schema["properties"][member].get("enum") != grades:
        raise InputError(f"grades need a score.member with enum = [0, 1, …] up to the end of scale, not {member}")


def _grades(value: Any, highest: int, where: str) -> str:
    grades = _table(value, where)
    if isinstance(highest, bool) or not 1 <= highest <= _HIGHEST:
        raise InputError(f"{where}: a scale ends between 1 and {_HIGHEST}, not at {highest}")
    lines = grades.get(str(highest))
    if lines is not None:
        if len(_texts(lines, where)) != highest + 1:
            raise InputError(f"{where}.{highest} does not describe the {highest + 1} grades from 0 to {highest}")
        return "\n".join(f"- {grade}: {line}" for grade, line in enumerate(lines))
    if "many" not in grades:
        there = " and ".join(one for one in grades if one.isdigit())
        raise InputError(f"{where}: there are grades up to {there} only, not up to {highest}")
    places = {"middle": str(highest // 2), "almost": str(highest - 1), "highest": str(highest)}
    return filled(_text(grades, "many"), places).strip()


def _form(language: str, schema: Table) -> str:
    return filled(notice(language, "form"), {"schema": orjson.dumps(schema).decode()})


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


def _scale(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError("scale is not the lowest and the highest score, such as [0, 3]")
    low, high = (_number(end, "scale") for end in value)
    if low >= high:
        raise InputError("scale does not go up; give the lowest score first")
    return low, high


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1 << 53:
        raise InputError(f"{where} is no number that can be used")
    return float(value)


def _table(value: Any, where: str) -> Table:
    if not isinstance(value, dict):
        raise InputError(f"{where} is not a table")
    return dict(value)


def _text(table: Table, member: str, where: str = "score.") -> str:
    if not isinstance(table[member], str):
        raise InputError(f"{where}{member} is not a text")
    return str(table[member])


def _optional(score: Table, member: str) -> str:
    return _text(score, member) if member in score else ""


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value) or len(set(value)) != len(value):
        raise InputError(f"{where} is not a list of different texts")
    return tuple(value)


def _matching(value: Any, pattern: re.Pattern[str], where: str, meant: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise InputError(f"{where} is not {meant}")
    return value


def _check_members(table: Table, known: Iterable[str], required: Iterable[str], where: str) -> None:
    for member in table:
        _check_known(member, tuple(known), where.rstrip("."))
    for member in required:
        if member not in table:
            raise InputError(f"{where}{member} is missing; docs/rubrics.md describes the file")


def _check_known(name: str, known: tuple[str, ...], where: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        said = f"{where}: " if where else ""
        raise InputError(f"{said}there is no {visible(name, 80)!r} here; {meant}")
