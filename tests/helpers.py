"""Helpers of kernels, which only kernels can call, as kernels of their own."""

from collections.abc import Callable
from typing import Any

from benchbench.kernels._jit import leaf


def called(helper: Any) -> Callable[..., Any]:
    """Return a kernel that does what a helper does."""
    return leaf(helper.py_func)
