"""Requests of a chat, and which of their parameters an error is about."""

from dataclasses import replace
from typing import Any

import orjson
import pytest
from cases import check_each, tables
from client.answers import rows

from benchbench.client.chat_request import Dialect, problem, refused_parameter

TABLES = tables(__file__)

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


def test_an_error_is_about_one_parameter_or_about_something_else():
    def check_case(row: dict[str, Any]) -> None:
        assert refused_parameter(row["status"], problem(orjson.dumps(row["body"]).decode())) == row["parameter"]

    check_each(check_case, rows("chat_errors.jsonl"))


def test_an_error_that_is_no_json_is_read_too():
    assert refused_parameter(400, problem("unknown field: response_format")) == "response_format"
    assert refused_parameter(400, problem("<html>Bad Request</html>")) is None
    assert problem("[" * 100_000).message
    assert len(problem('{"error": {"message": "' + "x" * 9999 + '"}}').message) == 2000


@pytest.mark.parametrize(("error", "is_empty"), TABLES["quota"])
def test_an_account_with_nothing_left_is_told_from_a_rate(error: dict[str, str], is_empty: bool):
    assert problem(orjson.dumps({"error": error}).decode()).is_out_of_quota == is_empty
