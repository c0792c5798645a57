"""The one compile policy of all kernels."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])


def jit(function: _Function) -> _Function:
    """Compile on the first call, and keep the machine code on disk for the next process.

    `cache`: the second run of a command must not compile. `nogil`: threads may share the work.
    No `fastmath`: a reported sum must have the same bits everywhere. Signatures are lazy, because
    eager ones compile at import.
    """
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))
