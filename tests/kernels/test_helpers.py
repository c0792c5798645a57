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


@pytest.mark.parametrize("supported", [True, False])
def test_a_kernel_does_what_its_helpers_say_with_and_without_code_of_their_own(supported: bool, tmp_path):
    code = CODE.format(supported=supported)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == [str(supported)]
