"""Read descriptions of services, in TOML or JSON; docs/protocol.md says what each key means."""

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path as File
from typing import Any
from urllib.parse import quote

from benchbench.client.headers import checked, read_variables
from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.client.pages import MOST, Pages
from benchbench.client.pages import PLACES as PAGE_PLACES
from benchbench.client.profiles import Profile, pairs
from benchbench.client.protocols import BUILT_IN, file_of
from benchbench.client.response_layout import MEMBERS, ResponseLayout
from benchbench.client.templates import NOTHING, escaped, fill, inner_places, is_deep, places, variables
from benchbench.errors import InputError, visible
from benchbench.results.ranges import Range
from benchbench.tables.text_files import json_value, read_whole, toml_value

REQUEST_PLACES = {"queries", "query", "top_k", "each"}  # what a request fills; any other place is an option
_KINDS: dict[str, tuple[type, str]] = {
    "method": (str, "a string"),
    "path": (str, "a string"),
    "params": (dict, "a table"),
    "headers": (dict, "a table"),
    "options": (dict, "a table"),
    "form": (dict, "a table"),
    "body": (dict | list, "a table or an array"),  # type: ignore[dict-item]
    "each": (dict | list | str, "a table, an array or a string"),  # type: ignore[dict-item]
    "lines": (list, "an array"),
    "pages": (dict, "a table"),
    "results": (dict, "a table"),
}
_PAGES = ("size", "first", "cursor", "max_pages")
_COUNT, _FROM_0 = Range(1, 100_000), Range(0, 2**31)
_INTEGER = Range(-(2**63), 2**64 - 1)  # what JSON of 64 bits holds
_NUMBER = Range(-sys.float_info.max, sys.float_info.max, whole=False)
_SEPARATOR = "id_separator"
_RESULTS = ("lists", "hits", _SEPARATOR, *MEMBERS)
_ONE_LIST = "not_null(results, hits, @)[]"  # of hits, bare or in a list of one list, where a request has one query
_PATH = "/?&=%:@!$'()*+,;~"  # characters that a path with parameters may have as they are
_NEAR = 0.8  # likeness from which another name is a slip of one of these


def profile(
    protocol: str, options: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> Profile:
    """Return the profile that `--protocol` names.

    Parameters
    ----------
    protocol
        A name of `BUILT_IN`, or the path of a description ending in `.toml` or `.json`.
    options
        Values for the description's own places (`--protocol-option`).
    environment
        Values of variables; those of the process by default.

    Raises
    ------
    InputError
        No such profile, a description that cannot be, an option without a place or a place without an option, a
        variable that is not set.
    """
    if protocol in BUILT_IN:
        description, where = _read(file_of(protocol)), f"--protocol {protocol}"
    elif protocol.endswith((".toml", ".json")):
        description, where = _read(File(protocol)), protocol
        protocol = File(protocol).stem
    else:
        raise InputError(
            f"--protocol {protocol} is neither built in ({', '.join(BUILT_IN)}) nor a file ending in .toml or .json"
        )
    return described(protocol, description, options or {}, where, environment)


def built_in(name: str) -> tuple[str, str, list[str], str]:
    """Return method, path, names of options and a remark of a protocol that is built in."""
    description = _read(file_of(name))
    options = sorted(places({key: value for key, value in description.items() if key != "options"}) - REQUEST_PLACES)
    remark = "one query per request" if "query" in places(description.get("body")) else ""
    return description.get("method", "POST"), description["path"], options, remark


def described(
    name: str, description: Any, options: Mapping[str, str], where: str, environment: Mapping[str, str] | None = None
) -> Profile:
    """Return the profile of a parsed description; `where` begins the message of an error."""
    if not isinstance(description, dict):
        raise InputError(f"{where}: is not a table of keys")
    if is_deep(description):
        raise InputError(f"{where}: its tables and lists are nested too deep for a request")
    for key, value in description.items():
        if key not in _KINDS:
            raise InputError(f"{where}: unknown key {key!r}; the keys are {', '.join(_KINDS)}")
        kind, words = _KINDS[key]
        if not isinstance(value, kind):
            raise InputError(f"{where}: {key} is not {words}")
        _check_numbers(value, f"{where}: {key}")
    filled_later = REQUEST_PLACES | (set(PAGE_PLACES) if "pages" in description else set())
    values = _options(description, options, where, filled_later)
    filled = {key: fill(value, values) for key, value in description.items() if key not in ("options", "path")}
    path = filled["path"] = _path(description.get("path", "/batch_search"), values, where)
    carrier = _check_request(filled, where, filled_later)
    headers = filled.get("headers", {})
    if not all(isinstance(value, str) for value in headers.values()):
        raise InputError(f"{where}: headers has a value that is not a string")
    has_body = any(key in filled for key in ("body", "form", "lines"))
    method = filled.get("method", "POST" if has_body else "GET")
    if method not in ("POST", "PUT", "GET"):
        raise InputError(f"{where}: method {method!r} is not POST, PUT or GET")
    one_query = carrier == "query" and "lines" not in filled
    pages = _pages(filled, one_query, where) if "pages" in filled else None
    results = filled.get("results", {"hits": _ONE_LIST} if one_query else None)
    form = filled.get("form")
    used = variables([path, filled.get("params"), *(filled.get(key) for key in ("body", "each", "lines", "form"))])
    return Profile(
        name=name,
        body=filled.get("body"),
        each=filled.get("each"),
        lines=tuple(filled.get("lines", ())),
        form=None if form is None else _flat(form, f"{where}: form"),
        path=_with(path, _flat(filled.get("params", {}), f"{where}: params")),
        method=method,
        headers=checked(headers, f"{where}: headers", environment),
        results=None if results is None else _results(results, one_query, where),
        options={name: "" if value is NOTHING else value for name, value in values.items()},
        environment=read_variables(used, where, environment),
        pages=pages,
    )


def _path(template: str, values: Mapping[str, Any], where: str) -> str:
    """Return a path with its options, encoded as URLs are."""
    safe = {name: quote(value, safe="/,*") if isinstance(value, str) else value for name, value in values.items()}
    path = escaped(str(fill(template, safe)), lambda part: quote(part, safe=_PATH))
    if path and (not path.startswith(("/", "?")) or "//" in path.partition("?")[0]):
        raise InputError(f"{where}: path {path!r} is not a path from the root, with a name between its slashes")
    return path


def _flat(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a table as it is; InputError for a member that no form and no URL can have."""
    for name, value in table.items():
        for element in value if isinstance(value, list) else [value]:
            if isinstance(element, list | dict):
                raise InputError(f"{where}.{name} has a {'list' if isinstance(element, list) else 'table'} in it")
    return table


def _with(path: str, params: dict[str, Any]) -> str:
    """Return an encoded path with further parameters."""
    front, _, own = path.partition("?")
    parameters = [own] if own else []
    parameters += [f"{_quoted(name)}={_quoted(value)}" for name, value in pairs(params)]
    return f"{front}?{'&'.join(parameters)}" if parameters else front


def _quoted(text: str) -> str:
    return escaped(text, lambda part: quote(part, safe=""))


def _read(file: File) -> Any:
    try:
        if not file.is_file():
            raise InputError(f"--protocol {file}: there is no such file")
        with file.open("rb") as opened:
            content = read_whole(opened, str(file))
    except OSError as error:
        raise InputError(f"--protocol {file} cannot be read: {error.strerror}") from None
    return (toml_value if file.suffix == ".toml" else json_value)(content, str(file))


def _options(
    description: dict[str, Any], given: Mapping[str, str], where: str, filled_later: set[str]
) -> dict[str, Any]:
    """Return the value of each of the description's own places, which are not those that a request fills."""
    defaults = description.get("options", {})
    rest = {key: value for key, value in description.items() if key != "options"}
    wanted = places(rest) - filled_later
    for name, default in defaults.items():
        if not isinstance(default, str | int | float):
            raise InputError(f"{where}: options.{name} is not a string, a number, true or false")
        if name not in wanted:
            raise InputError(f"{where}: options.{name} has no place {{{name}}}")
    for name in given:
        if name not in wanted:
            known = f"it has {', '.join(sorted(wanted))}" if wanted else "it has none"
            raise InputError(
                f"--protocol-option {name}: {where.removeprefix('--protocol ')} has no such option; {known}"
            )
    values: dict[str, Any] = {}
    for name in sorted(wanted):
        if name in given:
            values[name] = _as(given[name], defaults.get(name, ""), name)
        elif name in defaults:
            values[name] = defaults[name]
        else:
            raise InputError(f"{where}: {{{name}}} has no value; give --protocol-option {name}=VALUE")
    return {name: NOTHING if value == "" else value for name, value in values.items()}


def _as(text: str, default: Any, name: str) -> Any:
    """Return an option's text as a value of its default's type."""
    if isinstance(default, bool):
        if text in ("true", "false"):
            return text == "true"
        raise InputError(f"--protocol-option {name}: {text!r} is not true or false")
    if not isinstance(default, int | float):
        return text
    return (_INTEGER if isinstance(default, int) else _NUMBER).read(text, f"--protocol-option {name}")


def _check_numbers(value: Any, name: str) -> None:
    """Refuse numbers that no request can carry: TOML and Python's JSON know nan, inf and integers of any length."""
    if isinstance(value, dict):
        for key, member in value.items():
            _check_numbers(member, f"{name}.{key}")
    elif isinstance(value, list):
        for element in value:
            _check_numbers(element, name)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        (_INTEGER if isinstance(value, int) else _NUMBER).take(value, name)


def _check_request(description: dict[str, Any], where: str, filled_later: set[str]) -> str:
    """Return the place that carries queries; refuse requests without one, and places where nothing could be filled."""
    paged = filled_later - REQUEST_PLACES
    for key, allowed in (
        ("body", {"queries", "query", "each", "top_k"} | paged),
        ("form", {"queries", "query", "top_k"} | paged),
        *((key, {"query", "top_k"} | paged) for key in ("path", "params")),
        *((key, {"query", "top_k"}) for key in ("each", "lines")),
        *((key, set[str]()) for key in ("method", "headers", "results", "pages")),
    ):
        value = description.get(key)
        for name in sorted(places(value) - allowed):
            raise InputError(f"{where}: {key} cannot hold {{{name}}}")
        for name in sorted(inner_places(value) & {"queries", "each"}):
            raise InputError(f"{where}: {key}: {{{name}}} is a list, and cannot be a part of a string")
    given = [key for key in ("body", "form", "lines") if key in description]
    if len(given) > 1:
        raise InputError(f"{where}: {' and '.join(given)} exclude each other, because a request has one body")
    each, lines = description.get("each"), description.get("lines")
    if lines is not None and "query" not in places(lines):
        raise InputError(f"{where}: lines has no {{query}}, the place of a query's text")
    carriers = places([description.get(key) for key in ("path", "params", *given)]) & {"queries", "query", "each"}
    if len(carriers) != 1:
        names = ", ".join(f"{{{name}}}" for name in sorted(carriers))
        raise InputError(
            f"{where}: the request has {names or 'no place for a query'}; it needs one of {{query}} (in path, params, "
            "form or body), {queries} (in form or body) and {each} (in body)"
        )
    if lines is not None and places([description.get("path"), description.get("params")]) & carriers:
        raise InputError(f"{where}: lines carry a query each, and path and params cannot hold {{query}} beside them")
    if (each is not None) != ("each" in carriers):
        raise InputError(f"{where}: the key each and the place {{each}} in body need one another")
    if each is not None and "query" not in places(each):
        raise InputError(f"{where}: each has no {{query}}, the place of a query's text")
    return carriers.pop()


def _pages(description: dict[str, Any], one_query: bool, where: str) -> Pages:
    """Return how pages are asked for; InputError for what cannot be."""
    table, requests = description["pages"], [description.get(key) for key in ("path", "params", "body", "form")]
    for key in table:
        if key not in _PAGES:
            raise InputError(f"{where}: unknown key pages.{visible(key, 60)}; the keys are {', '.join(_PAGES)}")
    if not one_query:
        raise InputError(f"{where}: pages need one query per request: use {{query}} in path, params, form or body")
    named = sorted(places(requests) & set(PAGE_PLACES))
    if len(named) != 1:
        names = " and ".join(f"{{{name}}}" for name in named)
        raise InputError(
            f"{where}: pages needs one of {{page}}, {{offset}} and {{cursor}} in path, params, form or body, and the "
            f"request has {names or 'none'}"
        )
    (by,) = named
    if (by == "cursor") != ("cursor" in table):
        raise InputError(f"{where}: the place {{cursor}} and the key pages.cursor need one another")
    if by == "cursor" and "first" in table:
        raise InputError(f"{where}: pages.first has no effect, because the first request has no cursor")
    if by == "page" and "size" not in table and "top_k" in places(requests):
        raise InputError(f"{where}: pages.size is missing: where page 2 begins depends on it")
    return Pages(
        by,
        None if "size" not in table else int(_COUNT.take(table["size"], f"{where}: pages.size")),
        int(_FROM_0.take(table.get("first", int(by == "page")), f"{where}: pages.first")),
        None if by != "cursor" else _field(table["cursor"], f"{where}: pages.cursor"),
        int(_COUNT.take(table.get("max_pages", MOST), f"{where}: pages.max_pages")),
    )


def _results(table: dict[str, Any], one_query: bool, where: str) -> ResponseLayout:
    paths: dict[str, Any] = {}
    for key, expression in table.items():
        _check_name(key, where)
        if key == "id" and isinstance(expression, list) and len(expression) > 1:
            parts = tuple(_field(part, f"{where}: results.id[{n}]") for n, part in enumerate(expression))
            paths[key] = JoinedPath(parts, _separator(table, where))
        elif key != _SEPARATOR:
            paths[key] = _field(expression, f"{where}: results.{key}")
    if _SEPARATOR in table and not isinstance(paths.get("id"), JoinedPath):
        raise InputError(f"{where}: results.{_SEPARATOR} has no effect, because results.id is not a list of fields")
    if one_query and "lists" in paths:
        raise InputError(
            f"{where}: results.lists has no effect, because a request carries one query; give results.hits"
        )
    if not one_query and "lists" not in paths:
        raise InputError(f"{where}: results.lists is missing: it says where the list with one element per query is")
    if one_query and "hits" not in paths:
        raise InputError(f"{where}: results.hits is missing: it says where the list of hits is")
    lists, hits = paths.pop("lists", None), paths.pop("hits", FieldPath("@"))
    return ResponseLayout(hits, lists, dict(sorted(paths.items(), key=lambda member: member[0] not in MEMBERS)))


def _field(expression: Any, where: str) -> FieldPath:
    if not isinstance(expression, str):
        raise InputError(f"{where} is not a string")
    try:
        return FieldPath(expression)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{where} is not a JMESPath expression: {reason}") from None


def _separator(table: dict[str, Any], where: str) -> str:
    separator = table.get(_SEPARATOR, "#")
    if not isinstance(separator, str):
        raise InputError(f"{where}: results.{_SEPARATOR} is not a string")
    return separator


def _check_name(key: str, where: str) -> None:
    """Refuse a slip of a known name; any other is the name of a member with a label."""
    near = get_close_matches(key.lower(), _RESULTS, 1, _NEAR)
    if near and key not in _RESULTS:
        raise InputError(
            f"{where}: unknown key results.{key}: results.{near[0]} is meant, or a name less similar to it"
        )
