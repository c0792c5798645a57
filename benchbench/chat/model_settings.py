"""What names a language model, and how it is asked."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from benchbench.results.ranges import COUNT, SEED, TEMPERATURE, TOKENS
from benchbench.results.settings import CaFile, Concurrency, Opt, Retries, RetryFor, Timeout

Structured = Literal["auto", "schema", "object", "none"]


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class ModelSettings:
    """What names a language model, and how it is asked."""

    model: Annotated[str, Opt("The model, as the endpoint calls it, such as gpt-4o-mini.", metavar="NAME")] = field(
        default="", kw_only=False
    )
    base_url: Annotated[
        str,
        Opt(
            "OpenAI-compatible API, such as http://127.0.0.1:8000/v1.",
            default="OPENAI_BASE_URL, else OpenAI",
            metavar="URL",
        ),
    ] = field(default="", kw_only=False)
    api_key_env: Annotated[
        str,
        Opt(
            "Variable of the environment that has the key.",
            default="OPENAI_API_KEY, AZURE_OPENAI_API_KEY",
            metavar="VAR",
        ),
    ] = ""
    azure_endpoint: Annotated[str, Opt("Resource of Azure OpenAI.", default="AZURE_OPENAI_ENDPOINT", metavar="URL")] = (
        ""
    )
    azure_deployment: Annotated[str, Opt("Deployment of Azure OpenAI.", default="--model", metavar="NAME")] = ""
    azure_api_version: Annotated[
        str,
        Opt(
            "Of Azure OpenAI, such as 2024-10-21; without it, the newer API without versions is used.",
            metavar="VERSION",
        ),
    ] = ""
    temperature: Annotated[
        float | None, Opt("Sampling temperature; left out where the endpoint refuses it.", TEMPERATURE)
    ] = 0.0
    seed: Annotated[
        int | None, Opt("Seed to send to the endpoint.", SEED, ("--model-seed",), parameter="model_seed")
    ] = None
    max_tokens: Annotated[int, Opt("Most tokens of one answer, reasoning included.", TOKENS)] = 2048
    structured: Annotated[
        Structured,
        Opt(
            "Format that the endpoint is asked to enforce: the JSON Schema, any JSON object, or "
            "none; auto: the first of these that it accepts."
        ),
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
