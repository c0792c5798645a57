"""What Python and kernels give each other, and which machine code is theirs."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pickle import dumps, loads
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from cases import check_each
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchbench.kernels import _native
from benchbench.kernels._jit import Kernel, leaf
from benchbench.kernels.arrays import F64, I64, U64
from benchbench.kernels.build import kernels
from benchbench.kernels.lookup import find, table
from benchbench.kernels.signature import ArrayShape, Shape, TupleShape, signature


class Inner(NamedTuple):
    """What stands in another tuple."""

    share: float
    is_known: bool


class Outer(NamedTuple):
    """A tuple with one in it."""

    inner: Inner
    hashed: np.uint64


@leaf
def given_back(count: int, hashed: np.uint64, share: float, is_known: bool, small: np.int8) -> tuple[int, Outer, int]:
    return count, Outer(Inner(share, is_known), hashed), small


@leaf
def from_tuples(outer: Outer, other: Outer) -> Outer:
    return Outer(Inner(outer.inner.share, other.inner.is_known), outer.hashed)


@leaf
def is_positive(number: float) -> bool:
    return number > 0


@leaf
def total(numbers: F64, others: Annotated[NDArray[np.float64], 2, "A"]) -> float:
    added = 0.0
    for number in numbers:
        added += number
    for row in range(others.shape[0]):
        for column in range(others.shape[1]):
            added += others[row, column]
    return added


@leaf
def refuses_what_is_large(numbers: I64, limit: int = 3) -> int:
    if numbers[0] > limit:
        raise ValueError("too large")
    return limit


@leaf
def of_any_type(number):  # type: ignore[no-untyped-def]
    return number + 1


# Numbers


@given(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 2**64 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.integers(-128, 127),
)
def test_numbers_come_back_as_they_were_given(
    count: int, hashed: int, share: float, is_known: bool, small: int
) -> None:
    expected = (count, Outer(Inner(share, is_known), hashed), small)
    assert given_back(count, hashed, share, is_known, small) == expected
    scalars = (np.int64(count), np.uint64(hashed), np.float64(share), np.bool_(is_known), np.int8(small))
    returned = given_back(*scalars)
    assert returned == expected
    assert [type(value) for value in (returned[0], *returned[1].inner, returned[1].hashed)] == [int, float, bool, int]
    outer = returned[1]
    assert from_tuples(outer, outer) == outer


def test_a_truth_value_comes_back_as_one() -> None:
    assert is_positive(0.5) is True
    assert is_positive(np.float32(-0.5)) is False


def test_what_is_no_number_is_refused() -> None:
    for value in (None, "3", [3], 1.5):
        with pytest.raises(Exception, match="wrong type"):
            given_back(value, 0, 0.0, False, 0)


# Arrays


def test_arrays_may_be_empty_read_only_and_of_any_strides_where_the_kernel_says_so() -> None:
    numbers, others = np.arange(4.0), np.arange(12.0).reshape(3, 4)
    numbers.flags.writeable = False
    for array in (others, others.T, others[::2, ::-1], np.asfortranarray(others), others[:0]):
        assert total(numbers, array) == 6.0 + array.sum()
    assert total(numbers[:0], others) == others.sum()


def _arguments(shape: Shape) -> Any:
    """Return what fits a shape."""
    if isinstance(shape, TupleShape):
        members = map(_arguments, shape.members)
        return shape.kind(members) if shape.kind is tuple else shape.kind(*members)
    return np.zeros((4,) * shape.dimensions, shape.dtype) if isinstance(shape, ArrayShape) else shape.type(0).item()


def _replaced(value: Any, place: int, other: Any) -> tuple[Any, int]:
    """Return a value with another in it, counted as arguments are, and how many of them it has."""
    if not isinstance(value, tuple):
        return (other if place == 0 else value), 1
    members, size = [], 0
    for member in value:
        new, count = _replaced(member, place - size, other)
        members.append(new)
        size += count
    return (type(value)(*members) if hasattr(value, "_fields") else tuple(members)), size


class Subclass(np.ndarray[Any, Any]):
    """An array that may keep its numbers elsewhere."""


def _wrong(shape: ArrayShape) -> Iterator[object]:
    right = np.zeros((4,) * shape.dimensions, shape.dtype)
    yield from (None, [], (), 3, "text", right.tolist(), object, right.view(Subclass), right[None], right[0])
    yield np.zeros(right.shape, np.dtype([("a", "i1", (shape.dtype.itemsize + 8,))]))
    yield right.astype(object) if right.dtype.names is None else right[right.dtype.names[0]].copy()
    yield np.zeros(right.shape, {"i": "f", "u": "i", "f": "u", "b": "u", "V": "M"}[shape.dtype.kind] + "8")
    if shape.layout == "C":
        yield from (right[::2], right[::-1])
    if shape.dimensions > 1 and shape.layout == "C":
        yield np.asfortranarray(right)
    if shape.dtype.alignment > 1:
        yield np.zeros(right.nbytes + 1, np.uint8)[1:].view(shape.dtype).reshape(right.shape)
    if shape.dtype.kind in "iuf" and shape.dtype.itemsize > 1:
        yield from (right.astype(shape.dtype.newbyteorder()), right.astype(f"{shape.dtype.kind}2"))


def test_a_kernel_refuses_every_array_that_it_was_not_compiled_for() -> None:
    def check(kernel: Kernel) -> None:
        shapes = signature(kernel.py_func).parameters.values()
        right = tuple(map(_arguments, shapes))
        for place, shape in enumerate(_native.leaves(TupleShape(tuple, tuple(shapes)))):
            for value in _wrong(shape) if isinstance(shape, ArrayShape) else ():
                arguments, _ = _replaced(right, place, value)
                with pytest.raises(TypeError):
                    kernel(*arguments)

    check_each(check, [*kernels(), total])


def test_a_refusal_names_the_kernel_the_argument_and_what_it_has_to_be() -> None:
    with pytest.raises(TypeError) as refusal:
        total(np.zeros(3), np.zeros((2, 2), np.int32))
    assert str(refusal.value) == (
        f"{__name__}.total: argument 1 has to be an aligned array (<f8, 2 dimensions, order A), "
        "and is ndarray <i4 (2, 2)"
    )


def test_too_many_and_too_few_arguments_are_refused() -> None:
    arrays = np.zeros(1), np.zeros((1, 1))
    for arguments in ((), arrays[:1], (*arrays, None), (*arrays, 1)):
        with pytest.raises(TypeError, match="takes 2 numbers and arrays, and has"):
            total(*arguments)


# What numba does by itself


def test_a_default_and_an_exception_of_a_kernel_are_those_of_python() -> None:
    assert refuses_what_is_large(np.array([3])) == 3
    assert refuses_what_is_large(np.array([9]), 10) == 10
    for arguments in ((np.array([4]),), (np.array([4]), 2)):
        with pytest.raises(ValueError, match="too large"):
            refuses_what_is_large(*arguments)


def test_a_kernel_without_annotations_is_compiled_for_what_it_is_called_with() -> None:
    assert (of_any_type(1), of_any_type(0.5)) == (2, 1.5)


def test_kernels_that_one_function_makes_keep_their_own_values() -> None:
    def made(added: int) -> Any:
        @leaf
        def plus(number: int) -> int:
            return number + added

        return plus

    assert [made(added)(1) for added in (1, 2)] == [2, 3]


def test_a_kernel_is_pickled_by_its_name() -> None:
    assert loads(dumps(given_back)) is given_back


@pytest.mark.slow  # compiles
def test_places_out_of_bounds_are_told_where_numba_is_asked_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    numba.config.reload_config()

    @leaf
    def fourth(numbers: I64) -> int:
        return numbers[3]

    try:
        with pytest.raises(IndexError):
            fourth(np.zeros(3, np.int64))
    finally:
        monkeypatch.undo()
        numba.config.reload_config()


def test_threads_call_kernels_at_once() -> None:
    keys = np.arange(1, 1_000, dtype=np.uint64)

    def found(first: int) -> list[int]:
        part = keys[first:].copy()
        return find(table(keys), keys, part).tolist()

    with ThreadPoolExecutor(8) as pool:
        for first, places in enumerate(pool.map(found, range(50))):
            assert places == list(range(first, 999))


@pytest.mark.slow  # compiles
def test_threads_that_call_a_kernel_for_the_first_time_compile_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchbench.kernels import machine_code

    compiled = []
    made = machine_code.machine_code
    monkeypatch.setattr(machine_code, "machine_code", lambda *given: compiled.append(1) or made(*given))

    def later(added: int) -> Any:
        @leaf
        def plus(number: U64) -> int:
            return number[0] + added

        return plus

    kernel, numbers = later(5), np.array([3], np.uint64)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: kernel(numbers), range(64))) == {8}
    assert len(compiled) == 1


# Levels of processors


OLD = "processor\t: 0\nvmx flags\t: avx2\nflags\t\t: fpu sse4_1 sse4_2 ssse3 popcnt cx16 lahf_lm\n"
NEW = OLD.replace(" lahf_lm", " lahf_lm avx avx2 bmi1 bmi2 f16c fma abm movbe xsave")


def test_machine_code_is_chosen_by_what_the_processor_has(tmp_path: Path) -> None:
    def chosen(text: str, machine: str = "x86_64") -> tuple[str, ...]:
        path = tmp_path / "cpuinfo"
        path.write_text(text, encoding="utf-8")
        return _native.levels(path, machine)

    assert chosen(NEW) == ("x86-64-v3", "x86-64")
    for feature in ("avx2", "fma", "abm", "popcnt", "movbe"):  # as a hypervisor masks it
        assert chosen(NEW.replace(f" {feature}", "")) == ("x86-64",)
    for text in (OLD, "", "flags", "model name\t: é\n"):
        assert chosen(text) == ("x86-64",)
    assert chosen(NEW, "aarch64") == ("generic",)
    assert _native.levels(tmp_path / "none", "x86_64") == ("x86-64",)
    assert _native.levels(None, "x86_64") == ("x86-64-v3", "x86-64")
