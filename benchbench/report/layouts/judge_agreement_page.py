"""The page of how far judges agree with people: the verdict, every kappa on one scale, the grades crossed, systems."""

from collections.abc import Iterator, Sequence

from benchbench.judging.agreement.agreement_result import JudgeAgreementDetails, JudgeComparison, said_of_own
from benchbench.judging.agreement.numbers import MEASURES, grade_name
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.card_blocks import CardBlock, CrossedCell, CrossedTable, MeanRow, Means
from benchbench.report.layouts.card_parts import SHARE_TICKS, mean_row
from benchbench.report.layouts.judge_agreement import (
    PROBES,
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
from benchbench.results.headline import OPEN, WORSE
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted, or_joined

Half = CrossedTable | Table
_NAMED = 3  # judges in the title
_LOWER = "The words are those of Landis and Koch for the lower end of kappa's interval."
_PROBED = {
    "length": "is twice as long",
    "position": "stands at twice the rank",
    "self_preference": "is by its own model",
}
_SETTINGS = {"alpha": "level", "seed": "seed", "measures": "measures", "runs": "systems", "own": "own model"}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    details, record = result.details_as(JudgeAgreementDetails), result.record
    page: list[Block | PageBlock | CardBlock] = [_verdict(details, record), *_bands(details, record)]
    reach = (
        f"Dot and line: the value and its {100 * (1 - details.level):g} % interval. 0 is chance for kappa and alpha."
    )
    page += [Section("agreement", "Agreement", "Agreement with people", reach), Means(_means(details), SHARE_TICKS)]
    page += [Text([_over(judge) for judge in details.judges if len(details.judges) > 1 or judge.unparsed])]
    if crossed := [_crossed(judge) for judge in details.judges if judge.confusion.grades]:
        page += [Section("grades", "Grades", "Grades by people and judge"), *_in_two(crossed)]
    if any(judge.cuts for judge in details.judges):
        page += [Section("cuts", "Thresholds", "Relevant or not, by threshold"), cuts(details)]
    suspected = probes(details)
    if suspected:
        page += [Section("probes", "Biases", "Biases"), *_biases(details), *suspected]
    ranked = [(judge, ranking) for judge in details.judges for ranking in judge.systems]
    if ranked:
        page += [
            Section("systems", "Systems", "Does it rank systems as people do?"),
            *_in_two([systems(*each) for each in ranked]),
            Facts([("", sentence) for each in ranked for sentence in decided(*each)]),
        ]
    helped = help_of_judges(details)
    if helped:
        words = "Worth: how many more queries people would have to label for an interval as narrow."
        page += [Section("worth", "Worth", "Means with the judge's help", words), *helped]
    notes = [*facts(details), *(("Note", note) for note in details.notes)]
    folds = [
        Folded("Agreement", counted(len(details.judges), "judge"), [overall(details)]),
        Folded("Notes", counted(len(details.notes), "note"), [Facts(notes)]),
    ]
    return page + ending(record, folds, [("Labels", _sources(details)), ("Settings", settings(record, _SETTINGS))])


def _in_two(parts: Sequence[Half]) -> list[Half | Pair]:
    """Return parts in two columns; a single one stands alone."""
    return [Pair(parts[::2], parts[1::2], stacked=True)] if len(parts) > 1 else list(parts)


def _verdict(details: JudgeAgreementDetails, record: Record) -> Masthead:
    verdicts = [judge.verdict for judge in details.judges]
    advice = dict.fromkeys(step for judge in details.judges for step in judge.advice)
    own = [said_of_own(judge, details.level) for judge in details.judges if judge.own]
    notes = [*advice, *(sentence for mark, sentence in own if mark == OPEN)]
    human, alone = details.human, len(details.judges) == 1
    title = " ".join(verdicts)
    if len(verdicts) > _NAMED:
        title = f"{len(verdicts)} judges compared with {human.name}."
    return head(
        "judge agreement",
        record,
        [f"{counted(human.pairs, 'label')} of {human.name}", counted(human.queries, "query")],
        title,
        [" ".join(details.judges[0].further)] if alone else (),
        [*notes, _LOWER] if any("or better" in verdict for verdict in verdicts) else notes,
    )


def _bands(details: JudgeAgreementDetails, record: Record) -> Iterator[Band]:
    """Yield what a reader must know first."""
    for judge in details.judges:
        if judge.own:
            mark, sentence = said_of_own(judge, details.level)
            if mark != OPEN:
                yield Band(sentence, [], "bad" if mark == WORSE else "")
    yield from band(record)


def _over(judge: JudgeComparison) -> str:
    missing = [f"{counted(judge.unparsed, 'pair')} without a grade by the judge."] if judge.unparsed else []
    return f"{judge.name}: {' '.join([*judge.further, *missing])}"


def _biases(details: JudgeAgreementDetails) -> list[PageBlock]:
    """Return by how much each judge's grades go by length, position and its own model."""
    several = len(details.judges) > 1
    rows = []
    for judge in details.judges:
        for probe in judge.probes:
            if probe.effect is not None and probe.low is not None and probe.high is not None:
                name = PROBES.get(probe.name, probe.name)
                rows.append((f"{name}, {judge.name}" if several else name, probe.effect, probe.low, probe.high))
    if not rows:
        return []
    called = {probe.name for judge in details.judges for probe in judge.probes}
    texts = or_joined([words for name, words in _PROBED.items() if name in called])
    words = f"By how many grades the judge rates a text higher, at the same grade by people, if it {texts}."
    return [Panels([interval_rows("bias", "Bias of the judge", words, rows, "grades")], 1)]


def _means(details: JudgeAgreementDetails) -> list[MeanRow]:
    """Return the values that share one scale, those of the judges below one another; one below 0 is drawn there."""
    several = len(details.judges) > 1
    rows: dict[str, list[MeanRow]] = {}
    for judge in details.judges:
        series = judge.name if several else ""
        for name, measure in MEASURES.items():
            if name in judge.intervals and not measure.is_signed:
                reached = None if judge.constant is None else getattr(judge.constant, name, None)
                words = "" if judge.constant is None else f"always {grade_name(judge.constant.grade)}: {value(reached)}"
                words = words if reached is not None and name in ("alpha", "agreement") else ""
                _add(rows, measure.title, words, judge.intervals[name], series)
        for cut in judge.cuts:
            if cut.grade in judge.confusion.grades:
                title = f"kappa, grade {grade_name(cut.grade)} or higher"
                _add(rows, title, "", judge.intervals[f"kappa{cut.name}"], series)
    return [row for of_measure in rows.values() for row in of_measure]


def _add(rows: dict[str, list[MeanRow]], title: str, words: str, estimate: Estimate, series: str) -> None:
    if estimate.value is not None:
        rows.setdefault(title, []).append(mean_row(title, words, estimate, series))


def _crossed(judge: JudgeComparison) -> CrossedTable:
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
    return CrossedTable("people's grade", f"grade by {judge.name}", grades, rows)


def _sources(details: JudgeAgreementDetails) -> list[tuple[str, str]]:
    return [("people", details.human.source), *((judge.name, judge.source) for judge in details.judges)]
