"""Short names of the arrays that columns are."""

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]
Records = NDArray[np.void]  # structured: numba reads a member of a record without making a view
