"""Runs over judgments in files of their own: interrupted, repeated, of two services, in groups, with odd ids."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_line
import one_data_set
import orjson
import pytest
import pytrec_eval
import services
from command_line import said
from one_data_set import DOCUMENTS, GRADES, KINDS, QUERIES

import benchbench as bb
from benchbench.formats.collection import read_collection
from benchbench.tables.collection import Collection

FOUR = ("--quiet", "--batch-size", 4)
TESTS = [
    {"query": "Who may terminate?", "snippets": [{"file_path": "a/one.txt", "span": [600, 640], "answer": ""}]},
    {"query": "What is confidential?", "snippets": [{"file_path": "a/two.txt", "span": [10, 30], "answer": ""}]},
]
CONTRACTS = {
    "a/one.txt": "The parties agree on nothing. " * 20 + "Either party may terminate at any time. " * 3,
    "a/two.txt": "All that is said is confidential. " * 30,
}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    one_data_set.beir(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def collection(beir: Path) -> Collection:
    return read_collection(beir / "corpus.jsonl")


@pytest.fixture
def service(collection: Collection) -> Iterator[services.Service]:
    with services.running(services.searching(collection)) as found:
        yield found


def ran(data: Path, answer: services.Answer, **options: Any) -> bb.Outcome:
    with services.running(answer) as found:
        return bb.run(bb.Settings(bb.locate(data), url=found.url, **options))


def folder_of(capsys: pytest.CaptureFixture[str], data: Path, url: str, out: Path, *words: object) -> Path:
    done = said(capsys, "run", "--dataset", data, "--url", url, "--out", out, *FOUR, *words)
    assert done.code == 0, done.errors
    return out


def answering(found: Any) -> services.Answer:
    """Answer each query with the same hits, in the order of the documents."""
    return services.answering(lambda query, top_k: found)


@pytest.mark.slow  # kills a process
def test_a_killed_run_goes_on_and_equals_an_unbroken_one(
    capsys: pytest.CaptureFixture[str], beir: Path, collection: Collection, tmp_path: Path
) -> None:
    working = services.searching(collection)
    stop = [11]  # so many requests are not sent before an answer is stored
    pick = services.choosing(lambda number, message: working if number < stop[0] else services.never)
    with services.running(pick) as service:
        words = ("run", "--dataset", beir, "--url", service.url, "--batch-size", 1, "--chunk", 1, "--quiet")
        out = tmp_path / "out"
        with command_line.process(*words, "--concurrency", 1, "--out", out) as killed:
            while service.asked.get(timeout=60) < stop[0]:
                pass
            killed.kill()
            killed.communicate(timeout=60)
        before, stop[0] = len(service.messages), 1000
        done = said(capsys, *words, "--concurrency", 1, "--out", out, "--resume")
        assert done.code == 0, done.errors
        asked = [text for message in service.messages[before:] for text in message["queries"]]
        assert 0 < len(asked) < len(QUERIES)
        assert said(capsys, *words, "--out", tmp_path / "whole").code == 0
    assert one_data_set.values(out).equals(one_data_set.values(tmp_path / "whole"))
    assert (out / "run.trec").read_bytes() == (tmp_path / "whole" / "run.trec").read_bytes()


def test_a_run_goes_on_over_the_same_judgments_only(
    capsys: pytest.CaptureFixture[str], beir: Path, collection: Collection, tmp_path: Path
) -> None:
    (beir / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td0\t1\n")
    with services.running(services.status(404), services.searching(collection)) as service:
        words = ("run", "--dataset", beir, "--url", service.url, "--out", tmp_path / "out", *FOUR)
        assert said(capsys, *words).code == 4
        refused = said(capsys, *words, "--resume", "--split", "dev")
        assert said(capsys, *words, "--resume").code == 0
    assert refused.code == 2
    assert "the data set (digest)" in refused.errors


@pytest.mark.slow  # four processes
def test_two_services_several_workers_and_passes_have_the_numbers_of_one(
    capsys: pytest.CaptureFixture[str], beir: Path, service: services.Service, tmp_path: Path
) -> None:
    expected = one_data_set.values(folder_of(capsys, beir, service.url, tmp_path / "one"))
    targets = ("--target", f"a={service.url}", "--target", f"b={service.url}")
    done = said(capsys, "run", "--dataset", beir, *targets, "--out", tmp_path / "two", *FOUR)
    assert done.code == 0, done.errors
    for name in "ab":
        assert one_data_set.values(tmp_path / "two" / name).equals(expected)
    compared = said(capsys, "compare", tmp_path / "two", "--format", "json")
    assert orjson.loads(compared.output)["differences"][0]["mean"] == 0.0
    more = ("--repeat", 2, "--workers", 2)
    done = said(capsys, "run", "--dataset", beir, "--url", service.url, *more, "--out", tmp_path / "more", *FOUR)
    assert done.code == 0, done.errors
    assert one_data_set.values(tmp_path / "more").equals(expected)
    assert bb.load(tmp_path / "more").table("repeats").height == len(QUERIES)


def test_groups_and_slices_go_by_the_metadata_of_queries(
    capsys: pytest.CaptureFixture[str], beir: Path, service: services.Service, tmp_path: Path
) -> None:
    one = folder_of(capsys, beir, service.url, tmp_path / "one", "--cluster", "kind")
    assert orjson.loads((one / "summary.json").read_bytes())["clusters"] == 2
    backwards = services.changed(
        services.answering(lambda query, top_k: [{"id": one, "score": 1.0} for one in DOCUMENTS]),
        lambda answer: {"results": [hits[::-1] for hits in answer["results"]]},
    )
    with services.running(backwards) as other:
        two = folder_of(capsys, beir, other.url, tmp_path / "two", "--cluster", "kind")
    compared = said(capsys, "compare", one, two, "--slice", "kind", "--format", "json")
    assert compared.code == 0, compared.errors
    slices = orjson.loads(compared.output)["slices"]
    assert {part["value"] for part in slices} == set(KINDS.values())


def test_documents_judged_not_relevant_are_judged_and_no_positives(beir: Path) -> None:
    """What was judged counts for bpref, Judged and measures over judged hits; a grade of 0 is no positive."""
    none = {query: [one for one, grade in grades.items() if not grade] for query, grades in GRADES.items()}
    texts = {text: query for query, text in QUERIES.items()}
    answer = services.answering(
        lambda text, top_k: [{"id": one, "score": 1.0} for one in [*none[texts[text]], *DOCUMENTS]]
    )
    measures = ("nDCG@10", "bpref", "Judged@10", "AP(judged_only=True)", "P@3")
    outcome = ran(beir, answer, criteria=bb.Criteria(measures=measures), top_k=60)
    assert outcome.unmatched is None
    positives = sum(grade > 0 for grades in GRADES.values() for grade in grades.values())
    assert outcome.counts["positives"] == outcome.counts["positive_hits"] == positives
    judged = {query: dict(grades) for query, grades in GRADES.items()}
    run = {
        query: {one: -place for place, one in enumerate(dict.fromkeys([*none[query], *DOCUMENTS]))} for query in GRADES
    }
    oracle = pytrec_eval.RelevanceEvaluator(judged, {"bpref", "ndcg_cut.10"}).evaluate(run)
    only = {query: {one: score for one, score in hits.items() if one in judged[query]} for query, hits in run.items()}
    alone = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(only)
    for row in outcome.per_query.iter_rows(named=True):
        query = row["query_id"]
        first = list(run[query])[:10]
        assert row["gold.bpref"] == pytest.approx(oracle[query]["bpref"], abs=1e-12)
        assert row["gold.nDCG@10"] == pytest.approx(oracle[query]["ndcg_cut_10"], abs=1e-12)
        assert row["gold.AP(judged_only=True)"] == pytest.approx(alone[query]["map"], abs=1e-12)
        assert row["gold.Judged@10"] == pytest.approx(sum(one in judged[query] for one in first) / 10, abs=1e-12)


def test_a_service_that_finds_only_what_is_not_relevant_has_no_positive(
    capsys: pytest.CaptureFixture[str], beir: Path, tmp_path: Path
) -> None:
    texts = {text: query for query, text in QUERIES.items()}

    def hits(text: str, top_k: int) -> list[dict[str, Any]]:
        return [{"id": one, "score": 1.0} for one, grade in GRADES[texts[text]].items() if not grade]

    outcome = ran(beir, services.answering(hits))
    assert outcome.counts["positive_hits"] == 0
    assert outcome.unmatched is not None
    assert "none of the" in outcome.unmatched
    with services.running(services.answering(hits)) as found:
        words = ("--duration", "10ms", "--warm-up", "0s", "--concurrency", 1, "--batch-size", 4)
        load = said(capsys, "load", "--dataset", beir, "--url", found.url, *words, "--out", tmp_path / "out")
    assert "is a positive of its query, so task gold is 0 throughout" in load.output


def test_hits_without_ids_and_with_other_ids_are_said(beir: Path) -> None:
    outcome = ran(beir, answering([{"text": "oak", "score": 1.0}]))
    assert str(outcome.unmatched).endswith(
        "compared by id: no hit has an id; a description of the service (--protocol FILE) says where it is"
    )
    outcome = ran(beir, answering([{"id": 17, "score": 1.0}]))
    assert "does the service search the documents of this data set, by the same ids?" in str(outcome.unmatched)
    assert "(e.g. query q0 got '17', and its first " in str(outcome.unmatched)


def test_ids_that_are_numbers_in_the_service_are_those_that_judgments_have_as_text(tmp_path: Path) -> None:
    folder = tmp_path / "numbers"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "7", "text": "alder"}\n{"_id": "8", "text": "birch"}\n')
    (folder / "queries.jsonl").write_text('{"_id": 100, "text": "which tree?"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n100\t7\t1\n")
    outcome = ran(folder, answering([{"id": 8, "score": 2.0}, {"id": 7, "score": 1.0}]))
    assert outcome.per_query["gold.RR@10"].to_list() == [0.5]


@pytest.mark.slow  # a process that serves
def test_passages_of_contracts_come_from_the_results_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    for name, text in CONTRACTS.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for test in TESTS:
        for snippet in test["snippets"]:
            start, end = snippet["span"]  # type: ignore[index]
            snippet["answer"] = CONTRACTS[snippet["file_path"]][start:end]  # type: ignore[index]
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "nda.json").write_bytes(orjson.dumps({"tests": TESTS}))
    done = said(capsys, "run", "--dataset", folder, "--out", tmp_path / "out", "--quiet")
    assert done.code == 0, done.errors
    assert one_data_set.values(tmp_path / "out")["span.Success@10"].to_list() == [1.0, 1.0]
    passages = said(capsys, "passages", tmp_path / "out", folder / "benchmarks" / "nda.json", "-k", 3)
    assert passages.code == 0, passages.errors
    assert "num_examples: 2.0000" in passages.output
    assert "char_recall@3: 1.0000" in passages.output
