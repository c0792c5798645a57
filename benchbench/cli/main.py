"""The command line: commands loaded when they are called, errors turned into exit codes in one place."""

import contextlib
import gc
import io
import os
import re
import signal
import sys
from typing import Any

import click

import benchbench
from benchbench import signals
from benchbench.cli import surroundings
from benchbench.cli.groups import LateGroup
from benchbench.errors import BenchbenchError, InterruptedRunError, said_by, visible
from benchbench.processes import PATIENCE

_LINES = {  # of the help, by command; each is in the module of its name
    "run": "Benchmark a retrieval service: send queries, judge hits, report.",
    "load": "Measure latency, throughput and quality of a service under load.",
    "serve": "Serve a collection over /batch_search with an embedded BM25.",
    "protocol": "Describe a search service from a curl line, and try a protocol.",
    "score": "Score run files against qrels, as trec_eval, and faster.",
    "compare": "Say whether runs differ: paired tests, intervals, slices, failures.",
    "audit": "Say what makes the scores of a data set lie, and of a service.",
    "show": "Show a results folder again, in any format; one query, or the worst.",
    "passages": "Score retrieved passages: exact match, span F1, recall, nDCG.",
    "answers": "Evaluate the answers of an assistant: citations, terminology, sources.",
    "judge": "Labels and verdicts by a language model, and how far to trust them.",
    "evaluate": "Retrieval, generation and domain quality in one, with an overall score.",
    "index": "Look into a search index; make and check ground truth from it.",
    "datasets": "Say what a data set is: make, queries, judgments, documents, tasks.",
    "prepare": "Make data sets: from CAIL files, LegalBench-RAG, or any other.",
    "history": "Results over time: a store, trends, gates that do not cry wolf, alerts.",
    "help": "Show the help of a command; of run with what it prints.",
    "profile": "Measure the engine's own throughput on this machine, beside its peers.",
}

_DATABASE = (  # its URL; compiled when a message needs it, and not at every start
    r"(\b(?!https?:)[a-z][\w+.-]*:/+)(?:(?!USER:PASSWORD@)\S*@)?([^\s?#'\"`)]*)(?:[?#][^\s'\"`)]*)?"
)
_NO_ARGUMENTS: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # click 8.2 and newer raise it


class _Commands(LateGroup):
    """A group whose help imports no command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_LINES.items()))


@click.group(
    cls=_Commands,
    places={name: f"{name}:command" for name in _LINES},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(getattr(benchbench, "__version__", "unknown"), prog_name="benchbench")
def cli() -> None:
    """How good, and how fast, is a retriever?

    Start with `benchbench run`: it serves a small collection of its own, searches it, and prints what a
    report looks like. Exit codes: 0 done, 1 a gate failed, 2 bad usage or input, 3 the service cannot be
    reached, 4 too many failed requests, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """


def entry() -> None:
    """Run a command as a process of its own, and end it without taking it apart.

    To free every object, and to walk them for cycles while modules are imported, takes a fifteenth of a short command.
    """
    gc.set_threshold(PATIENCE)
    _prepare_streams()
    signals.install()
    try:
        main()
    except SystemExit as done:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(int(done.code or 0))


def _prepare_streams() -> None:
    """Make the process one whose standard streams are open and take any text.

    With ASCII for file names and arguments, as in a locale `C` that Python was told to keep, other names can be read
    by no library: the process starts anew with UTF-8, once, for `-X utf8=0` goes before the environment.
    """
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.execve(sys.executable, sys.orig_argv, {**os.environ, "PYTHONUTF8": "1"})
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed, as by `>&-`: else the next file that is opened would take its place
            while (opened := os.open(os.devnull, os.O_RDWR)) < number:
                pass
            setattr(sys, name, os.fdopen(opened, "r" if number == 0 else "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit; no error leaves a traceback unless `--verbose` asks for it."""
    arguments = sys.argv[1:] if arguments is None else arguments
    verbose = "--verbose" in arguments or "-v" in arguments
    try:
        if foreign := surroundings.check():
            click.echo(f"Note: {visible(foreign)}", err=True)
        code: Any = cli.main(arguments, prog_name="benchbench", standalone_mode=False)
        sys.stdout.flush()
    except _NO_ARGUMENTS as error:  # a group alone: its help is the answer
        click.echo(error.ctx.get_help(), color=error.ctx.color)
        code = 0
    except click.ClickException as error:
        said = re.sub(
            r"(https?://[^\s?#]+)[?#][^\s)]*", r"\1", error.format_message().rstrip(".")
        )  # a key may be in it
        said += "; put -- before curl" if "curl" in arguments and "--" not in arguments else ""
        _show(f"{said}; `{_named(error, arguments)} --help` lists what there is", verbose)
        code = error.exit_code
    except click.exceptions.Exit as done:
        code = done.exit_code
    except (BrokenPipeError, SystemExit):  # the reader of a pipe has seen enough; click makes that an exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (click.Abort, KeyboardInterrupt) as error:  # click makes one the cause of the other
        click.echo(visible(f"Interrupted{_notes(error)}{_notes(error.__cause__)}."), err=True)
        code = _interrupted()
    except OSError as error:
        place = error.filename if isinstance(error.filename, str) else "a file, or standard output,"
        why = f"{error.strerror or error}{_notes(error)}{surroundings.said_of_limit()}"
        _show(f"{place} cannot be read or written: {why}", verbose)
        code = 2
    except BenchbenchError as error:
        _show(f"{error}{_notes(error)}", verbose)
        code = _interrupted() if type(error) is InterruptedRunError else error.exit_code
    except BaseException as error:  # a fault of ours: still one sentence; a panic of polars is no Exception
        where = f"(unexpected; --verbose shows where){_notes(error)}{surroundings.said_of_limit()}"
        _show(f"{type(error).__name__}: {said_by(error)} {where}", verbose)
        code = 2
    sys.exit(code or 0)


def _named(error: click.ClickException, arguments: list[str]) -> str:
    """Return the command that was used wrongly; a parser that finds too few values does not say which."""
    if context := getattr(error, "ctx", None):
        return str(context.command_path)
    context = click.Context(cli, info_name="benchbench")
    for word in arguments:
        group = context.command
        if not isinstance(group, click.Group) or (command := group.get_command(context, word)) is None:
            break
        context = click.Context(command, context, word)
    return context.command_path


def _notes(error: BaseException | None) -> str:
    """Return what was added to an error on its way, such as where the results are that had come."""
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


def _interrupted() -> int:
    """Return the exit code of a command that was interrupted: 130, or as the signal says."""
    return 128 + (signals.received() or signal.SIGINT)


def _show(sentence: str, verbose: bool) -> None:
    if verbose:
        import traceback

        traceback.print_exc()
    without_password = re.sub(r"(https?:/+)[^\s/@]*@", r"\1", sentence)  # of a URL given as a file, say
    without_password = re.sub(_DATABASE, r"\1\2", without_password)
    click.echo(f"Error: {visible(without_password)}", err=True)
