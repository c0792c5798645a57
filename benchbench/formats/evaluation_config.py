"""The configuration of an evaluation in three pillars: TOML or JSON, of our own members or an assistant's.

Paths are relative to the file. Our own members are those of `_Members`, and stand in docs/evaluate.md; a JSON file with
`testdata_path` is one of an assistant's evaluation (`formats.answers_config`), whose metrics become the pillars.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Struct, structs

from benchbench.errors import InputError
from benchbench.formats.answers_config import AnswersConfig, TargetConfig, read_config
from benchbench.formats.lines import json_file, open_input
from benchbench.results.declared import Texts, beside, number, taken
from benchbench.results.ranges import DIFFERENCE, HITS, SHARE, Range
from benchbench.tables.text_files import read_whole, toml_value

PILLARS = ("retrieval", "generation", "domain")
LANGUAGES = {"ja": "jp", "en": "uk", "zh": "cn"}  # of rubrics, and whose law is cited then
OWN = Path("data")  # as a collection: the documents of the file of questions itself

_DESCRIBED = "docs/evaluate.md describes the file"

Hits = Annotated[int, number(HITS)]
Share = Annotated[float, number(SHARE)]
Weight = Annotated[float, number(Range(0, 10**9, whole=False))]
Parameter = Annotated[float, number(DIFFERENCE)]


class ContextsConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where contexts come from: a search of ours over a collection, a service, or a run file with a collection."""

    collection: Path | None = None
    service: str | None = None
    protocol: str = "benchbench"
    run: Path | None = None
    top_k: Hits = 5
    analysis: str = "auto"
    k1: Parameter | None = None
    b: Parameter | None = None

    def __post_init__(self) -> None:
        """Refuse a search of two kinds, and one of none."""
        if self.service is not None and (self.collection is not None or self.run is not None):
            raise InputError("`contexts` has a service, and a collection or a run; name either")
        if self.service is None and self.collection is None:
            without = "the run's documents have no texts without `collection`"
            raise InputError(f"`contexts`: {without if self.run else 'name a `collection` or a `service`'}")

    def shown(self) -> dict[str, Any]:
        """Return what is given as JSON values."""
        is_own = self.collection is OWN
        values = {"collection": None if is_own else self.collection, "is_own": is_own} | {
            name: getattr(self, name) for name in self.__struct_fields__[1:]
        }
        return {name: str(value) if isinstance(value, Path) else value for name, value in values.items() if value}


class Pillars(Struct, frozen=True, forbid_unknown_fields=True):
    """The sub-scores of each pillar; None is the default."""

    retrieval: Texts | None = None
    generation: Texts | None = None
    domain: Texts | None = None


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """What each pillar weighs in the overall score."""

    retrieval: Weight = 0.0
    generation: Weight = 0.0
    domain: Weight = 0.0

    def __post_init__(self) -> None:
        """Refuse weights that leave nothing."""
        if not self.retrieval + self.generation + self.domain > 0.0:
            raise InputError("`weights` are all 0, so there is no overall score")


class Bands(Struct, frozen=True, forbid_unknown_fields=True):
    """Where bands of shares begin."""

    good: Share = 0.8
    acceptable: Share = 0.5

    def __post_init__(self) -> None:
        """Refuse bands in the wrong order."""
        if self.acceptable > self.good:
            raise InputError("`bands.acceptable` is above `bands.good`")


class JudgeConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of the model that judges."""

    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None


class _Members(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str = ""  # of the evaluation
    data: Path | None = None  # the file of questions
    language: Literal["", "ja", "en", "zh"] = ""  # of the rubrics
    law: Literal["", "jp", "uk", "cn"] = ""  # that is cited
    cutoff: Hits = 5  # of the measures of retrieval
    answers: Path | None = None
    qrels: Path | None = None
    target: TargetConfig | None = None
    contexts: ContextsConfig | None = None  # where rows and answers have none
    pillars: Pillars = Pillars()
    beside: Texts | None = None  # scores that are reported and in no pillar; None is the default
    weights: Weights = Weights(0.2, 0.4, 0.4)
    bands: Bands = Bands()
    cluster: str = ""  # member that groups questions
    results: Path | None = None  # folder of results folders
    judge: JudgeConfig = JudgeConfig()


class EvaluationConfig(_Members, frozen=True, kw_only=True):
    """What a configuration says; what it leaves out is None, empty or the default.

    Attributes
    ----------
    path
        Of the file.
    given
        Names of settings that the file says something of.
    assistants
        The configuration of an assistant's evaluation, where it is one.
    """

    path: Path
    given: tuple[str, ...] = ()
    assistants: AnswersConfig | None = None


def read_evaluation_config(path: Path) -> EvaluationConfig:
    """Return what a configuration file says; InputError naming file, member and reason."""
    if path.suffix.lower() == ".toml":
        with open_input(path) as file:
            return config_of(toml_value(read_whole(file, str(path)), str(path)), path)
    value = json_file(path)
    if not isinstance(value, dict) or "data" in value or "testdata_path" not in value:
        return config_of(value, path)
    own = read_config(path)
    return EvaluationConfig(
        path=path,
        data=own.testdata,
        language="en",
        law="uk",
        target=own.target,
        results=own.results,
        given=own.settings,
        assistants=own,
    )


def config_of(value: Mapping[str, Any], path: Path, needs_data: bool = True) -> EvaluationConfig:
    """Return what the members of a configuration say; paths are relative to the folder of `path`, which messages name.

    Errors are those of `read_evaluation_config`; without `needs_data`, the questions come from elsewhere.
    """
    members = taken(value, _Members, str(path), _DESCRIBED, beside(path))
    if needs_data and members.data is None:
        raise InputError(f"{path} has no `data`; it names the file of questions")
    if members.target is not None and members.target.url is None:
        raise InputError(f"{path}: `target` has no `url`, that of the assistant to ask")
    contexts = members.contexts
    if contexts is not None and value["contexts"].get("collection") == str(OWN):
        contexts = structs.replace(contexts, collection=OWN)
    changed = structs.replace(members, contexts=contexts, law=members.law or LANGUAGES.get(members.language, ""))
    return EvaluationConfig(**structs.asdict(changed), path=path, given=tuple(value))
