"""Helpers are code that is put into kernels."""

import subprocess
import sys

import pytest

CODE = """
from benchbench.kernels import _helpers
_helpers.is_supported &= {supported}
from benchbench.kernels._jit import inline, jit, step

@step
def doubled(x):
    return x + x

@inline
def quadrupled(x):
    return doubled(doubled(x))

@jit
def sixteen_times(x):
    return quadrupled(quadrupled(x))

assert sixteen_times(3) == 48
[overload] = quadrupled.overloads.values()
print(isinstance(overload.library, _helpers._Parts))
"""


@pytest.mark.slow  # compiles
@pytest.mark.parametrize("supported", [True, False])
def test_a_kernel_does_what_its_helpers_say_with_and_without_code_of_their_own(supported: bool, tmp_path):
    code = CODE.format(supported=supported)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == [str(supported)]


LEAN = """
import gc
import sys
import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from benchbench.kernels._jit import inline, leaf

@inline
def larger(a, b):
    return a if a > b else b

@leaf
def largest(numbers, start):
    most = start
    for i in range(numbers.size):
        most = larger(most, numbers[i])
    return most

@leaf
def wrong(numbers):
    return numbers.nothing

assert largest(np.array([1, 5, 3]), 2) == 5
assert largest(np.array([1.5, 0.5]), 2) == 2.0
assert gc.isenabled()
try:
    wrong(np.zeros(1))
except NumbaError as error:
    assert "nothing" in str(error)
else:
    raise AssertionError
assert gc.isenabled()
gc.disable()
assert largest(np.array([1, 5, 3], np.int32), 2) == 5
assert not gc.isenabled()
assert "scipy.linalg" not in sys.modules

@njit
def product(a, b):
    return np.dot(a, b)

assert product(np.ones(3), np.arange(3.0)) == 3.0
assert "scipy.linalg" in sys.modules
"""


@pytest.mark.slow  # compiles
def test_a_kernel_is_compiled_without_what_it_does_not_need_and_numba_still_has_all_of_it(tmp_path):
    subprocess.run([sys.executable, "-W", "error", "-c", LEAN], check=True, cwd=tmp_path)
