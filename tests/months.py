"""Months of imprisonment that fit those of a query, and such that do not: the bounds and what is next to them."""

MONTHS_THAT_FIT = [
    (12, 18, True),  # six months, for short sentences
    (12, 19, False),
    (12, 6, True),
    (12, 5, False),
    (30, 36, True),  # 20 % is six months as well
    (60, 72, True),  # 20 %, bound included
    (60, 73, False),
    (60, 48, True),
    (60, 47, False),
    (61, 73, True),
    (61, 74, False),  # 20 % is 12.2 months
    (0, 6, True),
    (0, 7, False),
]
