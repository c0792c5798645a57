"""A small copy of the package that has one kernel, whose helper stands in another file."""

import os
import shutil
from pathlib import Path

from benchbench.kernels import _native

FILES = ("__init__", "_dispatchers", "_jit", "_native", "arrays", "build", "machine_code", "signature")
HELPER = "from benchbench.kernels._jit import inline\n\n@inline\ndef answer():\n    return {answer}\n"
KERNEL = """
from benchbench.kernels._jit import leaf
from benchbench.kernels.helper import answer

@leaf
def ask() -> int:
    return answer()
"""
ELSEWHERE = "from benchbench.kernels._jit import leaf\n\n@leaf\ndef ask() -> int:\n    return {answer}\n"
WITHOUT_NUMBA = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


class SmallPackage:
    """The copy in a folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.package = root, root / "benchbench"
        self.kernels = self.package / "kernels"
        self.kernels.mkdir(parents=True)
        for name in FILES:
            shutil.copy(_native.HERE / f"{name}.py", self.kernels)
        for name in ("__init__", "caches", "errors", "processes"):
            shutil.copy(_native.HERE.parent / f"{name}.py", self.package)
        self.write(1)
        (self.kernels / "asking.py").write_text(KERNEL)
        self.write_elsewhere(3)

    @property
    def compiled(self) -> Path:
        """Where its library is, once it is built."""
        return self.kernels / "compiled"

    def write(self, answer: int) -> None:
        """Write the helper with the time of before, as an unpacked archive may."""
        path = self.kernels / "helper.py"
        path.write_text(HELPER.format(answer=answer))
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def write_elsewhere(self, answer: int) -> None:
        """Write a kernel that is not of the folder of kernels."""
        path = self.package / "prepare" / "tiers.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(ELSEWHERE.format(answer=answer))
        os.utime(path, (1_700_000_000, 1_700_000_000))

    def kept(self) -> list[Path]:
        """Return the object files that processes kept."""
        return sorted(self.root.rglob("benchbench-*/*"))
