"""Nuggets assigned by a judge: what each answer supports, in windows of some nuggets at a time, and then the scores."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from benchbench.answers.judges.attacks import attacks
from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.scores import Share
from benchbench.errors import InputError, InterruptedRunError
from benchbench.formats.nuggets import (
    Assigned,
    NuggetSet,
    Rows,
    RunAnswer,
    assigned_line,
    read_nuggets,
    read_run_answers,
)
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.item_options import NuggetOptions
from benchbench.judging.judge_details import JudgeDetails
from benchbench.judging.judge_folder import JudgeFolder
from benchbench.judging.judge_run import AttackSink, JudgeRun, Sink
from benchbench.judging.judge_settings import JudgeSettings, JudgeTrust
from benchbench.judging.names import same_model
from benchbench.judging.nuggets.nuggets_result import NuggetOutcome, gated, parse_gates
from benchbench.judging.nuggets.scores import details, sources
from benchbench.judging.nuggets.tally import NuggetTally
from benchbench.judging.verdict import Verdict
from benchbench.results.settings import described
from benchbench.results.verdict import too_many_failures
from benchbench.tables.callbacks import nothing
from benchbench.tables.nuggets import ASSIGNMENTS, FAILED, NOT_SUPPORT, Nugget

RUBRIC = "nugget_assignment"
_ASSIGNMENTS_FILE = "assignments.jsonl"

Write = Callable[[Assigned], None]


class NuggetFolder(JudgeFolder):
    """The folder of a judge, with the assignments of each complete answer as the track's tool writes them."""

    kind = "run of a judge of nuggets"
    files = (*JudgeFolder.files, _ASSIGNMENTS_FILE)

    def write(self, assigned: Assigned) -> None:
        """Store an answer with its assignments."""
        self._append(_ASSIGNMENTS_FILE, orjson.dumps(assigned_line(assigned), option=orjson.OPT_APPEND_NEWLINE))


@described
@dataclass(frozen=True)
class NuggetsToAssign(NuggetOptions, JudgeTrust):
    """Which nuggets are looked for in which answers.

    Attributes
    ----------
    nuggets
        A file of JSON lines, or rows: `qid`, `query` and `nuggets`, a list of objects with `text` and `importance`.
    answers
        Files, or rows: `qid` or `topic_id`, `run_id`, and `answer`, a text or a list of objects with `text`.
    """

    nuggets: Path | str | Rows = field(kw_only=False)
    answers: Path | str | Rows | Sequence[Path] = field(kw_only=False)

    def wanted(self) -> dict[str, NuggetSet]:
        """Return the nuggets of each question."""
        return read_nuggets(Path(self.nuggets) if isinstance(self.nuggets, str) else self.nuggets)

    def shown(self) -> dict[str, Any]:
        """Return what is given as JSON values."""
        return {
            "nuggets": str(self.nuggets) if isinstance(self.nuggets, Path | str) else "rows",
            "answers": sources(self.answers)[1],
            "window": self.window,
            "answered_by": self.answered_by,
            "baseline": self.baseline,
            **super().shown(),
        }


def assign_nuggets(
    given: NuggetsToAssign,
    settings: JudgeSettings,
    write: Write = nothing,
    sink: Sink | None = None,
    attack_sink: AttackSink | None = None,
    progress: Callable[[int], None] = nothing,
    options: Mapping[str, Any] | None = None,
) -> NuggetOutcome:
    """Let a judge assign nuggets, and score the answers.

    Parameters
    ----------
    given
        Nuggets and answers.
    settings
        The judge; its rubric assigns nuggets, as `nugget_assignment` does.
    write
        Called with each answer and its assignments, in the order of the answers.
    sink, attack_sink
        Called with each verdict, and with what looks like an attack. Without them the result has both as tables, in
        memory.
    progress
        Called with the number of verdicts so far.
    options
        Further settings for the record.

    Raises
    ------
    InputError
        For nuggets, answers, gates, a calibration or a cache that cannot be used.
    UnreachableError
        When nothing answers at the judge's address.
    InterruptedRunError
        When Ctrl-C ended it: means over a part of the answers would be of other questions.
    """
    gates, by, wanted = parse_gates(settings.fail_if, True), _rubric(settings), given.wanted()
    run = JudgeRun(settings, given, sink, attack_sink)  # refuses an unusable calibration before anything is paid
    tally = NuggetTally(wanted)

    def finished(assigned: Assigned) -> None:
        tally.add(assigned)
        write(assigned)

    windows = _Windows(
        given=given, wanted=wanted, model=run.model, label=by.label, finished=finished, attacked=run.attack
    )

    def take(item: Item, verdict: Verdict) -> None:
        run.tally.add(verdict)
        windows.take(item, verdict)

    run.ask(windows, take, progress, looks=False)  # windows of one answer have one text: it is looked through once
    if not run.spent.is_complete:
        raise InterruptedRunError("interrupted; with a cache, stored verdicts are not asked for again")
    for name, query in tally.missing():
        write(_unanswered(name, query, wanted[query], run.model, by.label))
    tally.counts.update(windows.counts)
    judge = run.details(
        JudgeDetails,
        tally.data_digest,
        items=windows.answers,
        nulls=windows.counts["empty"],
        own=list(windows.own),
    )
    calibration, seed = asdict(judge.rubrics[0].calibration), settings.seed
    trust = {**calibration, "is_trusted": judge.is_trusted}
    result = details(tally, given.baseline, seed, run.model, by.label, run=judge, **trust)
    broken = too_many_failures(judge.failed, judge.verdicts, settings.max_error_rate, judge.failures, what="verdicts")
    return run.outcome(NuggetOutcome, options, found=result, tally=tally, gates=gated(gates, result, broken))


def planned_assignments(given: NuggetsToAssign, settings: JudgeSettings) -> Planned:
    """Return what assigning nuggets would ask and cost; nothing is sent."""
    parse_gates(settings.fail_if, True)
    by = _rubric(settings)
    windows = _Windows(given=given, wanted=given.wanted(), model=settings.model.name, label=by.label, finished=nothing)
    return planned(settings, _given_up(windows))


def _given_up(windows: "_Windows") -> Iterator[Item]:
    """Yield the windows; each is finished at once, so that no answer stays in memory."""
    for item in windows:
        yield item
        windows.take(item, Verdict(item.key, windows.label))


def _rubric(settings: JudgeSettings) -> Rubric:
    """Return the rubric; InputError for one that does not assign nuggets."""
    first, *more = settings.rubrics
    rule = first.rule
    words = rule.worth.keys() if isinstance(rule, Share) and rule.each == "nuggets" else set()
    if more or not words or not words <= set(ASSIGNMENTS):
        raise InputError(
            f"--rubric {settings.rubrics[-1].name} does not assign nuggets; take {RUBRIC}, or a file whose score has "
            f"the rule share, each = nuggets and words among {', '.join(ASSIGNMENTS)}"
        )
    return first


@dataclass(slots=True)
class _Answer:
    """An answer while its nuggets are assigned."""

    answer: RunAnswer
    query: str
    nuggets: list[Nugget]
    left: int  # windows without a verdict


@dataclass(slots=True, kw_only=True)
class _Windows:
    """Yields the windows of each answer as items, and joins their verdicts again, in the order of the answers.

    An answer is in memory from its first window until it and all before it are complete.
    """

    given: NuggetsToAssign
    wanted: Mapping[str, NuggetSet]
    model: str
    label: str
    finished: Write
    attacked: AttackSink = nothing
    counts: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    own: dict[str, None] = field(default_factory=dict)  # runs that are the judge's model
    _open: dict[int, _Answer] = field(default_factory=dict)
    _next: int = 0  # the answer that is finished next

    def __iter__(self) -> Iterator[Item]:
        """Yield the windows; an empty answer is asked nothing, and supports nothing."""
        seen: set[tuple[str, str]] = set()
        for source in sources(self.given.answers)[0]:
            for answer in read_run_answers(source):
                yield from self._items(answer, seen)
        if not self.answers:
            raise InputError("no answer belongs to a question with nuggets, so there is nothing to judge")

    def take(self, item: Item, verdict: Verdict) -> None:
        """Put the assignments of a window in their places."""
        number, first = item.about
        pending = self._open[number]
        size = len(item.fields["nuggets"])
        words = _words(verdict, size) or [FAILED] * size
        for place, word in enumerate(words, first):
            pending.nuggets[place] = pending.nuggets[place]._replace(assignment=word)
        pending.left -= 1
        self._release()

    def _items(self, answer: RunAnswer, seen: set[tuple[str, str]]) -> Iterator[Item]:
        wanted = self.wanted.get(answer.query_id)
        if wanted is None:
            self.counts["unknown_queries"] += 1
            return
        run = answer.run
        if (run, answer.query_id) in seen:
            raise InputError(f"the run {run} answers the question {answer.query_id} twice; remove one of the two")
        seen.add((run, answer.query_id))
        self._note(answer)
        number, query = self.answers, wanted.query or answer.query
        self.answers += 1
        is_empty = not answer.answer.strip()
        self.counts["empty"] += is_empty
        starts = () if is_empty else range(0, len(wanted.nuggets), self.given.window)
        left = [nugget._replace(assignment=NOT_SUPPORT if is_empty else None) for nugget in wanted.nuggets]
        self._open[number] = _Answer(answer, query, left, len(starts))
        for first in starts:
            texts = [nugget.text for nugget in wanted.nuggets[first : first + self.given.window]]
            fields = {"question": query, "answer": answer.answer, "nuggets": texts}
            yield Item(f"{run}\t{answer.query_id}\t{first + 1}", fields, about=(number, first))
        self._release()

    def _note(self, answer: RunAnswer) -> None:
        by = self.given.answered_by or answer.run
        if by not in self.own and same_model(by, self.model):
            self.own[by] = None
        item = Item(f"{answer.run}\t{answer.query_id}", {"answer": answer.answer})
        self.attacked(item, attacks(item))

    def _release(self) -> None:
        while (pending := self._open.get(self._next)) is not None and not pending.left:
            del self._open[self._next]
            self._next += 1
            answer = pending.answer
            about = answer.run, answer.query_id, "", pending.query, answer.answer
            self.finished(Assigned(*about, pending.nuggets, self.model, self.label))


def _words(verdict: Verdict, size: int) -> list[str] | None:
    """Return the assignment of each nugget of a window; None where there is no verdict."""
    if verdict.values is None:
        return None
    words = [""] * size
    for entry in verdict.values["assignments"]:
        words[entry["nugget"] - 1] = entry["assignment"]
    return words


def _unanswered(run: str, query: str, wanted: NuggetSet, judge: str, label: str) -> Assigned:
    nuggets = [nugget._replace(assignment=NOT_SUPPORT) for nugget in wanted.nuggets]
    return Assigned(run, query, "", wanted.query, "", nuggets, judge, label)
