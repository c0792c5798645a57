import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import GateError, TooManyFailuresError
from benchbench.results.record import GateResult
from benchbench.results.verdict import all_failed, end, no_hits, status, too_many_failures

REASONS = {"HTTP 500": 2, "timeout": 3, "refused": 3}


def gate(said: str, verdict) -> GateResult:
    return GateResult(condition="RR<1", verdict=verdict, said=said)


PASSED, FAILED, WORSE, BROKEN = (
    gate(said, verdict) for said, verdict in zip("pfwb", ("passed", "failed", "failed", "broken"), strict=True)
)


def test_more_failures_than_may_be_are_a_sentence_with_the_most_frequent_reason():
    found = too_many_failures(8, 1200, 0.005, REASONS, about="new", more="see requests.parquet")
    assert found == GateResult(
        condition="--max-error-rate 0.005",
        verdict="broken",
        said="new: 8 of 1,200 queries failed, mostly: timeout; see requests.parquet",
        name="error_rate",
        value=8 / 1200,
        bound=0.005,
        about="new",
    )
    alone = too_many_failures(1, 1, 0.0, {"null": 1}, what="question")
    assert alone is not None
    assert alone.said == "1 of 1 question failed, mostly: null"


@given(st.integers(0, 50), st.integers(0, 50), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_a_share_up_to_the_one_allowed_is_no_verdict(failed: int, others: int, rate: float):
    found = too_many_failures(failed, failed + others, rate, REASONS)
    assert (found is None) == (failed <= rate * (failed + others))


def test_answers_without_one_hit_are_broken_and_no_answer_is_not():
    found = no_hits(3, 0, "no answer had a hit", about="new")
    assert found is not None
    assert (found.condition, found.verdict, found.said) == ("no hits", "broken", "new: no answer had a hit")
    assert no_hits(3, 1, "") is no_hits(0, 0, "") is None


def test_a_load_test_is_broken_when_every_request_of_every_step_failed():
    found = all_failed([1.0, 1.0], REASONS)
    assert found is not None
    assert (found.condition, found.said) == ("requests", "every request failed, mostly: timeout")
    assert all_failed([1.0, 0.99], REASONS) is all_failed([0.0], {}) is None


def test_what_is_broken_comes_before_gates_that_failed():
    with pytest.raises(TooManyFailuresError, match=r"^b; f; w$"):
        end([FAILED, PASSED, BROKEN, WORSE])
    with pytest.raises(GateError, match=r"^f; w$"):
        end([FAILED, PASSED, WORSE])
    end([PASSED])
    end([])


def test_only_what_is_broken_makes_a_result_failed():
    assert status([PASSED, FAILED]) == status([]) == "complete"
    assert status([FAILED, BROKEN]) == "failed"
