"""What each page of the documentation takes for granted: files, services and names, small and real."""

import contextlib
import io
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import alert_jobs
import assistants
import chat_server
import documented
import indexes
import makes
import numpy as np
import one_data_set
import orjson
import pair_judges
import pytest
import services
import stored_trends
from aiohttp import web
from click.testing import CliRunner
from nugget_judges import assigning

import benchbench as bb
from benchbench.answers.metrics import METRICS
from benchbench.cli.main import cli
from benchbench.formats.collection import read_collection
from benchbench.formats.ground_truth import read_ground_truth
from benchbench.history.store import open_history
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

URL, SECOND = "http://127.0.0.1:8000", "http://127.0.0.1:8001"
OF_A_TRACE = ["--warm-up", "0s"]
SOON = {"--find-max 'p99<200ms": "--find-max 'p99<5ms"}  # what is broken soon, so that the search is short
LITTLE = ["--limit", "64", "--repeat", "1"]  # of what `profile` measures
FEW = ["--limit", "20"]  # queries of the shipped data set
SHORT = ["--duration", "0.05s", *OF_A_TRACE]


def shipped(name: str = "synthetic-cases") -> Collection:
    """Return the documents of a data set that travels with the package."""
    source = bb.locate(name).collection
    assert source is not None
    return read_collection(source)


class World:
    """The folder in which a page is read, what stands for its URLs, and the names of its Python."""

    def __init__(
        self, folder: Path, measured: Path, stack: contextlib.ExitStack, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self._measured = folder, measured
        self.replaced: dict[str, str] = {}
        self.names: dict[str, Any] = {}
        self.failing: tuple[str, ...] = ()  # what a line contains whose exit code may be 1: a gate fails
        self.before: Callable[[str], None] = lambda line: None
        self.stack, self.monkeypatch = stack, monkeypatch

    def serve(self, *answers: services.Answer, at: str = URL) -> services.Service:
        service = self.stack.enter_context(services.running(*answers))
        self.replaced[at] = service.url
        return service

    def cases(self, at: str = URL) -> None:
        """Serve the data set that travels with the package."""
        self.serve(services.searching(shipped()), at=at)

    def measured(self, which: str, path: str) -> None:
        """Take over the results folder of the shipped data set `before` or `after` a change."""
        shutil.copytree(self._measured / which, self.folder / path)

    def runs(self, *names: str) -> None:
        """Write judgments and runs of a small data set, each run with other scores."""
        rows = [f"{query} 0 {document} {grade}" for query, document, grade in one_data_set.ROWS]
        (self.folder / "qrels.trec").write_text("\n".join(rows) + "\n")
        documents = list(one_data_set.DOCUMENTS)
        for number, name in enumerate(names):
            draw = np.random.default_rng(number)
            ranked = [(query, draw.permutation(documents)[:20]) for query in one_data_set.QUERIES]
            text = "".join(
                f"{query} Q0 {one} {rank} {20 - rank} {name}\n"
                for query, hits in ranked
                for rank, one in enumerate(hits)
            )
            (self.folder / name).write_text(text)

    def elastic(self, at: str) -> None:
        """Serve what Elasticsearch answers to several searches: one hit each."""
        hit = {"_id": "a", "_score": 1.0, "_source": {"text": "a text"}}

        async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
            return web.json_response({"responses": [{"hits": {"hits": [hit]}} for _ in message[1::2]]})

        self.serve(answer, at=at)

    def judgments_of_cases(self) -> None:
        """Write judgments as CAIL2018 has them."""
        sentences = ("被告人张某于2015年3月2日盗窃手机一部", "被告人李某酒后驾驶轿车", "被告人王某持刀故意伤害他人")
        labels = (("盗窃", 264), ("危险驾驶", 133), ("故意伤害", 234))
        rows = []
        for number in range(60):
            accusation, article = labels[number % 3]
            fact = f"{sentences[number % 3]}，价值{number}元，" + "后被公安机关抓获，如实供述了自己的罪行。" * 6
            term = {"death_penalty": False, "imprisonment": number % 24, "life_imprisonment": False}
            meta = {"accusation": [accusation], "relevant_articles": [article], "criminals": ["张某"]}
            rows.append({"fact": fact, "meta": meta | {"punish_of_money": 0, "term_of_imprisonment": term}})
        lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        (self.folder / "data_train.json").write_bytes(lines.decode().encode("gb18030"))

    def assistant(self, truths: str) -> None:
        """Serve an assistant, and write its configuration and a ground truth."""
        service = self.serve(assistants.from_documents(assistants.DOCUMENTS), at="http://127.0.0.1:50505")
        rows = [
            {"question": "What is Part 36?", "truth": "It is about offers. [Part 36]", "source_type": "CPR"},
            {"question": "What does Part 31 cover?", "truth": "Disclosure. [Part 31]", "source_type": "CPR"},
        ]
        makes.json_lines(self.folder / truths, rows)
        keys = {"testdata_path": truths, "results_dir": "results", "target_url": f"{service.url}/ask"}
        (self.folder / "config.json").write_bytes(orjson.dumps(keys))

    def chat(self, script: chat_server.Script) -> None:
        """Serve a model."""
        server = self.stack.enter_context(chat_server.ChatServer(script))
        self.replaced["http://127.0.0.1:8000/v1"] = server.url
        self.monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        self.monkeypatch.setenv("OPENAI_API_KEY", "of-tests")
        self.monkeypatch.setenv("XDG_CACHE_HOME", str(self.folder / "cache"))

    def judge(self) -> None:
        """Serve a model that gives every verdict that is asked for."""

        def judge(call: int, request: dict[str, Any]) -> str:
            value = chat_server.valid(chat_server.schema_of(request) or {}, 1.0)
            return orjson.dumps(value | ({"identified": [1], "missed": []} if "identified" in value else {})).decode()

        self.chat(judge)

    def passages(self) -> dict[str, Any]:
        """Write passages and those that answer the query; return the latter, and the text that they are of."""
        predictions = [{"query": "Who pays?", "retrieved_passages": ["The tenant pays the rent.", "None."]}]
        (self.folder / "predictions.json").write_bytes(orjson.dumps(predictions))
        snippets = [{"file_path": "contractnli/one.txt", "span": [17, 42], "answer": "The tenant pays the rent."}]
        gold = {"tests": [{"query": "Who pays?", "snippets": snippets}]}
        (self.folder / "gold.json").write_bytes(orjson.dumps(gold))
        return gold

    def said_to(self, text: str) -> None:
        """Let commands read a text from standard input."""
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


WORLDS: dict[str, Callable[[World], None]] = {}


def world(page: str) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Register what a page takes for granted."""

    def register(make: Callable[[World], None]) -> Callable[[World], None]:
        WORLDS[page] = make
        return make

    return register


@world("README.md")
def _readme(world: World) -> None:
    world.replaced["--duration 5s"] = " ".join(SHORT)
    world.failing = ("--fail-if",)


@world("docs/peers.md")
def _peers(world: World) -> None:
    world.runs("a.run", "b.run")
    documented.write(documented.ROOT / "docs" / "judge-agreement.md", world.folder)
    world.failing = ("--fail-if",)


@world("docs/start/search-engineer.md")
def _search_engineer(world: World) -> None:
    world.failing = ("p99>2s",)  # which a busy machine may exceed
    world.replaced |= SOON | dict.fromkeys(("--duration 10s", "--duration 5s"), " ".join(SHORT))


@world("docs/start/legal-tech.md")
def _legal_tech(world: World) -> None:
    service = world.serve(assistants.from_documents(assistants.DOCUMENTS), at="http://127.0.0.1:50505")
    config = world.folder / "config.json"
    config.write_text(config.read_text().replace("http://127.0.0.1:50505", service.url))
    world.judgments_of_cases()
    world.failing = ("low statute_citation_accuracy",)  # of three answers


@world("docs/answers.md")
def _answers(world: World) -> None:
    world.assistant("ground_truth.jsonl")
    row = {"truth": "[Part 36]", "answer": "See [Part 36].", "category": "Offers to settle"}
    rows = [{"question": f"What is rule 36.{number}?", **row} for number in (2, 5)]
    makes.json_lines(world.folder / "eval_results.jsonl", rows)
    sample = {"ファイル名": "民法_1", "問題文": "どれか。", "選択肢": "a 一\nb 二", "output": "b", "指示": "選べ。"}
    (world.folder / "selection.json").write_bytes(orjson.dumps({"samples": [sample]}))
    (asked,) = read_ground_truth(world.folder / "selection.json")
    makes.json_lines(world.folder / "answers.jsonl", [{"question": asked.question, "answer": "b"}])
    world.monkeypatch.setenv("ASSISTANT_TOKEN", "t0ken")
    world.stack.callback(METRICS.pop, "exclamations", None)


@world("docs/audit.md")
def _audit(world: World) -> None:
    world.serve(services.searching(read_collection(world.folder / "my" / "collection.jsonl")))
    world.failing = ("--fail-if",)


@world("docs/judge-agreement.md")
def _judge_agreement(world: World) -> None:
    labels = (world.folder / "judge.qrels").read_text()
    (world.folder / "other.qrels").write_text(labels.replace("gpt-4o/relevance.en@1", "0"))
    for name in ("bm25", "dense"):
        hits = (line.split() for line in labels.splitlines())
        run = "".join(f"{q} Q0 {d} 0 {len(name) * int(d[1:]) % 7} {name}\n" for q, _, d, _ in hits)
        (world.folder / f"{name}.run").write_text(run)
    world.failing = ("--fail-if",)


@world("docs/judge-relevance.md")
def _judge_relevance(world: World) -> None:
    hits = {f"q{n}": [f"d{n + k}" for k in range(5)] for n in range(4)}
    pair_judges.beir(world.folder / "my")
    for step, name in enumerate(("bm25.run", "dense.run"), 1):
        moved = {query: [f"d{step * int(one[1:]) % 12}" for one in found] for query, found in hits.items()}
        pair_judges.run_file(world.folder / name, moved)
    pair_judges.qrels_file(world.folder / "people.trec", {("q1", "d1"): 1, ("q1", "d2"): 0, ("q2", "d2"): 1})
    world.chat(pair_judges.by_words({("q1", "d1"): 3}))


@world("docs/trend.md")
def _trend(world: World) -> None:
    with open_history(world.folder / "results" / "history.db", create=True) as history:
        stored_trends.add(history, stored_trends.nights(12))
    world.failing = ("--fail-if",)


@world("docs/alerts.md")
def _alerts(world: World) -> None:
    world.monkeypatch.setenv("BENCHBENCH_HISTORY", "history.db")
    world.monkeypatch.setenv("HOOK_TOKEN", "t0ken")
    with bb.History() as history:
        alert_jobs.series_of(history, [1] * 10 + [2])
    hook = world.serve(services.raw("ok"), at="https://hooks.example.org")
    world.monkeypatch.setenv("HOOK", f"{hook.url}/services/T0")
    world.failing = ("history check",)


@world("docs/ci.md")
def _ci(world: World) -> None:
    world.cases()
    test = world.folder / "test_search.py"
    test.write_text(test.read_text().replace(URL, world.replaced[URL]))
    world.runs("bm25.run")


@world("docs/history.md")
def _history(world: World) -> None:
    world.measured("before", "results/before")
    world.measured("after", "results/after")


@world("docs/comparing.md")
def _comparing(world: World) -> None:
    world.runs(*(f"{name}.run" for name in ("bm25", "dense", "hybrid", "old", "new", "before", "after", "a", "b", "c")))
    world.measured("before", "results/before")
    world.measured("after", "results/after")
    rows = [{"_id": one, "text": text, "document": one[-1]} for one, text in one_data_set.QUERIES.items()]
    makes.json_lines(world.folder / "queries.jsonl", rows)
    world.serve(services.echo)
    world.serve(services.echo, at=SECOND)
    world.replaced["--cases 2000 --limit 200"] = "--cases 200 --limit 40"
    qrels = bb.Qrels.from_file(world.folder / "qrels.trec")
    runs = {name: bb.Run.from_file(world.folder / f"{name}.run") for name in ("bm25", "dense")}
    world.names |= {"qrels": qrels, **runs}
    world.failing = ("--fail-if",)


@world("docs/datasets.md")
def _datasets(world: World) -> None:
    one_data_set.beir(world.folder / "scifact")
    cars = world.folder / "cars"
    for name, copy in (("topics.txt", "topics.txt"), ("qrels.txt", "qrels.txt"), ("docs.trec", "docs.trec")):
        shutil.copy(cars / name, world.folder / copy)
    shutil.copytree(world.folder / "shop", world.folder / "mine")


@world("docs/evaluate.md")
def _evaluate(world: World) -> None:

    world.judge()
    world.names["bb"] = bb


@world("docs/judge-nuggets.md")
def _judge_nuggets(world: World) -> None:
    world.chat(chat_server.verdicts(assigning(lambda text: "support")))
    world.names["bb"] = bb
    world.failing = ("--fail-if",)


@world("docs/history-gates.md")
def _history_gates(world: World) -> None:
    world.names["bb"] = bb
    with bb.History() as history:  # for the commands above the first example
        qrels, run = bb.Qrels.from_dict({"q": {"d": 1}}), bb.Run.from_dict({"q": {"d": 1.0}}, name="other")
        history.add(bb.evaluate(qrels, run, ["nDCG@10", "RR"]))
    world.failing = ("history check",)


@world("docs/judge.md")
def _judge(world: World) -> None:
    world.chat(chat_server.good(1.0))
    world.names["bb"] = bb


@world("docs/search-indexes.md")
def _search_indexes(world: World) -> None:
    (world.folder / "docs").symlink_to(documented.ROOT / "docs")
    cited = ("[Part 36#page=Offers to Settle]", "[CPR Part 36]", "[commercial-court-guide.pdf#page=14]")
    truths = [{"question": f"{number}?", "truth": f"So. {one}"} for number, one in enumerate(cited)]
    makes.json_lines(world.folder / "ground_truth.jsonl", truths)
    world.serve(indexes.azure(), at="https://name.search.windows.net")
    world.monkeypatch.setenv("SEARCH_KEY", indexes.KEY)
    world.failing = ("index validate",)


@world("docs/load.md")
def _load(world: World) -> None:
    world.serve(services.searching(shipped("library-help")), at=SECOND)
    short = {
        "--duration 30s --warm-up 5s": "",
        "--duration 5s": " ".join(SHORT),
        "duration=30.0, warm_up=5.0": "duration=0.1, warm_up=0.0",
    }
    world.replaced |= SOON | short
    makes.json_lines(world.folder / "access.jsonl", [{"timestamp": number / 20} for number in range(10)])
    world.failing = ("--fail-if",)


@world("docs/my-api.md")
def _my_api(world: World) -> None:
    one_data_set.beir(world.folder / "my")
    collection = read_collection(world.folder / "my" / "corpus.jsonl")
    index = BM25(collection)

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        if request.headers.get("X-API-Key") != "my-key":
            return web.Response(status=401)
        numbers, scores = index.search(request.query["text"], int(request.query["n"]))
        found = zip(numbers.tolist(), scores.tolist(), strict=True)
        hits = [{"id": collection.ids[n], "score": score, "content": collection.texts[n]} for n, score in found]
        return web.json_response({"items": hits})

    service = world.serve(answer)
    world.replaced |= {"stolen+phone": "cedar+elm", "stolen phone": "cedar elm"}
    line = f"curl '{service.url}/q?text=cedar+elm&n=3' -H 'X-API-Key: my-key'"
    (world.folder / "line.txt").write_text(line)

    def before(line: str) -> None:
        if "--out mine.toml" in line:  # the page shows several ways to the same file
            (world.folder / "mine.toml").unlink(missing_ok=True)

    world.before = before
    world.said_to(line)


@world("docs/measuring.md")
def _measuring(world: World) -> None:
    world.cases()
    world.cases(SECOND)


@world("docs/passages.md")
def _passages(world: World) -> None:
    gold = world.passages()
    text = "This is a lease. The tenant pays the rent. Either party may end it at any time."
    benchmark = world.folder / "LegalBench-RAG"
    (benchmark / "benchmarks").mkdir(parents=True)
    (benchmark / "benchmarks" / "contractnli.json").write_bytes(orjson.dumps(gold))
    (benchmark / "corpus" / "contractnli").mkdir(parents=True)
    (benchmark / "corpus" / "contractnli" / "one.txt").write_text(text)


@world("docs/protocol.md")
def _protocol(world: World) -> None:
    world.elastic("https://search.example:9200")
    azure = orjson.dumps({"value": [{"@search.score": 1.0, "id": "a", "text": "a text"}]})
    world.serve(services.raw(azure, Content_Type="application/json"), at="https://name.search.windows.net")
    world.monkeypatch.setenv("ES_KEY", "k3y-of-elasticsearch")
    world.monkeypatch.setenv("AZURE_KEY", "k3y-of-azure-search")
    world.replaced["--ca-file ca.pem"] = ""  # which is refused where nothing is encrypted


@world("docs/python.md")
def _python(world: World) -> None:
    world.cases()
    collection = shipped()

    def vectors(texts: list[str]) -> Any:
        counted = np.zeros((len(texts), 512))
        for row, text in zip(counted, texts, strict=True):
            np.add.at(row, [ord(one) % 512 for one in text], 1.0)
        return counted / np.linalg.norm(counted, axis=1, keepdims=True)

    world.names |= {"bb": bb, "np": np, "vectors": vectors}
    world.names |= {"documents": vectors(collection.texts), "ids": np.array(collection.ids)}
    world.stack.callback(METRICS.pop, "exclamations", None)


@world("docs/results.md")
def _results(world: World) -> None:
    world.runs("bm25.trec")
    world.measured("before", "results/run")
    world.measured("after", "results/other")
    world.replaced["--query q17"] = "--query q7"
    world.failing = ("--fail-if",)

    def before(line: str) -> None:
        if "--run-file bm25.trec" in line:  # the page's first run has that name, too
            (world.folder / "bm25.trec").unlink()

    world.before = before


@world("docs/scoring.md")
def _scoring(world: World) -> None:
    world.runs("bm25.run", "dense.run")


@world("docs/tasks.md")
def _tasks(world: World) -> None:
    world.failing = ("--fail-if",)


def measure(folder: Path) -> None:
    """Make the results folders that several pages take for granted: the shipped data set before and after a change."""
    for which, options in (("before", []), ("after", ["--b", "0"])):
        found = CliRunner().invoke(cli, ["run", "--quiet", "--out", str(folder / which), *FEW, *options])
        assert found.exit_code == 0, found.output


def made(page: str, folder: Path, measured: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Yield the world of a page, and take it down again."""
    with contextlib.ExitStack() as stack:
        found = World(folder, measured, stack, monkeypatch)
        documented.write(documented.ROOT / page, folder)
        WORLDS.get(page, lambda world: None)(found)
        yield found
