"""The documents of lawqa_jp: the articles and sections that stand as contexts in its file, each once.

A context has headings: `## 金融商品取引法`, `### 第5条`, `#### 第6項`. A document is an article with all its paragraphs
that any context shows. A section that is no article, as of a guideline, is a document of its own for each of its texts.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.errors import InputError
from benchbench.formats.lines import json_file

_LAW, _ARTICLE = re.compile(r"^(?=## )", re.MULTILINE), re.compile(r"^(?=### )", re.MULTILINE)
_PARAGRAPH = re.compile(r"^(?=#### )", re.MULTILINE)
_NUMBERED = re.compile(r"第[0-9]+条(?:の[0-9]+)*")
_CHOICE = re.compile(r"^\s*(?=[a-d][\s.、:）)])", re.MULTILINE)


class LawqaDocuments(NamedTuple):
    """The documents of a file, and what belongs to each of its samples."""

    documents: Mapping[str, str]  # by id
    of_sample: list[list[str]]  # ids
    choices: list[tuple[str, ...]]
    has_instruction: list[bool]  # whether the question begins with a line that says how to answer


class _Section(NamedTuple):
    law: str
    heading: str  # without spaces and in digits of one width; empty where the law has no sections
    text: str  # below the heading


def lawqa_documents(path: Path) -> LawqaDocuments:
    """Return the documents of a file whose samples `read_four_choice` has accepted; InputError naming the sample."""
    samples = json_file(path)["samples"]
    paragraphs: dict[str, dict[str, None]] = {}
    titles: dict[str, str] = {}
    names: dict[tuple[str, str, str], str] = {}
    of_sample = []
    for number, sample in enumerate(samples, 1):
        ids = [_add(section, paragraphs, titles, names) for section in _sections(sample, f"{path}, sample {number}")]
        of_sample.append(list(dict.fromkeys(ids)))
    documents = {key: "\n".join((titles[key], *sorted(parts, key=_number))) for key, parts in paragraphs.items()}
    choices = [
        tuple(choice.strip() for choice in _CHOICE.split(sample["選択肢"]) if choice.strip()) for sample in samples
    ]
    return LawqaDocuments(documents, of_sample, choices, [_instructs(sample) for sample in samples])


def _number(paragraph: str) -> int:
    """Return the number of a paragraph: contexts show them in any order."""
    heading = unicodedata.normalize("NFKC", paragraph.partition("\n")[0])
    number = re.match(r"#### 第([0-9]+)項", heading)
    return int(number[1]) if number else 0


def _instructs(sample: Mapping[str, Any]) -> bool:
    instruction = sample.get("指示")
    return isinstance(instruction, str) and bool(instruction.removeprefix("<following_context>").strip())


def _add(
    section: _Section,
    paragraphs: dict[str, dict[str, None]],
    titles: dict[str, str],
    names: dict[tuple[str, str, str], str],
) -> str:
    """Add a section to the documents, and return the id of the one that it belongs to."""
    whole = _NUMBERED.fullmatch(section.heading) is not None
    known = (section.law, section.heading, "" if whole else section.text)
    if known not in names:
        plain = f"{section.law} {section.heading}".rstrip()
        same = sum(key[:2] == known[:2] for key in names)
        names[known] = plain if not same else f"{plain} ({same + 1})"
        titles[names[known]] = f"## {section.law}\n### {section.heading}" if section.heading else f"## {section.law}"
    key = names[known]
    parts = [part.strip() for part in _PARAGRAPH.split(section.text)]
    paragraphs.setdefault(key, {}).update(dict.fromkeys(part for part in parts if part))
    return key


def _sections(sample: Mapping[str, Any], where: str) -> Iterator[_Section]:
    context = sample.get("コンテキスト")
    if not isinstance(context, str):
        raise InputError(f"{where}: it has no text コンテキスト")
    for law in _LAW.split(context):
        head, _, rest = law.partition("\n")
        if not head.startswith("## "):
            continue
        name = unicodedata.normalize("NFKC", head.removeprefix("## ")).strip()
        for article in _ARTICLE.split(rest):
            heading, _, text = article.partition("\n") if article.startswith("### ") else ("", "", article)
            if article.strip():
                heading = unicodedata.normalize("NFKC", heading.removeprefix("### "))
                yield _Section(name, heading.strip(), text.strip())
