"""docs/datasets.md: its files are written as they stand, and its commands run and print what it shows."""

import re
import shlex
from pathlib import Path

import documented
import pytest
from command_line import said

from benchbench.formats.datasets.locate import FORMATS, locate

FILE = documented.ROOT / "docs" / "datasets.md"
PAGE = FILE.read_text(encoding="utf-8")
BLOCKS = documented.blocks(FILE)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, run its Python, and go to the folder that has them."""
    monkeypatch.chdir(tmp_path)
    documented.write(FILE, tmp_path)
    (code,) = (one.text for one in BLOCKS if one.language == "python")
    exec(code, {})
    return tmp_path


@pytest.mark.slow  # commands over real sizes
def test_the_commands_whose_output_the_page_shows_print_it(
    capsys: pytest.CaptureFixture[str], written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (block,) = (one for one in BLOCKS if one.text.startswith("benchbench datasets trees"))
    outputs = [said(capsys, *shlex.split(line)[1:]).output for line in documented.lines(block)]
    shown = re.findall(r"```\n((?:trees: |● bm25 on ).*?)\n…  \(", PAGE, flags=re.DOTALL)
    assert len(shown) == 2
    assert all(any(documented.prints(output, one) for output in outputs) for one in shown)


def test_each_make_has_its_line_and_its_example(written: Path) -> None:
    assert sorted(re.findall(r"^\| \[`([\w-]+)`\]", PAGE, flags=re.MULTILINE)) == sorted(FORMATS)
    names = {"trees": "beir", "cars": "trec", "hub": "parquet", "shop": "described", "contracts": "legalbench-rag"}
    for name, make in {**names, "cases": "tiered"}.items():
        assert locate(name).make == make
