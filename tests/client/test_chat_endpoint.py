"""Where a model is asked and with which key, from options and variables."""

from typing import Any

import pytest
from cases import tables

from benchbench.client.chat_endpoint import ChatEndpoint, Given, resolve
from benchbench.client.transport import endpoint
from benchbench.errors import InputError

TABLES = tables(__file__)

KEY = "sk-0123456789abcdef"


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


@pytest.mark.parametrize(("url", "completions"), TABLES["base"].items())
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
@pytest.mark.parametrize(("url", "completions"), TABLES["portal"].items())
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
        "the environment variable OPENAI_API_KEY is not set: https://api.openai.com/v1 takes a key, and it is read "
        "from there; --api-key-env names another variable"
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


@pytest.mark.parametrize(("given", "message"), TABLES["refused"])
def test_what_cannot_be_an_endpoint_is_refused(given: dict[str, str], message: str):
    with pytest.raises(InputError, match=message):
        resolved(**given)


def test_a_key_in_a_header_and_one_in_a_variable_are_one_too_many():
    with pytest.raises(InputError, match="--api-key-env and --header Api-Key are both given"):
        resolved({"K": KEY}, {"Api-Key": "x"}, base_url="http://a:1", api_key_env="K")
