"""What a comparison comes to: of each pair, in how many measures a difference is shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline

if TYPE_CHECKING:
    from benchbench.comparison.agreement_outcome import AgreementDetails
    from benchbench.comparison.compare_result import CompareDetails
    from benchbench.comparison.load_pairs import LoadsDetails

_CHANGED = "top_changed"
_PAIRS = 6  # that have a sentence
Counts = tuple[int, int, int]  # better, worse, not shown


def headline(details: "CompareDetails") -> Headline:
    """Return what a report begins with."""
    directions: dict[tuple[str, str], list[int]] = {pair: [] for pair in details.pairs}
    for one in details.differences:
        directions[one.baseline, one.system].append(one.direction)
    of = {pair: _counts(its) for pair, its in directions.items()}
    only = details.measures[0] if len(details.measures) == 1 else ""
    advice = []
    if any(unclear for _, _, unclear in of.values()) and details.settings.need is None:
        advice.append("Not shown is not the same as equal: --need 0.02 says how many queries would show 0.02.")
    return _cut([_sentence(*pair, counts, "measures", only) for pair, counts in of.items()], advice)


def headline_of_loads(found: "LoadsDetails") -> Headline:
    """Return what a report on load tests begins with."""
    pairs = dict.fromkeys((one.baseline, one.system) for one in found.differences)
    of = {
        pair: [one for one in found.differences if (one.baseline, one.system) == pair and one.p is not None]
        for pair in pairs
    }
    if not any(of.values()):
        return Headline([(OPEN, "Too few repeats to say whether the load tests differ.")])
    counts = {pair: _counts([one.direction for one in tested]) for pair, tested in of.items() if tested}
    return _cut([_sentence(*pair, found, "numbers") for pair, found in counts.items()], [])


def headline_of_agreement(details: "AgreementDetails") -> Headline:
    """Return what a report on runs without judgments begins with: of each pair the first measure, and the top hits."""
    found = []
    for pair in details.pairs:
        of = {one.measure: one.mean for one in pair.means}
        said = [f"{measure} {of[measure]:.4f}" for measure in list(of)[:1] if of[measure] is not None]
        changed = of.get(_CHANGED)
        said += [] if changed is None else [f"another first hit in {100 * changed:.0f} % of {pair.queries:,} queries"]
        found.append((OPEN, f"{pair.baseline} and {pair.system}: {', '.join(said) or 'no query in common'}."))
    return _cut(found, [])


def _cut(said: Sequence[tuple[str, str]], advice: Sequence[str]) -> Headline:
    more = len(said) - _PAIRS
    return Headline([*said[:_PAIRS], *([(OPEN, f"… and {more:,} more pairs.")] if more > 0 else [])], advice)


def _counts(directions: Sequence[int]) -> Counts:
    better, worse = (sum(one == way for one in directions) for way in (1, -1))
    return better, worse, len(directions) - better - worse


def _sentence(baseline: str, system: str, counts: Counts, what: str, only: str = "") -> tuple[str, str]:
    """Return what is known of a pair, with its mark; `only` names the only number, where there is one."""
    better, worse, unclear = counts
    of = f"{sum(counts)} {what}"
    if not better + worse:
        return OPEN, f"No difference is shown between {system} and {baseline} in {only or f'any of {of}'}."
    rest = f"; in {unclear} no difference is shown" if unclear else ""
    if better and worse:
        return PARTLY, f"{system} is better than {baseline} in {better} of {of} and worse in {worse}{rest}."
    mark, word, other = (BETTER, "better", "worse") if better else (WORSE, "worse", "better")
    where = only or f"{better + worse} of {of}, {other} in none"
    return mark, f"{system} is {word} than {baseline} in {where}{rest}."
