"""The pages of the documentation, taken apart into the blocks that a reader may copy."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
AT_THE_TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "datasets/README.md")
PAGES = sorted([*(ROOT / name for name in AT_THE_TOP), *(ROOT / "docs").rglob("*.md")])
SHELL = ("sh", "console", "bash")
NOT_RUN = "not run by a test: "

_BLOCK = re.compile(r'^```(\w*)(?: title="([^"]*)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its page, its line there, its language, its title and its text."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def reason(self) -> str:
        """Why no test runs it; empty where one does."""
        return self.title.removeprefix(NOT_RUN) if self.title.startswith(NOT_RUN) else ""


def name(page: Path) -> str:
    """Return what a page is called here: its path below the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(name(page), text.count("\n", 0, one.start()) + 1, one[1], one[2] or "", one[3])
        for one in _BLOCK.finditer(text)
    ]


def files(page: Path) -> dict[str, str]:
    """Return the files that a page shows, by their paths: blocks with such a title."""
    return {one.title: one.text for one in blocks(page) if one.title and one.language not in SHELL and not one.reason}


def write(page: Path, folder: Path) -> None:
    """Write the files that a page shows to a folder."""
    for path, text in files(page).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def lines(block: Block) -> list[str]:
    """Return the lines of a shell block, continued ones joined, without comments."""
    joined = block.text.replace("\\\n", " ")
    return [said for line in joined.splitlines() if (said := re.split(r"(?:^| )#", line)[0].strip())]


def commands() -> list[list[str]]:
    """Return the arguments of every documented `benchbench`, those that no test runs included."""
    found = []
    for page in PAGES:
        for line in (line for block in blocks(page) if block.language in SHELL for line in lines(block)):
            parts = (part.strip() for part in re.split(r" && | \| ", line))
            found += [shlex.split(part)[1:] for part in parts if part.startswith("benchbench ")]
    return found


def prints(output: str, shown: str) -> bool:
    """Say whether the lines that a page shows are lines of an output, in their order, as far as … in them."""
    lines = iter(output.splitlines())
    return all(any(_is_shown(line, one) for line in lines) for one in shown.splitlines())


def _is_shown(line: str, shown: str) -> bool:
    start, cut, _ = shown.partition("…")
    return line.startswith(start) if cut else line == shown
