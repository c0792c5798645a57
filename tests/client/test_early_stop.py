import pytest
from hit_lists import hits_of

from benchbench.client.early_stop import EMPTY, ENOUGH, EarlyStop
from benchbench.errors import TooManyFailuresError
from benchbench.tables.hits import Hits


def checked(*answers: tuple[int, Hits, str | None], last: bool = False) -> None:
    early_stop = EarlyStop("http://there/search")
    for answer in answers:
        early_stop.note(*answer)
    early_stop.check(last)


def without(queries: int, failure: str | None = None) -> tuple[int, Hits, str | None]:
    return queries, Hits.none(queries), failure


USEFUL = (1, hits_of([1]), None)


def test_a_first_batch_without_a_hit_is_enough_and_the_reason_is_said():
    with pytest.raises(TooManyFailuresError) as caught:
        checked(without(ENOUGH, "protocol error: such keys"))
    assert str(caught.value) == (
        f"http://there/search answers, and none of its first {ENOUGH} queries got a hit that can be used: "
        "protocol error: such keys"
    )
    with pytest.raises(TooManyFailuresError, match=f"first 4,096 queries .*: {EMPTY[:-1]}"):
        checked(without(4096))


def test_small_batches_are_waited_for_because_one_query_may_find_nothing():
    checked(*[without(1)] * (ENOUGH - 1))
    with pytest.raises(TooManyFailuresError):
        checked(*[without(1)] * ENOUGH)


def test_one_hit_settles_it_whenever_it_came():
    for place in (0, 5):
        answers = [without(10)] * 20
        answers.insert(place, USEFUL)
        checked(*answers, last=True)


def test_what_there_is_has_to_do_when_there_is_no_more():
    with pytest.raises(TooManyFailuresError, match="first 2 queries"):
        checked(without(2), last=True)
    checked(USEFUL, last=True)
