"""Four-choice questions on Japanese law, as the Digital Agency's lawqa_jp has them: `{"samples": [{…}]}`."""

from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.lines import json_file
from benchbench.tables.questions import Question

_TEXTS = ("ファイル名", "問題文", "選択肢", "output")
_CHOICES = frozenset("abcd")


def read_four_choice(path: Path) -> list[Question]:
    """Return the questions with their choices, the right letter as the truth, and the law as the category.

    Answers may name a question by its number, the name of its file, its text alone, or its text with the choices.

    Raises
    ------
    InputError
        Naming file, sample and reason.
    """
    value = json_file(path)
    samples = value.get("samples") if isinstance(value, dict) else None
    if not isinstance(samples, list) or not samples:
        raise InputError(f"{path} has no list `samples` in it; ground truth of another kind is JSON lines (.jsonl)")
    return [_question(sample, number, f"{path}, sample {number}") for number, sample in enumerate(samples, 1)]


def _question(sample: Any, number: int, where: str) -> Question:
    if not isinstance(sample, dict) or not all(isinstance(sample.get(name), str) for name in _TEXTS):
        raise InputError(f"{where}: not an object with the texts {', '.join(_TEXTS)}")
    law, _, _ = sample["ファイル名"].partition("_")
    right = sample["output"].strip().lower()
    if right not in _CHOICES:
        raise InputError(f"{where}: `output` is {sample['output']!r}, and not one of a, b, c, d")
    instruction = sample.get("指示", "")
    instruction = instruction.removeprefix("<following_context>") if isinstance(instruction, str) else ""
    parts = (instruction, sample["問題文"], sample["選択肢"])
    text = "\n".join(part.strip() for part in parts if part.strip())
    alone, choices = sample["問題文"].strip(), sample["選択肢"].strip()
    names = (str(number), sample["ファイル名"], alone, f"{alone}\n{choices}")
    return Question(text, right, "lawqa-jp", law, names=tuple(name for name in names if name != text))
