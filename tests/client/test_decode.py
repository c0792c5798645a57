import json
import math
from itertools import product

import naive_labels
import pytest
from cases import check_rows
from hit_lists import assert_same
from hypothesis import given
from hypothesis import strategies as st
from legal_labels import SCHEMA
from msgspec import structs

from benchbench.client import decode as decode_module
from benchbench.client.decode import decode, decode_objects
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import MEMBERS, ProtocolError, ResponseLayout
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile.canned_answers import answers
from benchbench.tables.hashing import NO_HASH, OTHER_TEXT, id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, NO_LABELS, Kind, Label, LabelSchema, Vocabulary


def decoded(
    value: object,
    labels: Vocabulary | None = None,
    queries: int = 1,
    described: ResponseLayout | None = None,
    top_k: int | None = None,
    schema: LabelSchema = SCHEMA,
) -> Hits:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return decode(body, [()] * queries, Vocabulary() if labels is None else labels, schema, described, top_k)


def one(**hit: object) -> Hits:
    return decoded([[hit]])


def column(hits: Hits, name: str) -> list[int] | list[float]:
    return hits.labels[[label.name for label in SCHEMA.labels].index(name)].tolist()


# The shape of the whole


@pytest.mark.parametrize("wrap", [lambda lists: lists, lambda lists: {"took": 3, "results": lists}])
def test_a_bare_list_of_lists_and_a_member_results_say_the_same(wrap):
    hits = decoded(wrap([[{"id": "a"}, {"id": "b"}], [], [{"id": "c"}]]), queries=3)
    assert hits.counts.tolist() == [2, 0, 1]
    assert hits.ids == ["a", "b", "c"]


SHAPES = [{}, {"results": None}, {"hits": [[]]}, [{}], [[], None], "a", 3, None, {"results": {}}]
BODIES = [b"", b"<html>", b'[[{"id": "a"', b"\xff\xfe\x00", b"[" * 100_000, b"\xd6\xd0\xce\xc4"]


@pytest.mark.parametrize(
    ("value", "queries", "reason"),
    [
        *((value, 1, "neither a list of lists nor") for value in SHAPES),
        *((lists, 2, f"{len(lists)} result lists for 2 queries") for lists in ([], [[]], [[], [], []])),
        *((body, 1, "^the body is not JSON: it starts with '") for body in BODIES),
    ],
)
def test_another_shape_another_number_of_lists_and_what_is_no_json_are_protocol_errors(
    value: object, queries: int, reason: str
):
    with pytest.raises(ProtocolError, match=reason):
        decoded(value, queries=queries)


def test_lists_without_a_hit_are_an_answer():
    assert_same(decoded([[], []], queries=2), Hits.none(2))


# Names and types of one hit's members


@pytest.mark.parametrize("name", ["id", "fact_id", "doc_id", "_id"])
@pytest.mark.parametrize("value", ["7", 7])
def test_an_id_is_found_under_each_of_its_names_as_number_or_string(name: str, value: object):
    hits = one(**{name: value})
    assert (hits.ids, hits.id.tolist()) == (["7"], [id_hash("7")])


@pytest.mark.parametrize("name", ["text", "fact", "content", "sentence", "passage"])
def test_a_text_is_found_under_each_of_its_names(name: str):
    hits = one(**{name: "  甲乙丙\r\n"})
    assert (hits.text.tolist(), hits.ids, hits.id.tolist()) == ([text_hash("甲乙丙")], [None], [NO_HASH])


def test_hits_of_one_answer_may_name_their_members_differently():
    hits = decoded([[{"id": "a", "text": "甲"}, {"doc_id": 2, "fact": "乙"}, {"_id": "c", "content": "丙"}]])
    assert hits.ids == ["a", "2", "c"]
    assert hits.text.tolist() == [text_hash("甲"), text_hash("乙"), text_hash("丙")]
    both = b'[[{"id": null, "_id": "a"}, {"id": "b", "_id": "c"}]]'
    assert decode_objects(both, [()], Vocabulary(), SCHEMA).ids == ["a", "b"]


def test_a_hash_that_the_service_sends_is_taken_as_it_is_and_a_long_text_that_nobody_looks_for_is_not_hashed():
    assert one(id="a", text_hash=f"{text_hash('甲'):016X}").text.tolist() == [text_hash("甲")]
    assert one(id="a", text_hash=f"{1:016x}").text.tolist() == [3], "what is reserved is written as another"
    assert one(text="x" * 41).text.tolist() == [OTHER_TEXT]


@pytest.mark.parametrize(
    "digest", ["", 12, "f" * 15, "f" * 17, "g" * 16, "１" * 16, "+123456789abcdef", "1234567_89abcdef"]
)
def test_a_hash_that_is_not_sixteen_hexadecimal_digits_counts_as_missing(digest: object):
    hits = one(id="a", text_hash=digest)
    assert (hits.text.tolist(), hits.faults["without_text"]) == ([NO_HASH], 1)


@pytest.mark.parametrize("place", [lambda labels: labels, lambda labels: {"meta": labels}])
@pytest.mark.parametrize("articles", ["relevant_articles", "articles"])
@pytest.mark.parametrize("months", ["imprisonment", "term_of_imprisonment"])
def test_labels_stand_in_meta_or_at_the_top_level(place, articles: str, months: str):
    labels = Vocabulary()
    hits = decoded(
        [[{"id": "a", **place({"accusation": ["盗窃"], articles: [264], months: {"imprisonment": 8}})}]], labels
    )
    assert column(hits, "accusation") == [labels.code("盗窃")]
    assert column(hits, "relevant_articles") == [labels.code("264")]
    assert column(hits, "imprisonment") == [8.0]
    assert column(hits, "death_penalty") == column(hits, "life_imprisonment") == [MISSING]


@pytest.mark.parametrize(
    ("hits", "label", "values"),
    [
        # some stand in meta, and others at the top
        ([{"accusation": ["盗窃"]}, {"meta": {"accusation": ["盗窃"]}}, {}], "accusation", [0, 0, MISSING]),
        ([{"articles": [341]}, {"articles": ["341"]}, {"articles": 341}], "relevant_articles", [0, 0, 0]),
        ([{"articles": [1, 2]}, {"articles": ["2", "1"]}, {"articles": [1]}], "relevant_articles", [0, 0, 1]),
        ([{"accusation": "[走私]毒品"}, {"accusation": "走私毒品"}], "accusation", [0, 0]),
        (
            [{"term_of_imprisonment": months} for months in (8, "8", 8.0, {"imprisonment": 8})],
            "imprisonment",
            [8.0] * 4,
        ),
        ([{"imprisonment": -1}, {"imprisonment": 2.5}], "imprisonment", [-1.0, 2.5]),
        ([{"imprisonment": {"imprisonment": 5, "death_penalty": True}}], "imprisonment", [5.0]),
        ([{"imprisonment": {"imprisonment": 5, "death_penalty": True}}], "death_penalty", [0]),
        ([{"imprisonment": {"death_penalty": True, "life_imprisonment": False}}], "life_imprisonment", [MISSING]),
    ],
)
def test_equal_labels_have_one_code_however_they_are_written(hits: list[dict], label: str, values: list[float]):
    found = decoded([[{"id": "a", **hit} for hit in hits]])
    assert column(found, label) == values
    assert found.faults == {"missing_scores": len(hits), "without_text": len(hits)}


def test_without_a_schema_no_label_is_read():
    hits = decoded([[{"id": "a", "meta": {"accusation": ["盗窃"]}}]], schema=NO_LABELS)
    assert (hits.labels, hits.columns(NO_LABELS).codes.shape) == ([], (0, 1))


# What happens to one bad hit


@pytest.mark.parametrize("hit", [None, 3, "a", [], {}, {"score": 1.0}, {"id": None, "text": ""}, {"meta": {"id": "a"}}])
def test_a_hit_that_is_no_object_or_names_nothing_is_dropped_and_counted(hit: object):
    hits = decoded([[{"id": "a"}, hit, {"id": "b"}]])
    assert (hits.ids, hits.counts.tolist(), hits.faults["dropped_hits"]) == (["a", "b"], [2], 1)


@pytest.mark.parametrize("identity", [True, 1.5, [], {}, ""])
def test_an_id_of_a_wrong_type_and_an_empty_one_count_as_missing(identity: object):
    hits = one(id=identity, text="甲", score=1.0)
    assert (hits.ids, hits.id.tolist(), hits.faults) == ([None], [NO_HASH], {"malformed_ids": 1})


@pytest.mark.parametrize("score", ["null", '"3"', "true", "[1.0]", "NaN"])
def test_a_score_that_is_missing_or_no_number_is_nan_and_counted_and_nothing_else_is_lost(score: str):
    hits = decoded(f'[[{{"id": "a", "score": {score}, "text": "a"}}, {{"id": "b", "score": 2, "text": "b"}}]]'.encode())
    assert math.isnan(hits.score[0])
    assert (hits.ids, hits.score[1], hits.faults) == (["a", "b"], 2.0, {"missing_scores": 1})


def test_a_number_beyond_all_floats_does_not_fail_the_batch():
    hits = decoded(b'[[{"id": 1' + b"0" * 400 + b', "text": "a", "score": -1' + b"0" * 400 + b"}]]")
    assert (hits.ids, hits.score.tolist(), hits.faults) == (["1" + "0" * 400], [-math.inf], {})


def test_half_a_surrogate_pair_in_a_text_does_not_fail_the_batch_and_as_an_id_it_is_none():
    hits = decoded(
        rb'[[{"id": "\ud800", "text": "a\udfff", "meta": {"accusation": ["\ud801"]}}, {"id": "b", "text": "b"}, '
        rb'{"id": "d\ud800"}]]'
    )
    assert (hits.ids, hits.id[0]) == ([None, "b"], NO_HASH)
    assert hits.text.tolist() == [text_hash("a?"), text_hash("b")]
    assert hits.faults == {"malformed_ids": 1, "dropped_hits": 1, "missing_scores": 2}


# Hits of which none can be used, and more of them than asked for


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ([[{"docno": "a", "rel_score": 1.0}], [{"docno": "b", "rank": 2}]], "the keys 'docno, rel_score, rank'"),
        ([[{"id": None, "text": "", "score": 1.0}], []], "the keys 'id, text, score'"),
        ([[{"id": [1]}, {"id": True}], [{}]], "the keys 'id'"),
        ([["a", "b"], []], "hits are not JSON objects; .* for example '\"a\"'"),
    ],
)
def test_an_answer_of_whose_hits_none_can_be_used_is_a_protocol_error_that_says_what_maps_them(lists, said: str):
    with pytest.raises(ProtocolError, match=said.replace("the keys", "they have the keys")) as caught:
        decoded(lists, queries=2)
    assert str(caught.value).startswith("no hit can be used: ")
    assert "--protocol FILE says where ids and texts are" in str(caught.value)


def test_keys_are_those_that_the_service_sends_and_not_those_of_the_description():
    described = ResponseLayout(FieldPath("h"), FieldPath("r"), {"id": FieldPath("docid")})
    with pytest.raises(ProtocolError, match="they have the keys 'docno, body'"):
        decoded({"r": [{"h": [{"docno": 1, "body": "a"}]}]}, described=described)


def test_one_hit_that_can_be_used_is_an_answer():
    hits = decoded([[{"docno": "a"}], [{"id": "b"}]], queries=2)
    assert (hits.counts.tolist(), hits.ids, hits.faults["dropped_hits"]) == ([0, 1], ["b"], 1)


@pytest.mark.parametrize("described", [None, ResponseLayout(FieldPath("@"), FieldPath("@"), {"id": FieldPath("id")})])
def test_hits_beyond_those_that_were_asked_for_are_cut_and_counted(described: ResponseLayout | None):
    lists = [[{"id": f"{q}.{n}", "score": 1.0, "text": "a"} for n in range(size)] for q, size in enumerate((5, 2, 3))]
    hits = decoded(lists, queries=3, described=described, top_k=2)
    assert (hits.ids, hits.counts.tolist()) == (["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"], [2, 2, 2])
    assert hits.faults == {"beyond_top_k": 4}
    assert decoded(lists, queries=3, described=described, top_k=5).faults == {}


def test_labels_stay_with_their_hits_when_others_are_cut():
    lists = [
        [{"id": f"{q}.{n}", "meta": {"articles": [10 * q + n]}, "text": "x" * 5000} for n in range(5)] for q in range(9)
    ]
    labels, whole = Vocabulary(), Vocabulary()
    hits = decoded(lists, labels, 9, top_k=2)
    alone = decoded([one[:2] for one in lists], whole, 9)
    assert (hits.ids, hits.text.tolist()) == (alone.ids, alone.text.tolist())
    codes, expected = column(hits, "relevant_articles"), column(alone, "relevant_articles")
    assert [labels.sets()[int(code)] for code in codes] == [whole.sets()[int(code)] for code in expected]


@pytest.mark.parametrize("piece", [b"{},", b"[],", b'{"a":1},', b"0,", b'[{"":[]}],'])
def test_a_body_of_which_too_many_objects_would_be_made_is_refused_before_they_are(monkeypatch, piece: bytes):
    monkeypatch.setattr(decode_module, "_LARGE", 1 << 12)
    monkeypatch.setattr(decode_module, "_ROOM", 1 << 20)
    with pytest.raises(ProtocolError, match=r"may fill [1-9] MiB of memory, more than the 1 MiB that an answer may"):
        decoded(b'{"results": [[' + piece * ((1 << 20) // 72) + b"{}]]}")
    assert decoded(b'[[{"id": "a", "text": "' + b"b" * (1 << 21) + b'"}]]').ids == ["a"]


def test_a_label_of_a_wrong_type_counts_as_missing():
    def check(label: str, member: str, value: object) -> None:
        for labels in ({member: value}, {"meta": {member: value}}):
            hits = decoded([[{"id": "a", "text": "a", "score": 1, **labels}]])
            found = column(hits, label)
            assert hits.faults == {f"malformed_{label}": 1}
            assert math.isnan(found[0]) if label == "imprisonment" else found == [MISSING]

    check_rows(
        check,
        [
            ("accusation", "accusation", {"a": 1}),
            ("accusation", "accusation", [["a"]]),
            ("relevant_articles", "articles", [None]),
            ("imprisonment", "imprisonment", "long"),
            ("imprisonment", "imprisonment", True),
            ("imprisonment", "imprisonment", {"imprisonment": [2]}),
            ("imprisonment", "imprisonment", {"imprisonment": {}}),
            ("death_penalty", "imprisonment", {"death_penalty": {}}),
        ],
    )


def test_a_label_that_a_hit_does_not_have_is_no_fault():
    hits = one(id="a", text="a", score=1)
    coded = [label.name for label in SCHEMA.coded]
    assert [column(hits, name) for name in coded] == [[MISSING]] * 4
    assert math.isnan(column(hits, "imprisonment")[0])
    assert hits.faults == {}


# Whatever comes

_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]), max_size=8)
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_names = ("id", "_id", "text", "fact", "score", "text_hash", "meta", "accusation", "articles", "imprisonment")
_hit_like = st.fixed_dictionaries({}, optional=dict.fromkeys(_names, _values))
_answers = _values | st.lists(st.lists(_hit_like | _values, max_size=4), max_size=3)


def check_fits(value: object, queries: int, described: ResponseLayout | None = None) -> None:
    """Check that a value decodes to columns of one length, or is a protocol error."""
    try:
        hits = decoded(value, queries=queries, described=described)
    except ProtocolError:
        return
    columns = hits.columns(SCHEMA)
    assert len(hits.counts) == queries
    assert (
        {column.shape[-1] for column in columns[1:]} == {sum(hits.counts)} == {len(hits.ids)} == {columns.offsets[-1]}
    )
    assert all(identity is None or identity.encode() for identity in hits.ids)


@given(_answers | st.fixed_dictionaries({"results": _answers}), st.integers(1, 3))
def test_any_json_value_decodes_to_columns_of_one_length_or_is_a_protocol_error(value: object, queries: int):
    check_fits(value, queries)


@given(st.binary(max_size=60))
def test_any_bytes_decode_or_are_a_protocol_error(body: bytes):
    check_fits(body, 1)


@given(
    st.lists(st.lists(st.fixed_dictionaries({"id": st.text(min_size=1), "score": st.floats()}), max_size=4), min_size=1)
)
def test_hits_keep_their_order_and_their_query(lists: list):
    lists = json.loads(json.dumps(lists))
    hits = decoded({"results": lists}, queries=len(lists))
    assert hits.counts.tolist() == [len(hits) for hits in lists]
    assert hits.ids == [hit["id"] for hits in lists for hit in hits]


# Described answers


def nested(lists: list) -> dict:
    return {"took": 1, "r": [{"h": [{"x": hit} for hit in hits]} for hits in lists]}


BY_NAME = ResponseLayout(FieldPath("h"), FieldPath("r"), {name: FieldPath(f"x.{name}") for name in MEMBERS})
BY_USUAL_NAMES = ResponseLayout(FieldPath("h[*].x"), FieldPath("r"))
BY_EXPRESSION = ResponseLayout(
    FieldPath("h[?x]"),
    FieldPath("r"),
    {"id": FieldPath("x.id || x[0]"), "score": FieldPath("x.score"), "text": FieldPath("join('', x)")},
)

_described_hit = st.fixed_dictionaries({}, optional=dict.fromkeys(MEMBERS, _values))


@given(st.lists(st.lists(_described_hit, max_size=4), min_size=1, max_size=3))
def test_a_described_answer_decodes_as_the_usual_one_with_the_same_hits(lists: list):
    lists[0].append({"id": "one that can be used"})
    usual = decoded(lists, queries=len(lists))
    for described in (BY_NAME, BY_USUAL_NAMES):
        assert_same(decoded(nested(lists), queries=len(lists), described=described), usual)


@given(
    _answers.map(lambda value: nested(value) if _is_lists(value) else value) | st.fixed_dictionaries({"r": _answers}),
    st.integers(1, 3),
    st.sampled_from([BY_NAME, BY_USUAL_NAMES, BY_EXPRESSION]),
)
def test_whatever_is_answered_fits_its_description_or_is_a_protocol_error(
    value: object, queries: int, described: ResponseLayout
):
    check_fits(value, queries, described)


def _is_lists(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, list) for one in value)


def test_half_a_surrogate_pair_in_a_list_is_no_id_either():
    described = ResponseLayout(FieldPath("@"), FieldPath("@"), {"id": FieldPath("@")})
    assert decoded(b'[["\\ud800", "a"]]', described=described).ids == ["a"]


def test_a_large_answer_gives_the_hits_that_it_gives_with_an_object_for_each():
    data = locate("synthetic-cases")
    queries, collection = read_tiered(data.queries.path, schema=SCHEMA), data.collection
    assert collection is not None
    documents = read_collection(collection)
    texts = [queries.texts[q] if q < 9 else documents.texts[q] for q in range(len(documents))]
    texts[20] = texts[0] + "\u0301" + "x" * 500
    texts[21] = "\r\n " + texts[7] * 3
    documents = structs.replace(documents, texts=texts)
    for escaped, dropped in product((False, True), (0, 1)):
        value = json.loads(answers(documents, 32, 20)["texts and labels"])
        for number, hit in enumerate(value["results"][3]):
            if number % 2:
                hit.update(hit.pop("meta"))
        value["results"][4][0]["meta"]["accusation"] = {"text": "x" * 200}
        value["results"][5][0]["meta"] = None
        if dropped:
            value["results"][6][0] = {"meta": {"accusation": ["a hit without id and text"]}}
        if escaped:
            value = {"meta": {"took": "some forty milliseconds and a few more"}, **value}
        body = json.dumps(value, ensure_ascii=escaped).encode()
        parameters = body, queries.compared_prefixes(range(32)), queries.labels, SCHEMA
        hits = decode(*parameters)
        assert_same(hits, decode_objects(*parameters))
        assert len(set(hits.text.tolist()) - {OTHER_TEXT}) >= 8
        assert (hits.faults["malformed_accusation"], hits.faults.get("dropped_hits", 0)) == (1, dropped)


def test_a_large_answer_with_bad_labels_is_not_json():
    hit = {"id": "a", "text": "x" * 2000, "meta": {"accusation": ["theft"], "relevant_articles": [264]}}
    body = json.dumps([[hit] * 100]).encode()
    assert column(decoded(body), "accusation") == [0] * 100
    with pytest.raises(ProtocolError, match="the body is not JSON"):
        decoded(body.replace(b"[264]", b"[264,", 50).replace(b"[264,", b"[264]", 49))


# Labels of any name, anywhere in a hit

_members = ["a", "meta", "content"]
_paths = st.lists(
    st.lists(st.sampled_from(["a", "b", "meta"]), min_size=1, max_size=3).map(tuple),
    min_size=1,
    max_size=3,
    unique=True,
).map(tuple)
_schemas = st.lists(st.tuples(st.sampled_from(Kind), _paths, st.sampled_from(["", "x"])), max_size=4).map(
    lambda drawn: LabelSchema(
        tuple(Label(f"label {n}", kind, (), paths, ignore) for n, (kind, paths, ignore) in enumerate(drawn))
    )
)
_labelled = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2.5, "x", "1", "2.5", "long " * 9, [1], [True, "x"], [], [[]]]),
    lambda inner: st.dictionaries(st.sampled_from(_members), inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(st.sampled_from(_members), _labelled, max_size=3)
_many = st.lists(_objects, min_size=1, max_size=6) | st.tuples(_objects, st.integers(1, 6)).map(lambda t: [t[0]] * t[1])
_TWINS = {
    Kind.SET: naive_labels.set_of,
    Kind.FLAG: lambda value, ignore: naive_labels.flag_of(value),
    Kind.NUMBER: lambda value, ignore: naive_labels.number_of(value),
}


def told(label: Label, value: object, labels: Vocabulary) -> object:
    """Return what a code or a number stands for."""
    if label.kind is Kind.NUMBER:
        return None if math.isnan(value) else value
    return None if value == MISSING else labels.sets()[value]


@given(_schemas, _many)
def test_labels_of_hits_are_those_of_the_naive_twin(schema: LabelSchema, drawn: list[dict]):
    labels, rounds = Vocabulary(), 2  # the second one has all labels in the cache
    body = json.dumps([[{"id": f"{n}", "score": 1.0, "text": "a" * 40, **one} for n, one in enumerate(drawn)]]).encode()
    for read in (decode, decode_objects) * rounds:
        hits = read(body, [()], labels, schema)
        for label, found in zip(schema.labels, hits.labels, strict=True):
            values = [naive_labels.value_of(one, label.hit) for one in drawn]
            wanted = [_TWINS[label.kind](value, label.ignore) for value in values]
            malformed = wanted.count(naive_labels.MALFORMED)
            assert hits.faults.get(f"malformed_{label.name}", 0) == malformed
            expected = [None if one == naive_labels.MALFORMED else one for one in wanted]
            assert [told(label, value, labels) for value in found.tolist()] == expected
