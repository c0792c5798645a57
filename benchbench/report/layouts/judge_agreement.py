"""How far judges agree with people: the verdict first, then every number beside what a constant reaches."""

from collections.abc import Iterator, Sequence

from benchbench.judging.agreement.agreement_result import (
    AgreementDetails,
    JudgeAgreementDetails,
    ProbeDetails,
    headline,
)
from benchbench.judging.agreement.numbers import MEASURES, grade_name
from benchbench.judging.agreement.systems import Powered, Ranked
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
    found, record = result.details_as(AgreementDetails), result.record
    human = found.human
    labels, queries = counted(human.pairs, "label"), counted(human.queries, "query")
    title = f"{record.name} against {human.name}: {labels} by people, {queries}"
    several = len(found.judges) > 1
    return standard(
        result,
        title,
        headline(found),
        [
            overall(found),
            *([cuts(found)] if any(one.cuts for one in found.judges) else []),
            *(confusion(one, several) for one in found.judges if len(one.confusion.grades) <= _MOST_GRADES),
            *probes(found),
            *(systems(one, each) for one in found.judges for each in one.systems if each.systems),
            *help_of_judges(found),
        ],
        facts=list(facts(found)),
        command="benchbench judge agreement",
        drawn=page_of("judge_agreement_page", result),
    )


def confusion(one: JudgeAgreementDetails, several: bool) -> Table:
    """Return pairs by people's grade, a row each, and the judge's, a column each."""
    grades = [grade_name(grade) for grade in one.confusion.grades]
    rows: list[list[AnyCell]] = [
        [grade, *(Cell(f"{count:,}", strong=place == at) for at, count in enumerate(counts)), f"{sum(counts):,}"]
        for place, (grade, counts) in enumerate(zip(grades, one.confusion.counts, strict=True))
    ]
    of = f" of {one.name}" if several else " of the judge"
    return Table(
        ("People", *(f"judge {grade}" for grade in grades), "Pairs"),
        rows,
        "l" + "r" * (len(grades) + 1),
        caption=f"Grades{of} (columns) for each grade by people (rows)",
        where=EVERYWHERE,
    )


PROBES = {"length": "length of the text", "position": "position", "self_preference": "own model's texts"}
_MOST_PAIRS = 10  # of systems that are decided differently


def overall(found: AgreementDetails) -> Table:
    """Return a row per number of each judge, and beside it what a constant grade reaches."""
    rows: list[list[AnyCell]] = []
    for one in found.judges:
        constant = one.constant
        for name, measure in MEASURES.items():
            if name not in one.intervals:
                continue
            beside = None if constant is None else getattr(constant, name, None)
            mean = cell(one.intervals.get(name), measure.is_signed)
            rows.append([one.name, measure.title, mean, Cell("" if beside is None else value(beside), tone="muted")])
    grades = {grade_name(one.constant.grade) for one in found.judges if one.constant is not None}
    always = f"Always {grades.pop()}" if len(grades) == 1 else "Constant"
    only = found.judges[0]
    counts = f"{counted(only.n, 'pair')} of {counted(only.queries, 'query')}" if len(found.judges) == 1 else ""
    return by_judge(
        found,
        ("Agreement with people", "Judge's", always),
        rows,
        "lrr",
        f"{counts}{', and ' if counts else ''}{'what' if counts else 'What'} a constant grade reaches",
        (0, 0, 1),
    )


def cuts(found: AgreementDetails) -> Table:
    """Return a row per judge and cut; one at a grade that nobody gave is that of the next grade, and left out."""
    rows: list[list[AnyCell]] = [
        [
            one.name,
            f"from {grade_name(cut.grade)}",
            cell(one.intervals.get(f"kappa{cut.name}")),
            cell(one.intervals.get(f"agreement{cut.name}")),
            value(cut.constant_agreement),
            share(cut.prevalence, 1),
            share(cut.judge_prevalence, 1),
            f"{cut.missed:,}",
            f"{cut.added:,}",
            p_value(cut.p),
        ]
        for one in found.judges
        for cut in one.cuts
        if cut.grade in one.confusion.grades
    ]
    return by_judge(
        found,
        ("Relevant", "Kappa", "Alike", "Constant", "People", "Judge", "Missed", "Added", "p"),
        rows,
        "lrrrrrrrr",
        "Each cut: how many people and judge find relevant; the judge missed and added some",
        (0, 0, 4, 5, 1, 1, 2, 2, 3),
    )


def by_judge(
    found: AgreementDetails,
    head: Sequence[str],
    rows: Sequence[Sequence[AnyCell]],
    sides: str,
    caption: str,
    keeps: Sequence[int],
) -> Table:
    """Return a table whose rows begin with the judge, which is left out where there is one only."""
    if len(found.judges) == 1:
        rest = [row[1:] for row in rows]
        return Table(head, rest, sides, caption=caption, where=EVERYWHERE, keeps=keeps)
    whole = ("Judge", *head)
    return Table(whole, rows, f"l{sides}", caption=caption, grouped=True, where=EVERYWHERE, keeps=(0, *keeps))


def probes(found: AgreementDetails) -> list[Block]:
    """Return what each judge's grades go by; nothing where nothing was looked at."""
    rows: list[list[AnyCell]] = [
        [
            one.name,
            PROBES.get(each.name, each.name),
            effect(each),
            verdict(each, found.level),
            p_value(each.p),
            f"{each.n:,}",
        ]
        for one in found.judges
        for each in one.probes
    ]
    if not rows:
        return []
    said = "Probes: does the grade go by what people's does not? p is corrected over a judge's probes (Holm)"
    return [by_judge(found, ("Probe", "Effect", "Shown", "p", "Pairs"), rows, "lrlrr", said, (0, 0, 0, 0, 1))]


def effect(one: ProbeDetails) -> Cell:
    """Return an effect with its interval."""
    return Cell(signed(one.effect, 2), behind(one.low, one.high, 2, signed))


def verdict(one: ProbeDetails, level: float) -> Cell:
    """Return whether grades go by what was suspected."""
    if one.p is None:
        return Cell(f"not tested: {one.skipped}", tone="muted")
    return Cell("yes", strong=True, tone="bad") if one.p <= level else Cell("not shown")


def systems(judge: JudgeAgreementDetails, found: Ranked) -> Table:
    """Return the systems under people and judge, best by people first."""
    powered = any(one.powered for one in found.systems)
    rows: list[list[AnyCell]] = []
    for one in sorted(found.systems, key=lambda one: (one.people_rank, one.name)):
        moved = one.judge_rank - one.people_rank
        row: list[AnyCell] = [
            one.name,
            value(one.people),
            f"{one.people_rank}",
            value(one.judge),
            Cell(f"{one.judge_rank}{f' ({moved:+})' if moved else ''}", tone="bad" if moved else ""),
        ]
        if powered:
            row += [helped(one.powered), count(None if one.powered is None else one.powered.worth)]
        rows.append(row)
    head = ["System", "People", "Rank", "Judge", "Rank", *(["With its help", "Worth labels"] if powered else [])]
    said = f"{found.measure} by {judge.name}: tau {value(found.tau, 2)}, Spearman {value(found.spearman, 2)}"
    return Table(
        head, rows, "lrrrrrr"[: len(head)], caption=f"{said}, {counted(found.queries, 'query')}", where=EVERYWHERE,
        keeps=(0, 0, 0, 0, 0, 0, 0)[: len(head)],
    )  # fmt: skip


def helped(one: Powered | None) -> AnyCell:
    """Return a prediction-powered mean."""
    if one is None:
        return NOTHING
    return Cell(value(one.mean), behind(one.low, one.high))


def help_of_judges(found: AgreementDetails) -> list[Block]:
    """Return the mean grades with the help of judges, where people have labelled some of the queries."""
    rows: list[list[AnyCell]] = []
    for judge in found.judges:
        one = judge.mean_grade
        if one is None:
            continue
        alone = Cell(value(one.people), behind(one.people_low, one.people_high))
        rows.append([judge.name, alone, helped(one), f"{one.labelled:,}", f"{one.unlabelled:,}", f"{one.worth:,.0f}"])
    if not rows:
        return []
    said = "Mean grade of all queries: people's alone, and with the judge's help (PPI++), worth so many labelled more"
    head = ("Mean grade", "With its help", "Labelled", "Others", "Worth")
    return [by_judge(found, head, rows, "rrrrr", said, (0, 0, 1, 1, 0))]


def facts(found: AgreementDetails) -> Iterator[tuple[str, str]]:
    """Yield what is said beside the tables."""
    label = "Decided"
    for one in found.judges:
        for each in one.systems:
            for said in decided(one, each):
                yield label, said
                label = ""
    if found.together is not None:
        of_all, of_judges = value(found.together.alpha), value(found.together.judges_alpha)
        yield "Together", f"alpha of people and all judges {of_all}, of the judges alone {of_judges}"
    for place, pair in enumerate(found.between):
        said = f"{pair.one} and {pair.other}: kappa {value(pair.kappa)}, weighted {value(pair.weighted_kappa)}, "
        yield "" if place else "Judges", f"{said}alpha {value(pair.alpha)}, {counted(pair.n, 'pair')}"
    method = next((one.method for one in found.judges if one.method), "")
    if method:
        yield "Intervals", f"{method}; kappa and alpha of chance are 0"


def decided(judge: JudgeAgreementDetails, found: Ranked) -> Iterator[str]:
    """Yield which pairs of systems are decided differently by people and judge."""
    if len(found.systems) < 2:
        return
    several = found.decided_differently
    of = f"{found.measure}, {judge.name}"
    if not several:
        yield f"{of}: all {found.pairs:,} pairs of systems are decided alike; {found.swapped_pairs:,} in another order"
        return
    yield (
        f"{of}: {len(several):,} of {found.pairs:,} pairs of systems are decided differently, "
        f"{found.swapped_pairs:,} in another order"
    )
    for one in several[:_MOST_PAIRS]:
        yield (
            f"{one.other} against {one.one}: {one.people_decision} by people ({signed(one.people)}), "
            f"{one.judge_decision} by the judge ({signed(one.judge)})"
        )
    if len(several) > _MOST_PAIRS:
        yield f"and {len(several) - _MOST_PAIRS:,} more"


def cell(one: Estimate | None, is_difference: bool = False) -> Cell:
    """Return a value with its interval."""
    if one is None:
        return Cell(NOTHING)
    shown = signed if is_difference else value
    return Cell(shown(one.value), behind(one.low, one.high, 2, shown))
