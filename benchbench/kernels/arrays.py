"""Short names of the arrays that columns are: with one dimension, unless the name has another number."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]
U8x2 = Annotated[U8, 2]
U64x2 = Annotated[U64, 2]
I32x2 = Annotated[I32, 2]
I64x2 = Annotated[I64, 2]
F64x2 = Annotated[F64, 2]
F64x3 = Annotated[F64, 3]
StridedU64x2 = Annotated[U64, 2, "A"]  # rows and columns as their strides say; all others are C-contiguous
StridedF64x2 = Annotated[F64, 2, "A"]
Boolsx2 = Annotated[Bools, 2]
Records = NDArray[np.void]  # structured: numba reads a member of a record without making a view
