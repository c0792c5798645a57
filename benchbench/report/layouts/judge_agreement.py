"""How far judges agree with people: the verdict first, then every number beside what a constant reaches."""

from collections.abc import Iterator, Sequence

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
            *(systems(judge, each) for judge in details.judges for each in judge.systems if each.systems),
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


def overall(details: JudgeAgreementDetails) -> Table:
    """Return a row per number of each judge, and beside it what a constant grade reaches."""
    rows: list[list[AnyCell]] = []
    for judge in details.judges:
        constant = judge.constant
        for name, measure in MEASURES.items():
            if name not in judge.intervals:
                continue
            beside = None if constant is None else getattr(constant, name, None)
            mean = cell(judge.intervals.get(name), measure.is_signed)
            rows.append([judge.name, measure.title, mean, Cell("" if beside is None else value(beside), tone="muted")])
    grades = {grade_name(judge.constant.grade) for judge in details.judges if judge.constant is not None}
    always = f"Always {grades.pop()}" if len(grades) == 1 else "Constant"
    only = details.judges[0]
    counts = f"{counted(only.n, 'pair')} of {counted(only.queries, 'query')}" if len(details.judges) == 1 else ""
    return by_judge(
        details,
        ("Agreement with people", "Judge's", always),
        rows,
        "lrr",
        f"{counts}{', and ' if counts else ''}{'what' if counts else 'What'} a constant grade reaches",
        (0, 0, 1),
    )


def cuts(details: JudgeAgreementDetails) -> Table:
    """Return a row per judge and cut; a cut at a grade that nobody gave equals the next one, and is left out."""
    rows: list[list[AnyCell]] = [
        [
            judge.name,
            f"from {grade_name(cut.grade)}",
            cell(judge.intervals.get(f"kappa{cut.name}")),
            cell(judge.intervals.get(f"agreement{cut.name}")),
            value(cut.constant_agreement),
            share(cut.prevalence, 1),
            share(cut.judge_prevalence, 1),
            f"{cut.missed:,}",
            f"{cut.added:,}",
            p_value(cut.p),
        ]
        for judge in details.judges
        for cut in judge.cuts
        if cut.grade in judge.confusion.grades
    ]
    return by_judge(
        details,
        ("Relevant", "Kappa", "Alike", "Constant", "People", "Judge", "Missed", "Added", "p"),
        rows,
        "lrrrrrrrr",
        "Each cut: how many people and judge find relevant; the judge missed and added some",
        (0, 0, 4, 5, 1, 1, 2, 2, 3),
    )


def by_judge(
    details: JudgeAgreementDetails,
    head: Sequence[str],
    rows: Sequence[Sequence[AnyCell]],
    sides: str,
    caption: str,
    keeps: Sequence[int],
) -> Table:
    """Return a table whose rows begin with the judge, which is left out where there is one only."""
    if len(details.judges) == 1:
        rest = [row[1:] for row in rows]
        return Table(head, rest, sides, caption=caption, where=EVERYWHERE, keeps=keeps)
    whole = ("Judge", *head)
    return Table(whole, rows, f"l{sides}", caption=caption, grouped=True, where=EVERYWHERE, keeps=(0, *keeps))


def probes(details: JudgeAgreementDetails) -> list[Block]:
    """Return the probes of each judge; nothing where nothing was probed."""
    rows: list[list[AnyCell]] = [
        [
            judge.name,
            PROBES.get(each.name, each.name),
            effect(each),
            verdict(each, details.level),
            p_value(each.p),
            f"{each.n:,}",
        ]
        for judge in details.judges
        for each in judge.probes
    ]
    if not rows:
        return []
    caption = "Probes: does the grade go by what people's does not? p is corrected over a judge's probes (Holm)"
    return [by_judge(details, ("Probe", "Effect", "Shown", "p", "Pairs"), rows, "lrlrr", caption, (0, 0, 0, 0, 1))]


def effect(probe: ProbeDetails) -> Cell:
    """Return an effect with its interval."""
    return Cell(signed(probe.effect, 2), behind(probe.low, probe.high, 2, signed))


def verdict(probe: ProbeDetails, level: float) -> Cell:
    """Return whether the suspicion is confirmed."""
    if probe.p is None:
        return Cell(f"not tested: {probe.skipped}", tone="muted")
    return Cell("yes", strong=True, tone="bad") if probe.p <= level else Cell("not shown")


def systems(judge: JudgeComparison, ranked: SystemRanking) -> Table:
    """Return the systems under people and judge, best by people first."""
    powered = any(system.powered for system in ranked.systems)
    rows: list[list[AnyCell]] = []
    for system in sorted(ranked.systems, key=lambda system: (system.people_rank, system.name)):
        moved = system.judge_rank - system.people_rank
        row: list[AnyCell] = [
            system.name,
            value(system.people),
            f"{system.people_rank}",
            value(system.judge),
            Cell(f"{system.judge_rank}{f' ({moved:+})' if moved else ''}", tone="bad" if moved else ""),
        ]
        if powered:
            row += [helped(system.powered), count(None if system.powered is None else system.powered.worth)]
        rows.append(row)
    head = ["System", "People", "Rank", "Judge", "Rank", *(["With its help", "Worth labels"] if powered else [])]
    caption = f"{ranked.measure} by {judge.name}: tau {value(ranked.tau, 2)}, Spearman {value(ranked.spearman, 2)}"
    return Table(
        head, rows, "lrrrrrr"[: len(head)], caption=f"{caption}, {counted(ranked.queries, 'query')}", where=EVERYWHERE,
        keeps=(0, 0, 0, 0, 0, 0, 0)[: len(head)],
    )  # fmt: skip


def helped(powered: Powered | None) -> AnyCell:
    """Return a prediction-powered mean."""
    if powered is None:
        return NOTHING
    return Cell(value(powered.mean), behind(powered.low, powered.high))


def help_of_judges(details: JudgeAgreementDetails) -> list[Block]:
    """Return the mean grades with the help of judges, where people have labelled some of the queries."""
    rows: list[list[AnyCell]] = []
    for judge in details.judges:
        powered = judge.mean_grade
        if powered is None:
            continue
        alone = Cell(value(powered.people), behind(powered.people_low, powered.people_high))
        counts = map(count, (powered.labelled, powered.unlabelled, powered.worth))
        rows.append([judge.name, alone, helped(powered), *counts])
    if not rows:
        return []
    caption = "Mean grade of all queries: people's alone, and with the judge's help (PPI++), worth so many labelled "
    caption += "more"
    head = ("Mean grade", "With its help", "Labelled", "Others", "Worth")
    return [by_judge(details, head, rows, "rrrrr", caption, (0, 0, 1, 1, 0))]


def facts(details: JudgeAgreementDetails) -> Iterator[tuple[str, str]]:
    """Yield the labelled sentences below the tables."""
    label = "Decided"
    for judge in details.judges:
        for each in judge.systems:
            for sentence in decided(judge, each):
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
        yield "Intervals", f"{method}; kappa and alpha of chance are 0"


def decided(judge: JudgeComparison, ranked: SystemRanking) -> Iterator[str]:
    """Yield which pairs of systems are decided differently by people and judge."""
    if len(ranked.systems) < 2:
        return
    several = ranked.decided_differently
    subject, swapped = f"{ranked.measure}, {judge.name}", f"{ranked.swapped_pairs:,} in another order"
    if not several:
        yield f"{subject}: all {ranked.pairs:,} pairs of systems are decided alike; {swapped}"
        return
    yield (f"{subject}: {len(several):,} of {ranked.pairs:,} pairs of systems are decided differently, {swapped}")
    for pair in several[:_MOST_PAIRS]:
        yield (
            f"{pair.other} against {pair.one}: {pair.people_decision} by people ({signed(pair.people)}), "
            f"{pair.judge_decision} by the judge ({signed(pair.judge)})"
        )
    if len(several) > _MOST_PAIRS:
        yield f"and {len(several) - _MOST_PAIRS:,} more"


def cell(estimate: Estimate | None, is_difference: bool = False) -> Cell:
    """Return a value with its interval."""
    if estimate is None:
        return Cell(NOTHING)
    shown = signed if is_difference else value
    return Cell(shown(estimate.value), behind(estimate.low, estimate.high, 2, shown))
