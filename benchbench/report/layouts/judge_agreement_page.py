"""The page of how far judges agree with people: the verdict, every kappa on one scale, the grades crossed, systems."""

from collections.abc import Iterator, Sequence

from benchbench.judging.agreement.agreement_result import AgreementDetails, JudgeAgreementDetails, said_of_own
from benchbench.judging.agreement.numbers import MEASURES, grade_name
from benchbench.report.blocks import Block, Facts
from benchbench.report.card_blocks import CardBlock, CrossedCell, CrossedTable, Mean, Means
from benchbench.report.layouts.card_parts import mean_row
from benchbench.report.layouts.judge_agreement import (
    cuts,
    decided,
    facts,
    help_of_judges,
    overall,
    probes,
    systems,
)
from benchbench.report.layouts.page_parts import band, passed_gates, reproduce, settings
from benchbench.report.page_blocks import Band, Folded, Masthead, PageBlock, Section
from benchbench.results.estimates import Estimate
from benchbench.results.figures import moment, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_SETTINGS = {"alpha": "level", "seed": "seed", "measures": "measures", "runs": "systems", "own": "own model"}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(AgreementDetails), result.record
    several = len(found.judges) > 1
    made: list[Block | PageBlock | CardBlock] = [_verdict(found, record), *_bands(found, record)]
    for place, one in enumerate(found.judges):
        heading = f"Agreement of {one.name}" if several else "Agreement with people"
        made.append(Section(f"judge{place}", one.name if several else "Agreement", heading, _over(one, found.level)))
        made += [Means(_means(one)), *_crossed(one)]
    if any(one.cuts for one in found.judges):
        made += [Section("cuts", "Cuts", "Each cut"), cuts(found)]
    suspected = probes(found)
    if suspected:
        made += [Section("probes", "Probes", "What the grades go by"), *suspected]
    if any(one.systems for one in found.judges):
        made.append(Section("systems", "Systems", "Does it rank systems as people do?"))
        for one in found.judges:
            for each in one.systems:
                made += [systems(one, each), Facts([("", said) for said in decided(one, each)])]
    helped = help_of_judges(found)
    if helped:
        made += [Section("worth", "Worth", "What its labels are worth"), *helped]
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Agreement", counted(len(found.judges), "judge"), [overall(found)]),
        Folded(
            "Notes",
            counted(len(found.notes), "note"),
            [Facts([*facts(found), *(("Note", said) for said in found.notes)])],
        ),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Labels", _sources(found)), ("Settings", settings(record, _SETTINGS))]),
    ]
    return made


def _verdict(found: AgreementDetails, record: Record) -> Masthead:
    only = found.judges[0]
    several = " ".join(f"{one.mark} {' '.join([one.verdict, *one.further])}" for one in found.judges)
    advice = list(dict.fromkeys(said for one in found.judges for said in one.advice))
    human, alone = found.human, len(found.judges) == 1
    return Masthead(
        "judge agreement",
        [f"{counted(human.pairs, 'label')} of {human.name}", counted(human.queries, "query"), moment(record.started)],
        record.signature,
        f"{only.mark} {only.verdict}" if alone else f"{len(found.judges)} judges compared with {human.name}.",
        [" ".join(only.further) if alone else several],
        advice,
    )


def _bands(found: AgreementDetails, record: Record) -> Iterator[Band]:
    """Yield what a reader must know first."""
    for one in found.judges:
        if one.own:
            yield Band(said_of_own(one), [])
    yield from band(record)


def _over(one: JudgeAgreementDetails, level: float) -> str:
    missing = f"; {counted(one.unparsed, 'pair')} without a grade by the judge" if one.unparsed else ""
    return (
        f"Over {counted(one.n, 'pair')} of {counted(one.queries, 'query')}{missing}. Dot and line: the value and its "
        f"{100 * (1 - level):g} % interval, from 0, what chance reaches, to 1."
    )


def _means(one: JudgeAgreementDetails) -> list[Mean]:
    """Return the values that lie on one scale; what is below 0 stands at its beginning."""
    found: dict[tuple[str, str], Estimate] = {}
    for name, measure in MEASURES.items():
        if name in one.intervals and not measure.is_signed:
            beside = "" if one.constant is None else value(getattr(one.constant, name, None), 2)
            said = f"a constant grade has {beside}" if name in ("alpha", "agreement") and beside else ""
            found[measure.title, said] = one.intervals[name]
    for cut in one.cuts:
        if cut.grade not in one.confusion.grades:
            continue
        said = f"people {share(cut.prevalence)}, judge {share(cut.judge_prevalence)}"
        found[f"kappa, relevant from {grade_name(cut.grade)}", said] = one.intervals[f"kappa{cut.name}"]
    return [mean_row(*about, its) for about, its in found.items() if its.value is not None]


def _crossed(one: JudgeAgreementDetails) -> list[CrossedTable]:
    """Return the grades crossed; a cell is coloured by its share of the row."""
    grades = [grade_name(grade) for grade in one.confusion.grades]
    rows: list[tuple[str, Sequence[CrossedCell]]] = []
    for place, (grade, counts) in enumerate(zip(grades, one.confusion.counts, strict=True)):
        whole = max(sum(counts), 1)
        cells = [
            CrossedCell(
                f"{count:,}",
                count / whole,
                place == at,
                f"{counted(count, 'pair')} that people gave {grade} and the judge {grades[at]}: {share(count / whole)}",
            )
            for at, count in enumerate(counts)
        ]
        rows.append((grade, cells))
    return [CrossedTable("people's grade", f"grade by {one.name}", grades, rows)] if rows else []


def _sources(found: AgreementDetails) -> list[tuple[str, str]]:
    return [("people", found.human.source), *((one.name, one.source) for one in found.judges)]
