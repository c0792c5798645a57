"""Options that name a model."""

import click
import pytest
from click.testing import CliRunner

from benchbench.chat.model import ChatModel
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.signatures import described_command
from benchbench.errors import InputError


@described_command("ask")
def command(asked: ModelOptions) -> None:
    click.echo(f"{asked.chat_model()!r}\n{asked.priced()!r}")


def said(*line: str, environment: dict[str, str] | None = None) -> str:
    empty = dict.fromkeys(("OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_KEY"), "")
    result = CliRunner().invoke(command, line, env={**empty, **(environment or {})})
    if isinstance(result.exception, InputError):
        return str(result.exception)
    assert result.exit_code == 0, result.output
    return result.output


def test_options_are_the_settings_of_the_model(monkeypatch: pytest.MonkeyPatch):
    output = said(
        "--model", "m", "--base-url", "http://host:1/v1", "--temperature", "0.5", "--model-seed", "3",
        "--max-tokens", "99", "--structured", "object", "--rpm", "5", "--tpm", "6000", "--concurrency", "2",
        "--timeout", "9", "--retry-for", "2m", "--header", "X-Team: law",
    )  # fmt: skip
    expected = ChatModel(
        "m", "http://host:1/v1", temperature=0.5, seed=3, max_tokens=99, structured="object",
        requests_per_minute=5, tokens_per_minute=6000, concurrency=2, timeout=9.0, retry_for=120.0,
        headers={"X-Team": "law"},
    )  # fmt: skip
    assert output == f"{expected!r}\nNone\n"


def test_without_options_the_settings_are_those_of_python():
    output = said("--model", "gpt-4o-mini", "--base-url", "http://host:1/v1")
    assert output.startswith(f"{ChatModel('gpt-4o-mini', 'http://host:1/v1')!r}\n")
    assert "Price(input=0.15, output=0.6" in output


def test_a_price_is_given_or_looked_up():
    line = ("--model", "gpt-4o", "--base-url", "http://host:1/v1")
    assert "Price(input=1.0, output=2.0, date='', source='--price')" in said(*line, "--price", "1,2")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("--base-url", "http://host:1/v1"), "--model is missing"),
        (("--model", "m", "--temperature", "9"), "--temperature is a number from 0 to 2, and not 9"),
        (("--model", "m", "--rpm", "0"), "--rpm is a whole number from 1"),
        (("--model", "m", "--structured", "x"), "--structured 'x' is not one of auto, schema, object, none"),
        (("--model", "m", "--base-url", "http://a:1", "--header", "x"), "--header takes 'Name: value'"),
        (("--model", "m", "--base-url", "http://a:1", "--price", "3"), "--price is two numbers"),
    ],
)
def test_what_cannot_be_is_refused_by_its_option(line: tuple[str, ...], message: str):
    assert said(*line).startswith(message)


def test_variables_name_the_endpoint_and_are_said():
    output = said("--model", "m", environment={"OPENAI_BASE_URL": "http://host:1/v1"})
    assert "url='http://host:1/v1/chat/completions'" in output
    assert "url_from='OPENAI_BASE_URL'" in output
