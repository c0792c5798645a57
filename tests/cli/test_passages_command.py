"""`benchbench passages`."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import said, sentence

import benchbench as bb

PREDICTIONS = [
    {"query": "second?", "retrieved_passages": ["Nothing of it", "The Party shall not disclose it. Ever."]},
    {"query": "first?", "retrieved_passages": ["any rights"]},
    {"query": "other?", "retrieved_passages": ["x"]},
]
GOLD = {
    "tests": [
        {"query": "first?", "snippets": [{"file_path": "a", "span": [0, 10], "answer": "Any rights"}]},
        {
            "query": "second?",
            "snippets": [
                {"file_path": "a", "span": [20, 32], "answer": "shall not disclose"},
                {"file_path": "a", "span": [40, 50], "answer": "elsewhere"},
            ],
        },
        {"query": "third?", "snippets": [{"file_path": "a", "span": [0, 10], "answer": "Any rights"}]},
    ]
}
BLOCK = """\
Evaluation Results:
==========================
exact_match: 0.3333
span_f1: 0.3333
recall@10: 0.5000
ndcg@10: 0.4623
num_examples: 3.0000
==========================
"""


def block(output: str) -> str:
    """Return the block that stands below the verdict."""
    return "Evaluation" + output.partition("\nEvaluation")[2].partition("\n\n")[0] + "\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path, PREDICTIONS), written(tmp_path, GOLD, "gold.json")


def written(folder: Path, value: Any, name: str = "predictions.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def test_the_block_stands_alone_on_standard_output_and_notes_beside_it(capsys, files):
    code, output, errors = said(capsys, "passages", *files)
    assert (code, block(output)) == (0, BLOCK)
    missing, extra, signature = errors.splitlines()
    assert missing == f"1 queries of {files[1]} have no prediction and count as 0, such as 'third?'"
    assert extra == "1 predictions are for queries without gold and are left out, such as 'other?'"
    assert signature.startswith("Signature measures:exact_match,span_f1,recall@10,ndcg@10|k:10|ideal:gold|")
    quiet = said(capsys, "passages", *files, "--quiet")
    assert (quiet.code, quiet.output, quiet.errors) == (0, output, "")


def test_the_order_of_predictions_does_not_matter(capsys, files, tmp_path):
    again = written(tmp_path, PREDICTIONS[::-1], "again.json")
    assert block(said(capsys, "passages", again, files[1]).output) == BLOCK


def test_json_and_the_saved_file_are_the_whole_result(capsys, files, tmp_path):
    saved = tmp_path / "results.json"
    options = ["--out", saved, "--per-query", "--format", "json"]
    code, output, _ = said(capsys, "passages", *files, *options)
    value = json.loads(output)
    assert (code, saved.read_text()) == (0, output)
    assert list(value["per_query"]) == ["first?", "second?", "third?"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.json", "predictions.json", "results.json"]


def test_the_saved_file_holds_queries_only_when_that_is_asked_for(capsys, files, tmp_path):
    assert block(said(capsys, "passages", *files, "--out", tmp_path / "results.json").output) == BLOCK
    assert "per_query" not in json.loads((tmp_path / "results.json").read_text())


def test_out_that_is_no_json_file_is_a_results_folder(capsys, files, tmp_path):
    folder = tmp_path / "results"
    gate = ("--fail-if", "recall@10<0.6")
    code, output, errors = said(capsys, "passages", *files, "--out", folder, *gate)
    assert (code, block(output) == BLOCK) == (1, True)
    assert f"Results in {folder}" in errors
    kept = bb.load(folder)
    assert [gate.verdict for gate in kept.record.gates] == ["failed"]
    assert kept.table("per_query")["query"].to_list() == ["first?", "second?", "third?"]
    assert said(capsys, "show", folder, "--html", tmp_path / "again.html").code == 0
    assert (folder / "report.html").read_text("utf-8") == (tmp_path / "again.html").read_text("utf-8")
    again = said(capsys, "passages", *files, "--out", folder)
    assert (again.code, again.output) == (2, "")
    assert "exists already" in sentence(again.errors)


def test_gold_without_places_is_said_when_predictions_have_them(capsys, tmp_path):
    placed = {"query": "q", "retrieved_passages": [{"text": "x", "file_path": "a", "span": [0, 1]}]}
    gold = written(tmp_path, {"tests": [{"query": "q", "snippets": [{"answer": "x"}]}]}, "gold.json")
    code, output, errors = said(capsys, "passages", written(tmp_path, [placed]), gold)
    assert (code, "char_" in output) == (0, False)
    assert errors.startswith("the predictions name spans and not all snippets do, so characters are not scored\n")


def test_predictions_may_come_from_standard_input(capsys, files):
    code, output, errors = said(capsys, "passages", "-", files[1], "-q", given=json.dumps(PREDICTIONS).encode())
    assert (code, block(output), errors) == (0, BLOCK, "")


@pytest.mark.parametrize(
    ("predictions", "gold", "reason"),
    [
        ("", GOLD, "predictions.json is empty"),
        ("{", GOLD, "predictions.json, line 1, column 2: not JSON ("),
        ([], GOLD, "predictions.json has no prediction"),
        (GOLD, PREDICTIONS, "gold.json is a list, as predictions are"),
        (PREDICTIONS, {"tests": []}, "gold.json has no test"),
        (PREDICTIONS[2:], GOLD, "predictions.json holds no query of "),
        ([{"query": "first?", "retrieved_passages": [3]}], GOLD, "entry 1, retrieved_passages 1 is neither a text"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_saved(capsys, tmp_path, predictions, gold, reason):
    paths = written(tmp_path, predictions), written(tmp_path, gold, "gold.json")
    if isinstance(predictions, str):
        paths[0].write_text(predictions)
    code, output, errors = said(capsys, "passages", *paths, "--out", tmp_path / "results.json")
    assert (code, output) == (2, "")
    assert reason in sentence(errors)
    assert not (tmp_path / "results.json").exists()


def test_a_place_that_cannot_be_written_to_is_named(capsys, files, tmp_path):
    path = tmp_path / "none" / "results.json"
    code, output, errors = said(capsys, "passages", *files, "--out", path)
    assert (code, output) == (2, "")
    assert sentence(errors) == f"--out {path}: there is no folder {path.parent}"


def test_a_result_may_replace_an_earlier_one_and_never_what_is_read(capsys, files, tmp_path):
    for _ in range(2):
        assert said(capsys, "passages", *files, "--out", tmp_path / "results.json").code == 0
    before = files[1].read_bytes()
    code, output, errors = said(capsys, "passages", *files, "--out", tmp_path / "." / "gold.json")
    assert (code, output) == (2, "")
    assert sentence(errors).endswith("gold.json is also given as a file to read or write; name another file")
    assert files[1].read_bytes() == before


def test_a_cut_off_of_nothing_is_bad_usage(capsys, files):
    assert said(capsys, "passages", *files, "--cutoff", 0).code == 2


@pytest.mark.parametrize("nothing", [[], [""], [" \n", ""]])
def test_predictions_or_gold_that_say_nothing_are_bad_input(capsys, files, tmp_path: Path, nothing: list[str]):
    empty = written(tmp_path, [{"query": one["query"], "retrieved_passages": nothing} for one in PREDICTIONS], "p.json")
    code, output, errors = said(capsys, "passages", empty, files[1])
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{empty} has no passage with a text or a place in any of its 3 queries, so ")
    tests = [{"query": one["query"], "snippets": [{"answer": text} for text in nothing]} for one in GOLD["tests"]]
    gold = written(tmp_path, {"tests": tests}, "g.json")
    code, output, errors = said(capsys, "passages", files[0], gold)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{gold} has no snippet with a text or a place in any of its 3 queries, so ")


def test_a_gate_on_what_is_not_measured_names_what_is(capsys, files):
    code, output, errors = said(capsys, "passages", *files, "--fail-if", "recall@5<0.9")
    assert (code, output) == (2, "")
    assert "measured are exact_match, span_f1, recall@10, ndcg@10" in sentence(errors)


def test_queries_of_one_document_are_grouped_in_the_intervals(capsys, tmp_path):
    tests, found = [], []
    for number in range(40):
        file, right = f"contract {number % 8}", number % 8 < 5
        snippets = [{"file_path": file, "span": [0, 6], "answer": "clause"}]
        tests.append({"query": f"{number}?", "snippets": snippets, "user": number % 10})
        found.append({"query": f"{number}?", "retrieved_passages": ["clause" if right else "else"]})
    files = written(tmp_path, found), written(tmp_path, {"tests": tests}, "gold.json")
    code, output, _ = said(capsys, "passages", *files, "--cluster", "document", "--format", "json")
    whole = json.loads(output)
    number = next(one for one in whole["record"]["numbers"] if one["name"] == "exact_match")
    assert (code, number["value"], number["interval"]) == (
        0,
        0.625,
        "95 %, Wilson's form with Student's t, 8 groups of document",
    )
    assert number["high"] - number["low"] > 0.4  # of forty independent queries it is 0.3 wide
    assert whole["notes"][-1].startswith("8 groups of document, fewer than 20")
    code, output, _ = said(capsys, "passages", *files, "--cluster", "user", "--format", "json")
    assert (code, json.loads(output)["intervals"]["exact_match"]["method"]) == (
        0,
        "Wilson's form with Student's t, 10 groups of user",
    )
    code, output, errors = said(capsys, "passages", *files, "--cluster", "judge")
    assert (code, output) == (2, "")
    assert sentence(errors).endswith("gold.json has no judge to group queries by; document is the file of the snippets")
