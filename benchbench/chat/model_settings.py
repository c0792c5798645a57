"""What names a language model, and how it is asked."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from benchbench.results.ranges import COUNT, SEED, TEMPERATURE, TOKENS
from benchbench.results.settings import (
    ADVANCED,
    SERVICE,
    CaFile,
    Concurrency,
    Opt,
    Retries,
    RetryFor,
    Timeout,
    in_section,
)

Structured = Literal["auto", "schema", "object", "none"]


@in_section(ADVANCED)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class ModelSettings:
    """What names a language model, and how it is asked."""

    model: Annotated[str, Opt("The model, as the endpoint calls it.", metavar="NAME", section=SERVICE)] = field(
        default="", kw_only=False
    )
    base_url: Annotated[
        str,
        Opt(
            "OpenAI-compatible API.",
            default="OpenAI",
            metavar="URL",
            section=SERVICE,
        ),
    ] = field(default="", kw_only=False)
    api_key_env: Annotated[
        str,
        Opt(
            "Variable with the key.",
            default="OPENAI_API_KEY",
            metavar="VAR",
            section=SERVICE,
        ),
    ] = ""
    azure_endpoint: Annotated[str, Opt("Resource of Azure OpenAI.", default="AZURE_OPENAI_ENDPOINT", metavar="URL")] = (
        ""
    )
    azure_deployment: Annotated[str, Opt("Deployment of Azure OpenAI.", default="--model", metavar="NAME")] = ""
    azure_api_version: Annotated[
        str,
        Opt(
            "Version of Azure OpenAI, such as 2024-10-21.",
            metavar="VERSION",
        ),
    ] = ""
    temperature: Annotated[float | None, Opt("Temperature, where the endpoint takes one.", TEMPERATURE)] = 0.0
    seed: Annotated[
        int | None, Opt("Seed to send to the endpoint.", SEED, ("--model-seed",), parameter="model_seed")
    ] = None
    max_tokens: Annotated[int, Opt("Most tokens of one answer.", TOKENS)] = 2048
    structured: Annotated[
        Structured,
        Opt("Ask for JSON as."),
    ] = "auto"
    requests_per_minute: Annotated[
        int | None, Opt("Most requests per minute.", COUNT, ("--rpm",), "as the endpoint says", parameter="rpm")
    ] = None
    tokens_per_minute: Annotated[
        int | None, Opt("Most tokens per minute.", COUNT, ("--tpm",), "as the endpoint says", parameter="tpm")
    ] = None
    concurrency: Concurrency = 8
    ca_file: CaFile = None
    timeout: Timeout = 120.0
    retry_for: RetryFor = 600.0  # limits per minute, and what others use up of them, outlast a minute
    retries: Retries = None
