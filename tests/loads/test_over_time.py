import numpy as np
import polars as pl
import pytest

from benchbench.loads.batches import Batches, FirstQueries, Requests, batches
from benchbench.loads.new_queries import asked_values, with_new
from benchbench.loads.over_time import over_time, over_time_frame


def counted(due: np.ndarray, seconds: np.ndarray) -> pl.DataFrame:
    errors = pl.Series([None if one < 1.0 else "slow" for one in seconds], dtype=pl.String)
    return pl.DataFrame({"due": due, "end": due + seconds, "error": errors})


def test_a_stall_shows_in_the_stretch_in_which_requests_were_due():
    due = np.arange(0.0, 30.0, 0.01)
    found = over_time(counted(due, np.where((due >= 12.0) & (due < 13.0), 1.5, 0.01)), 30.0, 1)
    assert {one.seconds for one in found} == {0.5}
    assert [one.begin for one in found if one.p50 is not None and one.p50 > 1000] == [12.0, 12.5]
    assert [one.failed for one in found if one.failed] == [50, 50]
    assert all(one.rate == pytest.approx(100.0, rel=0.03) for one in found)
    assert sum(one.requests for one in found) == len(due)


@pytest.mark.parametrize(("duration", "rate"), [(0.01, 300.0), (30.0, 1.0), (7.3, 50.0), (600.0, 1000.0)])
def test_stretches_are_at_most_60_and_of_a_round_length(duration, rate):
    due = np.arange(0.0, duration, 1.0 / rate)
    found = over_time(counted(due, np.full(len(due), 0.01)), duration, 2)
    assert 1 <= len(found) <= 60
    assert sum(one.seconds for one in found) == pytest.approx(duration)
    assert {one.repeat for one in found} == {2}


def test_a_stretch_without_a_request_has_no_latency():
    due = np.array([*np.arange(0.0, 1.0, 0.01), *np.arange(9.0, 10.0, 0.01)])
    found = over_time(counted(due, np.full(len(due), 0.01)), 10.0, 1)
    assert [(one.requests, one.p50) for one in found[1:-1]] == [(0, None)] * (len(found) - 2)


def test_the_table_has_a_row_per_stretch_of_each_step():
    due = np.arange(0.0, 4.0, 0.01)
    one = over_time(counted(due, np.full(len(due), 0.01)), 4.0, 1)
    frame = over_time_frame([("a", one), ("b", one)])
    assert frame["step"].to_list() == [1] * len(one) + [2] * len(one)
    assert {"repeat", "begin", "seconds", "requests", "failed", "rate", "p50", "p99", "max", "few"} <= set(
        frame.columns
    )


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


NUMBERS = np.arange(10_000)


@pytest.mark.parametrize(("queries", "size"), [(12, 1), (12, 4), (12, 5), (12, 12), (5000, 32)])
@pytest.mark.parametrize("order", ["sequential", "shuffle"])
def test_every_round_asks_every_query_in_batches_of_one_size(queries, size, order):
    found = batches(queries, size, order, seed=3)
    assert found.rows.shape == (-(-queries // size), size)
    assert all(len(set(row)) == size for row in found.rows.tolist())
    taken = found.of_all(NUMBERS[: 2 * len(found)]).reshape(2, -1)
    assert [sorted(one) for one in taken.tolist()] == 2 * [list(range(len(found)))]
    assert set(found.rows.ravel().tolist()) == set(range(queries))


def test_sequential_batches_are_consecutive_and_the_last_begins_earlier():
    found = batches(12, 5)
    assert found.rows.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [7, 8, 9, 10, 11]]
    assert found.of_all(np.arange(5)).tolist() == [0, 1, 2, 0, 1]


def test_a_shuffled_round_is_in_another_order_than_the_one_before():
    found = batches(1000, 10, "shuffle", seed=1)
    first, second = found.of_all(np.arange(200)).reshape(2, -1).tolist()
    assert first != second != sorted(second)
    assert found.rows.ravel().tolist() != list(range(1000))


@pytest.mark.parametrize("order", ["sequential", "shuffle", "zipf"])
@pytest.mark.parametrize("size", [1, 7])
def test_a_request_has_the_same_batch_however_one_asks_and_the_same_seed_the_same(order, size):
    one, same, other = (batches(300, size, order, seed) for seed in (5, 5, 6))
    some = np.array([9999, 3, 4096, 4097, 3, 20_000, 0])
    assert one.of_all(some).tolist() == [same.of(number) for number in some.tolist()]
    assert (one.rows == same.rows).all()
    if order != "sequential":
        assert (one.rows != other.rows).any()
        assert (one.of_all(NUMBERS) != other.of_all(NUMBERS)).any()


def test_zipf_asks_queries_by_one_over_their_rank():
    found = batches(100, 1, "zipf", seed=2)
    asked = found.rows[found.of_all(np.arange(200_000)), 0]
    counts = np.sort(np.bincount(asked, minlength=100))[::-1] / len(asked)
    expected = 1 / np.arange(1, 101) / (1 / np.arange(1, 101)).sum()
    assert counts == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize("size", [2, 12, 50, 100])
def test_batches_by_zipf_have_different_queries_each(size):
    found = batches(100, size, "zipf", seed=2)
    assert found.rows.shape == (-(-100 // size), size)
    assert all(len(set(row)) == size for row in found.rows.tolist())


def test_what_is_fixed_is_taken_as_it_is():
    found = Batches(rows=np.array([[7], [9]]), fixed=np.array([1, 1, 0]))
    assert [found.of(number) for number in range(3)] == found.of_all(np.arange(3)).tolist() == [1, 1, 0]


def test_requests_are_the_encoded_batches_by_number_without_an_end():
    found = batches(12, 5, "shuffle", seed=1)
    requests = Requests(found, [b"a", b"b", b"c"])
    assert [requests[number] for number in range(6)] == [b"abc"[one : one + 1] for one in found.of_all(np.arange(6))]
    assert requests[0:2] == [requests[0], requests[1]]
    assert requests[10**9 % len(requests)] in (b"a", b"b", b"c")
    assert FirstQueries(found)[np.arange(6)].tolist() == found.rows[found.of_all(np.arange(6)), 0].tolist()
