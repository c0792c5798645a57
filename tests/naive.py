"""Slow and obvious twins of the engine, written from its specification.

Texts are compared as normalised strings and labels as sets of strings: no hash, no code, no array. Records are
as JSON has them::

    query      {"query_id": 17, "query": {"fact": "…", "meta": {…}}, "positives": [{"fact_id": …, "fact": …}, …]}
    hit        {"id": "c17", "text": "…", "meta": {…}}
    case       {"fact": "…", "meta": {…}}

Texts, ids and labels may be missing; labels stand in `meta` or at the top level.
"""

import itertools
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from naive_measures import Ranked, value

from benchbench.measures.notation import Measure

MEASURES = ("P", "R", "Success", "F1", "nDCG", "RR")

Record = Mapping[str, Any]


# What records say


def text_of(record: Record) -> str | None:
    """Return the normalised text (NFC, LF line ends, no outer white space); None where nothing is left."""
    for name in ("text", "fact", "content", "sentence", "passage"):
        if record.get(name) is not None:
            text = record[name].replace("\r\n", "\n").replace("\r", "\n")
            return unicodedata.normalize("NFC", text.strip()) or None
    return None


def id_of(record: Record) -> str | None:
    """Return the id as a string."""
    for name in ("id", "fact_id", "doc_id", "_id"):
        if record.get(name) is not None:
            return str(record[name])
    return None


def label_of(record: Record, *names: str) -> Any:
    """Return a label from the top level or from `meta`."""
    for place in (record, record.get("meta") or {}):
        for name in names:
            if place.get(name) is not None:
                return place[name]
    return None


def label_set(values: Any) -> set[str] | None:
    """Return labels as strings without square brackets; None where there is none."""
    values = [] if values is None else values if isinstance(values, list) else [values]
    return {str(value).replace("[", "").replace("]", "").strip() for value in values} - {""} or None


def accusations_of(record: Record) -> set[str] | None:
    """Return the set of accusations."""
    return label_set(label_of(record, "accusation"))


def articles_of(record: Record) -> set[str] | None:
    """Return the set of articles."""
    return label_set(label_of(record, "relevant_articles", "articles"))


def sentence_of(record: Record) -> tuple[bool, bool, int] | None:
    """Return death penalty, life imprisonment, and months, which are 0 with either."""
    value = label_of(record, "imprisonment", "term_of_imprisonment")
    if isinstance(value, Mapping):
        death, life = bool(value.get("death_penalty")), bool(value.get("life_imprisonment"))
        if death or life:
            return death, life, 0
        value = value.get("imprisonment")
    return None if value is None else (False, False, int(value))


# Tiers


def tier(query_case: Record, other_case: Record) -> int | None:
    """Return the first tier that fits; None for no positive, and for a case with the query's text."""
    if text_of(query_case) == text_of(other_case):
        return None
    ours, theirs = accusations_of(query_case), accusations_of(other_case)
    our_articles, their_articles = articles_of(query_case), articles_of(other_case)
    mine, other = sentence_of(query_case), sentence_of(other_case)
    if None in (ours, theirs, our_articles, their_articles, mine, other):
        return None
    assert ours
    assert theirs
    assert our_articles
    assert their_articles
    assert mine
    assert other
    if mine[:2] != other[:2]:
        return None
    off = abs(mine[2] - other[2])
    equal = mine == other
    within_10 = off * 100 <= 10 * mine[2]
    within_30 = off * 100 <= 30 * mine[2]
    if ours == theirs and our_articles == their_articles and equal:
        return 1
    if ours == theirs and our_articles == their_articles and within_10:
        return 2
    if ours == theirs and our_articles == their_articles and within_30:
        return 3
    if ours == theirs and our_articles & their_articles and (equal or within_30):
        return 4
    if ours & theirs and our_articles & their_articles and (equal or within_30):
        return 5
    return None


# Tasks


def same_accusations(query_case: Record, other: Record) -> bool:
    """Say whether the case has accusations, and those of the query."""
    return accusations_of(query_case) is not None and accusations_of(query_case) == accusations_of(other)


def same_articles(query_case: Record, other: Record) -> bool:
    """Say whether the case has articles, and those of the query."""
    return articles_of(query_case) is not None and articles_of(query_case) == articles_of(other)


def like_sentence(query_case: Record, other: Record) -> bool:
    """Say whether flags are equal and, when none is set, months within max(6, 20 % of the query's)."""
    mine, its = sentence_of(query_case), sentence_of(other)
    if mine is None or its is None or mine[:2] != its[:2]:
        return False
    return mine[0] or mine[1] or abs(mine[2] - its[2]) <= 6 or 100 * abs(mine[2] - its[2]) <= 20 * mine[2]


LABEL_TASKS = {
    "accusation": (accusations_of, same_accusations),
    "article": (articles_of, same_articles),
    "imprisonment": (sentence_of, like_sentence),
}


def relevant_in(query_case: Record, cases: Iterable[Record]) -> dict[str, int]:
    """Count the cases that are relevant for each label task; those with the query's text are the query."""
    others = [case for case in cases if text_of(case) != text_of(query_case)]
    return {task: sum(fits(query_case, case) for case in others) for task, (_, fits) in LABEL_TASKS.items()}


# Judging


def cut_positives(query: Record, max_positives: int) -> list[Record]:
    """Return the positives in file order, without the query's own text and without texts twice, cut."""
    texts = {text_of(query["query"])}
    kept = []
    for positive in query.get("positives") or []:
        text = text_of(positive)
        if text is None or text not in texts:
            kept.append(positive)
            texts |= set() if text is None else {text}
    return kept[:max_positives]


def same_document(by: str, one: Record, other: Record) -> bool:
    """Compare texts or ids; ids also where one side has no text."""
    if by == "text" and text_of(one) is not None and text_of(other) is not None:
        return text_of(one) == text_of(other)
    return id_of(one) is not None and id_of(one) == id_of(other)


def fates(itself: Record, hits: Sequence[Record], self_by: str) -> list[str]:
    """Say of each hit whether it is kept, the query itself, a copy of its text, or a duplicate.

    The query is the hit with its id, or else (by text) the first with its text.
    """
    fate = ["kept"] * len(hits)
    for h, hit in enumerate(hits):
        if (text_of(hit) is not None and text_of(hit) == text_of(itself)) or same_document(self_by, hit, itself):
            fate[h] = "copy"
    removed = [h for h in range(len(hits)) if fate[h] == "copy"]
    with_id = [h for h in removed if id_of(hits[h]) is not None and id_of(hits[h]) == id_of(itself)]
    for h in (with_id or (removed if self_by == "text" else []))[:1]:
        fate[h] = "self"
    ids = set()
    for h, hit in enumerate(hits):
        if fate[h] == "kept" and id_of(hit) is not None:
            if id_of(hit) in ids:
                fate[h] = "duplicate"
            ids.add(id_of(hit))
    return fate


def ranks(fate: Sequence[str]) -> list[int]:
    """Return the rank of each hit that is kept, from 1, and 0 of the others."""
    return [fate[:h].count("kept") + 1 if one == "kept" else 0 for h, one in enumerate(fate)]


def found_positives(
    positives: Sequence[Record], hits: Sequence[Record], fate: Sequence[str], gold_by: str
) -> list[int | None]:
    """Return which positive each kept hit is; each is found once."""
    found: list[int | None] = [None] * len(hits)
    for h, hit in enumerate(hits):
        fits = [p for p, one in enumerate(positives) if p not in found and same_document(gold_by, hit, one)]
        if fate[h] == "kept" and fits:
            found[h] = fits[0]
    return found


def judge_query(query: Record, hits: Sequence[Record]) -> tuple[list[str], dict[tuple[str, str], float]]:
    """Say what each hit is, and how those that are kept score by each task; recall divides by ten."""
    case = query["query"]
    fate = fates({"id": query.get("query_id"), "text": text_of(case)}, hits, "text")
    kept = [h for h, one in enumerate(fate) if one == "kept"]
    positives = cut_positives(query, 10)
    gains = [6.0 - (positive.get("tier") or 1) for positive in positives]
    found = found_positives(positives, hits, fate, "text")  # each is found once
    ranked = {
        "gold": Ranked([None if (p := found[h]) is None else gains[p] for h in kept], gains, recall=("fixed", 10))
    }
    for task, (_, fits) in LABEL_TASKS.items():
        ranked[task] = Ranked([1 if fits(case, hits[h]) else None for h in kept], [1] * 10, by_labels=True)
    measures = {f"{name}@{k}": Measure(name, (), k) for name in MEASURES for k in (3, 5, 10)}
    return fate, {(task, name): value(one, its) for task, its in ranked.items() for name, one in measures.items()}


# Rankings beside one another


def overlap(one: Sequence[str], other: Sequence[str], k: int) -> float:
    """Return the documents in both beginnings, over the length of the longer one."""
    longer = max(len(one[:k]), len(other[:k]))
    return len(set(one[:k]) & set(other[:k])) / longer if longer else 1.0


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float, depths: int = 2000) -> float:
    """Return the weighted mean of the agreement at each depth, the lists extrapolated by what they shared so far."""
    short, long = sorted((one, other), key=len)
    if not short:
        return 0.0 if long else 1.0
    rate = len(set(short) & set(long[: len(short)])) / len(short)
    agreements = []
    for depth in range(1, len(long) + 1):
        shared = len(set(short[:depth]) & set(long[:depth])) + rate * max(depth - len(short), 0)
        agreements.append(shared / depth)
    agreements += agreements[-1:] * (depths - len(long))
    return sum((1 - p) * p**place * value for place, value in enumerate(agreements))


# Comparing


def randomization(differences: Sequence[Fraction]) -> float:
    """Return the share of all sign patterns whose sum is as far from 0 as the one observed, in whole numbers."""
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in sign_patterns(len(differences))]
    return sum(abs(one) >= abs(sum(differences)) for one in sums) / len(sums)


def wilcoxon(differences: Sequence[Fraction]) -> float:
    """Return the share of all sign patterns whose positive ranks' sum is as far from the middle; zeros are dropped."""
    kept = [d for d in differences if d]
    sizes = [abs(d) for d in kept]
    ranks = [sum(other < size for other in sizes) + Fraction(1 + sizes.count(size), 2) for size in sizes]
    off = [sum(s * r for s, r in zip(signs, ranks, strict=True)) for signs in sign_patterns(len(ranks))]
    observed = sum(r if d > 0 else -r for d, r in zip(kept, ranks, strict=True))
    return sum(abs(one) >= abs(observed) for one in off) / len(off)


def sign_patterns(n: int) -> Iterable[tuple[int, ...]]:
    """Yield all sign patterns."""
    return itertools.product((1, -1), repeat=n)


def holm(p: Sequence[float], alpha: float) -> list[bool]:
    """Reject from the smallest p-value on, each against alpha by the number that are left, until one is not."""
    rejected = [False] * len(p)
    for done, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[place] > alpha / (len(p) - done):
            break
        rejected[place] = True
    return rejected


def benjamini_hochberg(p: Sequence[float], alpha: float) -> list[bool]:
    """Reject the k smallest, k the greatest for which the k-th is at most alpha k / m."""
    ordered = sorted(p)
    most = max((k for k in range(1, len(p) + 1) if ordered[k - 1] <= alpha * k / len(p)), default=0)
    return [most > 0 and one <= ordered[most - 1] for one in p]


def bonferroni(p: Sequence[float], alpha: float) -> list[bool]:
    """Reject each p-value that is at most its share of alpha."""
    return [one <= alpha / len(p) for one in p]


def max_t(differences: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Take the most telling difference of those that are left, and ask how often any of them tells as much by chance.

    All signs of a unit flip together. A difference tells as its squared sum over its sum of squares does: t² is
    a function of that which rises.
    """

    def telling(signs: Sequence[int], d: Sequence[Fraction]) -> Fraction:
        squares = sum((one * one for one in d), Fraction(0))
        total = sum((s * one for s, one in zip(signs, d, strict=True)), Fraction(0))
        return total * total / squares if squares else Fraction(0)

    patterns = list(sign_patterns(len(differences[0])))
    as_they_are = [1] * len(differences[0])
    left, p, last = list(range(len(differences))), [Fraction(1)] * len(differences), Fraction(0)
    while left:
        most = max(left, key=lambda test: telling(as_they_are, differences[test]))
        bound = telling(as_they_are, differences[most])
        beyond = sum(max(telling(signs, differences[test]) for test in left) >= bound for signs in patterns)
        p[most] = last = max(last, Fraction(beyond, len(patterns)))
        left.remove(most)
    return p


def rank_interval(system: int, means: Sequence[float], found: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return the best and worst rank where the pairs `found` differ."""
    others = [b if a == system else a for a, b in found if system in (a, b)]
    better = sum(means[other] > means[system] for other in others)
    worse = sum(means[other] < means[system] for other in others)
    return 1 + better, len(means) - worse
