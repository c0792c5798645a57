"""How far to trust a judge, in a sentence, and what to do about it.

The words for the lower end of the interval of kappa are those of Landis and Koch (1977). They say how alike grades are,
and nothing of what for: whether systems are ranked as people rank them is said beside.
"""

from collections.abc import Sequence
from typing import NamedTuple

from benchbench.errors import visible
from benchbench.judging.agreement.agreement_result import ProbeDetails
from benchbench.judging.agreement.numbers import Agreed, grade_name
from benchbench.judging.agreement.systems import Ranked
from benchbench.results.figures import behind
from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE
from benchbench.significance.prediction_powered import FEW
from benchbench.tables.shared_messages import and_joined, counted

_WORDS = ((0.8, "almost perfectly"), (0.6, "substantially"), (0.4, "moderately"), (0.2, "fairly"), (0.0, "slightly"))
_ENOUGH, _SOME = 0.6, 0.2
_FEWEST = 10  # pairs of which anything is said
_SUSPICIONS = {
    "length": "the length of the text",
    "position": "the position of the text",
    "self_preference": "whether the text is of its own model",
}


class Trust(NamedTuple):
    """A mark, a sentence, what else there is to know, and what to do."""

    mark: str
    verdict: str
    further: list[str]
    advice: list[str]


def trust(
    name: str,
    found: Agreed,
    probes: Sequence[ProbeDetails],
    systems: Sequence[Ranked],
    own: Sequence[str],
    level: float,
) -> Trust:
    """Return how far to trust a judge.

    Parameters
    ----------
    name
        What the judge is called.
    found
        How far it agrees with people.
    probes, systems
        What else is known of it.
    own
        The names of systems that are the judge's own model.
    level
        From which p-value on a probe says nothing.
    """
    called, kappa = visible(name, 60), found.values["kappa"]
    if kappa.value != kappa.value:
        return Trust(OPEN, f"{called}: nothing can be said; {found.undefined['kappa']}.", [], [_more(found)])
    over = f"over {counted(found.n, 'pair')} of {counted(found.queries, 'query')}"
    ends = "" if kappa.low != kappa.low else f" {behind(kappa.low, kappa.high, 2)}"
    said = f"kappa {kappa.value:.2f}{ends} {over}, {_against_constant(found)}"
    if found.n < _FEWEST:
        return Trust(OPEN, f"{called}: nothing can be said from so few labels; {said}.", [], [_more(found)])
    if not ends:
        return Trust(
            OPEN, f"{called}: {said}; no interval, so that it holds for these pairs alone.", [], [_more(found)]
        )
    biased = [one for one in probes if one.p is not None and one.p <= level]
    mark: str
    if kappa.low <= 0.0 and kappa.high >= _SOME:
        mark, front = OPEN, f"It is open whether {called} agrees with people beyond chance"
    elif kappa.low <= 0.0:
        mark = WORSE
        front = f"{called} agrees with people {'less than' if kappa.high < 0.0 else 'no more than by'} chance"
    else:
        word = next(word for least, word in _WORDS if kappa.low >= least)
        front = f"{called} agrees with people {word}"
        mark = GOOD if kappa.low >= _ENOUGH else PARTLY if kappa.low >= _SOME else WORSE
        mark = PARTLY if mark == GOOD and (biased or own or found.n < FEW) else mark
    return Trust(mark, f"{front}: {said}.", _further(found, biased, systems), _advice(found, mark, biased, own))


def _against_constant(found: Agreed) -> str:
    constant, same = found.constant, found.values["agreement"].value
    assert constant is not None
    always = f"always {grade_name(constant.grade)} reaches {100 * constant.agreement:.0f} %"
    return f"{100 * same:.0f} % alike where {always}"


def _further(found: Agreed, biased: Sequence[ProbeDetails], systems: Sequence[Ranked]) -> list[str]:
    bias = found.values["bias"]
    said = []
    if bias.low > 0.0 or bias.high < 0.0:
        said.append(f"It grades {abs(bias.value):.2f} {'higher' if bias.value > 0 else 'lower'} than people.")
    if biased:
        names = and_joined([_SUSPICIONS.get(one.name, one.name) for one in biased])
        said.append(f"Its grades go by {names}, where people's do not.")
    for one in systems:
        if one.tau is not None:
            said.append(f"It ranks {len(one.systems)} systems by {one.measure} with tau {one.tau:.2f}.")
    return said


def _advice(found: Agreed, mark: str, biased: Sequence[ProbeDetails], own: Sequence[str]) -> list[str]:
    said = []
    if found.n < FEW or mark == OPEN:
        said.append(_more(found))
    if mark == WORSE:
        then = " until then." if said else ": improve the rubric, or take another model."
        said.append(f"Do not decide by this judge's labels{then}")
    if biased:
        names = " and ".join(_SUSPICIONS.get(one.name, one.name) for one in biased)
        said.append(f"Compare only systems that are alike in {names}, or change the rubric and calibrate again.")
    if own:
        said.append("Take another judge, or people's labels, for the texts of its own model.")
    return said


def _more(found: Agreed) -> str:
    if found.n < FEW:
        return f"Label more pairs by people that the judge grades too: there are {found.n:,}, and {FEW} are needed."
    several = ", and with more than one grade" if found.values["kappa"].value != found.values["kappa"].value else ""
    return f"Label pairs of more queries{several}."
