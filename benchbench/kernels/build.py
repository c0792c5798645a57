"""The library of all kernels, made when the package is built: `python -m benchbench.kernels.build`."""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchbench.kernels._jit import Kernel
from benchbench.kernels._native import COMPILED, HERE, levels, sources, symbol, written

_ELSEWHERE = ("benchbench.prepare.tiers",)  # modules with kernels that are not in this folder
_LINKERS = (("cc",), ("gcc",), ("clang",), (sys.executable, "-m", "ziglang", "cc"))


def kernels() -> Iterator[Kernel]:
    """Yield all kernels of the package."""
    names = sorted(f"benchbench.kernels.{path.stem}" for path in HERE.glob("[!_]*.py"))
    for name in (*names, *_ELSEWHERE):
        module = importlib.import_module(name)
        for value in vars(module).values():
            if isinstance(value, Kernel) and value.__module__ == name:
                yield value


def build() -> list[Path]:
    """Write a library for each level of this architecture's processors, or the object file where there is no linker.

    Returns
    -------
    list of Path
        What was written, the fastest level first.
    """
    COMPILED.mkdir(exist_ok=True)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "benchbench.kernels.build", level],
            cwd=HERE.parents[1],  # where Python finds this package first
            env={**os.environ, "NUMBA_OPT": "0"},  # LLVM optimises what numba has made once, for its level
            stdout=subprocess.PIPE,
            text=True,
        )
        for level in levels(about=None)
    ]
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise RuntimeError("the kernels could not be compiled: the error stands above")
    paths = [Path(output.strip()) for output in outputs]
    for other in {*COMPILED.glob("*.so"), *COMPILED.glob("*.o")}.difference(paths):
        other.unlink(missing_ok=True)  # of sources that have changed
    return paths


def _build_level(level: str) -> Path:
    from benchbench.kernels.machine_code import machine_code

    data = machine_code({symbol(kernel): kernel for kernel in kernels()}, level)
    library = _linked(data)
    name = f"{sources()}-{level}"
    return written(COMPILED, name, ".o", data) if library is None else written(COMPILED, name, ".so", library)


def _linked(data: bytes) -> bytes | None:
    """Return the library that a linker makes of an object file; None where there is no linker."""
    with tempfile.TemporaryDirectory() as scratch:
        given, made = Path(scratch, "kernels.o"), Path(scratch, "kernels.so")
        given.write_bytes(data)
        for linker in _LINKERS:
            if shutil.which(linker[0]) is None:
                continue
            result = subprocess.run(
                [*linker, "-shared", "-s", "-o", str(made), str(given), "-lm"],
                env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": scratch, "ZIG_LOCAL_CACHE_DIR": scratch},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
            if result.returncode == 0:
                return made.read_bytes()
            problem = result.stderr.decode(errors="replace").strip()[-500:]
            print(f"{' '.join(linker)} did not link the kernels: {problem}", file=sys.stderr)
    return None


if __name__ == "__main__":
    for path in [_build_level(sys.argv[1])] if sys.argv[1:] else build():
        print(path)
