"""Which cases are positives of a query case, and of which tier.

| tier | accusations | articles   | sentence    |
|------|-------------|------------|-------------|
| 1    | equal sets  | equal sets | equal       |
| 2    | equal sets  | equal sets | within 10 % |
| 3    | equal sets  | equal sets | within 30 % |
| 4    | equal sets  | share one  | within 30 % |
| 5    | share one   | share one  | within 30 % |

Death and life flags must agree; two cases with the same flag set have equal sentences. Percentages are of
the query's months.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import I32, I64, U8, U64, Bools
from benchbench.kernels.random import key

TIERS = 5
TASKS = ("accusation", "article", "imprisonment")
DEATH, LIFE = 1, 2  # bits of a penalty
_NO_KEY = np.uint64(0xFFFFFFFFFFFFFFFF)


class CaseColumns(NamedTuple):
    """All cases; codes are negative where a label is missing. `first`: no earlier case has its text."""

    text: U64
    accusation: I32
    article: I32
    months: I32
    penalty: U8
    first: Bools


class Found(NamedTuple):
    """What `find_positives` returns."""

    case: I64  # the best positives: lowest tier first, in random order within a tier
    tier: I64
    tiers: I64  # (5,) positives there are a tier
    relevant: I64  # (3,) cases relevant for each of `TASKS`


@inline
def imprisonment_fits(months: int, penalty: int, other_months: int, other_penalty: int) -> bool:
    """Equal death and life flags and, when neither is set, months within max(6, 20 % of `months`)."""
    if penalty != other_penalty:
        return False
    if penalty != 0:
        return True
    difference = abs(months - other_months)
    return difference <= 6 or difference * 5 <= months


@inline
def sentence_tier(months: int, penalty: int, other_months: int, other_penalty: int) -> int:
    """Return 1 for an equal sentence, 2 within 10 %, 3 within 30 %, 0 for none of these."""
    if months < 0 or other_months < 0 or penalty != other_penalty:
        return 0
    difference = abs(months - other_months)
    if penalty != 0 or difference == 0:
        return 1
    if difference * 10 <= months:
        return 2
    return 3 if difference * 10 <= months * 3 else 0


def find_positives(
    cases: CaseColumns, q: int, shares_accusation: Bools, shares_article: Bools, limit: int, seed: int
) -> Found:
    """Find the positives of case `q`; cases with its text are the query itself and left out everywhere.

    `shares_accusation[code]` says whether the label set of that code has a label in common with the
    query's; `shares_article` the same. At most `limit` positives are returned.
    """
    found = Found(
        np.full(limit, -1, np.int64),
        np.full(limit, TIERS + 1, np.int64),
        np.zeros(TIERS, np.int64),
        np.zeros(len(TASKS), np.int64),
    )
    _find(cases, q, shares_accusation, shares_article, seed, np.full(limit, _NO_KEY, np.uint64), found)
    n = min(limit, int(found.tiers.sum()))
    return found._replace(case=found.case[:n], tier=found.tier[:n])


@leaf
def _find(
    cases: CaseColumns,
    q: int,
    shares_accusation: Bools,
    shares_article: Bools,
    seed: int,
    chosen_key: U64,
    found: Found,
) -> None:
    """Fill `found`; `chosen_key` are the random numbers of those that are chosen."""
    chosen, chosen_tier, tiers, relevant = found.case, found.tier, found.tiers, found.relevant
    limit = chosen.size
    accusation, article = cases.accusation[q], cases.article[q]
    months, penalty = cases.months[q], cases.penalty[q]
    query_seed = key(seed, q)
    for c in range(cases.text.size):
        if cases.text[c] == cases.text[q]:
            continue
        same_accusation = accusation >= 0 and cases.accusation[c] == accusation
        same_article = article >= 0 and cases.article[c] == article
        relevant[0] += same_accusation
        relevant[1] += same_article
        if months >= 0 and cases.months[c] >= 0:
            relevant[2] += imprisonment_fits(months, penalty, cases.months[c], cases.penalty[c])
        if not cases.first[c] or cases.accusation[c] < 0 or cases.article[c] < 0:
            continue
        if not shares_accusation[cases.accusation[c]] or not shares_article[cases.article[c]]:
            continue
        tier = sentence_tier(months, penalty, cases.months[c], cases.penalty[c])
        if tier == 0:
            continue
        if not same_accusation:
            tier = 5
        elif not same_article:
            tier = 4
        tiers[tier - 1] += 1
        if tier > chosen_tier[limit - 1]:
            continue
        case_key = key(query_seed, c)
        place = limit
        while place > 0 and (
            chosen_tier[place - 1] > tier or (chosen_tier[place - 1] == tier and chosen_key[place - 1] > case_key)
        ):
            place -= 1
        for later in range(limit - 1, place, -1):
            chosen[later] = chosen[later - 1]
            chosen_tier[later] = chosen_tier[later - 1]
            chosen_key[later] = chosen_key[later - 1]
        if place < limit:
            chosen[place], chosen_tier[place], chosen_key[place] = c, tier, case_key
