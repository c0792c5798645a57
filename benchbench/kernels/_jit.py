"""What makes a function a kernel. Numba is imported when one is called first: it takes longer than most commands.

How each kind is compiled is said in `_policy`.
"""

import functools
import importlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., object])
_making = threading.RLock()  # numba makes helpers while it compiles what calls them


class _Later:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


_policy: Any = _Later("benchbench.kernels._policy")
_cache: Any = _Later("benchbench.kernels._cache")
ir: Any = _Later("llvmlite.ir")
types: Any = _Later("numba.core.types")


class _Kernel:
    """A function, and numba's dispatcher of it once that is asked for; to numba it is that dispatcher."""

    def __init__(self, function: Callable[..., object], kind: str) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._kind, self._made = function, kind, None

    def __call__(self, *arguments: Any) -> Any:
        return (self._made or self._dispatcher())(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._dispatcher(), name)  # among them `_numba_type_`, by which numba knows it

    def _dispatcher(self) -> Any:
        with _making:
            if self._made is None:
                self._made = getattr(_policy, self._kind)(self.py_func)
            return self._made


class _Intrinsic:
    """A function that generates LLVM code; to numba, what it makes of it."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    @functools.cached_property
    def _numba_type_(self) -> Any:
        return _policy.intrinsic(self._function)


def jit(function: _Function) -> _Function:
    """Compile on the first call, and keep the machine code on disk for the next process."""
    return cast("_Function", _Kernel(function, "jit"))


def leaf(function: _Function) -> _Function:
    """Compile a kernel that allocates nothing, as `jit` does."""
    return cast("_Function", _Kernel(function, "leaf"))


def inline(function: _Function) -> _Function:
    """Compile a helper that allocates nothing, for kernels only: Python must not call it."""
    return cast("_Function", _Kernel(function, "inline"))


def step(function: _Function) -> _Function:
    """Compile a helper as `inline` does, and leave it to the compiler whether its code stands where it is called."""
    return cast("_Function", _Kernel(function, "step"))


def intrinsic(function: Callable[..., object]) -> Any:
    """Make a function that generates LLVM code; it loses its first argument, the typing context."""
    return _Intrinsic(function)


def struct(kind: Any) -> Any:
    """Return what reads and writes the members of a value of a type, in a function that generates LLVM code."""
    return importlib.import_module("numba.core.cgutils").create_struct_proxy(kind)


def would_keep(kernel: Any) -> bool:
    """Say whether a kernel was never compiled, and would then be kept for other processes."""
    answer: bool = _cache.would_keep(kernel)
    return answer
