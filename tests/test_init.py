"""The public names, as the documentation uses them."""

import ast
import contextlib
import dataclasses
import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import data_sets
import pytest
from cases import check_each

import benchbench as bb
from benchbench.cli.main import cli
from benchbench.errors import InputError
from benchbench.load_test import LoadOutcome

PAGE = Path(__file__).resolve().parents[1] / "docs" / "load.md"


def test_names_that_differ_at_home_are_found_there():
    assert bb.LoadOutcome is LoadOutcome


def test_help_and_dir_list_the_public_names():
    listed = re.findall(r"^(\w+) : (?=\S)", bb.__doc__, flags=re.MULTILINE)
    assert sorted(listed) == bb.__all__
    assert sorted(dir(bb)) == sorted([*bb.__all__, "__version__"])
    shown = pydoc.render_doc(bb, renderer=pydoc.plaintext)
    assert all(re.search(rf"^    {name} : ", shown, flags=re.MULTILINE) for name in bb.__all__)


def test_every_public_name_says_what_it_is_for():
    for name in bb.__all__:
        assert (getattr(bb, name).__doc__ or "").strip(), name


def test_importing_benchbench_and_its_list_of_names_imports_nothing_else():
    rooms = "print(*(name for name in sys.modules if name.startswith('benchbench.')))"
    code = f"import sys, benchbench; dir(benchbench); {rooms}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# What these hold is for reports and for our own tables; nobody gives it.
_FOUND = {"AnswersOutcome", "JudgeAgreement", "LoadOutcome", "Outcome", "PassageScores", "Qrels", "Run", "Scores"}
GIVEN = {name: getattr(bb, name) for name in bb.__all__ if dataclasses.is_dataclass(getattr(bb, name))}
GIVEN = {name: kind for name, kind in GIVEN.items() if name not in _FOUND}


def test_every_field_that_a_user_gives_is_described():
    def check_case(name: str) -> None:
        text = inspect.cleandoc(GIVEN[name].__doc__ or "")
        described = re.findall(r"^([\w, ]+)\n    \S", text.partition("----------\n")[2], flags=re.MULTILINE)
        named = [one for several in described for one in several.split(", ")]
        fields = dataclasses.fields(GIVEN[name])
        assert named == [
            one.name for one in fields if one.init or one.name in named
        ]  # what is derived may be described

    check_each(check_case, GIVEN)


COMMANDS = {
    "Settings": ("run",),
    "LoadSettings": ("load",),
    "Criteria": ("run", "load"),
    "Service": ("run",),
    "CompareSettings": ("compare",),
    "AnswersSettings": ("answers", "run"),
}


def options_of(words: tuple[str, ...]) -> set[str]:
    command: Any = cli
    for word in words:
        command = command.get_command(None, word)
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_that_a_description_names_exists(name: str):
    text = GIVEN[name].__doc__ or ""
    options = {one for line in re.findall(r"\((`-[^)]*)\)", text) for one in re.findall(r"`([^`]*)`", line)}
    assert options
    words = COMMANDS[name]
    assert options <= (options_of(words[:1]) | options_of(words[1:]) if name == "Criteria" else options_of(words))


GATES: dict[str, Callable[[Path, Any], Any]] = {
    "Settings": lambda folder, gates: bb.Settings(folder, fail_if=gates),
    "LoadSettings": lambda folder, gates: bb.LoadSettings(folder, _service(), fail_if=gates),
    "AnswersSettings": lambda folder, gates: bb.AnswersSettings(
        [bb.Question("a", "b")], "http://127.0.0.1:1", fail_if=gates
    ),
    "score_answers": lambda folder, gates: bb.score_answers(
        [{"question": "a", "truth": "b", "answer": "c"}], fail_if=gates
    ),
    "score_passages": lambda folder, gates: bb.score_passages({"q": ["a"]}, {"q": ["a"]}, fail_if=gates),
    "compare": lambda folder, gates: bb.compare(
        bb.Qrels.from_dict({"q": {"d": 1}, "r": {"d": 1}}),
        {one: bb.Run.from_dict({"q": {"d": 1.0}, "r": {"d": 1.0}}) for one in "ab"},
        "RR",
        baseline="a",
        fail_if=gates,
    ),
}
GATE = {"compare": "Δ RR < -0.5", "score_passages": "recall@10<0.8"}


def _service() -> bb.Service:
    return bb.Service("http://127.0.0.1:1", bb.protocol("benchbench"))


def test_a_setting_that_a_comparison_does_not_have_is_refused_with_those_that_it_has():
    qrels, run = bb.Qrels.from_dict({"q": {"d": 1}}), bb.Run.from_dict({"q": {"d": 1.0}})
    with pytest.raises(InputError, match="no setting corection; it has baseline, test, correction, "):
        bb.compare(qrels, {"a": run, "b": run}, "RR", corection="maxt")


@pytest.mark.parametrize("name", GATES)
def test_a_gate_is_a_text_alone_or_among_others(name: str, tmp_path: Path):
    folder, gate = data_sets.write(tmp_path), GATE.get(name, "errors>1%")
    for given in (gate, [gate], (gate, gate)):
        made = GATES[name](folder, given)
        kept = made.fail_if if hasattr(made, "fail_if") else made.gates
        assert len(kept) == (2 if given == (gate, gate) else 1)
    with pytest.raises(InputError, match="a gate is a text such as"):
        GATES[name](folder, [3])


def test_the_condition_of_a_search_is_a_text(tmp_path: Path):
    folder = data_sets.write(tmp_path)
    assert bb.LoadSettings(folder, _service(), find_max=" p99>300ms").find_max == "p99>300ms"


def test_help_of_no_public_name_has_a_value_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEARCH_API_KEY", "s3cret-of-the-environment")
    for name in bb.__all__:
        assert "s3cret-of-the-environment" not in pydoc.render_doc(getattr(bb, name)), name


def test_no_signature_holds_the_environment():
    sources = {path: path.read_bytes() for path in Path(bb.__file__).parent.rglob("*.py")}
    for path in (one for one, source in sources.items() if b"environ" in source):
        for node in ast.walk(ast.parse(sources[path])):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
                assert not any("environ" in ast.unparse(one) for one in defaults), f"{path}:{node.lineno}"


def test_no_signature_shows_an_address():
    public = [getattr(bb, name) for name in bb.__all__]
    methods = [one for kind in public if inspect.isclass(kind) for _, one in inspect.getmembers(kind, callable)]
    for one in (*public, *methods):
        if inspect.isroutine(one) or inspect.isclass(one):
            with contextlib.suppress(TypeError, ValueError):  # of builtins
                assert " at 0x" not in str(inspect.signature(one)), one


def test_help_of_run_has_parameters_returns_raises_and_an_example():
    found = pydoc.render_doc(bb.run)
    assert [one for one in ("Parameters", "Returns", "Raises", "Examples") if f"\n    {one}\n" not in found] == []


def test_what_holds_many_numbers_is_shown_in_a_line():
    qrels = bb.Qrels.from_dict({f"q{n}": {f"d{m}": m % 3 for m in range(50)} for n in range(100)})
    run = bb.Run.from_dict({"q1": {f"d{n}": float(n) for n in range(1000)}}, name="bm25")
    assert repr(qrels) == str(qrels) == "<Qrels: 100 queries, 5,000 judgments>"
    assert repr(run) == "<Run 'bm25': 1 query, 1,000 hits>"
    shown = str(bb.locate("synthetic-cases"))
    assert re.fullmatch(r"<DataSet \S+tiered.jsonl \(tiered\): queries, collection>", shown)
