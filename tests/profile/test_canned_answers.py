"""The fixed answers, and queries for them."""

from pathlib import Path

import data_sets
import numpy as np
import orjson
import pytest

from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile.canned_answers import answers, repeated
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash
from benchbench.tables.labels import Kind, Label, LabelSchema, Spans

LABELS = LabelSchema(
    (
        Label("brand", Kind.SET, (("meta", "brand"),), (("meta", "brand"),)),
        Label("price", Kind.NUMBER, (("meta", "price"),), (("meta", "price"),)),
        Label("file", Kind.SET, (), (("meta", "file"),)),
    ),
    (Spans("places", (("meta", "places"),), "file"),),
)
DOCUMENTS = Collection(["a", "b", "c"], ["A", "B", "C"], [{"n": 1}, {"n": 2}, {"n": 3}])


def test_each_query_has_its_list_and_each_hit_is_a_document():
    each = {name: orjson.loads(body)["results"] for name, body in answers(DOCUMENTS, 4, 5).items()}
    for lists in each.values():
        assert [len(hits) for hits in lists] == [5] * 4
    heavy, lean, ours = each.values()
    assert {(hit["id"], hit["text"], hit["meta"]["n"]) for hits in heavy for hit in hits} == {
        ("a", "A", 1),
        ("b", "B", 2),
        ("c", "C", 3),
    }
    assert {tuple(hit) for hits in lean for hit in hits} == {("id", "score")}
    assert {tuple(hit) for hits in ours for hit in hits} == {("id", "score", "text_hash", "meta")}
    assert {hit["text_hash"] for hits in ours for hit in hits} == {f"{text_hash(text):016x}" for text in "ABC"}
    assert [hit["score"] for hit in lean[0]] == sorted((hit["score"] for hit in lean[0]), reverse=True)


@pytest.mark.parametrize("size", [1, 200, 333])
def test_repeated_queries_are_the_same_ones_in_turn(size: int):
    queries = read_tiered(locate("synthetic-cases").queries.path)
    more = repeated(queries, size)
    assert len(more) == len(more.texts) == len(more.id) == len(more.positives.offsets) - 1 == size
    for q in {0, size // 2, size - 1}:
        there = q % len(queries)
        assert (more.ids[q], more.texts[q], more.text[q]) == (
            queries.ids[there],
            queries.texts[there],
            queries.text[there],
        )
        assert list(more.compared_prefixes([q])) == list(queries.compared_prefixes([there]))
        here, of = (slice(*one.positives.offsets[p : p + 2]) for one, p in ((more, q), (queries, there)))
        assert more.positives.ids[here] == queries.positives.ids[of]
        assert more.positives.grade[here].tolist() == queries.positives.grade[of].tolist()


def test_repeated_queries_keep_their_labels_and_spans(tmp_path: Path):
    metas = [
        {
            "brand": "Acme",
            "price": 3,
            "places": [{"file": "a", "start": 0, "end": 9}, {"file": "b", "start": 4, "end": 5}],
        },
        {"brand": ["Acme", "Other"]},
        {"price": 4.5, "places": [{"file": "b", "start": 1, "end": 2}]},
    ]
    lines = [
        {
            "query_id": n,
            "query": {"fact": f"query {n}", "meta": meta},
            "positives": [{"fact_id": f"d{d}", "fact": f"document {d}"} for d in range(n)],
        }
        for n, meta in enumerate(metas)
    ]
    queries = read_tiered(data_sets.write_lines(tmp_path / "tiered.jsonl", lines), schema=LABELS)
    more = repeated(queries, 7)
    for q in range(7):
        here, there = (one.columns_at(np.array([n])) for one, n in ((more, q), (queries, q % 3)))
        for mine, its in zip(here, there, strict=True):
            np.testing.assert_array_equal(mine, its)
