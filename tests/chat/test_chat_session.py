"""Questions to a chat endpoint, against a real server: what is sent, learnt, retried, and given up."""

import asyncio
import gzip
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chat_server
import orjson
import pytest
import services
from cases import some_of
from chat_server import ChatServer, Script, Send, error, good, in_turn, sends

from benchbench.chat.model import ChatModel, ChatReply, worst_tokens
from benchbench.errors import InputError, UnreachableError

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 3}},
    "required": ["score"],
    "additionalProperties": False,
}
KEY = "sk-proj-0123456789-abcdef+/=?&"


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@dataclass
class Asked:
    replies: list[ChatReply]
    learnt: Counter[str]
    refusals: int
    notes: list[str]
    sent: int  # how often `on_send` was called


def ask(url: str, *users: str, **settings: Any) -> Asked:
    """Ask all at once; the settings are those of `ChatModel`."""
    sent = 0

    def note(unanswered: int) -> None:
        nonlocal sent
        sent += 1

    async def work() -> Asked:
        model = ChatModel("m", url, **{"retries": 0, **settings})
        async with model.session() as session:
            asking = [session.ask("be just", user, SCHEMA, "verdict", note) for user in users]
            replies = await asyncio.gather(*asking)
            return Asked(list(replies), session.learnt, session.limits.refusals, session.notes(), sent)

    return asyncio.run(work())


def asked_of(script: Script, *users: str, **settings: Any) -> tuple[Asked, ChatServer]:
    with ChatServer(script) as server:
        return ask(server.url, *(users or ("?",)), **settings), server


def test_a_verdict_comes_with_its_tokens_model_and_time():
    asked, server = asked_of(good(2), "is it?", max_tokens=100, seed=3)
    (reply,) = asked.replies
    assert (reply.text, reply.failure, reply.attempts, reply.possibly_billed) == ('{"score":2}', None, 1, 0)
    sent = chat_server.tokens("be just") + chat_server.tokens("is it?")
    assert (reply.tokens_in, reply.tokens_out) == (sent, chat_server.tokens('{"score":2}'))
    assert (reply.model, reply.finish, reply.fingerprint) == ("scripted-1", "stop", "fp_scripted")
    assert reply.seconds > 0
    assert server.paths == ["/v1/chat/completions"]
    assert server.requests[0]["max_tokens"] == 100
    assert server.requests[0]["seed"] == 3
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is True
    assert "authorization" not in server.headers[0]
    assert asked.sent == 1


def test_as_many_are_under_way_as_there_are_places_once_one_was_answered():
    def script(call: int, request: dict[str, Any]) -> Any:
        text = orjson.dumps(chat_server.completion(request, '{"score":1}'))
        return Send(body=text, until=0 if call == 0 else 1 + 5)

    asked, server = asked_of(script, *map(str, range(11)), concurrency=5)
    assert [reply.failure for reply in asked.replies] == [None] * 11
    assert server.most_in_flight == 5


def refusing(parameter: str, script: Script) -> Script:
    """Refuse requests that have a parameter."""

    def answer(call: int, request: dict[str, Any]) -> Any:
        if parameter in request:
            return error(400, f"Unsupported parameter: {parameter} is not supported", param=parameter)
        if parameter == request["messages"][0]["role"]:
            return error(400, "System role not supported")
        return script(call, request)

    return answer


@pytest.mark.parametrize("parameter", ["max_tokens", "temperature", "seed", "response_format", "system"])
def test_a_parameter_that_is_refused_is_learnt_once(parameter: str):
    asked, server = asked_of(refusing(parameter, good(2)), *map(str, range(20)), seed=1)
    assert [reply.failure for reply in asked.replies] == [None] * 20
    cost = 2 if parameter == "response_format" else 1
    assert (server.calls, asked.sent, sum(asked.learnt.values())) == (20 + cost, 20 + cost, cost)
    assert asked.replies[0].attempts == 1 + cost
    assert {name.split()[0] for name in asked.learnt} == {parameter}


def test_schema_then_object_then_plain_is_what_auto_tries():
    formats = [None]

    def script(call: int, request: dict[str, Any]) -> Any:
        formats.append(request.get("response_format", {}).get("type"))
        if "response_format" in request:
            return error(422, f"response_format of type {formats[-1]} is not supported")
        return '{"score": 1}'

    asked, _ = asked_of(script, "a", "b")
    assert formats[1:] == ["json_schema", "json_object", None, None]
    assert asked.learnt == {"response_format of schema": 1, "response_format of object": 1}
    assert asked.notes == [
        f"The endpoint refused response_format of {level} (1 request), so requests were sent without it."
        for level in ("schema", "object")
    ]


def test_an_endpoint_that_refuses_several_parameters_is_asked_without_all_of_them():
    script = refusing("temperature", refusing("response_format", refusing("max_tokens", good(0))))
    asked, server = asked_of(script, "a", "b", "c")
    assert [reply.failure for reply in asked.replies] == [None] * 3
    assert server.calls == 3 + 4


def test_all_that_were_under_way_when_a_parameter_was_refused_are_asked_again_once():
    def script(call: int, request: dict[str, Any]) -> Any:
        if call and "temperature" in request:
            return Send(400, orjson.dumps({"error": {"message": "no", "param": "temperature"}}), until=9)
        return '{"score": 1}'

    asked, server = asked_of(script, *map(str, range(9)), concurrency=8)
    assert [reply.failure for reply in asked.replies] == [None] * 9
    assert (server.calls, asked.learnt) == (9 + 8, {"temperature": 8})


def test_an_ordered_structure_that_is_refused_ends_the_run():
    script = refusing("response_format", good())
    with pytest.raises(UnreachableError, match=r"HTTP 400.*--structured auto sends what"):
        asked_of(script, *"abc", structured="schema")


FAILURES = [
    (chat_server.truncated, "the verdict was cut off at 2,048 tokens"),
    (sends(error(400, "filtered", code="content_filter")), "the endpoint's content filter refused the prompt"),
    (
        sends(error(400, "This model's maximum context length is 8 tokens", code="context_length_exceeded")),
        "the prompt is too long for the model",
    ),
]


@pytest.mark.parametrize(("script", "reason"), FAILURES)
def test_an_endpoint_that_answers_no_question_is_no_reason_to_stop_when_it_works(script: Script, reason: str):
    asked, server = asked_of(script, *map(str, range(8)))
    assert [(reply.text, reply.failure) for reply in asked.replies] == [(None, reason)] * 8
    assert server.calls == 8


UNUSABLE = [
    sends(Send(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"})),
    sends(Send(body=b'data: {"choices": []}\n\n', headers={"Content-Type": "text/event-stream"})),
    sends(Send(body=b'{"results": []}')),
    sends(Send(body=b'{"error": {"message": "overloaded", "code": "overloaded"}}')),
    sends(Send(400, b'{"error": {"message": "no such thing", "code": "bad_request"}}')),
    sends(Send(500, b"Internal Server Error")),
]


@pytest.mark.parametrize("script", UNUSABLE)
def test_what_is_no_endpoint_is_given_up_after_three_questions(script: Script):
    with ChatServer(script) as server, pytest.raises(UnreachableError, match="gives no usable answer"):
        ask(server.url, *map(str, range(40)))
    assert server.calls <= 3


@pytest.mark.parametrize("script", UNUSABLE)
def test_what_happens_now_and_then_is_a_failure_of_its_question(script: Script):
    def mostly(call: int, request: dict[str, Any]) -> Any:
        return script(call, request) if call % 4 == 1 else '{"score": 1}'

    asked, _ = asked_of(mostly, *map(str, range(20)))
    assert sum(reply.failure is not None for reply in asked.replies) == 5
    assert len({reply.failure for reply in asked.replies}) == 2


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "no key was sent: name the variable that has it with --api-key-env"),
        (403, "no key was sent"),
        (404, r"is this the URL of the API \(--base-url\), and is m a model there\?"),
        (405, "is this the URL"),
        (307, "is this the URL"),
    ],
)
def test_a_wrong_address_or_key_ends_the_run_at_the_first_answer(status: int, advice: str):
    with ChatServer(sends(error(status, "No."))) as server, pytest.raises(UnreachableError, match=advice):
        ask(server.url, *map(str, range(10)))
    assert server.calls == 1


def test_a_wrong_key_is_named_with_its_header_and_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("K", KEY)
    match = r"check the key in Authorization \(variable K\)$"
    with ChatServer(sends(error(401, "No."))) as server, pytest.raises(UnreachableError, match=match):
        ask(server.url, "?", api_key_env="K")


def test_a_key_that_is_revoked_ends_the_run_later_too():
    script = in_turn(good(), good(), sends(error(401, "revoked")))
    with ChatServer(script) as server, pytest.raises(UnreachableError, match="HTTP 401: revoked"):
        ask(server.url, *map(str, range(10)), concurrency=1)
    assert server.calls == 3


def test_nobody_there_is_an_error_before_anything_is_counted():
    with services.refusing() as url, pytest.raises(UnreachableError, match="refuses connections"):
        ask(url, "a", "b")


def test_a_missing_key_is_told_before_anything_is_sent():
    with pytest.raises(InputError, match="variable OPENAI_API_KEY is not set"):
        ask("", "?")


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_outage_is_waited_for(status: int):
    script = in_turn(good(1), sends(Send(status)), sends(Send(status)), good(2))
    asked, _ = asked_of(script, "a", "b", concurrency=1, retries=5)
    assert [reply.text for reply in asked.replies] == ['{"score":1}', '{"score":2}']
    assert (asked.replies[1].attempts, asked.replies[1].possibly_billed) == (3, 0)


def test_what_was_sent_and_never_answered_may_have_been_billed():
    broken = sends(Send(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"))
    closed = sends(Send(raw=b""))
    asked, _ = asked_of(in_turn(good(1), broken, closed, good(2)), "a", "b", concurrency=1, retries=5)
    assert [(reply.text, reply.attempts, reply.possibly_billed) for reply in asked.replies] == [
        ('{"score":1}', 1, 0),
        ('{"score":2}', 3, 2),
    ]


def test_an_answer_that_never_comes_is_a_failure_after_the_timeout():
    asked, _ = asked_of(in_turn(good(), sends(Send(never=True))), "a", "b", concurrency=1, timeout=1.0)
    assert asked.replies[1].failure == "no complete answer within 1 s"
    assert asked.replies[1].possibly_billed == 1


def test_a_body_without_an_end_is_cut_off():
    endless = Send(endless=gzip.compress(b" " * (1 << 24)), headers={"Content-Encoding": "gzip"})
    asked, _ = asked_of(in_turn(good(), sends(endless)), "a", "b", concurrency=1)
    assert asked.replies[1].failure == "the body is larger than 16,777,216 bytes"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain; charset=gb18030"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "text/html"},
        {"Content-Type": ";;;"},
    ],
)
def test_an_answer_is_read_as_json_in_utf8_whatever_its_type_says(headers: dict[str, str]):
    def script(call: int, request: dict[str, Any]) -> Any:
        return Send(body=orjson.dumps(chat_server.completion(request, "可")), headers=headers)

    asked, _ = asked_of(script)
    assert asked.replies[0].text == "可"


def test_a_rate_that_is_refused_is_waited_for_and_burns_no_retry():
    script = in_turn(good(0), chat_server.rate_limited(9, good(1), retry_after_ms="1"))
    asked, server = asked_of(script, *map(str, range(4)), concurrency=2, retries=1)
    assert [reply.failure for reply in asked.replies] == [None] * 4
    assert (server.calls, asked.refusals, asked.sent) == (4 + 8, 8, 12)
    (note,) = asked.notes
    assert note.startswith("The endpoint refused 8 requests for their rate; they were sent again after waiting ")
    assert sum(reply.attempts for reply in asked.replies) == 12
    assert sum(reply.possibly_billed for reply in asked.replies) == 0


@pytest.mark.parametrize("off", [{"retries": 0}, {"retries": None, "retry_for": 0}])
def test_a_rate_that_is_refused_is_a_failure_where_nothing_is_tried_again(off: dict[str, Any]):
    asked, server = asked_of(in_turn(good(), chat_server.rate_limited(2, good())), "a", "b", concurrency=1, **off)
    assert [reply.failure for reply in asked.replies] == [None, "HTTP 429 (rate_limit_exceeded)"]
    assert server.calls == 2


def test_before_the_first_usable_answer_a_rate_is_refused_three_times():
    script = chat_server.rate_limited(99, good(), retry_after="0")
    match = r" takes no request: 3 were refused, the last with HTTP 429: Rate limit reached for requests; ask again"
    with ChatServer(script) as server, pytest.raises(UnreachableError, match=match):
        ask(server.url, *map(str, range(10)), retries=None)
    assert server.calls == 3


@pytest.mark.parametrize("retry_after", ["0", "-5"])
def test_refusals_are_waited_for_as_long_as_an_outage_and_seldom_asked(retry_after: str):
    script = in_turn(good(), chat_server.rate_limited(10_000, good(), retry_after=retry_after))
    with (
        ChatServer(script) as server,
        pytest.raises(UnreachableError, match=r"takes no more requests for \d s: HTTP 429"),
    ):
        ask(server.url, *map(str, range(10)), concurrency=2, retries=None, retry_for=1)
    assert server.calls <= 1 + 2 + 2


def test_a_quota_that_is_spent_ends_the_run_with_one_sentence():
    spent = error(429, "You exceeded your current quota.", type="insufficient_quota", code="insufficient_quota")
    with ChatServer(in_turn(good(), good(), sends(spent))) as server, pytest.raises(UnreachableError) as ended:
        ask(server.url, *map(str, range(10)), concurrency=1, retries=9)
    assert str(ended.value) == (
        f"{server.url}/chat/completions gives no usable answer (HTTP 429: You exceeded your current quota.); "
        "the quota of the account is spent"
    )
    assert server.calls == 3


def test_an_account_that_must_be_paid_for_ends_the_run():
    script = in_turn(good(), sends(error(402, "Insufficient Balance")))
    with ChatServer(script) as server, pytest.raises(UnreachableError, match="has no credit left"):
        ask(server.url, *map(str, range(10)), concurrency=1)


def test_a_limit_of_the_day_ends_the_run_and_says_when():
    script = in_turn(good(), chat_server.rate_limited(99, good(), retry_after="7200"))
    with ChatServer(script) as server, pytest.raises(UnreachableError, match="takes no more requests for 2 h 0 min"):
        ask(server.url, *map(str, range(10)), concurrency=1, retries=9)


def echoing(number: int, change: Callable[[str], str]) -> Script:
    """Answer with the headers that were sent, wherever an answer has a text."""

    def script(call: int, request: dict[str, Any]) -> Any:
        said = change(f"Bearer {KEY}")
        if number == 0:
            return chat_server.completion(request, said, model=said, finish=said)
        if number == 1:
            return chat_server.completion(request, said, finish="length", refusal=said)
        if number == 2:
            return error(400, said, code=said, type=said, param=said)
        if number == 3:
            return Send(body=said.encode())
        return Send(503, said.encode()) if call else '{"score": 1}'

    return script


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize(
    "change",
    [
        str,
        lambda text: text.encode().hex(),
        lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
        lambda text: "".join(f"%{ord(one):02X}" for one in text),
        str.upper,
    ],
)
def test_a_key_that_the_server_sends_back_is_in_no_reply_and_in_no_error(
    number: int, change: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("K", KEY)
    with ChatServer(echoing(number, change)) as server:
        try:
            said = repr(ask(server.url, "a", "b", "c", "d", api_key_env="K", concurrency=1).replies)
        except UnreachableError as ended:
            said = str(ended)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in said
    assert change(KEY) not in said
    assert "[hidden]" in said


BEFORE = [*range(40, 70, 3), *range(170, 210, 7), *range(1960, 2010, 9)]


@pytest.mark.parametrize("before", some_of(BEFORE, 4))
def test_no_part_of_a_key_is_left_where_a_text_is_cut(before: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("K", KEY)
    text = "x" * before + KEY
    answers: list[Script] = [
        lambda call, request: chat_server.completion(request, text, finish="length"),
        lambda call, request: chat_server.completion(request, "yes", model=text, finish=text),
        lambda call, request: {"error": {"code": text, "message": text}},
        sends(error(400, text, code=text)),
        sends(Send(500, text.encode())),
        sends(error(401, text)),
    ]
    said = []
    for answer in answers:
        with ChatServer(in_turn(good(), answer)) as server:
            try:
                said.append(repr(ask(server.url, "a", "b", api_key_env="K", concurrency=1).replies[1]))
            except UnreachableError as ended:
                said.append(str(ended))
    assert not any(KEY[:6] in one for one in said)


def test_worst_tokens_are_never_fewer_than_there_are():
    for text in ("", "plain", "判例は拘束力を持つ。", "🏛" * 50, "\ud800"):
        worst, out = worst_tokens(text, text, 100, SCHEMA)
        assert worst >= 2 * len(text.encode(errors="replace"))
        assert out == 100
    assert worst_tokens("a", "b", 1, SCHEMA)[0] > worst_tokens("a", "b", 1)[0]


def test_a_cancelled_question_gives_its_place_back():
    async def work(url: str) -> list[ChatReply]:
        async with ChatModel("m", url, concurrency=1).session() as session:
            first = await session.ask("s", "u", SCHEMA, "v")
            waiting = asyncio.ensure_future(session.ask("s", "u", SCHEMA, "v"))
            while server.calls < 2:
                await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            return [first, await session.ask("s", "u", SCHEMA, "v")]

    with ChatServer(in_turn(good(1), sends(Send(never=True)), good(2))) as server:
        replies = asyncio.run(work(server.url))
    assert [reply.text for reply in replies] == ['{"score":1}', '{"score":2}']
