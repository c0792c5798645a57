"""Services of other makes, against the recorded shapes of their documented APIs."""

import json
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from cases import tables
from client.answers import BODIES, ONE_FAILED

from benchbench.client import profiles
from benchbench.client.decode import decode
from benchbench.client.describe import BUILT_IN, DESCRIBED, profile
from benchbench.client.messages import PATH
from benchbench.client.profiles import PROFILES, Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.errors import InputError
from benchbench.tables.hashing import NO_HASH, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MISSING, NO_LABELS, Kind, Label, LabelSchema, Vocabulary

TABLES = tables(__file__)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
EXAMPLES: dict[str, str] = dict(
    re.findall(r"`([\w-]+\.(?:toml|json))`[^\n]*\n\n```\w+\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
)
OPTIONS = {
    "elasticsearch.toml": {"index": "cases"},
    "qdrant.toml": {"collection": "cases", "model": "qdrant/bm25"},
    "azure-ai-search.toml": {"index": "cases"},
    "meilisearch.json": {"index": "cases"},
}


def sets_at(*paths: str) -> LabelSchema:
    """Return a schema of sets, each of a hit's member or of one inside another (`meta.brand`)."""
    return LabelSchema(tuple(Label(path, Kind.SET, (), (tuple(path.split(".")),)) for path in paths))


def read(
    described: Profile,
    answer: Any,
    queries: int,
    labels: Vocabulary | None = None,
    schema: LabelSchema = NO_LABELS,
) -> Hits:
    text_prefixes = [("甲", "乙", "丙")] * queries
    return decode(
        orjson.dumps(answer), text_prefixes, Vocabulary() if labels is None else labels, schema, described.results
    )


@pytest.fixture(params=sorted(EXAMPLES))
def example(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Profile]:
    monkeypatch.setenv("SEARCH_KEY", "k3y")
    file = tmp_path / request.param
    file.write_text(EXAMPLES[request.param], encoding="utf-8")
    return request.param, profile(str(file), OPTIONS.get(request.param))


def test_the_page_has_an_example_of_each():
    assert set(EXAMPLES) == set(BODIES)


def test_every_example_of_the_page_reads_the_answer_of_its_service(example: tuple[str, Profile]):
    name, described = example
    labels = Vocabulary()
    paths = (("accusation",), ("meta", "accusation"))
    schema = LabelSchema((Label("accusation", Kind.SET, (), paths),))
    bodies = BODIES[name]
    parts = [read(described, body, 2 // len(bodies), labels, schema) for body in bodies]
    hits = Hits.joined(parts)
    assert hits.counts.tolist() == [2, 1]
    assert hits.ids == ["c1", "c2", "c3"]
    assert hits.score.tolist() == [1.5, 0.5, 2.0]
    assert hits.text.tolist() == [text_hash(text) for text in "甲乙丙"]
    assert labels.sets() == [frozenset({"盗窃"})]
    assert [column.tolist() for column in hits.labels] == [[0, MISSING, MISSING]]
    assert hits.faults == {}


@pytest.mark.parametrize("name", DESCRIBED)
def test_the_page_shows_the_built_in_descriptions_as_they_are(name: str):
    packaged = Path(profiles.__file__).parent / "protocols" / f"{name}.toml"
    shown = "elasticsearch" if name == "opensearch" else name
    assert packaged.read_text("utf-8") == EXAMPLES[f"{shown}.toml"]


def test_the_page_names_every_built_in_protocol():
    page = PAGE.read_text("utf-8")
    assert [name for name in BUILT_IN if f"`{name}`" not in page] == []


# Requests


def test_elasticsearch_is_asked_with_a_line_of_options_and_a_line_of_query_each():
    described = profile("elasticsearch", {"index": "cases", "text_field": "body"})
    assert (described.method, described.path) == ("POST", "/cases/_msearch")
    assert described.media_type == "application/x-ndjson"
    assert described.payload(["甲\n乙", "丙"], 5).decode() == (
        '{}\n{"query":{"match":{"body":"甲\\n乙"}},"size":5,"track_total_hits":false}\n'
        '{}\n{"query":{"match":{"body":"丙"}},"size":5,"track_total_hits":false}\n'
    )


def test_qdrant_is_asked_for_a_batch_of_documents():
    described = profile("qdrant", {"collection": "cases", "model": "qdrant/bm25", "using": "sparse"})
    assert described.path == "/collections/cases/points/query/batch"
    queries = [{"text": text, "model": "qdrant/bm25"} for text in "甲乙"]
    assert json.loads(described.payload(["甲", "乙"], 3))["searches"] == [
        {"query": query, "using": "sparse", "limit": 3, "with_payload": True} for query in queries
    ]
    assert (
        "using" not in json.loads(profile("qdrant", {"collection": "c", "model": "m"}).payload(["a"], 3))["searches"][0]
    )


def test_azure_is_asked_one_query_a_request():
    described = profile("azure-ai-search", {"index": "cases"})
    assert described.path == "/indexes/cases/docs/search?api-version=2024-07-01"
    assert json.loads(described.payload(["甲"], 3)) == {"search": "甲", "top": 3, "queryType": "simple"}
    described.check_batch_size(1)
    with pytest.raises(
        InputError, match=r"^--protocol azure-ai-search asks one query per request: use --batch-size 1, not 32$"
    ):
        described.check_batch_size(32)


def test_the_fast_profiles_read_the_usual_shapes_without_a_description():
    assert [PROFILES[name].results for name in PROFILES] == [None, None]
    assert {PROFILES[name].path for name in PROFILES} == {PATH}


def test_a_name_that_has_no_place_in_a_path_is_escaped():
    assert profile("elasticsearch", {"index": "a b?c#d,e*"}).path == "/a%20b%3Fc%23d,e*/_msearch"


# Answers


NO_LISTS = r"^(there is no list of result lists|0 result lists)"


@pytest.mark.parametrize(
    ("answer", "queries", "reason"),
    [
        (ONE_FAILED, 2, r"^result 2 of 2 has no list of hits: .*no such index \[cases\]"),
        (BODIES["elasticsearch.toml"][0], 1, "^2 result lists for 1 queries$"),
        (BODIES["elasticsearch.toml"][0], 3, "^2 result lists for 3 queries$"),
        *(
            (answer, 2, NO_LISTS)
            for answer in (None, [], {"error": "no"}, {"responses": None}, {"responses": {"a": []}}, 7)
        ),
    ],
)
def test_an_answer_that_is_not_as_described_is_a_protocol_error(answer: Any, queries: int, reason: str):
    with pytest.raises(ProtocolError, match=reason):
        read(profile("elasticsearch", {"index": "cases"}), answer, queries)


def described(tmp_path: Path, text: str, **options: str) -> Profile:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return profile(str(file), options)


def test_hits_that_are_bare_ids_can_be_described(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "ids", id = "@"}')
    hits = read(mine, {"ids": [["a", 7, "", None, True], []]}, 2)
    assert (hits.counts.tolist(), hits.ids, hits.text.tolist()) == ([2, 0], ["a", "7"], [NO_HASH] * 2)
    assert hits.faults == {"dropped_hits": 3, "missing_scores": 2, "without_text": 2}


def test_a_described_member_is_looked_for_nowhere_else(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", id = "uuid", score = "s"}')
    hits = read(mine, [[{"uuid": "a", "id": "wrong", "text": "甲"}, {"id": "wrong", "score": 1, "text": "乙"}]], 1)
    assert (hits.ids, hits.text.tolist()) == (["a", None], [text_hash("甲"), text_hash("乙")])
    assert hits.faults == {"missing_scores": 2}


def sets(described: Profile, hit: Any, *paths: str) -> list[set[str] | None]:
    """Return the labels of a hit."""
    labels = Vocabulary()
    columns = read(described, [[{"id": "a", "score": 1, "text": "甲"} | hit]], 1, labels, sets_at(*paths)).labels
    return [None if code == MISSING else set(labels.sets()[int(code)]) for (code,) in columns]


def test_any_other_name_under_results_is_a_member_in_which_labels_are(tmp_path: Path):
    mine = described(
        tmp_path,
        OK + 'results = {lists = "@", brand = "product.brand", first = "tags[].name", count = "n"}',
    )
    hit = {"product": {"brand": "A", "line": "L"}, "tags": [{"name": "x"}, {"name": "y"}], "brand": "own"}
    assert sets(mine, hit, "brand", "first", "count", "product.line") == [{"A"}, {"x", "y"}, None, {"L"}]


@pytest.mark.parametrize("results", ['lists = "@"', 'lists = "@", id = "id", score = "score", text = "text"'])
def test_a_hit_keeps_its_own_members_for_labels(tmp_path: Path, results: str):
    mine = described(tmp_path, f'body = {{q = "{{queries}}"}}\nresults = {{{results}}}')
    hit = {"meta": {"brand": "A", "sentence": 7}, "brand": ["B", "C"], "sentence": "D", "deep": {"er": {"e": 1.0}}}
    found = sets(mine, hit, "meta.brand", "brand", "sentence", "deep.er.e", "meta.sentence", "meta.nowhere")
    assert found == [{"A"}, {"B", "C"}, {"D"}, {"1"}, {"7"}, None]


def test_a_described_meta_is_where_labels_in_meta_are(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", meta = "payload"}')
    hit = {"payload": {"brand": "A"}, "meta": {"brand": "B", "other": "C"}}
    assert sets(mine, hit, "meta.brand", "payload.brand", "meta.other") == [{"A"}, {"A"}, None]


def test_hits_that_are_no_objects_have_the_described_members_only(tmp_path: Path):
    mine = described(tmp_path, 'body = {q = "{queries}"}\nresults = {lists = "@", id = "[0]", brand = "[1]"}')
    labels = Vocabulary()
    hits = read(mine, [[["a", "A"], ["b"]]], 1, labels, sets_at("brand", "meta.brand"))
    assert [column.tolist() for column in hits.labels] == [[0, MISSING], [MISSING] * 2]
    assert (hits.ids, labels.sets()) == (["a", "b"], [frozenset({"A"})])


def test_a_description_of_the_request_alone_reads_the_usual_shapes(tmp_path: Path):
    mine = described(tmp_path, 'path = "/s"\nbody = {q = "{queries}", n = "{top_k}"}')
    assert mine.request(["a"], 3) == {"q": ["a"], "n": 3}
    assert read(mine, [[{"fact_id": 7, "score": 1, "fact": "甲"}]], 1).ids == ["7"]


# Bad descriptions

OK = 'body = {q = "{queries}"}\n'


RESULTS = [(f"{request}results = {{{results}}}", reason) for request, results, reason in TABLES["bad_results"]]


@pytest.mark.parametrize(("text", "reason"), [*TABLES["bad_requests"].items(), *RESULTS])
def test_a_bad_description_is_one_sentence_with_its_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
):
    monkeypatch.delenv("UNSET", raising=False)
    with pytest.raises(InputError) as refused:
        described(tmp_path, text)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'mine.toml'}: {reason}")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "reason"), [("{", r", line 1, column 2: not JSON \("), ("[]", ": is not a table of keys")]
)
def test_a_bad_json_description_is_one_sentence_too(tmp_path: Path, text: str, reason: str):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(InputError, match=f"^{re.escape(str(file))}{reason}"):
        profile(str(file))


def test_an_unknown_protocol_is_refused_with_what_there_is():
    with pytest.raises(
        InputError, match=r"^--protocol solr is neither built in \(azure-ai-search, benchbench, .*\.json$"
    ):
        profile("solr")


def test_a_missing_description_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"x\.toml cannot be read: File name too long$"):
        profile(f"{'x' * 300}.toml")
    with pytest.raises(InputError, match=r"no\.toml: there is no such file$"):
        profile(str(tmp_path / "no.toml"))


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("benchbench", {"index": "a"}, "-option index: --protocol benchbench has no options"),
        ("elasticsearch", {}, " elasticsearch: {index} has no value; give --protocol-option index=VALUE"),
        ("elasticsearch", {"index": "a", "indx": "b"},
         "-option indx: elasticsearch has no such option; it has index, text_field"),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_is_refused(name: str, given: dict[str, str], reason: str):
    with pytest.raises(InputError, match="^--protocol" + re.escape(reason) + "$"):
        profile(name, given)


WITH_OPTION = 'body = {{q = "{{queries}}", x = "{{x}}"}}\noptions = {{x = {}}}'


@pytest.mark.parametrize(("default", "given", "value"), [("3", "4", 4), ("0.5", "2", 2.0), ("true", "false", False)])
def test_an_option_has_the_type_of_its_default(tmp_path: Path, default: str, given: str, value: Any):
    assert described(tmp_path, WITH_OPTION.format(default), x=given).request([], 1) == {"q": [], "x": value}
    with pytest.raises(InputError, match=r"^--protocol-option x(: 'odd' is not true| is a .*, and not 'odd'$)"):
        described(tmp_path, WITH_OPTION.format(default), x="odd")


@pytest.mark.parametrize(
    ("default", "given"),
    [
        *(("3", one) for one in ("1e3", str(2**64), "４", "9" * 5000)),
        *(("0.5", one) for one in ("nan", "-inf", "1e400")),
    ],
)
def test_an_option_that_no_request_can_carry_is_refused(tmp_path: Path, default: str, given: str):
    with pytest.raises(InputError, match=r"^--protocol-option x is a .*number from .*, and not "):
        described(tmp_path, WITH_OPTION.format(default), x=given)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400", str(2**64), str(-(2**63) - 1)])
@pytest.mark.parametrize(
    ("text", "name"), [('body = {{q = "{{queries}}", deep = [{{x = {}}}]}}', "body.deep.x"), (WITH_OPTION, "options.x")]
)
def test_numbers_that_no_request_can_carry_are_refused_in_a_description(
    tmp_path: Path, number: str, text: str, name: str
):
    with pytest.raises(InputError, match=rf"mine\.toml: {re.escape(name)} is a .*number from .*, and not "):
        described(tmp_path, text.format(number))
