"""How a command ends: failed gates, and too many failures. This is decided before anything is reported."""

from collections.abc import Iterable, Mapping
from typing import Literal

from benchbench.errors import GateError, TooManyFailuresError
from benchbench.results.record import GateResult
from benchbench.tables.shared_messages import counted

NOT_JUDGED = "not judged (too little data)"


def too_many_failures(
    failed: int,
    total: int,
    max_error_rate: float,
    failures: Mapping[str, int],
    *,
    what: str = "queries",
    about: str = "",
    more: str = "",
) -> GateResult | None:
    """Return the result of a gate that fails because more failed than allowed, or None.

    Parameters
    ----------
    failed, total
        How many failed, and of how many.
    max_error_rate
        Share that may fail.
    failures
        How many failed, by reason.
    what
        What failed, as it stands behind the total.
    about
        The target, where there are several.
    more
        What else there is to say, such as where each failure stands.
    """
    if failed <= max_error_rate * total:
        return None
    sentence = f"{failed:,} of {total:,} {what} failed, mostly: {_most(failures)}{f'; {more}' if more else ''}"
    return GateResult(
        condition=f"--max-error-rate {max_error_rate:g}",
        verdict="broken",
        said=f"{about}: {sentence}" if about else sentence,
        name="error_rate",
        value=failed / total if total else None,
        bound=max_error_rate,
        about=about,
    )


def no_hits(answered: int, hits: int, sentence: str, *, about: str = "") -> GateResult | None:
    """Return that answers came and not one hit, in the sentence that says so, or None; `about` as above."""
    if hits or not answered:
        return None
    text = f"{about}: {sentence}" if about else sentence
    return GateResult(condition="no hits", verdict="broken", said=text, name="hits", value=0.0, about=about)


def all_failed(rates: Iterable[float], failures: Mapping[str, int], *, about: str = "") -> GateResult | None:
    """Return the result of a gate that fails because every request of every step failed, or None.

    Parameters
    ----------
    rates
        The error rate of each step.
    failures
        How many requests of the first step failed, by reason.
    about
        What was asked.
    """
    if any(rate != 1.0 for rate in rates):
        return None
    sentence = f"every request failed, mostly: {_most(failures)}"
    return GateResult(condition="requests", verdict="broken", said=sentence, name="error_rate", value=1.0, about=about)


def end(gates: Iterable[GateResult]) -> None:
    """Raise the error that sets the exit code; too many failures come before gates, which rest on the answers.

    Raises
    ------
    TooManyFailuresError
        When so much is broken that gates say little; the sentences of what is broken come first.
    GateError
        When a gate failed.
    """
    gates = list(gates)
    broken, failed = ([gate.said for gate in gates if gate.verdict == state] for state in ("broken", "failed"))
    if broken:
        raise TooManyFailuresError("; ".join([*broken, *failed]))
    if failed:
        raise GateError("; ".join(failed))


def status(gates: Iterable[GateResult]) -> Literal["complete", "failed"]:
    """Return the status of a finished result: failed when a verdict is broken; a failed gate does not count."""
    return "failed" if any(gate.verdict == "broken" for gate in gates) else "complete"


def gates_counted(gates: Iterable[GateResult]) -> str:
    """Return how many gates failed, passed or were not judged, without broken ones; empty where there are none."""
    checked = [gate.verdict for gate in gates if gate.verdict != "broken"]
    total, failed, open_ones = len(checked), checked.count("failed"), checked.count("not judged")
    if not total:
        return ""
    if open_ones == total:
        return f"{'The gate was' if total == 1 else f'{total:,} gates were'} {NOT_JUDGED}."
    if total == 1:
        return "The gate failed." if failed else "The gate passed."
    passed = f"All {total:,} gates passed" if not open_ones else f"{counted(total - open_ones, 'gate')} passed"
    text = f"{failed:,} of {total:,} gates failed" if failed else passed
    return f"{text}; {open_ones:,} {'was' if open_ones == 1 else 'were'} {NOT_JUDGED}." if open_ones else f"{text}."


def _most(failures: Mapping[str, int]) -> str:
    """Return the most frequent reason; of equally frequent ones, the first."""
    return max(failures, key=lambda reason: failures[reason])
