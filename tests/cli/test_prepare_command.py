import json
from pathlib import Path

import data_sets
import pytest
from command_line import said, sentence

from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered

NAMES = ["collection.jsonl", "tiered.card.json", "tiered.jsonl"]


@pytest.fixture
def cail(tmp_path: Path) -> Path:
    """A tiny CAIL file as courts write them: GB18030, `fact` and `meta`."""
    cases = [{"fact": case["text"], "meta": case["meta"]} for case in data_sets.cases()]
    return data_sets.write_lines(tmp_path / "cail.json", cases, "gb18030")


def prepared(capsys, *arguments: object):
    return said(capsys, "prepare", "cail", *arguments, "--limit", 6, "--min-length", 10)


def test_a_cail_file_becomes_a_data_set_that_can_be_read(capsys, cail: Path, tmp_path: Path):
    out = tmp_path / "out"
    code, output, errors = prepared(capsys, cail, "--encoding", "gb18030", "--out", out)
    assert (code, errors) == (0, f"Written to {out}\n")
    assert output.startswith("28 cases (24 distinct texts), 3 accusations\n6 queries with ")
    assert sorted(path.name for path in out.iterdir()) == NAMES
    queries = read_tiered(locate(str(out)).queries.path)
    assert set(queries.texts) < {case["text"] for case in data_sets.cases()}
    assert len(queries) == 6


def test_json_is_the_card_and_nothing_else(capsys, cail: Path, tmp_path: Path):
    out = tmp_path / "out"
    code, output, _ = prepared(capsys, cail, "--encoding", "gb18030", "--out", out, "--format", "json")
    assert code == 0
    assert json.loads(output) == json.loads((out / "tiered.card.json").read_bytes())


def test_the_same_seed_gives_the_same_bytes(capsys, cail: Path, tmp_path: Path):
    for name in ("1", "2"):
        prepared(capsys, cail, "--encoding", "gb18030", "--out", tmp_path / name, "--seed", 5)
    assert [(tmp_path / "1" / name).read_bytes() for name in NAMES] == [
        (tmp_path / "2" / name).read_bytes() for name in NAMES
    ]


def test_a_wrong_encoding_is_one_sentence_and_nothing_is_written(capsys, cail: Path, tmp_path: Path):
    code, output, errors = prepared(capsys, cail, "--out", tmp_path / "out")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{cail}, line 1: not UTF-8 (byte ")
    assert "--encoding gb18030" in errors
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ([], "not a JSON object"),
        ({"meta": {}}, "the case has no text ("),
        ({"fact": "甲", "meta": {"accusation": [1.5]}}, "accusation is not a list of strings or numbers"),
        ({"fact": "甲", "meta": {"term_of_imprisonment": "long"}}, "term_of_imprisonment has a wrong type"),
    ],
)
def test_a_bad_case_is_named_by_its_line(capsys, tmp_path: Path, line: object, reason: str):
    good = data_sets.cases()[0]
    path = data_sets.write_lines(tmp_path / "cail.json", [good, line])
    code, _, errors = prepared(capsys, path, "--out", tmp_path / "out")
    assert code == 2
    assert sentence(errors).startswith(f"{path}, line 2: {reason}")
    assert not (tmp_path / "out").exists()


def test_bad_cases_are_counted_when_that_is_asked_for(capsys, tmp_path: Path):
    path = data_sets.write_lines(tmp_path / "cail.json", [*data_sets.cases(), [], {"fact": 3}])
    arguments = ["--out", tmp_path / "out", "--skip-bad-lines", "--format", "json"]
    code, output, _ = prepared(capsys, path, *arguments)
    assert (code, json.loads(output)["source"]["skipped_lines"]) == (0, 2)
    _, output, _ = prepared(capsys, path, "--out", tmp_path / "other", "--skip-bad-lines", "--quiet")
    assert "\n2 bad lines of cail.json were skipped\n" in output


def test_cases_without_a_sentence_stay_in_the_collection(capsys, tmp_path: Path):
    cases = data_sets.cases()
    for case in cases[:24:2]:
        case["meta"].pop("term_of_imprisonment")
    path = data_sets.write_lines(tmp_path / "cail.json", cases)
    code, output, _ = prepared(capsys, path, "--out", tmp_path / "out")
    assert code == 0
    assert output.startswith("28 cases ")


def test_a_file_without_a_possible_query_is_bad_input(capsys, cail: Path, tmp_path: Path):
    arguments = ["--encoding", "gb18030", "--out", tmp_path / "out", "--min-length", 1000]
    code, _, errors = said(capsys, "prepare", "cail", cail, *arguments)
    assert code == 2
    assert sentence(errors).startswith("none of 28 cases can be a query: one needs 1000 characters, ")


def test_a_place_that_cannot_be_written_to_is_named(capsys, cail: Path, tmp_path: Path):
    out = cail / "out"
    code, _, errors = prepared(capsys, cail, "--encoding", "gb18030", "--out", out)
    assert code == 2
    assert sentence(errors) == f"cannot write {out}: Not a directory; name another place with --out"


@pytest.mark.parametrize("kind", ["cail", "synthetic", "legalbench-rag"])
def test_a_data_set_that_exists_stays_as_it_is_unless_it_is_forced(capsys, cail: Path, tmp_path: Path, kind: str):
    (tmp_path / "a.txt").write_text("Any rights are reserved.")
    snippet = {"file_path": "a.txt", "span": [0, 10], "answer": "Any rights"}
    benchmark = tmp_path / "benchmark.json"
    benchmark.write_text(json.dumps({"tests": [{"query": "Which?", "snippets": [snippet]}]}))
    arguments = {
        "cail": (cail, "--encoding", "gb18030", "--limit", 6, "--min-length", 10),
        "synthetic": ("--cases", 40, "--limit", 2),
        "legalbench-rag": (tmp_path, benchmark),
    }[kind]
    out = tmp_path / "out"
    out.mkdir()
    for name in ("tiered.jsonl", "tiered.card.json"):
        (out / name).write_text("another data set")
    code, output, errors = said(capsys, "prepare", kind, *arguments, "--out", out)
    assert (code, output) == (2, "")
    assert sentence(errors) == (
        f"{out / 'tiered.jsonl'} and {out / 'tiered.card.json'} exist already; --force replaces them, "
        "another --out keeps them"
    )
    assert sorted(path.name for path in out.iterdir()) == NAMES[1:]
    assert (out / "tiered.jsonl").read_text() == "another data set"
    assert said(capsys, "prepare", kind, *arguments, "--out", out, "--force").code == 0
    made = [*NAMES, "dataset.toml"] if kind == "legalbench-rag" else NAMES
    assert sorted(path.name for path in out.iterdir()) == sorted(made)
    assert (out / "tiered.jsonl").read_text() != "another data set"


def test_what_exists_is_said_before_the_input_is_read(capsys, tmp_path: Path):
    (tmp_path / "tiered.jsonl").write_text("another data set")
    for command in (("cail", "no.json"), ("legalbench-rag", "no", "no.json")):
        code, _, errors = said(capsys, "prepare", *command, "--out", tmp_path)
        assert (code, "tiered.jsonl exists already; --force replaces it" in sentence(errors)) == (2, True)


def test_texts_of_legalbench_rag_become_chunks(capsys, tmp_path: Path):
    (tmp_path / "a.txt").write_text("Any rights are reserved.")
    snippet = {"file_path": "a.txt", "span": [0, 10], "answer": "Any rights"}
    benchmark = tmp_path / "benchmark.json"
    benchmark.write_text(json.dumps({"tests": [{"query": "Which?", "snippets": [snippet]}]}))
    arguments = ["prepare", "legalbench-rag", tmp_path, benchmark, "--chunk-size", 8, "--overlap", 2]
    code, output, errors = said(capsys, *arguments, "--out", tmp_path / "out")
    assert (code, errors) == (0, f"Written to {tmp_path / 'out'}\n")
    assert output == "4 chunks of 1 texts (24 characters)\n1 queries with 2 positives\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted([*NAMES, "dataset.toml"])
    code, output, _ = said(capsys, *arguments, "--out", tmp_path / "again", "--format", "json")
    assert (code, json.loads(output)) == (0, json.loads((tmp_path / "again" / "tiered.card.json").read_bytes()))


def test_an_overlap_that_never_ends_is_one_sentence(capsys, tmp_path: Path):
    arguments = [
        "prepare",
        "legalbench-rag",
        tmp_path,
        tmp_path,
        "--chunk-size",
        5,
        "--overlap",
        5,
        "--out",
        tmp_path / "out",
    ]
    code, output, errors = said(capsys, *arguments)
    assert (code, output) == (2, "")
    assert sentence(errors) == "--overlap 5 is not from 0 to below --chunk-size 5"


def test_a_run_written_in_shards_is_scored_as_it_was(capsys, tmp_path: Path):
    qrels, run, out = tmp_path / "qrels.trec", tmp_path / "big.run", tmp_path / "big"
    qrels.write_text("".join(f"q{number} 0 d{number % 5} 1\n" for number in range(20)))
    run.write_text("".join(f"q{n} Q0 d{rank} {rank} {-rank} t\n" for n in range(20) for rank in range(1, 6)))
    code, output, errors = said(capsys, "prepare", "shards", run, "--out", out, "--shards", 3)
    assert (code, output, errors) == (0, "100 hits in 3 shards, 3 files\n", f"Written to {out}\n")
    whole, shards = (json.loads(said(capsys, "score", qrels, path, "--format", "json").output) for path in (run, out))
    assert [(its["name"], its["measures"]) for its in shards["runs"]] == [("big", whole["runs"][0]["measures"])]
    assert shards["signature"] == whole["signature"]
    again = said(capsys, "prepare", "shards", run, "--out", out)
    assert (again.code, "exists already; name another place with --out" in sentence(again.errors)) == (2, True)
