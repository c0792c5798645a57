"""Services that are asked page after page: by number, by offset and by cursor, over real connections."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import data_sets
import orjson
import polars as pl
import pytest
import services
from aiohttp import web
from cases import check_rows, tables

import benchbench as bb
from benchbench.client.descriptions import described
from benchbench.client.pages import MOST
from benchbench.client.retry import Retry
from benchbench.client.search import BatchClient, BatchRequest, BatchResult, SearchPlan
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.report.draw import draw
from benchbench.tables.labels import NO_LABELS, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

TABLES = tables(__file__)

RESULTS = {"hits": "items", "id": "id"}
STYLES: dict[str, dict[str, Any]] = TABLES["styles"]
Find = Callable[[str], Sequence[str]]
CAP = 50


def paged(find: Find) -> services.Answer:
    """Answer by any of the styles, never with more than `CAP` hits, and count from the request alone."""

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        asked = dict(request.query) | (message if isinstance(message, dict) else {})
        if request.content_type == "application/x-www-form-urlencoded":
            asked |= dict(await request.post())
        service.messages[-1] = asked
        size = min(CAP, int(asked.get("n", CAP)))
        start = int(asked.get("offset", 0)) + int(asked.get("cursor", 0))
        start += size * (int(asked["page"]) - 1) if "page" in asked else 0
        start += size * int(asked.get("from0", 0)) + int(asked.get("from1", 1)) - 1
        found = find(asked["q"])
        more = {"next": str(start + size)} if start + size < len(found) else {}
        return web.json_response({"items": [{"id": one} for one in found[start : start + size]], **more})

    return answer


def says(pages: Callable[[int], dict[str, Any]]) -> services.Answer:
    """Answer the n-th request with what a function says, and note what was asked."""
    numbers = itertools.count()

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        service.messages[-1] = dict(request.query) | (message if isinstance(message, dict) else {})
        said = pages(next(numbers))
        return web.json_response(said, status=said.get("status", 200))

    return answer


def items(*numbers: int) -> dict[str, Any]:
    return {"items": [{"id": f"d{number}"} for number in numbers]}


def results(answer: services.Answer, style: dict[str, Any], top_k: int, texts: Sequence[str] = ("many",), **more: Any):
    """Return what became of queries, and the service."""
    profile = described("mine", {"path": "/s", "results": RESULTS, **style}, {}, "mine.toml")

    async def main() -> list[BatchResult]:
        async with Service(url, profile, connections=4).transport() as transport:
            plan = SearchPlan(profile=profile, retry=Retry(**more), top_k=top_k, concurrency=4, give_up_after=0)
            client = BatchClient(plan, transport, Vocabulary(), NO_LABELS)
            asked = [BatchRequest(n, [text], TextPrefixes.of([("any",)])) for n, text in enumerate(texts)]
            return await asyncio.gather(*map(client.send, asked))

    with services.running(answer) as service:
        url = service.url
        return asyncio.run(main()), service


def faults(batch: BatchResult) -> dict[str, int]:
    """Return what was wrong with hits, which here have no text and no score."""
    n, known = len(batch.hits.ids), dict(batch.hits.faults)
    assert not n or (known.pop("without_text"), known.pop("missing_scores")) == (n, n)
    return known


def found(text: str) -> list[str]:
    return [f"{text}-{n}" for n in range({"many": 170, "few": 3, "none": 0, "fifty": 50, "hundred": 100}[text])]


def test_every_style_finds_the_first_hits_in_their_order():
    def check(style: dict[str, Any], top_k: int) -> None:
        texts = ["many", "few", "none", "fifty", "hundred", "many"]
        sizes = {"beyond_top_k": 40} if not style["pages"] and "params" in style and top_k == 10 else {}
        batches, service = results(paged(found), style, top_k, texts)
        for text, batch in zip(texts, batches, strict=True):
            assert (batch.failure, batch.hits.ids, faults(batch)) == (
                None,
                found(text)[:top_k],
                sizes if len(found(text)) >= 50 else {},
            )
            assert batch.hits.counts.tolist() == [len(batch.hits.ids)]
            pages = [attempt.page for attempt in batch.attempts]
            assert pages == list(range(1, len(pages) + 1))
            assert len(pages) <= len(batch.hits.ids) // 30 + 2
        assert len(service.messages) == sum(len(batch.attempts) for batch in batches)

    check_rows(check, itertools.product(STYLES.values(), [10, 50, 120, 500]))


@pytest.mark.parametrize("name", ["cursor", "cursor in the URL"])
def test_the_first_request_has_no_cursor(name: str):
    _, service = results(paged(found), STYLES[name], 120)
    assert [one.get("cursor") for one in service.messages] == [None, "50", "100"]


def test_what_is_asked_for_is_the_size_of_a_page_or_less():
    _, service = results(paged(found), STYLES["page"], 120)
    assert [(one["n"], one["page"]) for one in service.messages] == [("50", "1"), ("50", "2"), ("50", "3")]
    _, service = results(paged(found), STYLES["page"], 20)
    assert [one["n"] for one in service.messages] == ["20"]


@pytest.mark.parametrize("style", ["page", "offset", "cursor"])
def test_a_service_that_answers_every_page_with_the_first_is_asked_twice(style: str):
    first = {**items(*range(50)), "next": "again"}
    (batch,), service = results(says(lambda n: first), STYLES[style], 120)
    assert (len(batch.hits.ids), len(service.messages)) == (50, 2)
    assert faults(batch) == {"on_repeated_pages": 50}


def test_a_cursor_that_never_ends_is_followed_for_as_many_pages_as_may_be():
    style = {**STYLES["cursor"], "pages": {"cursor": "next", "max_pages": 7}}
    (batch,), service = results(says(lambda n: {"items": [], "next": f"c{n}"}), style, 120)
    assert (batch.failure, batch.hits.ids, len(service.messages)) == (None, [], 7)
    (batch,), service = results(says(lambda n: {**items(n), "next": "the same"}), STYLES["cursor"], 120)
    assert (len(batch.hits.ids), len(service.messages)) == (MOST, MOST)


def test_an_empty_page_is_the_last_but_where_there_is_a_cursor():
    pages = [items(*range(50)), {"items": []}, items(*range(50, 90))]
    for style, ids, asked in (("page", 50, 2), ("offset", 50, 2), ("cursor", 90, 3)):
        more = {} if style != "cursor" else {"next": "x"}
        said = [{**page, **more} for page in pages[:2]] + pages[2:]
        (batch,), service = results(says(said.__getitem__), STYLES[style], 120)
        assert (len(batch.hits.ids), len(service.messages)) == (ids, asked)


def test_pages_that_are_longer_than_asked_are_cut_together_and_the_next_offset_is_behind_them():
    pages = [items(*range(80)), items(*range(80, 160))]
    (batch,), service = results(says(lambda n: pages[n]), STYLES["offset"], 120)
    assert batch.hits.ids == [f"d{n}" for n in range(120)]
    assert faults(batch) == {"beyond_top_k": 30}  # 80 where 50 were asked for
    assert [one["offset"] for one in service.messages] == [0, 80]


def test_hits_that_come_on_two_pages_stay_for_the_judge_as_those_of_one_answer_do():
    pages = [items(*range(50)), items(*range(40, 90)), items(90)]
    (batch,), _ = results(says(lambda n: pages[n]), STYLES["page"], 120)
    assert batch.hits.ids == [f"d{n}" for n in [*range(50), *range(40, 90), 90]]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({"status": 400}, "page 2: HTTP 400"),
        ({"items": "none"}, "page 2: protocol error: result 1 of 1 has no list of hits"),
        ({"items": [{"x": 1}]}, "page 2: protocol error: no hit can be used"),
    ],
)
def test_a_page_that_fails_fails_its_query(second: dict[str, Any], reason: str):
    pages = [items(*range(50)), second]
    (batch,), _ = results(says(lambda n: pages[n]), STYLES["page"], 120)
    assert (batch.failure or "").startswith(reason)
    assert (batch.hits.ids, batch.hits.counts.tolist()) == ([], [0])
    assert [one.page for one in batch.attempts] == [1, 2]


def test_a_later_page_is_tried_again_as_any_request_is():
    pages = [items(*range(50)), {"status": 503}, items(*range(50, 60))]
    (batch,), _ = results(says(lambda n: pages[n]), STYLES["page"], 120, base=0.001)
    assert (batch.failure, len(batch.hits.ids)) == (None, 60)
    assert [(one.page, one.status) for one in batch.attempts] == [(1, 200), (2, 503), (2, 200)]


@pytest.mark.parametrize("cursor", [{"a": 1}, True])
def test_a_cursor_that_cannot_be_sent_fails_its_query(cursor: Any):
    (batch,), _ = results(says(lambda n: {**items(n), "next": cursor}), STYLES["cursor"], 120)
    assert batch.failure == "protocol error: the cursor at next is not a text, number or list"


@pytest.mark.parametrize("cursor", [None, "", 0, []])
def test_a_cursor_that_is_nothing_ends_the_pages(cursor: Any):
    (batch,), service = results(says(lambda n: {**items(n), "next": cursor}), STYLES["cursor"], 120)
    assert (batch.hits.ids, len(service.messages)) == (["d0"], 1)


def test_a_cursor_is_escaped_in_the_url():
    pages = [{**items(0), "next": "a b&page=9/+é"}, items(1)]
    (batch,), service = results(says(lambda n: pages[n]), STYLES["cursor in the URL"], 120)
    assert (batch.hits.ids, service.messages[1]["cursor"]) == (["d0", "d1"], "a b&page=9/+é")


@pytest.mark.parametrize(("change", "reason"), TABLES["refused"])
def test_a_description_of_pages_that_cannot_be_is_one_sentence(change: dict[str, Any], reason: str):
    with pytest.raises(InputError) as refused:
        described("mine", {"path": "/s", "results": RESULTS, **STYLES["page"], **change}, {}, "mine.toml")
    assert str(refused.value).startswith("mine.toml: ")
    assert reason in str(refused.value)


def test_without_pages_their_places_are_options_as_before():
    asked = described("mine", {"path": "/s", "params": {"q": "{query}", "p": "{page}"}}, {"page": "2"}, "mine.toml")
    assert asked.path == "/s?q={query}&p=2"


# Whole runs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def ranked(text: str) -> list[str]:
    return [f"{text}-{n}" for n in range(400)]


def outcome(data: Path, tmp_path: Path, description: dict[str, Any], **more: Any) -> bb.Outcome:
    file = tmp_path / "mine.json"
    file.write_bytes(orjson.dumps({"path": "/s", "results": RESULTS, **description}))
    with services.running(paged(ranked)) as service:
        return bb.run(bb.Settings(data, url=service.url, protocol=str(file), **more))


DEEP = {"criteria": bb.Criteria(measures=("R@100", "nDCG@10", "P@5", "Success@100")), "concurrency": 4}
UNPAGED = {"params": {"q": "{query}", "n": "{top_k}"}}


def test_a_service_that_caps_is_named_and_what_looks_deeper_is_marked(data: Path, tmp_path: Path):
    got = outcome(data, tmp_path, UNPAGED, **DEEP)
    sentence = (
        "your API returned at most 50 hits of 120 asked, which bounds R@100 and Success@100 (*); [pages] of a protocol "
        "description asks for more (docs/protocol.md)"
    )
    assert got.warnings.count(sentence) == 1
    assert (got.counts["most_hits"], got.counts["hits_asked"]) == (50, 120)
    assert [note.text for note in got.record.notes].count(sentence) == 1
    text = " ".join(draw(got, "text").split())
    assert sentence in text
    assert "0.000*" in text
    page = draw(got, "html")
    assert f"▲ Y{sentence[1:]}." in page
    assert "0.000*" in page


def test_a_limit_of_pages_is_named_where_it_is_what_caps(data: Path, tmp_path: Path):
    style = STYLES["page"]
    got = outcome(data, tmp_path, {**style, "pages": {**style["pages"], "max_pages": 2}}, **DEEP)
    assert got.counts["max_pages"] == 2
    assert any(one.endswith("; max_pages of the protocol description is 2") for one in got.warnings)


def test_with_pages_the_same_service_gives_all_and_each_page_is_a_request(data: Path, tmp_path: Path):
    got = outcome(data, tmp_path, STYLES["page"], **DEEP)
    assert not any("returned at most" in one for one in got.warnings)
    assert got.counts["hits"] == 12 * 120
    assert (got.latency.requests, got.latency.attempts, got.latency.timed) == (36, 36, 12)
    assert got.counts["further_pages"] == 24
    assert "ms per query, all its pages together (36 requests)" in " ".join(draw(got, "text").split())
    assert next(one for one in got.record.numbers if one.name == "p50").n == 12


def test_workers_take_pages_too(data: Path, tmp_path: Path):
    frames = [
        outcome(data, tmp_path, STYLES["cursor"], **DEEP | {"workers": workers}).per_query.select(
            pl.exclude("latency_ms")
        )
        for workers in (1, 2)
    ]
    assert frames[0].equals(frames[1])
    assert frames[0]["hits"].to_list() == [120] * 12


def test_a_list_that_ends_because_nothing_more_matches_is_no_cap(data: Path, tmp_path: Path):
    lengths = itertools.cycle([1, 5, 9, 13, 17, 2, 6, 10, 14, 18, 3, 7])

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.json_response({"items": [{"id": f"d{n}"} for n in range(next(lengths))]})

    file = tmp_path / "mine.json"
    file.write_bytes(orjson.dumps({"path": "/s", "results": RESULTS, **UNPAGED}))
    with services.running(answer) as service:
        got = bb.run(bb.Settings(data, url=service.url, protocol=str(file), top_k=20))
    assert "most_hits" not in got.counts


def test_load_sends_one_request_per_query_and_says_so(data: Path, tmp_path: Path):
    file = tmp_path / "mine.json"
    file.write_bytes(orjson.dumps({"path": "/s", "results": RESULTS, **STYLES["page"]}))
    asked = bb.Service("http://127.0.0.1:1", bb.protocol(str(file)))
    with pytest.raises(InputError, match=r"asks page after page for 120 hits, and load does not: use --top-k 50"):
        bb.LoadSettings(data, service=asked, rates=(5.0,), top_k=120)
    bb.LoadSettings(data, service=asked, rates=(5.0,), top_k=50)
