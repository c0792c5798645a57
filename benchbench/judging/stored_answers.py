"""Stored answers as items of a judge, one after the other; an item is about its answer.

An item lacks what the answer lacks: a rubric that needs it fails, with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.summary import Group, digest
from benchbench.errors import InputError
from benchbench.formats.ground_truth import Reading, answers_of
from benchbench.formats.lines import json_chunks, row_chunks
from benchbench.judging.names import same_model
from benchbench.scores.names import COLUMNS
from benchbench.tables.hashing import content_digest
from benchbench.tables.questions import ALONE, Answer, Question

FIELDS = ("question", "answer", "contexts", "truth")  # that stored answers can have
_CHUNK = 64  # lines
_DIGESTS = 1 << 128

Rows = Iterable[Mapping[str, Any]]


def check_needs(rubrics: Sequence[Rubric]) -> None:
    """Raise InputError for a rubric that needs what stored answers never have."""
    for one in rubrics:
        beyond = [name for name in one.needs if name not in FIELDS]
        if beyond:
            command = "relevance" if "document" in beyond else "nuggets" if "nuggets" in beyond else ""
            advice = f"; `benchbench judge {command}` has it" if command else ""
            raise InputError(f"--rubric {one.name} needs {beyond[0]}, which stored answers do not have{advice}")


class StoredAnswers:
    """The answers of a file or of rows, and what was found while they went by."""

    def __init__(
        self,
        source: Path | Rows,
        truths: Mapping[str, Question] | None,
        judge: str,
        answered_by: str | None = None,
        cluster: str = "",
        limit: int | None = None,
    ) -> None:
        """Read nothing yet.

        Parameters
        ----------
        source
            JSON lines, as `formats.ground_truth` has them, or such rows.
        truths
            A ground truth by question, of answers without a truth of their own.
        judge
            Name of the judge's model, and `answered_by` of the one that answers, for answers that do not say.
        cluster
            Member of the questions that groups them.
        limit
            Answers that are judged at most: the first ones.
        """
        self.items = self.nulls = 0
        self.own: dict[str, None] = {}  # models that answer and are the judge
        self.clusters: set[str] = set()
        self.name = str(source) if isinstance(source, Path) else "answers"
        self._source, self._truths, self._judge, self._answered_by = source, truths, judge, answered_by
        self._reading, self._limit = Reading(False, cluster), limit
        self._questions = self._responses = 0  # sums of digests: the order of the answers does not matter

    def __iter__(self) -> Iterator[Item]:
        """Yield the answers that are not null."""
        for number, answer in self._answers():
            self._questions = (self._questions + int(digest([answer.asked]), 16)) % _DIGESTS
            said = repr((answer.asked.question, answer.response, answer.context)).encode(errors="surrogatepass")
            self._responses = (self._responses + content_digest(said).intdigest()) % _DIGESTS
            self.items += 1
            if answer.response is None:
                self.nulls += 1
                continue
            self._note(answer)
            yield Item(str(number), _fields(answer), self._labels(answer), answer)
        if not self.items:
            raise InputError(f"{self.name} has no answer in it")
        if self._reading.cluster and all(one.startswith(ALONE) for one in self.clusters):
            raise InputError(f"no question of {self.name} has a member {self._reading.cluster} to group by")

    @property
    def data_digest(self) -> str:
        """Return a digest of the questions with their truths; their order does not matter."""
        return f"{self._questions:032x}"

    @property
    def answers_digest(self) -> str:
        """Return a digest of the answers, null ones included; their order does not matter."""
        return f"{self._responses:032x}"

    def _answers(self) -> Iterator[tuple[int, Answer]]:
        source, left = self._source, self._limit
        chunks = json_chunks(source, _CHUNK) if isinstance(source, Path) else row_chunks(source, _CHUNK, self.name)
        for chunk in chunks:
            for one in answers_of(chunk, self._truths, self._reading):
                if left == 0:
                    return
                left = None if left is None else left - 1
                yield one

    def _labels(self, answer: Answer) -> dict[str, str | None]:
        """Return what an answer is grouped by; None where it has no such group."""
        asked, member = answer.asked, self._reading.cluster
        found = {name: getattr(asked, name) or None for name in COLUMNS}
        if member:
            found.setdefault(member, None if asked.cluster.startswith(ALONE) else asked.cluster)
        return found

    def _note(self, answer: Answer) -> None:
        by = answer.model or self._answered_by or ""
        if by not in self.own and same_model(by, self._judge):
            self.own[by] = None
        if self._reading.cluster:
            self.clusters.add(answer.asked.cluster)


def groups_of(answer: Answer) -> list[Group]:
    """Return source type and category of an answer, where it has them."""
    return [(name, value) for name in COLUMNS if (value := getattr(answer.asked, name))]


def _fields(answer: Answer) -> dict[str, Any]:
    fields: dict[str, Any] = {"question": answer.asked.question, "answer": answer.response}
    if answer.context:
        fields["contexts"] = list(answer.context)
    if answer.truth:
        fields["truth"] = answer.truth
    return fields
