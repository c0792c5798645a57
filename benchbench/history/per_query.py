"""The values per query of a result of any kind, as one frame: found in its tables by the names of their columns.

Columns of the frame are named by what they are: `query`; `value/MEASURE`; `column/NAME`, by which queries are grouped
and sliced; `latency/SUBJECT`, `request/SUBJECT` and `order/SUBJECT`, whose subject is empty where there is one; and
`table/NAME`, the other columns of the table that the values were taken from, in order to give that back whole.
Rows of a load test have no query: they are blocks of requests. A step may have millions of requests, and runs are
compared by blocks of them, so that blocks are what is kept: of each the median latency.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.check.run_values import BLOCKS
from benchbench.history.measure_names import column_measure, measure_of, slice_of
from benchbench.kernels.arrays import F64
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.significance.latency_ratio import block_values

if TYPE_CHECKING:
    from benchbench.formats.query_table import QueryTable

QUERY, VALUE, COLUMN, OF_TABLE = "query", "value/", "column/", "table/"
LATENCY, REQUEST, ORDER = "latency/", "request/", "order/"

_TABLES = ("per_query", "questions", "per_question", "per_answer")  # the first that is there has the values
_IDS = ("query_id", "query", "question_id", "id", "answer_id", "document_id", "question")
_TEXT = "question"  # an id that several rows may have: what is asked again is numbered
_SUBJECTS = ("run", "system", "judge")  # columns that say whose values a row has
_NO_LABELS = ("failure",)  # it says what came out, and nothing of the query
_LATENCY, _REQUESTS = "latency_ms", "requests"
_WITH_DATA = ("dataset", "queries")  # settings that name a data set
_OF_REQUESTS = {"step", "number", "counted", "due", "end"}  # columns of a load test
_VERDICTS, _RUBRIC = "verdicts", "rubric"
_LONGEST = 200  # characters: what is longer is a text and no category
_Tables = Mapping[str, Callable[[], pl.DataFrame]]


@dataclass(frozen=True)
class PerQuery:
    """Values per query.

    Attributes
    ----------
    frame
        As above, one row per query.
    table
        The name of the table that can be given back whole; empty where there is none.
    columns
        Of that table: each of its columns, and the one of the frame that has it.
    why
        Why the columns of the data set's queries are not there; empty where they are.
    """

    frame: pl.DataFrame
    table: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


def per_query(result: Result) -> PerQuery | None:
    """Return the values per query of a result; None where it has none.

    Raises
    ------
    InputError
        When its table cannot be read.
    """
    numbers = result.record.numbers
    of_subjects = [_of(subject, tables, numbers) for subject, tables in _subjects(result)]
    known = [values for values in of_subjects if values is not None]
    if len(known) < 2:
        return known[0] if known else None
    frames = [values.frame.select(~pl.selectors.starts_with(OF_TABLE)) for values in known]
    return PerQuery(_joined(frames))


def _subjects(result: Result) -> Iterator[tuple[str, _Tables]]:
    """Yield the tables of a result, and of each of its parts, with the part's name."""
    own = result.tables()
    yield "", {name: make for name, make in own.items() if "/" not in name}
    within: dict[str, dict[str, Callable[[], pl.DataFrame]]] = {}
    for name, make in own.items():
        part, slash, table = name.rpartition("/")
        if slash:
            within.setdefault(part, {})[table] = make
    for name, own_folder in result.parts().items():
        within.setdefault(name, dict(own_folder.tables()))
    yield from within.items()


def _of(subject: str, tables: _Tables, numbers: Sequence[Number]) -> PerQuery | None:
    name = next((known for known in _TABLES if known in tables), "")
    table = tables[name]() if name else verdict_table(tables, numbers)
    if table is None:
        return _of_steps(tables)
    if (ids := _ids(table)) is None:
        return None
    by = next((column for column in _SUBJECTS if table.schema.get(column) == pl.String), None)
    measured = [column for column, kind in table.schema.items() if kind.is_float() and column != _LATENCY]
    labels = _labels(table, [*ids, by])
    query = table.select(pl.concat_str(pl.col(ids).cast(pl.String), separator="/").alias(QUERY))
    query = _numbered(query) if ids == [_TEXT] else query
    alike = query[QUERY] if by is None else query.with_columns(table[by])
    if alike.is_duplicated().any() or query[QUERY].null_count():
        return None
    whole = table.with_columns(query)
    kinds = [whole] if by is None or whole[by].n_unique() < 2 else whole.partition_by(by, maintain_order=True)
    frames = []
    for rows in kinds:
        whose = subject if len(kinds) < 2 else ".".join(filter(None, (subject, rows[by or ""][0])))
        measures = {column: f"{VALUE}{column_measure(numbers, whose, column)}" for column in measured}
        values = rows.select(measured).cast(pl.Float64).fill_nan(None).rename(measures)
        frames.append(
            pl.concat(
                [rows.select(QUERY), values, _renamed(rows.select(labels).cast(pl.String), COLUMN)], how="horizontal"
            )
        )
    if len(frames) > 1:
        return PerQuery(_joined(frames))
    frame = frames[0]
    if not name:
        return PerQuery(frame)
    latency = _latency(subject, table, tables)
    named = {column: frame.columns[1 + place] for place, column in enumerate(measured)} | {
        label: f"{COLUMN}{label}" for label in labels
    }
    named |= {ids[0]: QUERY} if len(ids) == 1 and table.schema[ids[0]] == pl.String else {}
    named = {column: stored for column, stored in named.items() if table.schema[column] in (pl.String, pl.Float64)}
    if _LATENCY in table.columns:
        named[_LATENCY] = f"{LATENCY}{subject}"
    rest = [column for column in table.columns if column not in named]
    if any(table.schema[column].is_nested() for column in rest):
        return PerQuery(frame.hstack(latency))
    kept = _renamed(table.select(rest), OF_TABLE)
    columns = {column: named.get(column, f"{OF_TABLE}{column}") for column in table.columns}
    return PerQuery(frame.hstack(latency).hstack(kept), name, columns)


def _of_steps(tables: _Tables) -> PerQuery | None:
    """Return the latency of the steps of a load test, which has no values per query."""
    blocks = step_latency(tables)
    if blocks is None:
        return None
    frames = [
        rows.select(
            pl.lit(None, pl.String).alias(QUERY),
            pl.col("latency_ms").alias(f"{LATENCY}{subject}"),
            pl.col("first").alias(f"{REQUEST}{subject}"),
            pl.col("first").alias(f"{ORDER}{subject}"),
        )
        for (subject,), rows in blocks.group_by("subject", maintain_order=True)
    ]
    return PerQuery(pl.concat(frames, how="diagonal"))


def _numbered(query: pl.DataFrame) -> pl.DataFrame:
    """Return texts of which each that has come before has `(2)` behind it, `(3)` and so on."""
    time = pl.int_range(1, pl.len() + 1).over(QUERY)
    again = pl.concat_str(QUERY, pl.lit(" ("), time, pl.lit(")"))
    return query.select(pl.when(time > 1).then(again).otherwise(QUERY).alias(QUERY))


def _renamed(frame: pl.DataFrame, front: str) -> pl.DataFrame:
    return frame.rename({name: f"{front}{name}" for name in frame.columns})


def _ids(table: pl.DataFrame) -> list[str] | None:
    """Return the columns that tell rows apart: the first id, and the others where that is not enough."""
    there = [column for column in _IDS if table.schema.get(column) in (pl.String, pl.Int64)]
    subjects = [column for column in _SUBJECTS if table.schema.get(column) == pl.String]
    if not there:
        return None
    return there[:1] if not table.select(*there[:1], *subjects).is_duplicated().any() else there


def _labels(table: pl.DataFrame, besides: Sequence[str | None]) -> list[str]:
    """Return the columns by which queries may be grouped: short texts of which some are alike, truth values."""
    return [
        column
        for column, kind in table.schema.items()
        if column not in besides
        and column not in _NO_LABELS
        and (kind == pl.Boolean or (kind == pl.String and _is_label(table[column])))
    ]


def _is_label(texts: pl.Series) -> bool:
    longest = texts.str.len_chars().max()
    return isinstance(longest, int) and longest <= _LONGEST and texts.n_unique() < len(texts)


def _latency(subject: str, table: pl.DataFrame, tables: _Tables) -> pl.DataFrame:
    """Return the latency of each query, the first query of its request, and the place of that in order of sending."""
    if not table.schema.get(_LATENCY, pl.Null()).is_float():
        return pl.DataFrame()
    latency = table[_LATENCY].cast(pl.Float64).alias(f"{LATENCY}{subject}")
    if _REQUESTS not in tables:
        return pl.DataFrame([latency])
    requests = tables[_REQUESTS]()
    if not {"first_query", "sent"} <= set(requests.columns):
        return pl.DataFrame([latency])
    sent = requests.group_by("first_query").agg(pl.col("sent").min()).sort("sent", "first_query")
    sent = sent.with_row_index(ORDER).sort("first_query")
    rows = pl.DataFrame({QUERY: range(table.height)}, schema={QUERY: pl.Int64})
    request = rows.join_asof(sent, left_on=QUERY, right_on="first_query", strategy="backward")
    return pl.DataFrame(
        [
            latency,
            request["first_query"].alias(f"{REQUEST}{subject}"),
            request[ORDER].cast(pl.Int64).alias(f"{ORDER}{subject}"),
        ]
    )


def _joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return frames of several subjects side by side; what the first has, the others do not say again."""
    whole, *others = frames
    for other in others:
        new = [name for name in other.columns if name == QUERY or name not in whole.columns]
        whole = whole.join(other.select(new), on=QUERY, how="full", coalesce=True, maintain_order="left_right")
    return whole


def with_query_columns(values: PerQuery, record: Record) -> PerQuery:
    """Return values per query with the columns of the data set that the settings name, or with why they are not there.

    Columns that are there already stay as they are; lists are written with commas between their members.
    """
    options = {name: setting.value for name, setting in record.settings.items()}
    if not values.frame[QUERY].count() or not any(isinstance(options.get(name), str) for name in _WITH_DATA):
        return values
    try:
        columns = _columns(options, record).rows_of(values.frame[QUERY])
    except InputError as problem:
        return replace(values, why=f"no columns of the data set's queries: {problem}")
    if columns.null_count().sum_horizontal().sum() == columns.height * columns.width:
        return replace(values, why="no columns of the data set's queries: it has none of these queries")
    new = [
        pl.col(name).list.join(", ").alias(f"{COLUMN}{name}")
        if isinstance(kind, pl.List)
        else pl.col(name).cast(pl.String).alias(f"{COLUMN}{name}")
        for name, kind in columns.schema.items()
        if f"{COLUMN}{name}" not in values.frame.columns
    ]
    return replace(values, frame=values.frame.hstack(columns.select(new)))


def _columns(options: dict[str, object], record: Record) -> "QueryTable":
    from benchbench.formats.datasets.data_set import TIERED
    from benchbench.formats.datasets.locate import stored_data_set
    from benchbench.formats.query_table import data_table

    data = stored_data_set(options)
    encoding, cluster = options.get("encoding"), options.get("cluster") or data.cluster
    table = data_table(
        data, encoding if isinstance(encoding, str) else None, (cluster,) if isinstance(cluster, str) else ()
    )
    if data.make == TIERED and record.data.digest is not None and table.digest != record.data.digest:
        raise InputError(f"{data.name} has changed since")
    return table


def step_latency(tables: Mapping[str, Callable[[], pl.DataFrame]]) -> pl.DataFrame | None:
    """Return the latency of blocks of requests; None where the tables are not those of a load test.

    Parameters
    ----------
    tables
        `steps` has the name of each, and `requests` when each was due and ended, in seconds.

    Returns
    -------
    DataFrame
        `subject`, the step as the numbers' scopes have it; `first`, the number of the block's first request among those
        that count, from 0; `latency_ms`, the median of the block from the time that requests were due to their end,
        failed ones included, as in `p50`.
    """
    if not {"steps", "requests"} <= tables.keys():
        return None
    requests, steps = tables["requests"](), tables["steps"]()
    if not set(requests.columns) >= _OF_REQUESTS or not {"step", "name"} <= set(steps.columns):
        return None
    order = [name for name in ("repeat", "number") if name in requests.columns]
    counted = requests.filter("counted").sort("step", *order)
    milliseconds = counted.select("step", ((pl.col("end") - pl.col("due")) * 1e3).alias("ms")).drop_nulls()
    by_step = {step: rows["ms"].to_numpy() for (step,), rows in milliseconds.group_by("step", maintain_order=True)}
    blocks = [_blocks(name, by_step[step]) for step, name in _names(steps).items() if step in by_step]
    return pl.concat(blocks) if blocks else None


def _names(steps: pl.DataFrame) -> dict[int, str]:
    """Return the name of each step; a load that was run again has `(2)` behind it, as in the scopes of numbers."""
    names: dict[int, str] = {}
    before: list[str] = []
    for step, name in steps.select("step", "name").iter_rows():
        before.append(name)
        times = before.count(name)
        names[step] = name if times == 1 else f"{name} ({times})"
    return names


def _blocks(subject: str, milliseconds: F64) -> pl.DataFrame:
    number = min(BLOCKS, len(milliseconds))
    firsts = [int(part[0]) for part in np.array_split(np.arange(len(milliseconds)), number)]
    return pl.DataFrame(
        {
            "subject": pl.Series([subject] * number, dtype=pl.String),
            "first": pl.Series(firsts, dtype=pl.Int64),
            "latency_ms": np.exp(block_values(milliseconds, number)),
        }
    )


def verdict_table(tables: Mapping[str, Callable[[], pl.DataFrame]], numbers: Iterable[Number]) -> pl.DataFrame | None:
    """Return the scores of the items that were judged; None where there are no verdicts, or no mean of them.

    Parameters
    ----------
    tables
        Of a result; `verdicts` has `item`, `rubric`, `score`, and where there are any `attempt` and `question`.
    numbers
        Of its record: the mean by a rubric has the rubric's label in its scope, and its name is what that begins with.

    Returns
    -------
    DataFrame
        `id`: the question, where no two items have the same, else the item's own key. The columns by which items are
        grouped. The score by each rubric, named as its mean is; it is that of the first attempt, as in the mean, and
        null where there is none.
    """
    if _VERDICTS not in tables:
        return None
    table = tables[_VERDICTS]()
    if not {"item", _RUBRIC, "score"} <= set(table.columns):
        return None
    first = table.filter(pl.col("attempt") == 1) if "attempt" in table.columns else table
    means = _means(numbers)
    measures = {label: means[label] for label in first[_RUBRIC].unique(maintain_order=True) if label in means}
    if not measures or first.select("item", _RUBRIC).is_duplicated().any():
        return None
    items = first.unique("item", keep="first", maintain_order=True)
    asked = items["question"] if "question" in items.columns else pl.Series([None])
    is_id = not asked.null_count() and not asked.is_duplicated().any()
    made = items.select("item", pl.col("question" if is_id else "item").alias("id"), *_labels_of_items(items))
    for label, measure in measures.items():
        scores = first.filter(pl.col(_RUBRIC) == label).select("item", pl.col("score").cast(pl.Float64).alias(measure))
        made = made.join(scores, on="item", how="left", maintain_order="left")
    return made.drop("item")


def _means(numbers: Iterable[Number]) -> dict[str, str]:
    """Return the measure of the mean by each rubric, by the rubric's label."""
    measures: dict[str, str] = {}
    for number in numbers:
        label = number.scope.get(_RUBRIC)
        if label is not None and slice_of(number) is None and label.startswith(number.name):
            measures.setdefault(label, measure_of(number))
    return measures


def _labels_of_items(items: pl.DataFrame) -> list[str]:
    """Return the columns that say what an item belongs to: those beside the verdict."""
    from benchbench.judging.judge_folder import verdict_schema

    return [name for name in items.columns if name not in verdict_schema()]
