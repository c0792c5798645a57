"""The blocks of the pages of answers and passages, besides those of all pages.

A mark in a text is `matched`, `wrong`, `missed`, `unexpected` or `gold`; a piece without one is plain. A state is
`right`, `partial` or `wrong`, a band is `good`, `acceptable` or `poor`. Shares are from 0 to 1.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple


class Box(NamedTuple):
    """An answer and its state or band, or else its share of the scale, None without a score; it leads to the answer."""

    number: int
    state: str
    hint: str
    share: float | None = None


class MetricRow(NamedTuple):
    """A metric: its mean on the scale of its bands, and each answer, or how many answers have each state.

    Attributes
    ----------
    title, subtitle
        Of the metric.
    value, interval
        The mean and its interval as texts; empty where nothing was expected, and `subtitle` says why.
    band, doubt
        Of the mean, and which others the interval reaches.
    mean, low, high
        Places on the scale; None where there are none.
    zones
        Where the acceptable and the good means begin, each a place and a number; none without bands.
    boxes
        Of the answers, worst first; none where they are too many.
    stack
        Answers that are wrong, partial and right.
    """

    title: str
    subtitle: str
    value: str = ""
    band: str = ""
    doubt: str = ""
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    zones: Sequence[tuple[float, str]] = ()
    boxes: Sequence[Box] = ()
    stack: tuple[int, int, int] = (0, 0, 0)
    interval: str = ""


class MetricRows(NamedTuple):
    """The metrics, worst first; below them what the scale means, and further numbers, each with its words."""

    rows: Sequence[MetricRow]
    note: str
    figures: Sequence[tuple[str, str]] = ()
    heads: tuple[str, str, str] = (
        "Metric, worst band first",
        "Each answer",
        "Mean of each metric where something was expected",
    )
    ends: tuple[str, str] = ("0", "1")  # of the scale


class HeatCell(NamedTuple):
    """A mean; `over` says of how many answers, if not of all of the row; means of few answers have no colour."""

    value: str
    band: str
    over: str
    few: bool
    hint: str


class HeatRow(NamedTuple):
    """A group of answers; its button filters the list by a column, `source_type` or `category`."""

    name: str
    column: str
    answers: int
    cells: Sequence[HeatCell]


class HeatTable(NamedTuple):
    """Means of metrics by groups of answers: long and short heads, and rows by kind of group."""

    heads: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, Sequence[HeatRow]]]


class CrossedCell(NamedTuple):
    """A count, its share of the row from 0 to 1, and whether both gave the same grade."""

    pairs: str
    share: float
    same: bool
    hint: str


class CrossedTable(NamedTuple):
    """Grades of one beside those of another: a row per grade of the first, a column per grade of the second."""

    rows_are: str
    columns_are: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[CrossedCell]]]


class Filter(NamedTuple):
    """A button that shows the entries with a key."""

    key: str
    symbol: str
    text: str
    entries: int


class Piece(NamedTuple):
    """A part of a text, with its mark; `ends` where the mark ends and shows its symbol."""

    text: str
    mark: str = ""
    ends: bool = False


class CardFault(NamedTuple):
    """A fault in words, by its mark."""

    mark: str
    text: str


class CardText(NamedTuple):
    """A text with a label: a retrieved passage with its rank, a gold passage that was not found, a verdict."""

    rank: str
    tone: Literal["", "good", "acceptable", "bad"]
    label: str
    place: str
    text: Sequence[Piece]
    lang: str


class Further(NamedTuple):
    """What a summary line of a card opens, such as contexts and verdicts."""

    title: str
    entries: Sequence[CardText]


class AnswerCard(NamedTuple):
    """An answer beside its truth, with faults, scores and groups; `failure` is why there is no answer."""

    number: int
    question: str
    keys: Sequence[str]
    source_type: str
    category: str
    faults: Sequence[CardFault]
    answer: Sequence[Piece]
    truth: Sequence[Piece]
    failure: str
    cut: Sequence[str]  # what was left out of the answer, and of the truth
    scores: Sequence[tuple[str, str]]
    langs: tuple[str, str, str]  # of question, answer and truth; empty where unknown
    titles: tuple[str, str] = ("Answer", "Reference answer")  # of the two texts
    faultless: str = "no fault"  # what is said where there are no faults; empty: nothing
    verdicts: Sequence[Sequence[str]] = ()  # rows of a table: rubric, score and reason; or what `heads` say
    heads: Sequence[str] = ()
    further: Sequence[Further] = ()


class AnswerList(NamedTuple):
    """Answers, worst first, with the marks in them; all stand in the page, and its script shows some at a time."""

    filters: Sequence[Filter]
    cards: Sequence[AnswerCard]
    marks: Sequence[tuple[str, str]]
    noun: str
    total: int
    notes: Sequence[str] = ()


class FunnelStep(NamedTuple):
    """How many queries reach a step."""

    name: str
    subtitle: str
    reached: str
    share: str
    width: float


class Funnel(NamedTuple):
    """Steps, each a part of the one before."""

    title: str
    steps: Sequence[FunnelStep]


class MeanRow(NamedTuple):
    """A measure with its mean and interval, in percent of the scale; rows of one name that follow are its series."""

    name: str
    subtitle: str
    value: str
    mean: float
    low: float | None
    high: float | None
    hint: str
    series: str = ""


class Means(NamedTuple):
    """Measures on one scale, with ticks at places in percent."""

    rows: Sequence[MeanRow]
    ticks: Sequence[tuple[float, str]] = ()
    caption: str = ""  # of none what the rows show


class Span(NamedTuple):
    """A passage on a ruler, in percent of its length; gold ones have no rank."""

    left: float
    width: float
    rank: int | None = None
    touches: bool = False
    label: Literal["", "above", "below"] = ""  # where its rank stands; nowhere where there is no room


class Ruler(NamedTuple):
    """A text from its beginning to its end, with gold and retrieved passages."""

    name: str
    hint: str
    spans: Sequence[Span]


class PassageCard(NamedTuple):
    """A query with the rulers of its texts and the passages to read."""

    number: int
    query: str
    key: str
    symbol: str
    stage: str
    facts: Sequence[str]
    rulers: Sequence[Ruler]
    entries: Sequence[CardText]
    lang: str


class PassageList(NamedTuple):
    """Queries, nearest misses first; all of them stand in the page, and its script shows some at a time."""

    filters: Sequence[Filter]
    cards: Sequence[PassageCard]
    noun: str
    total: int
    notes: Sequence[str] = ()


CardBlock = MetricRows | HeatTable | CrossedTable | AnswerList | Funnel | Means | PassageList
