"""What makes a function a kernel: machine code that was compiled with the package, or that numba compiles when needed.

Numba is not imported where the machine code of a kernel is there: it takes longer than most commands.
"""

import functools
import importlib
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Later:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


_dispatchers: Any = _Later("benchbench.kernels._dispatchers")
_native: Any = _Later("benchbench.kernels._native")
ir: Any = _Later("llvmlite.ir")
types: Any = _Later("numba.core.types")


class Helper:
    """A function that only kernels call."""

    def __init__(self, function: Callable[..., object], kind: str) -> None:
        functools.update_wrapper(cast("Any", self), function)
        self.py_func, self._kind = function, kind

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of it, which takes any types."""
        return getattr(_dispatchers, self._kind)(self.py_func)

    @property
    def _numba_type_(self) -> Any:  # by which numba knows it as its dispatcher
        return self.dispatcher._numba_type_


class Kernel(Helper):
    """A function that Python calls as machine code, and kernels as one of theirs."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function, "kernel")
        self.imported = time.time()
        self.native: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return (self.native or _native.bind(self))(*arguments)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__  # pickles name it, as they do functions


class _Intrinsic:
    """A function that generates LLVM code; to numba, what it makes of it."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    @functools.cached_property
    def _numba_type_(self) -> Any:
        return _dispatchers.intrinsic(self._function)


def leaf(function: _Function) -> _Function:
    """Make a kernel, which allocates nothing; its annotations say what it takes (`signature`)."""
    return cast("_Function", Kernel(function))


def inline(function: _Function) -> _Function:
    """Make a helper, which allocates nothing, for kernels only: its code stands wherever it is called.

    Left to the compiler, half of the time of parsing went into calls.
    """
    return cast("_Function", Helper(function, "inline"))


def step(function: _Function) -> _Function:
    """Make a helper as `inline` does, and leave it to the compiler whether its code stands where it is called."""
    return cast("_Function", Helper(function, "step"))


def intrinsic(function: Callable[..., object]) -> Any:
    """Make a function that generates LLVM code; it loses its first argument, the typing context."""
    return _Intrinsic(function)


def struct(kind: Any) -> Any:
    """Return what reads and writes the members of a value of a type, in a function that generates LLVM code."""
    return importlib.import_module("numba.core.cgutils").create_struct_proxy(kind)
