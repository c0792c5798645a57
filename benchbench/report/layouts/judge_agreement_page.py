"""The page of how far judges agree with people: the verdict, every kappa on one scale, the grades crossed, systems."""

from collections.abc import Iterator, Sequence

from benchbench.judging.agreement.agreement_result import JudgeAgreementDetails, JudgeComparison, said_of_own
from benchbench.judging.agreement.numbers import MEASURES, grade_name
from benchbench.report.blocks import AnyCell, Block, Facts, Table
from benchbench.report.card_blocks import CardBlock, CrossedCell, CrossedTable, MeanRow, Means
from benchbench.report.layouts.card_parts import mean_row
from benchbench.report.layouts.judge_agreement import (
    PROBES,
    cell,
    cuts,
    decided,
    facts,
    help_of_judges,
    overall,
    probes,
    systems,
)
from benchbench.report.layouts.page_parts import band, ending, head, interval_rows, settings
from benchbench.report.page_blocks import Band, Folded, Masthead, PageBlock, Pair, Panels, Section
from benchbench.results.estimates import Estimate
from benchbench.results.figures import share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_SETTINGS = {"alpha": "level", "seed": "seed", "measures": "measures", "runs": "systems", "own": "own model"}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    details, record = result.details_as(JudgeAgreementDetails), result.record
    several = len(details.judges) > 1
    page: list[Block | PageBlock | CardBlock] = [_verdict(details, record), *_bands(details, record)]
    if several:
        page += [Section("judges", "Judges", "Judges side by side"), _side_by_side(details)]
    for place, judge in enumerate(details.judges):
        heading = f"Agreement of {judge.name}" if several else "Agreement with people"
        page.append(
            Section(f"judge{place}", judge.name if several else "Agreement", heading, _over(judge, details.level))
        )
        page += [Means(_means(judge)), *_crossed(judge)]
    if any(judge.cuts for judge in details.judges):
        page += [Section("cuts", "Cuts", "Each cut"), cuts(details)]
    suspected = probes(details)
    if suspected:
        page += [Section("probes", "Probes", "What the grades go by"), *_biases(details, suspected)]
    if any(judge.systems for judge in details.judges):
        page.append(Section("systems", "Systems", "Does it rank systems as people do?"))
        for judge in details.judges:
            for ranking in judge.systems:
                page += [systems(judge, ranking), Facts([("", sentence) for sentence in decided(judge, ranking)])]
    helped = help_of_judges(details)
    if helped:
        page += [Section("worth", "Worth", "What its labels are worth"), *helped]
    notes = [*facts(details), *(("Note", note) for note in details.notes)]
    folds = [
        Folded("Agreement", counted(len(details.judges), "judge"), [overall(details)]),
        Folded("Notes", counted(len(details.notes), "note"), [Facts(notes)]),
    ]
    return page + ending(record, folds, [("Labels", _sources(details)), ("Settings", settings(record, _SETTINGS))])


def _side_by_side(details: JudgeAgreementDetails) -> Table:
    """Return a column per judge, a row per measure."""
    rows: list[list[AnyCell]] = [["pairs", *(f"{judge.n:,}" for judge in details.judges)]]
    for name, measure in MEASURES.items():
        known = [judge.intervals.get(name) for judge in details.judges]
        if any(known):
            rows.append([measure.title, *(cell(estimate, measure.is_signed) for estimate in known)])
    return Table(["Measure", *(judge.name for judge in details.judges)], rows, "l" + "r" * len(details.judges))


def _verdict(details: JudgeAgreementDetails, record: Record) -> Masthead:
    only = details.judges[0]
    several = " ".join(f"{judge.mark} {' '.join([judge.verdict, *judge.further])}" for judge in details.judges)
    advice = list(dict.fromkeys(step for judge in details.judges for step in judge.advice))
    human, alone = details.human, len(details.judges) == 1
    return head(
        "judge agreement",
        record,
        [f"{counted(human.pairs, 'label')} of {human.name}", counted(human.queries, "query")],
        f"{only.mark} {only.verdict}" if alone else f"{len(details.judges)} judges compared with {human.name}.",
        [" ".join(only.further) if alone else several],
        advice,
    )


def _bands(details: JudgeAgreementDetails, record: Record) -> Iterator[Band]:
    """Yield what a reader must know first."""
    for judge in details.judges:
        if judge.own:
            yield Band(said_of_own(judge), [])
    yield from band(record)


def _over(judge: JudgeComparison, level: float) -> str:
    missing = f"; {counted(judge.unparsed, 'pair')} without a grade by the judge" if judge.unparsed else ""
    return (
        f"Over {counted(judge.n, 'pair')} of {counted(judge.queries, 'query')}{missing}. Dot and line: the value and "
        f"its {100 * (1 - level):g} % interval, from 0, what chance reaches, to 1."
    )


def _biases(details: JudgeAgreementDetails, tables: Sequence[Table]) -> list[PageBlock | Table]:
    """Return by how much each judge's grades go by length, position and its own model, beside the numbers."""
    several = len(details.judges) > 1
    rows = []
    for judge in details.judges:
        for probe in judge.probes:
            if probe.effect is not None and probe.low is not None and probe.high is not None:
                name = PROBES.get(probe.name, probe.name)
                rows.append((f"{name}, {judge.name}" if several else name, probe.effect, probe.low, probe.high))
    if not rows:
        return list(tables)
    words = (
        "Grades by which the judge rates a text higher, among texts to which people gave one grade: a text twice as "
        "long, one shown at twice the rank, one by its own model."
    )
    return [Pair([Panels([interval_rows("bias", "Bias of the judge", words, rows, "grades")])], tables)]


def _means(judge: JudgeComparison) -> list[MeanRow]:
    """Return the values that share one scale; a value below 0 is drawn at its beginning."""
    estimates: dict[tuple[str, str], Estimate] = {}
    for name, measure in MEASURES.items():
        if name in judge.intervals and not measure.is_signed:
            reached = "" if judge.constant is None else value(getattr(judge.constant, name, None))
            words = f"a constant grade has {reached}" if name in ("alpha", "agreement") and reached else ""
            estimates[measure.title, words] = judge.intervals[name]
    for cut in judge.cuts:
        if cut.grade not in judge.confusion.grades:
            continue
        words = f"people {share(cut.prevalence)}, judge {share(cut.judge_prevalence)}"
        estimates[f"kappa, relevant from {grade_name(cut.grade)}", words] = judge.intervals[f"kappa{cut.name}"]
    return [mean_row(*about, estimate) for about, estimate in estimates.items() if estimate.value is not None]


def _crossed(judge: JudgeComparison) -> list[CrossedTable]:
    """Return the grades crossed; a cell is coloured by its share of the row."""
    grades = [grade_name(grade) for grade in judge.confusion.grades]
    rows: list[tuple[str, Sequence[CrossedCell]]] = []
    for place, (grade, counts) in enumerate(zip(grades, judge.confusion.counts, strict=True)):
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
    return [CrossedTable("people's grade", f"grade by {judge.name}", grades, rows)] if rows else []


def _sources(details: JudgeAgreementDetails) -> list[tuple[str, str]]:
    return [("people", details.human.source), *((judge.name, judge.source) for judge in details.judges)]
