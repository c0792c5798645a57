"""The options that name a data set."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli.parameters import PATH, Choice, Named

if TYPE_CHECKING:
    from benchbench.formats.datasets.data_set import DataSetOptions

_Command = TypeVar("_Command", bound=Callable[..., Any])


def data_set(command: _Command) -> Callable[..., Any]:
    """Add the options that name a data set; the command receives `data`, what they name."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **others: Any) -> Any:
        from benchbench.formats.datasets.locate import located

        return command(*arguments, data=located(named(others)), **others)

    return data_set_options(wrapped)


def data_set_options(command: _Command) -> Callable[..., Any]:
    """Add the same options; the command receives each as it was given."""
    function: Callable[..., Any] = command
    for option in reversed(_DATA_SET_OPTIONS):
        function = option(function)
    return function


def named(given: dict[str, Any]) -> "DataSetOptions":
    """Take the options that name a data set out of those of a command."""
    from dataclasses import fields

    from benchbench.formats.datasets.data_set import DataSetOptions

    return DataSetOptions(**{one.name: given.pop(one.name) for one in fields(DataSetOptions)})


def with_argument(given: "DataSetOptions", argument: str | None, metavar: str = "DATASET") -> "DataSetOptions":
    """Return the options with the data set that an argument names; InputError where --dataset names one too."""
    from dataclasses import replace

    from benchbench.errors import InputError

    if argument is None:
        return given
    if given.dataset is not None:
        raise InputError(f"{metavar} and --dataset both name a data set; give one")
    return replace(given, dataset=argument)


_DATA_SET_OPTIONS = (
    click.option(
        "--dataset",
        type=Named("synthetic-cases"),
        show_default="synthetic-cases",
        help="Data set: a folder or file of any make (docs/datasets.md), a shipped name, or ir_datasets:ID.",
    ),
    click.option(
        "--dataset-format",
        type=Choice(["tiered", "beir", "trec", "parquet", "legalbench-rag", "ir_datasets", "described"]),
        help="Its make.  [default: found out by looking]",
    ),
    click.option("--split", help="Judgments to take, of several.  [default: test, or the only ones]"),
    click.option("--queries", type=PATH, help="Queries or topics: TSV, JSON lines, Parquet, TREC SGML or XML."),
    click.option("--qrels", type=PATH, help="Judgments: TREC, BEIR's TSV, JSON, Parquet."),
    click.option("--collection", type=PATH, help="Documents: JSON lines, TSV, Parquet, TREC documents."),
    click.option("--topic-field", help="Field of topics that is asked, such as title or description."),
)
