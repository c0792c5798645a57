"""The configuration file of an answer evaluation: JSON, with the keys that such tools have in common.

`testdata_path`, `results_dir`, `requested_metrics`, `target_url`, `target_parameters`,
`target_response_answer_jmespath`, `target_response_context_jmespath`. Paths are relative to the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.lines import json_file

_ANSWER, _CONTEXT = "message.content", "context.data_points.text"
_KINDS: dict[str, tuple[type, str]] = {
    "testdata_path": (str, "a text"),
    "results_dir": (str, "a text"),
    "requested_metrics": (list, "a list of names"),
    "target_url": (str, "a text"),
    "target_parameters": (dict, "an object"),
    "target_response_answer_jmespath": (str, "a JMESPath expression"),
    "target_response_context_jmespath": (str, "a JMESPath expression"),
}
_SETTINGS = {"testdata_path": "testdata", "requested_metrics": "metrics", "target_url": "url"}  # else as the key
_JUDGED = "gpt_"  # metrics of this name ask a model for its opinion


@dataclass(frozen=True, slots=True)
class AnswersConfig:
    """What a configuration file says; what it leaves out is None or empty."""

    testdata: Path | None = None
    results: Path | None = None
    metrics: tuple[str, ...] = ()
    url: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    answer: str = _ANSWER
    context: str = _CONTEXT
    notes: tuple[str, ...] = ()  # keys that have no effect
    settings: tuple[str, ...] = ()  # what it says something of, as a record calls that
    judged: tuple[str, ...] = ()  # metrics that need a model as a judge


def read_config(path: Path) -> AnswersConfig:
    """Return what a configuration file says.

    Raises
    ------
    InputError
        Naming file, key and reason.
    """
    value = json_file(path)
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a JSON object")
    for key, (kind, said) in _KINDS.items():
        if key in value and not isinstance(value[key], kind):
            raise InputError(f"{path}: `{key}` is not {said}")
    requested = value.get("requested_metrics", [])
    if not all(isinstance(name, str) for name in requested):
        raise InputError(f"{path}: `requested_metrics` is not a list of names")
    notes = [f"{path}: the key `{key}` has no effect here" for key in value if key not in _KINDS]
    return AnswersConfig(
        _beside(path, value.get("testdata_path")),
        _beside(path, value.get("results_dir")),
        tuple(name for name in dict.fromkeys(requested) if not name.startswith(_JUDGED)),
        value.get("target_url"),
        value.get("target_parameters", {}),
        value.get("target_response_answer_jmespath", _ANSWER),
        value.get("target_response_context_jmespath", _CONTEXT),
        tuple(notes),
        tuple(_SETTINGS.get(key, key) for key in _KINDS if key in value),
        tuple(name for name in dict.fromkeys(requested) if name.startswith(_JUDGED)),
    )


def _beside(path: Path, name: str | None) -> Path | None:
    return None if name is None else path.parent / name
