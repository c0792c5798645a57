"""What every command that yields numbers does with its result: print it, write it, and exit as its gates say."""

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli.files import check_place, is_same_file, write
from benchbench.cli.parameters import long_name
from benchbench.cli.project_file import sources
from benchbench.cli.recording import Recording, recording
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import Made
from benchbench.errors import InputError
from benchbench.report.draw import printed
from benchbench.results.picture import check_suffix as check_picture
from benchbench.results.settings import GATES, OUTPUT, Opt, in_section

if TYPE_CHECKING:
    from benchbench.report.layout import Layout
    from benchbench.results.gates import Gate, Named
    from benchbench.results.result import Result

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NOT_TOLD = {
    *("url", "target", "header", "token_env", "protocol_option"),  # may hold secrets: the record has what is shown
    *(
        "format",
        "per_query",
        "pairs",
        "quiet",
        "html",
        "figure",
        "junit",
        "summary",
    ),  # how a result is shown, and where
    *("name", "out", "resultsdir", "resume"),
    *("record", "store", "tag"),  # tags are a member of their own
}


@dataclass(kw_only=True, repr=False, eq=False)  # what else it could have takes half a ms of each start
class Reporting:
    """The values of the options common to all results; a command receives them as `report`."""

    output: str
    fail_if: tuple[str, ...]
    junit: Path | None
    summary: Path | None
    html: Path | None
    name: str | None
    out: Path | None
    quiet: bool
    figures: tuple[tuple[str, Path], ...] = ()  # charts of the page, each with the file that it goes to
    judges: bool = False  # its result has a gate of its own
    tags: Mapping[str, str] = field(default_factory=dict)  # that the record gets
    recording: Recording | None = None  # where the result is recorded

    def check(self) -> None:
        """Refuse files that cannot be written, before anything is read or measured."""
        if self.out is not None and self.out.exists():
            raise InputError(f"--out {self.out} exists already; name another folder")
        if self.junit is not None and not (self.fail_if or self.judges):
            raise InputError("--junit writes one test case per gate; name a gate with --fail-if")
        paths = [(name, path) for name in ("junit", "summary", "html") if (path := getattr(self, name)) is not None]
        paths += [(f"figure {name}", path) for name, path in self.figures]
        for (one, path), (other, its_path) in combinations(paths, 2):
            if is_same_file(path, its_path):
                raise InputError(f"--{one} and --{other} are both {path}; name two files")
        for name, path in paths:
            check_place(name, path)
        for _, path in self.figures:
            check_picture(path)

    def gates(self, names: Collection[str], named: "Named | None" = None) -> "list[Gate]":
        """Return the gates of `--fail-if`, before anything is measured.

        Parameters
        ----------
        names
            Of the numbers that there will be.
        named
            Returns the form in which a number is named, and its unit.

        Raises
        ------
        InputError
            For what is no gate, or names no number of this kind.
        """
        if not self.fail_if:
            return []
        from benchbench.results.gates import parse_gate

        found = [parse_gate(text, named) for text in self.fail_if]
        for gate in found:
            gate.measured(names)
        return found

    def describe(self, result: "Result", gates: "Sequence[Gate]" = (), others: Mapping[str, str] = _NOTHING) -> None:
        """Complete a result's record: its name, its options, where each came from, and what became of gates.

        Parameters
        ----------
        result
            What was measured.
        gates
            Conditions to check, where the measurement has not.
        others
            Where values came from that no option gave.
        """
        context = click.get_current_context()
        known = sources(context)
        known |= {name: source for name, source in others.items() if known.get(name, "default") == "default"}
        result.describe(name=self.name, tags=dict(self.tags), sources=known, given=_given(context))
        if gates:
            from benchbench.results.checks import check

            result.describe(gates=[*result.record.gates, *check(gates, result.record.numbers)])

    def finish(
        self,
        result: "Result",
        folder: Path | None = None,
        recorded: "Sequence[tuple[Result, Path]]" = (),
        told: "Layout | None" = None,
        **options: Any,
    ) -> None:
        """Write, record and print a result that is described, and raise what the exit code is to be.

        Parameters
        ----------
        result
            What was measured.
        folder
            Where it lies already.
        recorded
            What `--record` keeps, each with its folder, where that is not this result alone.
        told
            What `early` returned.
        options
            What the layout of its kind takes.

        Raises
        ------
        InputError
            When it could not be recorded; it lies in a folder, and was printed.
        GateError, TooManyFailuresError
            As the record says.
        """
        from benchbench.report.draw import layout, rendered
        from benchbench.results.folder import save

        drawn = told or layout(result, **options)
        if self.out is not None and folder is None:
            pages = {} if drawn.drawn is None else {"report.html": rendered(result, drawn, "html")}
            folder = save(result, self.out, pages)
        missed = None
        if self.recording is not None:
            missed = self.recording.keep(recorded or [(result, folder)], self.quiet)
        if told is None:
            self.show(result, drawn, folder)
        else:
            self._write(result, drawn, folder)
            self._draw_figures(result, drawn, folder)
        if folder is not None and not self.quiet:
            click.echo(f"Results in {folder}", err=True)
        decided = result.decided()
        if missed is not None:
            for one in decided:
                if one.is_failure:
                    missed.add_note(one.said)
            raise missed
        if decided:
            from benchbench.results.verdict import end

            end(decided)

    def early(self, result: "Result", **options: Any) -> "Layout | None":
        """Print a result before anything of it is written: a page takes as long to draw as the first lines to read.

        Other formats than text name the tables of the folder, and wait for it: None is returned.
        """
        from benchbench.report.draw import layout

        if self.output != "text":
            return None
        drawn = layout(result, **options)
        self.tell(result, drawn)
        return drawn

    def tell(self, result: "Result", drawn: "Layout") -> None:
        """Print a result; a reader of a pipe that has seen enough ends no command that has yet to write."""
        try:
            echo(result, drawn, self.output)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        for sentence in () if self.quiet or drawn.shows_notes(self.output) else drawn.notes:
            click.echo(f"Note: {sentence}", err=True)

    def show(self, result: "Result", drawn: "Layout", folder: Path | None = None) -> None:
        """Write the files that the options name, and print; `folder` is where the result lies."""
        self._write(result, drawn, folder)
        self.tell(result, drawn)
        self._draw_figures(result, drawn, folder)

    def _write(self, result: "Result", drawn: "Layout", folder: Path | None) -> None:
        """Write the files that the options name."""
        from benchbench.report.draw import rendered

        if self.html is not None:
            write("html", self.html, rendered(*_of_page(result, drawn, folder), "html"))
        if self.junit is not None:
            write("junit", self.junit, rendered(result, drawn, "junit"))
        if self.summary is not None:
            write("summary", self.summary, rendered(result, drawn, "summary"), append=True)

    def _draw_figures(self, result: "Result", drawn: "Layout", folder: Path | None) -> None:
        """Write charts of the page; last of all, for only the page knows which names there are."""
        if self.figures:
            from benchbench.report.figures import figures

            made = figures(_of_page(result, drawn, folder)[1].of_page(), [name for name, _ in self.figures])
            for figure, (_, path) in zip(made, self.figures, strict=True):
                figure.save(path)


def _of_page(result: "Result", drawn: "Layout", folder: Path | None) -> "tuple[Result, Layout]":
    """Return what the page shows: of several services their comparison, where they can be compared."""
    from benchbench.cli.targets_page import compared_targets
    from benchbench.report.draw import layout

    compared = None if folder is None else compared_targets(result, folder)
    return (result, drawn) if compared is None else (compared, layout(compared))


def _given(context: click.Context) -> dict[str, tuple[str, Any]]:
    """Return, by long name, the name that the command has and the value of each option that may be written down."""
    return {
        name: (param.name, _plain(context.params[param.name]))
        for param in context.command.params
        if isinstance(param, click.Option) and param.name in context.params
        if (name := long_name(param).lstrip("-").replace("-", "_")) not in _NOT_TOLD
    }


def _plain(value: Any) -> Any:
    """Return the value of an option as a JSON value."""
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


def _figure_option() -> list[click.Parameter]:
    """Return the option of figures, which takes two values."""
    text = "Save a chart of the page: SVG or PNG"
    kinds = (str, click.Path(path_type=Path))
    return [click.Option(["--figure", "figures"], type=kinds, multiple=True, metavar="NAME FILE", help=text)]


def reporting(
    *examples: str,
    out: str | None = "Results folder.  [default: none]",
    name: str | None = "What this result is called.",
    judges: bool = False,
    record: bool = True,
) -> Callable[..., Reporting]:
    """Return the group of `--fail-if`, `--junit`, `--summary`, `--html`, `--name`, `--out`, `--record`, `--format`.

    Its `Reporting` has files and a store that were found writable. A command has its own `--out` or `--name`, or none,
    where the help of that is None. `judges`: its result has a gate of its own. Without `record`, it measures nothing
    that could be recorded.
    """

    @in_section(OUTPUT)
    def report(
        quiet: bool,
        fail_if: Annotated[
            tuple[str, ...],
            Opt(f"Fail when this holds: '{examples[0]}'.", metavar="GATE", is_repeated=True, section=GATES),
        ] = (),
        junit: Annotated[Path | None, Opt("Write the gates as JUnit XML.", section=GATES)] = None,
        summary: Annotated[Path | None, Opt('Append Markdown, as for "$GITHUB_STEP_SUMMARY".', section=GATES)] = None,
        html: Annotated[Path | None, Opt("Write a page that opens offline.")] = None,
        figures: Annotated[tuple[tuple[str, Path], ...], Made(_figure_option)] = (),
        name: Annotated[str | None, name and Opt(name)] = None,
        out: Annotated[Path | None, out and Opt(out)] = None,
        kept: Annotated[tuple[Recording | None, Mapping[str, str]], recording if record else None] = (None, _NOTHING),
        output: Annotated[str, printed_as(*printed())] = "text",
    ) -> Reporting:
        store, tags = kept
        made = Reporting(
            output=output,
            fail_if=fail_if,
            junit=junit,
            summary=summary,
            html=html,
            name=name,
            out=out,
            quiet=quiet,
            figures=figures,
            judges=judges,
            tags=tags,
            recording=store,
        )
        made.check()
        if store is not None:
            store.check()
        return made

    return report
