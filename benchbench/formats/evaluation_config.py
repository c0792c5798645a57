"""The configuration of an evaluation in three pillars: TOML or JSON, of our own members or an assistant's.

Paths are relative to the file. Our own members stand in `_MEMBERS` and in docs/evaluate.md; a JSON file with
`testdata_path` is one of an assistant's evaluation (`formats.answers_config`), whose metrics become the pillars.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, visible
from benchbench.formats.answers_config import AnswersConfig, read_config
from benchbench.formats.lines import json_file, open_input
from benchbench.tables.numbers import DIFFERENCE, HITS, SHARE, Range
from benchbench.tables.shared_messages import not_among
from benchbench.tables.text_files import read_whole, toml_value

PILLARS = ("retrieval", "generation", "domain")
WEIGHTS: Mapping[str, float] = {"retrieval": 0.2, "generation": 0.4, "domain": 0.4}
LANGUAGES = {"ja": "jp", "en": "uk", "zh": "cn"}  # of rubrics, and whose law is cited then

_KINDS: dict[type, str] = {str: "a text", dict: "a table", list: "a list of texts", bool: "true or false"}
_MEMBERS: dict[str, dict[str, type]] = {  # by table; that of the file itself has no name
    "": {
        "name": str,
        "data": str,
        "language": str,
        "law": str,
        "answers": str,
        "qrels": str,
        "results": str,
        "cluster": str,
        "cutoff": int,
        "beside": list,
        "target": dict,
        "contexts": dict,
        "pillars": dict,
        "weights": dict,
        "bands": dict,
        "judge": dict,
    },
    "target": {"url": str, "parameters": dict, "answer": str, "context": str},
    "contexts": {
        "collection": str,
        "service": str,
        "protocol": str,
        "run": str,
        "top_k": int,
        "analysis": str,
        "k1": float,
        "b": float,
    },
    "pillars": dict.fromkeys(PILLARS, list),
    "weights": dict.fromkeys(PILLARS, float),
    "bands": {"good": float, "acceptable": float},
    "judge": {"model": str, "base_url": str, "api_key_env": str},
}
_RANGES: dict[str, Range] = {"cutoff": HITS, "top_k": HITS, "good": SHARE, "acceptable": SHARE}
OWN = "data"  # as a collection: the documents of the file of questions itself


@dataclass(frozen=True, slots=True)
class ContextsConfig:
    """Where contexts come from: a search of ours over a collection, a service, or a run file with a collection."""

    collection: Path | None = None
    is_own: bool = False  # the documents of the file of questions
    service: str | None = None
    protocol: str = "benchbench"
    run: Path | None = None
    top_k: int = 5
    analysis: str = "auto"
    k1: float | None = None
    b: float | None = None


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """What a configuration says; what it leaves out is None, empty or the default.

    Attributes
    ----------
    path
        Of the file.
    data
        The file of questions.
    name, language, law
        What the evaluation is called, the language of the rubrics, and whose law is cited: jp, uk or cn.
    cutoff
        Of the measures of retrieval.
    answers, qrels
        A file of answers, and one of judgments.
    target
        The assistant to ask, and what is sent with every question; of an assistant's own configuration the whole of it.
    contexts
        Where contexts come from, where rows and answers are not to have them.
    pillars
        The sub-scores of each pillar; None is the default.
    beside
        Scores that are reported and in no pillar; None is the default.
    weights, good, acceptable
        Of pillars; where bands of shares begin.
    cluster, results, judge
        Member that groups questions, folder of results folders, and options of the model.
    notes
        Sentences on members that have no effect.
    given
        Names of settings that the file says something of.
    is_assistants
        Whether it is the configuration of an assistant's evaluation.
    """

    path: Path
    data: Path | None = None
    name: str = ""
    language: str = ""
    law: str = ""
    cutoff: int = 5
    answers: Path | None = None
    qrels: Path | None = None
    target: AnswersConfig | None = None
    contexts: ContextsConfig | None = None
    pillars: Mapping[str, tuple[str, ...]] | None = None
    beside: tuple[str, ...] | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    good: float = 0.8
    acceptable: float = 0.5
    cluster: str = ""
    results: Path | None = None
    judge: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    is_assistants: bool = False


def read_evaluation_config(path: Path) -> EvaluationConfig:
    """Return what a configuration file says.

    Raises
    ------
    InputError
        Naming file, member and reason.
    """
    if path.suffix.lower() == ".toml":
        with open_input(path) as file:
            return config_of(toml_value(read_whole(file, str(path)), str(path)), path)
    value = json_file(path)
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a JSON object")
    return config_of(value, path) if "data" in value or "testdata_path" not in value else _assistants(path)


def _assistants(path: Path) -> EvaluationConfig:
    found = read_config(path)
    return EvaluationConfig(
        path,
        found.testdata,
        language="en",
        law="uk",
        target=found,
        results=found.results,
        notes=found.notes,
        given=found.settings,
        is_assistants=True,
    )


def config_of(value: Mapping[str, Any], path: Path, needs_data: bool = True) -> EvaluationConfig:
    """Return what the members of a configuration say; paths are relative to the folder of `path`, which messages name.

    Errors are those of `read_evaluation_config`; without `needs_data`, the questions come from elsewhere.
    """
    _check(path, "", value)
    for table in _MEMBERS:
        if table and table in value:
            _check(path, table, value[table])
    language, law = value.get("language", ""), value.get("law", "")
    _among(path, "language", language, LANGUAGES)
    _among(path, "law", law, LANGUAGES.values())
    if needs_data and "data" not in value:
        raise InputError(f"{path} has no `data`; it names the file of questions")
    bands = value.get("bands", {})
    good, acceptable = float(bands.get("good", 0.8)), float(bands.get("acceptable", 0.5))
    if acceptable > good:
        raise InputError(f"{path}: `bands.acceptable` is above `bands.good`")
    pillars, beside = value.get("pillars"), value.get("beside")
    return EvaluationConfig(
        path,
        _beside(path, value.get("data")),
        value.get("name", ""),
        language,
        law or LANGUAGES.get(language, ""),
        value.get("cutoff", 5),
        _beside(path, value.get("answers")),
        _beside(path, value.get("qrels")),
        _target(path, value.get("target")),
        _contexts(path, value.get("contexts")),
        None if pillars is None else {name: tuple(dict.fromkeys(names)) for name, names in pillars.items()},
        None if beside is None else tuple(dict.fromkeys(beside)),
        _weights(path, value.get("weights")),
        good,
        acceptable,
        value.get("cluster", ""),
        _beside(path, value.get("results")),
        value.get("judge", {}),
        given=tuple(value),
    )


def _check(path: Path, table: str, value: Mapping[str, Any]) -> None:
    """Refuse members that there are not, and values of another kind."""
    kinds, prefix = _MEMBERS[table], f"{table}." if table else ""
    for name, one in value.items():
        said = f"{path}: `{prefix}{visible(name, 40)}`"
        if name not in kinds:
            raise InputError(
                f"{path}: {not_among(prefix + visible(name, 40), 'known', list(map(prefix.__add__, kinds)))}"
            )
        kind = kinds[name]
        if kind in (int, float):
            number = _RANGES.get(
                name, DIFFERENCE if kind is float and table == "contexts" else Range(0, 1e9, kind is int)
            )
            number.take(one, said)
        elif not isinstance(one, kind) or not _are_texts(one):
            raise InputError(f"{said} is not {_KINDS[kind]}")


def _are_texts(value: Any) -> bool:
    return not isinstance(value, list) or all(isinstance(one, str) for one in value)


def _among(path: Path, name: str, value: str, there: Iterable[str]) -> None:
    if value and value not in there:
        raise InputError(f"{path}: `{name}` is {', '.join(there)}, and not {value!r}")


def _weights(path: Path, value: Mapping[str, float] | None) -> dict[str, float]:
    weights = dict(WEIGHTS) if value is None else {name: float(value.get(name, 0.0)) for name in PILLARS}
    if not sum(weights.values()) > 0.0:
        raise InputError(f"{path}: `weights` are all 0, so that there is no overall score")
    return weights


def _target(path: Path, value: Mapping[str, Any] | None) -> AnswersConfig | None:
    if value is None:
        return None
    if "url" not in value:
        raise InputError(f"{path}: `target` has no `url`, that of the assistant to ask")
    known = {name: value[name] for name in ("url", "parameters", "answer", "context") if name in value}
    return AnswersConfig(**known)


def _contexts(path: Path, value: Mapping[str, Any] | None) -> ContextsConfig | None:
    if value is None:
        return None
    collection, service, run = value.get("collection"), value.get("service"), value.get("run")
    if service is not None and (collection is not None or run is not None):
        raise InputError(f"{path}: `contexts` has a service, and a collection or a run; name either")
    if service is None and collection is None:
        needs = (
            "the run's documents have no texts without `collection`" if run else "name a `collection` or a `service`"
        )
        raise InputError(f"{path}: `contexts`: {needs}")
    is_own = collection == OWN
    return ContextsConfig(
        None if is_own else _beside(path, collection),
        is_own,
        service,
        value.get("protocol", "benchbench"),
        _beside(path, run),
        value.get("top_k", 5),
        value.get("analysis", "auto"),
        value.get("k1"),
        value.get("b"),
    )


def _beside(path: Path, name: str | None) -> Path | None:
    return None if name is None else path.parent / name
