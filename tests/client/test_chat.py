"""The settings of a model: refused early, shown without secrets."""

from typing import Any

import pytest
from cases import tables
from chat_server import ChatServer, good

from benchbench.client.chat import ChatModel
from benchbench.client.sync import run_sync
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
