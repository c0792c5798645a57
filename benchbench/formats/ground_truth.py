"""Ground truths and stored answers: JSON lines, one question each.

Ground truth: `question`, `truth` (which may be empty where no metric needs one), and where there are any `source_type`
and `category`.
Stored answers: `question`, `answer` (null, blank or absent: there is none), and where there are any `truth`, `context`
(a text, or a list of them), `latency` (seconds), `error`, `model` (which answered), `source_type`, `category`. What
`answers run` writes is that.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.errors import InputError
from benchbench.formats.lawqa import read_four_choice
from benchbench.formats.lines import Chunk, json_lines
from benchbench.tables.fields import ID, first, identity
from benchbench.tables.questions import ALONE, Answer, Question, cluster, missing, unknown

_NO_ANSWER, _EMPTY = "the stored answer is null", "the answer is empty"
_TRUTH = "a ground truth has `question` and `truth`"
_ANSWER = (
    "an answer has `question`, `answer` and `truth`; where truths are in a file of their own, name it: --ground-truth"
)
_DEEPEST = 20  # levels of lists and objects in a context; what lies deeper is no text


class Reading(NamedTuple):
    """What is read of a question."""

    needs_truth: bool = True  # whether one that is missing or empty is an error
    cluster: str = ""  # member that says which questions belong together, as those of one document


AS_GIVEN = Reading()


def read_ground_truth(path: Path, reading: Reading = AS_GIVEN) -> list[Question]:
    """Return the questions of a ground truth, in order; of a `.json` file, its four-choice questions.

    Parameters
    ----------
    path
        JSON lines, or a `.json` file.
    reading
        What is read of a row.

    Raises
    ------
    InputError
        Naming file, line and reason; a question that stands twice is one.
    """
    if path.suffix.lower() == ".json":
        questions = read_four_choice(path)
        if reading.cluster not in ("", "category"):
            raise InputError(f"questions of {path} are grouped by category, which is the law, and by nothing else")
        if not reading.cluster:
            return questions
        return [replace(one, cluster=cluster(one.category, one.question)) for one in questions]
    return _questions(json_lines(path), str(path), reading)


def refuse_ground_truth(path: Path) -> None:
    """Raise InputError where a file named as answers has four-choice questions, which nobody has answered."""
    if path.suffix.lower() != ".json":
        return
    try:
        many = len(read_four_choice(path))
    except InputError:
        return
    raise InputError(
        f"{path} is ground truth: {many:,} questions, and no answers; name the file of answers, and this one with "
        "--ground-truth"
    )


def ground_truth(
    given: Path | str | Iterable[Mapping[str, Any] | Question], reading: Reading = AS_GIVEN
) -> list[Question]:
    """Return the questions of a ground truth, a file or rows; errors are those of `read_ground_truth`."""
    if isinstance(given, Path | str):
        return read_ground_truth(Path(given), reading)
    return _questions(enumerate(given, 1), "the ground truth", reading)


def _questions(rows: Iterable[tuple[int, Any]], name: str, reading: Reading) -> list[Question]:
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for number, row in rows:
        one = row if isinstance(row, Question) else _question(row, f"{name}, line {number}", reading)
        if one.question in lines:
            raise InputError(
                f"{name}, line {number}: the question of line {lines[one.question]} again; remove one of the two"
            )
        lines[one.question] = number
        questions.append(
            replace(one, cluster=cluster("", one.question)) if reading.cluster and not one.cluster else one
        )
    if not questions:
        raise InputError(f"{name} has no question in it")
    if reading.cluster and all(one.cluster.startswith(ALONE) for one in questions):
        raise InputError(f"no question of {name} has a member {reading.cluster} to group by")
    return questions


def read_answers(
    path: Path, ground_truth: Mapping[str, Question] | None = None, reading: Reading = AS_GIVEN
) -> Iterator[Answer]:
    """Yield stored answers one by one, so that a file may be larger than memory.

    Parameters
    ----------
    path
        JSON lines.
    ground_truth
        Questions by their text; None: every line has its own truth.
    reading
        What is read of a line.

    Raises
    ------
    InputError
        Naming file, line and reason.
    """
    none = True
    for number, row in json_lines(path):
        none = False
        yield _answer(row, f"{path}, line {number}", ground_truth, reading)
    if none:
        raise InputError(f"{path} has no answer in it")


def answers_of(
    chunk: Chunk, ground_truth: Mapping[str, Question] | None = None, reading: Reading = AS_GIVEN
) -> Iterator[tuple[int, Answer]]:
    """Yield number and stored answer of some lines; parameters and errors are those of `read_answers`."""
    for number, row in chunk.values():
        yield number, _answer(row, f"{chunk.path}, line {number}", ground_truth, reading)


def _answer(row: Any, where: str, ground_truth: Mapping[str, Question] | None, reading: Reading) -> Answer:
    if not isinstance(row, dict):
        raise InputError(f"{where}: not a JSON object")
    asked = _question(row, where, reading, _ANSWER) if ground_truth is None else _asked(row, ground_truth, where)
    response = row.get("answer")
    if response is not None and not isinstance(response, str):
        raise InputError(f"{where}: `answer` is not a text")
    error, failure = row.get("error"), None
    if response is None or not response.strip():
        failure = str(error) if error else _NO_ANSWER if response is None else _EMPTY
        response = None
    model = row.get("model")
    return Answer(
        asked,
        response,
        context_texts(row.get("context")),
        _seconds(row.get("latency"), where),
        failure,
        model if isinstance(model, str) else "",
    )


def _asked(row: dict[str, Any], ground_truth: Mapping[str, Question], where: str) -> Question:
    """Return the question that an answer is to: by its `question`, else by its id."""
    given = (row.get("question"), identity(first(row, ID)))
    names = [one for one in given if isinstance(one, str) and one.strip()]
    for name in (*names, *map(str.strip, names)):
        if name in ground_truth:
            return ground_truth[name]
    raise InputError(f"{where}: {unknown(names, row, ground_truth.values())}")


def context_texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a context: a text, a list of texts or of objects with a text in them; else none.

    An entry of a list that has no text is an empty one, so that `[2]` in an answer is the second entry. Numbers are
    their text.
    """
    if isinstance(value, list):
        return tuple(text for one in value for text in _texts(one, 1) or ("",))
    return _texts(value, 0)


def _texts(value: Any, depth: int) -> tuple[str, ...]:
    if isinstance(value, dict) and depth < _DEEPEST:
        return _texts(value.get("text") or value.get("content"), depth + 1)
    if isinstance(value, list) and depth < _DEEPEST:
        return tuple(text for one in value for text in _texts(one, depth + 1))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (str(value),)
    return (value,) if isinstance(value, str) and value else ()


def _question(row: Any, where: str, reading: Reading, expected: str = _TRUTH) -> Question:
    if not isinstance(row, dict):
        raise InputError(f"{where}: not a JSON object")
    for name in ("source_type", "category"):
        if not isinstance(row.get(name, ""), str | None):
            raise InputError(f"{where}: `{name}` is not a text")
    return Question(
        _text(row, "question", where, expected),
        "" if not reading.needs_truth and _is_blank(row.get("truth")) else _text(row, "truth", where, expected),
        row.get("source_type") or "",
        row.get("category") or "",
        _cluster(row, reading.cluster, where) if reading.cluster else "",
        () if (own := identity(first(row, ID))) is None else (own,),
    )


def _cluster(row: dict[str, Any], member: str, where: str) -> str:
    value = row.get(member)
    if not isinstance(value, str | int | float | None):
        raise InputError(f"{where}: `{member}` is neither a text nor a number, so no questions can be grouped by it")
    return cluster(value, row["question"])


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _text(row: dict[str, Any], name: str, where: str, expected: str) -> str:
    value = row.get(name)
    if name not in row:
        raise InputError(f"{where}: {missing(name, row, expected)}")
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: `{name}` is not a text with something in it")
    return value


def _seconds(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{where}: `latency` is not a number of seconds")
    return None if value < 0 else float(value)  # other tools write -1 where there was no answer
