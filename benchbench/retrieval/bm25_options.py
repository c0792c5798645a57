"""Options of the embedded retriever."""

from dataclasses import dataclass
from typing import Annotated, Literal

from benchbench.errors import InputError
from benchbench.results.ranges import Range
from benchbench.results.settings import ADVANCED, Opt, check_described, described, in_section

AnalysisName = Literal["auto", "english", "words"]
K1, B = Range(0, 1_000, whole=False), Range(0, 1, whole=False)


@in_section(ADVANCED)
@described
@dataclass(frozen=True, slots=True)
class BM25Options:
    """What the embedded retriever makes of texts, and the parameters of its formula."""

    analysis: Annotated[
        AnalysisName,
        Opt("Words of our BM25."),
    ] = "auto"
    k1: Annotated[float | None, Opt("k1 of the embedded BM25.", K1, default="english 0.9, words 1.2")] = None
    b: Annotated[float | None, Opt("b of the embedded BM25.", B, default="english 0.4, words 0.75")] = None

    def __post_init__(self) -> None:
        """Refuse what is no analysis and no parameter."""
        check_described(self)

    def arguments(self) -> list[str]:
        """Return the options as `benchbench serve` takes them."""
        given = {"--analysis": self.analysis, "--k1": self.k1, "--b": self.b}
        return [part for name, value in given.items() if value is not None for part in (name, str(value))]

    def shown(self) -> dict[str, str | float | None]:
        """Return the options as JSON values."""
        return {"analysis": self.analysis, "k1": self.k1, "b": self.b}

    def check_used(self, embedded: bool) -> None:
        """Raise InputError when there are options, and no embedded retriever to have them."""
        if not embedded and self != BM25Options():
            raise InputError(
                "--analysis, --k1 and --b are options of the embedded BM25, which is not started here; leave them out"
            )
