"""Requests of a chat, and which of their parameters an error is about."""

from dataclasses import replace

import orjson
import pytest
from cases import check_rows

from benchbench.client.chat_request import Dialect, problem, refused_parameter

DIALECT = Dialect("m", 0.0, 7, 100, "schema")
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def sent(dialect: Dialect) -> dict[str, object]:
    request: dict[str, object] = orjson.loads(dialect.body("be just", "is it?", SCHEMA, "verdict"))
    return request


def test_a_request_has_the_schema_the_texts_and_what_bounds_the_answer():
    assert sent(DIALECT) == {
        "model": "m",
        "messages": [{"role": "system", "content": "be just"}, {"role": "user", "content": "is it?"}],
        "max_tokens": 100,
        "temperature": 0.0,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
        },
    }


@pytest.mark.parametrize("structured", ["object", "none"])
def test_where_the_endpoint_takes_no_schema_the_model_reads_it(structured: str):
    request = sent(replace(DIALECT, structured=structured))
    assert request.get("response_format") == ({"type": "json_object"} if structured == "object" else None)
    system = request["messages"][0]["content"]
    assert system.startswith("be just\n\nThe answer is one JSON value")
    assert system.endswith(orjson.dumps(SCHEMA).decode())


def test_half_a_character_is_replaced_and_fails_nothing():
    request = orjson.loads(DIALECT.body("be \ud800 just", "is \udfff it?", SCHEMA, "verdict"))
    assert [one["content"] for one in request["messages"]] == ["be ? just", "is ? it?"]


def test_each_parameter_that_is_refused_is_left_out_or_replaced():
    assert "temperature" not in sent(DIALECT.without("temperature"))
    assert "seed" not in sent(DIALECT.without("seed"))
    other = sent(DIALECT.without("max_tokens"))
    assert ("max_tokens" in other, other["max_completion_tokens"]) == (False, 100)
    merged = sent(DIALECT.without("system"))
    assert merged["messages"] == [{"role": "user", "content": "be just\n\nis it?"}]
    assert DIALECT.without("response_format").structured == "object"
    assert DIALECT.without("response_format").without("response_format").structured == "none"


def test_what_has_nothing_left_to_change_is_not_asked_for_ever():
    weakest = replace(DIALECT, structured="none", limits=("max_tokens",), temperature=None, seed=None, system=False)
    for parameter in ("response_format", "max_tokens", "temperature", "seed", "system"):
        assert weakest.without(parameter) is None


def test_a_structure_that_was_ordered_is_not_given_up():
    assert replace(DIALECT, may_fall_back=False).without("response_format") is None


ERRORS = [  # as endpoints write them
    (
        "max_tokens",
        400,
        {
            "error": {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        },
    ),
    (
        "temperature",
        400,
        {
            "error": {
                "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
                "value is supported.",
                "type": "invalid_request_error",
                "param": "temperature",
                "code": "unsupported_value",
            }
        },
    ),
    (
        "response_format",
        400,
        {
            "error": {
                "message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this "
                "model. Learn more about supported models at the Structured Outputs guide.",
                "type": "invalid_request_error",
                "param": None,
                "code": None,
            }
        },
    ),
    (
        "response_format",
        400,
        {
            "error": {
                "message": "response_format value as json_schema is enabled only for api versions 2024-08-01-preview "
                "and later",
                "type": "invalid_request_error",
                "code": "BadRequest",
            }
        },
    ),
    (
        "response_format",
        400,
        {
            "error": {
                "message": "Invalid schema for response_format 'verdict': In context=(), 'minimum' is not permitted.",
                "type": "invalid_request_error",
                "param": "response_format",
                "code": None,
            }
        },
    ),
    (
        "response_format",
        422,
        {
            "detail": [
                {"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}
            ]
        },
    ),
    (
        "seed",
        400,
        {
            "object": "error",
            "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'not permitted'}]",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    (
        "system",
        400,
        {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400},
    ),
    (
        "system",
        400,
        {
            "error": {
                "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                "type": "invalid_request_error",
                "param": "messages[0].role",
                "code": "unsupported_value",
            }
        },
    ),
    (
        None,
        400,
        {
            "error": {
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
                "(3000 in the messages, 2000 in the completion: max_tokens). Please reduce the length of the messages.",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            }
        },
    ),
    (
        None,
        400,
        {
            "object": "error",
            "message": "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context "
            "length is 512 tokens and your request has 6 input tokens.",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    (
        None,
        400,
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management "
                "policy. Please modify your prompt and retry.",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    (None, 401, {"error": {"message": "Unsupported: temperature", "param": "temperature"}}),
    (None, 500, {"error": {"message": "response_format is not supported", "param": "response_format"}}),
    (None, 400, {"error": {"message": "The temperature outside is unsuited."}}),
    (None, 400, {"error": None}),
    (None, 400, []),
    (None, 400, {}),
    (None, 400, "no"),
]


def test_an_error_is_about_one_parameter_or_about_something_else():
    def check_case(parameter: str | None, status: int, body: object) -> None:
        assert refused_parameter(status, problem(orjson.dumps(body).decode())) == parameter

    check_rows(check_case, ERRORS)


def test_an_error_that_is_no_json_is_read_too():
    assert refused_parameter(400, problem("unknown field: response_format")) == "response_format"
    assert refused_parameter(400, problem("<html>Bad Request</html>")) is None
    assert problem("[" * 100_000).message
    assert len(problem('{"error": {"message": "' + "x" * 9999 + '"}}').message) == 2000


@pytest.mark.parametrize(
    "error",
    [
        {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"},
        {"message": "Your account is not active, please check your billing details", "code": "billing_not_active"},
        {"message": "Insufficient Balance"},
    ],
)
def test_an_account_with_nothing_left_is_told_from_a_rate(error: dict[str, str]):
    assert problem(orjson.dumps({"error": error}).decode()).is_out_of_quota


def test_a_rate_limit_is_no_empty_account():
    said = {"message": "Rate limit reached for gpt-4o on tokens per min (TPM)", "code": "rate_limit_exceeded"}
    assert not problem(orjson.dumps({"error": said}).decode()).is_out_of_quota
