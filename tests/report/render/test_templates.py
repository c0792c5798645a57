"""Compiled templates that are kept: what is damaged, older or cannot be written changes no page."""

from pathlib import Path

import pytest

from benchbench.report.render import templates

PAGE = "shell.html"
FILTERS = ("kind", "part", "packed", "digest", "readable", "embedded")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(templates, "places", lambda source: [tmp_path / "kept"])
    return tmp_path / "kept"


def compiled(name: str = PAGE) -> str:
    """Compile a template as a new process does, and return which file its code is said to be of."""
    made = templates.environment(dict.fromkeys(FILTERS, str), str)
    code = made.get_template(name).root_render_func.__code__
    return f"{code.co_filename} {len(code.co_code)}"


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch):
    first = compiled()
    (kept,) = folder.iterdir()
    before = kept.stat().st_mtime_ns
    monkeypatch.setattr(templates.jinja2.Environment, "_generate", None)  # what compiles
    assert compiled() == first
    assert kept.stat().st_mtime_ns == before


def test_of_a_template_that_changed_no_old_code_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch):
    compiled()
    monkeypatch.setattr(templates, "asset", lambda name: "new")
    made = templates.environment(dict.fromkeys(FILTERS, str), str)
    assert made.get_template(PAGE).render() == "new"


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, None])
def test_a_damaged_file_is_compiled_anew(folder: Path, damage: bytes | None):
    first = compiled()
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert compiled() == first
    assert kept.read_bytes() == whole


def test_where_nothing_can_be_written_it_is_compiled_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    monkeypatch.setattr(templates, "places", lambda source: [no_folder])
    assert compiled() == compiled()


def test_a_full_disk_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def full(self: object, bucket: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(templates.jinja2.FileSystemBytecodeCache, "dump_bytecode", full)
    assert compiled() == compiled()
