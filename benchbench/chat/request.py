"""The body of a request to a chat endpoint, and what an endpoint turned out not to take.

Endpoints that speak the same protocol differ in which parameters they accept. One that is refused by name is left out,
or replaced, from then on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from benchbench.chat.model_settings import Structured
from benchbench.errors import visible

LIMITS = ("max_tokens", "max_completion_tokens")
_LEVELS: dict[str, Structured] = {"schema": "object", "object": "none"}
_REFUSING = frozenset({400, 422})
_TOO_LONG = re.compile(r"context.?(length|window)|maximum context|too (long|large)|reduce the length|exceed", re.I)
_UNKNOWN = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|invalid|extra|forbidden"
    r"|does ?n.t support|\bonly\b|must contain|must be|incompatible|deprecated|no longer|require",
    re.I,
)
_NAMES = (  # what an error calls a parameter -> the parameter
    (
        "response_format",
        re.compile(r"response.?format|json.?schema|json.?object|structured.?output|guided|grammar", re.I),
    ),
    ("max_tokens", re.compile(r"max_(completion_)?tokens")),
    ("temperature", re.compile(r"temperature")),
    ("seed", re.compile(r"\bseed\b")),
    (
        "system",
        re.compile(r"system.?(role|message|prompt)|role.{0,12}system|developer.?instruction|messages\[0\].role", re.I),
    ),
)
_SCHEMA = "The answer is one JSON value and nothing else. It follows this JSON Schema:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What is sent to an endpoint beside the texts."""

    model: str
    temperature: float | None
    seed: int | None
    max_tokens: int
    structured: Structured  # never "auto"
    limits: tuple[str, ...] = LIMITS  # names of the parameter that bounds an answer, the first of which is sent
    system: bool = True  # the endpoint takes a message of the system
    may_fall_back: bool = True  # to less structure

    def body(self, system: str, user: str, schema: Mapping[str, Any], name: str) -> bytes:
        """Return a request."""
        if self.structured != "schema":
            system = f"{system}\n\n{_SCHEMA}\n{orjson.dumps(schema).decode()}"
        texts = [("system", system), ("user", user)] if self.system else [("user", f"{system}\n\n{user}")]
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in texts if text],
            self.limits[0]: self.max_tokens,
        }
        if self.temperature is not None:
            request["temperature"] = self.temperature
        if self.seed is not None:
            request["seed"] = self.seed
        if self.structured == "schema":
            shape = {"name": name, "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif self.structured == "object":
            request["response_format"] = {"type": "json_object"}
        try:
            return orjson.dumps(request)
        except orjson.JSONEncodeError:  # half of a character, which no JSON can have
            return orjson.dumps(_whole(request))

    def without(self, parameter: str) -> "Dialect | None":
        """Return what to send where a parameter is refused, None where nothing is left to change."""
        if parameter == "response_format":
            weaker = _LEVELS.get(self.structured) if self.may_fall_back else None
            return weaker and replace(self, structured=weaker)
        if parameter == "max_tokens" and len(self.limits) > 1:  # never none of them: an answer would have no bound
            return replace(self, limits=self.limits[1:])
        if parameter == "temperature" and self.temperature is not None:
            return replace(self, temperature=None)
        if parameter == "seed" and self.seed is not None:
            return replace(self, seed=None)
        if parameter == "system" and self.system:
            return replace(self, system=False)
        return None


@dataclass(frozen=True, slots=True)
class Problem:
    """What the body of an error says."""

    message: str = ""
    code: str = ""
    kind: str = ""  # the member `type`
    parameter: str = ""

    @property
    def is_too_long(self) -> bool:
        """Say that the prompt has more tokens than the model takes."""
        return "context_length" in self.code or bool(_TOO_LONG.search(self.message))

    @property
    def is_filtered(self) -> bool:
        """Say that a filter refused the prompt."""
        return "content_filter" in self.code or "content management policy" in self.message

    @property
    def is_out_of_quota(self) -> bool:
        """Say that no waiting helps: the account has nothing left."""
        error = f"{self.code} {self.kind} {self.message}".lower()
        return any(
            sign in error for sign in ("insufficient_quota", "billing", "insufficient balance", "out of credits")
        )


def problem(body: str) -> Problem:
    """Return what an error says in any of the usual shapes, from what `Secrets.start` left of its body."""
    try:
        value = orjson.loads(body)
    except (orjson.JSONDecodeError, RecursionError):
        return Problem(visible(body, 2000))
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Problem(str(value)[:2000])
    error = value.get("error") or value.get("detail") or value
    if not isinstance(error, dict):
        return Problem(_text(error) or _text(value.get("message")))
    inner = error.get("innererror")
    codes = (_text(error.get("code")), _text(inner.get("code")) if isinstance(inner, dict) else "")
    code = " ".join(filter(None, codes))
    return Problem(_text(error.get("message")), code, _text(error.get("type")), _text(error.get("param")))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return visible(value if isinstance(value, str) else orjson.dumps(value, default=str).decode(), 2000)


def _whole(value: Any) -> Any:
    """Return a JSON value in whose texts half characters are replaced."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {name: _whole(member) for name, member in value.items()}
    return [_whole(element) for element in value] if isinstance(value, list | tuple) else value


def refused_parameter(status: int | None, problem: Problem) -> str | None:
    """Return which parameter of ours an error is about, None where it is about something else."""
    if status not in _REFUSING or problem.is_too_long or problem.is_filtered:
        return None
    for text in (problem.parameter, problem.message if _UNKNOWN.search(f"{problem.message} {problem.code}") else ""):
        for parameter, pattern in _NAMES:
            if text and pattern.search(text):
                return parameter
    return None
