"""What a retriever loses that cannot tell the copies of a document apart, where they are judged differently."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchbench.audit.judged import Judged
from benchbench.audit.judgments import ndcg
from benchbench.kernels.arrays import I64


class CopyEffect:
    """What a retriever loses that cannot tell the documents of a group apart.

    Its ranking is ideal but for groups: those with a relevant document stand in the order of their best grades, and
    within each one the lowest grade comes first. A document that nobody judged has no gain.
    """

    def __init__(self, judged: Judged, groups: Sequence[Sequence[int]]) -> None:
        """Take the documents of each group."""
        self._judged, self._groups = judged, groups
        self._lost_ndcg: dict[int, float] = {}
        self._lost_recall: dict[int, float] = {}
        self.pairs: list[tuple[int, int, int]] = []  # query, a relevant document, one of its group with another grade
        group = np.full(len(judged.collection), -1, np.int64)
        for number, members in enumerate(groups):
            group[members] = number
        known = np.where(judged.place >= 0, group[judged.place], -1)
        for q in np.unique(judged.query[(known >= 0) & (judged.data.queries.positives.grade > 0)]).tolist():
            self._look_at(q, known)

    def _look_at(self, q: int, known: I64) -> None:
        judged, k = self._judged, self._judged.cutoff
        its = judged.data.queries.positives.of(q)
        gains = np.maximum(judged.data.queries.positives.grade[its], 0.0)
        its_places, its_groups = judged.place[its].tolist(), known[its].tolist()
        grade = {place: float(gain) for place, gain in zip(its_places, gains, strict=True) if place >= 0}
        alone = [[float(gain)] for gain, group in zip(gains, its_groups, strict=True) if group < 0 and gain > 0]
        lists = []
        for group in sorted({group for group, gain in zip(its_groups, gains, strict=True) if group >= 0 and gain > 0}):
            members = [place for place in self._groups[group] if not self._is_query(q, place)]
            if not members:
                continue
            given = [grade.get(place, 0.0) for place in members]
            if min(given) < max(given):
                lower = next(place for place, gain in zip(members, given, strict=True) if gain < max(given))
                self.pairs.append((q, members[given.index(max(given))], lower))
            lists.append(sorted(given))
        if not any(given[0] < given[-1] for given in lists):
            return
        ordered = sorted([*alone, *lists], key=lambda given: (-given[-1], given))
        ranked = np.array([gain for given in ordered for gain in given])
        relevant = int(np.count_nonzero(gains))
        self._lost_ndcg[q] = 1.0 - ndcg(ranked, gains, k)
        self._lost_recall[q] = (min(k, relevant) - int(np.count_nonzero(ranked[:k]))) / relevant

    def _is_query(self, q: int, place: int) -> bool:
        """Say whether a document is a copy of the query, which is removed before it is ranked."""
        table = self._judged.collection
        return int(self._judged.data.queries.text[q]) in (int(table.text[place]), int(table.body[place]))

    @property
    def losses(self) -> list[float | None]:
        """The mean losses in nDCG and recall at the cut-off; None where no query has a relevant document."""
        known = self._judged.answerable
        return [self._judged.mean(lost) if known else None for lost in (self._lost_ndcg, self._lost_recall)]

    def sentence(self) -> str:
        """Return the effect in a sentence."""
        k, (ndcg_loss, recall_loss) = self._judged.cutoff, self.losses
        return (
            f"a perfect retriever that returns the lower-judged one first loses {ndcg_loss:.4f} in nDCG@{k} and "
            f"{recall_loss:.4f} in R@{k}, over {self._judged.answerable:,} queries"
        )

    def examples(self) -> Iterator[str]:
        """Yield what is judged differently, in the order of queries."""
        ids, documents = self._judged.data.queries.ids, self._judged.collection.ids
        for q, higher, lower in sorted(self.pairs, key=lambda pair: (ids[pair[0]], documents[pair[1]])):
            yield f"query {ids[q]}: {documents[higher]} is judged higher than {documents[lower]}"
