"""The fixed answers, and queries for them."""

import orjson
import pytest

from benchbench.formats.card import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile.canned_answers import answers, repeated
from benchbench.tables.collection import Collection

DOCUMENTS = Collection(["a", "b", "c"], ["A", "B", "C"], [{"n": 1}, {"n": 2}, {"n": 3}])


def test_each_query_has_its_list_and_each_hit_is_a_document():
    both = {name: orjson.loads(body)["results"] for name, body in answers(DOCUMENTS, 4, 5).items()}
    for lists in both.values():
        assert [len(hits) for hits in lists] == [5] * 4
    heavy, lean = both.values()
    assert {(hit["id"], hit["text"], hit["meta"]["n"]) for hits in heavy for hit in hits} == {
        ("a", "A", 1),
        ("b", "B", 2),
        ("c", "C", 3),
    }
    assert {tuple(hit) for hits in lean for hit in hits} == {("id", "score")}
    assert [hit["score"] for hit in lean[0]] == sorted((hit["score"] for hit in lean[0]), reverse=True)


@pytest.mark.parametrize("size", [1, 200, 333])
def test_repeated_queries_are_the_same_ones_in_turn(size: int):
    queries = read_tiered(locate("synthetic-cases").queries)
    more = repeated(queries, size)
    assert len(more) == len(more.texts) == len(more.id) == len(more.positives.offsets) - 1 == size
    for q in {0, size // 2, size - 1}:
        there = q % len(queries)
        assert (more.ids[q], more.texts[q], more.text[q]) == (
            queries.ids[there],
            queries.texts[there],
            queries.text[there],
        )
        assert more.compared_prefixes_of(q) == queries.compared_prefixes_of(there)
        here, of = (slice(*one.positives.offsets[p : p + 2]) for one, p in ((more, q), (queries, there)))
        assert more.positives.ids[here] == queries.positives.ids[of]
        assert more.positives.gain[here].tolist() == queries.positives.gain[of].tolist()
