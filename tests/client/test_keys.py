import pytest
import yarl

from benchbench.client.chat import ChatModel
from benchbench.client.headers import Headers, read_headers
from benchbench.client.keys import check_the_key
from benchbench.client.profiles import Profile
from benchbench.client.service import Service

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
