"""Numbers as statutes write them: 264, ２６４, 二百六十四, 二六四, 七〇九."""

import functools
import re

from benchbench.answers.citations.series import LONGEST_RANGE

_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}

NUMBER = r"(?:[0-9]{1,5}|[〇零一二两三四五六七八九十百千]{1,9})"  # of a text whose full-width digits are narrowed
_LABELS = re.compile(rf"(?P<number>{NUMBER})|(?P<range>[至到〜～~–—―-])")

_BRANCHES = re.compile(rf"(?P<joint>[、和及与至到])?[^〇零一二两三四五六七八九十百千0-9]*?(?P<number>{NUMBER})")


def number(written: str) -> str:
    """Return a number in digits.

    A sign before 十, 百 or 千 counts that unit; signs without units are read as digits in their places.
    """
    if written[0] < "〇":
        return str(int(written))
    total = held = 0
    for sign in written:
        if unit := _UNITS.get(sign):
            total, held = total + (held or 1) * unit, 0
        else:
            held = held * 10 + _DIGITS[sign]
    return str(total + held)


@functools.lru_cache(4096)
def numbers(written: str) -> tuple[str, ...]:
    """Return the labels of 1、2, of 1・2 and of 1～3; 5-2, which does not count up, is 5の2."""
    labels: list[str] = []
    ranged = False
    for sign in _LABELS.finditer(written):
        if sign["range"]:
            ranged = True
            continue
        label = number(sign["number"])
        if ranged:
            low = labels.pop()
            up = 0 < int(label) - int(low) < LONGEST_RANGE
            labels += [str(value) for value in range(int(low), int(label) + 1)] if up else [f"{low}-{label}"]
        else:
            labels.append(label)
        ranged = False
    return tuple(labels)


def branched(label: str, written: str) -> list[str]:
    """Return a label with its branches: 5 and の二の三 is 5-2-3; 120 and 之一、之二 is 120-1 and 120-2."""
    stem, labels = label, [label]
    for sign in _BRANCHES.finditer(written):
        inner = number(sign["number"])
        if sign["joint"] is None:
            stem, labels[-1] = labels[-1], f"{labels[-1]}-{inner}"
            continue
        low = int(labels[-1].rpartition("-")[2])
        up = sign["joint"] in "至到" and 0 < int(inner) - low < LONGEST_RANGE
        labels += [f"{stem}-{value}" for value in range(low + 1 if up else int(inner), int(inner) + 1)]
    return labels
