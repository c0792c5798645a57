"""Whatever a service or a data set holds: what people are shown is text, line by line, and nothing is obeyed."""

import json
import unicodedata
from pathlib import Path

import polars as pl
import pytest
import services
from any_result import UNBROKEN, drawn_with
from cases import first_of
from command_line import said
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import said_by, visible
from benchbench.report.blocks import Table
from benchbench.report.draw import RENDERERS, rendered
from benchbench.report.layout import Layout

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07",
    "a\nb",
    "a\r\nError: forged",
    "\x9b2J",
    "\x7f\x08\x00",
    "\u2028\u2029\x85",
    "\u202eright to left",
    "|a|\t<b>",
    "=cmd|' /C calc'!A0",
)


hostile = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
)


def is_shown(text: str) -> bool:
    """Say that every line of a text is printable; spaces of any script are."""
    return all(c.isprintable() or unicodedata.category(c) == "Zs" for line in text.split("\n") for c in line)


def data_of(folder: Path, names: list[str]) -> Path:
    folder.mkdir()
    labels = {"accusation": names[:2], "relevant_articles": names, "imprisonment": {"imprisonment": 3}}
    with (folder / "tiered.jsonl").open("w", encoding="utf-8") as file:
        for number, name in enumerate(names):
            query = {"fact": f"fact {number} {name}", "meta": labels}
            positive = {"fact_id": f"p{name}", "fact": f"positive {number} {name}", "meta": labels}
            file.write(json.dumps({"query_id": name, "query": query, "positives": [positive]}) + "\n")
    return folder


def finding(names: list[str]) -> services.Answer:
    """Answer with hostile ids and texts."""

    async def answer(service, request, message):
        hits = [{"id": f"p{name}", "score": 1.0, "text": f"positive {n} {name}"} for n, name in enumerate(names)]
        return services._json({"results": [hits for _ in message["queries"]]})

    return answer


@pytest.mark.parametrize("output", first_of("text", "csv", "markdown", "latex"))
def test_hostile_ids_texts_and_labels_never_reach_a_terminal_or_a_text_file(capsys, tmp_path: Path, output: str):
    names = list(HOSTILE)
    out, junit, summary = tmp_path / "out", tmp_path / "gates.xml", tmp_path / "step.md"
    options = ["--format", output, "--out", out, "--junit", junit, "--summary", summary, "--name", HOSTILE[0]]
    with services.running(finding(names)) as service:
        command = ["run", "--dataset", data_of(tmp_path / "data", names), "--url", service.url, "--gold", "id"]
        code, shown, errors = said(capsys, *command, *options, "--fail-if", "nDCG@10<2")
    assert code == 1
    for text in (
        shown,
        errors,
        summary.read_text("utf-8"),
        (out / "evaluate_summary.txt").read_text("utf-8"),
        (out / "report.html").read_text("utf-8"),
    ):
        assert is_shown(text)
    assert pl.read_parquet(out / "per_query.parquet")["query_id"].to_list() == names, "tables keep what was there"
    command = [
        "score",
        out / "qrels.trec",
        out / "run.trec",
        "--per-query",
        "--format",
        output if output != "text" else "csv",
    ]
    code, shown, errors = said(capsys, *command)
    assert (code, is_shown(shown), is_shown(errors)) == (0, True, True)


@pytest.mark.parametrize(
    "answer",
    [
        services.status(404, "\x1b[2Jgone\r\nError: forged" + "x" * 1000),
        services.raw("\x1b[31m\x9b<script>" + "y" * 1000),
        services.raw(json.dumps([[{"\x1b]0;key\x07\nError: forged": 1}]] * 9)),
    ],
    ids=["an error", "no JSON", "other keys"],
)
def test_what_a_service_says_is_one_visible_line_wherever_it_is_said(capsys, tmp_path: Path, answer: services.Answer):
    out = tmp_path / "out"
    with services.running(answer) as service:
        command = ["run", "--dataset", data_of(tmp_path / "data", list(HOSTILE)), "--url", service.url, "--out", out]
        code, shown, errors = said(capsys, *command)
    assert code == 4
    assert is_shown(shown)
    assert is_shown(errors)
    assert not any(line.startswith("Error: forged") for line in (shown + errors).splitlines())
    (reason,) = json.loads((out / "summary.json").read_bytes())["failures"]
    assert is_shown(reason)
    assert "\n" not in reason
    assert len(reason) < 500
    assert max(pl.read_parquet(out / "requests.parquet")["error"].fill_null("").str.len_chars().to_list()) < 500


@given(st.lists(hostile, min_size=3, max_size=3), st.lists(hostile, min_size=3, max_size=3))
def test_tables_and_sentences_keep_to_their_lines(head: list[str], row: list[str]):
    layout = Layout("", [Table(head, [row])], dict, lambda: [dict(zip(head, row, strict=True))])
    for form, lines in (("text", 3), ("markdown", 3), ("latex", 7)):
        table = rendered(None, layout, form, UNBROKEN)
        assert is_shown(table)
        assert table.count("\n") == lines
    assert is_shown(rendered(None, layout, "csv"))


@pytest.mark.parametrize("form", [form for form in RENDERERS if form not in ("json", "jsonl")])
@given(hostile)
def test_no_text_in_any_place_of_a_report_is_obeyed_in_any_format(form: str, text: str):
    assert is_shown(rendered(*drawn_with(text), form))


@pytest.mark.parametrize("form", ["json", "jsonl"])
@given(hostile)
def test_json_has_every_text_as_it_is_and_no_control_character_of_ascii(form: str, text: str):
    shown = rendered(*drawn_with(text), form)
    assert not any(c < " " for line in shown.split("\n") for c in line)
    assert text in json.loads(shown)


def test_what_another_package_says_is_its_first_line_and_short():
    assert said_by(ValueError("a\x1b\nb")) == "a\\x1b"
    assert said_by(ValueError("x" * 1000)) == "x" * 200
    assert said_by(ValueError("\n")) == "ValueError"


# What errors may quote from outside


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no such field: 金额\u3000不明", "no such field: 金额\u3000不明"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\r\nlines", "two\\r\\nlines"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("half \ud800", "half \\ud800"),
        ("\x9b2J", "\\x9b2J"),
    ],
    ids=["text", "escapes", "lines", "direction", "surrogate", "c1"],
)
def test_control_characters_are_shown_and_all_else_stays(text, shown):
    assert visible(text) == shown


def test_a_text_is_cut_before_it_is_escaped():
    assert visible("\x00" * 1000, 3) == "\\x00" * 3


@given(st.text(st.characters()))
def test_any_text_becomes_one_line_that_can_be_encoded(text):
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert all(one.isprintable() or one.isspace() for one in shown)
    shown.encode()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError("cannot resolve 'db': [Errno -2] Name or service not known"),
            "cannot resolve 'db': Name or service not known",
        ),
        (PermissionError(13, "Permission denied", "/a"), "Permission denied: '/a'"),
        (RuntimeError("No such file or directory (os error 2): /a"), "No such file or directory: /a"),
        (ValueError(), "ValueError"),
    ],
    ids=["psycopg", "python", "polars", "nothing"],
)
def test_what_another_package_says_is_quoted_without_the_number_of_the_system(error: Exception, said: str):
    assert said_by(error) == said
