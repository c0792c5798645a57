"""The settings of a model: refused early, shown without secrets."""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import chat_server
import orjson
import pytest
import yarl
from cases import check_each, check_rows, tables
from chat_server import ChatServer, good
from client.answers import rows

from benchbench.chat.answer import ChatAnswer, read
from benchbench.chat.endpoint import ChatEndpoint, resolve
from benchbench.chat.model import ChatModel
from benchbench.chat.model_settings import ModelSettings
from benchbench.chat.prices import Price, price
from benchbench.chat.request import Dialect, problem, refused_parameter
from benchbench.client.headers import Headers, read_headers
from benchbench.client.keys import check_the_key
from benchbench.client.profiles import Profile
from benchbench.client.service import Service
from benchbench.client.sync import run_sync
from benchbench.client.transport import endpoint
from benchbench.errors import InputError

TABLES = tables(__file__)


KEY = "sk-0123456789abcdef"


def test_a_model_is_named_and_shown_without_its_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", KEY)
    model = ChatModel(
        "gpt-4o-mini",
        f"https://me:{KEY}@host/v1?key={KEY}",
        api_key_env="",
        headers={"X-Team": KEY},
        requests_per_minute=60,
    )
    assert model.name == "gpt-4o-mini"
    shown = model.shown()
    assert (shown["url"], shown["url_from"]) == ("https://host/v1/chat/completions", "--base-url")
    assert (shown["headers"], shown["requests_per_minute"]) == (["X-Team"], 60)
    named = ChatModel("m", "http://host/v1", api_key_env="MY_KEY")
    assert named.shown()["key_from"] == "MY_KEY"
    for text in (
        repr(model),
        str(shown),
        repr(named),
        str(named.shown()),
        repr(named.endpoint),
        repr(named.sampling()),
    ):
        assert KEY not in text


def test_what_an_answer_depends_on_is_apart_from_how_it_is_asked():
    one = ChatModel("m", "http://host/v1", concurrency=8, timeout=10).sampling()
    assert one == ChatModel("m", "http://host/v1", concurrency=64, timeout=20, requests_per_minute=5).sampling()
    assert one != ChatModel("m", "http://host/v1", temperature=0.5).sampling()
    assert one != ChatModel("m", "http://host/v1", seed=1).sampling()
    assert one != ChatModel("m", "http://other/v1").sampling()


def test_a_deployment_of_azure_may_have_another_name_than_its_model():
    model = ChatModel("gpt-4o", azure_endpoint="https://r.openai.azure.com", azure_deployment="judge")
    assert (model.name, model.endpoint.model, model.dialect().model) == ("gpt-4o", "judge", "judge")
    only = ChatModel(azure_endpoint="https://r.openai.azure.com", azure_deployment="judge")
    assert only.name == "judge"


def test_openai_is_asked_with_the_newer_name_of_the_bound_and_others_with_the_older(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    assert ChatModel("m").dialect().limits[0] == "max_completion_tokens"
    assert ChatModel("m", "http://host/v1").dialect().limits[0] == "max_tokens"


@pytest.mark.parametrize(("settings", "message"), TABLES["refused"])
def test_what_cannot_be_is_refused_before_anything_is_asked(settings: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        ChatModel("m", **{"base_url": "http://host/v1", **settings})


def test_azure_gets_its_key_and_its_version_and_the_bound_by_its_newer_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)

    async def ask(model: ChatModel) -> str | None:
        async with model.session() as session:
            return (await session.ask("s", "u", {"type": "integer"}, "v")).text

    with ChatServer(good(1)) as server:
        settings = {"azure_endpoint": server.root, "azure_deployment": "judge"}
        assert run_sync(ask(ChatModel("m", azure_api_version="2024-10-21", **settings))) == "1"
        assert run_sync(ask(ChatModel("m", **settings))) == "1"
    assert server.paths == [
        "/openai/deployments/judge/chat/completions?api-version=2024-10-21",
        "/openai/v1/chat/completions",
    ]
    assert [one["api-key"] for one in server.headers] == [KEY, KEY]
    assert all("authorization" not in one for one in server.headers)
    assert [one["model"] for one in server.requests] == ["judge", "judge"]
    assert server.requests[0]["max_completion_tokens"] == 2048


def test_a_further_header_is_sent(monkeypatch: pytest.MonkeyPatch):
    async def ask(model: ChatModel) -> None:
        async with model.session() as session:
            await session.ask("s", "u", {"type": "integer"}, "v")

    with ChatServer(good(1)) as server:
        run_sync(ask(ChatModel("m", server.url, headers={"X-Team": "law"})))
    assert server.headers[0]["x-team"] == "law"


# Answers of chat endpoints, good and bad: a text, or one of a few reasons

CHAT_ANSWER_TABLES = tables(__file__, "chat_answer")


REQUEST = {"messages": [{"role": "user", "content": "?"}]}


def said(content: Any = "yes", **others: Any) -> ChatAnswer:
    return read(orjson.dumps(chat_server.completion(REQUEST, content, **others)), 256)


def test_a_text_comes_with_counts_model_and_version():
    answer = said("yes", usage={"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}, model="gpt-4o-x")
    assert answer == ChatAnswer(
        text="yes", tokens_in=11, tokens_out=3, model="gpt-4o-x", finish="stop", fingerprint="fp_scripted"
    )


def test_what_is_no_text_has_a_reason_and_shows_that_the_endpoint_is_one():
    def check(given: str, reason: str) -> None:
        content, others = orjson.loads(given)
        answer = said(content, **others)
        assert (answer.text, answer.failure, answer.is_usable) == (None, reason, True)

    check_rows(check, CHAT_ANSWER_TABLES["no_text"].items())


def test_what_is_no_answer_of_a_chat_has_a_reason_and_makes_no_endpoint():
    def check(body: str | bytes, reason: str) -> None:
        answer = read(body.encode() if isinstance(body, str) else body, 256)
        assert (answer.text, answer.failure, answer.is_usable) == (None, reason, False)

    check_rows(check, CHAT_ANSWER_TABLES["other"].items())
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


# Requests of a chat, and which of their parameters an error is about

CHAT_REQUEST_TABLES = tables(__file__, "chat_request")


DIALECT = Dialect(model="m", temperature=0.0, seed=7, max_tokens=100, structured="schema")


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


@pytest.mark.parametrize(("error", "is_empty"), CHAT_REQUEST_TABLES["quota"])
def test_an_account_with_nothing_left_is_told_from_a_rate(error: dict[str, str], is_empty: bool):
    assert problem(orjson.dumps({"error": error}).decode()).is_out_of_quota == is_empty


# Where a model is asked and with which key, from options and variables

CHAT_ENDPOINT_TABLES = tables(__file__, "chat_endpoint")


@dataclass(frozen=True, slots=True)
class Given(ModelSettings):
    """Settings without an endpoint."""


def resolved(environment: dict[str, str] | None = None, headers: dict[str, str] | None = None, **given: Any) -> Any:
    return resolve(Given(**{"model": "m", **given}), headers or {}, environment or {})


def asked(one: ChatEndpoint) -> str:
    return str(endpoint(one.url, one.path))


def test_openai_is_where_nothing_else_is_said():
    one = resolved({"OPENAI_API_KEY": KEY})
    assert asked(one) == "https://api.openai.com/v1/chat/completions"
    assert (dict(one.key), one.source, one.key_source) == (
        {"Authorization": f"Bearer {KEY}"},
        "the default",
        "OPENAI_API_KEY",
    )
    assert KEY not in repr(one)


@pytest.mark.parametrize(("url", "completions"), CHAT_ENDPOINT_TABLES["base"].items())
def test_a_base_url_is_what_sdks_take_and_without_a_path_gets_v1(url: str, completions: str):
    assert asked(resolved(base_url=url)) == completions
    assert asked(resolved({"OPENAI_BASE_URL": url})) == completions


def test_the_address_says_where_it_comes_from():
    assert resolved(base_url="http://a:1").source == "--base-url"
    assert resolved({"OPENAI_BASE_URL": "http://a:1"}).source == "OPENAI_BASE_URL"
    assert resolved({"OPENAI_BASE_URL": "http://a:1"}, base_url="http://b:1").source == "--base-url"
    assert resolved({"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}).source == "AZURE_OPENAI_ENDPOINT"


def test_azure_is_asked_by_deployment_with_a_version():
    one = resolved(
        {"AZURE_OPENAI_API_KEY": KEY},
        model="gpt-4o",
        azure_endpoint="https://r.openai.azure.com/",
        azure_deployment="judge 1",
        azure_api_version="2024-10-21",
    )
    path = "/openai/deployments/judge%201/chat/completions?api-version=2024-10-21"
    assert asked(one) == f"https://r.openai.azure.com{path}"
    assert (one.model, dict(one.key), one.is_openai) == ("judge 1", {"api-key": KEY}, True)


def test_azure_is_asked_without_a_version_by_its_newer_way():
    one = resolved({"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}, model="judge")
    assert asked(one) == "https://r.openai.azure.com/openai/v1/chat/completions"
    assert (one.model, dict(one.key)) == ("judge", {"api-key": KEY})


@pytest.mark.parametrize("option", ["base_url", "azure_endpoint"])
@pytest.mark.parametrize(("url", "completions"), CHAT_ENDPOINT_TABLES["portal"].items())
def test_an_address_of_azure_may_be_given_as_the_portal_shows_it(option: str, url: str, completions: str):
    one = resolved({"AZURE_OPENAI_API_KEY": KEY}, **{option: url})
    assert asked(one) == f"https://r.openai.azure.com{completions}"
    assert dict(one.key) == {"api-key": KEY}


def test_variables_of_azure_fill_what_options_leave_open():
    environment = {
        "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com",
        "AZURE_OPENAI_API_KEY": KEY,
        "AZURE_OPENAI_DEPLOYMENT": "d",
        "OPENAI_API_VERSION": "2024-10-21",
    }
    one = resolved(environment, model="")
    assert asked(one).endswith("/openai/deployments/d/chat/completions?api-version=2024-10-21")
    assert one.model == "d"


def test_two_endpoints_in_the_environment_are_not_chosen_between():
    azure = {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "AZURE_OPENAI_API_KEY": KEY}
    with pytest.raises(InputError, match="AZURE_OPENAI_ENDPOINT and OPENAI_API_KEY, which name two endpoints"):
        resolved({**azure, "OPENAI_API_KEY": KEY})
    with pytest.raises(InputError, match="AZURE_OPENAI_ENDPOINT and OPENAI_BASE_URL"):
        resolved({**azure, "OPENAI_BASE_URL": "http://a:1"})
    assert resolved({**azure, "OPENAI_API_KEY": KEY}, base_url="http://a:1").source == "--base-url"


def test_a_key_goes_where_it_belongs_only():
    keys = {"OPENAI_API_KEY": KEY, "AZURE_OPENAI_API_KEY": "azure-0123456789abcdef"}
    assert dict(resolved(keys, base_url="http://elsewhere:8000").key) == {}
    assert dict(resolved(keys, base_url="https://r.openai.azure.com/openai/v1").key) == {
        "api-key": "azure-0123456789abcdef"
    }
    named = resolved(keys, base_url="http://elsewhere:8000", api_key_env="OPENAI_API_KEY")
    assert dict(named.key) == {"Authorization": f"Bearer {KEY}"}
    own = resolved({**keys, "OPENAI_BASE_URL": "http://elsewhere:8000"})
    assert dict(own.key) == {"Authorization": f"Bearer {KEY}"}


def test_a_host_that_only_looks_like_one_of_theirs_gets_no_key():
    keys = {"OPENAI_API_KEY": KEY, "AZURE_OPENAI_API_KEY": KEY}
    for url in (
        "http://api.openai.com",
        "https://api.openai.com.evil.test",
        "https://evil.test/api.openai.com",
        "https://xopenai.azure.com",
    ):
        assert dict(resolved(keys, base_url=url).key) == {}


def test_a_key_that_is_missing_is_told_by_the_variable_and_only_when_it_is_needed():
    assert resolved().key_problem == (
        "the environment variable OPENAI_API_KEY is not set: https://api.openai.com/v1 needs a "
        "key, which is read from it; --api-key-env names another variable"
    )
    assert "AZURE_OPENAI_API_KEY" in resolved(azure_endpoint="https://r.openai.azure.com").key_problem
    assert "MY_KEY is not set" in resolved(base_url="http://a:1", api_key_env="MY_KEY").key_problem
    assert resolved(base_url="http://a:1").key_problem is None
    assert resolved(headers={"Authorization": "Bearer x"}).key_problem is None


def test_a_line_end_around_a_key_is_no_part_of_it_and_one_within_is_refused():
    assert dict(resolved({"OPENAI_API_KEY": f"{KEY}\n"}).key) == {"Authorization": f"Bearer {KEY}"}
    with pytest.raises(InputError, match="OPENAI_API_KEY has a line break") as refused:
        resolved({"OPENAI_API_KEY": f"{KEY}\r\nX: 1"})
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(("given", "message"), CHAT_ENDPOINT_TABLES["refused"])
def test_what_cannot_be_an_endpoint_is_refused(given: dict[str, str], message: str):
    with pytest.raises(InputError, match=message):
        resolved(**given)


def test_a_key_in_a_header_and_one_in_a_variable_are_one_too_many():
    with pytest.raises(InputError, match="--api-key-env and --header Api-Key are both given"):
        resolved({"K": KEY}, {"Api-Key": "x"}, base_url="http://a:1", api_key_env="K")


# Keys

URL = yarl.URL("http://h:1")


@pytest.mark.parametrize(
    ("lines", "token_env", "advice"),
    [
        ([], None, None),
        (["Accept: text/plain"], None, None),
        ([], "KEY", "check the key in Authorization (variable KEY)"),
        (["api-key: ${KEY}"], None, "check the key in api-key (variable KEY)"),
        (["X-Tenant: ${KEY}"], None, "check the key in X-Tenant (variable KEY)"),
        (["Authorization: Basic abc"], None, "check the key in Authorization"),
        (["X: ${KEY}-${OTHER}"], None, "check the key in X (variables KEY and OTHER)"),
        (["Cookie: ${OTHER}"], "KEY", "check the key in Cookie (variable OTHER) and Authorization (variable KEY)"),
    ],
)
def test_headers_with_a_key_are_named_with_their_variables(monkeypatch, lines, token_env, advice):
    monkeypatch.setenv("KEY", "value-1")
    monkeypatch.setenv("OTHER", "value-2")
    headers = read_headers(lines, token_env)
    assert check_the_key(headers, URL) == advice
    assert Service(str(URL), Profile("any"), headers).key_advice() == advice
    assert check_the_key(Headers(headers), URL) == advice


@pytest.mark.parametrize(
    ("url", "variables", "advice"),
    [
        ("http://me:pass@h", [], "check the key in the URL"),
        ("http://h/?api_key=1", [], "check the key in the URL"),
        ("http://h/?q=1", [], None),
        ("http://h", ["SERP_KEY"], "check the key in the request (variable SERP_KEY)"),
    ],
)
def test_keys_that_are_in_no_header_are_named_too(url, variables, advice):
    assert check_the_key({}, yarl.URL(url), variables) == advice


def test_headers_from_python_have_no_variables_and_a_header_given_anew_loses_that_of_the_protocol(monkeypatch):
    monkeypatch.setenv("KEY", "value-1")
    profile = Profile("any", headers=read_headers(["api-key: ${KEY}"]))
    assert Service(str(URL), profile).key_advice() == "check the key in api-key (variable KEY)"
    assert Service(str(URL), profile, {"Api-Key": "other"}).key_advice() == "check the key in Api-Key"


def test_the_key_of_a_model_is_named(monkeypatch):
    monkeypatch.setenv("KEY", "value-1")
    model = ChatModel("m", "http://h:1/v1", api_key_env="KEY")
    assert model._service.key_advice() == "check the key in Authorization (variable KEY)"


# Prices of models: data with a date, never a guess

ROW = """
[[price]]
models = ["llama", "llama-large"]
input = 1
output = 2.5
date = 2026-05-31
source = "the contract"
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(ROW, encoding="utf-8")
    return path


def test_a_model_that_is_known_has_a_price_with_its_day_and_its_source():
    known = price("gpt-4o-mini")
    assert known is not None
    assert (known.input, known.output) == (0.15, 0.6)
    assert datetime.date.fromisoformat(known.date)
    assert known.source.startswith("https://")


def test_a_version_costs_what_its_model_costs_unless_it_has_a_price_of_its_own():
    assert price("gpt-4o-2024-08-06") == price("gpt-4o")
    assert price("claude-sonnet-4-5-20250929") == price("claude-sonnet-4-5")
    assert price("gpt-4o-2024-05-13") != price("gpt-4o")


@pytest.mark.parametrize("model", ["llama", "", "gpt", "gpt-4o-", "GPT-4O", "my-gpt-4o", "gpt-4o-mini-audio"])
def test_a_model_that_nobody_knows_has_no_price(model: str):
    assert price(model) is None


def test_a_price_that_is_given_goes_before_all_lists(written: Path):
    assert price("gpt-4o", "2.5, 10", written) == Price(2.5, 10.0, "", "--price")
    assert price("unknown", "0,0") == Price(0.0, 0.0, "", "--price")


def test_a_list_goes_before_the_one_built_in(written: Path):
    assert price("llama-large", file=written) == Price(1.0, 2.5, "2026-05-31", "the contract")
    assert price("gpt-4o", file=written) == price("gpt-4o")
    written.write_text(ROW.replace("llama-large", "gpt-4o"), encoding="utf-8")
    assert price("gpt-4o", file=written) == Price(1.0, 2.5, "2026-05-31", "the contract")


def test_a_cost_is_of_both_kinds_of_tokens_and_not_known_where_one_is_not():
    one = Price(2.0, 8.0, "2026-05-31", "a page")
    assert one.cost(1_000_000, 500_000) == 6.0
    assert one.cost(0, 0) == 0.0
    assert one.cost(None, 5) is None
    assert one.cost(5, None) is None


def test_a_price_older_than_180_days_is_said():
    one = Price(2.0, 8.0, "2026-01-01", "https://prices")
    assert one.warning(datetime.date(2026, 6, 30)) is None
    said = one.warning(datetime.date(2026, 7, 1))
    assert said == (
        "the price of 2 and 8 US dollars per million tokens was read 181 days ago, on 2026-01-01 (https://prices): "
        "look up today's price there and give it with --price IN,OUT"
    )
    assert Price(2.0, 8.0, "", "--price").warning() is None


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "1,nan", "1;2", "inf,1"])
def test_what_is_no_price_is_refused(text: str):
    with pytest.raises(InputError, match=r"^--price is"):
        price("m", text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "prices.toml is empty"),
        (lambda text: "a = 1", r"prices.toml has no \[\[price\]\]"),
        (lambda text: "price = 3", r"prices.toml has no \[\[price\]\]"),
        (lambda text: "price = [3]", r"prices.toml has no \[\[price\]\]"),
        (
            lambda text: text.replace("input = 1", ""),
            "prices.toml, price 1: `input` is missing; its members are ",
        ),
        (lambda text: text + "more = 1", "price 1: more is not known; known are models, input, output, date, source"),
        (
            lambda text: text.replace("input = 1", "input = -1"),
            "price 1: `input` is a number from 0",
        ),
        (lambda text: text.replace("2.5", '"2.5"'), "price 1: `output` is a number from 0"),
        (lambda text: text.replace("2026-05-31", '"2026-05-31"'), "price 1: `date` is a day without quotes, such as"),
        (lambda text: text.replace("2026-05-31", "2026-05-31T10:00:00"), "price 1: `date` is a day"),
        (lambda text: text.replace("the contract", ""), "price 1: `source` is a text that says where it was read"),
        (lambda text: text.replace('["llama", "llama-large"]', "[]"), "price 1: `models` is a list of names"),
        (lambda text: text.replace('["llama", "llama-large"]', '"llama"'), "price 1: `models` is a list of names"),
        (lambda text: text.replace('"llama-large"', '""'), "price 1: `models` is a list of names"),
        (lambda text: text + ROW, "price 2: llama already has a price"),
        (lambda text: text + "[", "not TOML"),
    ],
)
def test_a_list_that_is_none_is_refused_by_file_and_row(written: Path, change, message: str):
    written.write_text(change(ROW), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        price("llama", file=written)


def test_a_list_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(InputError, match=r"--prices .*gone\.toml cannot be read"):
        price("llama", file=tmp_path / "gone.toml")
