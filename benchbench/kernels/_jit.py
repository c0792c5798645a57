"""The one compile policy of all kernels."""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import extending
from numba.core import cgutils, runtime

_Function = TypeVar("_Function", bound=Callable[..., object])
_njit: Any = numba.njit  # numba's types do not know all of it
_runtime: Any = runtime
struct: Any = cgutils.create_struct_proxy


def jit(function: _Function) -> _Function:
    """Compile on the first call, and keep the machine code on disk for the next process.

    `cache`: the second run of a command must not compile. `nogil`: threads may share the work.
    No `fastmath`: a reported sum must have the same bits everywhere. Signatures are lazy, because
    eager ones compile at import.
    """
    return cast(_Function, _lenient(_njit(cache=True, nogil=True)(function), _runtime.rtsys.initialize))


def leaf(function: _Function) -> _Function:
    """Compile a kernel that allocates nothing, as `jit` does.

    Without reference counts: each call of a helper would raise and lower that of every array it is given, which cost
    two thirds of the time of parsing a run.
    """
    return cast(_Function, _lenient(_njit(cache=True, nogil=True, _nrt=False)(function)))


def inline(function: _Function) -> _Function:
    """Compile a helper that allocates nothing and that only kernels call; its code stands wherever it is called.

    Left to the compiler, half of the time of parsing went into calls.
    """
    return cast(_Function, _njit(nogil=True, _nrt=False, forceinline=True, no_cfunc_wrapper=True)(function))


def intrinsic(function: Callable[..., object]) -> Any:
    """Make a function that generates LLVM code; it loses its first argument, the typing context."""
    return extending.intrinsic(function)


def _lenient(dispatcher: Any, prepare: Callable[[Any], object] | None = None) -> Any:
    """Let a full disk cost the next process its cache, and not this one its run: numba would raise.

    Loading what is cached skips what only compiling needs, which took a third of the time of a short command: all of
    numba's own implementations, and for what allocates nothing its memory manager.
    """
    cache = dispatcher._cache
    save = cache.save_overload

    def save_if_possible(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    def load(signature: Any, context: Any) -> Any:
        if prepare is not None:
            prepare(context)
        return cache._load_overload(signature, context)

    cache.save_overload, cache.load_overload = save_if_possible, load
    return dispatcher
