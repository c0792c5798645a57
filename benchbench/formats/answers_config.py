"""The configuration file of an answer evaluation: JSON, with the keys that such tools have in common.

Paths are relative to the file. What it leaves out is None or empty, and unknown keys have no effect.
"""

from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, field, structs

from benchbench.formats.lines import json_file
from benchbench.results.declared import beside, taken

_SETTINGS = {"testdata_path": "testdata", "requested_metrics": "metrics", "target_url": "url"}  # else as the key
_JUDGED = "gpt_"  # metrics of this name ask a model for its opinion

Expression = Annotated[str, Meta(description="a JMESPath expression")]
Parameters = Annotated[dict[str, Any], Meta(description="an object")]


class TargetConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """An assistant to ask, and what is sent with every question."""

    url: str | None = None
    parameters: Parameters = {}
    answer: Expression = "message.content"
    context: Expression = "context.data_points.text"


class _Members(Struct, frozen=True):
    testdata: Path | None = field(name="testdata_path", default=None)
    results: Path | None = field(name="results_dir", default=None)
    requested: Annotated[tuple[str, ...], Meta(description="a list of names")] = field(
        name="requested_metrics", default=()
    )
    url: str | None = field(name="target_url", default=None)
    parameters: Parameters = field(name="target_parameters", default_factory=dict)
    answer: Expression = field(name="target_response_answer_jmespath", default=TargetConfig().answer)
    context: Expression = field(name="target_response_context_jmespath", default=TargetConfig().context)


class AnswersConfig(_Members, frozen=True, kw_only=True):
    """What a configuration file says; `keys` are those that it has."""

    path: Path
    keys: tuple[str, ...]

    @property
    def target(self) -> TargetConfig:
        """Return the assistant."""
        return TargetConfig(self.url, self.parameters, self.answer, self.context)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics that need no model, each once."""
        return tuple(name for name in dict.fromkeys(self.requested) if not name.startswith(_JUDGED))

    @property
    def judged(self) -> tuple[str, ...]:
        """Return the metrics that need a model as a judge, each once."""
        return tuple(name for name in dict.fromkeys(self.requested) if name.startswith(_JUDGED))

    @property
    def settings(self) -> tuple[str, ...]:
        """Return what the file says something of, as a record calls that."""
        return tuple(_SETTINGS.get(key, key) for key in _Members.__struct_encode_fields__ if key in self.keys)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences on keys that have no effect."""
        strange = [key for key in self.keys if key not in _Members.__struct_encode_fields__]
        return tuple(f"{self.path}: the key `{key}` has no effect here" for key in strange)


def read_config(path: Path) -> AnswersConfig:
    """Return what a configuration file says; InputError naming file, key and reason."""
    value = json_file(path)
    members = taken(value, _Members, str(path), convert=beside(path))
    return AnswersConfig(**structs.asdict(members), path=path, keys=tuple(value))
