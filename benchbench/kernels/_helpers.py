"""How numba compiles a helper that only kernels call: to code that is put into them, and to nothing else.

Numba optimises a function with all that it calls and makes machine code of it, and then does the same again with every
function that this is put into. For helpers, which never run by themselves, that was a third of what the first command
waited for. What is left is a cheap pass over each helper alone: without it kernels were a tenth slower.
"""

from typing import Any

try:
    from numba.core import codegen, compiler

    _Library: Any = codegen.JITCodeLibrary
    _Compiler: Any = compiler.Compiler
    is_supported = all(
        hasattr(_Library, name) for name in ("_optimize_final_module", "_finalize_final_module", "codegen")
    )
except (ImportError, AttributeError):  # numba promises none of these
    _Library, _Compiler, is_supported = object, object, False


class _Parts(_Library):  # type: ignore[misc]  # numba has no types
    """The code of one helper and of those that it calls."""

    @property
    def codegen(self) -> "_Parts":
        """Asked only to tell machine code its environment, and there is no machine code."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        pass

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class Compiler(_Compiler):  # type: ignore[misc]  # numba has no types
    """Numba's compiler, for a helper."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, library or _Parts(target.codegen(), "helper"), *others)
