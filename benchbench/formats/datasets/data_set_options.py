"""How a data set is named, as on the command line."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchbench.errors import InputError
from benchbench.formats.datasets.makes import MAKES
from benchbench.results.settings import DATA, Opt, in_section

if TYPE_CHECKING:
    from benchbench.formats.records import Part

DEFAULT = "synthetic-cases"
_FIELDS = {"description": ("description", "desc"), "narrative": ("narrative", "narr")}  # as TREC's topics have them


@in_section(DATA)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DataSetOptions:
    """How a data set is named."""

    dataset: Annotated[
        str | None,
        Opt(
            "A folder, a name, or ir_datasets:ID.",
            default=f"({DEFAULT})",
            completed=(DEFAULT,),
        ),
    ] = field(default=None, kw_only=False)
    dataset_format: Annotated[str | None, Opt("Format: beir, trec, parquet, ….", tuple(MAKES), default="detected")] = (
        None
    )
    split: Annotated[str | None, Opt("Judgments to use.", default="test")] = None
    queries: Annotated[Path | None, Opt("Queries: TSV, JSONL, Parquet, or TREC topics.")] = None
    qrels: Annotated[Path | None, Opt("Judgments: TREC, BEIR's TSV, JSON, Parquet.")] = None
    collection: Annotated[Path | None, Opt("Documents: JSONL, TSV, Parquet, or TREC.")] = None
    topic_field: Annotated[str | None, Opt("Field of topics that is sent, such as title.")] = None

    def given(self) -> dict[str, str]:
        """Return what was named, by the names of the fields."""
        values = ((option.name, getattr(self, option.name)) for option in fields(self))
        return {name: str(value) for name, value in values if value is not None}

    def arguments(self) -> list[str]:
        """Return the same as arguments of a command."""
        return [f"--{name.replace('_', '-')}={value}" for name, value in self.given().items()]

    def asked(self, queries: Path) -> "Part":
        """Return queries whose text is the field that is asked, where one is named."""
        from benchbench.formats.records import Part  # which a command's help needs not

        names = _FIELDS.get(self.topic_field or "", (self.topic_field or "",))
        return Part(queries, {"text": names} if self.topic_field else {})

    def folder(self, make: str) -> Path:
        """Return the path of `dataset`; InputError when a make that needs one was named without it."""
        if self.dataset is None:
            raise InputError(f"--dataset-format {make} needs the folder of the data set: give it with --dataset")
        return Path(self.dataset)

    def refuse(self, make: str, why: str, *names: str) -> None:
        """Raise InputError when one of some options is given, which a make has no use for."""
        for name in names:
            if getattr(self, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} has no use with {make}, {why}")

    @property
    def name(self) -> str:
        """What a message calls it."""
        return " ".join(self.arguments()) or DEFAULT
