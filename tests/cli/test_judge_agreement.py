"""`benchbench judge agreement`."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer, verdicts
from command_line import Said, said, sentence
from data_sets import write_lines

from benchbench.answers.judges.rubric import rubric
from benchbench.judging.agreement.calibration import read_calibration

GRADE = re.compile(r"grade(\d)")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder: people's labels of 30 queries, a judge's of 40, and four runs of different quality."""
    rng = np.random.default_rng(1)
    human, judge, rows = [], [], []
    runs: dict[str, list[str]] = {name: [] for name in ("a", "b", "c", "d")}
    for q in range(40):
        for d in range(12):
            grade = int(rng.choice(4, p=[0.5, 0.2, 0.2, 0.1]))
            said = int(np.clip(grade + (rng.random() < 0.3) * rng.integers(-1, 2), 0, 3))
            human += [f"q{q} 0 d{q}_{d} {grade}\n"] if q < 30 else []
            judge += [f"q{q} gpt-4o/relevance.en@1 d{q}_{d} {said}\n"] if (q, d) != (3, 4) else []
            rows.append({"query_id": f"q{q}", "doc_id": f"d{q}_{d}", "length": int(rng.integers(20, 900)),
                         "position": d + 1, "model": "gpt-4o-2024-08-06" if d % 3 else "other"})  # fmt: skip
            for n, name in enumerate(runs):
                runs[name].append(f"q{q} Q0 d{q}_{d} 0 {grade + (n + 1) * rng.normal():.5f} {name}\n")
    for name, lines in {"human.qrels": human, "judge.qrels": judge, **{f"{r}.run": runs[r] for r in runs}}.items():
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def agreement(capsys: pytest.CaptureFixture[str], folder: Path, *more: object) -> Said:
    return said(capsys, "judge", "agreement", folder / "human.qrels", folder / "judge.qrels", *more)


def found(capsys: pytest.CaptureFixture[str], folder: Path, *more: object) -> dict:
    code, output, errors = agreement(capsys, folder, *more, "--format", "json")
    assert (code, errors) == (0, "")
    return json.loads(output)


def test_json_has_the_members_of_the_contract(capsys, files):
    from sklearn.metrics import cohen_kappa_score

    value = found(capsys, files)
    human, judge = (
        {(q, d): int(grade) for q, _, d, grade in map(str.split, (files / f"{name}.qrels").read_text().splitlines())}
        for name in ("human", "judge")
    )
    one, other = zip(*((human[pair], judge[pair]) for pair in human if pair in judge), strict=True)
    assert (value["n"], value["unparsed"]) == (len(one), 1) == (359, 1)
    assert value["kappa"] == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)
    for cut in (1, 2, 3):
        relevant = [[grade >= cut for grade in side] for side in (one, other)]
        assert value[f"kappa@{cut}"] == pytest.approx(cohen_kappa_score(*relevant), abs=1e-12)
    assert np.array(value["confusion"]["counts"]).sum() == len(one)
    assert value["prevalence"]["human"]["0"] == pytest.approx(one.count(0) / len(one))
    assert value["constant"]["kappa"] == 0.0
    ends = value["intervals"]["kappa"]
    assert ends["low"] < value["kappa"] < ends["high"]
    (its,) = value["judges"]
    names = ("kappa", "weighted_kappa", "alpha", "bias", "kappa@1", "n", "unparsed")
    assert {name: its[name] for name in names} == {name: value[name] for name in names}
    assert (its["model"], its["rubric"], its["only_human"], its["only_judge"]) == ("gpt-4o", "relevance.en@1", 1, 120)


def test_text_begins_with_how_far_to_trust_the_judge(capsys, files):
    code, output, _ = agreement(capsys, files)
    assert code == 0
    assert re.match(
        r"● gpt-4o/relevance\.en@1 agrees substantially with people, or better: kappa 0\.\d{3} "
        r"\(0\.\d{3} to 0\.\d{3}\)\. \d\d % agreement \(always answering 0 would give \d\d %\) over 359 pairs of "
        r"30 queries\.",
        output,
    )
    assert "gpt-4o/relevance.en@1 has no grade for 1 of 360 pairs that people graded" in output


def test_systems_are_ranked_and_helped(capsys, files):
    runs = ",".join(str(files / f"{name}.run") for name in "abcd")
    value = found(capsys, files, "--run", runs, "-m", "nDCG@5,P@3")
    first, second = value["judges"][0]["systems"]
    assert (first["measure"], second["measure"], first["queries"], first["pairs"]) == ("nDCG@5", "P@3", 30, 6)
    assert [one["name"] for one in first["systems"]] == list("abcd")
    assert all(one["powered"]["labelled"] == 30 for one in first["systems"])
    numbers = {(one["name"], *one["scope"].values()): one for one in value["record"]["numbers"]}
    judge = "gpt-4o/relevance.en@1"
    assert numbers["tau", judge, "nDCG@5"]["value"] == first["tau"]
    assert numbers["nDCG@5", judge, "a", "people and judge"]["interval"] == "PPI++"
    assert numbers["worth_nDCG@5", judge, "a"]["value"] == first["systems"][0]["powered"]["worth"]
    assert any("30 queries with labels by people are fewer than 100" in note for note in value["notes"])


def test_probes_look_at_columns_of_pairs_and_tell_where_a_judge_grades_its_own_model(capsys, files):
    value = found(capsys, files, "--items", files / "pairs.jsonl")
    (one,) = value["judges"]
    assert [probe["name"] for probe in one["probes"]] == ["length", "position", "self_preference"]
    assert all(probe["p"] > 0.05 for probe in one["probes"])
    assert one["own"] == ["gpt-4o-2024-08-06"]
    _, output, _ = agreement(capsys, files, "--items", files / "pairs.jsonl")
    sentence = " ".join(output.split())
    favours = "gpt-4o/relevance.en@1 favours texts of gpt-4o-2024-08-06, its own model"
    assert f"○ Cannot tell whether {favours}: " in sentence


def test_a_collection_shows_whether_grades_go_by_length(capsys, files):
    rng = np.random.default_rng(2)
    with (files / "corpus.jsonl").open("w") as corpus:
        for q in range(40):
            for d in range(12):
                corpus.write(json.dumps({"id": f"d{q}_{d}", "text": "x" * int(rng.integers(5, 800))}) + "\n")
    (probe,) = found(capsys, files, "--collection", files / "corpus.jsonl")["judges"][0]["probes"]
    assert (probe["name"], probe["null"]) == ("length", "permutations within queries and grades")


def test_a_run_and_a_second_order_show_whether_grades_go_by_position(capsys, files):
    (probe,) = found(capsys, files, "--shown-in", files / "a.run")["judges"][0]["probes"]
    assert probe["name"] == "position"
    (again,) = found(capsys, files, "--shown-in", files / "a.run", "--again", files / "judge.qrels")["judges"][0][
        "probes"
    ]
    assert (again["p"], again["effect"], again["null"]) == (1.0, 0.0, "signs of queries")


def test_gates_go_by_values_and_by_ends(capsys, files):
    assert agreement(capsys, files, "--fail-if", "low kappa<0.2", "--fail-if", "kappa@2<0.5").code == 0
    failed = agreement(capsys, files, "--fail-if", "low kappa<0.95")
    assert failed.code == 1
    assert "low kappa is 0." in failed.errors
    wrong = agreement(capsys, files, "--fail-if", "kapa<1")
    assert wrong.code == 2
    assert "kapa is not measured" in sentence(wrong.errors)


def test_several_judges_are_compared_with_each_other_too(capsys, files):
    (files / "other.qrels").write_text((files / "judge.qrels").read_text().replace(" gpt-4o/relevance.en@1 ", " 0 "))
    value = found(capsys, files, files / "other.qrels", "--judge-name", "one,other")
    assert [one["name"] for one in value["judges"]] == ["one", "other"]
    assert value["between"] == [
        {"one": "one", "other": "other", "n": 479, "kappa": 1.0, "weighted_kappa": 1.0, "alpha": 1.0}
    ]
    assert value["together"]["judges_alpha"] == 1.0
    assert "kappa" not in value


def test_csv_has_a_row_per_number(capsys, files):
    _, output, _ = agreement(capsys, files, "--format", "csv", "-q")
    rows = {one["name"]: one for one in csv.DictReader(io.StringIO(output))}
    assert float(rows["kappa"]["low"]) < float(rows["kappa"]["value"]) < float(rows["kappa"]["high"])
    assert rows["kappa"]["judge"] == "gpt-4o/relevance.en@1"


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        ("q9 0 other 1\n", "no pair of query and document has a grade by people ("),
        ("q1 0 d1_1 1\nq1 0 d1_1 2\n", "judges document d1_1 of query q1 twice, with different grades; keep one"),
        ("q1 0 d1_1 x\n", "line 1: the grade 'x' is not a number"),
        (
            "".join(f"q{n // 12} 0 d{n // 12}_{n % 12} {n / 7}\n" for n in range(360)),
            "different grades, and a scale has at most 256: these are scores",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(capsys, files, judge, why):
    (files / "bad.qrels").write_text(judge)
    both = (files / "human.qrels", files / "bad.qrels", "--judge-name", "m")
    code, _, errors = said(capsys, "judge", "agreement", *both)
    assert code == 2
    assert why in sentence(errors)


def test_people_are_not_compared_with_themselves_and_one_grade_by_both_has_no_kappa_and_says_why(capsys, tmp_path):
    (tmp_path / "one.qrels").write_text("q1 0 d1 1\nq1 0 d2 1\nq2 0 d1 1\n")
    both = ("judge", "agreement", tmp_path / "one.qrels", tmp_path / "one.qrels")
    code, _, errors = said(capsys, *both)
    assert code == 2
    assert sentence(errors).endswith(
        "names a judge in its second column, so its labels may be people's; --judge-name NAME says that a judge gave "
        "them"
    )
    code, output, _ = said(capsys, *both, "--judge-name", "m", "--format", "json")
    value = json.loads(output)
    assert (code, value["kappa"], value["alpha"]) == (0, None, None)
    assert value["undefined"]["kappa"] == "people and judge gave a single grade, so they could not disagree"


def by_word(text: str) -> dict[str, Any]:
    """Grade a text as it says."""
    return {"rationale": "", "relevance": int(GRADE.findall(text)[-1])}


def judged(capsys: pytest.CaptureFixture[str], script: Callable[[str], dict[str, Any]], *given: object) -> Said:
    """Let a scripted judge judge."""
    with ChatServer(verdicts(script)) as server:
        asked = ("--model", "scripted", "--base-url", server.url, "--no-cache", "--price", "0,0")
        return said(capsys, "judge", *given, *asked)


def agreed(capsys: pytest.CaptureFixture[str], *given: object) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(said(capsys, "judge", "agreement", *given, "--format", "json").output)
    return value


def digest_of(folder: Path) -> str:
    found: str = json.loads((folder / "record.json").read_text())["data"]["digest"]
    return found


def texts(folder: Path, documents: int, queries: int) -> tuple[Path, Path]:
    """Write documents that say their grade, and queries."""
    rows = [{"_id": f"d{n}", "title": "", "text": f"text {n} grade{n % 4}"} for n in range(documents)]
    asked = [{"_id": f"q{n}", "text": "asked"} for n in range(queries)]
    return write_lines(folder / "corpus.jsonl", rows), write_lines(folder / "queries.jsonl", asked)


def test_the_folder_of_judge_relevance_is_a_judge_and_its_calibration_is_bound(capsys, tmp_path):
    """The judge is asked about a sample of people's labels: these are compared, though no new label is made of them."""
    (tmp_path / "qrels").mkdir(parents=True)
    texts(tmp_path, 20, 9)
    labels = "".join(f"q{q}\td{n}\t{(n + (q + n) % 7 // 6) % 4}\n" for q in range(6) for n in range(20))
    people = tmp_path / "qrels" / "test.tsv"
    people.write_text(f"query-id\tcorpus-id\tscore\n{labels}")
    run = tmp_path / "bm25.run"
    run.write_text("".join(f"q{q} Q0 d{n} {n} {20 - n} t\n" for q in range(9) for n in range(5)))
    code, _, errors = judged(capsys, by_word, "relevance", run, "--dataset", tmp_path, "--out", tmp_path / "labels")
    assert code == 0, errors
    value = agreed(capsys, people, tmp_path / "labels", "--out", tmp_path / "calibration")
    assert (value["judges"][0]["name"], value["n"], value["unparsed"]) == ("scripted/relevance.en@1", 120, 0)
    one, own = (read_calibration(tmp_path / name) for name in ("calibration", "labels"))
    assert (one.model, one.rubric, one.data) == ("scripted", "relevance.en@1", digest_of(tmp_path / "labels"))
    assert one.digest == rubric("relevance").digest
    assert (own.kappa, own.n, own.data) == (one.kappa, one.n, one.data)
    shown = said(capsys, "show", tmp_path / "calibration")
    assert shown.output.startswith("● scripted/relevance.en@1 agrees ")


def test_pairs_that_a_judge_failed_on_are_told_from_those_it_was_not_asked_about(capsys, tmp_path):
    labels = "".join(f"q{q} 0 d{n} {(q + n) % 3}\n" for q in range(8) for n in range(10))
    (tmp_path / "human.qrels").write_text(labels)
    (tmp_path / "pairs.qrels").write_text(labels.partition("q6")[0])
    corpus, queries = texts(tmp_path, 10, 8)
    named = ("--pairs", tmp_path / "pairs.qrels", "--queries", queries, "--collection", corpus)

    def script(text: str) -> dict[str, Any]:
        return {} if "grade2" in text else {"rationale": "", "relevance": 1}

    judged(capsys, script, "relevance", *named, "--out", tmp_path / "labels")
    value = agreed(capsys, tmp_path / "human.qrels", tmp_path / "labels")
    assert (value["n"], value["unparsed"], value["only_human"]) == (48, 12, 32)
    assert "scripted/relevance.en@1 was not asked about 20 pairs that people graded." in value["notes"]


def test_scores_of_answers_are_calibrated_by_the_numbers_of_the_answers(capsys, tmp_path):
    rows = [{"question": f"q{n}", "answer": f"grade{n % 5 + 1}"} for n in range(30)]
    answers, out = write_lines(tmp_path / "answers.jsonl", rows), tmp_path / "judged"
    code, _, errors = judged(capsys, by_word, "answers", answers, "--rubric", "relevance_1_5", "--out", out)
    assert code == 0, errors
    rows = [{"query_id": n + 1, "doc_id": "relevance_1_5", "relevance": (n + (n % 7 == 0)) % 5 + 1} for n in range(30)]
    people = write_lines(tmp_path / "people.jsonl", rows)
    value = agreed(capsys, people, out, "--out", tmp_path / "calibration")
    assert (value["n"], value["judges"][0]["rubric"]) == (30, "relevance_1_5.en@1")
    assert value["agreement"] == pytest.approx(25 / 30)
    assert read_calibration(tmp_path / "calibration").data == digest_of(out)
