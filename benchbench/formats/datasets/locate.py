"""Find out what a data set is, and where its parts are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import TIERED, DataSet, Make
from benchbench.formats.datasets.data_set_options import DEFAULT, DataSetOptions
from benchbench.formats.datasets.description import DESCRIBED
from benchbench.formats.datasets.makes import MAKES, PACKAGE
from benchbench.formats.records import Part
from benchbench.tables.names import IR_DATASETS

_LISTED = 20  # names in a folder that a message has


def shipped() -> Path:
    """Return the folder of the data sets that came with the package (or with its checkout)."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


def shipped_names() -> list[str]:
    """Return the names of the shipped data sets."""
    return sorted(folder.name for folder in shipped().iterdir() if folder.is_dir())


def as_data_set(given: DataSet | Path | str) -> DataSet:
    """Return a data set, or the one that a path or a name stands for; InputError for anything else."""
    return given if isinstance(given, DataSet) else locate(given)


def locate(
    name: Path | str | None = None,
    *,
    dataset_format: str | None = None,
    split: str | None = None,
    queries: Path | str | None = None,
    qrels: Path | str | None = None,
    collection: Path | str | None = None,
    topic_field: str | None = None,
) -> DataSet:
    """Return a data set: what it is, and where its parts are. None of them is read.

    Parameters
    ----------
    name
        A file, a folder, the name of a shipped data set, or `ir_datasets:ID`. Without it `queries` and `qrels` are
        TREC's, and without these it is the default one.
    dataset_format
        The make, one of `formats.datasets.makes.MAKES`, where looking is ambiguous.
    split
        Which of several judgments; `test`, or the only one, by default.
    queries, qrels, collection
        Files that go before those of the data set.
    topic_field
        The field of TREC topics that is asked; their title by default.

    Raises
    ------
    InputError
        Naming what exists, when there is no such data set.
    """
    if not isinstance(name, str | Path | None):
        raise InputError(f"a data set is named by a path or a name such as {DEFAULT!r}, not by {type(name).__name__}")
    return located(
        DataSetOptions(
            None if name is None else str(name),
            dataset_format=dataset_format,
            split=split,
            queries=None if queries is None else Path(queries),
            qrels=None if qrels is None else Path(qrels),
            collection=None if collection is None else Path(collection),
            topic_field=topic_field,
        )
    )


def stored_data_set(options: Mapping[str, Any]) -> DataSet:
    """Return the data set of a result, by the options that its `config.json` has.

    Raises
    ------
    InputError
        When it is not where it was.
    """
    known = DataSetOptions.__dataclass_fields__
    given = {name: value for name, value in options.items() if name in known and isinstance(value, str)}
    make = given.get("dataset_format", TIERED)
    collection = Path(given.get("collection", ""))
    if make != TIERED and not (collection.is_file() or (make == "trec" and collection.is_dir())):
        given.pop("collection", None)  # of the data set itself
    if "dataset" in given and given["dataset"] == given.get("queries"):
        del given["dataset"]  # it was named by its parts
    rest: dict[str, Any] = {name: given.get(name) for name in ("dataset", "split", "topic_field")}
    rest |= {name: Path(given[name]) for name in ("queries", "qrels", "collection") if name in given}
    return located(DataSetOptions(dataset_format=make, **rest))


def located(options: DataSetOptions) -> DataSet:
    """Return the data set of some options, as `locate` does."""
    for part in ("queries", "qrels", "collection"):
        path = getattr(options, part)
        if path is not None and not _exists(path, f"--{part}"):
            raise InputError(f"--{part} {path} does not exist")
    if options.dataset_format is not None and options.dataset_format not in MAKES:
        raise InputError(f"--dataset-format {options.dataset_format} is not one of {', '.join(MAKES)}")
    if options.dataset is None:
        if options.queries or options.qrels or options.dataset_format not in (None, TIERED):
            return make_of(options.dataset_format or "trec").open(options)
        options = replace(options, dataset=DEFAULT)
    name = options.dataset or ""
    if name.startswith(IR_DATASETS):
        if options.dataset_format not in (None, PACKAGE):
            raise InputError(f"--dataset-format {options.dataset_format} has no use with {name}")
        return make_of(PACKAGE).open(options)
    try:
        path = _found(name)
        make = make_of(options.dataset_format) if options.dataset_format else _make(options, path)
        if path.name == DESCRIBED and make.name != "described":
            path = path.parent
        return make.open(replace(options, dataset=str(path)))
    except OSError as error:
        raise InputError(f"--dataset {name}: {error.filename or path} cannot be read: {error.strerror}") from None


def served_part(name: str) -> Part:
    """Return the documents that a name stands for: a file or a folder of shards, or the collection of a data set.

    Raises
    ------
    InputError
        For what is not there, and for a data set without a collection.
    """
    path = Path(name)
    if _exists(path, "COLLECTION") and not (path.is_dir() and any(makes_at(path))) and path.name != DESCRIBED:
        return Part(path)
    if not path.exists() and path.name != name and not name.startswith(IR_DATASETS):
        raise InputError(f"{name} does not exist")
    return located(DataSetOptions(name)).served()


def _make(options: DataSetOptions, path: Path) -> Make:
    """Return the make of what is there."""
    folder = path.parent if path.name == DESCRIBED else path
    found = next(makes_at(folder), None)
    if found is not None:
        return found
    name = f"--dataset {options.dataset}"
    if folder.is_dir() and (options.queries or options.qrels):
        return make_of("trec")
    for above in (folder.parent, folder.parent.parent):
        whole = next((make for make in makes_at(above) if make.name != TIERED), None)
        if whole is not None:
            raise InputError(f"{name} is a part of a {whole.name} data set: give its folder, --dataset {above}")
    if folder.is_dir():
        raise InputError(f"{name}: {_what_is_there(folder)}")
    if not path.is_file():
        raise InputError(f"{name}: {path} is neither a file nor a folder")
    raise InputError(
        f"{name} is one file, but not a tiered one, whose lines have a query and its positives: name the queries with "
        "--queries, the judgments with --qrels and the documents with --collection"
    )


def _what_is_there(folder: Path) -> str:
    there = [
        visible(entry.name) + ("" if entry.exists() else " (a link to nothing)") for entry in sorted(folder.iterdir())
    ]
    has = ", ".join(there[:_LISTED]) + (", …" if len(there) > _LISTED else "")
    looked = "; ".join(f"{name} ({make_of(name).looks_like})" for name in MAKES if name != PACKAGE)
    return (
        f"{folder} is not a data set in a known format. It has {has or 'nothing'}. Looked for: "
        f"{looked}. A dataset.toml in "
        "it says which file is what, or give --queries, --qrels and --collection"
    )


def _found(name: str) -> Path:
    """Return the path of a data set that exists, or of a shipped one."""
    path = Path(name)
    if not _exists(path, "--dataset") and path.name == name and (shipped() / name).is_dir():
        path = shipped() / name
    if not path.exists():
        known = ", ".join(shipped_names())
        raise InputError(f"--dataset {name}: {path} does not exist, and the shipped data sets are: {known}")
    return path


def _exists(path: Path, option: str) -> bool:
    try:
        return path.exists()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{option} {path} cannot be read: {error.strerror}") from None


def make_of(name: str) -> Make:
    """Return the make of a name; what others take is not imported."""
    make: Make = import_module(f"{__name__.rpartition('.')[0]}.{MAKES[name]}").MAKE
    return make


def makes_at(path: Path) -> Iterator[Make]:
    """Yield the makes that a path is, the first before it is known whether others are too."""
    return (make for make in map(make_of, MAKES) if make.is_this(path))
