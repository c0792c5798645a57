"""A check: a function that yields findings, named as the gate on its count; one of nothing counts as none."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchbench.audit.finding import Finding
from benchbench.audit.judged import Judged, NotDoneError


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check that was done, or not.

    Attributes
    ----------
    name
        As gates name its count.
    count
        How often it found something; None where it was not done.
    findings
        What there is to say.
    skipped
        Why it was not done; empty where it was.
    remark
        What it was done on, where that is not everything.
    effects
        What the scores can be at most, and the like, by the names of the numbers; None where there is no value.
    """

    name: str
    count: int | None
    findings: Sequence[Finding] = ()
    skipped: str = ""
    remark: str = ""
    effects: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a check says besides its findings."""

    effects: Sequence[float | None] = ()  # in the order of their names
    remark: str = ""
    count: int | None = None  # None: the findings' counts together


Look = Callable[[Judged], Iterator[Finding | Measured]]


class Described:
    """A check before it is done."""

    def __init__(self, look: Look, effects: Sequence[str]) -> None:
        """Take the function, whose name is that of the check, and the names of its effects at the cut-off k."""
        self.name, self._look, self._effects = look.__name__, look, effects

    def __call__(self, judged: Judged) -> Check:
        """Do it."""
        findings, measured = [], Measured()
        try:
            for result in self._look(judged):
                if isinstance(result, Measured):
                    measured = result
                elif result.count:
                    findings.append(replace(result, check=self.name))
        except NotDoneError as reason:
            return self.skipped(judged, str(reason))
        return Check(
            name=self.name,
            count=sum(finding.count for finding in findings) if measured.count is None else measured.count,
            findings=findings,
            remark=measured.remark,
            effects=dict(zip(self.effects(judged.cutoff), measured.effects, strict=True)),
        )

    def effects(self, k: int) -> list[str]:
        """Return the names of what it says of scores."""
        return [name.format(k=k) for name in self._effects]

    def skipped(self, judged: Judged, why: str) -> Check:
        """Return that it was not done."""
        return Check(name=self.name, count=None, skipped=why, effects=dict.fromkeys(self.effects(judged.cutoff)))


def check(*effects: str) -> Callable[[Look], Described]:
    """Make a check of a function; `effects` are the names of the numbers that it says of scores, with `{k}` in them."""
    return lambda look: Described(look, effects)
