"""Where a label stands in queries and in hits: texts, lists and tables as paths, and back.

Notation
--------
`meta.brand`
    The member `brand` of the member `meta`. A name with a dot, a comma, a quote, a space or a bracket stands in quotes,
    as TOML's keys do: `meta."list price"`.
`["brand", "meta.brand"]`
    Alternatives: the first path that leads to a value counts.
`{paths = …, query = …, hit = …, ignore = "[]"}`
    Paths for both, or for each apart, and the characters that are left out of texts before they are compared.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchbench.errors import InputError
from benchbench.tables.labels import Path
from benchbench.tasks.toml_text import quoted, shown, value

_BARE = re.compile(r"""[^\s.,()\[\]{}="'|#\\]+""")
_NAME = re.compile(rf"""(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<bare>{_BARE.pattern})""")
_MEMBERS = ("paths", "query", "hit", "ignore")
_DEEPEST = 32  # names of a path
_MOST = 32  # alternatives


@dataclass(frozen=True, slots=True)
class LabelPaths:
    """Where a label stands; `tables.labels.Label` says what the paths mean.

    Attributes
    ----------
    query, hit
        Alternative paths from the top of the query object, and of a hit; none where only the other has the label.
    ignore
        Characters that are left out of texts.
    name
        What the label is called, where it has a name; two labels that differ in nothing else are equal.
    """

    query: tuple[Path, ...]
    hit: tuple[Path, ...]
    ignore: str = ""
    name: str = field(default="", compare=False)

    @property
    def value(self) -> str | list[str] | dict[str, Any]:
        """The label as a TOML value in its one form."""
        query, hit = _written(self.query), _written(self.hit)
        if self.query != self.hit and self.query and self.hit:
            return {"query": query, "hit": hit} | ({"ignore": self.ignore} if self.ignore else {})
        paths = query if self.query else hit
        return {"paths": paths, "ignore": self.ignore} if self.ignore else paths

    @property
    def called(self) -> str:
        """The name, or the first path."""
        return self.name or path_text((self.query or self.hit)[0])


def read_path(text: Any) -> Path:
    """Return the path that a text says; InputError with the reason where it says none."""
    if not isinstance(text, str):
        raise InputError(f"{shown(text)} is not a path: a path is a text such as meta.brand")
    names: list[str] = []
    written, place = text.strip(), -1
    while place < len(written) and (match := _NAME.match(written, place + 1)):
        names.append(_unquoted(match["quoted"]) if match["quoted"] else match["bare"])
        place = match.end()
        if written[place : place + 1] != ".":
            break
    if not names or place != len(written) or not written.isprintable() or len(names) > _DEEPEST or not _is_text(names):
        raise InputError(f'{shown(text)} is not a path such as meta.brand or meta."list price"')
    return tuple(names)


def path_text(path: Path) -> str:
    """Return a path as `read_path` reads it."""
    return ".".join(name if _BARE.fullmatch(name) and name.isprintable() else quoted(name) for name in path)


def read_label(given: Any, labels: Mapping[str, LabelPaths]) -> LabelPaths:
    """Return the label that a TOML value says: the name of one of `labels`, a path, a list of paths, or a table.

    Raises
    ------
    InputError
        With what is wrong with it.
    """
    if isinstance(given, str) and given in labels:
        return labels[given]
    if not isinstance(given, dict):
        paths = _paths(given)
        return LabelPaths(paths, paths)
    unknown = [name for name in given if name not in _MEMBERS]
    if unknown:
        raise InputError(f"a label has paths, query, hit and ignore, and no {shown(unknown[0])}")
    sides = [side for side in ("query", "hit") if side in given]
    if len(sides) != (0 if "paths" in given else 2):
        raise InputError("a label has either paths, or both query and hit")
    ignore = given.get("ignore", "")
    if not isinstance(ignore, str) or not _is_text([ignore]):
        raise InputError("ignore is a text with the characters that are left out")
    query, hit = (_paths(given.get(side, given.get("paths"))) for side in ("query", "hit"))
    return LabelPaths(query, hit, "".join(sorted(set(ignore))))


def _paths(given: Any) -> tuple[Path, ...]:
    several = given if isinstance(given, list) else [given]
    paths = tuple(dict.fromkeys(map(read_path, several)))
    if not 0 < len(paths) <= _MOST:
        raise InputError(f"a label has from 1 to {_MOST} paths, and not {len(paths)}")
    return paths


def _written(paths: tuple[Path, ...]) -> str | list[str]:
    texts = list(map(path_text, paths))
    return texts[0] if len(texts) == 1 else texts


def _unquoted(text: str) -> str:
    try:
        return str(value(text))
    except InputError:
        return "\ud800"  # no text, so that the whole is no path


def _is_text(texts: list[str]) -> bool:
    """Say whether there is no half of a surrogate pair in any."""
    return not any("\ud800" <= one <= "\udfff" for text in texts for one in text)
