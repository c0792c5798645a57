"""Options that name a language model, how it is asked, and what it costs."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli import common, options
from benchbench.cli.numbers import Number
from benchbench.cli.parameters import PATH, Choice
from benchbench.tables.numbers import COUNT, SEED, TEMPERATURE, TOKENS

if TYPE_CHECKING:
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SETTINGS = (
    "base_url", "api_key_env", "azure_endpoint", "azure_deployment", "azure_api_version", "temperature", "max_tokens",
    "structured", "concurrency", "ca_file", "timeout", "retry_for", "retries",
)  # fmt: skip


def model_options(command: _Command) -> Callable[..., Any]:
    """Add the options that name a model, say how it is asked, and what it costs.

    The command receives `model`, which returns the `ChatModel`, and `price`, which returns its `Price` or None where
    nobody knows it; both raise InputError. Both take values, such as `base_url`, for options that are not given.
    """

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        model: str,
        headers: tuple[str, ...],
        model_seed: int | None,
        rpm: int | None,
        tpm: int | None,
        price: str | None,
        prices: Path | None,
        **others: Any,
    ) -> Any:
        given: dict[str, Any] = {"model": model, **{name: others.pop(name) for name in _SETTINGS}}

        def named(**usual: str) -> "ChatModel":
            from benchbench.client.chat import ChatModel
            from benchbench.client.headers import read_headers

            return ChatModel(
                headers=read_headers(headers),
                seed=model_seed,
                requests_per_minute=rpm,
                tokens_per_minute=tpm,
                **{**given, **{name: value for name, value in usual.items() if not given[name]}},
            )

        def priced(**usual: str) -> "Price | None":
            from benchbench.client.prices import price as found

            return found(named(**usual).name, price, prices)

        return command(*arguments, model=named, price=priced, **others)

    for option in reversed(_MODEL_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_MODEL_OPTIONS = (
    click.option(
        "--model", metavar="NAME", default="", help="The model, as the endpoint calls it, such as gpt-4o-mini."
    ),
    click.option(
        "--base-url",
        metavar="URL",
        default="",
        help="OpenAI-compatible API, such as http://127.0.0.1:8000/v1.  [default: OPENAI_BASE_URL, else OpenAI]",
    ),
    click.option(
        "--api-key-env",
        metavar="VAR",
        default="",
        help="Variable of the environment that has the key.  [default: OPENAI_API_KEY, AZURE_OPENAI_API_KEY]",
    ),
    click.option(
        "--azure-endpoint",
        metavar="URL",
        default="",
        help="Resource of Azure OpenAI.  [default: AZURE_OPENAI_ENDPOINT]",
    ),
    click.option(
        "--azure-deployment", metavar="NAME", default="", help="Deployment of Azure OpenAI.  [default: --model]"
    ),
    click.option(
        "--azure-api-version",
        metavar="VERSION",
        default="",
        help="Of Azure OpenAI, such as 2024-10-21; without one, its newer API without versions is used.",
    ),
    click.option(
        "--temperature",
        type=Number(TEMPERATURE),
        default=0.0,
        show_default=True,
        help="Of the model; left out where the endpoint refuses it.",
    ),
    click.option("--model-seed", type=Number(SEED), help="Seed that the endpoint is sent."),
    click.option(
        "--max-tokens",
        type=Number(TOKENS),
        default=2048,
        show_default=True,
        help="Most tokens of one answer, reasoning included.",
    ),
    click.option(
        "--structured",
        type=Choice(["auto", "schema", "object", "none"]),
        default="auto",
        show_default=True,
        help="What the endpoint is asked to hold answers to: the JSON Schema, any JSON object, or nothing; auto: the "
        "first of these that it takes.",
    ),
    click.option("--rpm", type=Number(COUNT), help="Most requests per minute.  [default: as the endpoint says]"),
    click.option("--tpm", type=Number(COUNT), help="Most tokens per minute.  [default: as the endpoint says]"),
    click.option(
        "--price",
        metavar="IN,OUT",
        help="US dollars per million tokens, in and out.  [default: from the list of prices]",
    ),
    click.option("--prices", type=PATH, help="List of prices (TOML) that goes before the one built in."),
    common.concurrency(8),
    options.header,
    options.ca_file,
    options.timeout(120.0),
    options.retry_for("10min"),  # limits per minute, and what others use up of them, outlast a minute
    options.retries,
)
