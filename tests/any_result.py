"""Results of any shape: records drawn at random, a kind that only tests know, and an example of each small kind."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import audited
import polars as pl
from hypothesis import strategies as st
from msgspec import UNSET

import benchbench as bb
from benchbench.profile import client, scoring_speed, stages
from benchbench.profile.machine import Machine
from benchbench.profile.profile_result import ProfileResult
from benchbench.profile.scoring_speed import Figures
from benchbench.report.blocks import Block, Cell, Facts, Gates, Heading, Notes, Spark, Sparks, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.render.screen import Screen
from benchbench.results.record import (
    Count,
    Data,
    Environment,
    Failure,
    GateResult,
    Note,
    Number,
    Record,
    Setting,
    Subject,
    record,
    utc,
    uuid7,
)
from benchbench.results.result import Result

UNBROKEN = Screen(1000)  # on which every sentence stands on one line
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.sampled_from(("nDCG@10", "p99", "Δ nDCG@10", "文書", "a\x1b[31m\nb", "")) | texts
scopes = st.dictionaries(st.sampled_from(("task", "target", "step", "run", "system", "slice")), texts, max_size=2)
values = st.none() | st.floats()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
numbers = st.builds(
    Number,
    name=names,
    value=values,
    low=values,
    high=values,
    stderr=values,
    interval=st.none() | texts,
    n=st.none() | st.integers(0, 2**63 - 1),
    unit=texts,
    better=st.sampled_from((None, "higher", "lower")),
    scope=scopes,
    title=st.just(UNSET) | texts,
    band=st.sampled_from((UNSET, "good", "acceptable", "poor")),
    failed=st.just(UNSET) | texts,
)
gates = st.builds(
    GateResult,
    condition=texts,
    verdict=st.sampled_from(("passed", "failed", "broken")),
    said=texts,
    value=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    about=texts,
    scope=scopes,
)
moments = st.floats(0, 4e9)
records = st.builds(
    Record,
    kind=names,
    id=moments.map(uuid7),
    started=moments.map(utc),
    finished=moments.map(utc),
    status=st.sampled_from(("complete", "failed", "interrupted")),
    name=texts,
    subject=st.lists(st.builds(Subject, name=texts, source=texts, signature=texts), max_size=2),
    tags=st.dictionaries(texts, texts, max_size=2),
    data=st.builds(Data, name=st.none() | texts, queries=st.none() | st.integers(0, 10**9)),
    signature=texts,
    settings=st.dictionaries(texts, st.builds(Setting, value=json_values, source=texts), max_size=3),
    environment=st.builds(Environment, host=st.dictionaries(texts, json_values, max_size=2), command=st.lists(texts)),
    numbers=st.lists(numbers, max_size=9),
    counts=st.lists(st.builds(Count, name=texts, count=st.integers(0, 10**9), scope=scopes), max_size=2),
    failures=st.lists(st.builds(Failure, reason=texts, count=st.integers(0, 10**9), scope=scopes), max_size=2),
    notes=st.lists(st.builds(Note, text=texts, scope=scopes), max_size=2),
    gates=st.lists(gates, max_size=2),
)


class Recorded(Result):
    """A result that has a record and nothing else."""

    def __init__(self, given: Record) -> None:
        """Keep the record."""
        self.given = given

    def to_record(self) -> Record:
        """Return what was given."""
        return self.given


class Counted(Result):
    """A kind of result that the package does not know: how many letters words have."""

    kind = "counted"

    def __init__(self, words: Sequence[str]) -> None:
        """Keep the words, each a query."""
        self.words = list(words)

    def to_record(self) -> Record:
        """Return the record."""
        return record(
            "counted",
            1.0,
            2.0,
            name=" ".join(self.words),
            data=Data(queries=len(self.words)),
            settings={"words": Setting(value=self.words)},
            numbers=[
                Number(name="letters", value=float(sum(map(len, self.words))), n=len(self.words), better="higher"),
                Number(name="seconds", value=1.0, unit="s", better="lower"),
            ],
            notes=[Note(text="Letters of any script count.")],
        )

    def details(self) -> dict[str, Any]:
        """Return each word with its length."""
        return {"words": {word: len(word) for word in self.words}}

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes the table of words."""
        return {
            "per_query": lambda: pl.DataFrame({"query_id": self.words, "Letters": [float(len(w)) for w in self.words]})
        }


def counted_layout(result: Result) -> Layout:
    """Return the report of words."""
    words, notes = result.json_members()["words"], [note.text for note in result.record.notes]
    return Layout(
        f"{len(words)} words",
        [
            Heading(f"{len(words)} words"),
            Table(["Word", "Letters"], [[w, f"{n}"] for w, n in words.items()]),
            Gates(),
            Notes(notes),
        ],
        result.json_members,
        lambda: ({"word": word, "letters": count} for word, count in words.items()),
        notes=notes,
        command="benchbench count",
    )


def every_block(said: str) -> list[Block]:
    """Return a block of each sort, with a text in every place that takes one."""
    cell = Cell(said, aside=said, strong=True, marks=said)
    everywhere = frozenset({"text", "html", "markdown", "latex", "summary"})
    return [
        Heading(said, said, everywhere),
        Text([said, said], where=everywhere),
        Table([said, said], [[said, cell], [cell, said]], caption=said),
        Table([said, said], [[said, said], [said, cell]], "lr", said, grouped=True, floats=True),
        Facts([(said, said), ("", said)], said, everywhere),
        Sparks([Spark(said, [1.0, None, 2.0], said, [(0, "▼")])], said, everywhere - {"html"}),  # a page has charts
        Notes([said], everywhere),
        Gates(everywhere),
    ]


def drawn_with(said: str) -> tuple[Result, Layout]:
    """Return a result and a layout with a text in every place that takes one."""
    gate = GateResult(condition=said, verdict="failed", said=said, name=said, about=said, scope={said: said})
    broken = GateResult(condition=said, verdict="broken", said=said)
    given = record("counted", 1.0, 2.0, name=said, gates=[gate, broken], notes=[Note(text=said)])
    return Recorded(given), Layout(
        said,
        every_block(said),
        lambda: {said: said},
        lambda: [{said: said, "n": 1.5}],
        notes=[said],
        command="benchbench count",
    )


def scores(*runs: str) -> Result:
    """Return scores of a small run, or of several under such names."""
    qrels = bb.Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}})
    run = bb.Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d9": 1.0, "d3": 0.5}})
    found = [bb.evaluate(qrels, run, ["nDCG@10", "AP"])]
    return found[0] if len(runs) < 2 else _several(found[0], runs)


def _several(one: Any, runs: Sequence[str]) -> Result:
    from dataclasses import replace

    from benchbench.measures.scores import SeveralScores

    return SeveralScores(tuple(replace(one, name=name) for name in runs))


_MACHINE = Machine(
    processor="A processor", cores=2, date="2026-11-22", python="3.11.7", versions={"benchbench": "0.1.0"}
)


def profile_of_metrics() -> Result:
    """Return a profile of scoring."""
    rounds = (Figures(1.5, 200.0, 0.02),)
    row = scoring_speed.ToolRow(
        tool="benchbench",
        version="0.1.0",
        tolerance=1e-6,
        agrees=True,
        largest_difference=0.0,
        whole_process_s=1.4,
        whole_process_ratio=1.0,
        second_evaluation_s=0.02,
        second_evaluation_ratio=1.0,
        peak_mb=201.0,
        peak_ratio=1.0,
        rounds=rounds,
    )
    late = scoring_speed.ToolRow(tool="late", version="3", tolerance=1e-6, failure="still running after 600 s")
    size = scoring_speed.MeasuredWorkload(50, 10, 5, measures=("P@3",))
    return ProfileResult(scoring_speed.MetricsProfile(_MACHINE, size, 1, (row, late)))


def profile_of_client() -> Result:
    """Return a profile of the client."""
    row = client.ClientRow(
        answer="ids",
        bytes=20_000,
        client="benchbench",
        version="0.1.0",
        requests_per_s=400.4,
        queries_per_s=12_812.8,
        ratio=1.0,
        rounds=(0.5,),
    )
    stage = stages.Stage(answer="ids", bytes=20_000, stage="walk", us_per_answer=64.5, us_per_hit=0.1, rounds=(64.5,))
    return ProfileResult(
        client.ClientProfile(_MACHINE, "a canned service", client.ClientWorkload(64, 32, 20, 4), 1, (row,), (stage,))
    )


def audit() -> Result:
    """Return an audit of a data set with several faults."""
    queries, documents = audited.clean()
    queries[0]["judged"]["gone"] = 1
    documents[3]["text"] += " &amp;"
    documents[30]["text"] = documents[0]["text"]
    return audited.audited(queries, documents)


EXAMPLES: dict[str, Callable[[], Result]] = {
    "score": scores,
    "score of several": lambda: scores("one", "two"),
    "profile metrics": profile_of_metrics,
    "profile client": profile_of_client,
    "audit": audit,
}
