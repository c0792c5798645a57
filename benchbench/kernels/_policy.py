"""The one compile policy of all kernels, over numba; `_jit` imports it when the first kernel is called."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import extending
from numba.core.registry import cpu_target

from benchbench.kernels import _cache, _helpers

_Function = TypeVar("_Function", bound=Callable[..., object])
_HELPER = {"_nrt": False, "no_cpython_wrapper": True, "pipeline_class": _helpers.Helper}
_njit: Any = numba.njit  # numba's types do not know all of it

try:
    from numba.core import cpu, runtime

    _runtime: Any = runtime
    _initialize = _runtime.rtsys.initialize
    _known = {*dir(cpu.CPUTargetOptions), *(("pipeline_class",) if _helpers.is_supported else ())}
except (ImportError, AttributeError):  # numba promises none of these: without them all is compiled as by plain njit
    _initialize, _known = None, set()


def jit(function: _Function) -> _Function:
    """Compile on the first call, and keep the machine code on disk for the next process.

    Kept: the second run of a command must not compile. `nogil`: threads may share the work.
    No `fastmath`: a reported sum must have the same bits everywhere. Signatures are lazy, because
    eager ones compile at import.
    """
    return cast("_Function", _kept(_compiled(function), _initialize))


def leaf(function: _Function) -> _Function:
    """Compile a kernel that allocates nothing, as `jit` does.

    Without reference counts: each call of a helper would raise and lower that of every array it is given, which cost
    two thirds of the time of parsing a run.
    """
    prepare = (lambda context: None) if "_nrt" in _known else None
    return cast("_Function", _kept(_compiled(function, _nrt=False, pipeline_class=_helpers.Kernel), prepare))


def inline(function: _Function) -> _Function:
    """Compile a helper that allocates nothing, for kernels only: Python must not call it.

    Its code stands wherever it is called. Left to the compiler, half of the time of parsing went into calls.
    """
    return cast("_Function", _compiled(function, forceinline=True, **_HELPER))


def step(function: _Function) -> _Function:
    """Compile a helper as `inline` does, and leave it to the compiler whether its code stands where it is called."""
    return cast("_Function", _compiled(function, **_HELPER))


def intrinsic(function: Callable[..., object]) -> Any:
    """Return numba's type of a function that generates LLVM code."""
    made = extending.intrinsic(function)
    typing: Any = cpu_target.typing_context
    typing.refresh()  # for it may be made while a kernel that calls it is compiled
    return typing.resolve_value_type(made)


def _compiled(function: Callable[..., object], **options: Any) -> Any:
    """Return a dispatcher, with those of the options that this numba has: each saves time and changes no result."""
    known = {name: value for name, value in options.items() if name in _known}
    return _njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **known)(function)


def _kept(dispatcher: Any, prepare: Callable[[Any], object] | None) -> Any:
    """Give a dispatcher its cache on disk.

    Loading what is cached skips what only compiling needs, which took a third of the time of a short command: all of
    numba's own implementations, and for what allocates nothing its memory manager.
    """
    if _cache.is_supported and hasattr(dispatcher, "_cache"):
        dispatcher._cache = _cache.Cache(dispatcher.py_func, prepare or (lambda context: context.refresh()))
    return dispatcher
