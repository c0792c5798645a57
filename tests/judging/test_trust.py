"""How far to trust a judge, in a sentence."""

import numpy as np
import pytest

from benchbench.judging.agreement.agreement_result import ProbeDetails
from benchbench.judging.agreement.numbers import Agreed, agreed
from benchbench.judging.agreement.systems import Ranked
from benchbench.judging.agreement.trust import Trust, trust


def of(wrong: float, pairs: int = 2_000, bias: int = 0) -> Agreed:
    rng = np.random.default_rng(0)
    human = rng.integers(0, 3, pairs).astype(float)
    judge = np.where(rng.random(pairs) < wrong, rng.integers(0, 3, pairs), human) + bias * (rng.random(pairs) < 0.3)
    return agreed(human, judge, np.arange(pairs) // 10)


def said(found: Agreed, p: float = 0.5, own: tuple[str, ...] = ()) -> Trust:
    probe = ProbeDetails("length", 0.1, 0.0, 0.2, p, p, 100, 10, "permutations within queries and grades", "")
    systems = Ranked("nDCG@10", 10, [], 0.5, 0.5, 1, 1, 3, [])
    return trust("j", found, [probe], [systems], own, 0.05)


@pytest.mark.parametrize(
    ("wrong", "mark", "word"),
    [(0.05, "●", "almost perfectly"), (0.3, "●", "substantially"), (0.5, "◐", "moderately"), (0.7, "◐", "fairly"),
     (0.88, "▼", "slightly"), (1.0, "▼", "no more than by chance")],
)  # fmt: skip
def test_words_and_marks_go_by_the_lower_end_of_kappa(wrong: float, mark: str, word: str) -> None:
    found = said(of(wrong))
    assert found.mark == mark
    assert found.verdict.startswith(f"j agrees with people {word}: kappa ")
    assert bool(found.advice) == (mark == "▼")


def test_what_else_there_is_to_know_stands_behind_it() -> None:
    found = said(of(0.1, bias=1), p=0.01)
    assert found.mark == "◐"
    assert found.further[0].startswith("It grades 0.")
    assert found.further[0].endswith(" higher than people.")
    assert found.further[1:] == [
        "Its grades go by the length of the text, where people's do not.",
        "It ranks 0 systems by nDCG@10 with tau 0.50.",
    ]
    assert "Compare only systems that are alike in the length of the text" in found.advice[0]


def test_a_judge_of_its_own_model_is_never_good() -> None:
    found = said(of(0.05), own=("gpt-4o",))
    assert found.mark == "◐"
    assert found.advice == ["Take another judge, or people's labels, for the texts of its own model."]


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
        "j: nothing can be said; people and judge gave one grade only, so that nothing could have disagreed."
    )
    assert found.advice == ["Label pairs of more queries, and with more than one grade."]


def test_one_query_has_no_interval() -> None:
    found = said(agreed(np.arange(12.0) // 4, np.arange(12.0) // 5, np.zeros(12, np.int64)))
    assert found.mark == "○"
    assert " over 12 pairs of 1 query, " in found.verdict
    assert found.verdict.endswith("; no interval, so that it holds for these pairs alone.")


@pytest.mark.parametrize(
    ("groups", "ends"), [(np.zeros(2, np.int64), ""), (np.arange(2), " [-0.32, 1.00]")], ids=["one query", "two"]
)
def test_of_a_few_pairs_nothing_is_said_even_where_all_are_alike(groups: np.ndarray, ends: str) -> None:
    found = said(agreed(np.array([0.0, 1.0]), np.array([0.0, 1.0]), groups))
    queries = "2 queries" if ends else "1 query"
    assert found.mark == "○"
    assert found.verdict == (
        f"j: nothing can be said from so few labels; kappa 1.00{ends} over 2 pairs of {queries}, 100 % alike where "
        "always 0 reaches 50 %."
    )
    assert found.advice == ["Label more pairs by people that the judge grades too: there are 2, and 100 are needed."]


def test_a_wide_interval_around_0_leaves_it_open_whether_there_is_more_than_chance() -> None:
    found = said(of(0.6, 40))
    assert found.mark == "○"
    assert found.verdict.startswith("It is open whether j agrees with people beyond chance: kappa 0.")
    assert found.advice == ["Label more pairs by people that the judge grades too: there are 40, and 100 are needed."]


def test_less_than_chance_is_called_so() -> None:
    human = np.random.default_rng(0).integers(0, 2, 500).astype(float)
    found = said(agreed(human, 1.0 - human, np.arange(500) // 10))
    assert found.mark == "▼"
    assert found.verdict.startswith("j agrees with people less than chance: kappa -")
