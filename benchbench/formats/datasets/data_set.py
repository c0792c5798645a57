"""What a data set is: where its parts are, and what it says of itself."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.records import Part

TIERED, COLLECTION = "tiered", "collection.jsonl"
IdentityRule = Literal["text", "id"]


@dataclass(frozen=True, slots=True, repr=False)
class DataSet:
    """A data set, as `locate` finds it. Nothing of its parts has been read.

    Attributes
    ----------
    make
        What kind it is, as `--dataset-format` says it.
    options
        How it was named.
    queries
        Its queries; those of a tiered data set have their positives with them.
    qrels
        Its judgments, in one file or several; none where they are with the queries, or where there are none.
    collection
        Its documents; None where there are none.
    card
        What the data set says of itself; empty where it says nothing.
    cluster
        The column of the queries that says which belong together, such as those of one document; None where all stand
        alone.
    described
        The tables of its `dataset.toml`; empty where there is none.
    description
        Where `dataset.toml` is, or would be.
    self_by
        What makes a hit the query itself where nobody says it.
    ids_shared
        Whether a query with the id of a document is that document.
    split, splits
        The judgments taken, and all that there are; empty where there are no splits.
    """

    make: str
    options: DataSetOptions
    queries: Part
    qrels: tuple[Part, ...] = ()
    collection: Part | None = None
    _: KW_ONLY
    card: Mapping[str, Any] = field(default_factory=dict)
    cluster: str | None = None
    described: Mapping[str, Any] = field(default_factory=dict)
    description: Path = Path("dataset.toml")
    self_by: IdentityRule = "text"
    ids_shared: bool = False
    split: str = ""
    splits: tuple[str, ...] = ()

    def __repr__(self) -> str:
        judged = f", {len(self.qrels)} of judgments" if len(self.qrels) > 1 else ", judgments" if self.qrels else ""
        parts = f"queries{judged}{'' if self.collection is None else ', collection'}"
        split = f", split {self.split}" if self.split else ""
        return f"<DataSet {self.name} ({self.make}): {parts}{split}>"

    @property
    def name(self) -> str:
        """What results call it: the file of a tiered data set, else as it was named."""
        return str(self.queries.path) if self.make == TIERED else self.options.dataset or str(self.queries.path)

    def shown(self) -> dict[str, Any]:
        """Return the options that name it as JSON values, of `dataset` and `collection` also what was found."""
        known = {name: value for name, value in self.options.given().items() if name not in ("dataset", "collection")}
        if self.make != TIERED:
            known["dataset_format"] = self.make
        collection = None if self.collection is None else str(self.collection.path)
        return {**known, "dataset": self.name, "collection": collection}

    def served(self) -> Part:
        """Return the collection, to be served where no service is named; InputError when there is none."""
        if self.collection is None:
            what = f"{COLLECTION} beside it" if self.make == TIERED else "collection"
            raise InputError(f"{self.name} has no {what} to serve: give --collection FILE, or --url of a service")
        return self.collection

    def serving(self) -> list[str]:
        """Return the arguments of `benchbench serve` that serve the collection; InputError when there is none."""
        part = self.served()
        if part.generated is not None or part.members or part.format:
            return self.options.arguments()
        return [f"./{part.path}" if str(part.path).startswith("-") else str(part.path)]


class Make(NamedTuple):
    """A make of data set: how it is recognised, and where its parts are.

    Attributes
    ----------
    name
        As `--dataset-format` says it.
    looks_like
        What lies there, as a part of a sentence.
    is_this
        Says whether a path is one.
    open
        Returns the data set of some options; `dataset` is a path there, or None where the make needs none.
    """

    name: str
    looks_like: str
    is_this: Callable[[Path], bool]
    open: Callable[[DataSetOptions], DataSet]
