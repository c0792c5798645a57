import math

import polars as pl

from benchbench.client.attempts import attempt_frame
from benchbench.client.search import BatchResult
from benchbench.client.transport import Attempt
from benchbench.tables.hits import Hits

WHOLE = Attempt(10.5, 10.75, 11.0, 120, 200, None)
REFUSED = Attempt(10.0, math.nan, 10.25, 0, None, "cannot connect", refused=True, broken=True)


def batch(*attempts: Attempt, first: int = 0, failure: str | None = None) -> BatchResult:
    return BatchResult(first, 2, 9.5, Hits.none(2), attempts, failure)


def test_every_attempt_is_a_row_numbered_from_one():
    frame = attempt_frame([batch(REFUSED, REFUSED, WHOLE), batch(WHOLE, first=2)])
    assert frame["first_query"].to_list() == [0, 0, 0, 2]
    assert frame["attempt"].to_list() == [1, 2, 3, 1]
    assert frame["status"].to_list() == [None, None, 200, 200]
    assert frame["error"].to_list() == ["cannot connect", "cannot connect", None, None]


def test_times_are_those_of_the_attempt():
    row = attempt_frame([batch(WHOLE)]).row(0, named=True)
    assert (row["due"], row["sent"], row["first_byte"], row["end"], row["bytes"]) == (9.5, 10.5, 10.75, 11.0, 120)


def test_the_first_byte_is_null_when_none_came():
    assert attempt_frame([batch(REFUSED)])["first_byte"].to_list() == [None]


def test_an_unusable_answer_is_an_error_of_the_last_attempt():
    frame = attempt_frame([batch(REFUSED, WHOLE, failure="protocol error: not JSON")])
    assert frame["error"].to_list() == ["cannot connect", "protocol error: not JSON"]


def test_no_batch_gives_an_empty_frame_of_the_same_columns():
    assert attempt_frame([]).schema == attempt_frame([batch(WHOLE)]).schema
    assert attempt_frame([])["error"].dtype == pl.String
