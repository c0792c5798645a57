"""Every command of the history on both databases, as a person uses them one after the other."""

import json
from pathlib import Path

import histories
import polars as pl
from command_line import said

import benchbench as bb


def test_a_result_is_recorded_listed_shown_summed_up_compared_exported_and_deleted(
    capsys, address: str, tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("BENCHBENCH_HISTORY", address)
    for name in ("GITHUB_SHA", "GITHUB_REF_NAME", "GITHUB_HEAD_REF", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    Path("qrels").write_text("q1 0 d1 1\nq2 0 d3 2\n")
    Path("run").write_text("q1 Q0 d1 1 3 mine\nq2 Q0 d9 1 1 mine\nq2 Q0 d3 2 0.5 mine\n")
    names = []
    for place, one in enumerate(histories.three()):
        names.append(str(one.save(f"results/{place}")))

    def done(*arguments: object) -> str:
        found = said(capsys, *arguments, "--quiet")
        assert (found.code, found.errors) == (0, "")
        return found.output

    printed = done("score", "qrels", "run", "--record", "--tag", "x=y")
    done("history", "add", *names)
    assert done("history", "show", "1") == printed
    rows = [json.loads(line) for line in done("history", "list", "--format", "jsonl").splitlines()]
    assert [row["number"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["tags"] == {"x": "y"}
    chosen = done("history", "list", "--tag", "model=v1", "--format", "jsonl")
    assert json.loads(chosen)["number"] == 3
    broken_down = ("--by", "category", "--format", "csv")
    of_folders = done("history", "summary", "results", *broken_down)
    for place in range(3):
        of_folders = of_folders.replace(f"results/{place}", f"#{place + 2}")
    assert done("history", "summary", "--kind", "run", *broken_down) == of_folders
    sliced = ("--slice", "category", "--format", "json")
    one, other = (json.loads(done("history", "diff", *of, *sliced)) for of in (("2", "4"), ("results/0", "results/2")))
    assert (one["changes"], one["slices"]) == (other["changes"], other["slices"])
    done("history", "export", "numbers.parquet")
    done("history", "export", "values.parquet", "--values", "--kind", "run")
    assert pl.read_parquet("numbers.parquet")["run"].unique().sort().to_list() == [1, 2, 3, 4]
    assert pl.read_parquet("values.parquet").height == 3 * 40 * 2
    done("history", "delete", "#2", "3")
    with bb.History() as history:
        assert history.list()["run"].to_list() == [1, 4]
        assert history.numbers("R@10", kind="run")["run"].to_list() == [4]
