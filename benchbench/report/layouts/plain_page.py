"""The page of a kind of result that has none of its own: the blocks of other formats, with a head and an end."""

from collections.abc import Sequence

from benchbench.report.blocks import Block, Gates, Heading
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce, settings
from benchbench.report.page_blocks import Folded, PageBlock, Section
from benchbench.results.headline import Headline
from benchbench.results.result import Result


def blocks(
    result: Result, title: str, verdict: Headline, command: str, shown: Sequence[Block]
) -> list[Block | PageBlock | Folded]:
    """Return the page.

    Parameters
    ----------
    result
        Of any kind.
    title
        What was measured.
    verdict
        What it comes to.
    command
        Without its options.
    shown
        Tables, facts and notes.
    """
    record = result.record
    first, *others = [f"{mark} {sentence}".strip() for mark, sentence in verdict.sentences]
    above = {*verdict.advice, *(sentence for _, sentence in verdict.sentences)}
    said_once = [block for block in shown if not (isinstance(block, Heading) and block.subtitle in above)]
    named = {name: name.replace("_", " ") for name in record.settings}
    return [
        head(command.removeprefix("benchbench "), record, [title], first, [" ".join(others)], verdict.advice),
        *band(record),
        Section("results", "Results", "Results"),
        *(block for block in said_once if not isinstance(block, Gates)),
        *passed_gates(record),
        *reproduce(record, [("Settings", settings(record, named))]),
    ]
