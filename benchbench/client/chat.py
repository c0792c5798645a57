"""A language model at an endpoint that speaks the protocol of OpenAI, Azure, vLLM and Ollama.

async with ChatModel("gpt-4o-mini").session() as session:
    reply = await session.ask("You are a judge.", "Is it relevant?", schema, "verdict")
"""

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from benchbench.client.chat_endpoint import ChatEndpoint, Given, resolve
from benchbench.client.chat_request import LIMITS, Dialect, Structured
from benchbench.client.chat_session import ChatReply, ChatSession, worst_tokens
from benchbench.client.garbage import rare_collections
from benchbench.client.headers import Headers
from benchbench.client.profiles import Profile
from benchbench.client.rate_limits import PATIENCE, RateLimits
from benchbench.client.service import Service
from benchbench.errors import InputError, visible
from benchbench.tables.numbers import COUNT, PLACES, SECONDS, SEED, TEMPERATURE, TIMEOUT, TOKENS, check

__all__ = ["ChatModel", "ChatReply", "ChatSession", "worst_tokens"]

_LARGEST_MB = 16  # MiB of an answer, unpacked


@dataclass(frozen=True, slots=True, repr=False)
class ChatModel:
    """A language model at an endpoint; nothing is opened before `session()`.

    What is not given is read from the environment: `OPENAI_BASE_URL`, `AZURE_OPENAI_ENDPOINT` and their keys
    (docs/models.md). `repr` and `shown` have no secret.

    Attributes
    ----------
    model
        Its name at the endpoint. (`--model`)
    base_url
        Where the API is, such as `http://127.0.0.1:8000/v1`. (`--base-url`)
    api_key_env
        Variable that has the key, where that is not the usual one. (`--api-key-env`)
    azure_endpoint, azure_deployment, azure_api_version
        Of Azure OpenAI; without a version, its newer API is used. (`--azure-…`)
    headers
        Further ones, sent with every request. (`--header`)
    temperature
        None leaves it to the endpoint. (`--temperature`)
    seed
        Sent where it is given. (`--model-seed`)
    max_tokens
        Of an answer, reasoning included. (`--max-tokens`)
    structured
        How an answer is held to its schema: by the schema, as a JSON object, not at all, or the first of these that
        the endpoint takes. (`--structured`)
    requests_per_minute, tokens_per_minute
        Limits that are kept; None: as the endpoint says. (`--rpm`, `--tpm`)
    concurrency
        Requests under way at once. (`--concurrency`)
    ca_file, timeout
        As `Service` has them.
    retry_for
        Seconds for which an outage, or an endpoint that refuses requests for their rate, is waited for; 600 by default.
        (`--retry-for`)
    retries
        As `Service` has it.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    azure_endpoint: str = ""
    azure_deployment: str = ""
    azure_api_version: str = ""
    headers: Mapping[str, str] = field(default_factory=Headers)
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int = 2048
    structured: Structured = "auto"
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int = 8
    ca_file: Path | None = None
    timeout: float = 120.0
    retry_for: float = PATIENCE
    retries: int | None = None

    endpoint: ChatEndpoint = field(init=False)
    _service: Service = field(init=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be, before anything is asked."""
        headers = Headers(self.headers)
        object.__setattr__(self, "headers", headers)
        check(self, max_tokens=TOKENS, concurrency=PLACES, timeout=TIMEOUT, retry_for=SECONDS)
        for name, (option, allowed) in _OPTIONAL.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, allowed.take(value, option))
        if self.structured not in get_args(Structured):
            raise InputError(f"--structured {visible(str(self.structured))} is not one of auto, schema, object, none")
        given = Given(
            self.model, self.base_url, self.api_key_env,
            self.azure_endpoint, self.azure_deployment, self.azure_api_version,
        )  # fmt: skip
        endpoint = resolve(given, self.headers, os.environ)
        object.__setattr__(self, "endpoint", endpoint)
        object.__setattr__(self, "model", self.model or endpoint.model)
        service = Service(
            endpoint.url,
            Profile("chat", path=endpoint.path),
            Headers({**endpoint.key, **headers}, {**endpoint.key.variables, **headers.variables}),
            self.ca_file,
            self.timeout,
            self.retry_for,
            self.retries,
            _LARGEST_MB,
            self.concurrency,
        )
        object.__setattr__(self, "_service", service)

    def __repr__(self) -> str:
        """Return what may be shown."""
        said = ", ".join(f"{name}={value!r}" for name, value in self.shown().items())
        return f"ChatModel({said})"

    @property
    def name(self) -> str:
        """Return what labels and records call the model."""
        return self.model

    def sampling(self) -> dict[str, Any]:
        """Return all that an answer depends on beside the texts, as JSON values."""
        return {
            "model": self.model,
            "url": self._service.shown()["url"],
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "structured": self.structured,
        }

    def shown(self) -> dict[str, Any]:
        """Return the settings as JSON values, without a secret."""
        reach = self._service.shown()
        return {
            **self.sampling(),
            "url_from": self.endpoint.source,
            "key_from": self.endpoint.key_source,
            "requests_per_minute": self.requests_per_minute,
            "tokens_per_minute": self.tokens_per_minute,
            "concurrency": self.concurrency,
            "headers": sorted(self.headers),
            **{name: reach[name] for name in ("ca_file", "timeout", "retry_for", "retries")},
        }

    def dialect(self) -> Dialect:
        """Return what is sent until the endpoint refuses some of it."""
        limits = LIMITS[::-1] if self.endpoint.is_openai else LIMITS
        structured: Structured = "schema" if self.structured == "auto" else self.structured
        return Dialect(
            self.endpoint.model, self.temperature, self.seed, self.max_tokens,
            structured, limits, may_fall_back=self.structured == "auto",
        )  # fmt: skip

    @contextlib.asynccontextmanager
    async def session(self) -> AsyncIterator[ChatSession]:
        """Open connections, for as long as the block lasts.

        Raises
        ------
        InputError
            When the key is missing that the endpoint takes.
        """
        if self.endpoint.key_problem is not None:
            raise InputError(self.endpoint.key_problem)
        async with self._service.transport() as transport:
            transport.keeps_headers = True
            limits = RateLimits(
                self.requests_per_minute, self.tokens_per_minute, self.concurrency, self.max_tokens, self.retry_for
            )
            retry = self._service.retry()
            with rare_collections():
                key = self._service.key_advice()
                yield ChatSession(self.endpoint, self.dialect(), transport, retry, limits, self.concurrency, key)


_OPTIONAL = {
    "temperature": ("--temperature", TEMPERATURE),
    "seed": ("--model-seed", SEED),
    "requests_per_minute": ("--rpm", COUNT),
    "tokens_per_minute": ("--tpm", COUNT),
}
