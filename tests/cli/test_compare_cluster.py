"""`compare --cluster`: queries of one document stay together, in every format and in the record."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import first_of
from command_line import said, sentence

import benchbench as bb
from benchbench.comparison.runs import Sources

DOCUMENTS, SIZE = 30, 6


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Write judgments, two runs whose differences are alike within documents, and a file of the queries."""
    folder, rng = tmp_path_factory.mktemp("clusters"), np.random.default_rng(3)
    judged, queries = [], []
    runs: dict[str, list[str]] = {"a": [], "b": []}
    for document in range(DOCUMENTS):
        shift = rng.normal(0.45, 1.0)
        for number in range(SIZE):
            query = f"q{document}-{number}"
            judged.append(f"{query} 0 d 1")
            queries.append({"_id": query, "document": f"{document}.pdf", "user": number, "long": document % 5})
            first = 1 + rng.poisson(1.0)
            for name, rank in (("a", first), ("b", max(1, first + round(shift + rng.normal(0, 0.3))))):
                hits = [*(f"z{k}" for k in range(1, rank)), "d"]
                runs[name] += [f"{query} Q0 {hit} {k} {20 - k} x" for k, hit in enumerate(hits, 1)]
    for name, lines in {"qrels.trec": judged, "a.run": runs["a"], "b.run": runs["b"]}.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries))
    paths = [str(folder / name) for name in ("qrels.trec", "a.run", "b.run")]
    return *paths, "--queries", str(folder / "queries.jsonl"), "-m", "RR", "--moved", "0"


def test_groups_are_flipped_together_and_said_in_text_and_record(capsys, files):
    code, text, errors = said(capsys, "compare", *files, "--cluster", "document")
    assert (code, errors) == (0, "")
    assert "95 %, of means by Wilson's form with Student's t, 30 groups of document, of " in text
    assert "randomization test over 30 groups of document, one pair of systems" in text
    assert "180 queries in 30 groups of document: design effect " in text
    assert "wilcoxon" not in text
    _, output, _ = said(capsys, "compare", *files, "--cluster", "document", "--format", "json")
    value = json.loads(output)
    (one,) = value["differences"]
    assert (value["groups"], value["settings"]["cluster"], list(one["p"])) == (30, "document", ["randomization", "t"])
    record = value["record"]
    assert {"name": "groups", "count": 30, "scope": {"cluster": "document"}} in record["counts"]
    numbers = {number["name"]: number for number in record["numbers"]}
    assert numbers["design_effect RR"]["value"] == one["design_effect"] > 1.5
    assert numbers["Δ RR"]["interval"] == "inverted randomization test of groups, 95 %"
    assert record["settings"]["cluster"]["value"] == "document"


def test_a_verdict_of_grouped_queries_is_another_and_the_note_says_so_unasked(capsys, files):
    alone, together = (
        json.loads(said(capsys, "compare", *files, "--format", "json", *more).output)
        for more in ((), ("--cluster", "document"))
    )
    before, after = (value["differences"][0]["p"]["randomization"] for value in (alone, together))
    assert after > 2 * before
    (note,) = [note for note in alone["notes"] if "--cluster document" in note]
    assert f"the p-value before correction is {after:.2g} instead of {before:.2g}" in note
    assert not [note for note in alone["notes"] if "--cluster user" in note or "--cluster long" in note]


def test_python_takes_a_cluster_as_the_command_does(capsys, files):
    runs = {"a": bb.scan_run(files[1]), "b": bb.scan_run(files[2])}
    found = bb.compare(
        bb.Qrels.from_file(files[0]), runs, ["RR"], cluster="document", sources=Sources(queries=Path(files[4]))
    )
    text = said(capsys, "compare", *files, "--cluster", "document", "--format", "json").output
    assert found.comparison.differences[0].p == json.loads(text)["differences"][0]["p"]
    assert found.frame()["design_effect"].to_list() == [found.comparison.differences[0].design_effect]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--cluster", "document", "--test", "wilcoxon"), "--test wilcoxon takes every query for independent"),
        (("--cluster", "court"), "--cluster court is no column of the queries; there are document, user, long"),
    ],
)
def test_what_cannot_be_grouped_is_refused(capsys, files, options, reason):
    code, output, errors = said(capsys, "compare", *files, *options)
    assert (code, output) == (2, "")
    assert reason in sentence(errors)


@pytest.mark.parametrize(("column", "number"), first_of(("long", 5), ("user", 6)))
def test_few_groups_are_noted_and_five_have_no_interval(capsys, files, tmp_path, column, number):
    page = tmp_path / "page.html"
    code, text, errors = said(
        capsys, "compare", *files, "--cluster", column, "--html", page, "--fail-if", "Δ RR < -1", "--wide"
    )
    assert (code, errors) == (0, "")
    assert f"{number} groups of {column}" in text
    assert ("no interval; p = " in text) == (number == 5)
    assert "None" not in text
    assert f"{number} of {column}" in page.read_text(encoding="utf-8")
    assert "b - a" in text
    for output in ("csv", "jsonl", "json", "markdown", "latex"):
        assert said(capsys, "compare", *files, "--cluster", column, "--format", output)[0] == 0
    (line,) = (
        json.loads(line)
        for line in said(capsys, "compare", *files, "--cluster", column, "--format", "jsonl").output.splitlines()
        if '"difference"' in line
    )
    assert (line["low"] is None) == (number == 5)


def test_a_result_with_groups_is_shown_again_as_it_was(capsys, files, tmp_path):
    text = said(capsys, "compare", *files, "--cluster", "document", "--out", tmp_path / "out").output
    shown = said(capsys, "show", tmp_path / "out").output
    assert shown.splitlines()[:20] == text.splitlines()[:20]


def test_worse_beyond_doubt_is_not_said_of_what_the_same_command_does_not_show(capsys, tmp_path):
    """Four queries of sixty moved, all down: p = 0.125, and the interval ends at 0."""
    lost = {3: 2, 17: 3, 31: 2, 44: 5}
    (tmp_path / "q.qrels").write_text("".join(f"q{i} 0 d 1\n" for i in range(60)))
    (tmp_path / "a.run").write_text("".join(f"q{i} Q0 d 1 2 x\n" for i in range(60)))
    lines = []
    for i in range(60):
        rank = lost.get(i, 1)
        lines += [f"q{i} Q0 z{r} {r} {10 - r} x\n" for r in range(1, rank)]
        lines.append(f"q{i} Q0 d {rank} {10 - rank} x\n")
    (tmp_path / "b.run").write_text("".join(lines))
    paths = [tmp_path / name for name in ("q.qrels", "a.run", "b.run")]
    code, text, _ = said(capsys, "compare", *paths, "-m", "RR", "--moved", "0", "--fail-if", "high RR < 0", "--wide")
    assert code == 0
    assert "b and a do not differ measurably in RR. b is " in text
    assert "0.000; p = 0.125)" in text
    assert "RR       a       1.000  0.940 to 1.000" in text
