import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pytest
from hit_lists import hits_of
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from benchbench.client.search import BatchResult
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.runs.journal import Journal, write_whole
from benchbench.tables.hashing import content_digest, id_hashes
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Vocabulary

NAMES = st.sampled_from(
    ["first", "count", "codes", "texts", "label", "label first", "", "a b", "价格", "x\ny"]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SETS = st.frozensets(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3), min_size=1, max_size=3)
NUMBERS = st.just(math.nan) | st.floats(allow_nan=False, allow_infinity=False)


def label(name: str, kind: Kind = Kind.SET, path: str = "a") -> Label:
    return Label(name, kind, ((path,),), ((path,),))


@st.composite
def schemas(draw: st.DrawFn) -> LabelSchema:
    names = draw(st.lists(NAMES, max_size=4, unique=True))
    return LabelSchema(tuple(label(name, draw(st.sampled_from(Kind))) for name in names))


def coded(sets: frozenset[str] | None, vocabulary: Vocabulary) -> int:
    return MISSING if sets is None else vocabulary.code(list(sets))


def meant(column: list[Any], kind: Kind, vocabulary: Vocabulary) -> list[Any]:
    """Return what codes stand for, whatever vocabulary they are of, and the bits of numbers."""
    if kind is Kind.NUMBER:
        return ["nan" if math.isnan(number) else number.hex() for number in column]
    sets = vocabulary.sets()
    return [None if code == MISSING else sets[code] for code in column]


@st.composite
def batches(draw: st.DrawFn, schema: LabelSchema, vocabulary: Vocabulary) -> list[BatchResult]:
    made, first = [], 0
    for _ in range(draw(st.integers(1, 4))):
        counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
        n = sum(counts)

        def column(values: st.SearchStrategy, n: int = n) -> list:
            return draw(st.lists(values, min_size=n, max_size=n))

        ids = column(st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5))
        hits = hits_of(
            counts=counts,
            ids=ids,
            id_hashes=id_hashes(ids).tolist(),
            text_hashes=column(st.integers(0, 2**64 - 1)),
            score=column(st.floats()),
            labels=[
                np.array(
                    column(NUMBERS)
                    if one.kind is Kind.NUMBER
                    else [coded(sets, vocabulary) for sets in column(st.none() | SETS.map(spaceless).filter(bool))],
                    one.kind.type,
                )
                for one in schema.labels
            ]
            if draw(st.booleans())
            else [],
            faults=draw(st.dictionaries(st.sampled_from(["dropped_hits", "without_text"]), st.integers(1, 9))),
        )
        attempts = tuple(
            Attempt(
                1.5, draw(st.just(math.nan) | st.floats(0, 9)), 2.5, 7, draw(st.sampled_from([None, 200, 503])), why
            )
            for why in draw(st.lists(st.none() | st.just("HTTP 503"), max_size=3))
        )
        made.append(BatchResult(first, len(counts), 0.25, hits, attempts, draw(st.none() | st.just("HTTP 503: busy"))))
        first += len(counts)
    return made


def spaceless(texts: frozenset[str]) -> frozenset[str]:
    return frozenset(text for text in texts if text == text.strip() != "")


def shown(batches: list[BatchResult], schema: LabelSchema, vocabulary: Vocabulary) -> str:
    """Return all that is in batches; NaN, which equals nothing, as its name, floats whole, and sets of codes sorted."""
    kinds = [one.kind for one in schema.labels]
    return repr(
        [
            (
                structs.replace(one, hits=replace(one.hits, labels=[])),
                [np.float64(score).tobytes() for score in map(float, one.hits.score)],
                [
                    [
                        sorted(value) if isinstance(value, frozenset) else value
                        for value in meant(column, kind, vocabulary)
                    ]
                    for column, kind in zip(one.hits.labels, kinds, strict=bool(one.hits.labels))
                ],
                [column.dtype for column in one.hits.labels],
            )
            for one in batches
        ]
    ).replace("-nan", "nan")


@pytest.mark.parametrize(
    ("counts", "failure", "is_worth_keeping"),
    [([0, 1], None, True), ([0, 0], None, False), ([0, 0], "HTTP 401", False)],
)
def test_what_is_worth_keeping_has_a_hit(
    tmp_path: Path, counts: list[int], failure: str | None, is_worth_keeping: bool
):
    n = sum(counts)
    hits = hits_of(counts=counts, ids=["d"] * n, id_hashes=[1] * n, text_hashes=[2] * n, score=[1.0] * n)
    journal = Journal(tmp_path / "received")
    journal.begin({})
    assert not journal.received()
    journal.keep([BatchResult(0, 2, 0.0, hits, (), failure), BatchResult(2, 1, 0.0, Hits.none(1), (), "HTTP 500")])
    assert (journal.received(), journal.has_grown) == (is_worth_keeping, is_worth_keeping)
    assert Journal(tmp_path / "received").received() == is_worth_keeping
    (tmp_path / "received" / "0-1-x.parquet").write_bytes(b"half")
    assert journal.received()  # what is damaged may have had one


@given(st.data())
def test_what_is_kept_comes_back_to_the_bit_and_means_the_same_in_another_process(
    tmp_path_factory, data: st.DataObject
):
    schema, vocabulary = data.draw(schemas()), Vocabulary()
    made = data.draw(batches(schema, vocabulary))
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder / "received")
    assert list(journal.begin({"a": 1}, schema=schema, vocabulary=vocabulary)) == []
    several = data.draw(st.integers(1, 4))
    for n in range(0, len(made), several):
        journal.keep(made[n : n + several])
    other = Vocabulary()
    other.codes(data.draw(st.lists(SETS.map(list))))
    parts = Journal(folder / "received").begin({"a": 1}, schema=schema, vocabulary=other)
    assert [part.first for part in parts] == [batch.first for batch in made[::several]]
    if several == 1:
        assert [part.seconds for part in parts] == [2.5 if batch.attempts else 0.0 for batch in made]
    again = [batch for part in parts for batch in part.read()]
    assert shown(again, schema, other) == shown(made, schema, vocabulary)


BRANDS = LabelSchema((label("brand"), label("price", Kind.NUMBER)))


def brands(first: int, vocabulary: Vocabulary, *sets: list[str] | None) -> BatchResult:
    """Return what became of a query, whose hits have such brands."""
    n = len(sets)
    labels = [vocabulary.codes(list(sets)), [math.nan, *map(float, range(1, n))]]
    hits = hits_of([n], ["a"] * n, id_hashes(["a"] * n).tolist(), [0] * n, [1.0] * n, labels)
    return BatchResult(first, 1, 0.0, hits, (), None)


def test_codes_of_batches_that_are_stored_again_without_those_that_failed_mean_the_same(tmp_path: Path):
    writer, reader = Vocabulary(), Vocabulary()
    journal = Journal(tmp_path / "received")
    journal.begin({}, schema=BRANDS, vocabulary=writer)
    failed = structs.replace(brands(1, writer), hits=Hits.none(1), failure="HTTP 503")
    journal.keep([brands(0, writer, ["a"]), failed, brands(2, writer, ["b"], ["a"])])
    journal.copy(tmp_path / "copy")
    reader.code(["z"])
    parts = Journal(tmp_path / "copy").begin({}, schema=BRANDS, vocabulary=reader)
    codes = [batch.hits.labels[0] for part in parts for batch in part.read()]
    assert [[set(reader.sets()[code]) for code in column] for column in codes] == [[{"a"}], [{"b"}, {"a"}]]


def test_a_file_has_its_columns_by_the_names_of_the_labels(tmp_path: Path):
    schema, vocabulary = LabelSchema((label("first"), label("count", Kind.NUMBER))), Vocabulary()
    journal = Journal(tmp_path / "received")
    journal.begin({}, schema=schema, vocabulary=vocabulary)
    journal.keep([brands(7, vocabulary, ["b", "a"])])
    (path,) = (tmp_path / "received").glob("*.parquet")
    (row,) = pl.read_parquet(path).iter_rows(named=True)
    assert (row["first"], row["count"]) == (7, 1)
    assert (row["label first"], row["codes"], row["sizes"], row["texts"]) == ([0], [0], [2], ["a", "b"])
    assert str(row["label count"]) == "[nan]"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (LabelSchema(), r'brand \{.*\["a"\].*\}, and this is nothing'),
        (LabelSchema((label("brand", path="b"), label("price", Kind.NUMBER))), 'and this is .*"b"'),
        (LabelSchema((label("brand", Kind.NUMBER), label("price", Kind.NUMBER))), 'and this is .*"number"'),
        (LabelSchema((*BRANDS.labels, label("x"))), "x nothing, and this is {"),
    ],
)
def test_other_labels_are_refused_with_what_differs(tmp_path: Path, schema: LabelSchema, said: str):
    Journal(tmp_path / "received").begin({}, schema=BRANDS)
    with pytest.raises(InputError, match=f"was begun with label .*{said}"):
        Journal(tmp_path / "received").begin({}, schema=schema)


def test_labels_may_come_in_another_order(tmp_path: Path):
    journal, vocabulary = Journal(tmp_path / "received"), Vocabulary()
    journal.begin({}, schema=BRANDS, vocabulary=vocabulary)
    journal.keep([brands(0, vocabulary, ["a"], ["b"])])
    turned = LabelSchema(BRANDS.labels[::-1])
    (part,) = Journal(tmp_path / "received").begin({}, schema=turned, vocabulary=vocabulary)
    (batch,) = part.read()
    assert str([column.tolist() for column in batch.hits.labels]) == "[[nan, 1.0], [0, 1]]"


@pytest.mark.parametrize("terms", [{"--top-k": 20}, {"--top-k": 20, "the layout of stored answers": 1}, {}])
def test_a_journal_of_another_layout_is_refused_in_one_sentence(tmp_path: Path, terms: dict[str, Any]):
    folder = tmp_path / "received"
    folder.mkdir()
    checksum = content_digest(orjson.dumps(terms, option=orjson.OPT_SORT_KEYS)).hexdigest()
    (folder / "terms.json").write_bytes(orjson.dumps({"checksum": checksum, "terms": terms}))
    (folder / f"{0:012}-{2:012}-{checksum[:32]}.parquet").write_bytes(b"what another version has written")
    with pytest.raises(InputError) as refused:
        Journal(folder).begin({"--top-k": 20}, schema=BRANDS)
    assert str(refused.value) == (
        f"--resume: {tmp_path} has answers stored by another version of benchbench; continue with "
        "that version, or name another --out"
    )
    assert len(list(folder.iterdir())) == 2, "nothing of it is touched"


def test_other_terms_are_refused_with_what_differs(tmp_path: Path):
    Journal(tmp_path / "received").begin({"--top-k": 20, "-k": [3, 5]})
    for resume_conditions, said in (
        ({"--top-k": 30, "-k": [3, 5]}, "--top-k 20, and this is 30"),
        ({"--top-k": 20}, r"-k \[3,5\]"),
    ):
        with pytest.raises(InputError, match=f"was begun with {said}"):
            Journal(tmp_path / "received").begin(resume_conditions)


def answered(first: int, failure: str | None = None) -> BatchResult:
    """Return what became of two queries."""
    return BatchResult(first, 2, 0.0, Hits.none(2), (Attempt(0.0, 0.5, 1.0 + first, 7, 200, failure),), failure)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Return the folder of a journal of queries 0 to 6 in three files."""
    journal = Journal(tmp_path / "received")
    journal.begin({"--top-k": 20})
    for first in (0, 2, 4):
        journal.keep([answered(first)])
    return tmp_path / "received"


def spans(
    folder: Path, said: list[str] | None = None, resume_conditions: dict[str, object] | None = None
) -> list[tuple[int, int]]:
    """Return which queries a journal has."""
    parts = Journal(folder).begin(resume_conditions or {"--top-k": 20}, (said if said is not None else []).append)
    return [(part.first, part.end) for part in parts]


def test_a_file_that_is_gone_leaves_a_gap(three: Path):
    sorted(three.glob("*.parquet"))[1].unlink()
    said: list[str] = []
    assert (spans(three, said), said) == ([(0, 2), (4, 6)], [])


@given(st.data())
def test_a_changed_byte_anywhere_is_noticed_and_its_file_named(tmp_path_factory, data: st.DataObject):
    folder = tmp_path_factory.mktemp("journal") / "received"
    journal = Journal(folder)
    journal.begin({})
    journal.keep([answered(0)])
    (path,) = folder.glob("*.parquet")
    content = bytearray(path.read_bytes())
    cut = data.draw(st.booleans())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content[:place] if cut else content)
    said: list[str] = []
    assert Journal(folder).begin({}, said.append) == []
    assert said == [f"{path} is damaged, or was received with other options: its queries are asked again"]
    assert [one.name for one in folder.glob("*.damaged")] == [path.with_suffix(".damaged").name]


@pytest.mark.parametrize("name", ["000000000001-000000000003", "000000000000-000000000004", "zzz", "١٢"])
def test_a_copy_under_another_name_counts_as_damaged(three: Path, name: str):
    path = min(three.glob("*.parquet"))
    digest = path.stem.rpartition("-")[2]
    path.with_name(f"{name}-{digest}.parquet").write_bytes(path.read_bytes())
    said: list[str] = []
    assert spans(three, said) == [(0, 2), (2, 4), (4, 6)]
    assert len(said) == 1


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b"null", b'{"terms": {"--top-k": 30}, "checksum": "0"}', b"\xff"]
)
def test_damaged_terms_are_told_by_the_files_that_were_received_under_them(three: Path, content: bytes):
    (three / "terms.json").write_bytes(content)
    said: list[str] = []
    assert spans(three, said) == [(0, 2), (2, 4), (4, 6)]
    assert [f"{three / 'terms.json'} is damaged" in sentence for sentence in said] == [True]
    assert spans(three, said) == [(0, 2), (2, 4), (4, 6)]
    assert len(said) == 1  # the terms were written again


def test_damaged_terms_beside_files_of_other_terms_are_refused(three: Path):
    (three / "terms.json").write_bytes(b"")
    with pytest.raises(InputError, match=r"terms\.json is damaged, and no file beside it was received with these opt"):
        spans(three, resume_conditions={"--top-k": 30})


def test_a_file_of_other_terms_is_not_taken_for_this_run(three: Path, tmp_path: Path):
    other = Journal(tmp_path / "other")
    other.begin({"--top-k": 30})
    other.keep([answered(6)])
    (path,) = (tmp_path / "other").glob("*.parquet")
    (three / path.name).write_bytes(path.read_bytes())
    assert spans(three) == [(0, 2), (2, 4), (4, 6)]


def test_the_batches_that_failed_are_not_in_a_copy_and_are_counted_by_reason(tmp_path: Path):
    journal = Journal(tmp_path / "received")
    journal.begin({})
    journal.keep([answered(0), answered(2, "HTTP 503"), answered(4), answered(6, "HTTP 500")])
    journal.keep([answered(8, "HTTP 503")])
    journal.copy(tmp_path / "copy")  # by a process that may end before it begins
    again = Journal(tmp_path / "copy")
    assert [(part.first, part.end) for part in again.begin({})] == [(0, 2), (4, 6)]
    assert (again.asked_again, again.has_grown) == ({"HTTP 503": 4, "HTTP 500": 2}, False)
    again.keep([answered(8, "HTTP 503")])
    later = Journal(tmp_path / "copy")
    assert [(part.first, part.end) for part in later.begin({})] == [(0, 2), (4, 6), (8, 10)]
    assert later.asked_again == again.asked_again
    assert [part.end for part in Journal(tmp_path / "received").begin({})] == [8, 10], "what was copied is as it was"


def test_a_kill_while_failed_batches_are_forgotten_costs_no_count(tmp_path: Path, monkeypatch):
    journal = Journal(tmp_path / "received")
    journal.begin({})
    journal.keep([answered(0), answered(2, "HTTP 503")])
    journal.keep([answered(4, "HTTP 503")])
    journal.copy(tmp_path / "copy")
    killed = Journal(tmp_path / "copy")
    monkeypatch.setattr(Path, "unlink", lambda path: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        killed.begin({})
    monkeypatch.undo()
    again = Journal(tmp_path / "copy")
    assert [(part.first, part.end) for part in again.begin({})] == [(0, 2)]
    assert again.asked_again == {"HTTP 503": 4}
    assert [(part.first, part.end) for part in again.begin({})] == [(0, 2)]


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"a": "b"}', b'{"a": -1}', b'{"a": true}'])
def test_a_damaged_count_of_what_was_asked_again_is_none(tmp_path: Path, content: bytes):
    journal = Journal(tmp_path / "received")
    journal.begin({})
    (tmp_path / "received" / "asked_again.json").write_bytes(content)
    journal.begin({})
    assert journal.asked_again == {}


def test_half_a_copy_has_not_begun(three: Path, tmp_path: Path):
    Journal(three).copy(tmp_path / "copy")
    assert spans(tmp_path / "copy") == [(0, 2), (2, 4), (4, 6)]
    (tmp_path / "copy" / "terms.json").unlink()
    assert not Journal(tmp_path / "copy").begun()


def test_a_file_is_replaced_whole(tmp_path: Path):
    for content in (b"one", b"two"):
        write_whole(tmp_path / "file", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"two")]
