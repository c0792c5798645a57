"""The page of two stored runs: what changed beside what did not, then the differences, and the queries that moved."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchbench.history.changed import KINDS, ChangedDetails, shown
from benchbench.history.diff.diff_details import COMPARED, DiffDetails
from benchbench.report.blocks import AnyCell, Block, Cell, Notes, Table
from benchbench.report.comparison_blocks import Chooser, Matrices, MovedList
from benchbench.report.draw import layout
from benchbench.report.layouts.history_list import when
from benchbench.report.layouts.page_parts import band, head, reproduce, settings
from benchbench.report.page_blocks import Band, Folded, Masthead, Section
from benchbench.results.headline import Headline
from benchbench.results.reading import Loaded, read_result
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.report.layout import AnyBlock

_NOUNS = {"tag": "tags", "data": "data set", "setting": "settings", "version": "versions"}
_OWN = ("Notes", "All differences", "Systems")  # folds of a comparison whose content this page has elsewhere
_SETTINGS = {"alpha": "alpha", "seed": "seed", "slice": "slices by", "cluster": "groups"}


def blocks(result: Result, verdict: Headline, tables: Sequence[Block]) -> "list[AnyBlock]":
    """Return the page; where values per query are stored it has the charts and lists of a comparison."""
    diff, record = result.details_as(DiffDetails), result.record
    compared = _compared(result)
    made: list[AnyBlock] = [_masthead(diff, result, verdict), *band(record), *_incomparable(diff)]
    made += [Section("changed", "What changed", "What changed", _summary(diff))]
    made += [_beside(diff, diff.differs)] if diff.differs else []
    if compared is None:
        made.append(Section("measures", "Measures", "Measures"))
        made += tables
    else:
        made += [Section("measures", "Measures", "Measures"), *tables[:2]]  # with the legend
        made += _followed(layout(compared).of_page())
    made += [Folded("Notes", counted(len(diff.notes), "note"), [Notes(diff.notes)])] if diff.notes else []
    return [*made, *_folds(diff), *reproduce(record, [("Test", settings(record, _SETTINGS))])]


def _followed(page: "Sequence[AnyBlock]") -> "Iterator[AnyBlock]":
    """Yield of the page of a comparison what follows its verdict: the difference of two runs has its own table."""
    last = max(place for place, block in enumerate(page) if isinstance(block, Section))  # how to reproduce it
    reading = next((block.reading for block in page if isinstance(block, Matrices)), None)
    for block in page[:last]:
        if isinstance(block, Chooser):
            yield block._replace(reading=reading)
        elif isinstance(block, MovedList):  # texts cannot be given to this command
            yield block._replace(notes=[note for note in block.notes if "--queries" not in note])
        elif isinstance(block, Masthead | Band | Matrices | Notes) or (
            isinstance(block, Folded) and block.title in _OWN
        ):
            continue
        elif not isinstance(block, Section) or block.id != "verdict":
            yield block


def _compared(result: Result) -> Result | None:
    """Return the comparison of both runs, of a result that was read the one that lies in its folder."""
    if isinstance(result, Loaded):
        folder = result.folder / COMPARED
        return read_result(folder) if folder.is_dir() else None
    part = result.parts().get(COMPARED)
    return part if isinstance(part, Result) else None


def _masthead(diff: DiffDetails, result: Result, verdict: Headline) -> Masthead:
    what = f"{diff.second.name} on {diff.second.data}" if diff.second.data else diff.second.name
    queries = [counted(diff.queries, "query")] if diff.queries else []
    about = [what, f"{diff.second.label} against {diff.first.label}", *queries]
    (_, title), *others = verdict.sentences
    pieces = [" ".join(sentence for _, sentence in others)] if others else []
    return head("history diff", result.record, about, title, pieces, verdict.advice[1:])  # a section has the cause


def _incomparable(diff: DiffDetails) -> list[Band]:
    """Return that the numbers are of different data, rules or kinds, which is the first of the notes then."""
    sides = [(side.kind, side.data, side.rules) for side in (diff.first, diff.second)]
    return [] if sides[0] == sides[1] else [Band("The runs are not alike", [], "", diff.notes[:1])]


def _summary(diff: DiffDetails) -> str:
    noise = "Nothing that is recorded changed but the time: differences are noise of the service."
    cause = "The cause is likely to be among these." if diff.differs else noise
    rules = ["scoring rules"] if diff.first.rules and diff.first.rules == diff.second.rules else []
    same = [*rules, *(_NOUNS.get(kind, kind) for kind in KINDS if _is_alike(diff, kind))]
    times = and_joined(list(dict.fromkeys(when(side.started) for side in (diff.first, diff.second))))
    alike = [f"The same in both: {and_joined(same)}."] if same else []
    return " ".join([cause, *alike, f"Began (UTC): {times}."])


def _is_alike(diff: DiffDetails, kind: str) -> bool:
    its = [each for each in diff.circumstances if each.kind == kind]
    return bool(its) and all(each.before == each.after for each in its)


def _beside(diff: DiffDetails, circumstances: Sequence[ChangedDetails]) -> Table:
    """Return circumstances of both runs, a row each, with bold values where they are not the same."""
    rows: list[Sequence[AnyCell]] = [
        [_called(its), shown(its, its.before), Cell(shown(its, its.after), strong=its.before != its.after)]
        for its in circumstances
    ]
    return Table(["", diff.first.label, diff.second.label], rows, "lll")


def _called(its: ChangedDetails) -> str:
    """Return what a circumstance is called; of a tag its name first."""
    name = its.name.removeprefix("tag ")
    return f"{name} (tag)" if its.kind == "tag" else name


def _folds(diff: DiffDetails) -> list[Folded]:
    """Return the settings and the versions of both runs, those first that differ."""
    folds = []
    for kind in ("setting", "version"):
        its = sorted((each for each in diff.circumstances if each.kind == kind), key=lambda it: it.before == it.after)
        differ = sum(each.before != each.after for each in its)
        said = f"{len(its) - differ:,} of {len(its):,} are the same"
        folds += [Folded(_NOUNS[kind].capitalize(), said, [_beside(diff, its)])] if its else []
    return folds
