"""How far judges agree with people: the verdict first, then every number beside what a constant reaches."""

from benchbench.judging.agreement.agreement_result import AgreementDetails, JudgeAgreementDetails, headline
from benchbench.judging.agreement.numbers import grade_name
from benchbench.report.blocks import EVERYWHERE, AnyCell, Cell, Table
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.judge_agreement_facts import cuts, facts, help_of_judges, overall, probes, systems
from benchbench.report.standard import standard
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
