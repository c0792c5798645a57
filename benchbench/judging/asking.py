"""Ask a judge about items: a few at a time, nothing twice, and never for more money than allowed."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from benchbench.answers.judges.prompt import Item, Prompt, prompt, repair
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.scores import NOTHING
from benchbench.answers.judges.verdict import VerdictReading, read
from benchbench.chat.answer import is_final
from benchbench.client.sync import run_sync
from benchbench.judging.cache import VerdictCache, begun, digest
from benchbench.judging.calls import Calls, JudgeReply
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.spending import Spent, dollars
from benchbench.judging.verdict import RepeatSample, Verdict
from benchbench.tables.callbacks import nothing
from benchbench.tables.shared_messages import and_joined

Take = Callable[[Item, Verdict], None]
Progress = Callable[[int], None]

_READ = ("score", "parts", "values", "rationale")  # members of a verdict that its text has
_TURN = 50  # verdicts after which other tasks have a turn: verdicts from the cache never wait


def judged(
    settings: JudgeSettings,
    items: Iterable[Item],
    take: Take = nothing,
    progress: Progress = nothing,
) -> tuple[Spent, RepeatSample]:
    """Ask about every item, by every rubric; for callers without `await`.

    Parameters
    ----------
    settings
        How.
    items
        Read as they are needed: not more than are asked about at once, and those of the sample, are in memory.
    take
        Called with an item and each of its verdicts, as they come: first those of the first attempt, of all items.
    progress
        Called with the number of verdicts so far.

    Returns
    -------
    Spent
        Counts and costs; not complete when Ctrl-C ended it.
    RepeatSample
        How repeatable the scores are.

    Raises
    ------
    InputError
        For a cache that cannot be used, and what `items` and `take` raise.
    UnreachableError
        When nothing answers at the judge's address.
    """
    return run_sync(_judged(settings, items, take, progress))


async def _judged(
    settings: JudgeSettings, items: Iterable[Item], take: Take, progress: Progress
) -> tuple[Spent, RepeatSample]:
    sample = RepeatSample(settings.repeat_sample if settings.repeat > 1 else 0, settings.seed)
    spent = Spent(paid=None, worst=None) if settings.price is None else Spent(paid=0, worst=0)
    with nullcontext() if settings.cache is None else VerdictCache(settings.cache) as cache:
        async with settings.model.session() as session:
            judge = ModelJudge(settings, Calls(settings, session, cache, spent))

            def done(asked: AskedVerdict, verdict: Verdict) -> None:
                sample.note(verdict)
                spent.note(verdict)
                take(asked.item, verdict)
                progress(spent.verdicts + spent.repeats)

            try:
                await _share(judge, _firsts(settings, items, sample), done)
                await _share(judge, _repeats(settings, sample), done)
            except asyncio.CancelledError:  # Ctrl-C
                spent.is_complete = False
            spent.notes = [*session.notes(), *spent.stored_failures()]
        if cache is not None:
            spent.problem = cache.problem
    return spent, sample


class AskedVerdict(NamedTuple):
    """What one verdict is asked for."""

    rubric: Rubric
    item: Item
    attempt: int


def _firsts(settings: JudgeSettings, items: Iterable[Item], sample: RepeatSample) -> Iterator[AskedVerdict]:
    for item in items:
        sample.add(item)
        for rubric in settings.rubrics:
            yield AskedVerdict(rubric, item, 1)


def _repeats(settings: JudgeSettings, sample: RepeatSample) -> Iterator[AskedVerdict]:
    for item in sample.items():
        for rubric in settings.rubrics:
            if sample.has_score(item.key, rubric.label):
                for attempt in range(2, settings.repeat + 1):
                    yield AskedVerdict(rubric, item, attempt)


async def _share(
    judge: "ModelJudge", asked: Iterator[AskedVerdict], done: Callable[[AskedVerdict, Verdict], None]
) -> None:
    """Ask with as many workers as requests may be under way; each takes the next item when it has a verdict.

    After an error nothing more is asked; requests under way are awaited, because they are paid for.
    """
    errors: list[Exception] = []

    async def work() -> None:
        try:
            for number, wanted in enumerate(asked):
                done(wanted, await judge.verdict(wanted))
                if errors:
                    return
                if number % _TURN == 0:
                    await asyncio.sleep(0)
        except Exception as error:
            errors.append(error)

    await asyncio.gather(*(work() for _ in range(judge.settings.model.concurrency)))
    if errors:
        raise errors[0]


class ModelJudge:
    """Verdicts by one model."""

    def __init__(self, settings: JudgeSettings, calls: Calls) -> None:
        """Ask by these calls."""
        self.settings = settings
        self._calls = calls
        self._model = tuple(f"{name}={value}" for name, value in settings.model.sampling().items())
        self._failed: set[bytes] = set()  # keys of first prompts that this run has asked without success

    async def verdict(self, asked: AskedVerdict) -> Verdict:
        """Return the verdict on an item: the stored one, or what the judge says."""
        if (lack := lacks(asked.rubric, asked.item)) is not None:
            return _failed(asked, lack)
        first = prompt(asked.rubric, asked.item)
        key = self._key(asked, first)
        judged = await self._judge(asked, first, key, is_fresh=False)
        if judged.failure is None or self.settings.cache is None:
            return judged
        is_worth_asking = self.settings.retry_failed or not is_final(judged.failure)
        if judged.is_cached and is_worth_asking and key not in self._failed:
            judged = await self._judge(asked, first, key, is_fresh=True)
        if judged.failure is not None and not judged.is_cached:
            self._failed.add(key)
        return judged

    async def _judge(self, asked: AskedVerdict, first: Prompt, key: bytes, is_fresh: bool) -> Verdict:
        with self._calls.reservation() as held:
            replies = [await self._calls.reply(first, key, asked.attempt, held, True, is_fresh)]
            reading = self._read(asked, replies[-1])
            if reading is not None and _needs_repair(reading):
                again = repair(first, replies[-1].text, reading.problem or "")
                key = self._key(asked, again)
                replies.append(await self._calls.reply(again, key, asked.attempt, held, False, is_fresh))
                reading = self._read(asked, replies[-1])
        verdict = _verdict(asked, replies, reading)
        if answered := sum(reply.is_answered for reply in replies):
            self._calls.note(answered, verdict.failure)
        return verdict

    def _key(self, asked: AskedVerdict, words: Prompt) -> bytes:
        """Return the key that an answer is stored under."""
        return digest((words.user, str(asked.attempt)), _beginning(self._model, asked.rubric.digest, words.system))

    def _read(self, asked: AskedVerdict, reply: JudgeReply) -> VerdictReading | None:
        return None if reply.failure is not None else read(asked.rubric, reply.text, asked.item)


@lru_cache(maxsize=64)
def _beginning(model: tuple[str, ...], rubric: str, system: str) -> "blake2b":
    return begun((*model, rubric, system))


def lacks(rubric: Rubric, item: Item) -> str | None:
    """Return the reason for a failure: which fields the rubric needs and the item lacks; None where it has all."""
    missing = [name for name in rubric.needs if _is_missing(name, item.fields.get(name))]
    return f"no {and_joined(missing)}, which {rubric.name} needs" if missing else None


def _is_missing(name: str, value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (name != "contexts" and not value)  # that nothing was retrieved can be judged


def _failed(asked: AskedVerdict, failure: str) -> Verdict:
    return Verdict(asked.item.key, asked.rubric.label, asked.attempt, failure=failure, cost=0.0)


def _needs_repair(reading: VerdictReading) -> bool:
    """Say that this is no verdict; a verdict that found nothing to score is one."""
    return reading.problem is not None and not reading.problem.startswith(NOTHING)


def _verdict(asked: AskedVerdict, replies: Sequence[JudgeReply], reading: VerdictReading | None) -> Verdict:
    failure = replies[-1].failure
    if reading is not None and _needs_repair(reading):
        failure = f"no verdict: {reading.problem}"
    usable = None if failure else reading
    kept = [reply.stored for reply in replies if reply.stored is not None]
    paid = _sum(reply.paid for reply in replies)
    return Verdict(
        asked.item.key,
        asked.rubric.label,
        asked.attempt,
        **{name: getattr(usable, name) for name in _READ if usable is not None},
        raw=kept[-1].said if kept else "",
        failure=failure,
        tokens_in=_sum(answer.tokens_in for answer in kept),
        tokens_out=_sum(answer.tokens_out for answer in kept),
        cost=None if paid is None else dollars(paid),
        seconds=sum(answer.seconds for answer in kept),
        is_repaired=len(replies) > 1,
        is_cached=bool(replies) and all(reply.is_cached for reply in replies),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum; None where one is not known, or there are none."""
    total = None
    for number in numbers:
        if number is None:
            return None
        total = number + (total or 0)
    return total
