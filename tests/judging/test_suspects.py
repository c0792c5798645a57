"""What is looked at where: scripted judges with a planted bias, and which probe finds it."""

import numpy as np
import pytest

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.pair_columns import Lengths, PairColumns, rated
from benchbench.judging.agreement.suspects import Suspects, probes_of
from benchbench.judging.relevance.pool import hashes_of
from benchbench.kernels.arrays import F64
from benchbench.significance.judge_bias import Probe

QUERIES, DOCUMENTS = 30, 12
PAIRS = [(f"q{q}", f"d{d}") for q in range(QUERIES) for d in range(DOCUMENTS)]
RNG = np.random.default_rng(4)
GRADE = RNG.integers(0, 3, len(PAIRS)).astype(float)
LENGTH = RNG.integers(50, 5_000, DOCUMENTS).astype(float)
RANK = np.concatenate([RNG.permutation(DOCUMENTS) + 1.0 for _ in range(QUERIES)])
OWN = RNG.integers(0, 2, len(PAIRS))
LONG = np.log2(LENGTH)[np.tile(np.arange(DOCUMENTS), QUERIES)]


def labels(grades: F64) -> Qrels:
    return Qrels.from_arrays([q for q, _ in PAIRS], [d for _, d in PAIRS], np.clip(np.rint(grades), 0, 4))


def probes(judge: F64, suspects: Suspects, model: str = "m") -> dict[str, Probe]:
    people, one = labels(GRADE), Grades("j", "memory", labels(judge), model)
    found, _ = probes_of(suspects, people, one, rated([people, one.qrels]), 1, 0.05, 0)
    return {one.name: one for one in found}


def columns(**numbers: F64) -> PairColumns:
    queries, documents = (hashes_of(list(ids)) for ids in zip(*PAIRS, strict=True))
    return PairColumns(queries, documents, numbers, OWN.astype(np.int64), ("other", "M-latest"))


def noisy() -> F64:
    return GRADE + np.random.default_rng(9).normal(0, 0.6, len(PAIRS))


def lengths() -> Lengths:
    document = hashes_of([f"d{d}" for d in range(DOCUMENTS)])
    order = np.argsort(document)
    return Lengths(document[order], LENGTH[order])


def order() -> Run:
    places = {pair: -rank for pair, rank in zip(PAIRS, RANK.tolist(), strict=True)}
    return Run.from_dict(
        {f"q{q}": {f"d{d}": places[f"q{q}", f"d{d}"] for d in range(DOCUMENTS)} for q in range(QUERIES)}
    )


def test_a_judge_that_likes_long_texts_is_found_by_their_lengths() -> None:
    suspects = Suspects(lengths=lengths(), order=order())
    found = probes(noisy() + 0.35 * (LONG - LONG.mean()), suspects)
    assert found["length"].adjusted < 0.01 < found["position"].adjusted
    assert found["length"].effect == pytest.approx(0.35, abs=0.12)


def test_a_judge_that_likes_what_it_is_shown_first_is_found_by_the_run() -> None:
    found = probes(noisy() - 0.4 * np.log2(RANK), Suspects(lengths=lengths(), order=order()))
    assert found["position"].adjusted < 0.01 < found["length"].adjusted
    assert found["position"].effect < 0.0


def test_a_judge_that_likes_its_own_model_is_found_by_the_column_of_models() -> None:
    found = probes(noisy() + 0.6 * OWN, Suspects(columns=columns()))
    assert found["self_preference"].adjusted < 0.01
    assert found["self_preference"].effect == pytest.approx(0.6, abs=0.2)


def test_a_judge_that_likes_what_its_own_model_has_ranked_is_found_by_that_run() -> None:
    chosen = (RANK <= 10).astype(float)
    found = probes(noisy() + 1.2 * chosen, Suspects(own_run=order()))["self_preference"]
    assert found.p < 0.01
    assert found.effect == pytest.approx(1.2, abs=0.4)
    assert probes(noisy(), Suspects(own_run=order()))["self_preference"].p > 0.05


def test_columns_of_pairs_go_before_what_else_is_known() -> None:
    flat = columns(length=np.full(len(PAIRS), 7.0))
    assert (
        probes(noisy(), Suspects(lengths=lengths(), columns=flat))["length"].skipped == "it is the same for all pairs"
    )


def test_an_unbiased_judge_is_not_accused() -> None:
    found = probes(noisy(), Suspects(lengths(), columns(position=RANK)))
    assert {name: one.adjusted > 0.05 for name, one in found.items()} == dict.fromkeys(
        ("length", "position", "self_preference"), True
    )


def test_a_judge_that_is_asked_again_in_another_order_is_compared_with_itself() -> None:
    again = labels(GRADE + np.random.default_rng(8).normal(0, 0.6, len(PAIRS)) + 0.5 * np.log2(RANK))
    turned = DOCUMENTS + 1 - RANK
    both = columns(position=RANK, position_again=turned)
    found = probes(noisy() + 0.5 * np.log2(turned), Suspects(columns=both, again=again))["position"]
    assert found.null == "signs of queries"
    assert found.p < 0.01


def test_no_text_of_the_judges_own_model_is_said() -> None:
    found = probes(noisy(), Suspects(columns=columns()), "somebody else")
    assert found["self_preference"].skipped == "no row is of the judge's own model; --own names it"
    assert probes(noisy(), Suspects(columns=columns(), own="other"), "x")["self_preference"].skipped == ""


def test_nothing_to_look_at_has_no_probe() -> None:
    assert probes(noisy(), Suspects()) == {}
