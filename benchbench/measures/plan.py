"""What the kernels are to compute for some measures, and in which column each finds its values."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import CAPPED, FIXED, NO_CUTOFF, PLAIN, Formula
from benchbench.kernels.plan import FormulaPlan, PlanRow, plan_of
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure

_MICRO = (Formula.P, Formula.HITS, Formula.DIVISOR)  # columns of a micro average


class Plans(Struct, frozen=True):
    """Plans of the formulas over hits, over subtopics and over judged hits, and the columns of each measure in all.

    A measure with a value per query has one column. A micro average has three, which other measures may share: P, the
    relevant hits as recall counts them, and what recall divides by.
    """

    plain: FormulaPlan
    diverse: FormulaPlan
    condensed: FormulaPlan  # of the formulas again, for lists without the hits that nobody judged
    gains: tuple[object, ...]  # the kinds of gains that the formulas count in
    columns: dict[Measure, tuple[int, ...]]

    @property
    def widths(self) -> tuple[int, int, int]:
        """The number of columns of each plan, in the order of these."""
        return self.plain.columns.size, self.diverse.columns.size, self.condensed.columns.size

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(self.widths)

    @property
    def depth(self) -> int:
        """The deepest rank that a formula over hits looks at; a huge one where some has no cut-off."""
        return int(self.plain.columns["cutoff"].max(initial=0)) or int(NO_CUTOFF)


def plans(measures: Iterable[Measure]) -> Plans:
    """Return what computes the measures."""
    plain: dict[Measure, list[PlanRow]] = {}
    diverse: list[tuple[PlanRow, Measure]] = []
    condensed: list[tuple[PlanRow, Measure]] = []
    gains: list[object] = []
    unchanged: set[PlanRow] = set()
    for measure in measures:
        definition = CATALOG[measure.name]
        rows = [_row(formula, measure, gains) for formula in _formulas(measure)]
        if definition.expected == "unchanged":
            unchanged.update(rows)
        if definition.diverse:
            diverse += [(row, measure) for row in rows]
        elif dict(measure.params).get("judged_only"):
            condensed += [(row, measure) for row in rows]
        else:
            plain[measure] = rows
    rows = sorted({row for each in plain.values() for row in each})  # those of one formula together, for speed
    columns = {measure: tuple(map(rows.index, each)) for measure, each in plain.items()}
    diverse.sort(key=lambda row: row[0][2:4])  # equal rel and alpha share their ideal
    for column, (_, measure) in enumerate([*diverse, *condensed], len(rows)):
        columns[measure] = (column,)
    return Plans(
        plan_of(rows, unchanged),
        plan_of([row for row, _ in diverse]),
        plan_of([row for row, _ in condensed], unchanged),
        tuple(gains),
        columns,
    )


def _formulas(measure: Measure) -> tuple[Formula, ...]:
    """Return what a measure over hits is computed from."""
    return _MICRO if CATALOG[measure.name].aggregate == "micro" else (Formula[measure.name.upper()],)


def ideals(grade: F64, offsets: I64, kinds: tuple[object, ...]) -> tuple[F64, F64]:
    """Return what each judgment gains, one row per kind, and the same in descending order within each query.

    A grade or gain below 0 gains nothing, which the kernel sees to.
    """
    gains = [gains_of(grade, kind) for kind in kinds]
    gain = gains[0].reshape(1, -1) if len(gains) == 1 else np.array(gains).reshape(len(kinds), grade.size)
    if not any(isinstance(kind, tuple) for kind in kinds):
        return gain, gain  # grades descend within a query, and so do gains that rise with the grade
    owner = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    return gain, np.array([row[np.lexsort((-row, owner))] for row in gain])


def _given(measure: Measure) -> dict[str, Any]:
    params = dict(measure.params)
    return {param.name: params.get(param.name, param.default) for param in CATALOG[measure.name].params}


def _row(formula: Formula, measure: Measure, gains: list[object]) -> PlanRow:
    """Return the row of a formula of a measure; a new kind of gains is added to `gains`."""
    definition, given = CATALOG[measure.name], _given(measure)
    by_recall = definition.cutoff_type == "recall"
    cutoff = int(NO_CUTOFF) if measure.cutoff is None or by_recall else int(measure.cutoff)
    a = measure.cutoff if by_recall else next((given[name] for name in ("p", "beta", "alpha") if name in given), None)
    kind = int(bool(given.get("judged_only"))) if definition.diverse else PLAIN
    if formula == Formula.DIVISOR:
        cutoff = 1  # it is the same at every rank
    if "gains" in given:
        if given["gains"] not in gains:
            gains.append(given["gains"])
        kind = gains.index(given["gains"])
    elif formula != Formula.P:  # which is the same whatever recall divides by
        for name, rule in (("cap", CAPPED), ("denominator", FIXED)):
            if given.get(name) is not None:
                kind, a = rule, given[name]
    return formula, cutoff, float(given.get("rel", definition.grade)), float(a or 0.0), kind


def gains_of(grade: F64, kind: object) -> F64:
    """Return what grades gain, by a kind of gains: linear, exp, or a map of grades to gains."""
    if kind == "exp":
        return np.where(grade > 0, np.exp2(grade) - 1.0, 0.0)
    if kind == "linear":
        return grade
    if not isinstance(kind, tuple):
        raise ValueError(f"no gains are called {kind!r}")
    gain = grade.copy()
    for given, value in kind:
        gain[grade == given] = value
    return gain


def refuse_undefined(measures: Iterable[Measure]) -> None:
    """Raise InputError for a measure that has no expected value over ties."""
    for measure in measures:
        if CATALOG[measure.name].expected == "none":
            raise InputError(f"{measure} has no expected value over ties here; score it with ties trec or input")


def needs_judgments(measure: Measure) -> str:
    """Return why a measure is not defined where labels alone say what is relevant; nothing where it is."""
    params, row = dict(measure.params), CATALOG[measure.name]
    if row.diverse:
        return "it needs subtopics, which come from judgments"
    if row.judged or params.get("judged_only"):
        return "it needs to know which documents were judged"
    rel = params.get("rel", 1)
    return "it needs grades, which come from judgments" if isinstance(rel, int | float) and rel > 1 else ""
