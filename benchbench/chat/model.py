"""A language model at an endpoint that speaks the protocol of OpenAI, Azure, vLLM and Ollama.

async with ChatModel("gpt-4o-mini").session() as session:
    reply = await session.ask("You are a judge.", "Is it relevant?", schema, "verdict")
"""

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchbench.chat.endpoint import ChatEndpoint, resolve
from benchbench.chat.model_settings import ModelSettings, Structured
from benchbench.chat.rate_limits import RateLimits
from benchbench.chat.request import LIMITS, Dialect
from benchbench.chat.session import ChatReply, ChatSession, worst_tokens
from benchbench.client.garbage import rare_collections
from benchbench.client.headers import Headers
from benchbench.client.profiles import Profile
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.results.settings import check_described, described

__all__ = ["ChatModel", "ChatReply", "ChatSession", "worst_tokens"]

_LARGEST_MB = 16  # MiB of an answer, unpacked


@described
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ChatModel(ModelSettings):
    """A language model at an endpoint; nothing is opened before `session()`.

    What is not given is read from the environment: `OPENAI_BASE_URL`, `AZURE_OPENAI_ENDPOINT` and their keys
    (docs/models.md). `repr` and `shown` have no secret. A temperature of None leaves it to the endpoint.

    Attributes
    ----------
    headers
        Further ones, sent with every request. (`--header`)
    """

    headers: Mapping[str, str] = field(default_factory=Headers)
    endpoint: ChatEndpoint = field(init=False)
    _service: Service = field(init=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be, before anything is asked."""
        headers = Headers(self.headers)
        object.__setattr__(self, "headers", headers)
        check_described(self)
        endpoint = resolve(self, headers, os.environ)
        object.__setattr__(self, "endpoint", endpoint)
        object.__setattr__(self, "model", self.model or endpoint.model)
        service = Service(
            endpoint.url,
            Profile("chat", path=endpoint.path),
            Headers({**endpoint.key, **headers}, {**endpoint.key.variables, **headers.variables}),
            ca_file=self.ca_file,
            timeout=self.timeout,
            retry_for=self.retry_for,
            retries=self.retries,
            max_response_mb=_LARGEST_MB,
            connections=self.concurrency,
        )
        object.__setattr__(self, "_service", service)

    def __repr__(self) -> str:
        """Return what may be shown."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.shown().items())
        return f"ChatModel({settings})"

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
            model=self.endpoint.model, temperature=self.temperature, seed=self.seed, max_tokens=self.max_tokens,
            structured=structured, limits=limits, may_fall_back=self.structured == "auto",
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
