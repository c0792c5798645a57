"""`benchbench judge relevance`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import services
from chat_server import ChatServer, malformed
from command_line import Said, said, sentence
from pair_judges import beir, by_words, qrels_file, run_file

import benchbench as bb
from benchbench.formats.collection import read_collection

GRADES = {("q0", "d1"): 3, ("q0", "d4"): 1, ("q1", "d2"): 2, ("q2", "d7"): 3}
ONE = {f"q{n}": [f"d{n + k}" for k in range(5)] for n in range(4)}
OTHER = {f"q{n}": [f"d{n + 2 * k}" for k in range(5)] for n in range(3, -1, -1)}
NAME = "judge-1/relevance.zh@1"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(by_words(GRADES)) as found:
        yield found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return beir(tmp_path / "data")


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    return [run_file(tmp_path / "one.run", ONE), run_file(tmp_path / "other.run", OTHER)]


@pytest.fixture
def judge(capsys, server: ChatServer, data: Path, tmp_path: Path) -> Callable[..., Said]:
    """Return what runs the command into the folder `out`: it asks once, and stores what was said beside the test."""

    def run(*arguments: object, out: str = "out", url: str = server.url, is_stored: bool = True) -> Said:
        cache = ("--cache", tmp_path / "cache.sqlite") if is_stored else ("--no-cache",)
        return said(
            capsys, "judge", "relevance", *arguments, "--dataset", data, "--model", "judge-1", "--base-url", url,
            "--language", "zh", "--repeat", "1", *cache, "--out", tmp_path / out,
        )  # fmt: skip

    return run


def asked(server: ChatServer) -> list[tuple[str, str]]:
    """Return the pairs that the judge was asked about, as often as it was."""
    texts = [one["messages"][-1]["content"] for one in server.requests]
    return [
        tuple(text.partition(f"{what} <")[2].partition(">")[0] for what in ("query", "document"))  # type: ignore[misc]
        for text in texts
    ]


def pooled(*runs: dict[str, list[str]], depth: int) -> set[tuple[str, str]]:
    return {(q, d) for run in runs for q, found in run.items() for d in found[:depth]}


def lines(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "qrels.trec").read_text().splitlines()]


def members(output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output)
    return found


def test_the_first_hits_of_runs_become_labels_with_the_judges_name(judge, server, runs, tmp_path):
    out = tmp_path / "out"
    code, output, errors = judge(*runs, "-k", 3)
    assert code == 0, errors
    pairs = pooled(ONE, OTHER, depth=3)
    assert set(asked(server)) == pairs
    assert server.calls == len(pairs)
    found = lines(out)
    assert {(q, d): int(grade) for q, name, d, grade in found} == {pair: GRADES.get(pair, 0) for pair in pairs}
    assert {name for _, name, _, _ in found} == {NAME}
    assert output.startswith(f"● {len(pairs)} new labels by judge-1.\n")
    assert {"record.json", "labels.parquet", "verdicts.parquet", "report.html"} <= {p.name for p in out.iterdir()}


def test_labels_are_readable_by_every_command(capsys, judge, data, runs, tmp_path):
    out = tmp_path / "out"
    judge(*runs)
    code, output, _ = said(capsys, "score", out / "qrels.trec", runs[0], "-m", "nDCG@5", "--format", "json")
    assert code == 0
    score = members(output)["runs"][0]
    assert score["notes"][0].startswith(f"{len(lines(out))} of {len(lines(out))} labels are not people's but those of")
    truth = {q: {d: GRADES.get((q, d), 0) for d in ONE[q] + OTHER[q]} for q in ONE}
    right = bb.evaluate(bb.Qrels.from_dict(truth), bb.Run.from_file(runs[0]), "nDCG@5")
    assert score["measures"] == pytest.approx(right.mean())
    assert said(capsys, "compare", out / "qrels.trec", *runs, "-m", "nDCG@5", "--moved", 0)[0] == 0
    named = ("--queries", data / "queries.jsonl", "--collection", data / "corpus.jsonl")
    with services.running(services.searching(read_collection(data / "corpus.jsonl"))) as service:
        words = (*named, "--url", service.url, "--qrels", out / "qrels.trec", "--out", tmp_path / "run")
        code, output, _ = said(capsys, "run", *words, "--format", "json")
    assert code == 0
    assert any("not people's but those of" in note["text"] for note in members(output)["record"]["notes"])
    labels = pl.read_parquet(out / "labels.parquet")
    assert bb.Qrels.from_frame(labels.select("query", "document", "grade")).digest == (
        bb.Qrels.from_file(out / "qrels.trec").digest
    )
    assert said(capsys, "show", out)[0] == 0


def test_other_tools_read_the_labels(judge, runs, tmp_path):
    import ir_measures
    import pytrec_eval

    out = tmp_path / "out"
    judge(*runs)
    path = str(out / "qrels.trec")
    ours = bb.evaluate(bb.Qrels.from_file(path), bb.Run.from_file(runs[0]), "nDCG@5").mean()["nDCG@5"]
    measure = ir_measures.nDCG @ 5
    run = ir_measures.read_trec_run(str(runs[0]))
    theirs = ir_measures.calc_aggregate([measure], ir_measures.read_trec_qrels(path), run)[measure]
    assert theirs == pytest.approx(ours, abs=1e-12)
    with Path(path).open() as file:
        parsed = pytrec_eval.parse_qrel(file)
    assert {(q, d): g for q, found in parsed.items() for d, g in found.items()} == {
        (q, d): int(g) for q, _, d, g in lines(out)
    }


def test_a_label_that_is_there_stays_and_is_never_asked_again(judge, server, runs, tmp_path):
    known = {("q0", "d0"): 1, ("q0", "d1"): 0, ("q3", "d3"): 1}
    qrels = qrels_file(tmp_path / "people.trec", known)
    out = tmp_path / "out"
    code, output, _ = judge(*runs, "--qrels", qrels, "--compare-sample", 0, "-k", 3, "--format", "json")
    assert code == 0
    assert set(asked(server)) == pooled(ONE, OTHER, depth=3) - set(known)
    assert (out / "qrels.trec").read_bytes().startswith(qrels.read_bytes())
    pool = members(output)["pool"]
    assert (pool["labelled"], pool["asked"]) == (3, server.calls)
    again = tmp_path / "again"
    calls = server.calls
    known_now = ("--qrels", out / "qrels.trec", "-k", 3, "--compare-sample", 0)
    code, output, _ = judge(*runs, *known_now, out="again", is_stored=False)
    assert (code, server.calls) == (0, calls)
    assert output.startswith("● Nothing to judge: all ")
    assert (again / "qrels.trec").read_bytes() == (out / "qrels.trec").read_bytes()


def test_holes_are_judged_and_the_cases_meet(judge, server, runs, tmp_path):
    qrels = qrels_file(tmp_path / "people.trec", {("q0", "d0"): 0, ("q0", "d1"): 3, ("q1", "d2"): 2})
    where = ("--qrels", qrels, "--compare-sample", 0, "-m", "nDCG@3,P@2")
    code, output, _ = judge("--holes", *runs, *where, "--format", "json")
    assert code == 0
    holes = {pair for pair in pooled(ONE, OTHER, depth=3) if pair[0] in ("q0", "q1")}
    assert set(asked(server)) == holes - {("q0", "d0"), ("q0", "d1"), ("q1", "d2")}
    found = members(output)
    assert found["pool"]["unjudged_queries"] == len(pooled(ONE, OTHER, depth=3)) - len(holes)
    cases = {(one["measure"], one["labels"]): one for one in found["holes"]}
    for measure in ("nDCG@3", "P@2"):
        before, after = cases[measure, "before"], cases[measure, "after"]
        assert before["worst"] <= before["mean"] <= before["best"]
        assert before["worst"] < before["best"]
        assert after["worst"] == after["mean"] == after["best"]
        assert before["worst"] <= after["mean"] <= before["best"]
    labels = bb.Qrels.from_file(tmp_path / "out" / "qrels.trec")
    values = [bb.evaluate(labels, bb.Run.from_file(run), "P@2").mean()["P@2"] for run in runs]
    assert cases["P@2", "after"]["mean"] == pytest.approx(values[1] - values[0])
    numbers = {(one["name"], one["scope"].get("labels")) for one in found["record"]["numbers"]}
    assert {("Δ P@2", "before"), ("worst P@2", "after"), ("best nDCG@3", "before")} <= numbers


def test_holes_that_fail_stay_holes(judge, server, runs, tmp_path):
    qrels = qrels_file(tmp_path / "people.trec", {("q0", "d0"): 0, ("q0", "d1"): 3})
    out = tmp_path / "out"
    where = ("--qrels", qrels, "--compare-sample", 0, "-m", "P@3", "--max-error-rate", 1)
    with ChatServer(malformed) as server:
        code, output, _ = judge("--holes", *runs, *where, "--format", "json", url=server.url)
    assert code == 0
    assert (out / "qrels.trec").read_bytes() == qrels.read_bytes()
    before, after = members(output)["holes"]
    assert {**before, "labels": ""} == {**after, "labels": ""}
    assert members(output)["labels"]["made"] == 0


def test_the_judge_is_compared_with_labels_by_people_and_these_are_not_merged(judge, server, runs, tmp_path):
    people = {(f"q{n}", f"d{n + 6 + k}"): n % 3 for n in range(5) for k in range(2)}
    others = qrels_file(tmp_path / "people.trec", people)
    out = tmp_path / "out"
    code, output, _ = judge(*runs, "--compare-with", others, "--compare-sample", 6, "-k", 2, "--format", "json")
    assert code == 0
    pairs = pooled(ONE, OTHER, depth=2)
    assert {(q, d) for q, _, d, _ in lines(out)} == pairs
    extra = set(asked(server)) - pairs
    assert len(extra) == 6
    assert extra <= set(people)
    found = members(output)
    assert (found["compared"]["n"], found["compared"]["sampled"], found["compared"]["labels"]) == (6, 6, 10)
    assert found["compared"]["agreement"]["agreement"]["value"] is not None
    scope = {"judge": "judge-1", "rubric": "relevance.zh@1"}
    assert any(one["name"] == "kappa" and one["scope"] == scope for one in found["record"]["numbers"])
    assert found["record"]["settings"]["calibration"]["value"][0]["n"] == 6


def test_labels_of_the_data_set_are_compared_with_by_default(judge, server, runs, tmp_path):
    qrels = qrels_file(tmp_path / "people.trec", {("q4", "d0"): 0, ("q4", "d1"): 3})
    code, output, _ = judge(*runs, "--qrels", qrels)
    assert code == 0
    assert {("q4", "d0"), ("q4", "d1")} <= set(asked(server))
    assert "Compared with existing labels by people:" in output
    assert all(name == "0" for q, name, _, _ in lines(tmp_path / "out") if q == "q4")


def test_labels_by_a_judge_are_nothing_to_compare_with(judge, server, runs, tmp_path):
    qrels = qrels_file(tmp_path / "judge.trec", {("q4", "d0"): 0, ("q4", "d1"): 3}, "m/relevance.zh@1")
    judge(*runs, "--qrels", qrels)
    assert not {("q4", "d0"), ("q4", "d1")} & set(asked(server))
    code, _, errors = judge(*runs, "--compare-with", qrels, out="other")
    assert (code, sentence(errors)) == (2, f"--compare-with {qrels} has no label by a person")


def test_pairs_without_a_text_are_failures_with_their_reason(judge, tmp_path):
    run = run_file(tmp_path / "a.run", {"q0": ["d0", "lost", "d1"], "strange": ["d0"]})
    out = tmp_path / "out"
    code, output, errors = judge(run, "--format", "json")
    assert code == 4
    found = members(output)
    assert found["failures"] == {
        "no document, which relevance needs": 1,
        "no question, which relevance needs": 1,
    }
    assert (found["pool"]["without_document"], found["pool"]["without_query"]) == (1, 1)
    assert [(q, d) for q, _, d, _ in lines(out)] == [("q0", "d0"), ("q0", "d1")]
    assert errors.splitlines()[-1] == "Error: 2 of 4 verdicts failed, mostly: no document, which relevance needs"


def test_a_judge_that_has_ranked_what_it_judges_is_told_of(judge, tmp_path):
    own = run_file(tmp_path / "a.run", ONE, "openai/judge-1")
    _, output, _ = judge(own)
    assert "The judge has ranked what it judges (a). A model" in " ".join(output.split())
    other = run_file(tmp_path / "b.run", ONE)
    _, output, _ = judge(other, "--ranked-by", "judge-1", out="named")
    assert "The judge has ranked what it judges (--ranked-by judge-1). A model" in " ".join(output.split())
    _, output, _ = judge(other, out="fair")
    assert "has ranked" not in output


def test_what_was_stopped_goes_on_where_it_was(judge, server, runs):
    judge(*runs, "--limit", 4, "--seed", 3, out="some")
    assert server.calls == 4
    judge(*runs, out="all")
    pairs = asked(server)
    assert len(pairs) == len(set(pairs)) == len(pooled(ONE, OTHER, depth=10))


def test_files_are_the_same_each_time(judge, runs, tmp_path):
    for name in ("a", "b"):
        judge(*runs, "--concurrency", 5, out=name, is_stored=False)
    for file in ("qrels.trec", "labels.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_dry_run_asks_nothing(judge, server, runs):
    code, output, _ = judge(*runs, "--dry-run", "--price", "1,2", "--format", "json")
    assert (code, server.calls) == (0, 0)
    assert members(output)["items"] == len(pooled(ONE, OTHER, depth=10))


def test_a_gate_may_be_on_agreement_and_on_the_worst_case(judge, runs, tmp_path):
    qrels = qrels_file(tmp_path / "people.trec", {**GRADES, ("q0", "d0"): 0})
    where = ("--qrels", qrels, "--holes", "-m", "P@2")
    gates = ("--fail-if", "kappa<0.9", "--fail-if", "worst P@2<-1", "--fail-if", "agreement<1")
    code, output, _ = judge(*runs, *where, *gates, "--format", "json")
    verdicts = {one["condition"]: one["verdict"] for one in members(output)["record"]["gates"]}
    assert verdicts == {"kappa<0.9": "passed", "worst P@2<-1": "passed", "agreement<1": "passed"}
    assert code == 0
    code, _, errors = judge(*runs, *where, "--fail-if", "best P@3<0", out="no")
    assert code == 2
    assert sentence(errors).startswith("--fail-if best P@3<0: best P@3 is not measured")


def test_a_calibration_of_labels_by_a_judge_vouches_for_the_same_judge(capsys, judge, runs, tmp_path):
    out, calibration = tmp_path / "out", tmp_path / "calibration"
    judge(*runs)
    people = qrels_file(tmp_path / "people.trec", {(q, d): int(grade) for q, _, d, grade in lines(out)})
    code, _, errors = said(capsys, "judge", "agreement", people, out, "--out", calibration)
    assert code == 0, errors
    where = ("--calibration", calibration, "--fail-if", "relevance<0")
    code, output, _ = judge(*runs, *where, "--format", "json", out="again")
    known = members(output)["rubrics"][0]["calibration"]
    assert known["said"].startswith("kappa 1.00")
    assert known["refusal"] == f"the calibration has {len(lines(out))} labels by people, and 100 are needed"
    assert code == 1
    assert judge(*runs, *where, "--trust-judge", out="go").code == 0


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "there is nothing to judge: name RUNs"),
        (["{run}", "--pairs", "{run}"], "--pairs and runs both name what to judge"),
        (["{run}", "--holes"], "--holes needs a comparison: name at least two runs"),
        (["{run}", "{other}", "--holes"], "--holes are unjudged hits of queries with judgments"),
        (["{run}", "{other}", "--holes", "-m", "AP"], "AP looks at all hits: set with -k"),
        (["{run}", "--rubric", "faithfulness"], "the rubric faithfulness.zh@1 needs answer, contexts"),
    ],
)
def test_what_cannot_be_judged_is_refused(judge, server, runs, tmp_path, arguments, wanted):
    code, _, errors = judge(*(one.format(run=runs[0], other=runs[1]) for one in arguments))
    assert (code, server.calls) == (2, 0)
    assert sentence(errors).startswith(wanted)
    assert not (tmp_path / "out").exists()


def test_texts_are_needed(capsys, server, runs, tmp_path):
    given = ("--model", "judge-1", "--base-url", server.url, "--out", tmp_path / "out")
    code, _, errors = said(capsys, "judge", "relevance", *runs, *given)
    assert (code, sentence(errors)) == (
        2, "a judge reads texts: name a --dataset, or --queries and --collection; --queries is missing",
    )  # fmt: skip


def test_pairs_may_be_named_one_by_one(judge, tmp_path):
    pairs = qrels_file(tmp_path / "pairs.trec", {("q3", "d9"): 0, ("q0", "d1"): 0})
    out = tmp_path / "out"
    assert judge("--pairs", pairs).code == 0
    assert lines(out) == [["q3", NAME, "d9", "0"], ["q0", NAME, "d1", "3"]]


def test_grades_that_mean_two_things_are_told_of(judge, runs, tmp_path):
    qrels = qrels_file(tmp_path / "people.trec", {("q0", "d0"): 0, ("q0", "d1"): 1})
    _, output, _ = judge(*runs, "--qrels", qrels)
    assert "existing labels go up to 1, new ones up to 3. Judge again with --rubric relevance --scale 1" in " ".join(
        output.split()
    )


def test_labels_are_recorded_with_their_tags(judge, runs, tmp_path):
    code, _, errors = judge(*runs, "-k", 3, "--record", "--store", tmp_path / "h.db", "--tag", "a=b")
    assert code == 0, errors
    with bb.History(tmp_path / "h.db") as history:
        assert history.list()["source"].to_list() == [str(tmp_path / "out")]
        assert history.result(1).record.tags["a"] == "b"
        assert history.result(1).record.id == bb.load(tmp_path / "out").record.id
