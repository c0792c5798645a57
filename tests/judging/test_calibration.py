"""Whose grades a file has, what a calibration is bound to, what refuses one, and how far to trust a judge."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchbench.answers.judges.rubric import Rubric, rubric
from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels
from benchbench.judging.agreement.agreement_result import ProbeDetails
from benchbench.judging.agreement.agreement_run import judge_agreement
from benchbench.judging.agreement.calibration import (
    Calibration,
    calibrated,
    calibration_setting,
    calibrations_in,
    read_calibration,
    refusal,
)
from benchbench.judging.agreement.grades import Grades, read_judges, read_people, renamed
from benchbench.judging.agreement.numbers import Agreed, agreed
from benchbench.judging.agreement.systems import SystemRanking
from benchbench.judging.agreement.trust import Trust, trust

DAY = datetime(2026, 11, 23, 12, tzinfo=UTC)
RELEVANCE = rubric("relevance", "ja")
JUDGE = {"model": "gpt-4o", "rubric": RELEVANCE.label, "digest": RELEVANCE.digest, "name": "judge"}


def grades(seed: int, off: float) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    human = np.random.default_rng(0).integers(0, 4, (30, 8))
    changed = np.where(rng.random(human.shape) < off, rng.integers(0, 4, human.shape), human)
    return {f"q{q}": {f"d{d}": float(grade) for d, grade in enumerate(row)} for q, row in enumerate(changed)}


def calibration(off: float = 0.1, n: int = 400) -> Calibration:
    rng = np.random.default_rng(1)
    human = rng.integers(0, 4, n).astype(float)
    judge = np.where(rng.random(n) < off, (human + 1) % 4, human)
    found = agreed(human, judge, np.arange(n) // 10)
    return calibrated(found, "d1", DAY.timestamp(), **JUDGE)


def why(one: Calibration | None, rubric: Rubric = RELEVANCE, data: str = "d1", needed: float = 0.4):
    return refusal(one, "gpt-4o", rubric, data, needed, DAY)


def test_a_good_and_fresh_calibration_of_this_judge_on_these_data_is_taken() -> None:
    assert why(calibration()) is None


def test_what_is_missing_is_refused() -> None:
    assert "the judge gpt-4o is not calibrated" in str(why(None))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"model": "other"}, "the calibration is of the model other, and the judge is gpt-4o"),
        ({"rubric": "umbrela.en@1", "digest": "x"}, "of the rubric umbrela.en@1, and this is relevance.ja@1"),
        ({"digest": "0123456789abcdef"}, "the wording of the rubric relevance.ja@1 has changed since its calibration"),
        ({"data": "d2"}, "the calibration was made on other data (d2, and this is d1)"),
        ({"date": "2026-08-01T00:00:00.000Z"}, "114 days old (2026-08-01), and good for 90"),
        ({"date": "soon"}, "no date, but 'soon'"),
        ({"n": 99}, "has 99 labels by people, and 100 are needed"),
        ({"model": "", "digest": ""}, "does not say of which model and rubric it is"),
        ({"agreement": {}}, "the calibration has no kappa"),
    ],
)
def test_what_is_stale_or_of_something_else_is_refused(changed: dict[str, object], said: str) -> None:
    assert said in str(why(replace(calibration(), **changed)))  # type: ignore[arg-type]


def test_the_lower_end_decides_and_not_the_value() -> None:
    one = calibration(0.42)
    assert one.kappa.value is not None
    assert one.kappa.low is not None
    between = (one.kappa.value + one.kappa.low) / 2
    assert "is needed" in str(why(one, needed=between))
    assert why(one, needed=one.kappa.low) is None


def test_perfect_agreement_over_few_queries_is_too_weak() -> None:
    human = np.tile([0.0, 1.0], 60)
    found = agreed(human, human, np.repeat(np.arange(3), 40))
    one = calibrated(found, "d1", DAY.timestamp(), **JUDGE)
    assert "kappa of judge and people is 1.000" in str(why(one))


def test_a_calibration_is_read_back_from_the_folder_of_judge_agreement(tmp_path: Path) -> None:
    judge = Grades(
        "j",
        "memory",
        Qrels.from_dict(grades(1, 0.2)),
        model="gpt-4o",
        rubric=RELEVANCE.label,
        digest=RELEVANCE.digest,
        data="d1",
    )
    other = replace(judge, name="k", rubric="umbrela.en@1", digest="x")
    result = judge_agreement(Qrels.from_dict(grades(0, 0.0)), [judge, other])
    result.save(tmp_path / "both")
    one = read_calibration(tmp_path / "both", "gpt-4o", RELEVANCE.label)
    assert replace(one, folder="") == result.calibrations[0]
    assert one.folder == str(tmp_path / "both")
    assert refusal(one, "gpt-4o", RELEVANCE, "d1", 0.4) is None
    assert len(calibrations_in(tmp_path / "both")) == 2
    with pytest.raises(InputError, match="calibrations of several judges"):
        read_calibration(tmp_path / "both")
    with pytest.raises(InputError, match="calibrations of several judges"):
        read_calibration(tmp_path / "both", "none of them")


def test_a_folder_without_a_calibration_says_how_to_make_one(tmp_path: Path) -> None:
    from benchbench.formats.qrels_runs import Run
    from benchbench.scoring import evaluate

    scores = evaluate(Qrels.from_dict({"q": {"d": 1}}), Run.from_dict({"q": {"d": 1}}), "P@1")
    scores.save(tmp_path / "scores")
    with pytest.raises(InputError, match="benchbench judge agreement"):
        read_calibration(tmp_path / "scores")


def test_a_calibration_says_itself_in_a_few_words() -> None:
    assert calibration().said.startswith("kappa 0.")
    assert calibration().said.endswith(" over 400 pairs, 2026-11-23")
    assert replace(calibration(), agreement={}).said == "kappa unknown over 400 pairs, 2026-11-23"


def test_no_calibration_is_no_setting() -> None:
    assert calibration_setting([]) == {}


def test_the_numbers_at_the_end_of_a_run_have_its_scope() -> None:
    numbers = agreed(np.array([0.0, 1.0]), np.array([0.0, np.nan])).numbers({"judge": "m", "rubric": "r"})
    assert {tuple(one.scope.items()) for one in numbers} == {(("judge", "m"), ("rubric", "r"))}
    assert next(one.value for one in numbers if one.name == "unparsed") == 1.0


def of(wrong: float, pairs: int = 2_000, bias: int = 0) -> Agreed:
    rng = np.random.default_rng(0)
    human = rng.integers(0, 3, pairs).astype(float)
    judge = np.where(rng.random(pairs) < wrong, rng.integers(0, 3, pairs), human) + bias * (rng.random(pairs) < 0.3)
    return agreed(human, judge, np.arange(pairs) // 10)


def said(found: Agreed, p: float = 0.5, own: tuple[str, ...] = ()) -> Trust:
    probe = ProbeDetails(
        name="length",
        effect=0.1,
        low=0.0,
        high=0.2,
        p=p,
        p_uncorrected=p,
        n=100,
        queries=10,
        null="permutations within queries and grades",
        skipped="",
    )
    systems = SystemRanking(
        measure="nDCG@10",
        queries=10,
        systems=[],
        tau=0.5,
        spearman=0.5,
        largest_rank_change=1,
        swapped_pairs=1,
        pairs=3,
        decided_differently=[],
    )
    return trust("j", found, [probe], [systems], own, 0.05)


@pytest.mark.parametrize(
    ("wrong", "mark", "word"),
    [(0.05, "●", "almost perfectly with people"), (0.3, "●", "substantially with people, or better"),
     (0.5, "◐", "moderately with people, or better"), (0.7, "◐", "fairly with people, or better"),
     (0.88, "▼", "slightly with people, or better"), (1.0, "▼", "with people no more than by chance")],
)  # fmt: skip
def test_words_and_marks_go_by_the_lower_end_of_kappa(wrong: float, mark: str, word: str) -> None:
    found = said(of(wrong))
    assert found.mark == mark
    assert found.verdict.startswith(f"j agrees {word}: kappa ")
    assert bool(found.advice) == (mark == "▼")


def test_what_else_there_is_to_know_stands_behind_it() -> None:
    found = said(of(0.1, bias=1), p=0.01)
    assert found.mark == "◐"
    assert " % agreement (always answering " in found.further[0]
    assert found.further[1].startswith("It grades 0.")
    assert found.further[1].endswith(" higher than people.")
    assert found.further[2:] == [
        "Its grades depend on the length of the text, where people's do not.",
        "It orders the 0 systems differently by nDCG@10 (tau 0.500).",
    ]
    assert "Compare only systems that are alike in the length of the text" in found.advice[0]


def test_a_judge_of_its_own_model_is_never_good() -> None:
    found = said(of(0.05), own=("gpt-4o",))
    assert found.mark == "◐"
    assert found.advice == ["Use another judge, or people's labels, for the texts of its own model."]


def test_few_labels_are_never_good() -> None:
    found = said(of(0.0, 90))
    assert (found.mark, found.advice) == (
        "◐",
        ["Label more pairs by people that the judge grades too: there are 90, and 100 are needed."],
    )


def test_where_nothing_could_disagree_nothing_can_be_said() -> None:
    found = said(agreed(np.ones(200), np.ones(200)))
    assert found.mark == "○"
    assert found.verdict == (
        "j: too little data to judge it; people and judge gave a single grade, so they could not disagree."
    )
    assert found.advice == ["Label pairs of more queries, and with more than one grade."]


def test_one_query_has_no_interval() -> None:
    found = said(agreed(np.arange(12.0) // 4, np.arange(12.0) // 5, np.zeros(12, np.int64)))
    assert found.mark == "○"
    assert " over 12 pairs of 1 query, " in found.verdict
    assert found.verdict.endswith("; kappa has no interval, so this holds only for these pairs.")


@pytest.mark.parametrize(
    ("groups", "ends"), [(np.zeros(2, np.int64), ""), (np.arange(2), " (−0.315 to 1.000)")], ids=["one query", "two"]
)
def test_of_a_few_pairs_nothing_is_said_even_where_all_are_alike(groups: np.ndarray, ends: str) -> None:
    found = said(agreed(np.array([0.0, 1.0]), np.array([0.0, 1.0]), groups))
    queries = "2 queries" if ends else "1 query"
    assert found.mark == "○"
    assert found.verdict == (
        f"j: too few labels to judge it; kappa 1.000{ends} over 2 pairs of {queries}, 100 % agreement "
        "(always answering 0 would give 50 %)."
    )
    assert found.advice == ["Label more pairs by people that the judge grades too: there are 2, and 100 are needed."]


def test_a_wide_interval_around_0_leaves_it_open_whether_there_is_more_than_chance() -> None:
    found = said(of(0.6, 40))
    assert found.mark == "○"
    assert found.verdict.startswith("It is undecided whether j agrees with people beyond chance: kappa 0.")
    assert found.advice == ["Label more pairs by people that the judge grades too: there are 40, and 100 are needed."]


def test_less_than_chance_is_called_so() -> None:
    human = np.random.default_rng(0).integers(0, 2, 500).astype(float)
    found = said(agreed(human, 1.0 - human, np.arange(500) // 10))
    assert found.mark == "▼"
    assert found.verdict.startswith("j agrees with people less than chance: kappa −")


MIXED = """q1 0 d1 1
q1 0 d2 0
q2 0 d1 2
q2 gpt-4o/relevance.en@1 d1 3
q1 gpt-4o/relevance.en@1 d1 1
q1 gpt-4o/relevance.en@1 d9 2
q1 vllm/org/m/umbrela.en@1 d1 0
"""


def written(place: Path, text: str = MIXED) -> Path:
    place.write_text(text, encoding="utf-8")
    return place


def table(one: Grades) -> dict[str, list[float]]:
    ends = one.qrels.offsets
    return {name: sorted(one.qrels.grade[ends[q] : ends[q + 1]].tolist()) for q, name in enumerate(one.qrels.ids)}


def test_people_have_the_lines_that_name_no_judge(tmp_path: Path) -> None:
    found = read_people(written(tmp_path / "mixed.trec"))
    assert (found.name, table(found)) == ("mixed", {"q1": [0.0, 1.0], "q2": [2.0]})


def test_a_file_has_as_many_judges_as_it_names(tmp_path: Path) -> None:
    first, second = read_judges(written(tmp_path / "mixed.trec"))
    assert (first.name, first.model, first.rubric) == ("gpt-4o/relevance.en@1", "gpt-4o", "relevance.en@1")
    assert table(first) == {"q2": [3.0], "q1": [1.0, 2.0]}
    assert (second.model, second.rubric) == ("vllm/org/m", "umbrela.en@1")
    assert table(second) == {"q1": [0.0]}


def test_a_file_that_names_nobody_is_called_as_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "my.judge.qrels.txt", "q1 0 d1 1\nq1 0 d2 -1\n")
    with pytest.raises(InputError, match=r"names a judge in its second column, so its labels may be people's"):
        read_judges(path)
    (found,) = read_judges(path, is_named=True)
    assert (found.name, found.model, table(found)) == ("my.judge", "", {"q1": [-1.0, 1.0]})


def test_other_formats_are_read_too(tmp_path: Path) -> None:
    (found,) = read_judges(written(tmp_path / "judge.json", json.dumps({"q1": {"d1": 0.5}})))
    assert table(found) == {"q1": [0.5]}
    assert table(read_people(written(tmp_path / "beir.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\n"))) == {
        "q1": [2.0]
    }


def test_labels_by_judges_alone_are_not_peoples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has only labels by judges \(gpt-4o/relevance.en@1\)"):
        read_people(written(tmp_path / "judge.trec", "q1 gpt-4o/relevance.en@1 d1 1\n"))


def test_a_pair_that_is_graded_twice_by_one_judge_differently_is_refused(tmp_path: Path) -> None:
    twice = "q1 0 d1 1\nq1 m/r.en@1 d1 1\nq1 m/r.en@1 d1 2\n"
    with pytest.raises(InputError, match=r"m/r.en@1, judges document d1 of query q1 twice, with different grades"):
        read_judges(written(tmp_path / "judge.trec", twice))


def test_a_pair_that_is_graded_twice_alike_counts_once(tmp_path: Path) -> None:
    found = read_people(written(tmp_path / "people.trec", "q1 0 d1 1\nq1 0 d1 1\n"))
    assert (found.qrels.grade.size, found.qrels.duplicates) == (1, 1)


def test_queries_in_pieces_all_over_a_file_are_one(tmp_path: Path) -> None:
    lines = "".join(f"q{n % 7} {'m/r.en@1' if n % 2 else 0} d{n} {n % 3}\n" for n in range(60_000))
    (judge,) = read_judges(written(tmp_path / "judge.trec", lines))
    people = read_people(tmp_path / "judge.trec")
    assert len(judge.qrels) == len(people.qrels) == 7
    assert judge.qrels.grade.size == people.qrels.grade.size == 30_000


def test_a_folder_that_has_no_labels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="is no results folder"):
        read_judges(tmp_path / "other")


def test_judges_are_named_as_given_or_told_apart_by_their_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name / "judge.trec", "q1 0 d1 1\n")
    both = [one for name in ("a", "b") for one in read_judges(tmp_path / name / "judge.trec", True)]
    assert [one.name for one in renamed(both, ())] == [f"judge ({tmp_path}/{name}/judge.trec)" for name in ("a", "b")]
    assert [one.name for one in renamed(both, ("x", "y"))] == ["x", "y"]
    with pytest.raises(InputError, match="2 judges need 2 names, and --judge-name has 1"):
        renamed(both, ("x",))
    with pytest.raises(InputError, match="two judges are called x"):
        renamed(both, ("x", "x"))
    with pytest.raises(InputError, match="two judges are the same file"):
        renamed([both[0], both[0]], ())
