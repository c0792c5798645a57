"""A rubric: what a judge is told, what its verdict looks like, and how a score is made of it."""

import dataclasses
import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
from msgspec.structs import asdict

from benchbench.answers.judges.rubric_file import RubricFile, compiled, read_rubric
from benchbench.answers.judges.scores import ScoreRule
from benchbench.answers.metrics import band
from benchbench.errors import InputError, said_by, said_of, visible
from benchbench.tables.text_files import read_whole

_SUFFIX = ".toml"
_BUILT_IN = Path(__file__).with_name("builtin")


@dataclass(frozen=True, slots=True, eq=False)
class Rubric:
    """What a judge judges by.

    Attributes
    ----------
    name, version, language
        Together its `label`. A wording that changes is a new version.
    needs
        The fields of an item that the prompt has places for.
    scale
        The lowest and the highest score.
    system
        What the judge is told: its task, that texts are data, and the form of the verdict.
    prompt
        What it is asked, with places such as ``{question}``.
    schema
        JSON Schema of the verdict.
    rule
        How score and parts are made of the verdict.
    good, acceptable
        A score above `good` is good, one from `acceptable` on acceptable, one below poor; None without bands.
    digest
        Hexadecimal; equal for equal rubrics only.
    """

    name: str
    version: str
    language: str
    needs: tuple[str, ...]
    scale: tuple[float, float]
    system: str
    prompt: str
    schema: Mapping[str, Any]
    rule: ScoreRule
    good: float | None = None
    acceptable: float | None = None
    digest: str = field(init=False)
    validator: jsonschema_rs.Draft202012Validator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compile the schema once, and take the digest."""
        object.__setattr__(self, "validator", compiled(self.schema))
        object.__setattr__(self, "digest", _digest(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the compiled schema out of a pickle."""
        return Rubric, tuple(getattr(self, one.name) for one in dataclasses.fields(self) if one.init)

    def __eq__(self, other: object) -> bool:
        """Compare by digest."""
        return isinstance(other, Rubric) and self.digest == other.digest

    def __hash__(self) -> int:
        """Go by the digest."""
        return hash(self.digest)

    @property
    def label(self) -> str:
        """Return name, language and version: `relevance.ja@1`."""
        return f"{self.name}.{self.language}@{self.version}"

    def scaled(self, score: float) -> float:
        """Return a score on the scale from 0 to 1."""
        low, high = self.scale
        return (score - low) / (high - low)

    def band(self, score: float) -> str:
        """Return `good`, `acceptable` or `poor` of a score or a mean of scores; empty where there are no bands."""
        return band(score, self.good, self.acceptable, self.scale[1])


def rubric(name_or_file: str | Path, language: str | None = None, scale: int | None = None) -> Rubric:
    """Return a rubric that is built in, or the one of a file.

    Parameters
    ----------
    name_or_file
        One of `rubrics()`, or the path of a `.toml` file.
    language
        `en`, `ja` or `zh`; by default the only one of a file, else English.
    scale
        The highest grade, of a rubric whose grades can be chosen.

    Raises
    ------
    InputError
        Naming what is unknown, or file and member, and what to do.
    """
    name = str(name_or_file)
    if isinstance(name_or_file, str) and name in rubrics():
        return _built_in(name, language, scale)
    if not name.endswith(_SUFFIX):
        near = difflib.get_close_matches(name, rubrics(), 3)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise InputError(
            f"there is no rubric {visible(name, 80)!r}; {meant}there are {', '.join(rubrics())}, and {_SUFFIX} files"
        )
    try:
        with Path(name).open("rb") as file:
            content = read_whole(file, name)
    except OSError as error:
        raise InputError(f"cannot read the rubric {name}: {error.strerror or said_by(error)}") from None
    return _made(read_rubric(content, name), language, scale, name)


@cache
def rubrics() -> list[str]:
    """Return the names of the rubrics that are built in."""
    return sorted(file.stem for file in _BUILT_IN.glob(f"*{_SUFFIX}"))


@cache
def _built_in(name: str, language: str | None, scale: int | None) -> Rubric:
    return _made(read_rubric((_BUILT_IN / f"{name}{_SUFFIX}").read_bytes(), name), language, scale, name)


def _made(read: RubricFile, language: str | None, scale: int | None, where: str) -> Rubric:
    with said_of(where):
        return Rubric(**read.chosen(language, scale))


def _digest(rubric: Rubric) -> str:
    whole = {one.name: getattr(rubric, one.name) for one in dataclasses.fields(rubric) if one.init}
    whole["rule"] = {"rule": type(rubric.rule).__name__, **asdict(rubric.rule)}
    return hashlib.sha256(orjson.dumps(whole)).hexdigest()
