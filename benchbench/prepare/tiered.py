"""A tiered data set from a stream of cases: collection, queries with positives, card.

The cases are read once. Each is written to the collection; only its labels, hashes and place in the file are kept in
memory (some 40 bytes). Texts of queries and positives are read back from the file.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import COLLECTION
from benchbench.formats.datasets.tiered import QUERIES
from benchbench.kernels.arrays import I64, Bools
from benchbench.kernels.random import keys
from benchbench.prepare.cases import Case
from benchbench.prepare.files import CARD, Digested, together
from benchbench.prepare.tiers import DEATH, LIFE, TASKS, TIERS, CaseColumns, Found, find_positives
from benchbench.results.folder import pretty
from benchbench.results.ranges import COUNT, COUNT_OR_0, SEED, check
from benchbench.tables.callbacks import nothing
from benchbench.tables.hashing import normalise, text_hash
from benchbench.tables.labels import Vocabulary

_BRACKETS = "[]"  # one export of CAIL2018 sets them in names (`[走私、贩卖、运输、制造]毒品`), and another does not


@dataclass(frozen=True, slots=True)
class Choice:
    """How queries and positives are chosen; the card has it."""

    queries: int = 300
    positives: int = 10
    min_positives: int = 1
    min_length: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        """Check every value."""
        check(self, queries=COUNT, positives=COUNT, min_positives=COUNT_OR_0, min_length=COUNT, seed=SEED)


class _Cases:
    """The columns that are kept of every case."""

    def __init__(self) -> None:
        self.accusations, self.articles = Vocabulary(), Vocabulary()
        self.columns = {name: array(kind) for name, kind in _KINDS.items()}
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in TASKS}

    def add(self, case: Case, place: int, min_length: int) -> None:
        penalty = DEATH * case.death | LIFE * case.life
        accusation = self.accusations.code(list(case.accusations), _BRACKETS)
        may_be_query = accusation >= 0 and len(normalise(case.text)) >= min_length
        row = (
            text_hash(case.text),
            accusation,
            self.articles.code(list(case.articles), _BRACKETS),
            case.months,
            penalty,
            place,
            may_be_query,
        )
        for column, value in zip(self.columns.values(), row, strict=True):
            column.append(value)
        self.counts["accusation"].update(set(case.accusations))
        self.counts["article"].update(set(case.articles))
        self.counts["imprisonment"][_sentence_name(case)] += 1

    def arrays(self) -> tuple[CaseColumns, I64, I64]:
        """Return the kernel's columns, places in the collection, and the rarest accusation of each possible query.

        The accusation is a number, -1 for a case that cannot be a query. It is the rarest one because a rare accusation
        may never be the first of a case, or its only one.
        """
        text, accusation, article, months, penalty, place, may_be_query = (
            np.frombuffer(column, column.typecode) for column in self.columns.values()
        )
        first = np.zeros(text.size, np.bool_)
        first[np.unique(text, return_index=True)[1]] = True
        sets = self.accusations.sets()
        cases: Counter[str] = Counter()
        for names, count in zip(sets, np.bincount(accusation[accusation >= 0], minlength=len(sets)), strict=True):
            cases.update(dict.fromkeys(names, int(count)))
        number = {name: n for n, name in enumerate(sorted(cases))}
        rarest = [number[min(names, key=lambda name: (cases[name], name))] for names in sets]
        turn = np.where(may_be_query == 1, np.array([*rarest, -1])[accusation], -1)
        return CaseColumns(text, accusation, article, months, penalty, first), place, turn


_KINDS = {  # typecodes of `array`: they are numpy's too
    "text": "Q",
    "accusation": "i",
    "article": "i",
    "months": "i",
    "penalty": "B",
    "place": "q",
    "may_be_query": "B",
}


def write_tiered(
    cases: Iterable[Case],
    out: Path,
    choice: Choice,
    about: Callable[[], dict[str, Any]],
    progress: Callable[[int], None] = nothing,
    replace: bool = False,
) -> dict[str, Any]:
    """Write `collection.jsonl`, `tiered.jsonl` and `tiered.card.json` into a folder; return the card.

    Parameters
    ----------
    cases
        Read once.
    out
        The folder; made if need be. The three files appear together, at the end.
    choice
        How many queries and positives, and the seed.
    about
        Called after the last case: the members that open the card (source, licence, command).
    progress
        Called with the number of cases so far.
    replace
        Whether files of these names may be there already.

    Raises
    ------
    InputError
        No case, no possible query, a file that is there already, or a folder that cannot be written to.
    """
    with together(out, (COLLECTION, QUERIES, CARD), replace) as parts:
        return _write(cases, parts, choice, about, progress)


def summary(card: dict[str, Any]) -> str:
    """Return what a data set has, in a few lines: cases, queries, positives by tier, and lines that were skipped."""
    written, positives = card["queries"]["count"], sum(tier["written"] for tier in card["tiers"].values())
    lines = [
        f"{card['collection']['documents']:,} cases ({card['distinct_texts']:,} distinct texts), "
        f"{len(card['labels']['accusation']):,} accusations",
        f"{written:,} queries with {positives:,} positives, by tier:",
    ]
    for tier, counts in card["tiers"].items():
        lines.append(f"  {tier}  {counts['written']:>7,} written  {counts['in_collection']:>9,} in the collection")
    if skipped := card["source"].get("skipped_lines"):
        lines.append(f"{skipped:,} bad lines of {card['source']['file']} were skipped")
    return "\n".join(lines)


def _write(
    cases: Iterable[Case],
    parts: dict[str, Path],
    choice: Choice,
    about: Callable[[], dict[str, Any]],
    progress: Callable[[int], None],
) -> dict[str, Any]:
    kept = _Cases()
    collection, queries = Digested(parts[COLLECTION]), Digested(parts[QUERIES])
    with collection:
        for number, case in enumerate(cases, 1):
            kept.add(case, collection.place, choice.min_length)
            collection.write(_document(case))
            progress(number)
    columns, places, rarest = kept.arrays()
    if not places.size:
        raise InputError("there are no cases to choose queries from")
    tiers = np.zeros((2, TIERS), np.int64)  # positives written, and positives there are
    relevant: dict[str, dict[str, int]] = {task: {} for task in TASKS}
    with queries, parts[COLLECTION].open("rb") as texts:
        written = 0
        for q, found in _chosen(columns, rarest, kept, choice):
            query = _read(texts, places[q])
            positives = [_read(texts, places[c]) for c in found.case]
            queries.write(_query(query, positives, found))
            written += 1
            tiers += np.bincount(found.tier - 1, minlength=TIERS), found.tiers
            for task, count in zip(TASKS, found.relevant.tolist(), strict=True):
                relevant[task][query["_id"]] = count
    if written == 0:
        raise InputError(
            f"none of {places.size:,} cases can be a query: one needs {choice.min_length} characters, an accusation "
            f"and {choice.min_positives} positives; lower --min-length or --min-positives"
        )
    card = {
        **about(),
        "options": asdict(choice),
        "queries": {"file": QUERIES, "count": written, "digest": queries.digest()},
        "collection": {"file": COLLECTION, "documents": places.size, "digest": collection.digest()},
        "distinct_texts": int(columns.first.sum()),
        "tiers": {
            str(tier + 1): {"written": int(tiers[0, tier]), "in_collection": int(tiers[1, tier])}
            for tier in range(TIERS)
        },
        "labels": {task: dict(sorted(counts.items(), key=_frequent)) for task, counts in kept.counts.items()},
        "relevant": relevant,
    }
    parts[CARD].write_bytes(pretty(card))
    return card


def _chosen(columns: CaseColumns, rarest: I64, kept: _Cases, choice: Choice) -> Iterator[tuple[int, Found]]:
    """Yield queries with their positives, one accusation after the other, so that rare ones appear."""
    candidates = np.flatnonzero((rarest >= 0) & columns.first)
    candidates = candidates[np.argsort(keys(choice.seed, rarest.size)[candidates], kind="stable")]
    accusation = rarest[candidates]
    # The n-th candidate of each accusation comes in round n; accusations take their turns in random order.
    grouped = np.argsort(accusation, kind="stable")
    starts = np.searchsorted(accusation[grouped], np.arange(rarest.max() + 1))
    turn = np.empty(candidates.size, np.int64)
    turn[grouped] = np.arange(candidates.size) - starts[accusation[grouped]]
    seat = keys(choice.seed + 1, int(rarest.max()) + 1)[accusation]
    accusations, articles = _Shares(kept.accusations), _Shares(kept.articles)
    left = choice.queries
    for q in candidates[np.lexsort((seat, turn))].tolist():
        if left == 0:
            return
        found = find_positives(
            columns,
            q,
            accusations.with_set(columns.accusation[q]),
            articles.with_set(columns.article[q]),
            choice.positives,
            choice.seed,
        )
        if found.case.size >= choice.min_positives:
            left -= 1
            yield q, found


class _Shares:
    """Which label sets have a label in common with a given one."""

    def __init__(self, labels: Vocabulary) -> None:
        self._sets = labels.sets()
        self._with: dict[str, list[int]] = {}
        for code, names in enumerate(self._sets):
            for name in names:
                self._with.setdefault(name, []).append(code)

    def with_set(self, code: int) -> Bools:
        shares = np.zeros(len(self._sets), np.bool_)
        if code >= 0:
            for name in self._sets[code]:
                shares[self._with[name]] = True
        return shares


def _document(case: Case) -> dict[str, Any]:
    """Return a case as a line of the collection."""
    articles = [int(article) if article.isdecimal() else article for article in case.articles]
    meta: dict[str, Any] = {"accusation": case.accusations, "relevant_articles": articles}
    if case.months >= 0:
        meta["term_of_imprisonment"] = {
            "imprisonment": case.months,
            "death_penalty": case.death,
            "life_imprisonment": case.life,
        }
    return {"_id": case.id, "text": case.text, "meta": meta}


def _query(query: dict[str, Any], positives: list[dict[str, Any]], found: Found) -> dict[str, Any]:
    return {
        "query_id": query["_id"],
        "query": {"fact": query["text"], "meta": query["meta"]},
        "positives": [
            {
                "fact_id": positive["_id"],
                "fact": positive["text"],
                "tier": tier,
                "accusation": positive["meta"]["accusation"],
                "relevant_articles": positive["meta"]["relevant_articles"],
                "imprisonment": positive["meta"]["term_of_imprisonment"],
            }
            for positive, tier in zip(positives, found.tier.tolist(), strict=True)
        ],
        "positives_count": len(positives),
    }


def _read(collection: BinaryIO, place: int) -> dict[str, Any]:
    collection.seek(place)
    document: dict[str, Any] = orjson.loads(collection.readline())
    return document


def _sentence_name(case: Case) -> str:
    return "death" if case.death else "life" if case.life else str(case.months) if case.months >= 0 else "none"


def _frequent(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
