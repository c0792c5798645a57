"""Arithmetic on `LANES` numbers at a time, in registers: what numba has no words for.

An intrinsic is a few LLVM instructions. Whoever calls one guarantees that row `i` lies in the array, whose rows are
`LANES` numbers wide. Each lane is added by itself, so that vectors change no bit.
"""

from functools import cache
from typing import Any

from benchbench.kernels._jit import intrinsic, ir, struct, types

LANES = 32  # four registers of the widest kind: enough to hide how long an addition takes


def _vector() -> Any:
    return ir.VectorType(ir.DoubleType(), LANES)


@cache
def _lanes() -> Any:
    """Return the type of `LANES` doubles that no array holds."""
    from numba.core import types  # a class of numba's is made here, and not when kernels are imported
    from numba.extending import models, register_model

    class Lanes(types.Type):
        def __init__(self) -> None:
            super().__init__("lanes")

    @register_model(Lanes)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _vector())  # type: ignore[no-untyped-call]  # numba's classes have no types

    return Lanes()


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, kind: Any) -> Any:
    """Return the address of `rows[i]`."""
    rows = struct(signature.args[0])(context, builder, value=arguments[0])
    first = builder.mul(arguments[1], ir.Constant(ir.IntType(64), LANES))
    return builder.bitcast(builder.gep(rows.data, [first]), ir.VectorType(kind, LANES).as_pointer())


@intrinsic
def load(typing: Any, rows: Any, i: Any) -> Any:
    """Return `rows[i]`, doubles."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments, ir.DoubleType()), align=8)

    return _lanes()(rows, types.int64), generate


@intrinsic
def load_bytes(typing: Any, rows: Any, i: Any) -> Any:
    """Return `rows[i]`, unsigned bytes, as doubles."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        small = builder.load(_pointer(context, builder, signature, arguments, ir.IntType(8)), align=1)
        return builder.uitofp(small, _vector())

    return _lanes()(rows, types.int64), generate


@intrinsic
def store(typing: Any, rows: Any, i: Any, lanes: Any) -> Any:
    """Set `rows[i]`, doubles."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _pointer(context, builder, signature, arguments, ir.DoubleType()), align=8)
        return context.get_dummy_value()

    return types.void(rows, types.int64, _lanes()), generate


@intrinsic
def add_times(typing: Any, total: Any, times: Any, x: Any) -> Any:
    """Return `total + times * x`, rounded twice, of each lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, times, x = arguments
        nothing, number = ir.Constant(_vector(), ir.Undefined), ir.IntType(32)
        first = builder.insert_element(nothing, x, ir.Constant(number, 0))
        everywhere = ir.Constant(ir.VectorType(number, LANES), [ir.Constant(number, 0)] * LANES)
        return builder.fadd(total, builder.fmul(times, builder.shuffle_vector(first, nothing, everywhere)))

    return _lanes()(_lanes(), _lanes(), types.float64), generate
