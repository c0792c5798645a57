"""The answer of a chat endpoint: a text, or one of a few reasons why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

_MOST_TOKENS = 1 << 40  # more is no count
_TELLING = 60  # characters of an error's code; a longer one is none
_PARTS = 1_000  # of a content that is a list
_REFUSED = "the model refused to answer"
_FILTERED = "the endpoint's content filter held the answer back"  # stored in caches of verdicts
_CUT_OFF = "the verdict was cut off at"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What the body of an answer with a success status says."""

    text: str | None = None
    failure: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str | None = None
    finish: str | None = None
    fingerprint: str | None = None
    excerpt: str | None = None  # what there is of a text that is no answer
    is_usable: bool = True  # the endpoint speaks the protocol, whatever became of this text


def read(body: bytes, max_tokens: int) -> ChatAnswer:
    """Return what an answer says."""
    try:
        value = orjson.loads(body)
    except (orjson.JSONDecodeError, RecursionError):
        return ChatAnswer(failure=_no_json(body), is_usable=False)
    if not isinstance(value, dict):
        return ChatAnswer(failure="the answer is JSON, but not a chat completion", is_usable=False)
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return ChatAnswer(failure=_no_choices(value), is_usable=isinstance(choices, list))
    choice = choices[0]
    message = choice.get("message")
    usage = value.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    finish = _text(choice.get("finish_reason"))
    text, failure = _content(message, finish, max_tokens)
    return ChatAnswer(
        text=text,
        failure=failure,
        tokens_in=_count(counts.get("prompt_tokens"), 1),  # a prompt has tokens, and so has a text
        tokens_out=_count(counts.get("completion_tokens"), 0 if text is None else 1),
        model=_text(value.get("model")),
        finish=finish,
        fingerprint=_text(value.get("system_fingerprint")),
        excerpt=_excerpt(message) if failure else None,
        is_usable=isinstance(message, dict),
    )


def is_final(failure: str) -> bool:
    """Say that the same request would come to the same: a refusal, a filter, an answer longer than allowed."""
    return failure in (_REFUSED, _FILTERED) or failure.startswith(_CUT_OFF)


def _content(message: Any, finish: str | None, max_tokens: int) -> tuple[str | None, str | None]:
    """Return the text, or why it is none."""
    if not isinstance(message, dict):
        return None, "the answer has no message"
    if finish == "length":
        return None, f"{_CUT_OFF} {max_tokens:,} tokens"
    if finish == "content_filter":
        return None, _FILTERED
    if finish == "error":
        return None, "the endpoint ended the answer with an error"
    if message.get("refusal"):
        return None, _REFUSED
    content = message.get("content")
    if isinstance(content, list):
        content = _joined(content)
    if content is not None and not isinstance(content, str):
        return None, "the content of the answer is not a text"
    if content and not content.isspace():
        return content, None
    if message.get("tool_calls") or message.get("function_call"):
        return None, "the model called a tool instead of answering"
    thought = message.get("reasoning_content") or message.get("reasoning")
    return None, "the answer is empty except for its reasoning" if thought else "the answer is empty"


def _excerpt(message: Any) -> str | None:
    text = (message.get("content") or message.get("refusal")) if isinstance(message, dict) else None
    return text if isinstance(text, str) else None


def _joined(parts: list[Any]) -> str | None:
    """Return the texts of a content that is a list of parts, None where there are other things in it."""
    texts = [part["text"] for part in parts[:_PARTS] if _is_text(part)]
    return "".join(texts) if len(texts) == len(parts) else None


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _no_json(body: bytes) -> str:
    start = body[:200].lstrip().lower()
    if not body.strip():
        return "the body of the answer is empty"
    if start.startswith(b"<"):
        return "the answer is an HTML or XML page, not JSON"
    if start.startswith((b"data:", b"event:", b": ", b"id:")):
        return "the answer is an event stream, which was not requested"
    return "the answer is not JSON"


def _no_choices(value: Mapping[str, Any]) -> str:
    if not value.get("error"):
        return "the answer has no choices"
    code = value["error"].get("code") if isinstance(value["error"], dict) else None
    is_code = isinstance(code, str | int) and len(str(code)) <= _TELLING
    return f"an error with a success status{f' ({code})' if is_code else ''}"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any, least: int) -> int | None:
    return value if type(value) is int and least <= value < _MOST_TOKENS else None
