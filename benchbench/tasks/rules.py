"""Every rule of relevance, a row each; adding a rule is a row here, and what it compares in `kernels.rules`."""

from collections.abc import Mapping
from enum import Enum
from typing import Literal

from msgspec import Struct

from benchbench.kernels.rules import (
    ContainedSets,
    EqualSets,
    LabelComparison,
    NearNumbers,
    OverlappingSets,
    SharedSpans,
)
from benchbench.results.ranges import COUNT, COUNT_OR_0, GRADE, Range
from benchbench.tables.labels import Kind
from benchbench.tasks.label_paths import LabelPaths

Gains = Literal["linear", "exp"] | tuple[tuple[float, float], ...]  # or of each grade its gain
Recall = Literal["judged", "collection", "capped"] | int
Value = str | bool | int | float | LabelPaths | tuple[LabelPaths, ...] | tuple[tuple[float, float], ...]

_DISTANCE = Range(0, 1e300, whole=False)
_SHARE = Range(0, 1, whole=False, above=True)


class Sides(Enum):
    """Who has the label that a rule compares."""

    NEITHER = "neither"
    BOTH = "both"
    QUERY = "query"  # hits carry what it is compared with in other labels
    HIT = "hit"


class Parameter(Struct, frozen=True):
    """A parameter of a rule.

    Attributes
    ----------
    type
        What its value is: one of `words`, a number of `range`, true or false, gains, a label of hits, or a list of
        labels. Recall may be a word or a number.
    default
        What holds where it is not given; None: nothing.
    unless
        The parameter beside which there is no default.
    """

    name: str
    type: Literal["word", "number", "flag", "gains", "recall", "label", "labels"]
    meaning: str
    default: Value | None = None
    words: tuple[str, ...] = ()
    range: Range = COUNT
    unless: str = ""
    kind: Kind = Kind.SET  # how the values of a label are compared


class RelevanceRule(Struct, frozen=True):
    """A rule of relevance.

    Attributes
    ----------
    name
        As tasks have it.
    meaning
        When a hit is relevant, in the table of rules.
    counts
        The same on the page of a run, with a place for the name of the label, and one for the `limit` of numbers.
    sought
        What a relevant hit has, in a few words on the page of a run; empty where people judged it.
    comparison
        What is compared; None: judgments say what is relevant.
    sides
        Who has the label.
    kind
        How the values of the label are compared.
    needs
        Parameters of which at least one is given.
    example
        A label, for messages.
    """

    name: str
    meaning: str
    counts: str
    sought: str
    comparison: type[LabelComparison] | None
    parameters: tuple[Parameter, ...]
    sides: Sides = Sides.BOTH
    kind: Kind = Kind.SET
    needs: tuple[str, ...] = ()
    example: str = "meta.brand"

    @property
    def by_name(self) -> Mapping[str, Parameter]:
        """The parameters by their names."""
        return {parameter.name: parameter for parameter in self.parameters}


_JUDGED = Parameter(
    "recall", "recall", '"judged", the relevant documents judged; "capped", these, at most 10; or a number',
    default="judged", words=("judged", "capped"),
)  # fmt: skip
_COUNTED = Parameter(
    "recall", "recall", '"collection", the relevant documents of the collection; "capped", these, at most 10; or a '
    "number; without it, the collection's where there is one, else 10",
    words=("collection", "capped"),
)  # fmt: skip


def _of_hits(name: str, kind: Kind, meaning: str) -> Parameter:
    paths = ((name,), ("meta", name))
    return Parameter(name, "label", meaning, default=LabelPaths((), paths, name=name), kind=kind)


# Unformatted, since one line per argument would make a table of these rows nobody reads.
_ROWS = (
    RelevanceRule(
        "judgments", "it is judged for the query with a grade of at least `rel`",
        "it is judged relevant for the query.", "", None,
        (
            Parameter("by", "word", "whether a hit is a judged document by its text or its id", default="text",
                      words=("text", "id")),
            Parameter("max_positives", "number", "judged documents per query that count, the first ones; 0 for all",
                      default=0, range=COUNT_OR_0),
            Parameter("gains", "gains", "what nDCG gains by a grade: linear, exp, or a table of each grade's",
                      default="linear", words=("linear", "exp")),
            Parameter("rel", "number", "the lowest grade that is relevant", default=1, range=GRADE),
            _JUDGED,
        ),
        Sides.NEITHER,
    ),
    RelevanceRule(
        "equal", "its label equals the query's; a list is a set, a scalar a set of one",
        "it has the same {} as the query.", "the same {}", EqualSets, (_COUNTED,),
    ),
    RelevanceRule(
        "overlap", "the sets share at least `least` members, or their Jaccard is at least `jaccard`",
        "it shares enough of {} with the query.", "enough shared {}", OverlappingSets,
        (
            Parameter("least", "number", "shared members required", default=1, unless="jaccard"),
            Parameter("jaccard", "number", "Jaccard similarity required", range=_SHARE),
            _COUNTED,
        ),
    ),
    RelevanceRule(
        "contains", "its set contains the query's, or lies within it (`within = true`)",
        "its {} contains the query's, or lies within it.", "all of the {}", ContainedSets,
        (Parameter("within", "flag", "whether the hit's set lies within the query's", default=False), _COUNTED),
    ),
    RelevanceRule(
        "within", "its number differs by at most `absolute`, or `relative` of the query's, whichever is larger",
        "its {} differs from the query's by at most {limit}.", "nearly the same {}", NearNumbers,
        (
            Parameter("absolute", "number", "largest difference between the numbers", range=_DISTANCE),
            Parameter("relative", "number", "largest difference as a share of the query's number", range=_DISTANCE),
            Parameter("same", "labels", "further labels that must be equal", default=()),
            Parameter("unless", "labels", "flags: where one is set, only their equality counts", default=(),
                      kind=Kind.FLAG),
            _COUNTED,
        ),
        kind=Kind.NUMBER, needs=("absolute", "relative"), example="meta.price",
    ),
    RelevanceRule(
        "span", "it overlaps a gold span of its file by at least `least` characters",
        "it overlaps a gold span of {}.", "a gold span of {}", SharedSpans,
        (
            Parameter("least", "number", "overlapping characters required", default=1),
            _of_hits("file", Kind.SET, "member of a hit with its file"),
            _of_hits("start", Kind.NUMBER, "member of a hit with its first character, counted from 0"),
            _of_hits("end", Kind.NUMBER, "member of a hit with the position after its last character"),
            _COUNTED,
        ),
        Sides.QUERY, example="meta.spans",
    ),
)  # fmt: skip

RULES: Mapping[str, RelevanceRule] = {rule.name: rule for rule in _ROWS}
