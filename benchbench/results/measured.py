"""What every measurement has: a record, details and tables."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from benchbench.errors import InputError, visible
from benchbench.results.figures import estimate, rounded

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from benchbench.results.checks import Refusals
    from benchbench.results.old_names import Old
    from benchbench.results.record import GateResult, Number, Record, Setting

_JUDGED_IN = {  # kind -> module whose `refused` takes a result of it; it is imported for gates and assertions only
    "judge": "benchbench.judging.judge_result",
    "nuggets": "benchbench.judging.nuggets.nuggets_result",
    "evaluate": "benchbench.evaluation.evaluation_result",
}
_SHOWN = 6  # numbers in a `repr`
_Kind = TypeVar("_Kind")


class Measured:
    """A record, with details and tables where its kind has them.

    Attributes
    ----------
    record
        Everything that is shown, stored, gated or compared (`results.record.Record`), made when it is first asked for.
    """

    kind: ClassVar[str] = ""  # names the layout that draws it
    read_from: "Path | None" = None  # the folder, of one that was read
    decides: ClassVar[bool] = True  # the record may have gates of the measurement's own
    old_names: "ClassVar[Sequence[Old | str]]" = ()  # where its numbers stand in JSON, if they are not in the details

    _lines_are: ClassVar[str] = "numbers"  # in `repr`

    def to_record(self) -> "Record":
        """Return the record."""
        raise NotImplementedError

    def details(self) -> Any:
        """Return what `--format json` and `summary.json` have that the record has not: a dataclass, or JSON values."""
        return {}

    def json_members(self) -> dict[str, Any]:
        """Return the members of `--format json` and `summary.json` beside the record, as JSON values."""
        from benchbench.results.record import plain

        details: dict[str, Any] = plain(self.details())
        if not self.old_names:
            return details
        from benchbench.results.old_names import Part, written

        return written(self.old_names, Part(self.record), details)

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return a function per table, by name."""
        return {}

    def parts(self) -> "Mapping[str, Measured]":
        """Return the results that have a folder of their own within that of this one, by name."""
        return {}

    def refusals(self) -> "Refusals":
        """Return the numbers that no gate may go by, also of a result that was read back.

        Raises
        ------
        InputError
            When its details are damaged.
        """
        module = _JUDGED_IN.get(self.record.kind)
        refused: Refusals = {} if module is None else import_module(module).refused(self)
        return refused

    @cached_property
    def record(self) -> "Record":
        """The record; it keeps its id."""
        return self._completed(self.to_record())

    def details_as(self, kind: type[_Kind]) -> _Kind:
        """Return the details as the type that a layout draws.

        Raises
        ------
        InputError
            When they were read from a file and are not of that type.
        """
        details = self.details()
        if isinstance(details, kind):
            return details
        from benchbench.results.record import converted

        return converted(details, kind, self._place("summary.json"))

    def settings_as(self, kind: type[_Kind]) -> _Kind:
        """Return the settings as the type that a layout draws; InputError when they are not of it."""
        from benchbench.results.record import converted

        values = {name: setting.value for name, setting in self.record.settings.items()}
        return converted(values, kind, self._place("record.json"))

    def table(self, name: str, columns: list[str] | None = None) -> "pl.DataFrame":
        """Return a table, or columns of it; InputError where there is none of that name."""
        tables = self.tables()
        if name not in tables:
            raise InputError(f"{self._place()} has no table {name}; it has {', '.join(tables) or 'none'}")
        return tables[name]() if columns is None else tables[name]().select(columns)

    def numbers(self) -> "pl.DataFrame":
        """Return the numbers of the record, one per row: scope, name, value, interval, unit."""
        import polars as pl

        numbers = self.record.numbers
        floats = dict.fromkeys(("value", "low", "high", "stderr"), pl.Float64)
        members = {"name": pl.String, **floats, "n": pl.Int64, "unit": pl.String}
        keys = list(dict.fromkeys(key for number in numbers for key in number.scope if key not in members))
        rows = [[*map(number.scope.get, keys), *(getattr(number, name) for name in members)] for number in numbers]
        return pl.DataFrame(rows, {**dict.fromkeys(keys, pl.String), **members}, orient="row", strict=False)

    def describe(self, **known: Any) -> None:
        """Add to the record what the measurement itself does not know.

        Parameters
        ----------
        known
            `name` of the result; `tags`; `options`, values of options that the measurement does not take itself;
            `given`, of each option of a command its other name and its value, for those that the record does not have;
            `sources`, where the value of each option came from; `gates`, their results.
        """
        self.__dict__.setdefault("_known", {}).update(known)
        if "record" in self.__dict__:
            self.__dict__["record"] = self._completed(self.record)

    def decided(self) -> "list[GateResult]":
        """Return the results of gates: those of the measurement, or those that it was described with."""
        if self.decides or "record" in self.__dict__:
            return self.record.gates
        gates: list[GateResult] = self.__dict__.get("_known", {}).get("gates", [])
        return gates

    def _completed(self, record: "Record") -> "Record":
        import msgspec

        from benchbench.results.record import Setting, settings_of

        known = self.__dict__.get("_known", {})
        sources = known.get("sources", {})
        told = settings_of(known.get("options", {}))
        present = {**record.settings, **told}
        have = {
            *present,
            *(name for entry in present.values() if isinstance(entry.value, dict) for name in entry.value),
        }
        given = {
            option: Setting(value=value)
            for option, (other, value) in known.get("given", {}).items()
            if have.isdisjoint((option, other))
        }
        settings = {
            option: Setting(value=setting.value, source=_source(option, setting, sources))
            for option, setting in {**present, **given}.items()
        }
        return msgspec.structs.replace(
            record,
            name=known.get("name") or record.name,
            tags={**record.tags, **known.get("tags", {})},
            settings=settings,
            gates=known.get("gates", record.gates),
        )

    def _place(self, file: str = "") -> str:
        """Return what a message calls this result, or a file of its folder."""
        return f"this result of kind {self.kind or self.record.kind}"

    def __repr__(self) -> str:
        """Show what was measured and the first numbers, in at most ten lines."""
        record = self.record
        queries = "" if record.data.queries is None else f", {record.data.queries:,} queries"
        broken = next((f": {visible(gate.said, 200)}" for gate in record.gates if gate.verdict == "broken"), "")
        lines = [f"<{visible(record.kind, 60)} {visible(record.name, 60)!r}{queries}, {record.status}{broken}>"]
        shown = self._lines()
        lines += [f"  {line}" for line in shown[:_SHOWN]]
        more = len(shown) - _SHOWN
        lines += [f"  … and {more:,} more {self._lines_are} (.numbers())"] if more > 0 else []
        failed = [gate.said for gate in record.gates if gate.verdict == "failed"]
        lines += [f"  {visible(failed[0], 200)}"] if failed else []
        return "\n".join(lines)

    def _lines(self) -> list[str]:
        """Return the lines of `repr` below the first: the numbers, and last what a step of a load test was set to."""
        numbers = sorted(self.record.numbers, key=lambda number: "step" in number.scope and number.better is None)
        return [_line(number) for number in numbers]


def _source(option: str, setting: "Setting", sources: Mapping[str, str]) -> str:
    """Return where a setting came from; of one whose members are options, where the first came from that was given."""
    if option in sources:
        return sources[option]
    members = setting.value if isinstance(setting.value, dict) else ()
    return next((sources[name] for name in members if sources.get(name, "default") != "default"), setting.source)


def _line(number: "Number") -> str:
    scope = dict(number.scope)
    pair = f"{scope.pop('system')} against {scope.pop('baseline')}: " if scope.keys() >= {"system", "baseline"} else ""
    name = pair + ".".join([*scope.values(), number.name])
    return visible(f"{name} {estimate(number.value, number.low, number.high, 6, rounded)} {number.unit}".rstrip())
