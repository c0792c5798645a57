"""The questions of an evaluation in three pillars: JSON lines, or lawqa_jp's file as it is.

A row has `question`, and what there is of `id`, `answer`, `error`, `truth`, `contexts` (texts or `{id, text}`, in rank
order; `context` is another name), `relevant` (ids, or grades by id), `relationships` (`{from, to, type}`), `choices`,
`source_type`, `category`, `latency`, `model` (which answered). A member that is missing or null is not known; an empty
list is known to be empty.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from benchbench.errors import InputError
from benchbench.formats.ground_truth import Replied, context_texts, grouped_by, refuse_ground_truth
from benchbench.formats.lawqa import read_four_choice
from benchbench.formats.lawqa_documents import lawqa_documents
from benchbench.formats.lines import json_lines
from benchbench.results.declared import Filled, Number, Texts, not_blank, taken
from benchbench.tables.fields import ID, NAME, first, identity
from benchbench.tables.questions import Question, cluster, unknown

_NAME = 120  # characters of a document's name before a colon
_ABSENT = "there is no answer"


@dataclass(frozen=True, slots=True)
class Context:
    """A retrieved document; its id and its name, which is its title, are empty where it has none."""

    id: str
    text: str
    name: str = ""


_Contexts = Annotated[str | list[Any], Meta(description="a list of texts, or of objects with an id and a text")]
_Id = Annotated[str, Meta(min_length=1)] | int
_Relation = TypedDict("_Relation", {"from": str, "to": str, "type": str})


class _Answered(Replied):
    """A line with an answer; null is what is not known."""

    contexts: _Contexts | None = None
    context: _Contexts | None = None
    model: str | None = None

    def documents(self, where: str) -> tuple[Context, ...] | None:
        """Return the contexts; InputError for one that has no text."""
        given = self.context if self.contexts is None else self.contexts
        if given is None or isinstance(given, str):
            return None if given is None else (Context("", given),)
        documents = contexts_of(given)
        if not all(document.text for document in documents):
            raise InputError(f"{where}: an entry of `contexts` has no text")
        return documents


class _Line(_Answered, kw_only=True):
    question: Filled
    truth: str | None = None
    relevant: Annotated[
        list[_Id] | dict[str | int, Number] | None, Meta(description="a list of ids, or an object of grades by id")
    ] = None
    relationships: Annotated[
        list[_Relation] | None, Meta(description="a list of objects with the texts from, to, type")
    ] = None
    choices: Texts | None = None
    source_type: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A question with what is known of it; None is what is not known.

    Attributes
    ----------
    id
        Its id, or the number of its line.
    question
        As it is asked.
    sought
        What is searched for: the question without what is only said to whoever answers.
    answer, failure
        What was answered, or why there is no answer; both are None where nothing was asked.
    truth
        What would be right; of four choices the letter.
    contexts
        Retrieved documents, in rank order.
    relevant
        Grades of documents by their ids.
    relationships
        Relations between laws that an answer should state.
    choices
        What can be chosen.
    source_type, category, cluster
        By which results are also shown, and which questions belong together.
    latency
        Seconds that the answer took.
    model
        Which model answered; empty where it is not known.
    is_given
        Whether the contexts are the relevant documents that the data give, and were not retrieved.
    names
        What answers may call the question besides its id and its text.
    is_named
        Whether `relevant` has the names of documents, in lower case, and not their ids.
    """

    id: str
    question: str
    _: KW_ONLY
    sought: str = ""
    answer: str | None = None
    failure: str | None = None
    truth: str = ""
    contexts: tuple[Context, ...] | None = None
    relevant: Mapping[str, float] | None = None
    relationships: tuple[Mapping[str, object], ...] = ()
    choices: tuple[str, ...] = ()
    source_type: str = ""
    category: str = ""
    cluster: str = ""
    latency: float | None = None
    model: str = ""
    is_given: bool = False
    is_named: bool = False
    names: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """Return the truth in words: of four choices, the letter with its text."""
        letter = self.truth.strip().lower()
        return next((one for one in self.choices if one[:1].lower() == letter), self.truth)

    def key(self, context: Context) -> str:
        """Return what `relevant` calls a document."""
        return plain_name(context.name or context.id) if self.is_named else context.id

    def retrieved(self, contexts: tuple[Context, ...] | None) -> "Row":
        """Return the row with what was retrieved for it."""
        return replace(self, contexts=contexts, is_given=False)


def plain_name(name: str) -> str:
    """Return the name of a document as names are compared: without regard to case and runs of blanks."""
    return " ".join(name.casefold().split())


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """The questions of a file; `documents` are those that the file itself has, by id, where it has any."""

    name: str
    rows: list[Row]
    documents: Mapping[str, str] = field(default_factory=dict)


def read_rows(path: Path, column: str = "") -> EvaluationRows:
    """Return the questions of a file, in order; of a `.json` file, its four-choice questions.

    Parameters
    ----------
    path
        JSON lines, or lawqa_jp's `.json`.
    column
        Member that says which questions belong together; empty for none.

    Raises
    ------
    InputError
        Naming file, line and reason; an id or a question that stands twice is one.
    """
    if path.suffix.lower() != ".json":
        return rows_of(json_lines(path), str(path), column)
    if column not in ("", "category"):
        raise InputError(f"questions of {path} can be grouped only by category, which is the field of law")
    found = lawqa_documents(path)
    rows = []
    for number, (one, ids) in enumerate(zip(read_four_choice(path), found.of_sample, strict=True), 1):
        sought = one.question.partition("\n")[2] if found.has_instruction[number - 1] else one.question
        rows.append(
            Row(
                str(number),
                one.question,
                sought=sought,
                truth=one.truth,
                contexts=tuple(Context(key, found.documents[key]) for key in ids),
                relevant=dict.fromkeys(ids, 1.0),
                choices=found.choices[number - 1],
                source_type=one.source_type,
                category=one.category,
                cluster=cluster(one.category, one.question) if column else "",
                is_given=True,
                names=one.names,
            )
        )
    return EvaluationRows(str(path), rows, found.documents)


def rows_of(numbered: Iterable[tuple[int, Any]], name: str, column: str = "") -> EvaluationRows:
    """Return the questions of rows with the numbers of their lines; errors are those of `read_rows`."""
    rows: list[Row] = []
    ids: dict[str, int] = {}
    asked: dict[str, int] = {}
    for number, value in numbered:
        where = f"{name}, line {number}"
        one = value if isinstance(value, Row) else _row(value, number, where, column)
        for known, key, what in ((ids, one.id, "id"), (asked, one.question, "question")):
            if key in known:
                raise InputError(f"{where}: the {what} of line {known[key]} again; remove one of the two")
            known[key] = number
        rows.append(one)
    if not rows:
        raise InputError(f"{name} has no question in it")
    if column and not any(one.cluster and not one.cluster.startswith("\0") for one in rows):
        raise InputError(f"no question of {name} has a member {column} to group by")
    return EvaluationRows(name, rows)


def answered(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """Yield rows with the answers of a file: JSON lines with `answer` and the `id` or the `question` that it is to.

    Contexts and the like that stand beside an answer go for those of the row. A question that the file does not answer
    has a failure.

    Raises
    ------
    InputError
        Naming file, line and reason; an answer to nothing, or a second one, is one.
    """
    refuse_ground_truth(path)
    rows = list(rows)
    by_id = {one.id: one for one in rows}
    times = Counter(name for one in rows for name in set(one.names))
    others = {name: one for one in rows for name in one.names if times[name] == 1}
    by_question = others | {one.question: one for one in rows}
    found: dict[str, Row] = {}
    for number, value in json_lines(path):
        where = f"{path}, line {number}"
        line = taken(value, _Answered, where)
        key = identity(first(value, ID))
        question = value.get("question")
        asked = question if isinstance(question, str) else ""
        of = by_question.get(asked) or by_question.get(asked.strip()) or by_id.get(key or "") or others.get(key or "")
        if of is None:
            given = [one for one in (asked, key) if one and one.strip()]
            known = (Question(one.question, "", names=(one.id, *one.names)) for one in rows)
            raise InputError(f"{where}: {unknown(given, value, known)}")
        if of.id in found:
            raise InputError(f"{where}: a second answer to the question {of.id}; remove one of the two")
        response, failure = line.response(_ABSENT)
        contexts = line.documents(where)
        found[of.id] = replace(
            of,
            answer=response,
            failure=failure,
            contexts=of.contexts if contexts is None else contexts,
            latency=line.seconds,
            model=line.model or "",
            is_given=of.is_given and contexts is None,
        )
    if not found:
        raise InputError(f"{path} has no answer in it")
    for one in rows:
        yield found.get(one.id) or replace(one, failure=f"{path.name} has no answer to it")


def _row(value: Any, number: int, where: str, column: str) -> Row:
    line = taken(value, _Line, where, "a row has `question`, and what is known of it")
    choices = line.choices or ()
    question = not_blank(line.question, "question", where)
    asked = question if not choices or choices[0] in question else "\n".join((question, *choices))
    response, failure = line.response(_ABSENT)
    is_asked = "answer" in value or line.error is not None
    relevant = line.relevant
    if isinstance(relevant, list):
        relevant = dict.fromkeys(relevant, 1.0)
    return Row(
        identity(first(dict(value), ID)) or str(number),
        asked,
        sought=asked,
        answer=response,
        failure=failure if is_asked else None,
        truth=line.truth or "",
        contexts=line.documents(where),
        relevant=None if relevant is None else {str(key): grade for key, grade in relevant.items()},
        relationships=tuple(line.relationships or ()),
        choices=choices,
        source_type=line.source_type or "",
        category=line.category or "",
        cluster=cluster(grouped_by(value, column, where), question) if column else "",
        latency=line.seconds,
        model=line.model or "",
    )


def contexts_of(value: Any) -> tuple[Context, ...]:
    """Return the documents that an assistant says it was given, in its order; one that shows no text has none.

    An object may have an id, and a text may begin with the name of its document and a colon, as in `Part 36: …`.
    """
    if not isinstance(value, list):
        return tuple(Context("", text) for text in context_texts(value))
    return tuple(
        Context(_named(one), " ".join(context_texts(one)) if isinstance(one, dict | str) else "", _title(one))
        for one in value
    )


def _named(value: Any) -> str:
    if isinstance(value, dict):
        return identity(first(value, ID)) or ""
    name, colon, _ = value.partition(": ") if isinstance(value, str) else ("", "", "")
    return name if colon and len(name) <= _NAME and "\n" not in name else ""


def _title(value: Any) -> str:
    found = first(value, NAME) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""
