"""Whatever is printed and written stays as it is: every command that has results, in every format."""

from pathlib import Path

import embedded
import golden_files
import golden_python
import pytest
from golden_cases import CASES, Case

IN_ALL_FORMATS = {  # cases that the first tier has in every format: one for each kind of table
    "score-three-per-query", "compare-page", "answers-score-few", "passages-retrieved", "index-search",
    "index-validate", "history-diff", "profile-client",
}  # fmt: skip
IN_TEXT = {"run-few", "run-gates", "run-troubled", "run-useless", "load-closed", "load-broken", "load-useless"}


def later(case: Case, form: str) -> bool:
    """Say whether a case is of the second tier: of most, the first tier has the text and the JSON alone."""
    if case.name == "run-shipped":  # a process serves it, and it has hundreds of queries
        return True
    if case.name in IN_TEXT:  # it sends requests, and others of its command are there in JSON
        return form != "text"
    return form not in ("text", "json", case.formats[0]) and case.name not in IN_ALL_FORMATS


@pytest.mark.parametrize(
    ("case", "form"),
    [
        pytest.param(case, form, id=f"{case.name}-{form}", marks=[pytest.mark.slow] if later(case, form) else [])
        for case in CASES
        for form in case.formats
    ],
)
def test_what_a_command_prints_and_writes_is_as_its_golden_files_have_it(
    case: Case, form: str, tmp_path: Path, monkeypatch
):
    if form != case.formats[0]:
        embedded.in_this_process(monkeypatch)
    expected, made = golden_files.golden(case), golden_files.ran(case, form, tmp_path)
    told = [
        f"{case.name}/{name}: {one}"
        for name, text in made.items()
        for one in (
            golden_files.differences(expected[name], text, name) if name in expected else ["has no golden file"]
        )
    ]
    if form == case.formats[0]:
        files = {name for name in expected if name.startswith("files")}
        told += [f"{case.name}/{name}: was not written" for name in sorted(files - made.keys())]
    assert not told, "\n".join(told[:20])


@pytest.mark.parametrize("name", golden_python.VALUES)
def test_what_python_is_given_is_as_its_golden_file_has_it(name: str, tmp_path: Path):
    expected = (golden_files.PYTHON / f"{name}.json").read_text(encoding="utf-8")
    told = golden_files.differences(expected, golden_files.valued(name, tmp_path), f"{name}.json")
    assert not told, "\n".join(told[:20])


def test_every_golden_file_belongs_to_a_case():
    names = {path.name for path in golden_files.GOLDEN.iterdir() if not path.name.startswith("_")}
    assert names == {case.name for case in CASES}
    assert len(CASES) == len(names)


@pytest.mark.parametrize(
    ("got", "told"),
    [
        ('{"a": [1.0, {"b": null}]}', []),
        ('{"record": {"id": 1}, "a": [1.0, {"b": null}]}', []),
        ('{"a": [1, {"b": null}]}', ["/a/0: expected 1.0, got 1"]),
        ('{"a": [1.0000000000000002, {"b": null}]}', ["/a/0: expected 1.0, got 1.0000000000000002"]),
        ('{"a": [1.0, {"b": null, "record": 1}]}', ["/a/1/record is new"]),
        ('{"a": [1.0, {}], "c": 1}', ["/c is new", "/a/1/b is gone"]),
    ],
)
def test_json_may_gain_a_record_at_its_top_and_nothing_else(got: str, told: list[str]):
    assert golden_files.differences('{"a": [1.0, {"b": null}]}', got, "json.json") == told
