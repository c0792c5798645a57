"""The tables of an evaluation in three pillars: a row per question, and a row per verdict."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from benchbench.answers.faults import overlaid
from benchbench.answers.metrics import Mark
from benchbench.evaluation.evaluation_details import OVERALL
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.scores import per_question, worst_first
from benchbench.formats.evaluation_config import PILLARS
from benchbench.formats.evaluation_rows import Row
from benchbench.judging.lowest_scores import faults

if TYPE_CHECKING:
    import polars as pl

_PLAIN = ("id", "question", "answer", "failure", "source_type", "category", "cluster")  # members of a row as they are


def questions_table(cells: Cells) -> "pl.DataFrame":
    """Return a row per question, the worst first: what was asked, answered and found, every score, and marks."""
    import polars as pl

    each, rows = per_question(cells), cells.rows
    order = worst_first(each.of_some, [row.answer is not None for row in rows])
    text, real = pl.String, pl.Float64
    marks = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "found": text, "said": text}))
    made: dict[str, tuple[Any, Callable[[int], Any]]] = {
        "number": (pl.Int64, lambda number: number + 1),
        **{name: (text, partial(_member, rows, name)) for name in _PLAIN},
        "truth": (text, lambda number: rows[number].reference),
        "contexts": (
            pl.List(pl.Struct({"id": text, "text": text, "grade": real})),
            lambda number: _contexts(rows[number]),
        ),
        "relevant": (pl.List(text), lambda number: _relevant(rows[number])),
        "answer_marks": (marks, lambda number: _marks(cells.marks[number], rows[number].answer or "", missed=False)),
        "truth_marks": (marks, lambda number: _truth_marks(cells.marks[number], rows[number])),
        OVERALL: (real, each.overall.__getitem__),
        **{name: (real, each.pillars[name].__getitem__) for name in PILLARS},
        **{score.name: (real, cells.values[place].__getitem__) for place, score in enumerate(cells.plan.scores)},
        "faults": (
            pl.List(pl.Struct(dict.fromkeys(("score", "found", "text", "said"), text))),
            lambda number: [
                {"score": name, "found": one.found, "text": one.text, "said": one.said}
                for name, one in cells.faults[number]
            ],
        ),
        "attacks": (
            pl.List(pl.Struct(dict.fromkeys(("field", "kind", "excerpt"), text))),
            lambda number: [
                {"field": attack.field, "kind": attack.kind, "excerpt": attack.excerpt}
                for attack in cells.attacks.get(number, [])
            ],
        ),
        "failures": (pl.List(pl.Struct({"score": text, "reason": text})), lambda number: _failures(cells, number)),
    }
    columns = [_column(name, list(map(value, order)), kind) for name, (kind, value) in made.items()]
    return pl.DataFrame(columns).with_columns(pl.col(real).fill_nan(None))


def _column(name: str, values: list[Any], kind: Any) -> "pl.Series":
    """Return a column; lists of objects go through JSON, which takes a tenth of the time."""
    import polars as pl

    if not isinstance(kind, pl.List) or not isinstance(kind.inner, pl.Struct):
        return pl.Series(name, values, kind)
    written = [None if value is None else orjson.dumps(value).decode() for value in values]
    return pl.Series(name, written, pl.String).str.json_decode(kind)


def _member(rows: Sequence[Row], name: str, number: int) -> Any:
    return getattr(rows[number], name)


def _contexts(row: Row) -> list[dict[str, Any]] | None:
    if row.contexts is None:
        return None
    grades = {} if row.relevant is None else row.relevant
    return [{"id": context.id, "text": context.text, "grade": grades.get(row.key(context))} for context in row.contexts]


def _relevant(row: Row) -> list[str] | None:
    return None if row.relevant is None else [key for key, grade in row.relevant.items() if grade > 0.0]


def _marks(marks: list[Mark], text: str, missed: bool) -> list[dict[str, Any]]:
    return [
        one._asdict() for one in overlaid([mark for mark in marks if (mark.found == "missed") == missed], len(text))
    ]


def _truth_marks(marks: list[Mark], row: Row) -> list[dict[str, Any]]:
    return _marks(marks, row.truth, missed=True) if row.reference == row.truth else []


def _failures(cells: Cells, number: int) -> list[dict[str, str]]:
    return [
        {"score": score.name, "reason": cells.failures[place][number]}
        for place, score in enumerate(cells.plan.scores)
        if number in cells.failures[place]
    ]


def verdicts_table(cells: Cells) -> "pl.DataFrame":
    """Return a row per verdict: the score on the rubric's scale and from 0 to 1, the reasons, and what it cost."""
    import polars as pl

    rubrics = {rubric.label: rubric for rubric in cells.plan.rubrics}
    schema: dict[str, Any] = {
        **dict.fromkeys(("question", "rubric"), pl.String),
        **dict.fromkeys(("score", "scaled"), pl.Float64),
        "rationale": pl.String,
        "faults": pl.List(pl.String),
        **dict.fromkeys(("values", "raw", "failure"), pl.String),
        **dict.fromkeys(("tokens_in", "tokens_out"), pl.Int64),
        **dict.fromkeys(("cost", "seconds"), pl.Float64),
        **dict.fromkeys(("is_repaired", "is_cached"), pl.Boolean),
    }
    rows = [
        {
            **{name: getattr(verdict, name, None) for name in schema},
            "question": verdict.item,
            "scaled": None if verdict.score is None else rubrics[verdict.rubric].scaled(verdict.score),
            "faults": faults(rubrics[verdict.rubric], verdict.values),
            "values": None if verdict.values is None else orjson.dumps(dict(verdict.values)).decode(),
        }
        for verdict in sorted(cells.verdicts, key=lambda verdict: (verdict.item, verdict.rubric))
    ]
    return pl.DataFrame(rows, schema=schema)
