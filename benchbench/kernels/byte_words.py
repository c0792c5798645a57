"""Bytes of a text, 8 and 64 at a time: what numba has no words for.

An intrinsic is a few LLVM instructions. Whoever calls one guarantees that all the bytes it reads lie in the text.
"""

from typing import Any

import numpy as np

from benchbench.kernels._jit import inline, intrinsic, ir, struct, types
from benchbench.kernels.arrays import Bytes

_ONE, _BLOCK = np.uint64(1), np.uint64(64)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of `text[i]`."""
    text = struct(signature.args[0])(context, builder, value=arguments[0])
    return builder.gep(text.data, [arguments[1]])


def _loaded(builder: Any, pointer: Any, kind: Any) -> Any:
    """Return what stands at an address that need not be aligned."""
    word = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    word.align = 1
    return word


@intrinsic
def load_word(typing: Any, text: Any, i: Any) -> Any:
    """Return `text[i:i + 8]` as one little-endian word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded(builder, _pointer(context, builder, signature, arguments), ir.IntType(64))

    return types.uint64(text, types.uint64), generate


def _matching(context: Any, builder: Any, signature: Any, arguments: Any, comparison: str, byte: int) -> Any:
    """Return a word whose bit `j` says whether `text[i + j]` compares so with a byte."""
    now = block(context, builder, signature, arguments, 64, 0)
    return builder.bitcast(lanes(builder, comparison, now, byte), ir.IntType(64))


def block(context: Any, builder: Any, signature: Any, arguments: Any, width: int, back: int) -> Any:
    """Return so many bytes that begin some places before `text[i]`; the first arguments are the text and `i`."""
    at = builder.sub(arguments[1], ir.Constant(ir.IntType(64), back))
    pointer = _pointer(context, builder, signature, (arguments[0], at))
    return _loaded(builder, pointer, ir.VectorType(ir.IntType(8), width))


def lanes(builder: Any, comparison: str, bytes_: Any, byte: int) -> Any:
    """Return which bytes of a block compare so with one."""
    return builder.icmp_unsigned(comparison, bytes_, ir.Constant(bytes_.type, [byte] * bytes_.type.count))


def _bits(builder: Any, found: Any) -> Any:
    """Return a word whose bit `j`, to 31, is the truth of the `j`th of 32."""
    return builder.zext(builder.bitcast(found, ir.IntType(32)), ir.IntType(64))


@intrinsic
def string_marks(typing: Any, text: Any, i: Any) -> Any:
    """Return what a scan of a JSON string must look at in `text[i:i + 32]`, of which three bytes stand before `i`.

    Bit `j`, to 31: `text[i + j]` is a quote, a backslash or a control character. The upper half is not 0 where
    `text[i - 3:i + 32]` has a byte beyond ASCII.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        now, before = (block(context, builder, signature, arguments, 32, back) for back in (0, 3))
        marks = builder.or_(lanes(builder, "==", now, 0x22), lanes(builder, "==", now, 0x5C))
        marks = builder.or_(marks, lanes(builder, "<", now, 0x20))
        beyond = lanes(builder, ">=", builder.or_(now, before), 0x80)
        upper = builder.shl(_bits(builder, beyond), ir.Constant(ir.IntType(64), 32))
        return builder.or_(upper, _bits(builder, marks))

    return types.uint64(text, types.uint64), generate


@intrinsic
def utf8_errors(typing: Any, text: Any, i: Any) -> Any:
    """Return a word whose bit `j`, to 31, says that `text[i + j]` is wrong in UTF-8 after the three bytes before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        now, one, two, three = (block(context, builder, signature, arguments, 32, back) for back in range(4))
        both = builder.and_
        wanted = builder.or_(lanes(builder, ">=", one, 0xC0), lanes(builder, ">=", two, 0xE0))
        wanted = builder.or_(wanted, lanes(builder, ">=", three, 0xF0))
        wrong = builder.xor(wanted, both(lanes(builder, ">=", now, 0x80), lanes(builder, "<", now, 0xC0)))
        for lead, comparison, byte in ((0xE0, "<", 0xA0), (0xED, ">=", 0xA0), (0xF0, "<", 0x90), (0xF4, ">=", 0x90)):
            wrong = builder.or_(wrong, both(lanes(builder, "==", one, lead), lanes(builder, comparison, now, byte)))
        for byte in (0xC0, 0xC1):
            wrong = builder.or_(wrong, lanes(builder, "==", now, byte))
        wrong = builder.or_(wrong, lanes(builder, ">=", now, 0xF5))
        return _bits(builder, wrong)

    return types.uint64(text, types.uint64), generate


@intrinsic
def copy_block(typing: Any, text: Any, i: Any, copied: Any) -> Any:
    """Write `text[i:i + 64]` to the beginning of another array of bytes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = block(context, builder, signature, arguments, 64, 0)
        target = struct(signature.args[2])(context, builder, value=arguments[2]).data
        builder.store(found, builder.bitcast(target, found.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(text, types.uint64, copied), generate


@intrinsic
def _blanks(typing: Any, text: Any, i: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _matching(context, builder, signature, arguments, "<=", 0x20)

    return types.uint64(text, types.uint64), generate


@intrinsic
def line_ends(typing: Any, text: Any, i: Any) -> Any:
    """Return the number of line ends in `text[i:i + 64]`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(_matching(context, builder, signature, arguments, "==", 0x0A))

    return types.uint64(text, types.uint64), generate


@intrinsic
def multiply_fold(typing: Any, a: Any, b: Any) -> Any:
    """Return the upper half of the 128-bit product of two words, xor its lower half."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        upper = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))
        return builder.xor(upper, builder.trunc(product, ir.IntType(64)))

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def swapped(typing: Any, word: Any) -> Any:
    """Return a word with its bytes in the opposite order."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def ones(typing: Any, word: Any) -> Any:
    """Return the number of bits that are set in a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def first_bit(typing: Any, word: Any) -> Any:
    """Return the place of the lowest bit that is set in a word that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@inline
def blanks(text: Bytes, i: np.uint64) -> np.uint64:
    """Return a word whose bit `j` says that `text[i + j]` is a blank or a control character; none behind the end."""
    if i + _BLOCK <= np.uint64(text.size):
        return np.uint64(_blanks(text, i))
    found = np.uint64(0)
    for j in range(np.uint64(text.size) - i):
        if text[i + j] <= 0x20:
            found |= _ONE << j
    return found


@inline
def tail_word(text: Bytes, i: np.uint64, stop: np.uint64) -> np.uint64:
    """Return `text[i:stop]`, at most 8 bytes, as one little-endian word with zeros above."""
    length = stop - i
    if length and i + np.uint64(8) <= np.uint64(text.size):
        return np.uint64(load_word(text, i)) & (np.uint64(0xFFFFFFFFFFFFFFFF) >> (_BLOCK - length * np.uint64(8)))
    word = np.uint64(0)
    for j in range(length):
        word |= np.uint64(text[i + j]) << (j * np.uint64(8))
    return word
