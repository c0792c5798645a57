"""Tasks and labels from the tables of a TOML, and from the text of `--task`."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from benchbench.errors import InputError, said_of, visible
from benchbench.tasks.label_paths import LabelPaths, read_label
from benchbench.tasks.names import check_name
from benchbench.tasks.rules import RULES, RelevanceRule, Sides, Value
from benchbench.tasks.task import Task
from benchbench.tasks.toml_text import parts, shown, value
from benchbench.tasks.values import nearest, taken

OPTION = "--task"
_TEXT = re.compile(r"(?P<name>[^=]*)=\s*(?P<rule>[^()=]*?)\s*\((?P<inside>.*)\)\s*")
_NAMED = re.compile(r"\s*(?P<name>\w+)\s*=(?P<value>.*)")
_LABEL = ("label", "query_label", "hit_label")
_LONGEST = 4_000  # characters: bounds the work on a text, and the digits of its numbers
_SHOWN = 120
_EXAMPLE = "'brand=equal(meta.brand)' or 'price=within(meta.price, relative=0.2)'"

_NO_LABELS: Mapping[str, LabelPaths] = {}


def read_labels(described: Mapping[str, Any], where: str) -> dict[str, LabelPaths]:
    """Return the labels of a TOML's `[labels]` by their names.

    Parameters
    ----------
    described
        The TOML's tables.
    where
        The file, for messages.

    Raises
    ------
    InputError
        Naming file and label.
    """
    labels = {}
    for name, given in _table(described, "labels", where).items():
        with said_of(f"{where}, label {visible(name, _SHOWN)} in [labels]"):
            labels[name] = replace(read_label(given, _NO_LABELS), name=name)
    return labels


def read_tasks(described: Mapping[str, Any], where: str) -> tuple[Task, ...]:
    """Return the tasks of a TOML's `[tasks.NAME]`, with its labels; InputError naming file and task."""
    labels = read_labels(described, where)
    tasks = []
    for name, table in _table(described, "tasks", where).items():
        with said_of(f"{where}, [tasks.{visible(name, _SHOWN)}]"):
            if not isinstance(table, dict):
                raise InputError("it is not a table with rule and label")
            tasks.append(read_task(name, table, labels))
    return tuple(tasks)


def parse_task(text: str, labels: Mapping[str, LabelPaths] = _NO_LABELS, option: str = OPTION) -> Task:
    """Return the task that a text says.

    Parameters
    ----------
    text
        `NAME=RULE(LABEL, PARAMETER=VALUE, …)`; values are TOML's.
    labels
        Those that may be called by their names.
    option
        Where the text was given, for messages.

    Raises
    ------
    InputError
        Saying what is wrong with the text.
    """
    if not isinstance(text, str):
        raise InputError(f"a task is a text such as {_EXAMPLE}, and not of type {type(text).__name__}")
    with said_of(f"{option} '{visible(text, _SHOWN)}{'…' if len(text) > _SHOWN else ''}'"):
        match = _TEXT.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            raise InputError(f"a task is written NAME=RULE(LABEL, PARAMETER=VALUE), as in {_EXAMPLE}")
        table: dict[str, Any] = {"rule": match["rule"]}
        for place, part in enumerate(parts(match["inside"]) if match["inside"].strip() else ()):
            name, given = _part(part, place)
            if name in table:
                raise InputError(f"{name} appears twice")
            table[name] = given
        return read_task(match["name"].strip(), table, labels)


def parse_tasks(
    texts: Iterable[str], labels: Mapping[str, LabelPaths] = _NO_LABELS, option: str = OPTION
) -> tuple[Task, ...]:
    """Return the tasks of several texts; InputError as `parse_task`."""
    return tuple(parse_task(text, labels, option) for text in texts)


def read_task(name: str, table: Mapping[str, Any], labels: Mapping[str, LabelPaths] = _NO_LABELS) -> Task:
    """Return a task by its name and its table; InputError says what is wrong with them, and not where they stand."""
    check_name(name)
    rule = _rule(table)
    known = rule.by_name
    for other in table:
        if other not in known and other not in ("rule", *_LABEL):
            raise InputError(f"{rule.name} has no parameter {shown(other)}; {nearest(other, _members(rule))}")
    label = _label(table, rule, labels)
    given: dict[str, Value] = {one: taken(table[one], known[one], labels) for one in known if one in table}
    if rule.needs and not given.keys() & set(rule.needs):
        raise InputError(
            f"{rule.name} needs {' or '.join(rule.needs)}, as in {rule.name}({rule.example}, {rule.needs[0]}=5)"
        )
    is_default = {one: known[one].unless not in given and given[one] == known[one].default for one in given}
    return Task(name, rule.name, label, tuple((one, given[one]) for one in given if not is_default[one]))


def _rule(table: Mapping[str, Any]) -> RelevanceRule:
    name = table.get("rule", "")
    if not isinstance(name, str):
        raise InputError(f"rule is a text, and not {shown(name)}")
    if not name:
        raise InputError(f"the rule is missing; there are {', '.join(RULES)}")
    if name not in RULES:
        raise InputError(f"there is no rule {shown(name)}; {nearest(name, RULES)}")
    return RULES[name]


def _members(rule: RelevanceRule) -> dict[str, None]:
    label = _LABEL if rule.sides is Sides.BOTH else _LABEL[: rule.sides is not Sides.NEITHER]
    return dict.fromkeys((*label, *rule.by_name))


def _label(table: Mapping[str, Any], rule: RelevanceRule, labels: Mapping[str, LabelPaths]) -> LabelPaths | None:
    allowed = _members(rule)
    given = {name: table[name] for name in _LABEL if name in table}
    refused = [name for name in given if name not in allowed]
    if refused:
        raise InputError(f"{rule.name} takes no {refused[0]}")
    if rule.sides is Sides.NEITHER:
        return None
    if not given:
        raise InputError(f"{rule.name} needs a label, as in {rule.name}({rule.example})")
    if len(given) != (1 if "label" in given else 2):
        raise InputError("a label is given as label, or as query_label and hit_label")
    read = {}
    for name, one in given.items():
        with said_of(name):
            read[name] = read_label(one, labels)
    if "label" in read:
        return replace(read["label"], hit=()) if rule.sides is Sides.QUERY else read["label"]
    query, hit = read["query_label"], read["hit_label"]
    if query.ignore and hit.ignore and query.ignore != hit.ignore:
        raise InputError("query_label and hit_label ignore different characters")
    return LabelPaths(query.query, hit.hit, query.ignore or hit.ignore, query.name)


def _part(part: str, place: int) -> tuple[str, Any]:
    """Return name and value of what stands between two commas."""
    match = _NAMED.fullmatch(part)
    if match is None and place == 0 and part.strip():
        written = part.strip()
        return "label", value(written) if written[0] in "[{" else written
    if match is None:
        raise InputError(f"parameters are written name=value, and not {shown(part.strip())}")
    with said_of(match["name"]):
        return match["name"], value(match["value"].strip())


def _table(described: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    table = described.get(name, {})
    if not isinstance(table, Mapping):
        raise InputError(f"{where}: {name} is not a table")
    return table
