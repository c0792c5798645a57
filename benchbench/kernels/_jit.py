"""The one compile policy of all kernels."""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])
_njit: Any = numba.njit  # its types do not know `_nrt`


def jit(function: _Function) -> _Function:
    """Compile on the first call, and keep the machine code on disk for the next process.

    `cache`: the second run of a command must not compile. `nogil`: threads may share the work.
    No `fastmath`: a reported sum must have the same bits everywhere. Signatures are lazy, because
    eager ones compile at import.
    """
    return cast(_Function, _forgiving(_njit(cache=True, nogil=True)(function)))


def leaf(function: _Function) -> _Function:
    """Compile a helper that is called for each byte or hit, and allocates nothing.

    Without reference counts: each call would raise and lower that of every array it is given, which cost
    two thirds of the time of parsing a run.
    """
    return cast(_Function, _forgiving(_njit(cache=True, nogil=True, _nrt=False)(function)))


def _forgiving(dispatcher: Any) -> Any:
    """Let a full disk cost the next process its cache, and not this one its run: numba would raise."""
    save = dispatcher._cache.save_overload

    def save_if_possible(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    dispatcher._cache.save_overload = save_if_possible
    return dispatcher
