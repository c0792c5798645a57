"""Questions with their truths, and what was answered to them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from benchbench.errors import visible
from benchbench.tables.fields import called

ALONE = "\0"  # before the name of a cluster that is one question


def cluster(value: str | float | None, question: str) -> str:
    """Return the name of the cluster that a value stands for; a question without one has a cluster of its own."""
    return f"{ALONE}{question}" if value is None or value == "" else called(value)


class Question(Struct, frozen=True):
    """A row of a ground truth.

    Attributes
    ----------
    question
        What is asked.
    truth
        What would be right.
    source_type, category
        By which results are also shown; empty by default.
    cluster
        Which questions belong together, such as those of one document; empty where that was not asked for.
    names
        What answers may call it besides its text, such as its id.
    """

    question: str
    truth: str
    source_type: str = ""
    category: str = ""
    cluster: str = ""
    names: tuple[str, ...] = ()


def by_name(questions: Iterable[Question]) -> dict[str, Question]:
    """Return questions by their texts, and by those other names that only one of them has."""
    given = list(questions)
    by_text = {row.question: row for row in given}
    times = Counter(name for row in given for name in set(row.names))
    return {name: row for row in given for name in row.names if times[name] == 1} | by_text


def unknown(names: Sequence[str], row: Iterable[str], questions: Iterable[Question]) -> str:
    """Return why an answer finds no question by the names that it gives, and how one is named.

    Parameters
    ----------
    names
        What the answer calls its question, the text before the id; there may be none.
    row
        The members of the answer.
    questions
        Those that there are.
    """
    if not names:
        return f"no `question` and no `id` says what was asked; its members are {visible(', '.join(row), 200)}"
    name, given = names[0].strip(), list(questions)
    same = list({one.question: one for one in given if name in one.names}.values())
    if same:
        why = f"{len(same):,} questions are called '{visible(name, 80)}'; name one by something that only it is called"
        return f"{why}: {_names(same[0], {name})}"
    return f"there is no question '{visible(name, 80)}'; the first is called {_names(given[0])}"


def _names(row: Question, without: Collection[str] = ()) -> str:
    """Return the names of a question, each of them cut short."""
    names = (visible(" ".join(name.split()), 40) for name in (*row.names, row.question) if name not in without)
    return ", ".join(f"'{name}'" for name in dict.fromkeys(names))


class Answer(Struct, frozen=True):
    """What an assistant said to a question.

    Attributes
    ----------
    asked
        The question.
    response
        What it said; None where there is no answer.
    context
        The retrieved documents as the assistant names and shows them, in its order.
    latency
        Seconds; None where they are not known.
    failure
        Why there is no answer.
    model
        Which model answered; empty where it is not known.
    """

    asked: Question
    response: str | None
    context: tuple[str, ...] = ()
    latency: float | None = None
    failure: str | None = None
    model: str = ""

    @property
    def truth(self) -> str:
        """Return what would have been right."""
        return self.asked.truth
