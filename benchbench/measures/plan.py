"""What the kernels are to compute for some measures, and in which column each finds its values."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import ALL, CAPPED, DEEP, FIXED, FORMULAS, NO_CUTOFF, Plan
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure

_Row = tuple[int, int, float, float, int]  # of a plan


@dataclass(frozen=True, slots=True)
class Plans:
    """Plans of the formulas over hits, over subtopics and over judged hits, and the columns of each measure in all."""

    plain: Plan
    diverse: Plan
    condensed: Plan  # of the formulas again, for lists without the hits that nobody judged
    gains: tuple[object, ...]  # the kinds of gains that the formulas count in
    columns: dict[Measure, list[int]]

    @property
    def each(self) -> tuple[Plan, Plan, Plan]:
        """The plans in the order of their columns."""
        return self.plain, self.diverse, self.condensed

    @property
    def depth(self) -> int:
        """The deepest rank that a formula over hits looks at."""
        deep = bool(DEEP & set(self.plain.formula.tolist()))
        return int(NO_CUTOFF) if deep or not self.plain.cutoff.size else int(self.plain.cutoff.max())


def plans(measures: Iterable[Measure]) -> Plans:
    """Return what computes the measures."""
    plain: list[_Row] = []
    diverse: list[tuple[_Row, Measure]] = []
    condensed: list[tuple[_Row, Measure]] = []
    gains: list[object] = []
    columns: dict[Measure, list[int]] = {}
    for one in measures:
        definition = CATALOG[one.name]
        if definition.diverse:
            diverse.append((_diverse_row(one), one))
            continue
        if dict(one.params).get("judged_only"):
            condensed.append(((FORMULAS.index(definition.formula), *_parameters(one, gains)), one))
            continue
        formulas = ("hits", "divisor") if definition.aggregate == "micro" else (definition.formula,)
        columns[one] = list(range(len(plain), len(plain) + len(formulas)))
        plain += [(FORMULAS.index(formula), *_parameters(one, gains)) for formula in formulas]
    diverse.sort(key=lambda row: row[0][2:4])  # equal rel and alpha share their ideal
    for column, (_, one) in enumerate([*diverse, *condensed], len(plain)):
        columns[one] = [column]
    over_subtopics, over_judged = (_plan([row for row, _ in part]) for part in (diverse, condensed))
    return Plans(_plan(plain), over_subtopics, over_judged, tuple(gains), columns)


def ideals(grade: F64, offsets: I64, kinds: tuple[object, ...]) -> tuple[F64, F64]:
    """Return what each judgment gains, one row per kind, and the same in descending order within each query.

    A grade or gain below 0 gains nothing, which the kernel sees to.
    """
    gain = np.array([_gains(grade, kind) for kind in kinds]).reshape(len(kinds), grade.size)
    if not any(isinstance(kind, tuple) for kind in kinds):
        return gain, gain  # grades descend within a query, and so do gains that rise with the grade
    owner = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    return gain, np.array([row[np.lexsort((-row, owner))] for row in gain])


def _plan(rows: list[_Row]) -> Plan:
    formula, cutoff, rel, a, kind = zip(*rows, strict=True) if rows else ((),) * 5
    return Plan(
        np.array(formula, np.int64),
        np.array(cutoff, np.int64),
        np.array(rel, np.float64),
        np.array(a, np.float64),
        np.array(kind, np.int64),
    )


def _given(one: Measure) -> dict[str, object]:
    params = dict(one.params)
    return {param.name: params.get(param.name, param.default) for param in CATALOG[one.name].params}


def _diverse_row(one: Measure) -> _Row:
    from benchbench.kernels import subtopics

    given = _given(one)
    alpha, judged_only = given.get("alpha", 0.0), bool(given.get("judged_only"))
    formula = subtopics.FORMULAS.index(CATALOG[one.name].formula)
    return formula, int(one.cutoff or 0), float(given["rel"]), float(alpha), int(judged_only)  # type: ignore[arg-type]


def _parameters(one: Measure, gains: list[object]) -> tuple[int, float, float, int]:
    """Return cut-off, lowest relevant grade, parameter and kind; a new kind of gains is added to `gains`."""
    given = _given(one)
    recall = CATALOG[one.name].cutoff_type == "recall"
    cutoff = int(NO_CUTOFF) if one.cutoff is None or recall else int(one.cutoff)
    rel = float(given.get("rel") or 1.0)  # type: ignore[arg-type]
    if one.name == "nDCG":
        if given["gains"] not in gains:
            gains.append(given["gains"])
        return cutoff, rel, 0.0, gains.index(given["gains"])
    for name, kind in (("cap", CAPPED), ("denominator", FIXED)):
        if given.get(name) is not None:
            return cutoff, rel, float(given[name]), kind  # type: ignore[arg-type]
    a = one.cutoff if recall else given.get("p", given.get("beta"))
    return cutoff, rel, float(a or 0.0), ALL  # type: ignore[arg-type]


def _gains(grade: F64, kind: object) -> F64:
    if kind == "exp":
        return np.where(grade > 0, np.exp2(grade) - 1.0, 0.0)
    if not isinstance(kind, tuple):
        return grade
    gain = grade.copy()
    for given, value in kind:
        gain[grade == given] = value
    return gain


def refuse_undefined(measures: Iterable[Measure], defined: Iterable[int]) -> None:
    """Raise InputError for a measure that has no expected value over ties.

    Parameters
    ----------
    defined
        The codes of the formulas that have one.
    """
    codes = set(defined)
    for one in measures:
        row = CATALOG[one.name]
        if row.diverse or (row.aggregate != "micro" and FORMULAS.index(row.formula) not in codes):
            raise InputError(f"{one} has no expected value over ties here; score it with ties trec or input")
