"""Whether a judge has ranked what it judges."""

from pathlib import Path

from benchbench.judging.relevance.pool import own_rankings, rankers

LINE = "q1 Q0 d1 1 2.5 {}\n"
HEADER = """# ir_metadata.start
# tag: "rerank"
# method:
#   name: "monoT5, then openai/gpt-4o-2024-08-06"
# ir_metadata.end
"""


def run(folder: Path, text: str) -> Path:
    path = folder / "a.run"
    path.write_text(text)
    return path


def test_a_run_names_its_tag_and_what_its_header_has(tmp_path: Path):
    names = rankers(run(tmp_path, HEADER + LINE.format("rerank")))
    assert {"rerank", "openai/gpt-4o-2024-08-06", "monoT5"} <= {name.strip(",") for name in names}


def test_the_judges_model_is_found_under_other_names_of_it(tmp_path: Path):
    path = run(tmp_path, HEADER + LINE.format("rerank"))
    assert own_rankings("gpt-4o", [("a", path, True)], []) == ["a"]
    assert own_rankings("gpt-4o-mini", [("a", path, True)], []) == []
    assert own_rankings("rerank", [("a", path, True)], ["bge"]) == ["a"]
    assert own_rankings("gpt-4o", [], ["openai/gpt-4o", "bge"]) == ["--ranked-by openai/gpt-4o"]


def test_a_run_without_a_tag_names_nobody(tmp_path: Path):
    assert rankers(run(tmp_path, "q1 Q0 d1 1 2.5\n")) == set()


def test_only_trec_text_is_looked_into(tmp_path: Path):
    path = run(tmp_path, '{"q1": {"gpt-4o": 1.0}}')
    assert own_rankings("gpt-4o", [("a", path, False)], []) == []
