"""How numba compiles a kernel that allocates nothing, and the helpers that are put into it: without what neither needs.

Numba optimises a function with all that it calls and makes machine code of it, and then does the same again with every
function that this is put into. For helpers, which never run by themselves, that was a third of what the first command
waited for. What is left for each function alone is to put its variables into registers: without that kernels were up to
a fifth slower. All other passes come once, when the helpers stand in their kernel.

Of what was left then, the garbage collector took an eighth, which looks at all that numba has made again and again, and
the rest of what is left out here as much: what a call gives was worked out anew for each `+` and each item of an array,
numba imports scipy.linalg to offer matrix products, and passes look for closures, array expressions and other things
that no kernel has.

Python calls a kernel through a function that takes its arguments apart. It was optimised as the kernel is, and took a
quarter of all instructions; it is now left as it is.
"""

import contextlib
import gc
import importlib
import sys
from collections.abc import Iterator
from typing import Any

try:
    from llvmlite.binding import newpassmanagers
    from numba.core import codegen, compiler, types, typing

    _Library: Any = codegen.JITCodeLibrary
    _Compiler: Any = compiler.Compiler
    _types: Any = types
    _context: Any = typing.context.BaseContext
    _new_passes: Any = newpassmanagers.create_new_function_pass_manager
    is_supported = (
        all(hasattr(_Compiler, name) for name in ("define_pipelines", "compile_extra"))
        and all(hasattr(_context, name) for name in ("resolve_function_type", "resolve_setitem"))
        and all(hasattr(_Library, name) for name in ("_optimize_final_module", "_finalize_final_module", "codegen"))
        and all(hasattr(_Library, name) for name in ("add_ir_module", "_optimize_functions", "enable_object_caching"))
        and all(hasattr(codegen.CPUCodegen, name) for name in ("_pass_builder", "_module_pass_manager"))
        and hasattr(newpassmanagers.FunctionPassManager, "add_sroa_pass")
    )
except (ImportError, AttributeError):  # numba promises none of these
    _Library, _Compiler, is_supported = object, object, False

_NEEDLESS = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}
_known: dict[object, object] = {}  # signatures, by what is called and the types that it is given


class _Code(_Library):  # type: ignore[misc]  # numba has no types
    """The code of a kernel, and of what Python calls it by.

    Numba's first passes over a whole module make room for the pruning of reference counts, of which there are none.
    """

    def add_ir_module(self, module: Any) -> None:
        """Add what is not compiled yet."""
        if module.name == "wrapper":
            for function in module.functions:
                if function.blocks:
                    function.attributes.add("noinline")
                    function.attributes.add("optnone")
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        builder, passes = self._codegen._pass_builder(), _new_passes()
        passes.add_sroa_pass()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _Parts(_Code):
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


class _Typing:
    """Numba's typing context, which remembers what it said of a call; what a helper returns its dispatcher knows."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return the signature of a call."""
        if named or isinstance(function, _types.Dispatcher):
            return self._context.resolve_function_type(function, args, named)
        known = _known.get((function, args))
        if known is None:
            known = _known[function, args] = self._context.resolve_function_type(function, args, named)
        return known

    def resolve_setitem(self, *args: Any) -> Any:
        """Return the signature of an assignment to an item."""
        known = _known.get(args)
        if known is None:
            known = _known[args] = self._context.resolve_setitem(*args)
        return known


class Kernel(_Compiler):  # type: ignore[misc]  # numba has no types
    """Numba's compiler, for a kernel that allocates nothing."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        with _without_products():
            super().__init__(typing, target, library or self._library(target), *others)
        self.state.typingctx = _Typing(typing)

    @staticmethod
    def _library(target: Any) -> Any:
        library = _Code(target.codegen(), "kernel")
        library.enable_object_caching()
        return library

    def compile_extra(self, function: Any) -> Any:
        """Compile without the garbage collector."""
        with without_collections():
            return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        """Return the passes."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes[:] = [one for one in pipeline.passes if one[0].__name__ not in _NEEDLESS]
        return pipelines


class Helper(Kernel):
    """Numba's compiler, for a helper."""

    @staticmethod
    def _library(target: Any) -> Any:
        return _Parts(target.codegen(), "helper")


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Keep the garbage collector from what numba makes in the block: it keeps all of it."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def _without_products() -> Iterator[None]:
    """Keep scipy.linalg from being imported with numba's implementations: who needs it asks again.

    It takes twice as long as all of them, and numba imports it to know whether there are matrix products.
    """
    linalg: Any = None
    if "numba.np.arraymath" not in sys.modules:
        with contextlib.suppress(ImportError):
            linalg = importlib.import_module("numba.np.linalg")
    if not hasattr(linalg, "ensure_blas"):  # numba does not promise it either
        yield
        return
    asked, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        yield
    finally:
        linalg.ensure_blas = asked
