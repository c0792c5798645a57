"""What a comparison comes to: of each pair, in how many measures a difference is shown."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareDetails
    from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
    from benchbench.comparison.run_agreement import AgreementDetails
    from benchbench.significance.result import Difference

_CHANGED = "top_changed"
_PAIRS = 6  # that have a sentence
Counts = tuple[int, int, int]  # better, worse, not shown


def headline(details: "CompareDetails") -> Headline:
    """Return what a report begins with."""
    counts = _counts(details.differences)
    only = details.measures[0] if len(details.measures) == 1 else ""
    advice = []
    if any(unclear for _, _, unclear in counts.values()) and details.settings.need is None:
        advice.append("Not shown is not the same as equal: --need 0.02 says how many queries would show 0.02.")
    return _cut([_sentence(*pair, its, "measures", only) for pair, its in counts.items()], advice)


def headline_of_loads(details: "LoadsDetails") -> Headline:
    """Return what a report on load tests begins with."""
    counts = _counts([one for one in details.differences if one.p is not None])
    if not counts:
        return Headline([(OPEN, "Too few repeats to say whether the load tests differ.")])
    return _cut([_sentence(*pair, its, "numbers") for pair, its in counts.items()])


def headline_of_agreement(details: "AgreementDetails") -> Headline:
    """Return what a report on runs without judgments begins with: of each pair the first measure, and the top hits."""
    sentences = []
    for pair in details.pairs:
        means = {likeness.measure: likeness.mean for likeness in pair.means}
        parts = [f"{measure} {mean:.4f}" for measure, mean in list(means.items())[:1] if mean is not None]
        if (changed := means.get(_CHANGED)) is not None:
            parts.append(f"another first hit in {100 * changed:.0f} % of {pair.queries:,} queries")
        sentences.append((OPEN, f"{pair.baseline} and {pair.system}: {', '.join(parts) or 'no query in common'}."))
    return _cut(sentences)


def _cut(sentences: Sequence[tuple[str, str]], advice: Sequence[str] = ()) -> Headline:
    more = len(sentences) - _PAIRS
    return Headline([*sentences[:_PAIRS], *([(OPEN, f"… and {more:,} more pairs.")] if more > 0 else [])], advice)


def _counts(differences: "Iterable[Difference | LoadDifference]") -> dict[tuple[str, str], Counts]:
    """Return of each pair how many differences are for the system, against it, and not shown."""
    counts: dict[tuple[str, str], Counts] = {}
    for one in differences:
        better, worse, unclear = counts.get((one.baseline, one.system), (0, 0, 0))
        way = one.direction
        counts[one.baseline, one.system] = better + (way > 0), worse + (way < 0), unclear + (not way)
    return counts


def _sentence(baseline: str, system: str, counts: Counts, what: str, only: str = "") -> tuple[str, str]:
    """Return what is known of a pair, with its mark; `only` names the only number, where there is one."""
    better, worse, unclear = counts
    all_of_them = f"{sum(counts)} {what}"
    if not better + worse:
        return OPEN, f"No difference is shown between {system} and {baseline} in {only or f'any of {all_of_them}'}."
    rest = f"; in {unclear} no difference is shown" if unclear else ""
    if better and worse:
        return PARTLY, f"{system} is better than {baseline} in {better} of {all_of_them} and worse in {worse}{rest}."
    mark, word, other = (BETTER, "better", "worse") if better else (WORSE, "worse", "better")
    where = only or f"{better + worse} of {all_of_them}, {other} in none"
    return mark, f"{system} is {word} than {baseline} in {where}{rest}."
