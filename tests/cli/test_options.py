"""What holds for the options of all commands: one name, one meaning, lists, old names, one wording."""

import re
from collections import defaultdict

import click
import pytest
from cases import check_each, check_rows
from command_line import COMMANDS, said, sentence

from benchbench.cli.parameters import Option, long_name

# Options whose help or type is not the same everywhere, and why
OTHERWISE = {
    "--all": "says of what",
    "--alpha": "`history check` spends it over runs, and says that",
    "--pairs": "of systems; `judge agreement` reads those of hits from a table",
    "--margin": "`history check` says what it is of latency",
    "--baseline": "`judge nuggets` has one by default, where there are two runs",
    "--batch-size": "`load` takes several",
    "--category": "of documents or of questions",
    "--collection": "says what the command does with the texts",
    "--concurrency": "`load` takes several",
    "--cutoff": "`passages` scores at one",
    "--dataset": "`judge agreement` has none by default, and says what it takes of it",
    "--fail-if": "shows numbers of its command",
    "--format": "not every result has all formats",
    "--limit": "says of what",
    "--max-tokens": "of a judge's answer, or of a text that `audit` calls long",
    "--measure": "says whose names it takes",
    "--name": "`load` finds the run by it; `compare` takes several, as version 0.1 did",
    "--order": "of the queries that `load` sends, or of runs",
    "--out": "says what is written",
    "--per-query": "`passages` prints no values of queries as text",
    "--protocol": "an index is listed and searched in fewer ways",
    "--run": "`history check` judges a run of the store, `judge agreement` ranks run files",
    "--query": "`show` takes the id of one, `protocol` a text to ask for",
    "--queries": "says what is read from the file",
    "--top-k": "`run` and `load` ask for what their measures need",
    "--rubric": "`judge answers` takes several",
    "--answered-by": "says what else names the model",
    "--repeat": "says what is repeated; once is enough for `run` and `load`, whose steps and passes are long",
    "--tag": "goes with a result, or is what chosen runs have",
    "--source-type": "of the questions that are asked or written",
    "--timeout": "`profile` waits for processes",
    "--url": "says what is asked",
    "--workers": "`answers score` asks nobody",
}
# Options that take several values and are repeated only, for a value may have a comma in it
REPEATED = {
    "--alert",  # a file's name may have one
    "--calibration",
    "--fail-if",
    "--field",
    "--figure",  # its value is a name and a file
    "--header",
    "--metrics-from",
    "--protocol-option",
    "--target",
    "--target-header",
    "--task",  # commas stand in it
    "--tag",
    "--name",  # several name runs, as in version 0.1
}
RENAMED = {  # command -> old name, new name, a value
    "answers run": [("--targeturl", "--url", "x"), ("--numquestions", "--limit", "1")],
    "judge relevance": [("--depth", "--cutoff", "1")],
    "index convert": [("--output", "--out", "x")],
    "index export": [("--output", "--out", "x"), ("--top", "--top-k", "1")],
    "index search": [("--top", "--top-k", "1")],
    "index test": [("--top", "--top-k", "1")],
    "passages": [("--output", "--out", "x"), ("--k", "--cutoff", "1")],
    "prepare cail": [("--queries", "--limit", "1")],
    "prepare legalbench-rag": [("--chunk", "--chunk-size", "1")],
    "prepare synthetic": [("--queries", "--limit", "1")],
    "profile client": [("--queries", "--limit", "1"), ("--rounds", "--repeat", "1"), ("--hits", "--top-k", "1")],
    "profile metrics": [("--queries", "--limit", "1"), ("--rounds", "--repeat", "1")],
}
RENAMES = [(name, *names) for name, many in RENAMED.items() for names in many]


def visible_options() -> dict[str, list[tuple[str, click.Option]]]:
    """Return the commands and declarations of each long name."""
    found = defaultdict(list)
    for command in COMMANDS:
        for one in COMMANDS[command].params:
            if isinstance(one, click.Option) and not one.hidden:
                found[long_name(one)].append((command, one))
    return dict(found)


OPTIONS = visible_options()


def test_an_option_has_one_meaning_in_all_commands():
    def check(name: str) -> None:
        meanings = {
            (type(one.type), tuple(getattr(one.type, "choices", ())), one.multiple, one.is_flag, one.help)
            for _, one in OPTIONS[name]
        }
        assert (len(meanings) > 1) is (name in OTHERWISE)

    check_each(check, OPTIONS)


def test_the_short_names_of_an_option_are_the_same_in_all_commands():
    def check(name: str) -> None:
        assert len({frozenset(one.opts) for _, one in OPTIONS[name]}) == 1

    check_each(check, OPTIONS)


def test_a_short_name_stands_for_one_option():
    names = defaultdict(set)
    for name, declared in OPTIONS.items():
        for short in (one for _, option in declared for one in option.opts if not one.startswith("--")):
            names[short].add(name)
    assert {short: len(found) for short, found in names.items()} == {"-k": 1, "-m": 1, "-q": 1, "-v": 1}


def test_no_old_name_is_shown():
    declared = {
        (command, old)
        for name in COMMANDS
        for command, one in ((name, param) for param in COMMANDS[name].params)
        if isinstance(one, Option)
        for old in one.old
    }
    assert declared == {(command, old) for command, old, _, _ in RENAMES}
    for command, old in declared:
        shown = COMMANDS[command].get_help(click.Context(COMMANDS[command]))
        assert not re.search(rf"(?<!\S){old}\b(?!-)", shown)


def test_an_old_name_is_the_same_option():
    def check(command: str, old: str, new: str, value: str) -> None:
        one = next(one for one in COMMANDS[command].params if new in one.opts)
        values = []
        for name in (old, new):
            context = click.Context(COMMANDS[command], resilient_parsing=True)  # whatever else is required
            COMMANDS[command].parse_args(context, [name, value])
            values.append(context.params[str(one.name)])
        assert values[0] == values[1] != one.get_default(context)

    check_rows(check, RENAMES)


def test_an_old_name_is_answered_with_the_new_one_and_not_with_quiet(capsys, tmp_path):
    arguments = ["prepare", "synthetic", "--cases", 40, "--queries", 2, "--force", "--out", tmp_path / "data"]
    assert said(capsys, *arguments).errors == f"--queries is called --limit\nWritten to {tmp_path / 'data'}\n"
    assert said(capsys, *arguments, "--quiet").errors == ""


def test_an_error_has_the_name_that_was_written(capsys):
    for name in ("--repeat", "--rounds"):
        errors = said(capsys, "profile", "client", name, "x").errors
        assert sentence(errors) == f"{name} is a whole number from 1 to 1,000,000,000, and not 'x'"
    for name, written in (("-k", ["-k0"]), ("--cutoff", ["--cutoff=0"]), ("--cutoff", ["-k", "3", "--cutoff", "0"])):
        assert (
            sentence(said(capsys, "run", *written).errors) == f"{name} is a whole number from 1 to 1,000,000, and not 0"
        )


def test_two_names_of_an_option_with_one_value_exclude_each_other(capsys):
    errors = said(capsys, "profile", "client", "--repeat", 3, "--rounds", 5).errors
    assert sentence(errors) == "--repeat and --rounds are one option; give it once"


def test_what_takes_several_values_takes_commas():
    def check(name: str, one: click.Option) -> None:
        assert getattr(one, "listed", False) is (name not in REPEATED)

    check_rows(check, ((name, one) for name, declared in OPTIONS.items() for _, one in declared if one.multiple))


@pytest.mark.parametrize(
    ("command", "arguments", "parameter", "values"),
    [
        ("run", ["-k", "3,5"], "cutoffs", (3, 5)),
        ("run", ["-k", "3", "-k", "5", "--cutoff", "3"], "cutoffs", (3, 5)),
        ("run", ["--tasks", "article", "--tasks", "gold, article"], "tasks", ("article", "gold")),
        ("run", [], "tasks", ()),
        (
            "run",
            ["--task", "a=equal(b)", "--task", "c=contains(d, within=true)"],
            "task",
            ("a=equal(b)", "c=contains(d, within=true)"),
        ),
        ("run", ["-m", "P(rel=2)@5,AP"], "measures", ("P(rel=2)@5", "AP")),
        ("load", ["--rate", "10,20", "--rate", "5"], "rates", (10.0, 20.0, 5.0)),
        ("load", ["--concurrency", "1,2,2"], "concurrencies", (1, 2)),
        ("load", ["--batch-size", "8", "--batch-size", "16"], "batch_sizes", (8, 16)),
        ("score", ["-m", "P(rel=2,x=1)@5,AP", "-m", "AP", "q", "r"], "measures", ("P(rel=2,x=1)@5", "AP")),
        ("score", ["--measure", "AP", "q", "r"], "measures", ("AP",)),
        ("compare", ["--slice", "court,year", "q"], "slices", ("court", "year")),
        ("profile metrics", ["--peers", "ranx,trec_eval"], "peers", ("ranx", "trec_eval")),
        ("answers score", ["-m", "a,b", "x"], "metrics", ("a", "b")),
    ],
)
def test_a_list_is_repeated_or_has_commas_and_equal_values_count_once(command, arguments, parameter, values):
    assert COMMANDS[command].make_context(command, list(arguments)).params[parameter] == values


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--format", "xml"], "--format 'xml' is not one of text, json, jsonl, csv, markdown, latex"),
        (["run", "--self", ""], "--self '' is not one of text, id"),
        (["run", "--tasks", "gold,fly"], "--tasks 'fly' is not one of gold, accusation, article, imprisonment"),
        (["run", "--retry-for", "soon"], "--retry-for is a time such as 30s, 500ms or 2m, and not 'soon'"),
        (["run", "--top-k", "1.5"], "--top-k is a whole number from 1 to 1,000,000, and not '1.5'"),
        (["run", "--target", "a"], "--target a is not NAME=URL"),
        (["run", "--target", ""], "an empty --target is not NAME=URL"),
        (["run", "--ca-file", ""], "--ca-file is the path of a file or folder, and not ''"),
        (["serve", ""], "COLLECTION is the path of a file or folder, and not ''"),
    ],
)
def test_what_is_refused_is_refused_in_one_wording(capsys, arguments: list[str], words: str):
    code, output, errors = said(capsys, *arguments)
    assert (code, output, sentence(errors)) == (2, "", words)


def test_each_command_explains_its_options(capsys):
    def check(name: str) -> None:
        code, output, errors = said(capsys, *name.split(), "--help")
        assert (code, errors) == (0, "")
        for one in (one for one in COMMANDS[name].params if isinstance(one, click.Option) and not one.hidden):
            assert f"{long_name(one)} " in output.replace("\n", " ")

    check_each(check, COMMANDS)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("P.5,10", ("P.5,10",)),
        ("AP,P.5,10,nDCG@10", ("AP", "P.5,10", "nDCG@10")),
        ("ndcg_cut_5, 10,RBP", ("ndcg_cut_5,10", "RBP")),
        ("iprec_at_recall.0,.1,.5", ("iprec_at_recall.0,.1,.5",)),
        ("P(rel=1,x=2)@5,P@10", ("P(rel=1,x=2)@5", "P@10")),
        ("3,5,10", ("3", "5", "10")),
        ("0.5,0.7", ("0.5", "0.7")),
        ("P@5,10", ("P@5", "10")),
    ],
)
def test_a_comma_in_a_list_of_measures_may_stand_between_cut_offs(text: str, values: tuple[str, ...]):
    command = click.Command("c", params=[Option(["-m", "measures"], listed=True)], callback=lambda measures: measures)
    assert command.main(["-m", text], standalone_mode=False) == values
