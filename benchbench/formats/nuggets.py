"""Nuggets, assignments and answers as the tools of the TREC RAG track write them: JSON lines.

Nuggets, one question per line: `qid`, `query`, `nuggets`, a list of objects with `text` and `importance`.
Assignments, one answer per line: the same, with an `assignment` in each nugget, and `run_id`, `answer_text`; of a
retrieved document instead `docid`, `candidate_text`, and the question as `text`. Without a `run_id` the run is called
as the file. Lines of ours also have `judge` and `rubric`.
Answers, one per line: `topic_id` (or `qid`), `run_id`, `topic`, and `answer`, a list of objects with `text`, or a text.
Since 2025 they have `narrative_id`, `run_id` and `narrative` in `metadata`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.errors import InputError, visible
from benchbench.formats.lines import json_lines
from benchbench.tables.nuggets import Nugget

Rows = Iterable[Mapping[str, Any]]
NuggetSource = Path | Rows

_IDS = ("qid", "topic_id", "query_id", "narrative_id")
_QUERIES = ("query", "topic", "narrative", "title")
_SHOWN = 60  # characters of an id in a message


class NuggetSet(NamedTuple):
    """What a good answer to a question has."""

    query: str
    nuggets: list[Nugget]


class Assigned(NamedTuple):
    """An answer, or a retrieved document, with the nuggets of its question and what became of each.

    Attributes
    ----------
    run
        What answered.
    query_id, document_id
        The latter is empty for an answer.
    query, answer
        Texts, empty where they are not known.
    nuggets
        In the order of the line.
    judge, rubric
        Who assigned them; empty where the line does not say.
    """

    run: str
    query_id: str
    document_id: str
    query: str
    answer: str
    nuggets: list[Nugget]
    judge: str = ""
    rubric: str = ""


class RunAnswer(NamedTuple):
    """An answer of a run to a question."""

    run: str
    query_id: str
    query: str
    answer: str


def read_nuggets(source: NuggetSource, name: str = "the nuggets") -> dict[str, NuggetSet]:
    """Return the nuggets of each question, by its id.

    Raises
    ------
    InputError
        Naming file, line and reason; a question that stands twice is one.
    """
    sets: dict[str, NuggetSet] = {}
    for where, row in _rows(source, name):
        query_id = _id(row, where)
        if query_id in sets:
            raise InputError(f"{where}: the question {_shown(query_id)} appears here again; remove one of the two")
        sets[query_id] = NuggetSet(_text(row, _QUERIES), _nuggets(row, where))
    if not sets:
        raise InputError(f"{_called(source, name)} has no question in it")
    return sets


def read_assigned(source: NuggetSource, name: str = "the assignments") -> Iterator[Assigned]:
    """Yield answers with their assignments, one line in memory at a time.

    Raises
    ------
    InputError
        Naming file, line and reason.
    """
    run = source.stem if isinstance(source, Path) else "run"
    for where, row in _rows(source, name):
        document = row.get("docid")
        yield Assigned(
            _run(row) or run,
            _id(row, where),
            "" if document is None else str(document),
            _text(row, _QUERIES if document is None else (*_QUERIES, "text")),
            _text(row, ("answer_text", "candidate_text")),
            _nuggets(row, where),
            _text(row, ("judge",)),
            _text(row, ("rubric",)),
        )


def read_run_answers(source: NuggetSource, name: str = "the answers") -> Iterator[RunAnswer]:
    """Yield the answers of a run, or of several, one line in memory at a time.

    Raises
    ------
    InputError
        Naming file, line and reason.
    """
    run = source.stem if isinstance(source, Path) else "run"
    for where, row in _rows(source, name):
        about = row.get("metadata")
        row = {**about, **row} if isinstance(about, Mapping) else row
        yield RunAnswer(_run(row) or run, _id(row, where), _text(row, _QUERIES), _answer(row, where))


def has_assignments(path: Path) -> bool:
    """Say whether the first line of a file that has nuggets has an assignment in one; InputError as `read_nuggets`."""
    for where, row in _rows(path, ""):
        nuggets = _nuggets(row, where) if "nuggets" in row else []
        if nuggets:
            return any(nugget.assignment is not None for nugget in nuggets)
    return False


def assigned_line(answer: Assigned) -> dict[str, Any]:
    """Return the line of an answer, as the track's tool writes it, and who assigned its nuggets."""
    return {
        "query": answer.query,
        "qid": answer.query_id,
        "answer_text": answer.answer,
        "response_length": len(answer.answer.split()),
        "run_id": answer.run,
        "nuggets": [
            {"text": nugget.text, "importance": nugget.importance or "vital", "assignment": nugget.assignment}
            for nugget in answer.nuggets
        ],
        "judge": answer.judge,
        "rubric": answer.rubric,
    }


def _rows(source: NuggetSource, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    lines: Iterable[tuple[int, Any]] = json_lines(source) if isinstance(source, Path) else enumerate(source, 1)
    called = _called(source, name)
    for number, row in lines:
        where = f"{called}, line {number}"
        if not isinstance(row, Mapping):
            raise InputError(f"{where}: an object with qid and nuggets belongs here, and not {_kind(row)}")
        yield where, row


def _called(source: NuggetSource, name: str) -> str:
    return str(source) if isinstance(source, Path) else name


def _id(row: Mapping[str, Any], where: str) -> str:
    for name in _IDS:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    raise InputError(f"{where}: it has no qid, the id of its question")


def _run(row: Mapping[str, Any]) -> str:
    value = row.get("run_id")
    return "" if value is None else str(value).strip()


def _text(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := row.get(name), str)), "")


def _answer(row: Mapping[str, Any], where: str) -> str:
    """Return the text of an answer; the sentences of a list are joined by spaces, as the track's tool does."""
    if "answer" not in row and "answer_text" not in row:
        raise InputError(
            f"{where}: it has no answer; a line has `answer`, a text or a list of objects with a text each"
        )
    value = row.get("answer", row.get("answer_text"))
    if value is None or isinstance(value, str):
        return value or ""
    given = value if isinstance(value, list) else [value]
    texts = [sentence.get("text") if isinstance(sentence, Mapping) else sentence for sentence in given]
    sentences = [sentence for sentence in texts if isinstance(sentence, str)]
    if len(sentences) < len(texts):
        raise InputError(f"{where}: answer is a text, or a list of objects with a text each")
    return " ".join(sentences)


def _nuggets(row: Mapping[str, Any], where: str) -> list[Nugget]:
    value = row.get("nuggets")
    if not isinstance(value, list):
        raise InputError(f"{where}: nuggets is a list of objects with text and importance, and not {_kind(value)}")
    return [_nugget(nugget, f"{where}, nugget {number}") for number, nugget in enumerate(value, 1)]


def _nugget(value: Any, where: str) -> Nugget:
    text = value.get("text") if isinstance(value, Mapping) else None
    if not isinstance(text, str):
        raise InputError(f'{where}: a nugget is an object with a text, such as {{"text": "…"}}')
    return Nugget(text, *(_word(value.get(name), f"{where}: {name}") for name in ("importance", "assignment")))


def _word(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(f"{what} is a word such as vital or support, and not {_kind(value)}")
    return value.strip().lower()


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"of type {type(value).__name__}"


def _shown(query_id: str) -> str:
    return visible(query_id, _SHOWN)
