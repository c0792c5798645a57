import numpy as np
import polars as pl
import pytest

from benchbench.loads.batches import Batches, batches
from benchbench.loads.new_queries import asked_values, with_new


def requests(numbers: list[int], due: list[float] | None = None) -> pl.DataFrame:
    return pl.DataFrame({"number": numbers, "due": [float(one) for one in due or numbers]})


def naive(numbers: list[int], rows: list[list[int]], seen: set[int]) -> list[int]:
    """Count the queries of each request that no earlier one carried."""
    found = []
    for number in numbers:
        fresh = set(rows[number % len(rows)]) - seen
        seen |= fresh
        found.append(len(fresh))
    return found


def test_a_query_is_new_the_first_time_that_the_load_test_sends_it():
    found = Batches(rows=np.array([[0, 1], [2, 3], [1, 4]]))
    seen = np.array([False, False, True, False, False, False])
    new = with_new(requests([0, 1, 2, 3, 4]), found, seen)["new_queries"].to_list()
    assert new == naive([0, 1, 2, 3, 4], found.rows.tolist(), {2}) == [2, 1, 1, 0, 0]
    assert seen.tolist() == [True] * 5 + [False]
    assert with_new(requests([5, 6]), found, seen)["new_queries"].to_list() == [0, 0]


def test_first_is_who_was_due_first():
    found = Batches(rows=np.array([[0], [0], [0]]))
    new = with_new(requests([0, 1, 2], due=[0.3, 0.1, 0.2]), found, np.zeros(1, np.bool_))
    assert new["new_queries"].to_list() == [0, 1, 0]


def test_many_requests_are_counted_as_a_few_at_a_time():
    found = batches(70_000, 3, "shuffle", seed=4)
    seen = np.zeros(70_000, np.bool_)
    new = with_new(requests(list(range(30_000))), found, seen)["new_queries"]
    assert new.sum() == 70_000
    assert seen.all()


def test_latencies_of_requests_with_new_queries_stand_apart():
    counted = pl.DataFrame({"due": [0.0] * 4, "end": [0.5, 0.3, 0.02, 0.01], "new_queries": [2, 1, 0, 0]})
    values = asked_values(counted, 2)
    assert (values["queries_new"], values["queries_repeated"], values["new_requests"]) == (3, 5, 2)
    assert (values["new_p50"], values["new_p99"]) == (pytest.approx(300, rel=1e-3), pytest.approx(500, rel=1e-3))
    assert (values["repeated_p50"], values["repeated_p99"]) == (
        pytest.approx(10, rel=1e-3),
        pytest.approx(20, rel=1e-3),
    )


def test_where_all_are_new_the_repeated_have_no_latency():
    values = asked_values(pl.DataFrame({"due": [0.0], "end": [0.5], "new_queries": [1]}), 1)
    assert np.isnan(values["repeated_p50"])
