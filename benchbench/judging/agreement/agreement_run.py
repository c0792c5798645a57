"""`judge_agreement`: how far judges agree with people, and what their labels are worth."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.judging.agreement.agreement_result import (
    AlphaOfAll,
    Between,
    Confusion,
    Human,
    JudgeAgreement,
    JudgeAgreementDetails,
    JudgeComparison,
    numbers,
    probe_details,
    said_of_own,
    signature_of,
)
from benchbench.judging.agreement.calibration import calibrated, calibration_setting
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.numbers import MANY_GRADES, Agreed, agreed, finite, grade_name
from benchbench.judging.agreement.suspects import Rated, Suspects, probes_of, rated
from benchbench.judging.agreement.systems import Powered, powered_mean, ranked_systems
from benchbench.judging.agreement.trust import trust
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.measures.notation import resolve
from benchbench.results.checks import check
from benchbench.results.gates import Gate, as_gates
from benchbench.results.ranges import ALPHA, SEED
from benchbench.significance import raters
from benchbench.significance.prediction_powered import FEW
from benchbench.tables.qrels_runs import QrelsTable, RunTable
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    import polars as pl

MEASURES = ("nDCG@10",)
_FEWEST = 2  # labelled queries that a variance needs
_NO_SUSPECTS = Suspects()
_BOUND = ("model", "rubric", "digest", "name")  # what a calibration keeps of a judge
_BETWEEN = {"kappa": raters.kappa, "weighted_kappa": raters.weighted_kappa, "alpha": raters.alpha}  # of two judges


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """What all judges share."""

    people: Grades
    runs: Mapping[str, RunTable]
    measures: Sequence[str]
    suspects: Suspects
    alpha: float
    seed: int


def judge_agreement(
    human: QrelsTable | Grades,
    judges: QrelsTable | Mapping[str, QrelsTable] | Sequence[Grades],
    runs: Mapping[str, RunTable] | None = None,
    measures: str | Iterable[str] = MEASURES,
    *,
    suspects: Suspects = _NO_SUSPECTS,
    alpha: float = 0.05,
    seed: int = 0,
    data: str = "",
    fail_if: str | Gate | Iterable[str | Gate] = (),
) -> JudgeAgreement:
    """Say how far judges agree with people; no model is asked.

    Parameters
    ----------
    human
        People's labels.
    judges
        The labels of one judge, or of several by name; or as `judging.grades` reads them, with model and rubric.
    runs
        Systems to rank under people and judges, by name.
    measures
        That they are ranked by.
    suspects
        What grades may go by.
    alpha
        Level of the tests, and the share of intervals that may miss.
    seed
        Of what is left to chance.
    data
        Digest of the data that was judged, where it is known.
    fail_if
        Gates, such as `"kappa<0.4"` or `"low kappa<0.4"`.

    Raises
    ------
    InputError
        No judge; no pair that both graded; more grades than a scale has; a fault of a run; a gate on what is not
        measured.
    """
    began = time.time()
    people = human if isinstance(human, Grades) else Grades("people", "memory", human)
    graded = _graded(judges)
    alpha, seed = ALPHA.take(alpha, "--alpha"), SEED.take(seed, "--seed")
    wanted = [str(measure) for measure in resolve(measures)]
    gates = as_gates(fail_if)
    if suspects.again is not None and len(graded) > 1:
        raise InputError("repeated grades belong to one judge; give one JUDGE")
    shared = _Settings(people=people, runs=runs or {}, measures=wanted, suspects=suspects, alpha=alpha, seed=seed)
    labels = people.qrels
    tables = rated([labels, *(judge.qrels for judge in graded)])
    agreements = [_agreed(judge, tables, place, alpha, seed) for place, judge in enumerate(graded, 1)]
    comparisons = []
    for place, (judge, agreement) in enumerate(zip(graded, agreements, strict=True), 1):
        _check(people, judge, agreement)
        comparisons.append(_judge(judge, agreement, tables, place, shared))
    details = JudgeAgreementDetails(
        human=Human(people.name, people.source, int(labels.grade.size), len(labels), labels.duplicates),
        judges=comparisons,
        together=_together(tables) if len(graded) > 1 else None,
        between=_between(graded, tables),
        level=alpha,
        notes=_notes(comparisons, alpha),
        signature=signature_of(labels.digest),
        data_digest=labels.digest,
    )
    ended, data = time.time(), data or labels.digest
    calibrations = [
        calibrated(agreement, judge.data or data, ended, **{name: getattr(judge, name) for name in _BOUND})
        for judge, agreement in zip(graded, agreements, strict=True)
    ]
    options = {"alpha": alpha, "seed": seed, "measures": wanted, "runs": list(shared.runs), "own": suspects.own}
    options |= calibration_setting(calibrations) | ({"fail_if": [gate.text for gate in gates]} if gates else {})
    return JudgeAgreement(
        found=details,
        agreed=agreements,
        calibrations=calibrations,
        per_query=partial(_per_query, tables, people, graded),
        gates=check(gates, numbers(details, agreements)),
        options=options,
        began=began,
        ended=ended,
    )


def _agreed(judge: Grades, tables: Rated, place: int, alpha: float, seed: int) -> Agreed:
    agreement = agreed(tables.grades[0], tables.grades[place], tables.query, alpha, seed)
    if judge.failed is None:
        return agreement
    at = tables.at(*judge.failed)
    return replace(agreement, unparsed=int(np.count_nonzero(tables.given[0][at[at >= 0]])))


def _graded(judges: QrelsTable | Mapping[str, QrelsTable] | Sequence[Grades]) -> list[Grades]:
    if isinstance(judges, QrelsTable):
        judges = {"judge": judges}
    if isinstance(judges, Mapping):
        judges = [Grades(str(name), "memory", table) for name, table in judges.items()]
    if not judges:
        raise InputError("there is no judge to compare with people; give the labels of at least one")
    return list(judges)


def _check(people: Grades, judge: Grades, agreement: Agreed) -> None:
    """Refuse raters without a common pair, and grades that are scores."""
    if not agreement.n:
        raise InputError(
            f"no pair of query and document has a grade by people ({visible(people.source)}) and one by a judge "
            f"({visible(judge.source)}); do both use the same ids?"
        )
    if not agreement.confusion.size:
        raise InputError(
            f"{visible(judge.source)} or {visible(people.source)} has {len(agreement.grades):,} different grades, and "
            f"a scale has at most {raters.MOST_GRADES}: {MANY_GRADES.partition(': ')[2]}, as those of a run are"
        )


def _judge(judge: Grades, agreement: Agreed, tables: Rated, place: int, shared: _Settings) -> JudgeComparison:
    given, runs = tables.given, shared.runs
    people, level, seed = shared.people.qrels, shared.alpha, shared.seed
    suspected, own = probes_of(shared.suspects, people, judge, tables, place, level, seed)
    probes = list(map(probe_details, suspected))
    systems = ranked_systems(people, judge.qrels, runs, shared.measures, level, seed) if runs else []
    methods = {method for name in agreement.values if (method := agreement.interval(name))}
    return JudgeComparison(
        **{name: getattr(judge, name) for name in ("name", "source", "model", "rubric")},
        rubric_digest=judge.digest,
        **{name: getattr(agreement, name) for name in ("n", "queries", "unparsed", "prevalence", "constant", "cuts")},
        only_human=int(np.count_nonzero(given[0] & ~given[place])),
        only_judge=int(np.count_nonzero(given[place] & ~given[0])),
        duplicates=judge.qrels.duplicates,
        intervals=agreement.estimates,
        method="; ".join(sorted(methods)),
        undefined=dict(agreement.undefined),
        confusion=Confusion(agreement.grades.tolist(), agreement.confusion.tolist()),
        probes=probes,
        systems=systems,
        mean_grade=_mean_grade(tables, place, level),
        own=own,
        **trust(judge.name, agreement, probes, systems, own, level)._asdict(),
    )


def _mean_grade(tables: Rated, place: int, level: float) -> Powered | None:
    """Return the mean grade with the judge's help, where people graded all pairs of some queries and none of others."""
    judged = tables.given[place]
    count = np.bincount(tables.query[judged], minlength=tables.queries)
    both = tables.both(place)
    shared = np.bincount(tables.query[both], minlength=tables.queries)
    whole, none = (count > 0) & (shared == count), (count > 0) & (shared == 0)
    if np.count_nonzero(whole) < _FEWEST or not none.any():
        return None

    def means(rater: int, pairs: Bools, queries: I64) -> F64:
        sums = np.bincount(tables.query[pairs], weights=tables.grades[rater][pairs], minlength=tables.queries)
        means_by_query: F64 = sums[queries] / count[queries]
        return means_by_query

    labelled, alone = np.flatnonzero(whole), np.flatnonzero(none)
    return powered_mean(means(0, both, labelled), means(place, judged, labelled), means(place, judged, alone), level)


def _together(tables: Rated) -> AlphaOfAll:
    """Return the alpha of all, and that of the judges alone."""
    grades = np.unique(tables.grades[tables.given])
    places = np.where(tables.given, np.searchsorted(grades, tables.grades), -1)
    graded_by_several = np.count_nonzero(tables.given, axis=0) > 1
    alphas = [
        float(raters.alpha_of_coincidences(raters.coincidences_of(rows, grades.size))) for rows in (places, places[1:])
    ]
    return AlphaOfAll(finite(alphas[0]), finite(alphas[1]), int(np.count_nonzero(graded_by_several)))


def _between(graded: Sequence[Grades], tables: Rated) -> list[Between]:
    pairs = []
    for first_place, other in combinations(range(1, len(graded) + 1), 2):
        both = tables.given[first_place] & tables.given[other]
        grades = np.unique(tables.grades[[first_place, other]][:, both])
        first, second = (np.searchsorted(grades, tables.grades[side][both]) for side in (first_place, other))
        values: dict[str, float | None] = dict.fromkeys(_BETWEEN)
        if both.any() and grades.size <= raters.MOST_GRADES:
            counts = raters.crossed(first, second, grades.size)[0]
            values = {name: finite(float(statistic(counts))) for name, statistic in _BETWEEN.items()}
        first_name, other_name = graded[first_place - 1].name, graded[other - 1].name
        pairs.append(Between(one=first_name, other=other_name, n=int(both.sum()), **values))
    return pairs


def _per_query(tables: Rated, people: Grades, graded: Sequence[Grades]) -> "pl.DataFrame":
    """Return pairs, share of equal grades, and bias, by judge and query, of those that both graded a pair of."""
    import polars as pl

    order = np.full(tables.queries, -1)
    owner = np.repeat(np.arange(len(people.qrels)), np.diff(people.qrels.offsets))
    order[tables.query[tables.own[0]]] = owner
    names, frames = pl.Series(people.qrels.ids, dtype=pl.String), []
    for place, judge in enumerate(graded, 1):
        both = tables.both(place)
        query = order[tables.query[both]]
        count = np.bincount(query, minlength=len(people.qrels))
        shown = np.flatnonzero(count)
        off = tables.grades[place][both] - tables.grades[0][both]
        same, bias = (
            np.bincount(query, weights=values, minlength=len(count))[shown] / count[shown]
            for values in (off == 0.0, off)
        )
        columns = {"query_id": names[shown], "pairs": count[shown], "agreement": same, "bias": bias}
        frames.append(pl.DataFrame(columns).select(pl.lit(judge.name).alias("judge"), pl.all()))
    return pl.concat(frames)


def _notes(comparisons: Sequence[JudgeComparison], level: float) -> list[str]:
    """Return what the numbers leave out or assume."""
    sentences = []
    for judge in comparisons:
        name = visible(judge.name, 60)
        if judge.own:
            sentences.append(said_of_own(judge, level)[1])
        if judge.n < FEW:
            pairs = counted(judge.n, "pair")
            sentences.append(f"{name}: {pairs} with both grades, fewer than {FEW}; their intervals are rough.")
        if judge.unparsed:
            sentences.append(
                f"{name} has no grade for {judge.unparsed:,} of {judge.n + judge.unparsed:,} pairs that "
                "people graded; the numbers leave out what it has not graded."
            )
        if judge.only_human > judge.unparsed:
            pairs = counted(judge.only_human - judge.unparsed, "pair")
            sentences.append(f"{name} was not asked about {pairs} that people graded.")
        sentences += _beyond(name, judge)
        sentences += [f"{name}: {value} has no value: {why}." for value, why in judge.undefined.items()]
        if "weighted_kappa_by_value" in judge.intervals:
            listed = ", ".join(map(grade_name, judge.confusion.grades))
            sentences.append(
                f"{name}: grades are not evenly spaced; weighted_kappa uses their positions in {listed}, "
                "weighted_kappa_by_value their values."
            )
        rough = [mean for ranking in judge.systems if ranking.systems and (mean := ranking.systems[0].powered)]
        labelled = min((mean.labelled for mean in rough), default=FEW)
        if labelled < FEW:
            sentences.append(
                f"{name}: {labelled:,} queries with labels by people are fewer than {FEW}; prediction-powered "
                "intervals are rough."
            )
    return sentences


def _beyond(name: str, judge: JudgeComparison) -> list[str]:
    """Return which grades of a judge people never give: some files write a missing verdict as a grade."""
    grades = np.array(judge.confusion.grades)
    counts = np.array(judge.confusion.counts)
    theirs = grades[counts.sum(axis=1) > 0]
    outside = (grades < theirs[0]) | (grades > theirs[-1])
    if not outside.any():
        return []
    pairs, listed = int(counts[:, outside].sum()), ", ".join(map(grade_name, grades[outside]))
    return [
        f"{name} gives {counted(pairs, 'pair')} a grade outside those of people, {grade_name(theirs[0])} to "
        f"{grade_name(theirs[-1])}: {listed}. It counts as a grade; remove lines that mean “no verdict”."
    ]
