"""docs/datasets.md: its files are written as they stand, and its commands run and print what it shows."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import said

from benchbench.formats.datasets.locate import FORMATS, locate

PAGE = (Path(__file__).parents[3] / "docs" / "datasets.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:trees|cars|shop|contracts|cases)/[\w./]+)`(?:(?!```).)*?\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, run its Python, and go to the folder that has them."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILE.findall(PAGE):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(code, {})
    return tmp_path


def test_each_command_of_the_page_runs_and_prints_what_it_shows(
    capsys: pytest.CaptureFixture[str], written: Path
) -> None:
    commands = [
        shlex.split(line)[1:]
        for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
        for line in block.splitlines()
    ]
    outputs = []
    for command in commands:
        done = said(capsys, *command)
        assert done.code == 0, done.errors
        outputs.append(done.output)
    shown = re.findall(r"```\n((?:Data set|bm25 on) .*?)…", PAGE, flags=re.DOTALL)
    assert len(shown) == 2
    assert all(any(output.startswith(one) for output in outputs) for one in shown)


def test_each_make_has_its_line_and_its_example(written: Path) -> None:
    assert sorted(re.findall(r"^\| \[`([\w-]+)`\]", PAGE, flags=re.MULTILINE)) == sorted(FORMATS)
    names = {"trees": "beir", "cars": "trec", "hub": "parquet", "shop": "described", "contracts": "legalbench-rag"}
    for name, make in {**names, "cases": "tiered"}.items():
        assert locate(name).make == make
