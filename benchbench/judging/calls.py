"""One call of a judge: answered from the cache, or sent within the budget, and stored before the next one starts."""

import asyncio
from dataclasses import dataclass

from benchbench.answers.judges.prompt import Prompt
from benchbench.chat.model import ChatReply, ChatSession, worst_tokens
from benchbench.judging.cache import StoredReply, VerdictCache
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.spending import Budget, CostReservation, Spent, cost, dollars

_REPAIR_BYTES = 4  # that a token of the text to repair is taken to have when the money is reserved
_WORDS = 4  # bytes of a token of ASCII text, about
USUAL_OUT = 250  # tokens of a verdict, where nothing is stored to go by
_RUNAWAY = 100  # times the estimate: prices or counts are not what was meant, however long the model thinks
TOO_COSTLY = "not judged: --max-cost does not allow it"


class TooCostlyError(Exception):
    """One more request might cost more than is left."""


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """The result of a call."""

    stored: StoredReply | None  # None where no answer came; `failure` says why
    failure: str | None  # why there is no text that could be a verdict
    paid: int | None  # picodollars, by this run; None where that is not known
    is_cached: bool
    is_answered: bool = False  # by the endpoint, in this run, whatever it said

    @property
    def text(self) -> str:
        """Return what the model said; empty where nothing came."""
        return "" if self.stored is None else self.stored.said


def worst_repair_tokens(asked: Prompt, max_tokens: int) -> tuple[int, int]:
    """Return how many tokens the request for the right format, and its answer, are taken to have at most."""
    most_in, most_out = worst_tokens(asked.system, asked.user, max_tokens, asked.schema)
    return most_in + _REPAIR_BYTES * most_out, most_out


def usual_tokens(asked: Prompt) -> int:
    """Return about how many tokens a prompt has."""
    return _estimate(asked.system) + _estimate(asked.user)


def _estimate(text: str) -> int:
    if text.isascii():
        return len(text) // _WORDS + 1
    plain = sum(map(str.isascii, text))
    return plain // _WORDS + len(text) - plain + 1


class Calls:
    """Calls of one endpoint, with its cache and its budget."""

    def __init__(
        self, settings: JudgeSettings, session: ChatSession | None, cache: VerdictCache | None, spent: Spent
    ) -> None:
        """Start with nothing spent; `spent` is kept up to date."""
        self._model = settings.model
        self._price = settings.price
        self._session = session
        self._cache = cache
        self._spent = spent
        self._budget = Budget(settings.max_cost)
        self._give_up_after = settings.give_up_after
        self._row = 0  # calls since the last verdict
        self._stopped: str | None = None  # why nothing more is asked
        self._under_way: dict[bytes, asyncio.Future[None] | None] = {}  # whom the others wait for, once one does

    def reservation(self) -> CostReservation:
        """Return a reservation for the cost of one verdict."""
        return CostReservation(self._budget)

    def note(self, calls: int, failure: str | None) -> None:
        """Note what became of calls for a verdict; after too many in a row without one, nothing more is asked."""
        if failure is None:
            self._row = 0
            return
        self._row += calls
        if self._stopped is None and 0 < self._give_up_after <= self._row:
            self._stopped = f"not asked: {self._row:,} calls in a row gave no verdict, the last with: {failure}"

    def _worst(self, asked: Prompt) -> int:
        """Return what a request can cost at most, in picodollars; 0 without a price."""
        if self._price is None:
            return 0
        return cost(self._price, *worst_tokens(asked.system, asked.user, self._model.max_tokens, asked.schema))

    async def _hold(self, asked: Prompt, held: CostReservation, may_be_repaired: bool) -> bool:
        """Reserve the most that a request, and one for the right format, can cost; False when that cannot be."""
        if not self._budget.has_limit or self._price is None:
            return True
        again = cost(self._price, *worst_repair_tokens(asked, self._model.max_tokens)) if may_be_repaired else 0
        return await held.hold(self._worst(asked) + again)

    async def reply(
        self, asked: Prompt, key: bytes, attempt: int, held: CostReservation, may_be_repaired: bool, is_fresh: bool
    ) -> JudgeReply:
        """Return what the model says: what is stored, or else what it answers.

        Parameters
        ----------
        asked
            The prompt.
        key
            Under which the answer is stored.
        attempt
            Of the verdict; it changes the seed of the model.
        held
            Holds the money of the verdict.
        may_be_repaired
            Whether a second call may follow, for the right format.
        is_fresh
            Whether what is stored does not count.
        """
        if self._cache is None:
            return await self._ask(asked, attempt, held, may_be_repaired)
        while key in self._under_way:  # the same words, of another item
            other = self._under_way[key] = self._under_way[key] or asyncio.get_running_loop().create_future()
            await asyncio.shield(other)
        if not is_fresh and (stored := self._cache.find(key)) is not None:
            return JudgeReply(stored, stored.failure, 0, True)
        self._under_way[key] = None
        try:
            reply = await self._ask(asked, attempt, held, may_be_repaired)
            if reply.stored is not None:
                await self._cache.keep(key, reply.stored)
        finally:
            if (others := self._under_way.pop(key)) is not None:
                others.set_result(None)
        return reply

    async def _ask(self, asked: Prompt, attempt: int, held: CostReservation, may_be_repaired: bool) -> JudgeReply:
        unanswered_before, is_sent = 0, False
        is_allowed = await self._hold(asked, held, may_be_repaired)
        if self._stopped is not None:
            return JudgeReply(None, self._stopped, 0, False)
        if not is_allowed:
            return JudgeReply(None, TOO_COSTLY, 0, False)

        def on_send(unanswered: int) -> None:
            nonlocal unanswered_before, is_sent
            if unanswered > unanswered_before and not held.add(self._worst(asked)):  # beside what may be billed already
                is_sent, unanswered_before = False, unanswered
                raise TooCostlyError
            is_sent, unanswered_before = True, unanswered

        assert self._session is not None
        seed = None if self._model.seed is None else self._model.seed + attempt - 1
        try:
            reply = await self._session.ask(asked.system, asked.user, asked.schema, asked.name, on_send, seed)
        except BaseException as error:
            unknown = unanswered_before + is_sent
            self._spent.possibly_billed += unknown
            self._spend(held, 0, unknown and unknown * self._worst(asked))
            if isinstance(error, TooCostlyError):
                return JudgeReply(None, TOO_COSTLY, None, False)
            raise
        return self._paid(asked, reply, held)

    def _paid(self, asked: Prompt, reply: ChatReply, held: CostReservation) -> JudgeReply:
        spent, unknown = self._spent, reply.possibly_billed
        spent.possibly_billed += reply.possibly_billed
        paid, stored = 0, None
        if reply.text is not None or reply.finish is not None:  # the model has answered, whatever it said
            spent.calls += 1
            text = reply.text or reply.excerpt or ""
            stored = StoredReply(text, reply.failure, reply.tokens_in, reply.tokens_out, reply.seconds)
            if reply.tokens_in is None or reply.tokens_out is None:
                spent.uncounted += 1
                unknown += 1
            else:
                spent.tokens_in += reply.tokens_in
                spent.tokens_out += reply.tokens_out
                paid = 0 if self._price is None else cost(self._price, reply.tokens_in, reply.tokens_out)
                self._check(asked, paid)
        self._spend(held, paid, unknown and unknown * self._worst(asked))
        return JudgeReply(stored, reply.failure, None if unknown or self._price is None else paid, False, True)

    def _check(self, asked: Prompt, paid: int) -> None:
        """Stop asking after a call that cost far more than estimated, and more than a request can cost."""
        if self._price is None or self._stopped is not None or paid <= self._worst(asked):
            return
        estimate = cost(self._price, usual_tokens(asked), USUAL_OUT)
        if paid >= _RUNAWAY * estimate:
            self._stopped = (
                f"not asked: a call cost ${dollars(paid):,.4g} and was estimated at ${dollars(estimate):,.4g}; check "
                "--price, and the tokens that the endpoint counts"
            )

    def _spend(self, held: CostReservation, paid: int, unknown: int) -> None:
        """Note what a call has cost, and what it may have cost besides."""
        held.use(paid + unknown)
        if self._spent.paid is not None and self._spent.worst is not None:
            self._spent.paid += paid
            self._spent.worst += paid + unknown
