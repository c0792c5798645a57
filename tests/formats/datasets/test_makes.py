"""The same data in every make are the same queries, judgments and documents."""

import tempfile
from pathlib import Path

import makes
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from makes import MAKES, SMALL, Invented

from benchbench.errors import InputError
from benchbench.formats.collection import documents
from benchbench.formats.datasets.locate import locate, served_part, stored_data_set
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


@pytest.mark.parametrize("make", MAKES)
def test_a_result_finds_its_data_set_again_by_the_options_that_it_has(make: str, tmp_path: Path) -> None:
    given = MAKES[make](tmp_path, SMALL)
    for options in (given, {name: one for name, one in given.items() if name != "collection"}):
        data = locate(**options)
        stored = orjson.loads(orjson.dumps(data.shown(), default=str))
        again = stored_data_set(stored)
        assert (again.make, again.queries, again.qrels, again.collection) == (
            data.make,
            data.queries,
            data.qrels,
            data.collection,
        )


@pytest.mark.parametrize("make", MAKES)
def test_what_is_served_is_the_collection_by_the_arguments_of_the_service(make: str, tmp_path: Path) -> None:
    data = locate(**MAKES[make](tmp_path, SMALL))
    first, *others = data.serving()
    if first.startswith("--"):
        named = dict(one.removeprefix("--").split("=", 1) for one in (first, *others))
        part = locate(named.pop("dataset"), **named).served()
    else:
        part = served_part(first)
    assert part == data.served()


def test_a_collection_is_served_by_its_file_its_folder_or_the_data_set(tmp_path: Path) -> None:
    MAKES["parquet, as MTEB"](tmp_path / "mteb", SMALL)
    described = MAKES["described, TSV"](tmp_path / "described", SMALL)["name"]
    for name, path in (
        (tmp_path / "mteb", tmp_path / "mteb" / "corpus"),
        (tmp_path / "mteb" / "corpus", tmp_path / "mteb" / "corpus"),
        (described, described / "shop.tsv"),
        (described / "dataset.toml", described / "shop.tsv"),
        (described / "shop.tsv", described / "shop.tsv"),
    ):
        assert served_part(str(name)).path == path
    with pytest.raises(InputError, match="nowhere does not exist"):
        served_part(str(tmp_path / "nowhere"))


def test_a_file_whose_name_begins_with_a_dash_is_no_option_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    MAKES["beir"](Path("-x"), SMALL)
    assert locate("-x").serving() == ["./-x/corpus.jsonl"]
