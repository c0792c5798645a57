"""How far judges agree with people: the verdict first, then every number beside what a constant reaches."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchbench.judging.agreement.agreement_result import (
    JudgeAgreementDetails,
    JudgeComparison,
    ProbeDetails,
    headline,
)
from benchbench.judging.agreement.numbers import MEASURES, grade_name
from benchbench.judging.agreement.systems import Powered, SystemRanking
from benchbench.report.blocks import EVERYWHERE, AnyCell, Block, Cell, Table
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.standard import standard
from benchbench.results.estimates import Estimate
from benchbench.results.figures import NOTHING, behind, count, p_value, share, signed, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_MOST_GRADES = 12  # that a terminal has room for


def layout(result: Result) -> Layout:
    """Return the agreement of each judge, its cuts, its probes, and how it ranks systems."""
    details, record = result.details_as(JudgeAgreementDetails), result.record
    human = details.human
    labels, queries = counted(human.pairs, "label"), counted(human.queries, "query")
    title = f"{record.name} against {human.name}: {labels} by people, {queries}"
    several = len(details.judges) > 1
    return standard(
        result,
        title,
        headline(details),
        [
            overall(details),
            *([cuts(details)] if any(judge.cuts for judge in details.judges) else []),
            *(confusion(judge, several) for judge in details.judges if len(judge.confusion.grades) <= _MOST_GRADES),
            *probes(details),
            *(systems(judge, ranking) for judge in details.judges for ranking in judge.systems if ranking.systems),
            *help_of_judges(details),
        ],
        facts=list(facts(details)),
        command="benchbench judge agreement",
        drawn=page_of("judge_agreement_page", result),
    )


def confusion(judge: JudgeComparison, several: bool) -> Table:
    """Return pairs by people's grade, a row each, and the judge's, a column each."""
    grades = [grade_name(grade) for grade in judge.confusion.grades]
    rows: list[list[AnyCell]] = [
        [grade, *(Cell(f"{count:,}", strong=place == at) for at, count in enumerate(counts)), f"{sum(counts):,}"]
        for place, (grade, counts) in enumerate(zip(grades, judge.confusion.counts, strict=True))
    ]
    of_judge = f" of {judge.name}" if several else " of the judge"
    return Table(
        ("People", *(f"judge {grade}" for grade in grades), "Pairs"),
        rows,
        "l" + "r" * (len(grades) + 1),
        caption=f"Grades{of_judge} (columns) for each grade by people (rows)",
        where=EVERYWHERE,
    )


PROBES = {"length": "length of the text", "position": "position", "self_preference": "own model's texts"}
_MOST_PAIRS = 10  # of systems that are decided differently
_TESTED = {"better": "significant", "worse": "significant", "open": "not significant"}


def overall(details: JudgeAgreementDetails) -> Table:
    """Return a row per number of each judge, and beside it what a constant grade reaches."""
    grades = {grade_name(judge.constant.grade) for judge in details.judges if judge.constant is not None}
    always = f"Always {grades.pop()}" if len(grades) == 1 else "Constant"
    only = details.judges[0]
    counts = f"{counted(only.n, 'pair')} of {counted(only.queries, 'query')}" if len(details.judges) == 1 else ""
    return by_judge(
        details,
        (
            Column("Agreement with people", lambda _, name: MEASURES[name].title),
            Column("Judge's", lambda judge, name: cell(judge.intervals[name], MEASURES[name].is_signed), "r"),
            Column(always, _of_constant, "r", 1),
        ),
        [(judge, name) for judge in details.judges for name in MEASURES if name in judge.intervals],
        f"{counts}{', and ' if counts else ''}{'what' if counts else 'What'} a constant grade reaches",
    )


def _of_constant(judge: JudgeComparison, name: str) -> Cell:
    reached = None if judge.constant is None else getattr(judge.constant, name, None)
    return Cell("" if reached is None else value(reached), tone="muted")


def cuts(details: JudgeAgreementDetails) -> Table:
    """Return a row per judge and cut; a cut at a grade that nobody gave equals the next one, and is left out."""
    return by_judge(
        details,
        (
            Column("Relevant", lambda _, cut: f"grade ≥ {grade_name(cut.grade)}"),
            Column("Kappa", lambda judge, cut: cell(judge.intervals.get(f"kappa{cut.name}")), "r"),
            Column("Same", lambda judge, cut: cell(judge.intervals.get(f"agreement{cut.name}")), "r", 4),
            Column("Best constant", lambda _, cut: value(cut.constant_agreement), "r", 5),
            Column("People", lambda _, cut: share(cut.prevalence, 1), "r", 1),
            Column("Judge", lambda _, cut: share(cut.judge_prevalence, 1), "r", 1),
            Column("Missed", lambda _, cut: f"{cut.missed:,}", "r", 2),
            Column("Added", lambda _, cut: f"{cut.added:,}", "r", 2),
            Column("p", lambda _, cut: p_value(cut.p), "r", 3),
        ),
        [(judge, cut) for judge in details.judges for cut in judge.cuts if cut.grade in judge.confusion.grades],
        "By threshold: share found relevant by people and by the judge; the judge's misses and additions",
    )


def by_judge(
    details: JudgeAgreementDetails, columns: Sequence[Column], rows: Sequence[tuple[Any, Any]], caption: str
) -> Table:
    """Return a table of rows that are a judge and something of it; a first column names the judge of several."""
    several = len(details.judges) > 1
    head = (Column("Judge", lambda judge, _: judge.name),) if several else ()
    taken = [column._replace(cell=lambda row, cell=column.cell: cell(*row)) for column in (*head, *columns)]
    return table_of(taken, rows, caption=caption, grouped=several, where=EVERYWHERE)


def probes(details: JudgeAgreementDetails) -> list[Table]:
    """Return the probes of each judge; nothing where nothing was probed."""
    columns = (
        Column("Probe", lambda _, probe: PROBES.get(probe.name, probe.name)),
        Column("Effect", lambda _, probe: effect(probe), "r"),
        Column("Bias", lambda _, probe: verdict(probe, details.level)),
        Column("p", lambda _, probe: p_value(probe.p), "r"),
        Column("Pairs", lambda _, probe: f"{probe.n:,}", "r", 1),
    )
    rows = [(judge, probe) for judge in details.judges for probe in judge.probes]
    caption = "Does the judge's grade depend on what people's does not? (p corrected per judge, Holm)"
    return [by_judge(details, columns, rows, caption)] if rows else []


def effect(probe: ProbeDetails) -> Cell:
    """Return an effect with its interval."""
    return Cell(signed(probe.effect), behind(probe.low, probe.high, shown=signed))


def verdict(probe: ProbeDetails, level: float) -> Cell:
    """Return whether the suspicion is confirmed."""
    if probe.p is None:
        return Cell(f"not tested: {probe.skipped}", tone="muted")
    return Cell("yes", strong=True, tone="bad") if probe.p <= level else Cell("not significant")


def systems(judge: JudgeComparison, ranked: SystemRanking) -> Table:
    """Return the systems under people and judge, best by people first."""
    is_powered = any(system.powered for system in ranked.systems)
    columns = [
        Column("System", lambda system: system.name),
        Column("People", lambda system: Cell(value(system.people), f"#{system.people_rank}"), "r"),
        Column("Judge", lambda system: Cell(value(system.judge), f"#{system.judge_rank}"), "r"),
        Column("Combined", lambda system: helped(system.powered), "r") if is_powered else None,
        Column("Worth queries", lambda system: count(getattr(system.powered, "worth", None)), "r")
        if is_powered
        else None,
    ]
    rows = sorted(ranked.systems, key=lambda system: (system.people_rank, system.name))
    caption = f"{ranked.measure}, judge {judge.name}: tau {value(ranked.tau)}, Spearman {value(ranked.spearman)}"
    return table_of(columns, rows, caption=f"{caption}, {counted(ranked.queries, 'query')}", where=EVERYWHERE)


def helped(powered: Powered | None) -> AnyCell:
    """Return a prediction-powered mean."""
    if powered is None:
        return NOTHING
    return Cell(value(powered.mean), behind(powered.low, powered.high))


def help_of_judges(details: JudgeAgreementDetails) -> list[Block]:
    """Return the mean grades with the help of judges, where people have labelled some of the queries."""
    columns = (
        Column("Mean grade", lambda _, mean: Cell(value(mean.people), behind(mean.people_low, mean.people_high)), "r"),
        Column("Combined", lambda _, mean: helped(mean), "r"),
        Column("Labelled", lambda _, mean: f"{mean.labelled:,}", "r", 1),
        Column("Judge only", lambda _, mean: f"{mean.unlabelled:,}", "r", 1),
        Column("Worth queries", lambda _, mean: f"{mean.worth:,.0f}", "r"),
    )
    rows = [(judge, judge.mean_grade) for judge in details.judges if judge.mean_grade is not None]
    caption = "Mean grade over all queries: from people's labels alone, and combined with the judge's (PPI++)"
    return [by_judge(details, columns, rows, caption)] if rows else []


def facts(details: JudgeAgreementDetails) -> Iterator[tuple[str, str]]:
    """Yield the labelled sentences below the tables."""
    label = "Decided"
    for judge in details.judges:
        for ranking in judge.systems:
            for sentence in decided(judge, ranking):
                yield label, sentence
                label = ""
    if details.together is not None:
        of_all, of_judges = value(details.together.alpha), value(details.together.judges_alpha)
        yield "Together", f"alpha of people and all judges {of_all}, of the judges alone {of_judges}"
    for place, pair in enumerate(details.between):
        kappas = f"{pair.one} and {pair.other}: kappa {value(pair.kappa)}, weighted {value(pair.weighted_kappa)}, "
        yield "" if place else "Judges", f"{kappas}alpha {value(pair.alpha)}, {counted(pair.n, 'pair')}"
    method = next((judge.method for judge in details.judges if judge.method), "")
    if method:
        yield "Intervals", f"{method}; chance gives a kappa and alpha of 0"


def decided(judge: JudgeComparison, ranked: SystemRanking) -> Iterator[str]:
    """Yield which pairs of systems are decided differently by people and judge."""
    if len(ranked.systems) < 2:
        return
    several = ranked.decided_differently
    subject, swapped = f"{ranked.measure}, {judge.name}", f"{ranked.swapped_pairs:,} of {counted(ranked.pairs, 'pair')}"
    order = f"the judge reverses {swapped} of systems"
    if not several:
        yield f"{subject}: tests by people's and by the judge's labels agree on every pair; {order}"
        return
    yield f"{subject}: tests by people's and by the judge's labels differ on {counted(len(several), 'pair')}; {order}"
    for pair in several[:_MOST_PAIRS]:
        yield (
            f"{pair.other} − {pair.one}: {signed(pair.people)} by people ({_TESTED[pair.people_decision]}), "
            f"{signed(pair.judge)} by the judge ({_TESTED[pair.judge_decision]})"
        )
    if len(several) > _MOST_PAIRS:
        yield f"and {len(several) - _MOST_PAIRS:,} more"


def cell(estimate: Estimate | None, is_difference: bool = False) -> Cell:
    """Return a value with its interval."""
    if estimate is None:
        return Cell(NOTHING)
    shown = signed if is_difference else value
    return Cell(shown(estimate.value), behind(estimate.low, estimate.high, shown=shown))
