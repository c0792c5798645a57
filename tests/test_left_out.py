"""What a run does not count, or cannot match, is said wherever it shows a number."""

import json
import re
import xml.etree.ElementTree as Tree
from pathlib import Path
from typing import Any

import data_sets
import embedded
import orjson
import pytest
import pytrec_eval
import services
from cases import first_of
from command_line import said

from benchbench.formats.collection import read_collection
from benchbench.tables.collection import Collection

LEFT_OUT = (
    "33 positives beyond the first 1 per query were left out, in 11 of 12 queries: numbers from all would differ; "
    "--max-positives 0 takes all"
)
GATE = ("--fail-if", "errors>1%")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def judged(qrels: Path, run: Path, *measures: str) -> dict[str, float]:
    """Return means in percent, as pytrec_eval gives them of written files."""
    with qrels.open() as file:
        grades = pytrec_eval.parse_qrel(file)
    with run.open() as file:
        values = pytrec_eval.RelevanceEvaluator(grades, set(measures)).evaluate(pytrec_eval.parse_run(file))
    return {one: 100 * sum(row[one] for row in values.values()) / len(grades) for one in measures}


def ran(capsys: pytest.CaptureFixture[str], data: Path, out: Path, url: str, *options: object) -> Any:
    """Return what the command said."""
    code, output, errors = said(capsys, "run", "--dataset", data, "--url", url, "--out", out, *options)
    assert code == 0, errors
    return output, errors


@pytest.mark.parametrize("formats", first_of(["json", "csv"], ["json", "jsonl", "csv", "markdown", "latex"]), ids=len)
def test_positives_left_out_are_said_in_every_output(capsys, data: Path, tmp_path: Path, formats: list[str]):
    out, junit, markdown = tmp_path / "out", tmp_path / "gates.xml", tmp_path / "summary.md"
    told = ["--max-positives", 1, *GATE, "--junit", junit, "--summary", markdown]
    with services.running(services.searching(data_sets.collection(data))) as service:
        output, _ = ran(capsys, data, out, service.url, *told)
        shown = {
            name: ran(capsys, data, tmp_path / name, service.url, "--max-positives", 1, "--format", name)
            for name in formats
        }
    summary = json.loads((out / "summary.json").read_bytes())
    assert (summary["counts"]["left_out_positives"], summary["counts"]["queries_with_left_out_positives"]) == (33, 11)
    assert summary["warnings"] == [LEFT_OUT]
    assert json.loads(shown["json"][0])["warnings"] == [LEFT_OUT]
    for text in (
        output,
        (out / "evaluate_summary.txt").read_text(encoding="utf-8"),
        (out / "report.html").read_text(encoding="utf-8"),
        markdown.read_text(encoding="utf-8"),
        Tree.parse(junit).findtext("testsuite/system-out"),
        *(shown[name][1 if name in ("csv", "jsonl") else 0] for name in formats if name != "json"),
    ):
        assert text is not None
        assert LEFT_OUT in " ".join(text.split())
    full = (out / "qrels.full.trec").read_text().splitlines()
    assert len(full) == len((out / "qrels.trec").read_text().splitlines()) + 33
    assert full[:4] == ["c0 0 c3 5", "c0 0 c6 4", "c0 0 c9 3", "c0 0 c12 2"]


def test_positives_left_out_are_said_of_each_target(capsys, data: Path, tmp_path: Path):
    out, junit = tmp_path / "out", tmp_path / "gates.xml"
    with services.running(services.searching(data_sets.collection(data))) as service:
        targets = ["--target", f"a={service.url}", "--target", f"b={service.url}", "--max-positives", 1]
        arguments = ["run", "--dataset", data, "--out", out, *targets, *GATE, "--junit", junit]
        code, output, _ = said(capsys, *arguments, "--summary", tmp_path / "summary.md")
    assert code == 0
    for text in (
        output,
        (out / "evaluate_summary.txt").read_text(encoding="utf-8"),
        (out / "report.html").read_text(encoding="utf-8"),
        (tmp_path / "summary.md").read_text(encoding="utf-8"),
        junit.read_text(encoding="utf-8"),
    ):
        assert any(f"{targets}: {LEFT_OUT}" in " ".join(text.split()) for targets in ("a", "a and b"))
        assert f"b: {LEFT_OUT}" in " ".join(text.split())
    assert json.loads((out / "summary.json").read_bytes())["targets"]["b"]["warnings"] == [LEFT_OUT]
    assert (out / "a" / "qrels.full.trec").is_file()


def test_nothing_is_said_and_no_file_written_where_all_positives_count(capsys, data: Path, tmp_path: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        for number, options in enumerate([(), ("--max-positives", 0)]):
            output, _ = ran(capsys, data, tmp_path / str(number), service.url, *options)
            assert "left out" not in output
            assert not (tmp_path / str(number) / "qrels.full.trec").exists()
            assert json.loads((tmp_path / str(number) / "summary.json").read_bytes())["warnings"] == []


def renamed(collection: Collection) -> services.Answer:
    """Answer with the texts of a collection, under other ids."""
    names = [f"x{n}" for n in range(len(collection.ids))]
    return services.searching(Collection(names, collection.texts, collection.meta))


def test_the_full_judgments_give_the_number_of_all_positives_though_the_service_has_other_ids(
    capsys, data: Path, tmp_path: Path
):
    with services.running(renamed(data_sets.collection(data))) as service:
        ran(capsys, data, tmp_path / "cut", service.url, "--max-positives", 1)
        ran(capsys, data, tmp_path / "all", service.url, "--max-positives", 0)
    cut, whole = (
        json.loads((tmp_path / one / "summary.json").read_bytes())["measures"]["gold"] for one in ("cut", "all")
    )
    assert cut["P@5"]["value"] < whole["P@5"]["value"]
    run = tmp_path / "cut" / "run.trec"
    queries = data_sets.QUERIES - 1  # the last has no positives, and no line in qrels
    for qrels, expected in (("qrels.trec", cut), ("qrels.full.trec", whole)):
        found = judged(tmp_path / "cut" / qrels, run, "P_5", "ndcg_cut_10")
        for name, measure in (("P_5", "P@5"), ("ndcg_cut_10", "nDCG@10")):
            value = 100 * expected[measure]["value"] * data_sets.QUERIES / queries
            assert found[name] == pytest.approx(value, abs=1e-10)


@pytest.mark.slow  # all hits of CACM, twice
def test_cacm_cut_at_10_is_another_number_and_the_full_judgments_give_that_of_all(
    capsys, monkeypatch: pytest.MonkeyPatch, shared_data: Path, tmp_path: Path
):
    embedded.in_this_process(monkeypatch)
    folder = shared_data / "cacm"
    if not folder.is_dir():
        pytest.skip(f"needs CACM, and {folder} does not exist")
    documents = [orjson.loads(line) for line in (folder / "corpus.jsonl").read_bytes().splitlines()]
    texts = {one["_id"]: one["text"] for one in documents}
    positives: dict[str, list[str]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        query, document, _ = line.split("\t")
        positives.setdefault(query, []).append(document)
    data = tmp_path / "data"
    data.mkdir()
    data_sets.write_lines(data / "collection.jsonl", documents)
    queries = [orjson.loads(line) for line in (folder / "queries.jsonl").read_bytes().splitlines()]
    data_sets.write_lines(
        data / "tiered.jsonl",
        [
            {
                "query_id": one["_id"],
                "query": {"fact": one["text"]},
                "positives": [
                    {"fact_id": name, "fact": texts[name]} for name in positives[one["_id"]] if name in texts
                ],
            }
            for one in queries
            if one["_id"] in positives
        ],
    )
    values = {}
    for most in (10, 0):
        arguments = ["run", "--dataset", data, "--out", tmp_path / str(most), "--max-positives", most]
        arguments += ["--analysis", "words"]
        assert said(capsys, *arguments).code == 0
        values[most] = json.loads((tmp_path / str(most) / "summary.json").read_bytes())["measures"]["gold"]["P@10"]
    assert [f"{100 * values[most]['value']:.2f}" for most in (10, 0)] == ["18.08", "25.96"]
    run = tmp_path / "10" / "run.trec"
    found = [judged(tmp_path / "10" / name, run, "P_10")["P_10"] for name in ("qrels.trec", "qrels.full.trec")]
    assert [f"{value:.2f}" for value in found] == ["18.08", "25.96"]


# Hits that match nothing


def test_hits_of_which_none_is_a_positive_are_said_with_what_was_compared(capsys, data: Path, tmp_path: Path):
    other = _collection(data, lambda text: f"# {text}")
    with services.running(services.searching(other)) as service:
        output, _ = ran(capsys, data, tmp_path / "out", service.url, *GATE, "--junit", tmp_path / "gates.xml")
    (said_so,) = json.loads((tmp_path / "out" / "summary.json").read_bytes())["warnings"]
    assert said_so.startswith("none of the 240 hits is a positive of its query, so task gold is 0 throughout; they ")
    assert said_so.endswith(
        "compared by text: are these the whole texts of the same documents? --gold id compares ids (e.g. query c0 got "
        "'c0', and its first positive is 'c3')"
    )
    assert f"Note        {said_so}" in output
    assert said_so in (tmp_path / "gates.xml").read_text().replace("&apos;", "'")


def test_ids_that_match_no_positive_are_said(capsys, data: Path, tmp_path: Path):
    with services.running(renamed(data_sets.collection(data))) as service:
        output, _ = ran(capsys, data, tmp_path / "out", service.url, "--gold", "id", "--self", "id")
    assert (
        "hits is a positive of its query, so task gold is 0 throughout; they were compared by id: does the service"
        in output
    )
    assert re.search(r"the same ids\? \(e\.g\. query c0 got 'x\d+', and its first positive is 'c3'\)", output)


def test_hits_that_are_judged_and_not_relevant_are_no_positives(capsys, tmp_path: Path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    data_sets.write_lines(folder / "corpus.jsonl", [{"_id": "d1", "text": "a stolen phone"}])
    data_sets.write_lines(folder / "queries.jsonl", [{"_id": f"q{n}", "text": f"phone {n}"} for n in (1, 2)])
    rows = ("query-id\tcorpus-id\tscore", "q1\tgone\t1", "q1\td1\t0", "q2\tgone too\t1")
    (folder / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n")
    with services.running(services.searching(read_collection(folder / "corpus.jsonl"))) as service:
        assert said(capsys, "run", "--dataset", folder, "--url", service.url, "--out", tmp_path / "out").code == 0
    warnings = json.loads((tmp_path / "out" / "summary.json").read_bytes())["warnings"]
    assert any(one.startswith("none of the 2 hits is a positive of its query") for one in warnings), warnings


def test_hits_named_like_positives_with_other_texts_are_counted(capsys, data: Path, tmp_path: Path):
    other = _collection(data, lambda text: text if "盗窃" in text else f"{text[:20]}…")
    with services.running(services.searching(other)) as service:
        ran(capsys, data, tmp_path / "out", service.url)
    counts = json.loads((tmp_path / "out" / "summary.json").read_bytes())["counts"]
    assert counts["hits_named_like_positives"] > 0


def _collection(data: Path, change: Any) -> Collection:
    whole = data_sets.collection(data)
    return Collection(whole.ids, [change(text) for text in whole.texts], whole.meta)


def test_two_results_are_compared_with_what_their_numbers_leave_out(capsys, data: Path, tmp_path: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        for name in ("a", "b"):
            ran(capsys, data, tmp_path / name, service.url, "--max-positives", 1, "--name", name)
    code, output, _ = said(capsys, "compare", tmp_path / "a", tmp_path / "b", "--format", "json")
    assert code == 0
    assert LEFT_OUT in json.loads(output)["notes"]


# Data sets in which nothing, or not everything, can be relevant


def lines(data: Path, change: Any) -> None:
    made = data_sets.lines()
    for line in made:
        change(line)
    data_sets.write_lines(data / "tiered.jsonl", made)


def test_skipped_lines_and_assumed_tiers_are_said(capsys, data: Path, tmp_path: Path):
    made = data_sets.lines()
    del made[0]["positives"][0]["tier"]
    data_sets.write_lines(data / "tiered.jsonl", [*made, {"query": 1}])
    with services.running(services.searching(data_sets.collection(data))) as service:
        ran(capsys, data, tmp_path / "out", service.url, "--skip-bad-lines")
    assert json.loads((tmp_path / "out" / "summary.json").read_bytes())["warnings"] == [
        "1 bad line of the data set was skipped",
        "1 positive has no tier, and counts as tier 1",
    ]
