"""The request that a `curl` command line sends.

A line may name files of this machine, whose content curl sends: who pastes one may not know. Each is read only where
the caller allows it, by its name.
"""

import base64
import getopt
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

from benchbench.client.templates import fill, variables
from benchbench.describe.shell_words import split
from benchbench.errors import InputError, visible
from benchbench.tables.text_files import toml_beside

_OPTIONS = toml_beside(__file__, "curl_options.toml")
_LONG = [f"{name}=" for name in _OPTIONS["with_value"].split()]
_LONG += [f"{no}{name}" for name in _OPTIONS["flags"].split() for no in ("", "no-")]
_BEFORE = frozenset({"$", "%", ">", "#", "sudo", "time"})  # prompts among them
_POWER_SHELL = frozenset({"invoke-webrequest", "invoke-restmethod", "new-object", "-uri"})
_CURLY = "\u201c\u201d\u201e\u2018\u2019\u201a"
_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*")
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_MOST = 1 << 24  # bytes of a file with data


@dataclass(frozen=True, slots=True)
class CurlRequest:
    """A request as curl sends it; variables of the environment stand in it as `${NAME}`."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Seen:
    """What the options of a line have said so far; `may_read` says of a file whether it may be read."""

    may_read: Callable[[str], bool]
    method: str = ""
    urls: list[str] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    is_json: bool = False
    get: bool = False
    notes: list[str] = field(default_factory=list)


def parse(line: str | Sequence[str], may_read: Callable[[str], bool] = lambda name: False) -> CurlRequest:
    """Return the request of a line, or of its words.

    Parameters
    ----------
    line
        As it was pasted, or split already.
    may_read
        Called with the name of each file that the line reads, before it is touched; none may be by default.

    Raises
    ------
    InputError
        It is no curl line, it asks in a way that cannot be described, or a file of it may not or cannot be read.
    """
    words = split(line) if isinstance(line, str) else list(line)
    while words and (words[0] in _BEFORE or _ASSIGNED.match(words[0])):
        del words[0]
    _check_shell(words)
    if not words or words[0].replace("\\", "/").rpartition("/")[2].lower() not in ("curl", "curl.exe"):
        raise InputError(
            f"--from-curl takes a line that begins with curl, and this one {'does not' if words else 'is empty'}; a "
            "file that has the line is named with @, as in --from-curl @line.sh"
        )
    try:
        options, urls = getopt.gnu_getopt(words[1:], _OPTIONS["short"], _LONG)
    except getopt.GetoptError as error:
        raise InputError(f"--from-curl: {visible(error.msg, 200)}") from None
    seen = _Seen(may_read, urls=urls)
    for name, value in options:
        _take(seen, _OPTIONS["same"].get(name, name), value)
    return _request(seen)


def _check_shell(words: Sequence[str]) -> None:
    """Refuse what another shell, or a text processor, has made of a line."""
    lowered = {word.lower() for word in words}
    if not _POWER_SHELL.isdisjoint(lowered):
        raise InputError(
            "--from-curl: the line is for PowerShell's own command; copy the request as cURL for bash or cmd instead"
        )
    if any(word[:1] in _CURLY for word in words if word):
        raise InputError("--from-curl: the line has typographic quotes; put straight ones (' or \") in their places")


def _take(seen: _Seen, name: str, value: str) -> None:
    if refusal := _OPTIONS["refused"].get(name):
        raise InputError(f"--from-curl: {refusal.format(value=visible(value, 200))}")
    if name in _OPTIONS["left_out"]:
        seen.notes.append(_OPTIONS["left_out"][name])
    elif name == "--request":
        seen.method = value.upper()
    elif name == "--url":
        if value.startswith("@"):
            raise InputError(f"--from-curl: --url reads URLs from the file {visible(value[1:], 200)}: paste one")
        seen.urls.append(value)
    elif name == "--header":
        _add_header(seen, value)
    elif name == "--get":
        seen.get = True
    elif name == "--user":
        login = _filled(value, "--user")
        seen.headers.append(("Authorization", f"Basic {base64.b64encode(login.encode(errors='replace')).decode()}"))
    elif name == "--oauth2-bearer":
        seen.headers.append(("Authorization", f"Bearer {value}"))
    elif name == "--cookie":
        if "=" not in value:
            raise InputError(
                f"--from-curl: --cookie reads cookies from the file {visible(value, 200)}; paste them, as in "
                "-b 'name=value'"
            )
        seen.headers.append(("Cookie", value))
    elif name == "--url-query":
        seen.query.append(value[1:] if value.startswith("+") else _urlencoded(seen, value))
    elif name == "--json":
        seen.is_json = True
        seen.data[-1:] = [("".join(seen.data[-1:])) + _content(seen, value, keep=True)]
    elif name.startswith("--data"):
        seen.data.append(_data(seen, name, value))


def _add_header(seen: _Seen, value: str) -> None:
    if value.startswith("@"):
        for line in _read(seen, value[1:]).splitlines():
            if not line.startswith("@"):  # curl reads no file that a file names
                _add_header(seen, line)
        return
    name, colon, text = value.partition(":")
    if not colon and value.endswith(";"):
        name, colon, text = value[:-1], ":", ""  # how curl is told to send an empty one
    if name.strip() and (text.strip() or value.endswith(";")):  # `Accept:` keeps curl from sending its own
        seen.headers.append((name.strip(), text.strip()))


def _data(seen: _Seen, name: str, value: str) -> str:
    if name == "--data-raw":
        return value
    if name == "--data-urlencode":
        return _urlencoded(seen, value)
    return _content(seen, value, keep=name == "--data-binary")


def _content(seen: _Seen, value: str, keep: bool) -> str:
    """Return data, or that of the file it names, of which `--data` leaves out line ends."""
    if not value.startswith("@"):
        return value
    content = _read(seen, value[1:])
    return content if keep else content.replace("\r", "").replace("\n", "")


def _urlencoded(seen: _Seen, value: str) -> str:
    """Return what `--data-urlencode` makes of `text`, `=text`, `name=text`, `@file` and `name@file`."""
    name, mark, text = value.partition("=")
    if not mark:
        name, mark, text = value.partition("@")
        text = _read(seen, text) if mark else value
        name = name if mark else ""
    place = text in ("{query}", "{top_k}")
    return f"{name}{'=' if name else ''}{text if place else quote_plus(text, errors='replace')}"


def _filled(text: str, where: str) -> str:
    """Return a text with the values of its variables."""
    for name in sorted(variables(text)):
        if not os.environ.get(name):
            raise InputError(f"--from-curl: {where} has the environment variable {name}, which is not set; export it")
    return str(fill(text, {f"${name}": os.environ[name] for name in variables(text)}))


def _read(seen: _Seen, name: str) -> str:
    """Return the content of a file that the line names; InputError where it may not be read."""
    if name == "-":
        raise InputError("--from-curl: curl reads data from standard input here (@-): write the data into the line")
    if not seen.may_read(name):
        raise InputError(
            f"--from-curl: the line sends the local file {visible(name, 200)}; --allow-files allows reading it"
        )
    seen.notes.append(f"the content of the local file {visible(name, 200)} was put into the request")
    path = Path(name)
    try:
        if not path.is_file():
            raise InputError(f"--from-curl: there is no file {visible(name, 200)} to read data from")
        with path.open("rb") as file:
            content = file.read(_MOST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"--from-curl: {visible(name, 200)} cannot be read: {reason}") from None
    if len(content) > _MOST:
        raise InputError(f"--from-curl: {visible(name, 200)} is longer than any request")
    return content.decode(errors="replace")


def _request(seen: _Seen) -> CurlRequest:
    if len(seen.urls) != 1:
        what = f"{len(seen.urls)} words in the place of the URL" if seen.urls else "no URL"  # one may be a secret
        raise InputError(f"--from-curl: the line has {what}, and one request asks one; are all values in quotes?")
    host = _HOST.match(seen.urls[0])
    assert host is not None
    seen.urls[0] = _filled(host[0], "the URL") + seen.urls[0][host.end() :]
    url = seen.urls[0] if "://" in seen.urls[0].partition("?")[0] else f"http://{seen.urls[0]}"
    body: str | None = "&".join(seen.data) if seen.data else None
    query = list(seen.query)
    if seen.get and body is not None:
        query, body = [*query, body], None
    if query:
        front, hash_, part = url.partition("#")
        url = f"{front}{'&' if '?' in front else '?'}{'&'.join(query)}{hash_}{part}"
    method = seen.method or ("POST" if body is not None else "GET")
    if method not in ("GET", "POST", "PUT"):
        raise InputError(f"--from-curl: method {visible(method, 40)} is not POST, PUT or GET")
    headers = list(seen.headers)
    if seen.is_json and not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", "application/json"))
    return CurlRequest(method, _safe(url), tuple(headers), body, tuple(seen.notes))


def _safe(url: str) -> str:
    """Return a URL without what no URL may hold, as browsers write it."""
    return quote(url, safe="/?&=%:@!$'()*+,;~#{}[]", errors="replace")
