"""A task as a value, and its text: `price=within(meta.price, relative=0.2)`."""

from typing import Any, cast

from msgspec import Struct

from benchbench.tasks.label_paths import LabelPaths
from benchbench.tasks.rules import RULES, Gains, Recall, Value
from benchbench.tasks.toml_text import printed


class Task(Struct, frozen=True):
    """What makes a hit relevant; `reading.read_task` makes valid ones.

    Attributes
    ----------
    name
        What its measures are listed under.
    rule
        The name of its rule, which says how a hit is compared.
    label
        What is compared; None for judgments.
    given
        Parameters with their values, in the order of their rule, without those at their default.
    """

    name: str
    rule: str
    label: LabelPaths | None = None
    given: tuple[tuple[str, Value], ...] = ()

    def __getitem__(self, name: str) -> Value | None:
        """Return the value of a parameter of the rule: as given, else its default, which may be none."""
        given, parameter = dict(self.given), RULES[self.rule].by_name[name]
        return given.get(name, None if parameter.unless in given else parameter.default)

    @property
    def judged(self) -> bool:
        """Whether judgments say what is relevant."""
        return RULES[self.rule].comparison is None

    @property
    def recall(self) -> Recall | None:
        """What recall divides by; None: the relevant documents of the collection where there is one, else 10."""
        return cast("Recall | None", self["recall"])

    @property
    def gains(self) -> Gains:
        """What nDCG gains by a grade; 1 by every relevant hit where there are no judgments."""
        return cast("Gains", self["gains"] if self.judged else "linear")

    @property
    def rel(self) -> float:
        """The lowest grade that is relevant; 1 where there are no judgments, whose relevant hits have grade 1."""
        return float(cast("float", self["rel"])) if self.judged else 1.0

    def __str__(self) -> str:
        values = [] if self.label is None else [_first(self.label)]
        values += [f"{name}={printed(_plain(value))}" for name, value in self.given]
        return f"{self.name}={self.rule}({', '.join(values)})"


def _first(label: LabelPaths) -> str:
    """Return a label as it stands first between the parentheses: a single path without quotes around it."""
    return label.value if isinstance(label.value, str) else printed(label.value)


def _plain(value: Any) -> Any:
    """Return a parameter as a TOML value."""
    if isinstance(value, LabelPaths):
        return value.value
    if not isinstance(value, tuple):
        return value
    if value and isinstance(value[0], tuple):
        return {str(grade): gain for grade, gain in value}
    return [one.value for one in value]
