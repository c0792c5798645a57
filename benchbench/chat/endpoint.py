"""Where a language model is asked, and with which key: from options, and from the variables that SDKs read.

A key goes where it belongs only. That of `OPENAI_API_KEY` is sent to OpenAI and to the address of `OPENAI_BASE_URL`,
that of `AZURE_OPENAI_API_KEY` to Azure; any other address gets a key when its variable is named.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import yarl

from benchbench.chat.model_settings import ModelSettings
from benchbench.client.headers import Headers
from benchbench.client.transport import shown
from benchbench.errors import InputError

OPENAI = "https://api.openai.com/v1"
COMPLETIONS = "/chat/completions"
_AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".openai.azure.us")
_VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")
_DEPLOYMENTS = ("AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME", "AZURE_OPENAI_CHAT_DEPLOYMENT")
_KEY_HEADERS = frozenset({"authorization", "api-key", "x-api-key"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEndpoint:
    """One address for requests.

    Attributes
    ----------
    url, path
        Of requests, as `transport.endpoint` joins them.
    model
        As requests name it.
    source
        Where the address comes from: an option, a variable, or "the default".
    key
        The header with the key; none where no key is sent.
    key_source
        The variable that has it.
    key_problem
        Why there is no key where one is needed.
    is_openai
        Requests go to OpenAI itself, or to Azure's service of the same models.
    """

    url: str
    path: str
    model: str
    source: str
    key: Headers
    key_source: str | None
    key_problem: str | None
    is_openai: bool


def resolve(given: ModelSettings, headers: Mapping[str, str], environment: Mapping[str, str]) -> ChatEndpoint:
    """Return the address that settings and variables name; each setting may be missing.

    Raises
    ------
    InputError
        None is named, or two are. No message has a value of a key in it.
    """
    url, source = _address(given, environment)
    parsed = _parsed(url, source)
    is_azure = source in ("--azure-endpoint", "AZURE_OPENAI_ENDPOINT") or _is_azure(parsed)
    deployment, model, path = "", given.model, COMPLETIONS
    if is_azure:
        deployment = given.azure_deployment or _first(_DEPLOYMENTS, environment)
        url, path, deployment = _azure(parsed, deployment or model, given.azure_api_version, environment)
        model = model or deployment
    elif given.azure_deployment or given.azure_api_version:
        raise InputError(f"--azure-deployment and --azure-api-version have no effect for {shown(parsed)} ({source})")
    elif parsed.path in ("", "/"):
        url = str(parsed.with_path("/v1").with_query(parsed.query))
    if not model:
        raise InputError("--model is missing: the name of the model as the endpoint knows it, such as gpt-4o-mini")
    key, variable, problem = _key(given.api_key_env, parsed, source, is_azure, headers, environment)
    is_openai = is_azure or parsed.host == "api.openai.com"
    return ChatEndpoint(
        url=url,
        path=path,
        model=deployment or model,
        source=source,
        key=key,
        key_source=variable,
        key_problem=problem,
        is_openai=is_openai,
    )


def _address(given: ModelSettings, environment: Mapping[str, str]) -> tuple[str, str]:
    if given.base_url and given.azure_endpoint:
        raise InputError("--base-url and --azure-endpoint are both given; give one of them")
    if given.base_url:
        return given.base_url, "--base-url"
    if given.azure_endpoint:
        return given.azure_endpoint, "--azure-endpoint"
    base, azure = environment.get("OPENAI_BASE_URL", ""), environment.get("AZURE_OPENAI_ENDPOINT", "")
    if azure and (base or (environment.get("OPENAI_API_KEY") and not given.azure_deployment)):
        other = "OPENAI_BASE_URL" if base else "OPENAI_API_KEY"
        raise InputError(
            f"the environment has AZURE_OPENAI_ENDPOINT and {other}, which name two endpoints; choose "
            "with --azure-endpoint or --base-url"
        )
    if base:
        return base, "OPENAI_BASE_URL"
    return (azure, "AZURE_OPENAI_ENDPOINT") if azure else (OPENAI, "the default")


def _parsed(url: str, source: str) -> yarl.URL:
    try:
        parsed = yarl.URL(url.strip())
    except ValueError:
        parsed = yarl.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        place = "…" if "@" in url else url.partition("?")[0]  # before an @ stands a password
        raise InputError(f"{source} {place} is not a URL such as http://127.0.0.1:8000/v1")
    return parsed


def _is_azure(url: yarl.URL) -> bool:
    return (url.host or "").endswith(_AZURE_HOSTS)


def _azure(url: yarl.URL, deployment: str, version: str, environment: Mapping[str, str]) -> tuple[str, str, str]:
    """Return URL, path and deployment: by deployment with an API version, else the newer way without one."""
    parts = [part for part in url.path.split("/") if part]
    root = url.with_path("/").with_query(None)
    if parts[:2] == ["openai", "deployments"] and len(parts) > 2:
        deployment = parts[2]
    elif parts[:2] == ["openai", "v1"]:
        query = {"api-version": version} if version else url.query
        return str(root.with_path("/openai/v1").with_query(query)), COMPLETIONS, _named(deployment)
    version = version or url.query.get("api-version", "") or _first(_VERSIONS, environment)
    if not version:
        return str(root.with_path("/openai/v1")), COMPLETIONS, _named(deployment)
    path = (
        f"/openai/deployments/{quote(_named(deployment), safe='')}{COMPLETIONS}?api-version={quote(version, safe='')}"
    )
    return str(root), path, deployment


def _named(deployment: str) -> str:
    if not deployment:
        raise InputError("--azure-deployment is missing: the name of the model's deployment")
    return deployment


def _key(
    variable: str,
    url: yarl.URL,
    source: str,
    is_azure: bool,
    headers: Mapping[str, str],
    environment: Mapping[str, str],
) -> tuple[Headers, str | None, str | None]:
    """Return the header with the key, the variable that has it, and why there is none where one is needed."""
    own = sorted(name for name in headers if name.lower() in _KEY_HEADERS)
    if variable and own:
        raise InputError(f"--api-key-env and --header {own[0]} are both given; give one of them")
    if own:
        return Headers(), None, None
    usual = "AZURE_OPENAI_API_KEY" if is_azure else "OPENAI_API_KEY"
    named = source in ("OPENAI_BASE_URL", "--azure-endpoint", "AZURE_OPENAI_ENDPOINT")
    belongs = named or (url.scheme == "https" and (is_azure or url.host == "api.openai.com"))
    name = variable or (usual if belongs else "")
    value = environment.get(name, "").strip()
    if not value:
        if not variable and (not belongs or source == "OPENAI_BASE_URL"):
            return Headers(), None, None
        problem = f"the environment variable {name} is not set: {shown(url)} needs a key, which is read from it"
        return Headers(), None, problem + ("" if variable else "; --api-key-env names another variable")
    if not value.isprintable():
        raise InputError(f"the environment variable {name} has a line break or another control character in it")
    key = {"api-key": value} if is_azure else {"Authorization": f"Bearer {value}"}
    return Headers(key, {header: [name] for header in key}), name, None


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")
