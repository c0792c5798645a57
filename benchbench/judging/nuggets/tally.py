"""Nugget scores of a stream of answers: values per query and run, oddities, and the answers with the lowest scores."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from benchbench.answers.nuggets import MAIN, MEASURES, aligned, problems, scores
from benchbench.errors import InputError, visible
from benchbench.formats.nuggets import Assigned, NuggetSet
from benchbench.scores.lowest import Lowest
from benchbench.tables.hashing import content_digest
from benchbench.tables.nuggets import ASSIGNMENTS, FAILED, PARTIAL_SUPPORT, SUPPORT, Nugget

if TYPE_CHECKING:
    import polars as pl

MOST = 200  # answers with the lowest scores, that a page shows
_CHARACTERS = 4000  # of a text
_NUGGETS = 60  # of an answer
_DIGESTS = 1 << 128
_WORDS = 20  # different unknown words that are counted one by one

Place = tuple[str, str]  # query and document; the latter is empty for an answer


class LowestAnswer(NamedTuple):
    """An answer with a low score, and its nuggets."""

    run: str
    query_id: str
    document_id: str
    query: str
    answer: str
    scores: list[float]  # as MEASURES
    supported: list[str]
    partly: list[str]
    missing: list[str]
    vital: list[bool]  # of `partly`, then of `missing` and of `supported`


class NuggetTally:
    """The scores of answers by run and query."""

    def __init__(self, wanted: Mapping[str, NuggetSet] | None = None) -> None:
        """Start with none; `wanted` are the nuggets of each question, where the answers are aligned to them."""
        self.wanted = wanted
        self.values: dict[str, dict[Place, tuple[float, ...]]] = {}
        self.sizes: dict[str, dict[Place, tuple[int, int]]] = {}  # nuggets, and vital ones
        self.counts: Counter[str] = Counter()
        self.words: Counter[str] = Counter()  # unknown ones
        self.judges: Counter[tuple[str, str]] = Counter()  # with rubric
        self.has_documents = False  # a document, and not an answer, was scored
        self._digest = 0
        self._places: dict[Place, None] = {}  # of any run
        self._lowest = Lowest[LowestAnswer](MOST)

    def add(self, assigned: Assigned, where: str = "") -> None:
        """Score an answer.

        Raises
        ------
        InputError
            When the run has an answer to the question already.
        """
        self._digest = (self._digest + _digest_of(assigned)) % _DIGESTS
        nuggets = self._nuggets(assigned)
        if nuggets is None:
            return
        place = assigned.query_id, assigned.document_id
        of_run = self.values.setdefault(assigned.run, {})
        if place in of_run:
            document = f", document {visible(assigned.document_id, 60)}" if assigned.document_id else ""
            raise InputError(
                f"{where or 'the assignments'}: the run {visible(assigned.run, 60)} has the question "
                f"{visible(assigned.query_id, 60)}{document} twice; remove one of the two, or give each run a run_id"
            )
        is_new = place not in self._places
        self._places[place] = None
        self.has_documents |= bool(assigned.document_id)
        by_measure = scores(nuggets)
        of_run[place] = tuple(by_measure.values())
        self._count(assigned, nuggets, is_new)
        self._keep(assigned, nuggets, of_run[place])

    @property
    def digest(self) -> str:
        """Return a digest of everything that was scored; the order does not matter."""
        return f"{self._digest:032x}"

    @property
    def data_digest(self) -> str:
        """Return a digest of the nuggets of questions, where they are known, else of what was scored; in any order."""
        if self.wanted is None:
            return self.digest
        parts = (
            content_digest(repr((query, nugget_set.query, nugget_set.nuggets)).encode(errors="replace")).intdigest()
            for query, nugget_set in self.wanted.items()
        )
        return f"{sum(parts) % _DIGESTS:032x}"

    @property
    def runs(self) -> list[str]:
        """Return the names of the runs, in the order in which they came."""
        return list(self.values)

    def places(self, run: str) -> list[Place]:
        """Return what the means of a run are over; what it has not answered counts as 0."""
        if self.has_documents:
            return list(self.values[run])
        if self.wanted is not None:
            return [(query, "") for query in self.wanted]
        return list(self._places)

    def column(self, run: str, measure: str) -> list[float]:
        """Return the values of a run, one per place."""
        at, by_place = MEASURES.index(measure), self.values[run]
        return [by_place[place][at] if place in by_place else 0.0 for place in self.places(run)]

    def missing(self) -> Iterator[tuple[str, str]]:
        """Yield each run with each question that it has not answered."""
        for run, by_place in self.values.items():
            yield from ((run, query) for query, document in self.places(run) if (query, document) not in by_place)

    def lowest(self) -> list[LowestAnswer]:
        """Return the answers with the lowest main scores, lowest first."""
        return self._lowest.rows()

    def check_words(self) -> None:
        """Raise InputError where no assignment is a known word."""
        odd = self.counts["unknown_assignment"]
        if odd and odd + self.counts["unassigned"] == self.counts["nuggets"]:
            seen = ", ".join(repr(visible(word, 30)) for word, _ in self.words.most_common(3))
            raise InputError(f"no assignment is one of {', '.join(ASSIGNMENTS)}; there are {seen}")
        if self.counts["nuggets"] and self.counts["unassigned"] == self.counts["nuggets"]:
            raise InputError(
                "no nugget has an assignment: these are nuggets alone; add the file of assignments, or let a judge "
                "assign them with --model"
            )

    def _nuggets(self, assigned: Assigned) -> list[Nugget] | None:
        if self.wanted is None:
            return assigned.nuggets
        wanted = self.wanted.get(assigned.query_id)
        if wanted is None:
            self.counts["unknown_queries"] += 1
            return None
        matched = aligned(wanted.nuggets, assigned.nuggets)
        self.counts["beyond"] += matched.beyond
        return matched.nuggets

    def _count(self, assigned: Assigned, nuggets: list[Nugget], is_new: bool) -> None:
        vital = sum(nugget.is_vital for nugget in nuggets)
        self.sizes.setdefault(assigned.run, {})[assigned.query_id, assigned.document_id] = len(nuggets), vital
        self.counts.update(answers=1, nuggets=len(nuggets), vital_nuggets=vital)
        if is_new:  # each nugget once, however many runs answer its question
            self.counts.update(different_nuggets=len(nuggets), different_vital_nuggets=vital)
        self.counts["without_nuggets"] += not nuggets
        self.counts["without_vital"] += bool(nuggets) and not vital
        self.counts.update(problems(nuggets))
        for nugget in nuggets:
            word = nugget.assignment
            if (
                word is not None
                and word not in (*ASSIGNMENTS, FAILED)
                and (word in self.words or len(self.words) < _WORDS)
            ):
                self.words[word] += 1
        self.judges[assigned.judge, assigned.rubric] += 1

    def _keep(self, assigned: Assigned, nuggets: list[Nugget], values: tuple[float, ...]) -> None:
        rank = -values[MEASURES.index(MAIN)], -self.counts["answers"]
        if not self._lowest.takes(*rank):
            return
        supported = [nugget for nugget in nuggets if nugget.assignment == SUPPORT][:_NUGGETS]
        partly = [nugget for nugget in nuggets if nugget.assignment == PARTIAL_SUPPORT][:_NUGGETS]
        missing = [nugget for nugget in nuggets if nugget.assignment not in (SUPPORT, PARTIAL_SUPPORT)][:_NUGGETS]
        query = assigned.query or (self.wanted[assigned.query_id].query if self.wanted is not None else "")
        row = LowestAnswer(
            run=assigned.run,
            query_id=assigned.query_id,
            document_id=assigned.document_id,
            query=(query or assigned.query_id)[:_CHARACTERS],
            answer=assigned.answer[:_CHARACTERS],
            scores=list(values),
            supported=[nugget.text[:_CHARACTERS] for nugget in supported],
            partly=[nugget.text[:_CHARACTERS] for nugget in partly],
            missing=[nugget.text[:_CHARACTERS] for nugget in missing],
            vital=[nugget.is_vital for nugget in (*partly, *missing, *supported)],
        )
        self._lowest.add(row, *rank)


def _digest_of(assigned: Assigned) -> int:
    return content_digest(
        repr((assigned.run, assigned.query_id, assigned.document_id, assigned.nuggets)).encode(errors="replace")
    ).intdigest()


def per_query(tally: NuggetTally) -> "pl.DataFrame":
    """Return the table of values: a row per run and question, with those that a run has not answered."""
    import polars as pl

    rows = [
        (run, *place, *(tally.values[run].get(place) or (0.0,) * len(MEASURES)), *_sizes(tally, run, place))
        for run in tally.runs
        for place in tally.places(run)
    ]
    names = ["run", "query_id", "document_id", *MEASURES, "nuggets", "vital_nuggets", "answered"]
    kinds = {
        **dict.fromkeys(("run", "query_id", "document_id"), pl.String),
        **dict.fromkeys(("nuggets", "vital_nuggets"), pl.Int64),
        "answered": pl.Boolean,
    }
    return pl.DataFrame(rows, schema={name: kinds.get(name, pl.Float64) for name in names}, orient="row")


def _sizes(tally: NuggetTally, run: str, place: Place) -> tuple[int, int, bool]:
    counted = tally.sizes[run].get(place)
    if counted is not None:
        return *counted, True
    wanted = tally.wanted.get(place[0]) if tally.wanted is not None else None
    nuggets = wanted.nuggets if wanted is not None else []
    if wanted is not None:
        return len(nuggets), sum(nugget.is_vital for nugget in nuggets), False
    others = (tally.sizes[other][place] for other in tally.runs if place in tally.sizes[other])
    return *next(others, (0, 0)), False
