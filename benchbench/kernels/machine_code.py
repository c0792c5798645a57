"""Machine code of kernels, for the processors of a level: compiled by numba and LLVM, and called without them.

Each kernel has an entry that C can call. It takes the address of the type `numpy.ndarray`, then numbers as they are
and arrays as NumPy's own objects, whose members it reads where NumPy 2 has them, and last an address to write the
result to. It returns 0, the number of an exception of numba's, or `REFUSED` less the place of an array that is not
what the kernel was compiled for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from benchbench.kernels import _dispatchers
from benchbench.kernels._jit import Kernel
from benchbench.kernels.signature import REFUSED, ArrayShape, At, Shape, TupleShape, leaves, signature

_cgutils: Any = cgutils  # numba and llvmlite have no types
_types: Any = types
_llvm: Any = llvm
_BYTE, _HALF, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_ADDRESS = _BYTE.as_pointer()
_C_CONTIGUOUS, _ALIGNED = 0x1, 0x100
_SWAPPED = np.dtype(np.int16).newbyteorder().byteorder
_WIDE = {"i": types.int64, "u": types.uint64, "f": types.float64, "b": types.int64}  # as entries return numbers


def machine_code(kernels: Mapping[str, Kernel], level: str) -> bytes:
    """Return an object file with the entries of kernels, which can be linked or loaded.

    Parameters
    ----------
    kernels
        By the names of their entries.
    level
        Of processors, as `_native.levels` names them.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.get_process_triple()
    target: Any = _llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=level, features="", opt=3, reloc="pic", codemodel="small")
    module: Any = _llvm.parse_assembly("")
    module.triple, module.data_layout = triple, str(machine.target_data)
    for name, kernel in kernels.items():
        for part in _intermediate(name, kernel):
            module.link_in(_llvm.parse_assembly(part))
    for value in (*module.functions, *module.global_variables):
        if value.name == "numba_ldexp":
            value.name = "ldexp"  # of C: numba's own does the same, and is in no library that can be linked
        elif not value.is_declaration and value.name not in kernels:
            value.linkage = "internal"
    module.verify()
    tuning: Any = _llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    builder: Any = _llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    emitted: bytes = machine.emit_object(module)
    return emitted


def _intermediate(name: str, kernel: Kernel) -> tuple[str, str]:
    """Return the LLVM code of a kernel with its helpers, and that of its entry."""
    shapes = signature(kernel.py_func)
    kinds = tuple(map(_kind, shapes.parameters.values()))
    dispatcher = _dispatchers.step(kernel.py_func)  # for kernels only, for Python calls the entry
    dispatcher.compile(kinds)
    compiled = dispatcher.overloads[kinds]
    entry = _Entry(name, compiled, kinds, shapes.returned)
    entry.write(tuple(shapes.parameters.values()))
    return compiled.library.get_llvm_str(), _cgutils.normalize_ir_text(str(entry.module))


def _kind(shape: Shape) -> Any:
    """Return numba's type."""
    if isinstance(shape, ArrayShape):
        return _types.Array(from_dtype(shape.dtype), shape.dimensions, shape.layout)
    if isinstance(shape, TupleShape):
        return _types.BaseTuple.from_types(
            tuple(map(_kind, shape.members)), None if shape.kind is tuple else shape.kind
        )
    return from_dtype(shape)


@dataclass(slots=True)
class _Entry:
    """The entry of a kernel while it is written."""

    name: str
    compiled: Any
    kinds: Sequence[Any]
    returned: Shape | None
    context: Any = field(default_factory=lambda: cpu_target.target_context)
    module: Any = None
    builder: Any = None
    given: Any = None  # what is left of the arguments

    def write(self, shapes: Sequence[Shape]) -> None:
        """Write the entry of a kernel of such parameters."""
        flat = [leaf for shape in shapes for leaf in leaves(shape)]
        given = [_ADDRESS, *map(_passed, flat), _ADDRESS]
        self.module = ir.Module(self.name)
        function = ir.Function(self.module, ir.FunctionType(_HALF, given), self.name)
        self.builder = ir.IRBuilder(function.append_basic_block())
        array_type, *rest, result = function.args
        self.given = iter(rest)
        for place, (argument, leaf) in enumerate(zip(rest, flat, strict=True)):
            if isinstance(leaf, ArrayShape):
                self._check(argument, leaf, array_type, _HALF(REFUSED - place))
        values = [self._value(kind) for kind in self.kinds]
        code = self.context.declare_function(self.module, self.compiled.fndesc)
        made = self.compiled.signature.return_type
        status, value = self.context.call_conv.call_function(self.builder, code, made, self.kinds, values)
        with self.builder.if_then(status.is_error):
            self.builder.ret(status.code)
        if self.returned is not None:
            self._store(value, made, result)
        self.builder.ret(_HALF(0))

    def _check(self, argument: Any, leaf: ArrayShape, array_type: Any, refusal: Any) -> None:
        """Return a refusal for what is no such array: the kernel would read memory that is not the array's."""
        builder = self.builder
        with builder.if_then(builder.icmp_unsigned("!=", self._read(argument, At.TYPE, _ADDRESS), array_type)):
            builder.ret(refusal)
        description = self._read(argument, At.DTYPE, _ADDRESS)
        flags = _HALF(_ALIGNED | (_C_CONTIGUOUS if leaf.layout == "C" else 0))
        fits = builder.icmp_unsigned("!=", self._read(description, At.ORDER, _BYTE), _BYTE(ord(_SWAPPED)))
        for read, expected in (
            (self._read(argument, At.DIMENSIONS, _HALF), _HALF(leaf.dimensions)),
            (builder.and_(self._read(argument, At.FLAGS, _HALF), flags), flags),
            (self._read(description, At.KIND, _BYTE), _BYTE(ord(leaf.dtype.kind))),
            (self._read(description, At.SIZE, _WORD), _WORD(leaf.dtype.itemsize)),
        ):
            fits = builder.and_(fits, builder.icmp_unsigned("==", read, expected))
        with builder.if_then(builder.not_(fits)):
            builder.ret(refusal)

    def _read(self, address: Any, offset: int, kind: Any) -> Any:
        """Return what stands so many bytes behind an address."""
        there = self.builder.gep(address, [_WORD(offset)])
        return self.builder.load(self.builder.bitcast(there, kind.as_pointer()))

    def _value(self, kind: Any) -> Any:
        """Return the next argument as numba has values of its type."""
        if isinstance(kind, _types.BaseTuple):
            return self.context.make_tuple(self.builder, kind, [self._value(member) for member in kind])
        argument = next(self.given)
        if isinstance(kind, _types.Array):
            return self._array(argument, kind)
        if isinstance(kind, _types.Boolean):
            return self.builder.icmp_unsigned("!=", argument, _BYTE(0))
        return self.context.cast(self.builder, argument, _WIDE[np.dtype(str(kind)).kind], kind)

    def _array(self, argument: Any, kind: Any) -> Any:
        """Return numba's view of one of NumPy's arrays."""
        context, builder = self.context, self.builder
        array = context.make_array(kind)(context, builder)
        shape, strides = (
            [self._read(self._read(argument, place, _ADDRESS), 8 * i, _WORD) for i in range(kind.ndim)]
            for place in (At.SHAPE, At.STRIDES)
        )
        data = builder.bitcast(self._read(argument, At.DATA, _ADDRESS), array.data.type)
        size = context.get_constant(_types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        populate_array(array, data, shape, strides, size, None)  # type: ignore[no-untyped-call]
        return array._getvalue()

    def _store(self, value: Any, made: Any, result: Any) -> None:
        """Write what the kernel returned, 8 bytes a number."""
        assert self.returned is not None
        returned: list[Any] = [*leaves(self.returned)]
        for place, ((part, kind), leaf) in enumerate(zip(self._parts(value, made), returned, strict=True)):
            stored = self.context.cast(self.builder, part, kind, _WIDE[leaf.kind])
            there = self.builder.gep(result, [_WORD(8 * place)])
            self.builder.store(stored, self.builder.bitcast(there, stored.type.as_pointer()))

    def _parts(self, value: Any, kind: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the numbers of a value, and their types."""
        if isinstance(kind, _types.BaseTuple):
            for part, member in zip(_cgutils.unpack_tuple(self.builder, value, len(kind)), kind, strict=True):
                yield from self._parts(part, member)
        else:
            yield value, kind


def _passed(leaf: Any) -> Any:
    """Return the type of an argument of an entry."""
    if isinstance(leaf, ArrayShape):
        return _ADDRESS
    kinds: dict[str, Any] = {"b": _BYTE, "f": ir.DoubleType()}
    return kinds.get(leaf.kind, _WORD)
