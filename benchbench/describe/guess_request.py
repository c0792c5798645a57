"""A description of a service's requests, guessed from one request that was made of it."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from benchbench.client.secrets import telling, telling_member
from benchbench.client.templates import is_deep, places
from benchbench.describe.curl import CurlRequest
from benchbench.describe.usual_names import IN_REQUESTS, plain
from benchbench.errors import InputError, visible
from benchbench.tables.random_keys import random_part

Place = tuple[str | int, ...]  # `params`, `form`, `body`, `lines` or `path`, then names and numbers inside

_QUERY_NAMES, _AROUND, _TOP_K_NAMES, _SEARCHING = (
    IN_REQUESTS[kind] for kind in ("query", "around", "top_k", "searching")
)
_OURS = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "expect", "te"}
_BROWSERS = re.compile(
    r"sec-.*|user-agent|referer|dnt|priority|pragma|cache-control|upgrade-insecure-requests|if-.*|range|x-requested-with"
)
_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+/=.-]{20,}")
_SCHEME = re.compile(r"(Bearer|Basic|Token|ApiKey|Api-Key|Digest|Negotiate)\s+(?=\S)", re.IGNORECASE)
_PROGRAM = re.compile(
    r"\s*(?:(?:query|mutation)\b[^{]*)?\{.*\}|\s*select\b.+\bfrom\b|[\w.]+=[^&]*(?:&[\w.]+=[^&]*)+$",
    re.DOTALL | re.IGNORECASE,
)
_FIELDED = re.compile(r"[A-Za-z_][\w.]*:(?=[^/\s])")
_OTHER_PLACE = re.compile(r"(?<!\$)\{([a-z][a-z0-9_]*)\}")


@dataclass(slots=True, kw_only=True)
class Draft:
    """A description in the making.

    Attributes
    ----------
    url
        Scheme, host and port: what `--url` is given.
    description
        Its keys and values, without `results`.
    environment
        Values of the variables that stand in it for secrets of the line.
    query
        The text that the line asked for; None where it has a place there.
    logins
        Those of the variables that hold user and password in base64.
    query_at, top_k_at
        Where they stand; `top_k_at` is empty where nothing says how many hits are asked for.
    others
        Where the query could stand too.
    notes
        What was left out or changed.
    """

    url: str
    description: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    logins: list[str] = field(default_factory=list)
    query: str | None = None
    query_at: str = ""
    top_k_at: str = ""
    others: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def draft(
    request: CurlRequest, query: str | None = None, query_place: str | None = None, top_k_place: str | None = None
) -> Draft:
    """Return the description of a request.

    Parameters
    ----------
    request
        As a curl line has it.
    query
        The text that the line asks for, where it is known.
    query_place, top_k_place
        Where query and number of hits stand, as `params.q` or `body.query.match.text`, or the end of that.

    Raises
    ------
    InputError
        The query is nowhere to be seen, a place is not there, or a body is none that can be described.
    """
    try:
        url = urlsplit(request.url)
        root, port = f"{url.scheme}://{url.netloc.rpartition('@')[2]}", url.port
    except ValueError:
        raise InputError("--from-curl: the URL is not valid: is its port a number?") from None
    if url.scheme not in ("http", "https") or not url.hostname or port == 0:
        raise InputError("--from-curl: the URL is not one of http or https with a host")
    parts: dict[str, Any] = {"path": url.path.split("/")}
    for name in sorted(places(unquote(url.path)) - {"query", "top_k"}):
        raise InputError(f"--from-curl: the URL has {{{name}}} in its path: write the name that it stands for")
    if url.query:
        parts["params"] = _table(parse_qsl(url.query, keep_blank_values=True))
    content = next((value for name, value in request.headers if name.lower() == "content-type"), "")
    if request.body:
        parts |= _body(request.body, content)
    made = Draft(url=root, description={}, notes=list(request.notes))
    _place_query(made, parts, query, query_place)
    _place_top_k(made, parts, top_k_place)
    headers = dict(_headers(request.headers, parts))
    if url.username is not None and "authorization" not in map(str.lower, headers):
        login = f"{unquote(url.username)}:{unquote(url.password or '')}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode(errors='replace')).decode()}"
    _hide(made, parts, headers)
    method = {} if request.method == ("POST" if request.body else "GET") else {"method": request.method}
    path = "/".join(unquote(part) if places(unquote(part)) else part for part in parts.pop("path"))
    made.description = {**method, "path": path, **({"headers": headers} if headers else {}), **parts}
    return made


def _body(text: str, content: str) -> dict[str, Any]:
    """Return a body as JSON, as lines of JSON, or as a form."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        quoted = re.sub(r"(?<=[:\[,])(\s*)(\{(?:query|queries|top_k)\})(?=\s*[,}\]])", r'\1"\2"', text)
        try:
            value = json.loads(quoted)
        except (ValueError, RecursionError):
            value = None
    if isinstance(value, dict | list):
        if is_deep(value):
            raise InputError("--from-curl: the lists and objects of the body are nested too deep for a request")
        return {"body": value}
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        try:
            return {"lines": [json.loads(line) for line in lines]}
        except (ValueError, RecursionError):
            pass
    pairs = parse_qsl(text, keep_blank_values=True)
    if "json" in content.lower() or "=" not in text or not pairs:
        raise InputError(
            "--from-curl: the body is neither JSON nor a form, so it cannot be described; are the "
            "quotes of the line intact?"
        )
    return {"form": _table(pairs)}


def _table(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, value in pairs:
        table[name] = [*_several(table[name]), value] if name in table else value
    return table


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# Places


def _leaves(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict | list):
        for name, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(member, (*at, name))
    else:
        yield at, value


def _named(at: Place) -> str:
    return ".".join(map(str, at))


def _put(parts: Any, at: Place, value: Any) -> None:
    for name in at[:-1]:
        parts = parts[name]
    parts[at[-1]] = value


def _found(parts: dict[str, Any], wanted: str, option: str) -> Place:
    """Return the one place that an option names."""
    places = [at for at, _ in _leaves(parts)]
    fits = [at for at in places if _named(at) == wanted] or [at for at in places if _named(at).endswith(f".{wanted}")]
    if len(fits) == 1:
        return fits[0]
    room, _, name = wanted.partition(".")
    if not fits and name and (room == "params" or isinstance(parts.get(room), dict)):
        parts.setdefault(room, {})
        return room, name
    several = "stands for several" if fits else "is not there"
    shown = ", ".join(_named(at) for at in places if at[0] != "path")
    raise InputError(f"{option} {visible(wanted)} {several}; the request has {visible(shown, 300) or 'no members'}")


def _place_query(made: Draft, parts: dict[str, Any], query: str | None, wanted: str | None) -> None:
    leaves = [(at, unquote(value) if at[0] == "path" else value) for at, value in _leaves(parts)]
    texts = [(at, value) for at, value in leaves if isinstance(value, str) and value]
    marked = [at for at, value in texts if places(value) & {"query", "queries"}]
    if wanted is not None:
        at = _found(parts, wanted, "--query-place")
        made.query = next((str(value) for place, value in leaves if place == at), None)
        _put(parts, at, "{query}")
    elif marked:
        at = marked[0]
    else:
        ranked = _candidates(texts, query)
        if not ranked:
            shown = ", ".join(_named(at) for at, _ in texts if at[0] != "path")
            raise InputError(
                "--from-curl: nothing says where the text of the query stands; write {query} in its place, or name it "
                f"with --query-place; the request has {visible(shown, 300) or 'no texts'}"
            )
        at, value = ranked[0]
        made.others = [_named(place) for place, _ in ranked[1:4]]
        if query is None and _is_program(value):
            raise InputError(
                f"--from-curl: {_named(at)} is a program or a list of parameters, in which the query is one text: "
                "name it with --query TEXT, or write {query} in its place"
            )
        made.query = query if query is not None and query in value else value
        if _is_program(value):
            made.notes.append(
                f"{_named(at)} is a program or a list of parameters, and a query with quotes or & in it breaks it; "
                "pass the query as a separate variable if the service allows it"
            )
        elif query is None and (field_ := _FIELDED.match(value)):
            made.notes.append(
                f"{{query}} stands for all of {_named(at)}, {field_[0]} too; to keep that, name the text behind it "
                "with --query"
            )
        many = at[:-1] if isinstance(at[-1], int) and plain(at[-2]) in _QUERY_NAMES else None
        if many and at[0] in ("body", "form") and value == made.query and len(at) > 2:
            at = many
            _put(parts, at, "{queries}")
        else:
            _put(parts, at, value.replace(made.query, "{query}") if made.query else "{query}")
            same = [place for place, its in ranked[1:] if its == value]
            for place in same:
                _put(parts, place, "{query}")
            made.others = [name for name in made.others if name not in map(_named, same)]
            made.query_at = " and ".join(map(_named, (at, *same)))
    made.query_at = made.query_at or _named(at)


def _candidates(texts: list[tuple[Place, str]], query: str | None) -> list[tuple[Place, str]]:
    """Return where the query may stand, the likeliest first."""
    if query is not None:
        for fits in (lambda value: value == query, lambda value: query in value):
            same = [leaf for leaf in texts if fits(leaf[1])]
            if same:
                return sorted(same, key=lambda leaf: _rank(*leaf) or 9_999)
    ranked = sorted((rank, n) for n, leaf in enumerate(texts) if (rank := _rank(*leaf)) is not None)
    if ranked:
        return [texts[n] for _, n in ranked]
    path = [leaf for leaf in texts if leaf[0][0] == "path"]
    if len(path) > 1 and plain(path[-2][1]) in _SEARCHING:
        return path[-1:]
    inside = [leaf for leaf in texts if leaf[0][0] != "path" and not _is_count(leaf[1])]
    return inside if len(inside) == 1 else []


def _rank(at: Place, value: str) -> int | None:
    """Return how likely a text is the query, 0 most; None where nothing says so."""
    if at[0] == "path":
        return None
    names = [plain(name) for name in at[1:] if isinstance(name, str)]
    rank = 500 if _is_program(value) else 0
    if names and names[-1] in _QUERY_NAMES:
        return rank + _QUERY_NAMES.index(names[-1])
    if names and names[-1] in ("operator", "type", "analyzer", "field", "fields", "model", "language", "lang"):
        return None
    if any(name in _AROUND for name in names[:-1]):
        return rank + 50
    return rank + 100 if any(name in _QUERY_NAMES for name in names[:-1]) else None


def _is_program(value: str) -> bool:
    """Say whether a text is GraphQL, a statement such as YQL, or parameters with their names."""
    return _PROGRAM.match(value) is not None


def _place_top_k(made: Draft, parts: dict[str, Any], wanted: str | None) -> None:
    leaves = list(_leaves({name: part for name, part in parts.items() if name != "path"}))
    marked = [at for at, value in _leaves(parts) if isinstance(value, str) and "top_k" in places(unquote(value))]
    if wanted is not None:
        at = _found(parts, wanted, "--top-k-place")
        _put(parts, at, "{top_k}")
    elif marked:
        at = marked[0]
    else:
        ranked = sorted(
            (_TOP_K_NAMES.index(name), n)
            for n, (at, value) in enumerate(leaves)
            if _is_count(value) and (name := plain(at[-1])) in _TOP_K_NAMES
        )
        if not ranked:
            return
        at = leaves[ranked[0][1]][0]
        _put(parts, at, "{top_k}")
    made.top_k_at = _named(at)


def _is_count(value: Any) -> bool:
    return (type(value) is int and value > 0) or (isinstance(value, str) and value.isascii() and value.isdigit())


# Headers and secrets


def _headers(given: Sequence[tuple[str, str]], parts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    usual = {"body": "application/json", "form": "application/x-www-form-urlencoded", "lines": "application/x-ndjson"}
    media = next((usual[name] for name in usual if name in parts), None)
    seen = set[str]()
    for name, value in given:
        lowered = name.lower()
        if lowered in _OURS or lowered in seen or _BROWSERS.fullmatch(lowered):
            continue
        if lowered == "accept" and ("*/*" in value or value == "application/json"):
            continue
        if lowered == "content-type" and (media is None or value.partition(";")[0].strip().lower() in usual.values()):
            continue
        seen.add(lowered)
        yield name, value


def _hide(made: Draft, parts: dict[str, Any], headers: dict[str, str]) -> None:
    """Put variables in the places of secrets, and spaces into what only looks like a place."""
    for name, value in headers.items():
        scheme = _SCHEME.match(value)
        if _is_secret(name, value) or scheme:
            begin = scheme.end() if scheme else 0
            is_login = scheme is not None and scheme[1].lower() == "basic"
            word = "LOGIN" if is_login else "TOKEN" if scheme else name
            place = _variable(made, word, value[begin:])
            headers[name] = value[:begin] + place
            made.logins += [place[2:-1]] * is_login
    for at, value in list(_leaves(parts)):
        if not isinstance(value, str):
            continue
        if at[0] == "path":
            if random_part(unquote(value)) and not places(unquote(value)):
                _put(parts, at, _variable(made, "PATH_KEY", unquote(value)))
            continue
        name = next((str(step) for step in reversed(at) if isinstance(step, str)), "")
        is_secret = _is_secret if at[0] in ("params", "form") else _is_secret_member
        if not places(value) and is_secret(name, value):
            _put(parts, at, _variable(made, name, value))
        elif places(value) - {"query", "queries", "top_k", "each"}:
            spaced = _OTHER_PLACE.sub(
                lambda place: place[0] if place[1] in ("query", "queries", "top_k", "each") else f"{{ {place[1]} }}",
                value,
            )
            made.notes.append(
                f"{_named(at)} has names in braces, which are options of a protocol; the braces now have spaces inside"
            )
            _put(parts, at, spaced)
    if any(value is None for _, value in _leaves(parts)):
        made.notes.append("members that are null are left out: TOML has none")
        for name in list(parts):
            parts[name] = _without_null(parts[name])


def _is_secret(name: str, value: str) -> bool:
    ordinary = name.lower() in ("accept", "content-type", "accept-language", "origin", "kbn-xsrf")
    return not ordinary and (telling(name) or _RANDOM.fullmatch(value) is not None)


def _is_secret_member(name: str, value: str) -> bool:
    return telling_member(name) or (random_part(value) and not re.search(r"\s", value))


def _variable(made: Draft, name: str, value: str) -> str:
    """Return the place of a variable that stands for a secret; what has a variable in it keeps that."""
    if re.search(r"\$\{[A-Za-z_]", value) or not value:
        return value
    word = re.sub(r"[^A-Z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()).strip("_").removeprefix("X_")
    variable = word if word.startswith("SEARCH_") else f"SEARCH_{word or 'SECRET'}"
    while made.environment.get(variable, value) != value:
        variable += "_2"
    made.environment[variable] = value
    return f"${{{variable}}}"


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_null(member) for name, member in value.items() if member is not None}
    return [_without_null(element) for element in value if element is not None] if isinstance(value, list) else value
