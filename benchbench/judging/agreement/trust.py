"""How far to trust a judge, in a sentence, and what to do about it.

The words are those of Landis and Koch (1977) for the lower end of the interval of kappa, and "or better" says so. They
say how alike grades are. Whether the judge ranks systems as people do is a sentence of its own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from benchbench.errors import visible
from benchbench.judging.agreement.agreement_result import ProbeDetails
from benchbench.judging.agreement.numbers import Agreed, grade_name
from benchbench.judging.agreement.systems import SystemRanking
from benchbench.results.figures import estimate, value
from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE
from benchbench.significance.prediction_powered import FEW
from benchbench.tables.shared_messages import and_joined, counted

_WORDS = (
    (0.8, "almost perfectly with people"),
    (0.6, "substantially with people, or better"),
    (0.4, "moderately with people, or better"),
    (0.2, "fairly with people, or better"),
    (0.0, "slightly with people, or better"),
)
_ENOUGH, _SOME = 0.6, 0.2
_FEWEST = 10  # pairs: with fewer, the verdict is open
OWN = "self_preference"  # the probe of whether a judge rates its own model's texts higher
_SUSPICIONS = {
    "length": "the length of the text",
    "position": "the position of the text",
    OWN: "whether the text is of its own model",
}


class Trust(NamedTuple):
    """A mark, a sentence, what else there is to know, and what to do."""

    mark: str
    verdict: str
    further: list[str]
    advice: list[str]


def trust(
    name: str,
    agreement: Agreed,
    probes: Sequence[ProbeDetails],
    systems: Sequence[SystemRanking],
    own: Sequence[str],
    level: float,
) -> Trust:
    """Return how far to trust a judge.

    Parameters
    ----------
    name
        What the judge is called.
    agreement
        How far it agrees with people.
    probes, systems
        What else is known of it.
    own
        The names of systems that are the judge's own model.
    level
        From which p-value on a probe says nothing.
    """
    called, kappa = visible(name, 60), agreement.values["kappa"]
    if kappa.value != kappa.value:
        return Trust(
            OPEN, f"{called}: too little data to judge it; {agreement.undefined['kappa']}.", [], [_more(agreement)]
        )
    over = f"over {counted(agreement.n, 'pair')} of {counted(agreement.queries, 'query')}"
    numbers = f"kappa {estimate(kappa.value, kappa.low, kappa.high)}"
    details = f"{numbers} {over}, {_against_constant(agreement)}"
    if agreement.n < _FEWEST:
        return Trust(OPEN, f"{called}: too few labels to judge it; {details}.", [], [_more(agreement)])
    if kappa.low != kappa.low:
        return Trust(
            OPEN,
            f"{called}: {details}; kappa has no interval, so this holds only for these pairs.",
            [],
            [_more(agreement)],
        )
    biased = [probe for probe in probes if probe.p is not None and probe.p <= level]
    mark: str
    if kappa.low <= 0.0 and kappa.high >= _SOME:
        mark, front = OPEN, f"It is undecided whether {called} agrees with people beyond chance"
    elif kappa.low <= 0.0:
        mark = WORSE
        front = f"{called} agrees with people {'less than' if kappa.high < 0.0 else 'no more than by'} chance"
    else:
        front = f"{called} agrees {next(word for least, word in _WORDS if kappa.low >= least)}"
        mark = GOOD if kappa.low >= _ENOUGH else PARTLY if kappa.low >= _SOME else WORSE
        mark = PARTLY if mark == GOOD and (biased or own or agreement.n < FEW) else mark
    further = [f"{_against_constant(agreement)} {over}."]
    further += _further(agreement, biased, systems)
    suspected = bool(own) and not any(
        probe.name == OWN and probe.p is not None and probe not in biased for probe in probes
    )
    return Trust(mark, f"{front}: {numbers}.", further, _advice(agreement, mark, biased, suspected))


def _against_constant(agreement: Agreed) -> str:
    constant, same = agreement.constant, agreement.values["agreement"].value
    assert constant is not None
    always = f"always answering {grade_name(constant.grade)} would give {100 * constant.agreement:.0f} %"
    return f"{100 * same:.0f} % agreement ({always})"


def _further(agreement: Agreed, biased: Sequence[ProbeDetails], systems: Sequence[SystemRanking]) -> list[str]:
    bias = agreement.values["bias"]
    sentences = []
    if bias.low > 0.0 or bias.high < 0.0:
        sentences.append(f"It grades {abs(bias.value):.3f} {'higher' if bias.value > 0 else 'lower'} than people.")
    if biased:
        names = and_joined([_SUSPICIONS.get(probe.name, probe.name) for probe in biased])
        sentences.append(f"Its grades depend on {names}, where people's do not.")
    for alike in (True, False):
        ranked = [ranking for ranking in systems if ranking.tau is not None and (ranking.tau == 1.0) == alike]
        if ranked and alike:
            names, number = and_joined([ranking.measure for ranking in ranked]), len(ranked[0].systems)
            sentences.append(f"It orders the {number} systems as people do by {names}.")
        elif ranked:
            taus = and_joined([f"{ranking.measure} (tau {value(ranking.tau)})" for ranking in ranked])
            sentences.append(f"It orders the {len(ranked[0].systems)} systems differently by {taus}.")
    return sentences


def _advice(agreement: Agreed, mark: str, biased: Sequence[ProbeDetails], is_suspected: bool) -> list[str]:
    sentences = []
    if agreement.n < FEW or mark == OPEN:
        sentences.append(_more(agreement))
    if mark == WORSE:
        then = " until then." if sentences else ": improve the rubric, or use another model."
        sentences.append(f"Do not decide by this judge's labels{then}")
    if biased:
        names = " and ".join(_SUSPICIONS.get(probe.name, probe.name) for probe in biased)
        sentences.append(f"Compare only systems that are alike in {names}, or change the rubric and calibrate again.")
    if is_suspected:
        sentences.append("Use another judge, or people's labels, for the texts of its own model.")
    return sentences


def _more(agreement: Agreed) -> str:
    if agreement.n < FEW:
        return f"Label more pairs by people that the judge grades too: there are {agreement.n:,}, and {FEW} are needed."
    kappa = agreement.values["kappa"].value
    several = ", and with more than one grade" if kappa != kappa else ""
    return f"Label pairs of more queries{several}."
