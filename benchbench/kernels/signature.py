"""What kernels take and return, as their annotations say: they are compiled for that alone, and called with it."""

from collections.abc import Callable, Iterator
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_origin

import numpy as np

REFUSED = -1000  # what an entry returns, less the place of the argument, for an array that it is not compiled for
_SCALARS: dict[Any, type[np.generic]] = {int: np.int64, float: np.float64, bool: np.bool_}


class At:
    """Bytes from the address of an array to its members, as numpy/ndarraytypes.h has them for addresses of 64 bits."""

    TYPE, DATA, DIMENSIONS, SHAPE, STRIDES, DTYPE, FLAGS = 8, 16, 24, 32, 40, 56, 64
    KIND, ORDER, SIZE = 24, 26, 40  # of a dtype, since NumPy 2


class ArrayShape(NamedTuple):
    """An array: `C` layout, or `A` for the order that its strides say."""

    dtype: np.dtype[Any]
    dimensions: int
    layout: str


class TupleShape(NamedTuple):
    """A tuple, named or not, with the shapes of its members."""

    kind: Any
    members: "tuple[Shape, ...]"


Shape: TypeAlias = np.dtype[Any] | ArrayShape | TupleShape
"""A number or truth value, an array, or a tuple of these."""


class Signature(NamedTuple):
    """The shapes of all parameters, by name, and of what is returned: None where that is nothing."""

    parameters: dict[str, Shape]
    returned: Shape | None


def signature(function: Callable[..., object]) -> Signature:
    """Return what the annotations of a kernel say; TypeError names a parameter of which they say too little."""
    annotations = dict(function.__annotations__)
    returned = annotations.pop("return", None)
    try:
        shapes = {name: _shape(annotation) for name, annotation in annotations.items()}
        return Signature(shapes, None if returned in (None, NoneType) else _shape(returned))
    except TypeError as error:
        raise TypeError(f"{function.__module__}.{function.__qualname__}: {error}") from None


def leaves(shape: Shape) -> Iterator[np.dtype[Any] | ArrayShape]:
    """Yield the scalars and arrays of a shape, in their order."""
    if isinstance(shape, TupleShape):
        for member in shape.members:
            yield from leaves(member)
    else:
        yield shape


def _shape(annotation: Any) -> Shape:
    if isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
        return TupleShape(annotation, tuple(map(_shape, annotation.__annotations__.values())))
    if annotation in _SCALARS or (isinstance(annotation, type) and issubclass(annotation, np.generic)):
        scalar: np.dtype[Any] = np.dtype(_SCALARS.get(annotation, annotation))
        return scalar
    inner = get_args(annotation)
    if get_origin(annotation) is Annotated:
        array, details = _shape(inner[0]), inner[1:]
        assert isinstance(array, ArrayShape)
        for detail in details:
            name = {int: "dimensions", str: "layout"}.get(type(detail), "dtype")
            array = array._replace(**{name: detail})
        return array
    if get_origin(annotation) is tuple:
        return TupleShape(tuple, tuple(map(_shape, inner)))
    if get_origin(annotation) is np.ndarray:
        return ArrayShape(np.dtype(get_args(inner[1])[0]), 1, "C")
    if inner:  # `int | np.int64`
        return _shape(inner[0])
    raise TypeError(f"{annotation} is the annotation of no number, array or tuple of these")
