"""The templates of pages; compiled once, for compiling takes longer than drawing a page."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from benchbench.caches import places
from benchbench.report.assets import asset


class _Kept(jinja2.FileSystemBytecodeCache):
    """Compiled templates in files; what cannot be written is compiled again by the next process."""

    def load_bytecode(self, bucket: Any) -> None:
        with contextlib.suppress(Exception):  # a damaged file raises whatever it likes, and is made again
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Any) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def environment(filters: Mapping[str, Callable[..., Any]], finalize: Callable[[Any], Any]) -> jinja2.Environment:
    """Return what templates are taken from.

    Parameters
    ----------
    filters
        That templates may use, by name.
    finalize
        Called with each value before it is escaped.
    """
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_cache(),
    )
    made.filters.update(filters)
    return made


def _cache() -> _Kept | None:
    """Return the files of this jinja2 and these settings; None where nothing can be written."""
    here = Path(__file__)
    settings = hashlib.blake2b(jinja2.__version__.encode() + here.read_bytes(), digest_size=8).hexdigest()
    for place in places(here):
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            if os.access(place, os.W_OK):
                return _Kept(str(place), f"template-{settings}-%s.jinja")
    return None
