"""The result of a run of judges, and its record."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from benchbench.judging.details import JudgeDetails, RubricDetails, trust
from benchbench.judging.folder import tables_in_memory
from benchbench.judging.lowest_scores import LowestVerdict
from benchbench.results.record import (
    Count,
    Note,
    Number,
    Record,
    Scope,
    Subject,
    counts_of,
    failures_of,
)
from benchbench.scores.numbers import mean_number
from benchbench.scores.result import ScoresResult, in_verdict
from benchbench.scores.tables import table_of
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    import polars as pl

LOWEST = "lowest_scores"
FLIP_RATE, SPREAD = "flip_rate", "repeat_spread"
LATENCIES = ("latency", "latency_p50", "latency_p99")


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgeOutcome(ScoresResult):
    """The result of a run of a judge; `answers` among its options names what was judged.

    Attributes
    ----------
    lowest
        The verdicts with the lowest scores, for its page.
    verdicts, attacks
        The rows of the tables, where they are kept in memory; None where a folder has them.
    """

    kind = "judge"
    libraries: ClassVar[tuple[str, ...]] = ("aiohttp", "jsonschema_rs", "orjson")

    found: JudgeDetails
    lowest: Sequence[LowestVerdict] = ()
    verdicts: Sequence[Mapping[str, Any]] | None = None
    attacks: Sequence[Mapping[str, Any]] | None = None

    @property
    def subject(self) -> str:
        """Return the name of the judge's model."""
        return self.found.model

    def to_record(self) -> Record:
        """Return the record."""
        found, options = self.found, self.options
        data = options.get("ground_truth") or options.get("answers")
        return self._of_judge(
            notes(found),
            source=str(options.get("answers") or self.subject),
            data=self._data("answers", data, found.items),
            numbers=list(numbers(found)),
            counts=[
                *counts_of({
                    "items": found.items,
                    "null_answers": found.nulls,
                    "verdicts": found.verdicts,
                    **self._asked(),
                }),
                *(
                    Count(name=name, count=getattr(one, name), scope=scope(found, one))
                    for one in found.rubrics
                    for name in ("verdicts", "judged", "unscored", "failed")
                ),
            ],
        )  # fmt: skip

    def _of_judge(self, notes: Iterable[Note], source: str, **members: Any) -> Record:
        """Return the record of a run of a judge; `source` is what was judged."""
        found = self.found
        return self._record(
            notes,
            name=self.subject,
            subject=[Subject(name=self.subject, source=source, signature=found.signature)],
            failures=[one for its in found.rubrics for one in failures_of(its.failures, scope(found, its))],
            **members,
        )

    def _asked(self) -> dict[str, int]:
        """Return the counts of what was asked again, failed, and looked like an attack."""
        found = self.found
        again = {"failed": found.failed, "repeats": found.repeats, "repeats_failed": found.repeats_failed}
        return {**again, **found.cost.counts(), "attacked": found.attacked}

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables: the lowest scores, and the verdicts and attacks where they are in memory."""
        made = tables_in_memory(self.verdicts, self.attacks)
        if self.lowest:
            made[LOWEST] = partial(table_of, LowestVerdict, self.lowest)
        return made


def scope(found: JudgeDetails, one: RubricDetails) -> Scope:
    """Return the scope of the numbers of a rubric."""
    return {"judge": found.model, "rubric": one.label}


def numbers(found: JudgeDetails) -> Iterator[Number]:
    """Yield the numbers: of each rubric, and what the run has cost."""
    for one in found.rubrics:
        of = scope(found, one)
        yield mean_number(one.name, one.score.as_mean(), of, better="higher")
        for name, part in one.parts.items():
            yield mean_number(f"{one.name}_{name}", part.as_mean(), of)
        if one.repeats.items:
            again = one.repeats
            yield Number(name=FLIP_RATE, value=again.flip_rate, n=again.items, better="lower", scope=of)
            yield Number(name=SPREAD, value=again.spread, n=again.items, better="lower", scope=of)
        for column, name, group in one.groups():
            yield mean_number(one.name, group.score.as_mean(), {**of, "slice": f"{column}={name}"}, better="higher")
    total, cost = found.verdicts, found.cost
    yield Number(name="errors", value=float(found.failed), n=total, better="lower")
    yield Number(name="error_rate", value=found.failed / total if total else None, n=total, better="lower")
    if cost.price is not None:
        yield Number(name="cost", value=cost.cost, n=cost.calls, unit="USD", better="lower")
        yield Number(name="worst_cost", value=cost.worst_cost, n=cost.calls, unit="USD", better="lower")
    if cost.latency_mean is not None:
        for name, value in zip(LATENCIES, (cost.latency_mean, cost.latency_p50, cost.latency_p99), strict=True):
            yield Number(name=name, value=value, unit="s", better="lower")


def notes(found: JudgeDetails) -> list[Note]:
    """Return one sentence per thing that the scores leave out or assume; what weighs most stands in the verdict too."""
    cost, said = found.cost, []
    if cost.uncounted:
        said.append(f"The endpoint did not say how many tokens {counted(cost.uncounted, 'call')} had.")
    if cost.possibly_billed:
        said.append(f"{counted(cost.possibly_billed, 'request')} without an answer may be billed all the same.")
    if found.problem:
        said.append(f"{found.problem[0].upper()}{found.problem[1:]}; verdicts after that were not stored.")
    return [*in_verdict(trust(found)), *(Note(text=text) for text in said)]
