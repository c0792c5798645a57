"""Every measure of one query, written from the definitions of the catalog: lists of grades, no plan and no column."""

import math
from dataclasses import dataclass, replace

from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure


@dataclass
class Ranked:
    """The hits of a query by their grades, None where nobody judged one, and what was judged.

    By labels a relevant hit has grade 1, all others None; `judged` are as many ones as documents are relevant.
    """

    grades: list[float | None]
    judged: list[float]
    by_labels: bool = False
    rel: float = 1
    gains: object = "linear"  # what the measures call linear
    recall: tuple[str, float] = ("full", 0)


def columns(one: Measure, query: Ranked) -> tuple[float, ...]:
    """Return the value of a measure; of a micro average its parts: P, the hits that recall counts, and its divisor."""
    name, params, k = one.name, dict(one.params), one.cutoff
    if CATALOG[name].aggregate == "micro":
        hits = sum(_good(query, _rel(one, query))[:k])
        divisor = _divisor(one, query)
        return hits / k, min(hits, divisor), divisor
    if params.get("judged_only"):
        query = replace(query, grades=[grade for grade in query.grades if grade is not None and grade >= 0])
    return (value(one, query),)


def value(one: Measure, query: Ranked) -> float:
    """Return the value of a measure that looks at all hits."""
    return _MEASURES[one.name](one, query)


def _rel(one: Measure, query: Ranked) -> float:
    return dict(one.params).get("rel", query.rel)


def _good(query: Ranked, rel: float) -> list[bool]:
    return [grade is not None and grade >= rel for grade in query.grades]


def _relevant(one: Measure, query: Ranked) -> tuple[list[bool], int]:
    """Return which hits are relevant, and how many documents are."""
    rel = _rel(one, query)
    return _good(query, rel), sum(grade >= rel for grade in query.judged)


def _divisor(one: Measure, query: Ranked) -> float:
    params, (_, number) = dict(one.params), _relevant(one, query)
    if "cap" in params:
        return min(number, params["cap"])
    if "denominator" in params:
        return params["denominator"]
    rule, limit = query.recall
    return {"full": number, "capped": min(number, limit), "fixed": limit}[rule]


def _p(one: Measure, query: Ranked) -> float:
    return sum(_relevant(one, query)[0][: one.cutoff]) / one.cutoff


def _r(one: Measure, query: Ranked) -> float:
    divisor = _divisor(one, query)
    return min(sum(_relevant(one, query)[0][: one.cutoff]) / divisor, 1.0) if divisor else 0.0


def _f1(one: Measure, query: Ranked) -> float:
    precision, recall = _p(one, query), _r(one, query)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _success(one: Measure, query: Ranked) -> float:
    return float(any(_relevant(one, query)[0][: one.cutoff]))


def _rr(one: Measure, query: Ranked) -> float:
    good = _relevant(one, query)[0][: one.cutoff]
    return 1 / (good.index(True) + 1) if True in good else 0.0


def _ap(one: Measure, query: Ranked) -> float:
    good, number = _relevant(one, query)
    ranks = [rank for rank, fits in enumerate(good, 1) if fits][:number]
    kept = [rank for rank in ranks if one.cutoff is None or rank <= one.cutoff]
    return sum(sum(good[:rank]) / rank for rank in kept) / number if number else 0.0


def _ndcg(one: Measure, query: Ranked) -> float:
    kind = dict(one.params).get("gains", "linear")
    kind = query.gains if kind == "linear" else kind
    gained = [_gain(grade, kind, query) for grade in query.grades]
    if query.by_labels:  # no more hits gain than documents are relevant
        gained = [
            gain if sum(map(bool, gained[:place])) < len(query.judged) else 0 for place, gain in enumerate(gained)
        ]
    best = sorted((_gain(grade, kind, query) for grade in query.judged), reverse=True)
    ideal = _dcg(best[: one.cutoff])
    return _dcg(gained[: one.cutoff]) / ideal if ideal else 0.0


def _gain(grade: float | None, kind: object, query: Ranked) -> float:
    if grade is None:
        return 0
    if query.by_labels:
        return 1
    if kind == "exp":
        return 2**grade - 1 if grade > 0 else 0
    return max(dict(kind).get(grade, grade) if isinstance(kind, tuple) else grade, 0)


def _dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def _rprec(one: Measure, query: Ranked) -> float:
    good, number = _relevant(one, query)
    return sum(good[:number]) / number if number else 0.0


def _bpref(one: Measure, query: Ranked) -> float:
    rel = _rel(one, query)
    good, number = _relevant(one, query)
    bad = [grade is not None and 0 <= grade < rel for grade in query.grades]
    worse = sum(0 <= grade < rel for grade in query.judged)
    above = [sum(bad[:place]) for place, fits in enumerate(good) if fits]
    return sum(1 - min(n, number) / min(worse, number) if n else 1 for n in above) / number if number else 0.0


def _infap(one: Measure, query: Ranked) -> float:
    epsilon = 1e-5
    good, number = _relevant(one, query)
    total = 0.0
    for place, fits in enumerate(good):
        pooled = [grade for grade in query.grades[:place] if grade is not None]
        relevant, judged = sum(good[:place]), sum(grade >= 0 for grade in pooled)
        if fits and place == 0:
            total += 1
        elif fits:
            share = (relevant + epsilon) / (judged + 2 * epsilon)
            total += 1 / (place + 1) + place / (place + 1) * (len(pooled) / place) * share
    return total / number if number else 0.0


def _rbp(one: Measure, query: Ranked) -> float:
    p = dict(one.params).get("p", 0.8)
    return (1 - p) * sum(p**place for place, fits in enumerate(_relevant(one, query)[0][: one.cutoff]) if fits)


def _err(one: Measure, query: Ranked) -> float:
    stops = [(2 ** min(max(grade or 0, 0), 4) - 1) / 16 for grade in query.grades[: one.cutoff]]
    return sum(stop / (i + 1) * math.prod(1 - other for other in stops[:i]) for i, stop in enumerate(stops))


def _judged(one: Measure, query: Ranked) -> float:
    first = query.grades[: one.cutoff]
    return sum(grade is not None and grade >= 0 for grade in first) / len(first) if first else 0.0


def _iprec(one: Measure, query: Ranked) -> float:
    good, number = _relevant(one, query)
    needed = math.floor(one.cutoff * number + 0.5)
    reached = [sum(good[:rank]) / rank for rank in range(1, len(good) + 1) if sum(good[:rank]) >= needed]
    return max(reached, default=0.0)


def _setp(one: Measure, query: Ranked) -> float:
    good, number = _relevant(one, query)
    return sum(good) / len(good) if good and number else 0.0


def _setr(one: Measure, query: Ranked) -> float:
    good, number = _relevant(one, query)
    return min(sum(good) / number, 1.0) if number else 0.0


def _setf(one: Measure, query: Ranked) -> float:
    beta = dict(one.params).get("beta", 1.0)
    precision, recall = _setp(one, query), _setr(one, query)
    return (beta + 1) * precision * recall / (beta * precision + recall) if precision + recall else 0.0


_MEASURES = {
    "P": _p,
    "R": _r,
    "Success": _success,
    "F1": _f1,
    "RR": _rr,
    "AP": _ap,
    "nDCG": _ndcg,
    "Rprec": _rprec,
    "bpref": _bpref,
    "RBP": _rbp,
    "ERR": _err,
    "Judged": _judged,
    "infAP": _infap,
    "IPrec": _iprec,
    "SetP": _setp,
    "SetR": _setr,
    "SetF": _setf,
    "NumRet": lambda one, query: float(len(query.grades)),
    "NumRel": lambda one, query: float(_relevant(one, query)[1]),
    "NumRelRet": lambda one, query: float(sum(_relevant(one, query)[0])),
    "NumQ": lambda one, query: 1.0,
}
