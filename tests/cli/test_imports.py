"""What each command imports of what takes long: no more than it uses, and of numba nothing."""

import json
import os
import subprocess
import sys

import data_sets
import embedded
import pytest
from command_line import COMMANDS, said

HEAVY = (
    "aiohttp", "aiohttp.web", "asyncio", "bm25s", "hdrh", "jinja2", "jmespath", "jsonschema_rs",
    "msgspec", "numpy", "polars", "rich", "scipy.special", "scipy.special._ufuncs", "scipy.stats", "sqlite3",
)  # fmt: skip
USED = {  # what is typed after `benchbench`, and the heavy modules that it needs
    "--help": "",
    **{f"{name} --help": "" for name in COMMANDS},
    "show results": "msgspec",
    "show scored": "msgspec",
    "show audited": "msgspec",
    "history list --store history.db": "msgspec sqlite3",
    "history summary --store history.db": "msgspec sqlite3",
    "history trend --store history.db": "msgspec numpy scipy.special._ufuncs sqlite3",
    "score qrels.txt a.run": "msgspec numpy scipy.special._ufuncs",
    "compare qrels.txt a.run b.run": "msgspec numpy scipy.special._ufuncs",
    "run --dataset data --out second": "aiohttp asyncio jinja2 msgspec numpy polars",
    "load --dataset data --duration 0.5 --warm-up 0 --concurrency 1 --out loaded": (
        "aiohttp asyncio hdrh jinja2 msgspec numpy polars scipy.special._ufuncs"
    ),
    "serve documents.jsonl --until-eof": "aiohttp aiohttp.web asyncio msgspec numpy",
}
CODE = """
import json, os, sys
from benchbench.cli.main import main
heavy, commands = json.loads(sys.argv[1])
sys.modules["numba"] = sys.modules["llvmlite"] = None  # so that neither can be imported
for command in commands:
    sys.stdout.flush()
    if not os.fork():  # each from a process that has imported what all of them do, and nothing else
        told, (ended, other), nowhere = os.dup(1), os.pipe(), os.open(os.devnull, os.O_WRONLY)
        os.close(other)
        for source, stream in ((ended, 0), (nowhere, 1), (nowhere, 2)):
            os.dup2(source, stream)
        try:
            main(command)
        except SystemExit as done:
            found = [name for name in heavy if sys.modules.get(name)]
            os.write(told, json.dumps([command, done.code, found]).encode() + b"\\n")
        os._exit(0)
    os.wait()
"""


@pytest.mark.slow  # a process for each command
def test_a_command_imports_no_heavy_module_that_it_does_not_use(capsys, monkeypatch, tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2.0 a\nq2 Q0 a 1 2.0 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 b 1 2.0 b\nq2 Q0 b 1 2.0 b\n")
    (tmp_path / "documents.jsonl").write_text('{"_id": "a", "text": "a word"}\n')
    data_sets.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    embedded.in_this_process(monkeypatch)
    for typed in (
        "run --dataset data --out results --quiet",
        "history add results --store history.db --quiet",
        "score qrels.txt a.run --out scored --quiet",
        "audit data --out audited --quiet",
    ):
        assert said(capsys, *typed.split()).code == 0
    commands = [typed.split() for typed in USED]
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps([HEAVY, commands])],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80"},
        check=True,
        capture_output=True,
        text=True,
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [command for command, _, _ in told] == commands
    assert [code for _, code, _ in told] == [0] * len(USED)
    needless = {
        typed: set(found) - set(used.split()) for (typed, used), (_, _, found) in zip(USED.items(), told, strict=True)
    }
    assert not any(needless.values()), {typed: found for typed, found in needless.items() if found}


@pytest.mark.slow  # a process of its own
def test_who_needs_scipy_special_whole_has_it_after_its_functions_were_imported_alone():
    code = (
        "from benchbench.significance.distributions import special as own; import scipy.special as whole, scipy.stats"
    )
    subprocess.run(
        [sys.executable, "-c", f"{code}; assert own is not whole; assert own.ndtri is whole.ndtri"], check=True
    )


ERRORS = """
import sys
from benchbench.significance.distributions import special as own
assert [name for name in sys.modules if name.startswith("scipy.special")] == ["scipy.special._ufuncs"]
import scipy.special as whole
for function in (own.ndtri, whole.ndtri, whole.gammaln):
    with whole.errstate(all="raise"):
        try:
            function(-1.0)
        except whole.SpecialFunctionError:
            continue
    raise AssertionError(function)
assert whole.geterr()["domain"] == "ignore"
"""


@pytest.mark.slow  # a process of its own
def test_errors_of_scipy_special_can_be_set_after_its_functions_were_imported_alone():
    subprocess.run([sys.executable, "-c", ERRORS], check=True)


WHOLE = """
import importlib, sys
from unittest.mock import patch

import_module = importlib.import_module

def broken(name):
    if name == "scipy.special._ufuncs":
        {fault}
    return import_module(name)

with patch("importlib.import_module", broken):
    from benchbench.significance.distributions import special, t_quantile
assert special is sys.modules["scipy.special"]
assert abs(t_quantile(0.975, 3) - 3.1824463) < 1e-7
"""


@pytest.mark.slow  # a process each
@pytest.mark.parametrize("fault", ["raise ImportError(name)", "raise AttributeError(name)", "return importlib"])
def test_where_scipy_has_its_functions_elsewhere_scipy_special_is_imported_whole(fault: str):
    subprocess.run([sys.executable, "-c", WHOLE.format(fault=fault)], check=True)
