"""What a run of a judge comes to, and how far to trust that: the sentences that a report begins with."""

from collections.abc import Mapping, Sequence

from benchbench.judging.details import JudgeDetails, RubricDetails
from benchbench.results.figures import estimate
from benchbench.results.headline import Headline
from benchbench.scores.names import MARKS
from benchbench.tables.shared_messages import and_joined, counted


def headline(found: JudgeDetails) -> Headline:
    """Return the scores, and below them what a reader must know before going by them."""
    said = [(MARKS[one.score.band], _scored(one)) for one in found.rubrics]
    return Headline(said, trust(found))


def trust(found: JudgeDetails) -> list[str]:
    """Return how far to trust the scores; what weighs most comes first."""
    said = []
    if found.own:
        said.append(of_own(found.own))
    for one in found.rubrics:
        if not one.calibration.refusal:
            said.append(f"{one.label} agrees with people: {one.calibration.said}.")
    refused = [one for one in found.rubrics if one.calibration.refusal]
    reasons = dict.fromkeys(one.calibration.refusal for one in refused)
    for reason in reasons:
        of = [one for one in refused if one.calibration.refusal == reason]
        known = "".join(f" ({one})" for one in dict.fromkeys(one.calibration.said for one in of) if one)
        said.append(f"How far to trust {and_joined([one.label for one in of])} is not known: {reason}{known}.")
    if found.is_trusted and refused:
        said.append("Gates go by these scores all the same: --trust-judge.")
    said += repeated(found)
    if left := left_out(found):
        said.append(left)
    said += found.cost.endpoint
    if found.attacked:
        said.append(of_attacks(found.attacked, "answer", found.attacks))
    return said


def of_own(models: Sequence[str]) -> str:
    """Return that a judge grades what it wrote itself."""
    return (
        f"The judge is the model that answers ({and_joined(models)}): models rate their own texts higher. Take another "
        "judge, or people's labels."
    )


def of_attacks(number: int, noun: str, kinds: Mapping[str, int]) -> str:
    """Return how many answers, or other things that were judged, look like an attack, and of which kinds."""
    have, listed = "has" if number == 1 else "have", ", ".join(f"{kind} {times:,}" for kind, times in kinds.items())
    return f"{counted(number, noun)} {have} what looks like an instruction to the judge; it was data ({listed})."


def left_out(found: JudgeDetails) -> str:
    """Return what is in no mean; empty where nothing is left out."""
    unscored = sum(one.unscored for one in found.rubrics)
    parts = [f"{counted(found.nulls, 'null answer')}, which nobody judged"] if found.nulls else []
    parts += [f"{counted(found.failed, 'failed verdict')} of {found.verdicts:,}"] if found.failed else []
    parts += [f"{counted(unscored, 'verdict')} that found nothing to score"] if unscored else []
    return f"In no mean: {and_joined(parts)}." if parts else ""


def _scored(one: RubricDetails) -> str:
    line = one.score
    if line.mean is None:
        return f"{one.name}: no score, of {counted(one.verdicts, 'verdict')}."
    low, high = one.scale
    scale = "" if (low, high) == (0.0, 1.0) else f" on a scale of {low:g} to {high:g}"
    band = f", {line.band}" if line.band else ""
    return f"{one.name}: {estimate(line.mean, line.low, line.high, 3)}{scale}{band}, over {counted(line.n, 'item')}."


def repeated(found: JudgeDetails) -> list[str]:
    """Return what judging a sample again has shown."""
    several = [one for one in found.rubrics if one.repeats.items]
    same = [one for one in several if not one.repeats.flipped]
    said = []
    for one in several:
        again = one.repeats
        if again.flipped:
            share, of = 100 * (again.flip_rate or 0.0), counted(again.items, "item")
            said.append(
                f"{one.label} changed the score of {again.flipped:,} of {of} that it judged {again.attempts} times "
                f"({share:.0f} %), by up to {again.most:.3g}."
            )
    if same:
        items, times = max(one.repeats.items for one in same), max(one.repeats.attempts for one in same)
        which = "" if len(same) == len(found.rubrics) else f" by {and_joined([one.label for one in same])}"
        said.append(f"Judged {times} times, {counted(items, 'item')} got the same scores{which}.")
    return said
