import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.journal import Journal, write_whole
from benchbench.client.search import Batch
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.tables.hashing import id_hashes
from benchbench.tables.hits import Hits

CODES = st.integers(-1, 2**31 - 1)


@st.composite
def batches(draw: st.DrawFn) -> list[Batch]:
    made, first = [], 0
    for _ in range(draw(st.integers(1, 4))):
        counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
        n = sum(counts)

        def column(values: st.SearchStrategy, n: int = n) -> list:
            return draw(st.lists(values, min_size=n, max_size=n))

        ids = column(st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
        hits = Hits(
            counts=counts,
            ids=ids,
            id=id_hashes(ids),
            text=column(st.integers(0, 2**64 - 1)),
            score=column(st.floats()),
            accusation=column(CODES),
            article=column(CODES),
            months=column(CODES),
            penalty=column(st.integers(0, 3)),
            faults=draw(st.dictionaries(st.sampled_from(["dropped_hits", "without_text"]), st.integers(1, 9))),
        )
        attempts = tuple(
            Attempt(
                1.5, draw(st.just(math.nan) | st.floats(0, 9)), 2.5, 7, draw(st.sampled_from([None, 200, 503])), why
            )
            for why in draw(st.lists(st.none() | st.just("HTTP 503"), max_size=3))
        )
        made.append(Batch(first, len(counts), 0.25, hits, attempts, draw(st.none() | st.just("HTTP 503: busy"))))
        first += len(counts)
    return made


def shown(batches: list[Batch]) -> str:
    """Return all that is in batches; NaN, which equals nothing, as its name, and floats whole."""
    return repr([(one, [np.float64(score).tobytes() for score in map(float, one.hits.score)]) for one in batches])


@given(batches())
def test_what_is_kept_comes_back_to_the_bit(tmp_path_factory, made: list[Batch]):
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder / "received")
    assert list(journal.begin({"a": 1})) == []
    for batch in made:
        journal.keep([batch])
    assert shown([batch for part in Journal(folder / "received").begin({"a": 1}) for batch in part]).replace(
        "-nan", "nan"
    ) == shown(made).replace("-nan", "nan")


def test_other_terms_are_refused_with_what_differs(tmp_path: Path):
    Journal(tmp_path / "received").begin({"--top-k": 20, "-k": [3, 5]})
    for terms, said in (
        ({"--top-k": 30, "-k": [3, 5]}, "--top-k 20, and this is 30"),
        ({"--top-k": 20}, r"-k \[3,5\]"),
    ):
        with pytest.raises(InputError, match=f"was begun with {said}"):
            Journal(tmp_path / "received").begin(terms)


def test_a_gap_and_a_broken_file_are_named(tmp_path: Path):
    journal = Journal(tmp_path / "received")
    journal.begin({})
    for first in (0, 2, 4):
        journal.keep([Batch(first, 2, 0.0, Hits.none(2), (), None)])
    (tmp_path / "received" / "000000000002.parquet").unlink()
    with pytest.raises(InputError, match=r"what came before .*000000000004\.parquet is gone"):
        list(journal.begin({}))
    (tmp_path / "received" / "000000000000.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"000000000000\.parquet cannot be read"):
        list(journal.begin({}))


def test_a_file_is_replaced_whole(tmp_path: Path):
    for content in (b"one", b"two"):
        write_whole(tmp_path / "file", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"two")]
