"""Request headers and variables whose values may be secrets: from the environment, checked, and written nowhere."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchbench.errors import InputError, visible

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, a token
_OURS = frozenset({"content-length", "host", "transfer-encoding", "connection", "accept-encoding"})


class Hidden(Mapping[str, str]):
    """Texts that show their names only: not a dict, so that nothing writes their values in passing."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, name: str) -> str:
        """Return a value."""
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the names."""
        return f"{type(self).__name__}({', '.join(sorted(self._values))})"


class Headers(Hidden):
    """Headers of requests; `variables` are those of the environment that a value came from, by the header's name."""

    def __init__(
        self, values: Mapping[str, str] | None = None, variables: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Keep headers that can be sent; InputError for others, with no value in its message."""
        known: Mapping[str, Sequence[str]] = values.variables if isinstance(values, Headers) else {}
        self.variables: dict[str, tuple[str, ...]] = {
            name: tuple(names) for name, names in {**known, **(variables or {})}.items() if names
        }
        given = dict(values or {})
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise InputError("headers are a mapping of texts, as in {'X-Api-Key': key}")
            _check(name, value, f"header {visible(name, 60)!r}")
        for name in given:
            if sum(name.lower() == other.lower() for other in given) > 1:
                raise InputError(f"header {visible(name, 60)!r}: it is set twice")
        super().__init__(given)


class Variables(Hidden):
    """Variables of the environment."""


def read_headers(lines: Sequence[str], token_env: str | None = None) -> Headers:
    """Return the headers of `--header` lines and of `--token-env`.

    Parameters
    ----------
    lines
        `Name: value`, where `${VAR}` in the value is the environment's.
    token_env
        Variable whose value is sent as `Authorization: Bearer`.

    Raises
    ------
    InputError
        Another form, a variable that is not set, the same header twice. No message has a value in it.
    """
    headers: dict[str, str] = {}
    variables: dict[str, list[str]] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.strip()
        if not colon or _NAME.fullmatch(name) is None:
            raise InputError("--header takes 'Name: value', such as 'api-key: ${API_KEY}'")
        variables[name] = _add(headers, name, value.strip(), f"--header {name}")
    if token_env is not None:
        variables["Authorization"] = _add(headers, "Authorization", f"Bearer ${{{token_env}}}", "--token-env")
    return Headers(headers, variables)


def checked(headers: Mapping[str, str], where: str, environment: Mapping[str, str] | None = None) -> Headers:
    """Return headers with their variables replaced, from a description; `where` begins the message of an error."""
    result: dict[str, str] = {}
    variables: dict[str, list[str]] = {}
    for name, value in headers.items():
        if _NAME.fullmatch(name) is None:
            raise InputError(f"{where}: {name!r} is not the name of a header")
        variables[name] = _add(result, name, value, f"{where}.{name}", environment)
    return Headers(result, variables)


def read_variables(names: Iterable[str], where: str, environment: Mapping[str, str] | None = None) -> Variables:
    """Return the values of variables; `where` begins the message of an error."""
    return Variables({name: _variable(name, where, environment) for name in sorted(names)})


def _add(
    headers: dict[str, str], name: str, value: str, where: str, environment: Mapping[str, str] | None = None
) -> list[str]:
    """Add a header with its variables replaced; return the names of these."""
    if name.lower() in map(str.lower, headers):
        raise InputError(f"{where}: the header {name} is set twice")
    variables = _VARIABLE.findall(value)
    value = _VARIABLE.sub(lambda variable: _variable(variable[1], where, environment), value)
    _check(name, value, where)
    headers[name] = value
    return variables


def _check(name: str, value: str, where: str) -> None:
    """Refuse what is no header, and what the client sets itself."""
    if _NAME.fullmatch(name) is None:
        raise InputError(f"{where}: this is not a header name")
    if name.lower() in _OURS:
        raise InputError(f"{where}: the header {name} is the client's own to set")
    if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in value):
        raise InputError(f"{where}: the value has a line break or another control character in it")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{where}: the value is not Unicode text")


def _variable(name: str, where: str, environment: Mapping[str, str] | None) -> str:
    value = (os.environ if environment is None else environment).get(name)
    if not value:
        raise InputError(f"{where}: the environment variable {name} is not set")
    if any("\ud800" <= character <= "\udfff" for character in value):  # how Python holds bytes that are no text
        raise InputError(f"{where}: the value of the environment variable {name} is not UTF-8")
    return value
