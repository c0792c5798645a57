"""What golden cases are run on: files in the working folder, and services. Each yields the URLs of its services."""

import contextlib
import dataclasses
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import assistants
import compared
import data_sets
import histories
import indexes
import orjson
import services

from benchbench.profile import client, scoring_speed, stages
from benchbench.profile.machine import Machine
from benchbench.profile.profile_result import ProfileResult
from benchbench.profile.scoring_speed import Figures

Places = dict[str, str]
STORED = Path(__file__).parent / "golden" / "_stored"  # folders as version 0.1.0 wrote them
EARLY = Path(__file__).parent / "stored"
HALF = 12  # documents that the worse of two services does not have


@contextlib.contextmanager
def nothing() -> Iterator[Places]:
    yield {}


def files(write: Callable[[], object]) -> Callable[[], contextlib.AbstractContextManager[Places]]:
    """Return inputs that are files alone."""

    @contextlib.contextmanager
    def made() -> Iterator[Places]:
        write()
        yield {}

    return made


def json_lines(path: str, rows: list[Any]) -> None:
    Path(path).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


# Services to search


@contextlib.contextmanager
def searched() -> Iterator[Places]:
    data = data_sets.write(Path("data"))
    with services.running(services.searching(data_sets.collection(data))) as one:
        yield {"a": one.url}


@contextlib.contextmanager
def two_searched() -> Iterator[Places]:
    """One service has every document, the other one misses some and fails for a query."""
    whole = data_sets.collection(data_sets.write(Path("data")))
    half = services.Collection(whole.ids[HALF:], whole.texts[HALF:], whole.meta[HALF:])
    fewer = _failing("c5", services.searching(half))
    with services.running(services.searching(whole)) as one, services.running(fewer) as other:
        yield {"a": one.url, "b": other.url}


def _failing(query: str, answer: services.Answer) -> services.Answer:
    """Answer a batch with this query as an error."""
    text = next(one["text"] for one in data_sets.cases() if one["_id"] == query)
    gone = services.status(404, "no such <index>")
    return services.choosing(lambda number, message: gone if text in message["queries"] else answer)


@contextlib.contextmanager
def troubled() -> Iterator[Places]:
    """Lines that cannot be read, tiers to assume, positives to leave out; hits at fault, and a batch that fails."""
    lines = data_sets.lines()
    for line in lines[:3]:
        del line["positives"][0]["tier"]
    lines[4]["positives"].append(lines[4]["positives"][0])
    lines[6]["query"]["meta"].pop("accusation")
    Path("data").mkdir()
    data_sets.write_lines(Path("data/collection.jsonl"), data_sets.cases())
    data_sets.write_lines(Path("data/tiered.jsonl"), [*lines, ["no object"]])
    good = services.searching(data_sets.collection(Path("data")))

    def spoiled(value: Any) -> Any:
        for hits in value["results"]:
            hits[1] = dict(hits[0])
            hits[2].pop("id")
            hits[3].pop("meta")
            hits[4]["score"] = None
            hits.append({"id": "more", "score": 0.0, "text": "one more than was asked for"})
        return value

    with services.running(_failing("c9", services.changed(good, spoiled))) as one:
        yield {"a": one.url}


@contextlib.contextmanager
def useless() -> Iterator[Places]:
    data_sets.write(Path("data"))
    with services.running(services.useless) as one:
        yield {"a": one.url}


@contextlib.contextmanager
def partly_failing() -> Iterator[Places]:
    data = data_sets.write(Path("data"))
    with services.running(_failing("c5", services.searching(data_sets.collection(data)))) as one:
        yield {"a": one.url}


@contextlib.contextmanager
def broken() -> Iterator[Places]:
    data_sets.write(Path("data"))
    with services.running(services.status(404, "gone")) as one:
        yield {"a": one.url}


# Runs, judged


def runs() -> None:
    """Three runs: good, poor and one with ties, a query missing, one that is not judged, and documents of its own."""
    compared.write_files(Path())
    tied = {query: dict.fromkeys(hits, 1.0) for query, hits in compared.GOOD.items()}
    del tied["q7"], tied["q8"]
    tied["q99"] = {"x": 1.0}
    compared.write_run(Path("tied.run"), tied)
    with Path("qrels.trec").open("a") as file:
        file.write("q10 0 q10-bad 0\n")  # judged, without a relevant document
    json_lines(
        "queries.jsonl",
        [
            {"_id": f"q{n}", "text": f"What is <case> {n} & co?", "court": "high" if n < 6 else "district"}
            for n in range(11)
        ],
    )
    json_lines(
        "documents.jsonl",
        [
            {"_id": f"q{n}-{kind}", "text": f"The {kind} document of case {n}."}
            for n in range(10)
            for kind in ("best", "good", "other", "bad")
        ],
    )


def foreign_run() -> None:
    """A run whose queries nobody judged but one, with a document twice."""
    compared.write_files(Path())
    Path("other.run").write_text("q0 Q0 q0-best 1 2.0 x\nq0 Q0 q0-best 2 1.0 x\nQ1 Q0 a 1 1 x\n")


def stored() -> None:
    """Results folders of two services and of a load test, as version 0.1.0 wrote them, with their data set."""
    data_sets.write(Path("data"))
    for folder in STORED.iterdir():
        shutil.copytree(folder, folder.name)


def early() -> None:
    """Results folders of each kind, as version 0.1.0 wrote them."""
    for kind in ("run", "targets", "load", "answers"):
        shutil.copytree(EARLY / kind, kind)


def stored_differently() -> None:
    """The same folders, of which one says that its numbers are of other rules."""
    stored()
    path = Path("half/summary.json")
    path.write_text(path.read_text(encoding="utf-8").replace("|recall:fixed|", "|recall:full|"), encoding="utf-8")


def history() -> None:
    """Write a store of three runs, and one by other rules that was recorded late."""
    other = histories.RULES.replace("ties:input", "ties:trec")
    histories.store("h.db", [*histories.three(), dataclasses.replace(histories.three()[0], at=0.5, signature=other)])


# Passages


def passages() -> None:
    spans = [
        ("a.txt", [0, 10], "Any rights"),
        ("a.txt", [20, 38], "shall not disclose"),
        ("b.txt", [40, 49], "elsewhere"),
    ]
    snippets = [{"file_path": path, "span": span, "answer": text} for path, span, text in spans]
    tests = [("first?", snippets[:1]), ("second?", snippets[1:]), ("third?", snippets[:1])]
    gold = {"tests": [{"query": query, "snippets": found} for query, found in tests]}
    Path("gold.json").write_bytes(orjson.dumps(gold))
    found = [
        {"query": "second?", "retrieved_passages": ["Nothing of it", "The Party shall not disclose it. Ever."]},
        {"query": "first?", "retrieved_passages": ["any rights"]},
        {"query": "other?", "retrieved_passages": ["x"]},
    ]
    Path("texts.json").write_bytes(orjson.dumps(found))
    placed = [
        {
            "query": query,
            "retrieved_passages": [
                {"text": "Any rights of the Party", "file_path": "a.txt", "span": [0, 23]},
                {"text": "it shall not disclose", "file_path": "a.txt", "span": [17, 38]},
            ],
        }
        for query in ("first?", "second?", "third?")
    ]
    Path("spans.json").write_bytes(orjson.dumps(placed))


# Answers

TRUTHS = [
    {
        "question": "What is Part 36?",
        "truth": "Part 36 is about offers to settle. [Part 36]",
        "source_type": "CPR",
        "category": "costs",
    },
    {"question": "What does Part 31 cover?", "truth": "Part 31 covers disclosure. [Part 31]", "source_type": "CPR"},
    {"question": "What are costs | budgets?", "truth": "Budgets. [Practice Direction 3D]", "source_type": "PD"},
]


def answers() -> None:
    said = ["Part 36 deals with offers to settle. [Part 36]", "The claimant discloses, says CPR 31.2. [Part 32]", None]
    rows = [
        {**truth, "answer": text, "context": [f"{truth['truth']}"], "latency": 0.25 * (n + 1)}
        for n, (truth, text) in enumerate(zip(TRUTHS, said, strict=True))
    ]
    rows[2] |= {"error": "HTTP 500", "latency": -1}
    json_lines("answers.jsonl", rows)
    bare = [{name: row[name] for name in ("question", "answer", "latency")} for row in rows[:2]]
    json_lines("bare.jsonl", bare)
    json_lines("truth.jsonl", TRUTHS)


@contextlib.contextmanager
def assistant(*before: services.Answer) -> Iterator[Places]:
    """An assistant that answers from documents, and fails at first as it is told."""
    json_lines("truth.jsonl", TRUTHS)
    with services.running(*before, assistants.from_documents(assistants.DOCUMENTS)) as one:
        keys = {
            "testdata_path": "truth.jsonl",
            "results_dir": "results",
            "target_url": f"{one.url}/ask",
            "target_parameters": {"overrides": {"top": 2}},
        }
        Path("config.json").write_bytes(orjson.dumps(keys))
        yield {"a": one.url}


def failing_assistant() -> contextlib.AbstractContextManager[Places]:
    return assistant(services.status(500, "too busy"), services.html)


# Indexes


def collection() -> None:
    Path("collection.jsonl").write_bytes(indexes.lines())
    Path("queries.txt").write_text("disclosure\n\n  zoning bylaws \n", encoding="utf-8")
    cited = ("[Part 36]", "[CPR Part 36]", "[Zoning Law]", "", "[Part 36#page=Trials]", "[Notes#page=2]")
    json_lines("truth.jsonl", [{"question": f"question {n}", "truth": f"So. {one}"} for n, one in enumerate(cited)])


@contextlib.contextmanager
def azure() -> Iterator[Places]:
    collection()
    with services.running(indexes.azure()) as one:
        yield {"a": one.url}


# Profiles: their figures are invented, for no two measurements are alike

_MACHINE = Machine(
    processor="Some <CPU> 3 GHz",
    cores=4,
    date="2026-01-31",
    python="3.11.0",
    versions={"benchbench": "0.1.0", "peer": None},
    usable=2,
)


@contextlib.contextmanager
def profiled_metrics() -> Iterator[Places]:
    rounds = (Figures(1.25, 123.456, 0.03125), Figures(1.5, 120.0, None))
    rows = (
        scoring_speed.ToolRow(
            tool="benchbench",
            version="0.1.0",
            tolerance=1e-6,
            agrees=True,
            largest_difference=0.0,
            whole_process_s=1.25,
            whole_process_ratio=1.0,
            second_evaluation_s=0.03125,
            second_evaluation_ratio=1.0,
            peak_mb=123.456,
            peak_ratio=1.0,
            rounds=rounds,
        ),
        scoring_speed.ToolRow(
            tool="slow_eval",
            version="2.0",
            tolerance=1e-6,
            agrees=True,
            largest_difference=1e-9,
            whole_process_s=1234.5678,
            whole_process_ratio=987.65,
            second_evaluation_s=3.2,
            second_evaluation_ratio=102.4,
            peak_mb=2345.6,
            peak_ratio=19.0,
        ),
        scoring_speed.ToolRow(
            tool="odd & co",
            version="3.1",
            tolerance=1e-6,
            agrees=False,
            largest_difference=0.25,
            whole_process_s=2.5,
            whole_process_ratio=2.0,
        ),
        scoring_speed.ToolRow(tool="lost", version=None, tolerance=1e-6, failure="no luck | today"),
    )

    def measure(
        workload: scoring_speed.ScoringWorkload, tools: Any, rounds: int, timeout: float, progress: Any
    ) -> ProfileResult:
        size = scoring_speed.MeasuredWorkload(**dataclasses.asdict(workload), measures=("nDCG@10", "AP"))
        options = {"peers": [row.tool for row in rows[1:]], "timeout": timeout}
        return ProfileResult(scoring_speed.MetricsProfile(_MACHINE, size, rounds, rows), options)

    with mock.patch.object(scoring_speed, "measure", measure):
        yield {}


@contextlib.contextmanager
def profiled_client() -> Iterator[Places]:
    rows = (
        client.ClientRow(
            answer="with texts",
            bytes=1_234_567,
            client="benchbench",
            version="0.1.0",
            requests_per_s=1234.5,
            queries_per_s=39504.0,
            ratio=1.0,
            rounds=(0.25, 0.5),
        ),
        client.ClientRow(
            answer="with texts",
            bytes=1_234_567,
            client="loop & md5",
            version="2.0",
            requests_per_s=98.75,
            queries_per_s=3160.0,
            ratio=12.5,
            rounds=(3.0, 3.25),
        ),
        client.ClientRow(answer="ids only", bytes=4_321, client="lost", version=None, failure="it broke | at once"),
    )
    timed = (
        stages.Stage(
            answer="with texts",
            bytes=1_234_567,
            stage="walk",
            us_per_answer=250.125,
            us_per_hit=0.390625,
            rounds=(250.0, 250.25),
        ),
        stages.Stage(
            answer="with texts",
            bytes=1_234_567,
            stage="sum",
            us_per_answer=1234.5,
            us_per_hit=1.9296875,
            rounds=(1234.0, 1235.0),
        ),
        stages.Stage(
            answer="ids only", bytes=4_321, stage="sum", us_per_answer=62.5, us_per_hit=0.09765625, rounds=(62.5, 62.5)
        ),
    )

    def measure(
        workload: client.ClientWorkload, asked: Any, documents: Any, clients: Any, rounds: int, *others: Any
    ) -> ProfileResult:
        return ProfileResult(client.ClientProfile(_MACHINE, "a canned service", workload, rounds, rows, timed))

    with mock.patch.object(client, "measure", measure):
        yield {}
