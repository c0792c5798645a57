"""The same data in every make are the same queries, judgments and documents."""

import tempfile
from pathlib import Path

import makes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL, Invented

from benchbench.formats.collection import documents
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries

_ID = st.text("aZ09-_.:/%?é案", min_size=1, max_size=6).map("x".__add__)
_WORD = st.text("abcXYZ019é案件&<>'\"-.,;ß", min_size=1, max_size=8).filter(
    lambda word: "<" not in word or ">" not in word
)
_TEXT = st.lists(_WORD, min_size=1, max_size=6).map(" ".join)


@st.composite
def invented(draw: st.DrawFn) -> Invented:
    queries = draw(st.dictionaries(_ID, _TEXT, min_size=1, max_size=5))
    documents = draw(st.dictionaries(_ID, _TEXT, min_size=1, max_size=5))
    pairs = st.tuples(st.sampled_from(list(queries)), st.sampled_from([*documents, *queries]))
    judged = draw(st.lists(pairs, min_size=1, max_size=12, unique=True))
    return Invented(queries, [(query, document, draw(st.integers(-2, 4))) for query, document in judged], documents)


@pytest.mark.parametrize("make", MAKES)
def test_queries_and_judgments_are_those_of_plain_dictionaries(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    assert data.make == make.split(",")[0]
    queries = read_queries(data)
    assert makes.columns(queries) == makes.read(SMALL)
    assert list(queries.ids) == ["q1", "2", "q3"]
    assert len(queries.notes) == 1
    assert queries.notes[0].startswith("1 query of ")


@pytest.mark.parametrize("make", MAKES)
def test_documents_have_their_ids_and_texts(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    found = {one.id: one.text for _, one in documents(data.served()) if one is not None}
    assert found == SMALL.documents


@given(data=invented(), by_id=st.booleans(), make=st.sampled_from(list(MAKES)))
def test_any_data_are_read_alike_from_any_make(data: Invented, by_id: bool, make: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        queries = read_queries(locate(**MAKES[make](Path(folder), data)), self_by="id" if by_id else "text")
    assert makes.columns(queries) == makes.read(data, by_id)
    own = sum(query == document for query, document, _ in data.judgments)
    assert queries.dropped_positives == (own if by_id else 0)


def test_the_digest_is_that_of_the_data_and_not_of_their_format(tmp_path: Path) -> None:
    digests = {read_queries(locate(**write(tmp_path / name, SMALL))).digest for name, write in MAKES.items()}
    assert len(digests) == 1
