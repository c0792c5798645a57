"""How numba compiles kernels and helpers; imported when there is no machine code of a kernel yet."""

from collections.abc import Callable
from typing import Any

import numba
from numba import extending
from numba.core.registry import cpu_target

# No `fastmath`: a reported sum must have the same bits everywhere. `_nrt`: without reference counts, for nothing is
# allocated, and each call of a helper would raise and lower that of every array it is given, which cost two thirds of
# the time of parsing a run.
_OPTIONS: Any = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
_njit: Any = numba.njit  # numba's types do not know all of it


def kernel(function: Callable[..., object]) -> Any:
    """Return a dispatcher that Python may call."""
    return _njit(**_OPTIONS)(function)


def inline(function: Callable[..., object]) -> Any:
    """Return a dispatcher whose code stands wherever it is called."""
    return _njit(**_OPTIONS, no_cpython_wrapper=True, forceinline=True)(function)


def step(function: Callable[..., object]) -> Any:
    """Return a dispatcher for kernels only."""
    return _njit(**_OPTIONS, no_cpython_wrapper=True)(function)


def intrinsic(function: Callable[..., object]) -> Any:
    """Return numba's type of a function that generates LLVM code."""
    made = extending.intrinsic(function)
    typing: Any = cpu_target.typing_context
    typing.refresh()  # for it may be made while a kernel that calls it is compiled
    return typing.resolve_value_type(made)
