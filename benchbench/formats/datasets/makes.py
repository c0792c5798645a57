"""The makes of data sets, the only list of them: a make is a module of this folder with a `MAKE`, and a line here."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchbench.tables.names import IR_DATASETS

if TYPE_CHECKING:
    from benchbench.formats.datasets.data_set import Make  # which a command's help needs not

PACKAGE = IR_DATASETS.removesuffix(":")  # its data sets are no paths
MAKES = {  # make -> its module, in the order in which they are asked whether a path is theirs
    "described": "described",
    "tiered": "tiered",
    "beir": "beir",
    "parquet": "parquet_folders",
    "legalbench-rag": "legalbench_rag",
    "trec": "trec",
    PACKAGE: "package",
}


def make_of(name: str) -> "Make":
    """Return the make of a name; what others take is not imported."""
    make: Make = import_module(f"{__name__.rpartition('.')[0]}.{MAKES[name]}").MAKE
    return make


def makes_at(path: Path) -> Iterator["Make"]:
    """Yield the makes that a path is, the first before it is known whether others are too."""
    return (make for make in map(make_of, MAKES) if make.is_this(path))
