"""Everything that a run of a judge depends on, besides the items."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbench.answers.judges.rubric import Rubric
from benchbench.client.breaker import LIMIT
from benchbench.client.chat import ChatModel
from benchbench.errors import InputError
from benchbench.tables.numbers import COUNT, COUNT_OR_0, MONEY, REPEATS, SEED, SHARE, check

if TYPE_CHECKING:
    from benchbench.client.prices import Price

SAMPLE = 50  # items that are asked about again, by default


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How items are judged.

    Attributes
    ----------
    rubrics
        One or several; each item is judged by each.
    model
        The judge, and how many requests are under way at once.
    price
        Of its tokens; None where it is not known. (`--price`)
    repeat
        How many times the items of a sample are judged; 1: once, as the others. (`--repeat`)
    repeat_sample
        Items of that sample, which are all in memory. (`--repeat-sample`)
    cache
        File of what judges have said; None: nothing is stored. (`--cache`)
    retry_failed
        Whether a stored refusal, or an answer that was cut off, is asked for again, as other failures always are.
        (`--retry-failed`)
    max_cost
        USD that the run may cost at most. (`--max-cost`)
    seed
        Of the sample. (`--seed`)
    max_error_rate
        Share of verdicts that may fail. (`--max-error-rate`)
    fail_if
        Gates, one or several. (`--fail-if`)
    give_up_after
        Calls in a row without a verdict after which nothing more is asked, 0 for never. (`--give-up-after`)
    """

    rubrics: Sequence[Rubric]
    model: ChatModel
    price: "Price | None" = None
    repeat: int = 2
    repeat_sample: int = SAMPLE
    cache: Path | None = None
    retry_failed: bool = False
    max_cost: float | None = None
    seed: int = 0
    max_error_rate: float = 0.0
    fail_if: tuple[str, ...] = ()
    give_up_after: int = LIMIT

    def __post_init__(self) -> None:
        """Check every value; one rubric may stand alone."""
        check(self, repeat=REPEATS, repeat_sample=COUNT, seed=SEED, max_error_rate=SHARE, give_up_after=COUNT_OR_0)
        if isinstance(self.fail_if, str):
            object.__setattr__(self, "fail_if", (self.fail_if,))
        given = (self.rubrics,) if isinstance(self.rubrics, Rubric) else tuple(self.rubrics)
        object.__setattr__(self, "rubrics", given)
        labels = [one.label for one in given]
        if not labels:
            raise InputError("a judge needs a rubric; name one with --rubric")
        for label in labels:
            if labels.count(label) > 1:
                raise InputError(f"the rubric {label} is given twice; name it once")
        if self.max_cost is not None:
            object.__setattr__(self, "max_cost", MONEY.take(self.max_cost, "--max-cost"))
            if self.price is None:
                raise InputError(
                    f"--max-cost needs to know what the tokens of {self.model.name} cost; give --price IN,OUT in USD "
                    "per million tokens (0,0 where they are free)"
                )

    def shown(self) -> dict[str, Any]:
        """Return the settings as JSON values, without secrets."""
        return {
            **self.model.shown(),
            "rubric": [one.label for one in self.rubrics],
            "rubric_digest": {one.label: one.digest for one in self.rubrics},
            "price": None
            if self.price is None
            else {name: getattr(self.price, name) for name in ("input", "output", "date", "source")},
            "repeat": self.repeat,
            "repeat_sample": self.repeat_sample,
            "cache": None if self.cache is None else str(self.cache),
            "retry_failed": self.retry_failed,
            "max_cost": self.max_cost,
            "seed": self.seed,
            "max_error_rate": self.max_error_rate,
            "fail_if": list(self.fail_if),
            "give_up_after": self.give_up_after,
        }
