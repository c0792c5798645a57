"""Answers of chat endpoints, good and bad: a text, or one of a few reasons."""

from typing import Any

import chat_server
import orjson
import pytest
from cases import check_rows, tables

from benchbench.client.chat_answer import ChatAnswer, read

TABLES = tables(__file__)

REQUEST = {"messages": [{"role": "user", "content": "?"}]}


def said(content: Any = "yes", **others: Any) -> ChatAnswer:
    return read(orjson.dumps(chat_server.completion(REQUEST, content, **others)), 256)


def test_a_text_comes_with_counts_model_and_version():
    answer = said("yes", usage={"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}, model="gpt-4o-x")
    assert answer == ChatAnswer("yes", None, 11, 3, "gpt-4o-x", "stop", "fp_scripted", None)


def test_what_is_no_text_has_a_reason_and_shows_that_the_endpoint_is_one():
    def check(given: str, reason: str) -> None:
        content, others = orjson.loads(given)
        answer = said(content, **others)
        assert (answer.text, answer.failure, answer.is_usable) == (None, reason, True)

    check_rows(check, TABLES["no_text"].items())


def test_what_is_no_answer_of_a_chat_has_a_reason_and_makes_no_endpoint():
    def check(body: str | bytes, reason: str) -> None:
        answer = read(body.encode() if isinstance(body, str) else body, 256)
        assert (answer.text, answer.failure, answer.is_usable) == (None, reason, False)

    check_rows(check, TABLES["other"].items())
    others = ['{"choices": "错"}'.encode("gb18030"), '{"choices": []}'.encode("utf-16"), b"[" * 100_000]
    check_rows(check, [(body, "the answer is not JSON") for body in others])


def test_an_empty_list_of_choices_is_a_failure_of_one_answer():
    assert (said_none := read(b'{"choices": []}', 256)).failure == "the answer has no choices"
    assert said_none.is_usable


def test_the_reasoning_of_a_model_is_not_its_answer():
    assert said("yes", reasoning_content="no, no, no").text == "yes"


def test_a_content_in_parts_is_their_texts():
    assert said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]).text == "ab"
    assert said([{"type": "text", "text": 3}]).text is None


def test_of_a_member_that_is_there_twice_the_last_counts():
    body = b'{"choices": [], "choices": [{"message": {"content": "no", "content": "yes"}}]}'
    assert read(body, 256).text == "yes"


def test_what_there_is_of_a_text_that_is_no_answer_is_kept_apart():
    assert said('{"a": 1', finish="length").excerpt == '{"a": 1'
    assert said(None, refusal="I cannot.").excerpt == "I cannot."
    assert said("yes").excerpt is None


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "12",
        {},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": -1, "completion_tokens": 1.5},
        {"prompt_tokens": "12", "completion_tokens": True},
        {"prompt_tokens": 1 << 50, "completion_tokens": 1 << 50},
    ],
)
def test_counts_that_are_none_are_not_known(usage: Any):
    answer = said("yes", usage=usage)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ("yes", None, None)


def test_names_that_are_no_texts_are_not_known():
    body = {"model": 3, "system_fingerprint": [], "choices": [{"message": {"content": "yes"}, "finish_reason": 1}]}
    answer = read(orjson.dumps(body), 256)
    assert (answer.text, answer.model, answer.fingerprint, answer.finish) == ("yes", None, None, None)
