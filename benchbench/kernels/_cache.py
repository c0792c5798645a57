"""Where machine code stays for the next process: one file a compiled signature, in a folder named after all sources.

Numba's own cache looks at the one file that a kernel stands in. Helpers of other files are compiled into it, so that
a change there would run code of before; and it wants a folder that it can write. Here a folder that can only be read
is read, and where nothing can be written nothing is kept: kernels are compiled in memory.
"""

import contextlib
import glob
import hashlib
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from benchbench.caches import places

_PREFIX = "benchbench-"
_FOLDERS = 4  # that stay in one place: installs of several versions may share a user's folder

try:
    from numba.core import caching, compiler, serialize

    _Base: Any = caching.NullCache
    _dumps: Any = serialize.dumps
    _reduce: Any = compiler.CompileResult._reduce
    _rebuild: Any = compiler.CompileResult._rebuild
    is_supported = True
except (ImportError, AttributeError):  # numba promises none of these
    _Base, is_supported = object, False


class Cache(_Base):  # type: ignore[misc]  # numba has no types
    """The cache of one kernel, as numba's dispatcher asks for it.

    What cannot be read is compiled, and what cannot be written is not kept: neither is worth an error.
    """

    def __init__(self, function: Callable[..., object], prepare: Callable[[Any], object]) -> None:
        code = function.__code__
        self._name, self._prepare = f"{function.__module__}.{code.co_name}-{code.co_firstlineno}", prepare
        self._source = Path(code.co_filename)

    @property
    def is_empty(self) -> bool:
        """Whether there is a folder to write to, and no machine code of this kernel in any."""
        name = f"{glob.escape(self._name)}-*"
        return bool(FOLDERS) and os.access(FOLDERS[0], os.W_OK) and not any(any(one.glob(name)) for one in FOLDERS)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return a compiled signature, or None."""
        for folder in FOLDERS:
            with contextlib.suppress(Exception):  # a pickle that is damaged raises whatever it names
                kept = pickle.loads((folder / self._file(signature, context.codegen())).read_bytes())
                self._prepare(context)
                return _rebuild(context, *kept)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled signature; processes that do so at once write the same."""
        with contextlib.suppress(Exception):
            if not FOLDERS or compiled.library.has_dynamic_globals:  # these hold addresses of this process
                return
            path = FOLDERS[0] / self._file(signature, compiled.codegen)
            place = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
            try:
                place.write_bytes(_dumps(_reduce(compiled)))
                place.replace(path)
            except OSError:
                place.unlink(missing_ok=True)

    def _file(self, signature: Any, codegen: Any) -> str:
        """Return the name of a file, which depends on all types and on what the processor can do.

        All sources of this room are in the folder's name. A kernel of another room uses these and its own file only.
        """
        key = repr((signature, codegen.magic_tuple())).encode()
        if self._source.parent != Path(__file__).parent:
            key += self._source.read_bytes()
        return f"{self._name}-{hashlib.blake2b(key, digest_size=16).hexdigest()}"


def would_keep(kernel: Any) -> bool:
    """Say whether a kernel was never compiled, and would then be kept for other processes."""
    cache = getattr(kernel, "_cache", None)
    return isinstance(cache, Cache) and cache.is_empty


def _digest() -> str | None:
    """Return what all kernels and their compilers have in common, or None where the sources are not files."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    if not sources:
        return None
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    digest = hashlib.blake2b(repr(versions).encode(), digest_size=10)
    for path in sources:
        source = path.read_bytes()
        digest.update(f"{path.name} {len(source)} ".encode() + source)
    return digest.hexdigest()


def _places() -> Iterator[Path]:
    """Yield the folders that may hold ours, the first choice first."""
    config: Any = numba.config
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
    yield from places(Path(__file__))


def _folders() -> tuple[Path, ...]:
    """Return the folders to read; new machine code is written to the first."""
    digest = _digest()
    read_only: list[Path] = []
    for place in _places() if digest else ():
        folder = place / f"{_PREFIX}{digest}"
        if os.access(folder, os.W_OK) or _made(folder):
            return (folder, *read_only)
        if folder.is_dir():
            read_only.append(folder)
    return tuple(read_only)


def _made(folder: Path) -> bool:
    """Make a folder, and remove those of sources that have long been others."""
    try:
        folder.mkdir(parents=True)
        others = sorted(folder.parent.glob(f"{_PREFIX}*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for other in others[_FOLDERS:]:
            shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return folder.is_dir() and os.access(folder, os.W_OK)  # another process was faster
    return True


FOLDERS = _folders()
