"""The page of nugget scores: runs and what they differ by, how far to trust the judge, and what answers lack."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.judging.nugget_record import LOWEST, NuggetRun, NuggetsDetails, many, notes
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.card_blocks import AnswerCard, AnswerList, CardBlock, Fault, Filter, Mean, Means, Piece, Verdict
from benchbench.report.layouts.card_parts import held, language, passed_gates
from benchbench.report.layouts.nuggets import differences, ends, facts, sentence, told, trusted
from benchbench.report.layouts.page_parts import gates_table, moment, reproduce, settings
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Band, Folded, PageBlock, Section
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.results.signature import short

_SAID = {
    "strict_vital_score": "of the vital nuggets, fully supported; the main score of the TREC RAG track",
    "strict_all_score": "of all nuggets, fully supported",
    "strict_weighted_score": "the same, where a nugget that is not vital counts half",
    "vital_score": "of the vital nuggets, where partial support counts half",
    "all_score": "of all nuggets, where partial support counts half",
    "weighted_score": "the same, where a nugget that is not vital counts half",
}
_SCORED = {"nuggets": "nuggets", "assignments": "assignments", "answers": "answers", "baseline": "baseline"}
_ASKED = {
    "model": "model",
    "url": "URL",
    "rubric": "rubric",
    "window": "nuggets at once",
    "temperature": "temperature",
    "repeat": "times judged",
    "repeat_sample": "windows judged again",
    "cache": "cache",
}
_FEW_RUNS = 6  # whose means are drawn in every measure; of more, only the main one is


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(NuggetsDetails), result.record
    made: list[Block | PageBlock | CardBlock] = [_verdict(found, record), *_bands(found, record)]
    said = "Dot and line: the mean and its 95 % interval, from 0 to 1."
    made += [Section("scores", "Scores", "Scores", said), Means(list(_means(found)))]
    if found.differences:
        head = "Differences between runs, over the same questions"
        made += [Section("differences", "Differences", head), differences(found, frozenset({"html"}))]
    if found.judge:
        made += [Section("trust", "Trust", "How far to trust this judge"), _trust(found)]
    made += [
        Section("answers", "Answers", "What answers lack, the lowest first"),
        _answers(result, found),
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Scores", many(len(found.runs), "run"), [_numbers(found)]),
        Folded("Counts", many(found.counts.get("answers", 0), "answer"), [Facts(facts(found))]),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Scores", settings(record, _SCORED)), *_asked(found, record)]),
    ]
    return made


def _asked(found: NuggetsDetails, record: Record) -> list[tuple[str, list[tuple[str, str]]]]:
    return [] if found.run is None else [("Judge", settings(record, _ASKED))]


def _verdict(found: NuggetsDetails, record: Record) -> Verdict:
    main = told(found)
    first = max(found.runs, key=lambda one: one.scores[found.main].value)
    if main is not None:
        said = main[1]
    elif len(found.runs) > 1:
        said = f"{first.name} has the highest {found.main} of {many(len(found.runs), 'run')}."
    else:
        said = f"{100 * first.scores[found.main].value:.0f} % of the vital nuggets are fully supported."
    about = [many(found.queries, "question"), many(found.counts.get("nuggets", 0), "nugget"), moment(record)]
    beside = " ".join(sentence(found, one) for one in found.runs[:_FEW_RUNS])
    return Verdict("judge nuggets", about, found.signature, short(found.signature), said, [beside], notes(found))


def _bands(found: NuggetsDetails, record: Record) -> Iterator[Band]:
    failed = [one for one in record.gates if one.failure is not None]
    said = []
    if failed:
        several = len(record.gates) > 1
        said.append(f"{len(failed)} of {len(record.gates)} gates failed" if several else "the gate failed")
    tables = [gates_table(record.gates)] if failed else []
    if found.run is not None and found.run.failed:
        said.append(f"{many(found.run.failed, 'verdict')} failed")
        rows = [[reason, f"{times:,}"] for reason, times in found.run.failures.items()]
        tables.append(Table(["Reason", "Verdicts"], rows, "lr"))
    if said:
        yield Band(capital(", and ".join(said)), tables)


def _means(found: NuggetsDetails) -> Iterator[Mean]:
    several = len(found.runs) > 1
    names = list(_SAID) if len(found.runs) <= _FEW_RUNS else [found.main]
    for name in names:
        for run in found.runs:
            one = run.scores[name]
            between = f", 95 % interval {one.low:.3f} to {one.high:.3f}" if None not in (one.low, one.high) else ""
            yield Mean(
                f"{name}, {run.name}" if several else name,
                _SAID[name] if run is found.runs[0] else "",
                f"{one.value:.3f}",
                100 * one.value,
                None if one.low is None else 100 * one.low,
                None if one.high is None else 100 * one.high,
                f"{run.name}, {name}: {one.value:.3f}{between}",
            )


def _trust(found: NuggetsDetails) -> Facts:
    return Facts([("Judge", f"{found.judge}, {found.rubric}"), *(("", one) for one in trusted(found))])


def _answers(result: Result, found: NuggetsDetails) -> AnswerList:
    rows = result.table(LOWEST).to_dicts() if LOWEST in result.tables() else []
    texts = [[row["query"], row["answer"], *row["supported"], *row["partly"], *row["missing"]] for row in rows]
    kept = rows[: held(rows, texts)]
    cards = [_card(number, row, found) for number, row in enumerate(kept, 1)]
    runs = [one.name for one in found.runs]
    filters = [
        Filter(_key(runs, name), "", name, sum(row["run"] == name for row in kept))
        for name in runs
        if any(row["run"] == name for row in kept)
    ]
    total, said = found.counts.get("answers", 0), []
    if len(kept) < total:
        said.append(f"The page holds the {len(kept):,} lowest of {many(total, 'answer')}; per_query.parquet has all.")
    return AnswerList(filters if len(filters) > 1 else [], cards, [], "answers", len(kept), said)


def _key(runs: Sequence[str], name: str) -> str:
    return f"r{runs.index(name)}" if name in runs else "r"


def _card(number: int, row: Mapping[str, Any], found: NuggetsDetails) -> AnswerCard:
    runs = [one.name for one in found.runs]
    lacking = [("wrong", "in part", text) for text in row["partly"]]
    lacking += [("missed", "not", text) for text in row["missing"]]
    faults = [
        Fault(mark, f"{'vital' if vital else 'okay'}, {how} supported: {text}")
        for (mark, how, text), vital in sorted(zip(lacking, row["vital"], strict=True), key=lambda one: not one[1])
    ]
    lang = language(row["query"], row["answer"])
    named = [("run", row["run"])] if len(runs) > 1 else []
    document = [("document", row["document_id"])] if row["document_id"] else []
    shown = zip(found.runs[0].scores, row["scores"], strict=True)
    supported = "\n".join(f"✓ {text}" for text in row["supported"])
    return AnswerCard(
        number,
        row["query"],
        [_key(runs, row["run"])],
        "",
        "",
        faults,
        [Piece(row["answer"] or "(no text)")],
        [Piece(supported)] if supported else [],
        "",
        ("", ""),
        [("question", row["query_id"]), *named, *document, *((name, f"{value:.3f}") for name, value in shown)],
        (lang, lang, language(*row["supported"])),
        ("Answer", "Fully supported"),
        "every nugget is fully supported",
    )


def _numbers(found: NuggetsDetails) -> Table:
    rows = [row for one in found.runs for row in _of_run(one)]
    return Table(["Run", "Score", "Mean", "95 % interval", "Interval by", "Over"], rows, "llrrlr", grouped=True)


def _of_run(run: NuggetRun) -> Iterator[list[str]]:
    for name, one in run.scores.items():
        yield [run.name, name, f"{one.value:.4f}", ends(one), one.interval, f"{run.queries:,}"]
