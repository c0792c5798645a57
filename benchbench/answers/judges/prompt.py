"""What a judge is asked about an item: its texts as data, which cannot leave their place nor speak as somebody else."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchbench.answers.judges.notices import filled, notice
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.rubric_file import NUMBERED
from benchbench.errors import InputError, visible

_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_HIDDEN = re.compile(  # control characters, direction overrides, what has no width, tags, and lone surrogates
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPECIAL = re.compile(  # what chat templates turn into tokens that begin and end somebody's turn
    r"<(?=[|｜]|/?s>|</?SYS>>|/?SYS>>|(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk|think|system|assistant|user)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_FRAME = re.compile(r"^(?=[ \t]*={3,}[ \t]*(?:BEGIN|END)\b)", re.IGNORECASE | re.MULTILINE)
_MARK = 8  # bytes


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be judged.

    Attributes
    ----------
    key
        Unique within a run, such as ``q1<tab>d7``.
    fields
        By name: `question`, `document`, `answer`, `truth` (texts), `contexts`, `nuggets` (lists of texts) and
        `relations` (a list of objects); those that the rubric needs.
    labels
        What it belongs to, by name, such as its category; no judge sees them.
    about
        What somebody who gets a verdict on it wants to know of it; no judge sees that either.
    """

    key: str
    fields: Mapping[str, Any]
    labels: Mapping[str, str | None] = field(default_factory=dict)
    about: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent to a model; `name` is that of the schema, and `language` that of the rubric."""

    system: str
    user: str
    schema: Mapping[str, Any]
    name: str
    language: str = "en"


def prompt(rubric: Rubric, item: Item) -> Prompt:
    """Return what a judge is asked about an item; nothing of its texts is left out.

    Raises
    ------
    InputError
        Naming the item and the field that is missing or no text.
    """
    texts = {need: list(_texts(rubric, item, need)) for need in rubric.needs}
    mark = _mark(text for named in texts.values() for _, text in named)
    blocks = {
        need: "\n\n".join(_block(name, text, mark) for name, text in named) or notice(rubric.language, "none")
        for need, named in texts.items()
    }
    user = filled(rubric.prompt, blocks)
    return Prompt(rubric.system, user, rubric.schema, rubric.name, rubric.language)


def repair(asked: Prompt, reply: str, problem: str) -> Prompt:
    """Return the second and last attempt to get a verdict that can be read; what was said first stands in it as data.

    Parameters
    ----------
    asked
        What was asked.
    said
        What the judge said.
    problem
        Why that is no verdict, as `read` says it.
    """
    text = escaped(reply)
    places = {"problem": visible(problem, 200), "said": _block("reply", text, _mark((asked.user, text)))}
    added = filled(notice(asked.language, "repair"), places)
    return Prompt(asked.system, f"{asked.user}\n\n{added}", asked.schema, asked.name, asked.language)


def escaped(text: str) -> str:
    r"""Return a text that cannot fake a delimiter or a turn, and hides nothing.

    Line ends become LF; characters that are not seen become escapes such as ``\u200b``; a backslash stands before
    or in what looks like our delimiters or like the special tokens of a chat template. The rest stays as it is.
    """
    if not text.replace("\n", " ").isprintable():
        text = _LINE_ENDS.sub("\n", text)
        text = _HIDDEN.sub(lambda sign: sign[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
    if "<" in text or "[" in text:
        text = _SPECIAL.sub(lambda sign: sign[0] + "\\", text)
    return _FRAME.sub(r"\\", text) if "===" in text else text


def _texts(rubric: Rubric, item: Item, need: str) -> Iterator[tuple[str, str]]:
    """Yield the names and the escaped texts of a field."""
    value = item.fields.get(need)
    if need == "contexts":
        for number, text in enumerate(_list(rubric, item, need, value), start=1):
            yield f"context {number}", escaped(text)
    elif need in NUMBERED:
        entries = _list(rubric, item, need, value)
        if not entries:
            raise _missing(rubric, item, need)
        lines = (" ".join(escaped(entry).split("\n")) for entry in entries)
        yield need, "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
    elif isinstance(value, str):
        yield need, escaped(value)
    else:
        raise _missing(rubric, item, need)


def _list(rubric: Rubric, item: Item, need: str, value: Any) -> list[str]:
    if not isinstance(value, list | tuple):
        raise _missing(rubric, item, need)
    entries = []
    for entry in value:
        if need == "relations" and isinstance(entry, Mapping):
            entry = _shown(rubric, item, entry)
        if not isinstance(entry, str):
            raise _missing(rubric, item, need)
        entries.append(entry)
    return entries


def _shown(rubric: Rubric, item: Item, relation: Mapping[str, Any]) -> str:
    try:
        return orjson.dumps(relation).decode()
    except TypeError:
        raise _missing(rubric, item, "relations") from None


def _missing(rubric: Rubric, item: Item, need: str) -> InputError:
    key = visible(item.key, 80)
    state = "has no" if item.fields.get(need) in (None, [], ()) else "has something else as its"
    return InputError(f"the item '{key}' {state} {need}, and the rubric {rubric.label} needs it; give the data with it")


def _mark(texts: Iterator[str] | tuple[str, ...]) -> str:
    digest = hashlib.blake2b(digest_size=_MARK)
    for text in texts:
        part = text.encode()
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


def _block(name: str, text: str, mark: str) -> str:
    return f"=== BEGIN {name} {mark} ===\n{text}\n=== END {name} {mark} ==="
