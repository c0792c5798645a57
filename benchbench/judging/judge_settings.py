"""Everything that a run of a judge depends on, besides the items; and how far its scores are trusted."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from benchbench.errors import InputError
from benchbench.results.ranges import COUNT, MONEY, REPEATS, SHARE
from benchbench.results.settings import (
    ADVANCED,
    GATES,
    USUAL_GIVE_UP_AFTER,
    GiveUpAfter,
    MaxErrorRate,
    Opt,
    Seed,
    check_described,
    described,
    in_section,
    shown_settings,
)

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric
    from benchbench.chat.model import ChatModel
    from benchbench.chat.prices import Price
    from benchbench.judging.agreement.calibration import Calibration

LEAST_KAPPA = 0.4  # what the lower end of kappa's interval must reach, by default


@in_section(GATES)
@described
@dataclass(frozen=True, kw_only=True)
class JudgeTrust:
    """How far the scores of a judge are trusted: what gates need to go by them."""

    calibrations: Annotated[
        tuple[Path, ...],
        Opt(
            "Results of `judge agreement` to go by.",
            flags=("--calibration",),
            is_repeated=True,
        ),
    ] = ()
    least_kappa: Annotated[float, Opt("Lowest kappa at which gates may go by scores.", SHARE)] = LEAST_KAPPA
    trusts_judge: Annotated[
        bool,
        Opt("Let gates use scores that no calibration supports.", flags=("--trust-judge",), parameter="trust_judge"),
    ] = False

    def __post_init__(self) -> None:
        """Check every value."""
        check_described(self)

    def known(self, rubrics: "Sequence[Rubric]", model: str) -> "dict[str, Calibration | None]":
        """Return what is known of a judge, by the label of each rubric; InputError for a folder that says nothing."""
        from benchbench.judging.judge_result import calibrations_of

        return calibrations_of(rubrics, model, self.calibrations)

    def shown(self) -> dict[str, Any]:
        """Return these settings as JSON values."""
        return {
            "calibration_folders": [str(folder) for folder in self.calibrations],
            "least_kappa": self.least_kappa,
            "trust_judge": self.trusts_judge,
        }


@in_section(ADVANCED)
@described
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
    fail_if
        Gates, one or several. (`--fail-if`)
    """

    rubrics: "Sequence[Rubric]"
    model: "ChatModel"
    price: "Price | None" = None
    _: KW_ONLY
    repeat: Annotated[
        int,
        Opt(
            "Times that items of a sample are judged.",
            REPEATS,
        ),
    ] = 2
    repeat_sample: Annotated[int, Opt("Items of that sample, drawn with --seed.", COUNT)] = 50
    cache: Annotated[
        Path | None,
        Opt(
            "File that keeps verdicts.",
            default="the user's",
        ),
    ] = None
    retry_failed: Annotated[bool, Opt("Ask again after refusals and cut-off answers.")] = False
    max_cost: Annotated[
        float | None,
        Opt("Most that the run may cost.", MONEY, metavar="USD"),
    ] = None
    seed: Seed = 0
    max_error_rate: MaxErrorRate = 0.0
    give_up_after: GiveUpAfter = USUAL_GIVE_UP_AFTER
    fail_if: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every value; one rubric may stand alone."""
        from benchbench.answers.judges.rubric import Rubric

        check_described(self)
        if isinstance(self.fail_if, str):
            object.__setattr__(self, "fail_if", (self.fail_if,))
        given = (self.rubrics,) if isinstance(self.rubrics, Rubric) else tuple(self.rubrics)
        object.__setattr__(self, "rubrics", given)
        labels = [rubric.label for rubric in given]
        if not labels:
            raise InputError("a judge needs a rubric; name one with --rubric")
        for label in labels:
            if labels.count(label) > 1:
                raise InputError(f"the rubric {label} is given twice; give it once")
        if self.max_cost is not None and self.price is None:
            raise InputError(
                f"--max-cost needs to know what the tokens of {self.model.name} cost; give --price IN,OUT in USD "
                "per million tokens (0,0 where they are free)"
            )

    def shown(self) -> dict[str, Any]:
        """Return the settings as JSON values, without secrets."""
        return {
            **self.model.shown(),
            "rubric": [rubric.label for rubric in self.rubrics],
            "rubric_digest": {rubric.label: rubric.digest for rubric in self.rubrics},
            "price": None
            if self.price is None
            else {name: getattr(self.price, name) for name in ("input", "output", "date", "source")},
            **shown_settings(self),
            "fail_if": list(self.fail_if),
        }
