"""Make a collection of invented criminal cases: any size, from a seed, for examples, tests and benchmarks.

A case tells one or two offences of ``offences.toml`` in the manner of a Chinese indictment, not by their
names. Offences of one family share words, so that a lexical search finds some of the equal cases and not all.
"""

import itertools
import random
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias, TypeVar

from benchbench.prepare.cases import Case
from benchbench.tables.text_files import toml_beside

T = TypeVar("T")
Draw: TypeAlias = Callable[[], float]
Phrases: TypeAlias = tuple[tuple[str, ...], ...]  # ways to say something, each with its variants

_COPIED, _RETOLD, _DOUBLE, _VAGUE = 0.02, 0.04, 0.08, 0.08
_WINDOW = 64
_COPY_TAILS = ("", "", "", "", "\n", "\r\n", "  ")
_GRID: list[int] = [*range(1, 11), 12, 14, 15, 18, 24, 30, 36, 42, 48, 60, 72, 84, 96, *range(120, 241, 12)]
_LONGEST_SENTENCE, _LONGEST_JOINT_SENTENCE = 180, 240
_AIM = (100.0, 158.0)  # the template's length at which telling ends; its text is some 20 characters shorter


class _Level(NamedTuple):
    harm: Phrases
    quantity: tuple[float, float]
    months: tuple[float, float]
    end: str


class _Circumstance(NamedTuple):
    share: float
    factor: float
    texts: Phrases
    otherwise: Phrases


class _Family(NamedTuple):
    words: dict[str, tuple[str, ...]]
    vague: Phrases
    circumstances: tuple[_Circumstance, ...]


class _Offence(NamedTuple):
    name: str
    articles: tuple[tuple[str, ...], ...]
    family: str
    acts: Phrases
    levels: tuple[_Level, ...]
    limit: int


class _Material(NamedTuple):
    names: tuple[str, ...]
    common: dict[str, Phrases]
    families: dict[str, _Family]
    offences: tuple[_Offence, ...]
    partners: dict[str, _Offence]


class _Story(NamedTuple):
    """The template of a case, so that it can be written again with other details."""

    case: Case
    template: str
    slots: dict[str, str]
    level: _Level
    position: float


def generate(cases: int, seed: int) -> Iterator[Case]:
    """Invent criminal cases with their labels, one after the other.

    Parameters
    ----------
    cases : int
        How many; none when 0.
    seed : int
        The same seed gives the same cases on every platform; fewer cases are the beginning of more.

    Yields
    ------
    Case
        With the ids ``s1``, ``s2``, … in order. About 2 in 100 have the text and the labels of a recent case,
        some with white space at the end, and 4 in 100 retell one with other details.
    """
    # Python promises to keep the numbers of random.Random.random() only.
    draw = random.Random(seed).random
    material = _material()
    recent: deque[_Story] = deque(maxlen=_WINDOW)
    for case_id in (f"s{number}" for number in range(1, cases + 1)):
        kind = draw()
        if recent and kind < _COPIED:
            case = _pick(draw, recent).case
            yield case._replace(id=case_id, text=case.text + _pick(draw, _COPY_TAILS))
            continue
        if recent and kind < _COPIED + _RETOLD:
            story = _retell(draw, material, _pick(draw, recent), case_id)
        else:
            story = _tell(draw, material, case_id)
        recent.append(story)
        yield story.case


def _tell(draw: Draw, material: _Material, case_id: str) -> _Story:
    offence = _pick(draw, material.offences)
    family, common = material.families[offence.family], material.common
    level, position = _pick(draw, offence.levels), draw()
    slots = _details(draw, material)
    for word, pool in family.words.items():
        slots[word] = pool[int(len(pool) * draw())]
    slots["quantity"] = _quantity(draw, level, position)
    opening, act = _phrase(draw, common["openings"]), _act(draw, offence, family)
    told = [opening + _phrase(draw, common["skeletons"]).replace("{act}", act), _phrase(draw, level.harm)]
    accusations: tuple[str, ...] = (offence.name,)
    articles, end, limit = _articles(draw, offence), level.end, offence.limit
    months = _between(level.months, position)
    if draw() < _DOUBLE:
        second = material.partners[offence.name]
        other, other_position = _pick(draw, second.levels), draw()
        slots["second"] = _quantity(draw, other, other_position)
        told.append(_phrase(draw, common["again"]).replace("{act}", _act(draw, second, family)))
        told.append(_phrase(draw, other.harm).replace("{quantity}", "{second}"))
        accusations += (second.name,)
        articles = tuple(dict.fromkeys(articles + _articles(draw, second)))
        end, limit = "death" if "death" in (end, other.end) else end or other.end, _LONGEST_JOINT_SENTENCE
        months = 0.85 * (months + _between(other.months, other_position))
    length, aim = sum(map(len, told)), _between(_AIM, draw())
    for share, factor, texts, otherwise in family.circumstances:
        if length >= aim:
            break
        happened = draw() < share
        if happened or otherwise:
            told.append(_phrase(draw, texts if happened else otherwise))
            months *= factor if happened else 1.0
            length += len(told[-1])
    if length < aim:
        told.append(_phrase(draw, common["proof"]))
    template = "。".join(told) + "。"
    given = 0 if end else _on_grid(months * (0.9 + 0.2 * draw()), limit)
    text = template.format_map(slots)
    case = Case(case_id, text, accusations, articles, given, end == "death", end == "life")
    return _Story(case, template, slots, level, position)


def _retell(draw: Draw, material: _Material, story: _Story, case_id: str) -> _Story:
    position = min(1.0, max(0.0, story.position + 0.2 * (draw() - 0.5)))
    fresh = _details(draw, material)
    slots = story.slots | {key: fresh[key] for key in ("name", "when")}
    slots["quantity"] = _quantity(draw, story.level, position)
    text, months = story.template.format_map(slots), story.case.months
    if months and draw() < 0.2:
        months = _on_grid(months * (0.7 + 0.3 * draw()), months)
    case = story.case._replace(id=case_id, text=text, months=months)
    return story._replace(case=case, slots=slots, position=position)


def _act(draw: Draw, offence: _Offence, family: _Family) -> str:
    return _phrase(draw, family.vague if draw() < _VAGUE else offence.acts)


def _articles(draw: Draw, offence: _Offence) -> tuple[str, ...]:
    return offence.articles[0] if draw() < 0.8 else _pick(draw, offence.articles)


def _on_grid(months: float, limit: int) -> int:
    place = bisect_left(_GRID, months, 1, len(_GRID) - 1)
    below, above = _GRID[place - 1 : place + 1]
    return min(below if months - below <= above - months else above, limit)


def _quantity(draw: Draw, level: _Level, position: float) -> str:
    # Squared, since small amounts are usual; a logarithm may be rounded differently by another C library.
    quantity = _between(level.quantity, position * position)
    if isinstance(level.quantity[0], float):
        return f"{quantity:.1f}"
    if quantity >= 10_000 and draw() < 0.4:
        return f"{quantity / 10_000:.1f}万"
    if quantity >= 1_000 and draw() < 0.5:
        return str(int(quantity) // 100 * 100)
    return str(int(quantity))


def _details(draw: Draw, material: _Material) -> dict[str, str]:
    common, names, people = material.common, material.names, len(material.names)
    year, month, day = 2009 + int(9 * draw()), 1 + int(12 * draw()), 1 + int(25 * draw())
    hour = _phrase(draw, common["hours"])
    if "{" in hour:
        hour = hour.format(hour=int(24 * draw()), minute=5 + int(55 * draw()))
    place, road = _phrase(draw, common["places"]), _phrase(draw, common["roads"])
    after = f"同年{month + 1}月" if month < 12 else "次年1月"
    return {
        "name": names[int(people * draw())],
        "partner": names[int(people * draw())],
        "mate": names[int(people * draw())],
        "victim": names[int(people * draw())],
        "witness": names[int(people * draw())],
        "when": f"{year}年{month}月{day}日{hour}",
        "next": f"同月{day + 1 + int(3 * draw())}日",
        "later": f"{after}{1 + int(28 * draw())}日",
        "earlier": str(year - 1 - int(6 * draw())),
        "place": place,
        "area": ("", "本市", "本县", place)[int(4 * draw())] + road,
        "paid": str(1000 * (2 + int(60 * draw() * draw()))),
    }


def _phrase(draw: Draw, ways: Phrases) -> str:
    # The first ways are chosen more often: else too few cases share their words for a search to find any.
    variants = ways[int(len(ways) * draw() * draw())]
    return variants[int(len(variants) * draw())]


def _pick(draw: Draw, pool: Sequence[T]) -> T:
    return pool[int(len(pool) * draw())]


def _between(ends: tuple[float, float], position: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * position


@cache
def _material() -> _Material:
    tables = toml_beside(__file__, "offences.toml")
    common = {key: _variants(ways) for key, ways in tables["common"].items()}
    names = tuple(map("".join, itertools.product(tables["names"]["sur"], tables["names"]["given"])))
    circumstances, families = {}, {}
    for key, row in tables["circumstances"].items():
        texts, otherwise = _variants(row["texts"]), _variants(row.get("otherwise", []))
        circumstances[key] = _Circumstance(row["share"], row["factor"], texts, otherwise)
    for key, row in tables["families"].items():
        words = {word: tuple(pool) for word, pool in row["words"].items()}
        usual = tuple(circumstances[each] for each in row["circumstances"])
        families[key] = _Family(words, _variants(row["vague"]), usual)
    harms = {key: _variants(ways) for key, ways in tables["harms"].items()}
    weighted: list[_Offence] = []
    of_family: dict[str, list[_Offence]] = {key: [] for key in families}
    for row in tables["offences"]:
        levels: list[_Level] = []
        for part in row["levels"]:
            quantity, months = tuple(part["quantity"]), tuple(part["months"])
            levels += [_Level(harms[part["harm"]], quantity, months, part.get("end", ""))] * part["share"]
        articles, limit = tuple(map(tuple, row["articles"])), row.get("limit", _LONGEST_SENTENCE)
        offence = _Offence(row["name"], articles, row["family"], _variants(row["acts"]), tuple(levels), limit)
        weighted += [offence] * row["weight"]
        of_family[offence.family].append(offence)
    # One partner per family, so that each pair is frequent enough to be found again.
    partners = {one.name: group[one is group[0]] for group in of_family.values() for one in group}
    return _Material(names, common, families, tuple(weighted), partners)


def _variants(ways: Sequence[str]) -> Phrases:
    """Write out every choice ``(a|b)`` of each way to say something."""
    split = ([part.split("|") for part in re.split(r"[()]", way)] for way in ways)
    return tuple(tuple(map("".join, itertools.product(*parts))) for parts in split)
