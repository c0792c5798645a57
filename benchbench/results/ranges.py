"""Numbers from outside, of options and settings alike: what they may be, and one sentence for what they are not."""

import math
import re
from numbers import Integral, Real
from typing import Any, NamedTuple

from benchbench.errors import InputError, visible

_WHOLE = r"[+-]?[0-9]{1,40}"  # Python's `int` also takes _ and the digits of other scripts
_REAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_SHOWN = 40  # characters of what is no number


class Range(NamedTuple):
    """Numbers from `low` to `high`, which are finite; `str` says what they are."""

    low: float
    high: float
    whole: bool = True
    above: bool = False  # whether `low` itself is left out
    unit: str = ""

    def __str__(self) -> str:
        kind = ("a whole number" if self.whole else "a number") + (f" of {self.unit}" if self.unit else "")
        low, high = (_shown(end) for end in (self.low, self.high))
        return f"{kind} above {low} and up to {high}" if self.above else f"{kind} from {low} to {high}"

    def read(self, text: str, name: str) -> Any:
        """Return the number that a text is, written with ASCII digits; InputError begins with the name."""
        written = text.strip()
        if re.fullmatch(_WHOLE if self.whole else _REAL, written) is None:
            raise self._refusal(text, name)
        return self.take(int(written) if self.whole else float(written), name)

    def take(self, value: object, name: str) -> Any:
        """Return a number of any library as Python's; InputError begins with the name."""
        if isinstance(value, bool) or not isinstance(value, Integral if self.whole else Real):
            raise self._refusal(value, name)
        number: Any = int(value) if isinstance(value, Integral) else float(value)
        if not self.low <= number <= self.high or (self.above and number == self.low):  # as nan is not
            raise self._refusal(value, name)
        return number

    def _refusal(self, value: object, name: str) -> InputError:
        return InputError(f"{name} is {self}, and not {shown_value(value)}")


def shown_value(value: object) -> str:
    """Return what stood where something else is accepted, cut short."""
    try:
        shown = str(value) if isinstance(value, Real) else repr(value)
    except ValueError:  # Python does not print an integer of more than 4,300 digits
        shown = "a longer one"
    return visible(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…")


def _shown(end: float) -> str:
    _, exponent = math.frexp(end)
    if abs(end) == 2 ** (exponent - 1) > 2**53:
        return f"{'-' * (end < 0)}2^{exponent - 1}"
    return f"{end:,}" if isinstance(end, int) or abs(end) < 1e16 else f"{end:g}"


COUNT = Range(1, 1_000_000_000)
COUNT_OR_0 = Range(0, 1_000_000_000)
BATCH = Range(1, 100_000)  # queries of a request
HITS = Range(1, 1_000_000)  # asked for, per query
PASSES = Range(1, 1_000)  # over the same queries
PLACES = Range(1, 65_536)  # requests under way; a machine has no more ports
WORKERS = Range(1, 1_024)
MEGABYTES = Range(1, 1_048_576)
REPEATS = Range(1, 1_000)
SEED = Range(0, 2**62)
ALPHA = Range(1e-6, 0.999, whole=False)
POWER = Range(1e-6, 0.999, whole=False)
RESAMPLES = Range(100, 10_000_000)
TIE = Range(0, 1_000_000_000, whole=False)
DIFFERENCE = Range(0, 1_000_000_000, whole=False, above=True)
SHARE = Range(0, 1, whole=False)
BOUND = Range(-1_000_000_000_000_000, 1_000_000_000_000_000, whole=False)  # of a gate
GRADE = Range(0, 1_000_000_000, whole=False, above=True)
RATE = Range(0, 1_000_000, whole=False, above=True, unit="requests per second")
SPEED = Range(0, 1_000_000, whole=False, above=True)
MONEY = Range(0, 1_000_000_000, whole=False, above=True, unit="US dollars")
TIMEOUT = Range(0, 1_000_000, whole=False, above=True, unit="seconds")
SECONDS = Range(0, 1_000_000, whole=False, unit="seconds")
TEMPERATURE = Range(0, 2, whole=False)
TOKENS = Range(1, 1_000_000)  # of one answer


def check(settings: object, **ranges: Range) -> None:
    """Make the named attributes of a frozen dataclass, one number or several each, Python's; InputError names one."""
    for name, allowed in ranges.items():
        given, option = getattr(settings, name), f"--{name.replace('_', '-')}"
        if isinstance(given, tuple | list):
            taken: object = tuple(allowed.take(one, option) for one in given)
        else:
            taken = allowed.take(given, option)
        object.__setattr__(settings, name, taken)
