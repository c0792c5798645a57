"""The values of each answer as a table: a column per number, as gates name it, and those that answers are grouped by.

Answers come in chunks, of which many make a part of the table. The parts lie in a folder, or as Parquet in memory,
where questions take the most.
"""

import io
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchbench.answering.answers_details import EXPECTED
from benchbench.answers.metrics import Metric, Value
from benchbench.results.folder import explained, merge
from benchbench.scores.names import COLUMNS
from benchbench.scores.tables import plain
from benchbench.tables.questions import ALONE, Answer

if TYPE_CHECKING:
    import polars as pl

NAME = "per_answer"
_PART = 16_000  # answers: a few megabytes
_FILE = "{:06}.parquet"


class AnswerColumns(NamedTuple):
    """Some answers as columns of plain values, to be sent from one process to another."""

    numbers: array  # type: ignore[type-arg]
    texts: Mapping[str, list[str | None]]
    values: Mapping[str, array]  # type: ignore[type-arg]


def columns(
    metrics: Sequence[Metric],
    numbers: Sequence[int],
    scored: Sequence[tuple[Answer, Sequence[Value]]],
    cluster: str = "",
) -> AnswerColumns:
    """Return answers as columns.

    Parameters
    ----------
    metrics
        Of the values.
    numbers
        Of the answers' lines or questions, from 1.
    scored
        The answers with their values, which are in the order of the metrics.
    cluster
        The member of the questions that groups them; it names the column of the groups, unless there is one of that
        name. Empty: there is none.

    Returns
    -------
    AnswerColumns
        `question`; `failure`, why there is no answer; `source_type` and `category`, null where they are empty; the
        cluster, null of a question that stands alone. Of each number of a metric, NaN where there is no answer, and
        below `NAME_expected` where nothing was expected.
    """
    asked = [answer.asked for answer, _ in scored]
    texts: dict[str, list[str | None]] = {
        "question": [question.question for question in asked],
        "failure": [answer.failure for answer, _ in scored],
        **{name: [getattr(question, name) or None for question in asked] for name in COLUMNS},
    }
    if cluster:
        texts.setdefault(
            cluster, [None if question.cluster.startswith(ALONE) else question.cluster for question in asked]
        )
    values: dict[str, array[float]] = {}
    for place, metric in enumerate(metrics):
        own = [row[place] for _, row in scored]
        values[metric.name] = array("d", [value.score for value in own])
        for part in metric.parts:
            values[part] = array("d", [value.parts.get(part, math.nan) for value in own])
        if metric.is_accuracy:
            scores = [value.score if value.expected else math.nan for value in own]
            values[f"{metric.name}{EXPECTED}"] = array("d", scores)
    for row, (answer, _) in enumerate(scored):
        if answer.response is None:
            for column in values.values():
                column[row] = math.nan
    fixed = {"number", *texts}
    kept = {name: column for name, column in values.items() if name not in fixed}
    return AnswerColumns(array("q", numbers), texts, kept)


@dataclass
class PerAnswer:
    """The parts of the table, as answers come.

    Attributes
    ----------
    folder
        Where parts are written, until `write` makes one file of them; None: they stay in memory.
    """

    folder: Path | None = None
    _waiting: list[AnswerColumns] = field(default_factory=list, init=False)
    _rows: int = field(default=0, init=False)
    _parts: list[bytes] = field(default_factory=list, init=False)
    _written: int = field(default=0, init=False)

    def __bool__(self) -> bool:
        """Say whether any answer has come."""
        return bool(self._waiting or self._parts or self._written)

    def add(self, some: AnswerColumns) -> None:
        """Add answers; InputError where a part that is full cannot be written."""
        self._waiting.append(some)
        self._rows += len(some.numbers)
        if self._rows >= _PART:
            self._keep()

    def table(self, untested: Sequence[str] = ()) -> "pl.DataFrame":
        """Return the whole, in the order of the answers' numbers.

        Parameters
        ----------
        untested
            Columns that are null: what expected nothing of any answer has no mean, and so no values.
        """
        import polars as pl

        parts = [pl.read_parquet(io.BytesIO(part)) for part in self._parts]
        frame = pl.concat([*parts, *([_frame(self._waiting)] if self._waiting else [])]).sort("number")
        return frame.with_columns(_nulls(name for name in untested if name in frame.columns))

    def write(self, untested: Sequence[str] = ()) -> None:
        """Make `FOLDER.parquet` of the parts in the folder, with one in memory at a time; else as `table`."""
        import polars as pl

        assert self.folder is not None
        self._keep()
        there = pl.read_parquet_schema(self.folder / _FILE.format(0))
        merge(self.folder, _nulls(name for name in untested if name in there))

    def _keep(self) -> None:
        """Make a part of what has come."""
        if not self._waiting:
            return
        whole = io.BytesIO()
        _frame(self._waiting).write_parquet(whole)
        self._waiting, self._rows = [], 0
        if self.folder is None:
            self._parts.append(whole.getvalue())
            return
        with explained(self.folder.parent):
            self.folder.mkdir(exist_ok=True)
            (self.folder / _FILE.format(self._written)).write_bytes(whole.getbuffer())
        self._written += 1


def _nulls(names: Iterable[str]) -> "list[pl.Expr]":
    import polars as pl

    return [pl.lit(None, pl.Float64).alias(name) for name in names]


def _frame(some: Sequence[AnswerColumns]) -> "pl.DataFrame":
    import polars as pl

    first = some[0]
    texts = {name: [text for chunk in some for text in chunk.texts[name]] for name in first.texts}
    values = {name: sum((chunk.values[name] for chunk in some), array("d")) for name in first.values}
    return pl.DataFrame(
        [
            pl.Series("number", sum((chunk.numbers for chunk in some), array("q"))),
            *(_texts(name, column) for name, column in texts.items()),
            *(pl.Series(name, column).fill_nan(None) for name, column in values.items()),
        ]
    )


def _texts(name: str, texts: list[str | None]) -> "pl.Series":
    import polars as pl

    try:
        return pl.Series(name, texts, pl.String)
    except UnicodeEncodeError:  # half a surrogate pair
        return pl.Series(name, [plain(text) for text in texts], pl.String)
