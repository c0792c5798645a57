"""Runs a golden case, and says in what it differs from its golden files.

What a command printed, said and wrote stands in `tests/golden/<case>/`:

- `<format>.<ending>`: standard output;
- `<format>.end.txt`: exit code and standard error;
- `files.txt` and `files/`: what the command wrote, from the case's first format; tables as comma-separated values.

JSON may have new members where `NEW` says so; everything else is equal to the byte once it is masked.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import golden_masks as masks
import golden_python
import orjson
import polars as pl
from golden_cases import WIDTHS, Case

import benchbench as bb
from benchbench.cli.main import main

GOLDEN = Path(__file__).parent / "golden"
PYTHON = GOLDEN / "_python"  # values of public functions
ENDINGS = {"text": "txt", "json": "json", "jsonl": "jsonl", "csv": "csv", "markdown": "md", "latex": "tex"}
NEW = "record"  # the member that a JSON value may have more, at its top
NEW_FILE = "record.json"  # the file that a folder may have more


@contextlib.contextmanager
def _within(folder: Path, words: list[str]) -> Iterator[None]:
    """Be in a folder, called with these words."""
    before = sys.argv
    sys.argv = ["benchbench", *words]
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        sys.argv = before


def ran(case: Case, form: str, folder: Path) -> dict[str, str]:
    """Run a command in an empty folder; return the golden files that it would have, by path."""
    with _within(folder, []), case.inputs() as places:
        given = {path for path in Path().rglob("*") if path.is_file()}
        words = [word.format(**places) for word in case.command]
        words += ["--format", "text" if form in WIDTHS else form] if case.has_formats else []
        output, errors = io.StringIO(), io.StringIO()
        timed = case.mask in (masks.LOAD, masks.CLOSED)  # what fits goes by how long times are
        columns = {"COLUMNS": WIDTHS.get(form, "1000" if timed else "80")}
        whole = ["--wide"] if case.has_formats and (timed or form == "text-120") else []
        with (
            _within(folder, words),
            patch.dict(os.environ, columns),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            try:
                main([*words, *whole])
            except SystemExit as end:
                code = int(end.code or 0)

        def called(text: str) -> str:
            return _called(text, places)

        ending = ENDINGS.get(form, "txt")
        made = {
            f"{form}.{ending}": _masked(called(output.getvalue()), ending, case),
            f"{form}.end.txt": f"exit code {code}\n" + masks.masked(called(errors.getvalue()), case.mask),
        }
        if form == case.formats[0]:
            new = sorted(path for path in Path().rglob("*") if path.is_file() and path not in given)
            listed = sorted({_listed(path) for path in new if path.name != NEW_FILE})
            made["files.txt"] = "".join(f"{one}\n" for one in listed)
            for path in new:
                if path.name != NEW_FILE and "received" not in path.parts and not re.fullmatch(case.unread, str(path)):
                    made |= _file(path, called, case)
    return made


def _called(text: str, places: Mapping[str, str]) -> str:
    """Name the services and the folder of the shipped data sets, which are elsewhere each time."""
    for name, url in places.items():
        text = text.replace(url.removeprefix("http://"), f"127.0.0.1:PORT{name.upper()}")
    return text.replace(str(bb.locate("synthetic-cases").queries.path.parent.parent), "DATASETS")


def valued(name: str, folder: Path) -> str:
    """Return what a public function gives, in an empty folder, as a golden file has it."""
    made, mask = golden_python.VALUES[name]
    with contextlib.chdir(folder):
        return masks.masked_json(orjson.dumps(made()).decode(), mask)


def _listed(path: Path) -> str:
    parts = path.parts[: path.parts.index("received") + 1] if "received" in path.parts else path.parts
    return masks.always("/".join(parts))


def _file(path: Path, called: Any, case: Case) -> dict[str, str]:
    name = f"files/{masks.always(path.as_posix())}"
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        rows = [frame.columns, *([_whole(one) for one in row] for row in frame.iter_rows())]
        file = io.StringIO()
        masks.csv.writer(file, lineterminator="\n").writerows(rows)
        return {f"{name}.csv": _masked(called(file.getvalue()), "csv", case)}
    return {name: _masked(called(path.read_text(encoding="utf-8")), path.suffix[1:], case)}


def _whole(value: object) -> str:
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def _masked(text: str, ending: str, case: Case) -> str:
    how = {"json": masks.masked_json, "jsonl": masks.masked_lines, "csv": masks.masked_table}
    return how.get(ending, masks.masked)(text, case.mask) if text else text


def differences(expected: str, got: str, name: str) -> list[str]:
    """Return in what an output differs from its golden file, a line each."""
    if name.endswith(".json") and expected and got:
        return _unlike(orjson.loads(expected), orjson.loads(got), "")
    if expected == got:
        return []
    old, new = expected.splitlines(), got.splitlines()
    first = next(
        (n for n, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    return [f"line {first + 1}: expected {old[first : first + 1]}, got {new[first : first + 1]}"]


def _unlike(expected: Any, got: Any, path: str) -> list[str]:
    if type(expected) is not type(got):
        return [f"{path}: expected {expected!r}, got {got!r}"]
    if isinstance(expected, dict):
        more = got.keys() - expected.keys() - (set() if path else {NEW})
        found = [f"{path}/{name} is new" for name in sorted(more)]
        found += [f"{path}/{name} is gone" for name in expected if name not in got]
        return [
            *found,
            *(say for name in expected if name in got for say in _unlike(expected[name], got[name], f"{path}/{name}")),
        ]
    if isinstance(expected, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        return [say for place, pair in pairs for say in _unlike(*pair, f"{path}/{place}")]
    return [] if expected == got else [f"{path}: expected {expected!r}, got {got!r}"]


def golden(case: Case) -> dict[str, str]:
    """Return the golden files of a case, by path."""
    folder = GOLDEN / case.name
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*") if path.is_file()
    }


def write(case: Case, made: dict[str, str]) -> None:
    """Write golden files, as scripts/golden does."""
    for name, text in made.items():
        path = GOLDEN / case.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".json") and text:
            value = orjson.loads(text)
            kept = {key: value[key] for key in value if key != NEW}
            text = orjson.dumps(kept, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
        path.write_bytes(text.encode())
