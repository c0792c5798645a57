"""Provisions of the law of England and Wales: rules, practice directions, guides, Acts, instruments, annexes."""

import re
from typing import NamedTuple

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.series import Member, Path
from benchbench.answers.citations.uk_forms import SPACED_TWO, likely, members, opener_at
from benchbench.answers.citations.uk_guides import GUIDE, guide
from benchbench.answers.citations.uk_titles import Title, titles

_OF = re.compile(
    r",?\s{1,2}(?P<word>of|to|in|under)\s{1,2}(?:(?P<the>[Tt]he|[Tt]hat|[Tt]his|[Tt]hese|[Tt]hose|an?)\s{1,2})?"
)
_BESIDE = re.compile(r"(,)?\s[ ]?\(?")  # section 33 Limitation Act 1980; section 33 (Limitation Act 1980)
_SCHEDULE = re.compile(r"(?:Schedule|Sch\.?)\s{1,2}(\d{1,2}[A-Z]{0,2})\b")
_DIRECTION = re.compile(
    r"(?:CPR\s{1,2})?(?:[Pp]ractice\s[Dd]irection|PD)\s{0,2}(\d{1,3}(?:[A-Z]{1,3}\d?|" + SPACED_TWO + r"))\b(?!\.\d)"
)
_GUIDE = re.compile(GUIDE)
_SHORT = re.compile(
    r"(?:(?P<year>\d{4})\s{1,2})?(?P<word>Act|Regulations|Rules|Order|CPR|FPR|CrimPR|Practice\s[Dd]irection|PD|Guide)(?!\w)(?!\s\d)"
)
_AT = re.compile(r"(?:\s{1,2}\(as\samended\)|\s{1,2}\(?20\d\d\)?(?!\d))?,?\s{1,2}(?:at\s{1,2})?")
_POINT = re.compile(r"([A-Z]\.?\d{1,2}(?:\.\d{1,3}){0,3}|\d{1,3}(?:\.\d{1,3}){1,3})(?!\w)")
_RULE_OF_ORDER = re.compile(r",?\s{1,2}(?:[Rr]ules?|rr?\.?)\s{0,2}(\d{1,3}[A-Z]{0,2})((?:\(\w{1,3}\)){0,4})")


class _Source(NamedTuple):
    """The source of a provision; kind "" is something that is no law, such as "this Guide" of a contract."""

    kind: str
    name: str
    path: Path
    end: int


class _Walk:
    """One pass over a text, which remembers the Act, instrument, direction and guide named last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.titles = titles(text)
        self.at = {title.start: title for title in self.titles}
        self.named = {" ".join(title.name.split()[-2:]): title.name for title in self.titles}  # Act 1980 -> its title
        self.found: list[Citation] = []
        self.last: dict[str, str] = {}

    def walk(self) -> list[Citation]:
        position, coming = 0, iter([*self.titles, Title("", "", len(self.text) + 1, 0)])
        title = next(coming)
        for at in likely(self.text):
            if at < position or (opener := opener_at(self.text, at)) is None:
                continue
            while title.start <= at:
                if title.start >= position:
                    position = self.title(title)
                title = next(coming)
            if at >= position:
                position = self.provision(opener)
        while title.kind:
            if title.start >= position:
                position = self.title(title)
            title = next(coming)
        return self.found

    def add(self, kind: str, source: str, path: Path, start: int, end: int) -> int:
        self.found.append(Citation(kind, source, path, start, end))
        if source:
            self.last[kind] = source
        return end

    def title(self, title: Title) -> int:
        """Take a title alone, or the provisions after it: "Limitation Act 1980, ss 11 and 14"."""
        if title.kind == "rule" and title.name == "CPR":
            return title.end
        self.last[title.kind] = title.name
        between = _AT.match(self.text, title.end)
        opener = opener_at(self.text, between.end()) if between else None
        if opener and opener.lastgroup in ("section", "regulation", "article", "part", "rule", "schedule", "paragraph"):
            found = members(self.text, opener)
            if found and self.source(found[-1].end) is None:
                own = _Source(title.kind, title.name, (), title.end)
                if opener.lastgroup == "schedule":
                    return self.schedule(own, found, title.start)
                return self.members(own, _named(opener, found), title.start)
        if title.kind == "rule":
            return title.end
        return self.add(title.kind, title.name, (), title.start, title.end)

    def members(self, source: _Source, found: list[Member], start: int | None = None) -> int:
        """Add provisions of one source; where it is one or one range, its place goes on to its source."""
        single = len(found) == 1 or all(one.start == found[0].start for one in found)
        for one in found:
            begin = start if start is not None and one.start == found[0].start else one.start
            end = max(one.end, source.end) if single else one.end
            self.add(source.kind, source.name, (*source.path, *one.path), begin, end)
        return max(found[-1].end, source.end)

    def source(self, position: int, schedules: bool = True) -> _Source | None:
        """Return the source after "of", "to" or "in": None without such a word, kind "" when it is no law."""
        of = _OF.match(self.text, position)
        if of is None:
            return None
        at = of.end()
        if title := self.at.get(at):
            return _Source(title.kind, title.name, (), title.end)
        if schedules and (schedule := _SCHEDULE.match(self.text, at)):
            whole = self.source(schedule.end(), schedules=False)
            if whole and whole.kind in ("act", "instrument"):
                return _Source(whole.kind, whole.name, (f"Schedule {schedule[1]}",), whole.end)
            return _Source("", "", (), position)
        if direction := _DIRECTION.match(self.text, at):
            return _Source("practice direction", f"PD {direction[1].replace(' ', '')}", (), direction.end())
        if named := _GUIDE.match(self.text, at):
            return _Source("guide", guide(named[0]), (), named.end())
        if short := _SHORT.match(self.text, at):
            return self.short(short, position)
        return _Source("", "", (), position) if of["word"] == "of" else None

    def beside(self, position: int, comma: bool) -> _Source | None:
        """Return the title that follows a provision with no word between; after a comma, only where `comma` says so."""
        between = _BESIDE.match(self.text, position)
        title = self.at.get(between.end()) if between and (comma or not between[1]) else None
        return _Source(title.kind, title.name, (), title.end) if title else None

    def short(self, short: re.Match[str], position: int) -> _Source:
        """Return the source that "the 1980 Act", "that Act" or "the Guide" refers to."""
        word = short["word"].split()[0]
        if word in ("CPR", "FPR", "CrimPR") or (word == "Rules" and short["year"] is None):
            return _Source("rule", "CPR" if word == "Rules" else word, (), short.end())
        kinds = {"Act": "act", "Practice": "practice direction", "PD": "practice direction", "Guide": "guide"}
        kind = kinds.get(word, "instrument")
        if short["year"]:
            ending = f"{word} {short['year']}"
            named = self.named.get(ending, f"{short['year']} {word}")
            return _Source(kind, named, (), short.end())
        name = self.last.get(kind, "")
        known = name or kind in ("act", "instrument")
        return _Source(kind, name, (), short.end()) if known else _Source("", "", (), position)

    def provision(self, opener: re.Match[str]) -> int:
        """Take the provisions that a word opens; return where to go on."""
        kind = opener.lastgroup
        if kind == "conduct":
            return self.pinpoint(
                _Source("practice direction", "PD Pre-Action Conduct", (), opener.end()), opener.start()
            )
        if kind == "guide":
            return self.pinpoint(_Source("guide", guide(opener[0]), (), opener.end()), opener.start())
        found = members(self.text, opener)
        if not found:
            return opener.end()
        end = found[-1].end
        if kind == "order":
            return self.order(opener, found)
        if kind == "direction":
            if len(found) == 1 and len(found[0].path) == 1:
                return self.pinpoint(_Source("practice direction", f"PD {found[0].path[0]}", (), end), opener.start())
            for one in found:
                self.add("practice direction", f"PD {one.path[0]}", one.path[1:], one.start, one.end)
            return end
        source = self.source(end) or self.beside(end, comma=kind not in ("part", "rule"))
        if kind in ("code", "part", "rule"):
            return self.rules(opener, found, source)
        if kind == "schedule":
            return self.schedule(source, found, found[0].start) if source else end
        if kind == "annex":
            return self.annexes(opener, found, source)
        return self.members(source, found) if (source := self.owner(opener, found, source)) else end

    def owner(self, opener: re.Match[str], found: list[Member], source: _Source | None) -> _Source | None:
        """Return the source of a section, paragraph, regulation or article; None when it is no law."""
        kind, end = opener.lastgroup, found[-1].end
        if source is not None:
            numbered = kind != "paragraph" or source.path or source.kind != "act"
            return source if source.kind not in ("", "rule") and numbered else None
        if kind == "section" and all(one.path[0][0].isdigit() for one in found):
            plain = "." not in self.text[opener.end() : end]
            return _Source("act", self.last.get("act", ""), (), end) if plain else None
        if kind == "regulation":
            return _Source("instrument", self.last.get("instrument", ""), (), end)
        return None

    def rules(self, opener: re.Match[str], found: list[Member], source: _Source | None) -> int:
        """Add Parts and rules, of the CPR where nothing else is named."""
        end = found[-1].end
        letters = opener.lastgroup == "rule" and opener[0].strip(" .\n").lower() in ("r", "rr")
        undotted = letters and any(len(one.path) == 1 for one in found)
        code = opener[0].replace(",", " ").split()[0] if opener.lastgroup == "code" else None
        if code is None and source is not None and source.kind != "rule":
            return self.members(source, _named(opener, found)) if source.kind in ("act", "instrument") else end
        if undotted or any(one.path[0].isalpha() for one in found):
            return end
        own = source if source is not None and source.kind == "rule" else _Source("rule", code or "CPR", (), end)
        return self.members(own, found)

    def schedule(self, source: _Source | None, found: list[Member], start: int) -> int:
        """Add Schedules, or a paragraph of one: "Sch 2, para 3"."""
        end = found[-1].end
        if source is None or source.kind not in ("act", "instrument"):
            return end
        named = [Member((f"Schedule {one.path[0]}", *one.path[1:]), one.start, one.end) for one in found]
        between = _AT.match(self.text, end)
        inner = opener_at(self.text, between.end()) if between and len(found) == 1 else None
        if inner and inner.lastgroup in ("paragraph", "part"):
            inside = members(self.text, inner)
            if inside and self.source(inside[-1].end) is None:
                return self.members(_Source(source.kind, source.name, named[0].path, end), _named(inner, inside), start)
        return self.members(source, named, start)

    def annexes(self, opener: re.Match[str], found: list[Member], source: _Source | None) -> int:
        """Add annexes and appendices, of the source that is named after them, or of none."""
        kind = "annex" if opener[0].lower().startswith("annex") else "appendix"
        named = source is not None and source.kind != ""
        name, end = (source.name, source.end) if source is not None and named else ("", found[-1].end)
        return self.members(_Source(kind, name, (), end), found)

    def order(self, opener: re.Match[str], found: list[Member]) -> int:
        """Add an Order of the old rules in the Schedules, with its rule: RSC Ord 45 r 1."""
        name, end, path = opener[0][:3], found[0].end, found[0].path
        if rule := _RULE_OF_ORDER.match(self.text, end):
            end, path = rule.end(), (*path, rule[1], *re.findall(r"\w+", rule[2]))
        return self.add("rule", name, path, opener.start(), end)

    def pinpoint(self, source: _Source, start: int) -> int:
        """Add a direction or guide with the paragraphs or annexes named after it, or alone."""
        between = _AT.match(self.text, source.end)
        if between:
            opener = opener_at(self.text, between.end())
            if opener and opener.lastgroup in ("section", "paragraph", "annex"):
                found = members(self.text, opener)
                after = self.source(found[-1].end) if found else None
                if found and (after is None or not after.kind):
                    kind = opener[0].split()[0].lower() if opener.lastgroup == "annex" else source.kind
                    return self.members(_Source(kind, source.name, (), source.end), found, start)
            if source.kind == "guide" and (point := _POINT.match(self.text, between.end())):
                path = tuple(re.findall(r"\d+|[A-Z]+", point[1]))
                return self.add("guide", source.name, path, start, point.end())
        return self.add(source.kind, source.name, (), start, source.end)


def _named(opener: re.Match[str], found: list[Member]) -> list[Member]:
    """Return the members with "Part" in their labels where they are Parts: an Act has a section 2 and a Part 2."""
    if opener.lastgroup != "part":
        return found
    return [Member((f"Part {one.path[0]}", *one.path[1:]), one.start, one.end) for one in found]


def provisions(text: str) -> list[Citation]:
    """Return the provisions that a text cites; see `docs/answers.md` for the forms and the decisions."""
    return _Walk(text).walk()
