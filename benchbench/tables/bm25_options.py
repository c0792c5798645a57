"""Options of the embedded retriever."""

from dataclasses import dataclass
from typing import Literal, get_args

from benchbench.errors import InputError, visible
from benchbench.tables.numbers import Range

AnalysisName = Literal["auto", "english", "words"]
ANALYSES: tuple[AnalysisName, ...] = get_args(AnalysisName)
K1, B = Range(0, 1_000, whole=False), Range(0, 1, whole=False)


@dataclass(frozen=True, slots=True)
class BM25Options:
    """What the embedded retriever makes of texts, and the parameters of its formula.

    Attributes
    ----------
    analysis
        `english`: stems, without stop words; `words`: words as they are, and bigrams of Chinese, Japanese and Korean;
        `auto`: what the documents are written in decides. (`--analysis`)
    k1, b
        Parameters of BM25; those of the analysis by default. (`--k1`, `--b`)
    """

    analysis: AnalysisName = "auto"
    k1: float | None = None
    b: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no analysis and no parameter."""
        if self.analysis not in ANALYSES:
            raise InputError(f"--analysis is {', '.join(ANALYSES[:-1])} or words, not {visible(str(self.analysis))}")
        for name, allowed in (("k1", K1), ("b", B)):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else float(allowed.take(value, f"--{name}")))

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
