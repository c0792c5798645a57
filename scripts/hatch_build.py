"""The build step of wheels and editable installations: it compiles the kernels (`benchbench.kernels.build`)."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

_FOLDER = Path("benchbench", "kernels", "compiled")


class KernelsHook(BuildHookInterface):
    """Compile the kernels, and say for which platform the wheel is."""

    def dependencies(self) -> list[str]:
        """Return what is needed to compile: a linker too, where there is no C compiler."""
        compiler = any(map(shutil.which, ("cc", "gcc", "clang")))
        return ["numba>=0.61", "numpy>=2.0", *([] if compiler else ["ziglang>=0.13"])]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the machine code beside the sources, and put it into the wheel."""
        self.app.display_info("compiling the kernels, which takes some 30 seconds")
        command = [sys.executable, "-m", "benchbench.kernels.build"]
        done = subprocess.run(command, cwd=self.root, check=False)  # there Python finds the package first
        if done.returncode:
            self.app.display_warning("there are no compiled kernels: numba compiles each when it is first called")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(iter(platform_tags()))}"
        build_data["artifacts"].append(f"{_FOLDER.as_posix()}/*")
