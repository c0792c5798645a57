"""How a score is made of the values of a verdict: by us, so that no judge has to count or divide."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from benchbench.results.declared import Texts

Amount = Annotated[float, Meta(gt=-(2**53), lt=2**53, description="a number between -2^53 and 2^53")]
Worth = Annotated[dict[str, Amount], Meta(description="a table of numbers by words")]
Each = Literal["", "relations", "nuggets"]
Score = tuple[float, Mapping[str, float]]  # with the parts by name

NOTHING = "nothing to score"


class NoScoreError(Exception):
    """The values fit the schema, and yet no score can be made of them; the message is the plain reason."""


class Member(Struct, frozen=True, tag_field="rule", tag="member", forbid_unknown_fields=True):
    """The score is a number that the judge gives; so are the parts, or they are what a word is worth."""

    member: str
    parts: Texts = ()
    worth: Worth = {}  # of the words of parts that are no numbers

    @property
    def members(self) -> tuple[str, ...]:
        """Members of the verdict that are looked at."""
        return (self.member, *self.parts)

    def score(self, values: Mapping[str, Any], fields: Mapping[str, Any]) -> Score:
        """Return the number, and the parts."""
        return _number(values[self.member], self.worth), {
            part: _number(values[part], self.worth) for part in self.parts
        }


class Mean(Struct, frozen=True, tag_field="rule", tag="mean", forbid_unknown_fields=True):
    """The score is the mean of numbers that the judge gives, which are the parts."""

    of: Texts

    @property
    def members(self) -> tuple[str, ...]:
        """Members of the verdict that are looked at."""
        return self.of

    def score(self, values: Mapping[str, Any], fields: Mapping[str, Any]) -> Score:
        """Return the mean, and each of the numbers."""
        parts = {member: _number(values[member], {}) for member in self.of}
        return sum(parts.values()) / len(parts), parts


class Share(Struct, frozen=True, tag_field="rule", tag="share", forbid_unknown_fields=True):
    """The score is the mean worth of the entries of a list; the parts are how many there are, in all and of each word.

    With `each`, the entries are about the numbered entries of a field of the item, exactly one about every one.
    """

    list: str
    member: str
    worth: Worth = field(default_factory=lambda: {"true": 1.0, "false": 0.0})  # by word; these are those of a boolean
    each: Each = ""
    number: str = ""

    @property
    def members(self) -> tuple[str, ...]:
        """Members of the verdict that are looked at."""
        return (self.list,)

    def score(self, values: Mapping[str, Any], fields: Mapping[str, Any]) -> Score:
        """Return the mean worth, the number of entries, and how many there are of each word."""
        entries = values[self.list]
        if self.each:
            _check_each([entry[self.number] for entry in entries], self.each, fields)
        if not entries:
            raise NoScoreError(f"{NOTHING}: {self.list} is empty")
        kinds = [spelled(entry[self.member]) for entry in entries]
        counts = (
            {self.member: "true"} if self.worth.keys() == {"true", "false"} else {word: word for word in self.worth}
        )
        parts = {self.list: len(entries), **{name: kinds.count(word) for name, word in counts.items()}}
        return sum(self.worth[kind] for kind in kinds) / len(kinds), parts


class Found(Struct, frozen=True, tag_field="rule", tag="found", forbid_unknown_fields=True):
    """The score is what was found over all that was found, missed or said wrongly; the parts are how many of each.

    With `each`, what was found or missed are numbers of the entries of a field of the item, every one exactly once.
    """

    found: str
    missed: str
    wrong: str
    each: Each = ""

    @property
    def members(self) -> tuple[str, ...]:
        """Members of the verdict that are looked at."""
        return self.found, self.missed, self.wrong

    def score(self, values: Mapping[str, Any], fields: Mapping[str, Any]) -> Score:
        """Return the share, and the three counts."""
        if self.each:
            _check_each([*values[self.found], *values[self.missed]], self.each, fields)
        parts = {member: float(len(values[member])) for member in self.members}
        total = sum(parts.values())
        if not total:
            raise NoScoreError(f"{NOTHING}: {', '.join(self.members)} are empty")
        return parts[self.found] / total, parts


# Makes the score and its parts of the values of a verdict that fits its schema
ScoreRule = Member | Mean | Share | Found


def _number(value: Any, worth: Mapping[str, float]) -> float:
    word = spelled(value)
    if word in worth:
        return worth[word]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoScoreError("what should be a number is none")
    return float(value)


def spelled(value: Any) -> Any:
    """Return a value of a verdict as `worth` names it: a boolean as a word."""
    return ("false", "true")[value] if isinstance(value, bool) else value


def _check_each(numbers: Sequence[Any], each: str, fields: Mapping[str, Any]) -> None:
    if sorted(numbers) != list(range(1, len(fields[each]) + 1)):
        raise NoScoreError(f"does not take each of the {each} exactly once")
