"""Asking an assistant: what is sent, what is read, and how it fails."""

import asyncio
from typing import Any

import assistants
import pytest
import services
from yarl import URL

from benchbench.chat.assistant import Assistant, Reply, ask, path
from benchbench.client.breaker import Breaker
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.retry import Retry
from benchbench.client.secrets import Secrets
from benchbench.client.transport import Transport
from benchbench.errors import InputError, TooManyFailuresError, UnreachableError

ASSISTANT = Assistant(FieldPath("message.content"), FieldPath("context.data_points.text"), {"overrides": {"top": 2}})


def replies(url: str, *questions: str, retries: int = 0, timeout: float = 30, limit: int = 16) -> list[Reply]:
    found: dict[int, Reply] = {}

    async def asked() -> None:
        async with Transport(url, "", 4, timeout, 1 << 20) as transport:
            await ask(questions, ASSISTANT, transport, Retry(retries, 0.0), 4, found.__setitem__, Breaker(limit))

    asyncio.run(asked())
    assert sorted(found) == list(range(len(questions)))
    return [found[number] for number in range(len(questions))]


def test_a_question_is_sent_as_a_chat_message_with_the_parameters():
    with services.running(assistants.saying(assistants.said("Yes.", "a: b"))) as service:
        (reply,) = replies(service.url, "Is it?")
    assert service.messages == [
        {"messages": [{"content": "Is it?", "role": "user"}], "stream": False, "context": {"overrides": {"top": 2}}}
    ]
    assert (reply.text, reply.context, reply.attempts, reply.failure) == ("Yes.", ["a: b"], 1, None)
    assert reply.seconds > 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (services.status(500, "down"), "HTTP 500: down"),
        (services.html, "not JSON: '<!doctype html><title>Sign in</title>'"),
        (assistants.saying({"message": {}}), "there is nothing at message.content"),
        (assistants.saying(assistants.said(None)), "there is nothing at message.content"),
        (assistants.saying(assistants.said(3)), "there is no text but int at message.content"),
        (assistants.saying(assistants.said(" ")), "the answer is empty"),
    ],
)
def test_a_failure_is_a_reply_without_text(answer: services.Answer, reason: str):
    with services.running(answer) as service:
        (reply,) = replies(service.url, "?")
    assert (reply.text, reply.context) == (None, None)
    assert reply.failure is not None
    assert reply.failure.startswith(reason)


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_ends_it_with_the_questions_under_way(code: int):
    with (
        services.running(services.status(code)) as service,
        pytest.raises(TooManyFailuresError, match=rf"lets nobody in \(HTTP {code}\); no key was sent"),
    ):
        replies(service.url, *map(str, range(40)))
    assert len(service.messages) == 4


def test_an_answer_that_is_too_deep_costs_its_question_though_it_is_looked_through_for_secrets():
    deep = b'{"message": {"content": "Yes."}, "context": ' + b"[" * 1000 + b"]" * 1000 + b"}"
    secrets = Secrets(URL("http://host/"), {"api-key": "a-key-of-the-service"})
    assert ASSISTANT.read(deep, secrets) == (None, None, "the JSON of the answer is too deep")


def test_what_fails_transiently_is_asked_again():
    good = assistants.saying(assistants.said("Yes."))
    with services.running(services.status(503), services.reset, good) as service:
        (reply,) = replies(service.url, "?", retries=3)
    assert (reply.text, reply.attempts) == ("Yes.", 3)


def test_an_assistant_that_never_answers_ends_as_a_failure_of_its_question():
    def pick(number: int, message: Any) -> services.Answer:
        return services.never if "slow" in message["messages"][0]["content"] else answer

    answer = assistants.saying(assistants.said("Yes."))
    with services.running(services.choosing(pick)) as service:
        first, second = replies(service.url, "quick", "slow", timeout=1.0)
    assert first.text == "Yes."
    assert second.failure == "no complete answer within 1 s"


def test_one_that_goes_down_is_not_hammered():
    good = assistants.saying(assistants.said("Yes."))
    with services.running(good, services.status(503)) as service:
        found = replies(service.url, *map(str, range(40)), limit=4)
    assert [reply.text for reply in found].count("Yes.") == 1
    assert any(reply.failure and reply.failure.startswith("not asked: ") for reply in found)
    assert len(service.messages) < 20


def test_nobody_there_is_an_error_before_anything_is_counted():
    with services.refusing() as url, pytest.raises(UnreachableError, match="refuses connections"):
        replies(url, "?")


def test_an_expression_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"^answer: 'a\.\[' is not a JMESPath expression"):
        path("a.[", "answer")
