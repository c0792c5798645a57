"""Names of judges in the second column of judgments."""

import gzip
from pathlib import Path

import pytest

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import trec_text
from benchbench.tables.judges import is_judge

JUDGE, OTHER = "gpt-4o/relevance.zh@1", "Qwen/Qwen3-8B/umbrela.en@1"
MIXED = f"q1 0 d1 2\nq1 {JUDGE} d2 1\nq1 {OTHER} d3 0\nq2 0 d1 1\nq3 {JUDGE} d1 3\n"


def qrels(folder: Path, text: str) -> bb.Qrels:
    path = folder / "qrels.trec"
    path.write_text(text)
    return bb.Qrels.from_file(path)


@pytest.mark.parametrize(
    "field", ["0", "Q0", "12", "a/b", "x@1", "model/relevance@1", "model/relevance.zh", "m/r.zh@1/2"]
)
def test_what_is_no_model_with_a_rubric_is_no_judge(field: str):
    assert not is_judge(field)


@pytest.mark.parametrize("field", [JUDGE, OTHER, "m%20o/my-rubric.ja@2024-05", "a/b.zh-TW@1"])
def test_a_model_with_a_rubric_is_a_judge(field: str):
    assert is_judge(field)


def test_labels_of_judges_are_counted_by_judge(tmp_path: Path):
    assert qrels(tmp_path, MIXED).judges == {OTHER: 1, JUDGE: 2}
    assert qrels(tmp_path, f"q {JUDGE} d 1\nq {JUDGE} e 0\n").judges == {JUDGE: 2}
    assert qrels(tmp_path, "q 0 d 1\nq 1 e 0\n").judges == {}


def test_judges_are_counted_in_every_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trec_text, "PART", 30)
    text = "".join(f"q{n} {JUDGE if n % 3 else 0} d{n} 1\n" for n in range(300))
    assert qrels(tmp_path, text).judges == {JUDGE: 200}
    assert qrels(tmp_path, text.replace(" 0 ", " Q0 ")).judges == {JUDGE: 200}
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(text.encode()))
    assert bb.Qrels.from_file(tmp_path / "qrels.gz").judges == {JUDGE: 200}


def test_a_judge_is_no_subtopic(tmp_path: Path):
    run = bb.Run.from_dict({"q1": {"d1": 1.0}})
    with pytest.raises(InputError, match="name no subtopics"):
        bb.evaluate(qrels(tmp_path, MIXED), run, ["alpha_nDCG@10"])
    diverse = qrels(tmp_path, "q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 1\n")
    assert bb.evaluate(diverse, run, ["StRecall@1"]).mean() == {"StRecall@1": 0.5}


def test_the_digest_of_labels_does_not_depend_on_who_judged(tmp_path: Path):
    people = MIXED.replace(JUDGE, "0").replace(OTHER, "0")
    assert qrels(tmp_path, MIXED).digest == qrels(tmp_path, people).digest


def test_a_pair_that_people_and_a_judge_grade_differently_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="judges document d of query q twice, with different grades"):
        qrels(tmp_path, f"q 0 d 1\nq {JUDGE} d 2\n")


def test_a_score_says_how_many_labels_are_a_judges(tmp_path: Path):
    run = bb.Run.from_dict({"q1": {"d1": 1.0}})
    one = bb.evaluate(qrels(tmp_path, f"q1 0 d1 1\nq1 {JUDGE} d2 0\n"), run, ["nDCG@10"])
    assert one.notes[0].startswith(f"1 of 2 labels are not people's but those of {JUDGE}, and gates go by them")
    several = bb.evaluate(qrels(tmp_path, MIXED), run, ["nDCG@10"])
    those = f"those of {OTHER} (1), {JUDGE} (2)"
    assert several.notes[0].startswith(f"3 of 5 labels are not people's but {those}, and gates go by them")


def test_a_comparison_says_once_how_many_labels_are_a_judges(tmp_path: Path):
    runs = {name: bb.Run.from_dict({"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}) for name in "ab"}
    found = bb.compare(qrels(tmp_path, MIXED), runs, ["nDCG@10"], moved=0)
    assert len([note for note in found.record.notes if "not people's" in note.text]) == 1
