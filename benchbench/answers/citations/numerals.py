"""Numbers as statutes write them: 264, ２６４, 二百六十四, 二六四, 七〇九."""

_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}

NUMBER = r"(?:[0-9]{1,5}|[〇零一二两三四五六七八九十百千]{1,9})"  # of a text whose full-width digits are narrowed


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
