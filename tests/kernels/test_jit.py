"""The compile policy: what a cached kernel does not load."""

import subprocess
import sys

import pytest

CODE = """
import sys
import numpy as np
from benchbench.kernels.lookup import find, table
keys = np.arange(1, 9, dtype=np.uint64)
found = np.empty(8, np.int64)
find(table(keys), keys, keys, found)
assert found.tolist() == list(range(8))
print(*(name for name in sys.modules if name in ("numba.cpython.unicode", "numba.np.arrayobj")))
"""


@pytest.mark.slow  # two processes
def test_a_cached_kernel_starts_without_what_only_compiling_needs():
    for _ in range(2):  # the first may have to compile
        done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
