"""Verdicts of a judge, a row per item and rubric, as a row per item with a column per rubric."""

from collections.abc import Callable, Iterable, Mapping

import polars as pl

from benchbench.history.measure_names import measure_of, slice_of
from benchbench.results.record import Number

ID = "id"
_VERDICTS, _RUBRIC = "verdicts", "rubric"


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
    made = items.select("item", pl.col("question" if is_id else "item").alias(ID), *_labels(items))
    for label, measure in measures.items():
        scores = first.filter(pl.col(_RUBRIC) == label).select("item", pl.col("score").cast(pl.Float64).alias(measure))
        made = made.join(scores, on="item", how="left", maintain_order="left")
    return made.drop("item")


def _means(numbers: Iterable[Number]) -> dict[str, str]:
    """Return the measure of the mean by each rubric, by the rubric's label."""
    found: dict[str, str] = {}
    for one in numbers:
        label = one.scope.get(_RUBRIC)
        if label is not None and slice_of(one) is None and label.startswith(one.name):
            found.setdefault(label, measure_of(one))
    return found


def _labels(items: pl.DataFrame) -> list[str]:
    """Return the columns that say what an item belongs to: those beside the verdict."""
    from benchbench.judging.folder import verdict_schema

    return [name for name in items.columns if name not in verdict_schema()]
