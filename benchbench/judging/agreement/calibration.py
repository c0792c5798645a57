"""What is known of a judge, under which conditions it holds, and why a gate may not use it.

A calibration compares a judge with people. It holds for one model, one rubric as it is worded, and the data that was
judged. It expires, because the model behind a name changes. A results folder keeps the calibrations of its judges in
the setting `calibration` of its record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError, visible
from benchbench.judging.agreement.numbers import ALWAYS, Agreed
from benchbench.results.estimates import Estimate
from benchbench.results.figures import estimate
from benchbench.results.reading import check_folder, read_record
from benchbench.results.record import converted, utc
from benchbench.significance.prediction_powered import FEW

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric

SETTING = "calibration"
_AGE = 90  # days that a calibration is good for: the model behind a name changes
_SHOWN = 12  # characters of a digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How far a judge agrees with people, and for which model, rubric and data that holds.

    Attributes
    ----------
    model, rubric, digest
        The judge: its model, the label of its rubric, such as `relevance.ja@1`, and the digest of that; empty where
        they are not known, as of a file of grades alone.
    data
        Digest of the data that was judged.
    date
        UTC, ISO 8601.
    n, queries
        Pairs that people and judge have graded, and the queries that these are of.
    agreement
        By name: `kappa`, `weighted_kappa`, `alpha`, `agreement`, `bias`, and of each cut `kappa@2`.
    name
        What the report calls the judge.
    folder
        Where it was read; empty for one that was not.
    """

    model: str
    rubric: str
    digest: str
    data: str
    date: str
    n: int
    queries: int
    agreement: Mapping[str, Estimate]
    name: str = ""
    folder: str = ""

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa on all grades."""
        return self.agreement.get("kappa", Estimate(None))

    @property
    def said(self) -> str:
        """Return the few words that reports show beside a score by this judge."""
        kappa, day = self.kappa, self.date[:10]
        if kappa.value is None:
            return f"kappa unknown over {self.n:,} pairs, {day}"
        return f"kappa {estimate(kappa.value, kappa.low, kappa.high)} over {self.n:,} pairs, {day}"


def calibrated(agreed: Agreed, data: str, ended: float, **judge: str) -> Calibration:
    """Return what an agreement says of a judge.

    Parameters
    ----------
    agreed
        The agreement.
    data
        Digest of the data that was judged.
    ended
        Seconds since 1970.
    judge
        Its `model`, `rubric`, `digest` and `name`, as the attributes of `Calibration`.
    """
    values = {key: value for key, value in agreed.estimates.items() if key in ALWAYS or key.startswith("kappa@")}
    return Calibration(**judge, data=data, date=utc(ended), n=agreed.n, queries=agreed.queries, agreement=values)


def calibration_setting(calibrations: Sequence[Calibration]) -> dict[str, Any]:
    """Return the setting of a record that `calibrations_in` reads; empty without calibrations."""
    stored = [asdict(calibration) for calibration in calibrations]
    for members in stored:
        del members["folder"]
    return {SETTING: stored} if stored else {}


def calibrations_in(folder: Path) -> list[Calibration]:
    """Return the calibrations of a results folder, of any kind.

    Raises
    ------
    InputError
        When the folder is none, is damaged, or has none.
    """
    check_folder(folder)
    setting = read_record(folder / "record.json").settings.get(SETTING)
    calibrations: list[Calibration] = (
        [] if setting is None else converted(setting.value, list[Calibration], folder / "record.json")
    )
    if not calibrations:
        raise InputError(f"{folder} has no calibration; benchbench judge agreement HUMAN JUDGE --out FOLDER makes one")
    return [replace(calibration, folder=str(folder)) for calibration in calibrations]


def read_calibration(folder: Path, model: str | None = None, rubric: str | None = None) -> Calibration:
    """Return the calibration of a results folder: of `judge agreement`, or of a judge's run that had labels.

    Parameters
    ----------
    folder
        Where the results lie.
    model, rubric
        Which, where there are several: the model, and the label of the rubric. One that fits neither is taken where it
        is the only one, so that `refusal` can say what is different.

    Raises
    ------
    InputError
        When there is none, or several could be meant.
    """
    judges = calibrations_in(folder)
    fitting = [judge for judge in judges if model in (None, judge.model) and rubric in (None, judge.rubric)] or judges
    if len(fitting) > 1:
        several = ", ".join(visible(judge.name or f"{judge.model}/{judge.rubric}", 60) for judge in fitting)
        raise InputError(f"{folder} has calibrations of several judges ({several}); keep one per folder")
    return fitting[0]


def refusal(
    calibration: Calibration | None, model: str, rubric: "Rubric", data: str, needed: float, now: datetime | None = None
) -> str | None:
    """Return why a gate may not go by a judge's scores; None where it may.

    Parameters
    ----------
    calibration
        What is known of the judge; None where nothing is.
    model, rubric, data
        The judge that the scores are by, and the digest of the data that they are of.
    needed
        What the lower end of the interval of kappa must reach.
    now
        When the scores were made; by default this moment.
    """
    if calibration is None:
        return (
            f"the judge {visible(model, 80)} is not calibrated; to compare it with people's labels, run `benchbench "
            "judge agreement HUMAN JUDGE --out FOLDER`, then pass `--calibration FOLDER`"
        )
    return (
        _of_another(calibration, model, rubric, data)
        or _too_old(calibration, now or datetime.now(UTC))
        or _too_weak(calibration, needed)
    )


def _of_another(calibration: Calibration, model: str, rubric: "Rubric", data: str) -> str | None:
    """Return how the calibration differs from the judge or the data; None where it fits."""
    if not calibration.model or not calibration.digest:
        return (
            "the calibration does not say of which model and rubric it is: compare the judge's "
            "results folder, not a file of its grades, with people's labels"
        )
    if calibration.model != model:
        model_name = visible(calibration.model, 80)
        return f"the calibration is of the model {model_name}, and the judge is {visible(model, 80)}"
    if calibration.digest != rubric.digest:
        if calibration.rubric != rubric.label:
            return f"the calibration is of the rubric {visible(calibration.rubric, 80)}, and this is {rubric.label}"
        return (
            f"the wording of the rubric {rubric.label} has changed since its calibration "
            f"({_short(calibration.digest)}, now {_short(rubric.digest)})"
        )
    if calibration.data != data:
        return f"the calibration was made on other data ({_short(calibration.data)}, and this is {_short(data)})"
    return None


def _too_old(calibration: Calibration, now: datetime) -> str | None:
    try:
        date = datetime.fromisoformat(calibration.date)
    except ValueError:
        return f"the calibration has no date, but {visible(calibration.date, 40)!r}"
    since = now - (date if date.tzinfo else date.replace(tzinfo=UTC))
    if since <= timedelta(days=_AGE):
        return None
    return f"the calibration is {since.days:,} days old ({calibration.date[:10]}), and good for {_AGE:,}"


def _too_weak(calibration: Calibration, needed: float) -> str | None:
    kappa = calibration.kappa
    if calibration.n < FEW:
        return f"the calibration has {calibration.n:,} labels by people, and {FEW:,} are needed"
    if kappa.value is None:
        return "the calibration has no kappa"
    if kappa.low is None:
        return "kappa has no interval, so it says nothing about other queries"
    if kappa.low < needed:
        return (
            f"kappa of judge and people is {kappa.value:.3f}, at least {kappa.low:.3f} by its interval; {needed:g} is "
            "needed"
        )
    return None


def _short(digest: str) -> str:
    return visible(digest[:_SHOWN], _SHOWN) or "none"
