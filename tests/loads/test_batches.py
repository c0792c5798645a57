import numpy as np
import pytest

from benchbench.loads.batches import Batches, FirstQueries, Requests, batches

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
