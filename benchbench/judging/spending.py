"""What a run of a judge has done so far: counts, tokens, money, time."""

from array import array
from collections import Counter
from dataclasses import dataclass, field

from benchbench.judging.cost import dollars
from benchbench.judging.verdict import Verdict

_MOST_REASONS = 100
_OTHER = "other reasons"


def count_reason(reasons: Counter[str], reason: str) -> None:
    """Count why something failed; more different reasons than a report could list are counted as others."""
    reasons[reason if reason in reasons or len(reasons) < _MOST_REASONS else _OTHER] += 1


@dataclass(slots=True)
class Spent:
    """What a run has done. Repeats are counted by themselves: `verdicts` and `failures` are of first attempts."""

    verdicts: int = 0  # with the failed ones
    repeats: int = 0  # further attempts, of `--repeat`, with the failed ones
    repeats_failed: int = 0
    failures: Counter[str] = field(default_factory=Counter)  # by reason
    calls: int = 0  # requests that an answer was waited for, those for the right format among them
    cached: int = 0  # verdicts that were stored before
    repaired: int = 0  # verdicts that came at the second request, in this run
    tokens_in: int = 0  # of this run, as the endpoint counted them
    tokens_out: int = 0
    uncounted: int = 0  # calls whose tokens the endpoint did not say
    possibly_billed: int = 0  # requests that were sent and never answered
    paid: int | None = None  # picodollars, of the calls whose tokens are known; None without a price
    worst: int | None = None  # the same with the most that the other calls may have cost
    seconds: "array[float]" = field(default_factory=lambda: array("d"))  # of each verdict that was asked for
    is_complete: bool = True  # False when Ctrl-C ended the run
    problem: str | None = None  # with the cache
    cached_failed: int = 0  # first attempts whose failure was stored before
    notes: list[str] = field(default_factory=list)  # on the endpoint and what is stored, as sentences

    @property
    def cost(self) -> float | None:
        """Return what is known to have been paid, in USD."""
        return None if self.paid is None else dollars(self.paid)

    @property
    def worst_cost(self) -> float | None:
        """Return what was paid at most: calls whose tokens are not known count as their worst case."""
        return None if self.worst is None else dollars(self.worst)

    @property
    def failed(self) -> int:
        """Return the number of first attempts without a verdict."""
        return sum(self.failures.values())

    def stored_failures(self) -> list[str]:
        """Return how to ask again for the failures that were stored; nothing where there are none."""
        many, have = self.cached_failed, "comes" if self.cached_failed == 1 else "come"
        verdicts = "failed verdict" if many == 1 else "failed verdicts"
        return [f"{many:,} {verdicts} {have} from the cache; --retry-failed asks again."] if many else []

    def note(self, verdict: Verdict) -> None:
        """Count a verdict, or that there is none."""
        if verdict.attempt > 1:
            self.repeats += 1
            self.repeats_failed += verdict.failure is not None
        else:
            self.verdicts += 1
            if verdict.failure is not None:
                self.cached_failed += verdict.is_cached
                count_reason(self.failures, verdict.failure)
        self.cached += verdict.is_cached
        if not verdict.is_cached:
            self.repaired += verdict.is_repaired and verdict.failure is None
            if verdict.seconds > 0.0:
                self.seconds.append(verdict.seconds)
