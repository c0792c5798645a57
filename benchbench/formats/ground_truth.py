"""Ground truths and stored answers: JSON lines, one question each.

Ground truth: `question`, `truth` (which may be empty where no metric needs one), and where there are any `source_type`
and `category`.
Stored answers: `question`, `answer` (null, blank or absent: there is none), and where there are any `truth`, `context`
(a text, or a list of them), `latency` (seconds), `error`, `model` (which answered), `source_type`, `category`. What
`answers run` writes is that.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from benchbench.errors import InputError
from benchbench.formats.lawqa import read_four_choice
from benchbench.formats.lines import Chunk, json_lines
from benchbench.results.declared import Filled, Seconds, not_blank, taken
from benchbench.tables.fields import ID, first, identity
from benchbench.tables.questions import ALONE, Answer, Question, cluster, unknown

_TRUTH = "a ground truth has `question` and `truth`"
_ANSWER = (
    "an answer has `question`, `answer` and `truth`; where the truths are in a separate "
    "file, name it with --ground-truth"
)
_DEEPEST = 20  # levels of lists and objects in a context; what lies deeper is no text


class Reading(NamedTuple):
    """What is read of a question."""

    needs_truth: bool = True  # whether one that is missing or empty is an error
    cluster: str = ""  # member that says which questions belong together, as those of one document


AS_GIVEN = Reading()


class _Asked(Struct):
    question: Filled
    truth: str | None = None
    source_type: str | None = None
    category: str | None = None


class _WithTruth(_Asked, kw_only=True):
    truth: Filled


class Replied(Struct):
    """What a line says of an answer."""

    answer: str | None = None
    error: Any = None
    latency: Seconds | None = None

    @property
    def seconds(self) -> float | None:
        """Return the latency: other tools write -1 where there was no answer."""
        return None if self.latency is None or self.latency < 0 else self.latency

    def response(self, absent: str) -> tuple[str | None, str | None]:
        """Return the answer, or why there is none, which is `absent` where the line says nothing of it."""
        if self.answer and not self.answer.isspace():
            return self.answer, None
        return None, str(self.error or (absent if self.answer is None else "the answer is empty"))


class _Stored(Replied):
    context: Any = None
    model: Any = None


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
            raise InputError(f"questions of {path} can be grouped only by category, which is the field of law")
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


def answers_of(
    chunk: Chunk, ground_truth: Mapping[str, Question] | None = None, reading: Reading = AS_GIVEN
) -> Iterator[tuple[int, Answer]]:
    """Yield number and stored answer of some lines.

    Parameters
    ----------
    chunk
        The lines.
    ground_truth
        Questions by their text; None: every line has its own truth.
    reading
        What is read of a line.

    Raises
    ------
    InputError
        Naming file, line and reason.
    """
    for number, row in chunk.values():
        yield number, _answer(row, f"{chunk.path}, line {number}", ground_truth, reading)


def _answer(row: Any, where: str, ground_truth: Mapping[str, Question] | None, reading: Reading) -> Answer:
    stored = taken(row, _Stored, where)
    response, failure = stored.response("the stored answer is null")
    asked = _question(row, where, reading, _ANSWER) if ground_truth is None else _asked(row, ground_truth, where)
    return Answer(
        asked,
        response,
        context_texts(stored.context),
        stored.seconds,
        failure,
        stored.model if isinstance(stored.model, str) else "",
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
    asked = taken(row, _WithTruth if reading.needs_truth else _Asked, where, expected)
    own, truth = identity(first(row, ID)), asked.truth or ""
    return Question(
        not_blank(asked.question, "question", where),
        not_blank(truth, "truth", where) if reading.needs_truth else "" if truth.isspace() else truth,
        asked.source_type or "",
        asked.category or "",
        cluster(grouped_by(row, reading.cluster, where), asked.question) if reading.cluster else "",
        () if own is None else (own,),
    )


def grouped_by(row: Mapping[str, Any], member: str, where: str) -> str | float | None:
    """Return the value by which a row is grouped; InputError where it is neither a text nor a number."""
    value = row.get(member)
    if not isinstance(value, str | int | float | None):
        raise InputError(f"{where}: `{member}` is neither a text nor a number, so no questions can be grouped by it")
    return value
