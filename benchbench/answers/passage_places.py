"""How near each query comes to its gold passages, and where those and the retrieved ones stand in the texts.

Stages of a query, of the first k passages
------------------------------------------
all
    Every gold character was retrieved; without places, every gold passage was matched.
part
    Some were.
place
    A passage is of a text that has a gold one, and none shares a character with it.
none
    No passage is of such a text; without places, none matches.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.answers.faults import Excerpt, excerpt, overlaid
from benchbench.answers.metrics import Mark
from benchbench.answers.spans import merged
from benchbench.answers.tokens import single_spaces
from benchbench.scores.tables import plain
from benchbench.tables.passages import Passage, Passages, Place

if TYPE_CHECKING:
    import polars as pl

STAGES = ("part", "place", "none", "all")  # in the order in which a page has them
MOST = 100  # queries of a stage that are shown
_CHARACTERS, _BEGINNING, _AROUND = 600, 0, 70  # of a retrieved passage
_OF_GOLD = 600
_ASKED = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelDetails:
    """How many queries come how far, and how long passages are."""

    asked: int
    right_text: int | None  # with a passage of a right text; None without places
    right_place: int  # that touch a gold passage
    all: int
    texts: int  # that gold passages are of
    gold_length: float | None  # characters, the median of gold passages with a text
    retrieved_length: float | None


class Gold(NamedTuple):
    """A gold passage, and how many of its characters were retrieved: without places, all of them or none."""

    file: str
    start: int
    end: int
    length: int  # characters
    text: str
    found: int
    missed: list[Mark]  # what was not retrieved of one that was in part


class RetrievedPassage(NamedTuple):
    """A retrieved passage; `marks` are the gold places in `text`, which is empty of one that need not be read."""

    rank: int
    file: str
    start: int
    end: int
    shared: int  # characters with gold passages; -1 without places
    text: str
    marks: list[Mark]


class PassageQuery(NamedTuple):
    """A query, its gold passages and what was retrieved for it."""

    number: int  # of the gold file, from 1
    query: str
    stage: str
    recall: float  # share of gold characters, or of gold passages
    characters: int  # of all gold passages, each once
    distance: int | None  # characters from the nearest passage of the text to a gold one
    gold: list[Gold]
    retrieved: list[RetrievedPassage]
    files: list[str]  # that gold passages are of
    lengths: list[int]  # of those, as far as any passage reaches


def stages(gold: Passages, predicted: Passages, recall: Sequence[float], k: int, placed: bool) -> list[str]:
    """Return the stage of each gold query; `recall` is of characters where passages have places, else of passages."""
    reached = []
    for share, (query, wanted) in zip(recall, gold.by_query.items(), strict=True):
        if share > 0.0:
            reached.append("all" if share >= 1.0 else "part")
            continue
        files = {passage.place.file for passage in wanted if passage.place}
        retrieved = predicted.by_query.get(query, ())[:k] if placed else ()
        is_near = any(passage.place and passage.place.file in files for passage in retrieved)
        reached.append("place" if is_near else "none")
    return reached


def funnel(gold: Passages, predicted: Passages, of_queries: Sequence[str], placed: bool) -> FunnelDetails:
    """Count queries by how far they come."""
    some, every = (sum(stage in known for stage in of_queries) for known in (("part", "all"), ("all",)))
    return FunnelDetails(
        asked=len(of_queries),
        right_text=some + of_queries.count("place") if placed else None,
        right_place=some,
        all=every,
        texts=len({passage.place.file for wanted in gold.by_query.values() for passage in wanted if passage.place}),
        gold_length=_median(gold),
        retrieved_length=_median(predicted),
    )


def _median(passages: Passages) -> float | None:
    import statistics  # late: it is slow to import

    texts = (passage.text for several in passages.by_query.values() for passage in several)
    lengths = [len(text) for text in texts if text.strip()]
    return float(statistics.median(lengths)) if lengths else None


def shown(
    gold: Passages, predicted: Passages, of_queries: Sequence[str], recall: Sequence[float], k: int, placed: bool
) -> list[PassageQuery]:
    """Return queries of each stage, the nearest misses first: by what was found, then by how far it was missed."""
    lengths = _lengths(gold, predicted)
    ranked: dict[str, list[tuple[float, int, str]]] = {stage: [] for stage in STAGES}
    for number, (stage, share, query) in enumerate(zip(of_queries, recall, gold.by_query, strict=True), 1):
        apart = _distance(gold.by_query[query], predicted.by_query[query][:k]) if stage == "place" else None
        ranked[stage].append((-share if apart is None else float(apart), number, query))
    return [
        _query(number, query, stage, recall[number - 1], gold, predicted.by_query.get(query, [])[:k], placed, lengths)
        for stage in STAGES
        for _, number, query in sorted(ranked[stage])[:MOST]
    ]


def _lengths(*passages: Passages) -> Mapping[str, int]:
    """Return how far passages reach in each file: what is known of its length."""
    ends: defaultdict[str, int] = defaultdict(int)
    for several in passages:
        for ranked in several.by_query.values():
            for passage in ranked:
                if passage.place:
                    ends[passage.place.file] = max(ends[passage.place.file], passage.place.end)
    return ends


def _distance(gold: Sequence[Passage], retrieved: Sequence[Passage]) -> int | None:
    """Return the characters between the gold and the retrieved passage of one text that are nearest to each other."""
    wanted = [passage.place for passage in gold if passage.place]
    places = [passage.place for passage in retrieved if passage.place]
    gaps = [max(a.start - b.end, b.start - a.end, 0) for a in wanted for b in places if a.file == b.file]
    return min(gaps, default=None)


def _query(
    number: int,
    query: str,
    stage: str,
    recall: float,
    gold: Passages,
    found: Sequence[Passage],
    placed: bool,
    lengths: Mapping[str, int],
) -> PassageQuery:
    wanted = gold.by_query[query]
    files = list(dict.fromkeys(passage.place.file for passage in wanted if passage.place)) if placed else []
    spans = merged(passage.place for passage in wanted if passage.place) if placed else {}
    covered = merged(passage.place for passage in found if passage.place) if placed else {}
    marks = [_places(passage, wanted, spans) for passage in found]
    read = {place for place, some in enumerate(marks) if some}
    if not read and found:  # the nearest miss: of the right text if there is one, else the first
        apart = [_distance(wanted, [passage]) if placed else None for passage in found]
        read = {min(range(len(found)), key=lambda place: (apart[place] is None, apart[place] or 0, place))}
    retrieved = [
        _retrieved(place + 1, passage, _shared(passage.place, spans) if placed else -1, marks[place], place in read)
        for place, passage in enumerate(found)
    ]
    return PassageQuery(
        number,
        query[:_ASKED],
        stage,
        recall,
        sum(end - start for parts in spans.values() for start, end in parts),
        _distance(wanted, found) if stage == "place" else None,
        [
            _gold(passage, _shared(passage.place, covered) if placed else _matched(passage, found), covered)
            for passage in wanted
        ],
        retrieved,
        files,
        [lengths[file] for file in files],
    )


def _shared(place: Place | None, spans: Mapping[str, Sequence[tuple[int, int]]]) -> int:
    """Return how many characters of a place are in spans that do not overlap."""
    if place is None:
        return 0
    return sum(max(0, min(place.end, end) - max(place.start, start)) for start, end in spans.get(place.file, ()))


def _matched(gold: Passage, retrieved: Sequence[Passage]) -> int:
    """Return all characters of a gold passage that a retrieved one matches as `recall@k` has it, else 0."""
    wanted = single_spaces(gold.text)
    texts = (single_spaces(passage.text) for passage in retrieved)
    return len(gold.text) if wanted and any(text and (text in wanted or wanted in text) for text in texts) else 0


def _places(passage: Passage, gold: Sequence[Passage], spans: Mapping[str, Sequence[tuple[int, int]]]) -> list[Mark]:
    """Return where gold passages are in the text of a retrieved one: by their places, else where their texts are."""
    length = len(passage.text)
    if spans and passage.place is not None and passage.place.end - passage.place.start == length:
        start = passage.place.start
        spans_of_gold = [(begin - start, end - start) for begin, end in spans.get(passage.place.file, ())]
    else:
        spans_of_gold = [place for wanted in gold for place in _written(passage.text, wanted.text)]
    return overlaid((Mark(*place, "matched") for place in spans_of_gold if place[1] > 0 and place[0] < length), length)


def _written(text: str, wanted: str) -> Iterable[tuple[int, int]]:
    """Yield where a text has another in it, in lower case; all of it where it is part of the other."""
    folded, sought = text.lower(), wanted.strip().lower()
    if not sought or len(folded) != len(text):
        return
    at = folded.find(sought)
    if at >= 0:
        yield at, at + len(sought)
    elif folded.strip() and folded.strip() in sought:
        yield 0, len(text)


def _retrieved(rank: int, passage: Passage, shared: int, marks: list[Mark], is_read: bool) -> RetrievedPassage:
    place = passage.place or Place("", 0, 0)
    part = excerpt(passage.text, marks, _CHARACTERS, _BEGINNING if marks else _CHARACTERS // 2, _AROUND)
    part = part if is_read else Excerpt("", [], 0)
    return RetrievedPassage(rank, *place, shared, part.text, part.marks)


def _gold(passage: Passage, shared: int, covered: Mapping[str, Sequence[tuple[int, int]]]) -> Gold:
    place = passage.place or Place("", 0, 0)
    text = passage.text if len(passage.text) <= _OF_GOLD else f"{passage.text[:_OF_GOLD]} …"
    length = len(passage.text) if passage.place is None else place.end - place.start
    missed = list(_missed(passage, covered)) if 0 < shared < length else []
    return Gold(*place, length, text, shared, missed)


def _missed(passage: Passage, covered: Mapping[str, Sequence[tuple[int, int]]]) -> Iterable[Mark]:
    """Yield which parts of a gold passage's text were not retrieved, where its place says that."""
    place, most = passage.place, min(len(passage.text), _OF_GOLD)
    if place is None or place.end - place.start != len(passage.text):
        return
    last = 0
    for start, end in (*covered.get(place.file, ()), (place.end, place.end)):
        begins = min(max(start - place.start, 0), most)
        if begins > last:
            yield Mark(last, begins, "missed")
        last = max(last, min(end - place.start, most))


def frame(queries: Sequence[PassageQuery]) -> "pl.DataFrame":
    """Return the queries as a table."""
    import polars as pl

    text, whole = pl.String, pl.Int64
    place = {"file": text, "start": whole, "end": whole}
    mark = pl.Struct({"start": whole, "end": whole, "found": text, "said": text})
    schema: dict[str, Any] = {
        "number": whole,
        "query": text,
        "stage": text,
        "recall": pl.Float64,
        "characters": whole,
        "distance": whole,
        "gold": pl.List(pl.Struct({**place, "length": whole, "text": text, "found": whole, "missed": pl.List(mark)})),
        "retrieved": pl.List(
            pl.Struct({"rank": whole, **place, "shared": whole, "text": text, "marks": pl.List(mark)})
        ),
        "files": pl.List(text),
        "lengths": pl.List(whole),
    }
    return pl.DataFrame({name: [plain(getattr(row, name)) for row in queries] for name in schema}, schema=schema)
