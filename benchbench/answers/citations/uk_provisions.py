"""Provisions of the law of England and Wales: rules, practice directions, guides, Acts, instruments, annexes."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.series import Path, SeriesMember
from benchbench.answers.citations.uk_books import CPR, book
from benchbench.answers.citations.uk_forms import likely, longer, members, opener_at, points
from benchbench.answers.citations.uk_guides import guide
from benchbench.answers.citations.uk_references import References, elsewhere
from benchbench.answers.citations.uk_sources import UkSource, foreign
from benchbench.answers.citations.uk_titles import Title

_PINPOINTS = ("section", "regulation", "schedule", "paragraph", "annex")
_SPACES = frozenset(" ,\n\t")
_SHARING = {  # provisions -> those that may stand after them with the source of both
    "section": ("section", "schedule", "paragraph", "part", "annex"),
    "part": ("schedule", "section"),
    "regulation": ("schedule", "paragraph", "part"),
    "paragraph": ("annex",),
    "schedule": ("part",),
}
_JOINED = re.compile(r"(?:\s?\((?!\w{1,2}\))[^()]{3,80}\))?(?:,?\s{1,2}(?:and|or|&)\s{1,2}|,\s{1,2}(?:or\s|and\s)?)")
_ENDS = frozenset("0123456789,tsr")
_VERB = (
    r"(?:says?|states?|provides?|explains?|requires?|sets\sout|makes\s(?:it\s)?clear|deals|confirms?|notes?|warns?"
    r"|reminds\s\w+|recommends?|advises?|indicates?|suggests?)"
)
_AT = re.compile(  # between a source and the provisions that it has: "Guide, whose section 9"; "Act 1980 (s 33)"
    rf"(?:['’]s)?,?(?:\s[–—-]|:)?\s{{1,2}}\(?(?:whose\s|(?:{_VERB},?\s)?(?:and\s)?(?:at|in|by|under|see|see\sin)\s(?:its\s|the\s)?"
    r"|(?:and,?\s)?(?:in\s)?particular(?:ly)?,?\s|especially\s)?"
)
_INSIDE = re.compile(r",?[ ]{1,2}(?:at[ ])?(?=[Pp]ara)")
_RULE_OF_PART = re.compile(r",?\s{1,2}(?:rule|r\.?)\s{0,2}(\d{1,2}[A-Z]?)((?:\(\w{1,3}\)){0,4})(?!\w|\.\d)")
_RULE_OF_ORDER = re.compile(r",?\s{1,2}(?:[Rr]ules?|rr?\.?)\s{0,2}(\d{1,3}[A-Z]{0,2})((?:\(\w{1,3}\)){0,4})")
_OUTER = re.compile(r"\sof\s(?:the\s)?")
_OTHER_RULES = re.compile(
    r"\sof\s(?:the\s|its\s|their\s)?(?:[\w'’&-]+\s){0,6}?(?:Rules|Regulations|Scheme|Constitution|Articles|Protocol|Agreement"
    r"|Association|Club|Byelaws|Code|Handbook|rules|scheme|constitution|form|agreement|contract)\b"
)
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z][A-Za-z]{0,7}[A-Z](?:[ ]\d{4})?|\b\d{4}[ ](?:Act|Regulations|Rules|Order))(?=,?[ ]$)"
)


class _Walk(References):
    """One pass over a text, which remembers the Act, instrument, direction and guide named last."""

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
                position = self.abbreviated(opener, position) or self.provision(opener)
        while title.kind:
            if title.start >= position:
                position = self.title(title)
            title = next(coming)
        return self.found

    def abbreviated(self, opener: re.Match[str], floor: int) -> int | None:
        """Take the provisions after an abbreviation: "FSMA, s 19"; "the 1980 Act, s 33"; None where there is none."""
        at = opener.start()
        if opener.lastgroup not in _PINPOINTS or self.text[at - 1 : at] != " ":
            return None
        before = self.text[at - 2 : at - 1]
        if not (before.isupper() or before in _ENDS):
            return None
        written = _ABBREVIATED.search(self.text, max(floor, at - 20), at)
        source = self.abbreviation(written.start()) if written else None
        if written is None or source is None or source.end != written.end():
            return None
        return self.title(Title(source.kind, source.name, written.start(), source.end))

    def title(self, title: Title) -> int:
        """Take a title alone, or the provisions after it: "Limitation Act 1980, ss 11 and 14"."""
        if title.kind == "rule":
            number = re.compile(r"\s\d{1,2}\.\d").match(self.text, title.end)
            word = opener_at(self.text, title.end - len("Rules")) if number else None
            if title.name == "CPR" or word:
                return self.provision(word) if word else title.end
        self.name(title.kind, title.name)
        if not title.name:
            return title.end
        if title.kind in ("guide", "practice direction"):
            return self.pinpoint(UkSource(title.kind, title.name, (), title.end), title.start, alone=False)
        own = UkSource(title.kind, title.name, (), title.end)
        for end in dict.fromkeys((self.learn(title.kind, title.name, title.end), title.end)):
            between = _AT.match(self.text, end)
            opener = opener_at(self.text, between.end()) if between else None
            kinds = ("section", "regulation", "article", "part", "rule", "schedule", "paragraph", "inner")
            if opener is None or opener.lastgroup not in kinds:
                continue
            labels = self.until_other(opener)
            if labels and opener.lastgroup == "schedule":
                return self.schedule(own, labels, title.start)
            if labels and opener.lastgroup != "inner":
                return self.members(own, labels if own.kind == "rule" else _named(opener, labels), title.start)
        undated = title.kind == "instrument" and title.name.endswith("Rules")  # "the Tribunal Rules" may be any
        short = title.end - title.start < 9  # an abbreviation
        if title.kind == "rule" or undated or short or title.start in self.shared:
            return title.end
        return self.add(title.kind, title.name, (), title.start, title.end)

    def until_other(self, opener: re.Match[str], form: bool = False) -> list[SeriesMember]:
        """Return the provisions after a source, up to those that another source after them has.

        "Guide section 14.1, section 33 of the Limitation Act 1980" has 14.1 alone of the guide. `form` lets the
        provisions be of something that is no law: "PD 16 para 2 of the form".
        """
        labels = members(self.text, opener)
        wide = longer(self.text, opener, labels)
        if len(wide) > len(labels) > 0 and wide[0].start == wide[1].start:
            labels = wide
        if not labels:
            return labels
        if elsewhere(self.text, labels[-1].end):
            return []
        word = opener.lastgroup or ""
        after = self.after(labels[-1].end, word)
        if after is None and word == "section":
            after = self.beside(labels[-1].end, comma=False, word=word)
        if after is None or (form and not after.kind):
            return labels
        again = [
            at for at, label in enumerate(labels) if at and label.start > labels[at - 1].start and self.worded(label)
        ]
        return labels[: again[-1]] if again else []

    def worded(self, label: SeriesMember) -> bool:
        """Return whether a label begins with a word ("section 33") and not with its number."""
        return re.compile(r"[A-Za-z§]{1,10}\.?\s?\d|[A-Za-z]{2,}\s").match(self.text, label.start) is not None

    def provision(self, opener: re.Match[str]) -> int:
        """Take the provisions that a word opens; return where to go on."""
        kind = opener.lastgroup
        if kind in ("titled", "supplement"):
            direction = self.direction(opener)
            return self.pinpoint(direction, opener.start()) if direction else opener.end()
        if kind == "guide":
            return self.pinpoint(UkSource("guide", guide(opener[0]), (), opener.end()), opener.start())
        if kind in ("part", "code") and (direction := self.direction_of_part(opener.start())):
            return self.pinpoint(direction, opener.start())
        if kind == "only":  # the only Schedule of an Act has no number
            return self.schedule(None, [SeriesMember(("",), *opener.span())], opener.start())
        labels = members(self.text, opener)
        if not labels or not labels[0].path:
            return opener.end()
        if kind == "inner":
            return self.inner(opener, labels)
        end = labels[-1].end
        if kind == "order":
            return self.order(opener, labels)
        if kind == "direction":
            if len(labels) == 1 and len(labels[0].path) == 1:
                return self.pinpoint(self.numbered(labels[0].path[0], opener.start(), end), opener.start())
            for label in labels:
                direction = self.numbered(label.path[0], opener.start(), end)
                self.add("practice direction", direction.name, label.path[1:], label.start, label.end)
            return end
        labels, source = self.with_source(opener, labels)
        return self.attached(opener, labels, source)

    def with_source(
        self, opener: re.Match[str], labels: list[SeriesMember]
    ) -> tuple[list[SeriesMember], UkSource | None]:
        """Return the members and what they are of; "section 2 and 5" is two where a source follows."""
        kind, comma = opener.lastgroup or "", opener.lastgroup not in ("part", "rule", "code")
        wide = longer(self.text, opener, labels)
        if len(wide) > len(labels):
            source = self.after(wide[-1].end, kind) or self.beside(wide[-1].end, comma, kind)
            if (source and source.law) or wide[0].start == wide[1].start:
                return wide, source
        end = labels[-1].end
        return labels, self.after(end, kind) or self.beside(end, comma, kind) or self.joined(kind, end)

    def joined(self, kind: str, end: int, depth: int = 3) -> UkSource | None:
        """Return the source that provisions share with those of another sort after them.

        "Section 5 and Schedule 2 to the Act"; "section 4 and Appendix A of the guide".
        """
        between = _JOINED.match(self.text, end) if kind in _SHARING else None
        opener = opener_at(self.text, between.end()) if between else None
        if opener is None or opener.lastgroup not in _SHARING[kind]:
            return None
        if opener.lastgroup == "annex" and self.bounds.numbers:
            return None  # "paragraph 9.9 and Annex 3 to PD 32" of a guide begins with its own
        labels = members(self.text, opener)
        if not labels:
            return None
        word, last = opener.lastgroup or "", labels[-1].end
        source = self.after(last, word)
        if source is None and depth:
            source = self.joined(word, last, depth - 1)
        fits = ("guide", "practice direction") if word == "annex" else ("act", "instrument")
        if source is None or source.kind not in fits or (kind == "regulation" and source.kind == "act"):
            return None
        return UkSource(source.kind, source.name, (), end)

    def attached(self, opener: re.Match[str], labels: list[SeriesMember], source: UkSource | None) -> int:
        """Add provisions whose labels and source are read."""
        kind, end = opener.lastgroup, labels[-1].end
        if kind in ("code", "part", "rule"):
            return self.rules(opener, labels, source)
        if kind == "schedule":
            return self.schedule(source, labels, labels[0].start)
        if kind == "annex":
            return self.annexes(opener, labels, source)
        if kind == "section" and source and source.kind == "act":
            labels = self.shaped(opener, labels)
        owner = self.owner(opener, labels, source)
        if owner is None:
            return end
        if kind == "paragraph" and opener[0][0] in "Cc" and owner.kind != "guide":
            labels = [label._replace(path=(f"Chapter {label.path[0]}", *label.path[1:])) for label in labels]
        return self.members(owner, labels)

    def shaped(self, opener: re.Match[str], labels: list[SeriesMember]) -> list[SeriesMember]:
        """Give leading sections with the numbers of a guide to it: "section 14.1, section 33 of the Act"."""
        again = next((at for at, label in enumerate(labels) if at and self.worded(label)), 0)
        first = labels[:again]
        if not first or not all(self.lettered(label) for label in first):
            return labels
        if of_guide := self.bare_section(opener, first):
            self.members(of_guide, first)
        return labels[again:]

    def owner(self, opener: re.Match[str], labels: list[SeriesMember], source: UkSource | None) -> UkSource | None:
        """Return the source of a section, paragraph, regulation or article; None when it is no law."""
        kind = opener.lastgroup
        if source is None:
            return self.bare(opener, labels)
        if not source.law or source.kind == "rule":
            return None
        if kind == "section" and source.path and source.path[0].startswith("Part "):
            return source._replace(path=())
        if kind == "paragraph" and source.kind == "act" and not source.path:
            return None
        return source

    def rules(self, opener: re.Match[str], labels: list[SeriesMember], source: UkSource | None) -> int:
        """Add Parts and rules, of the CPR where nothing else is named."""
        end = labels[-1].end
        letters = opener.lastgroup == "rule" and opener[0].strip(" .$\n").lower() in ("r", "rr")
        undotted = letters and any(len(label.path) == 1 for label in labels)
        before = self.books.before(opener.start()) if opener.lastgroup != "code" and source is None else None
        code = book(opener[0]) if opener.lastgroup == "code" else before.name if before else None
        if code is not None and source is not None and source.law and source.kind != "rule":
            again = next((at for at, label in enumerate(labels) if at and self.worded(label)), 0)
            if again:
                self.members(UkSource("rule", code, (), labels[again - 1].end), labels[:again])
                return self.members(source, labels[again:])
        if code is None and source is not None and source.kind != "rule":
            if source.kind in ("act", "instrument", "guide"):
                return self.members(source, _named(opener, labels))
            dotted = all("." in self.text[label.start : label.end] and len(label.path) > 1 for label in labels)
            if source.kind or not dotted or _OTHER_RULES.match(self.text, end):
                return end
            source = None
        if source is None and code is None and (own := self.bare_rule(opener, labels)):
            part = labels[0].path[0]
            same = [label for label in labels if label.path[0] == part or "." not in self.text[label.start : label.end]]
            end = same[-1].end if len(same) < len(labels) else end
            return self.members(own._replace(end=end), _named(opener, same))
        parts = [label.path[0] for label in labels]
        if (undotted and before is None) or any(part.isalpha() or part[0] in "IVX" for part in parts):
            return end
        near = before or (self.books.around(opener.start(), end) if code is None and source is None else None)
        default = UkSource(near.kind, near.name, (), end) if near else UkSource("rule", code or CPR, (), end)
        own = source if source is not None and source.kind == "rule" else default
        if len(labels) == 1 and source is None and self.text[end : end + 1] in _SPACES:
            if inside := self.inside(labels[0]):
                return self.members(own._replace(end=inside[-1].end), inside)
            if len(labels[0].path) == 1 and (rule := _RULE_OF_PART.match(self.text, end)):
                path = (*labels[0].path, rule[1], *re.findall(r"\w+", rule[2]))
                return self.add(own.kind, own.name, path, labels[0].start, rule.end())
        return self.members(own, labels)

    def inside(self, outer: SeriesMember) -> list[SeriesMember]:
        """Return the paragraphs of a rule that are named after it: "CPR 3.3 paragraphs 5 and 6"."""
        between = _INSIDE.match(self.text, outer.end) if len(outer.path) > 1 else None
        opener = opener_at(self.text, between.end()) if between else None
        if opener is None or opener.lastgroup not in ("paragraph", "inner"):
            return []
        labels = members(self.text, opener)
        if not labels or not labels[0].path or self.after(labels[-1].end) is not None:
            return []
        if any("." in self.text[label.start : label.end].partition(" ")[2] for label in labels):
            return []
        ranged = labels[0].start
        starts = [outer.start if label.start == ranged else label.start for label in labels]
        return [
            SeriesMember((*outer.path, *label.path), start, label.end)
            for label, start in zip(labels, starts, strict=True)
        ]

    def inner(self, opener: re.Match[str], labels: list[SeriesMember]) -> int:
        """Add "subsection (2) of section 33 of the Act", which is section 33(2); nothing where no section follows."""
        outer_word = _OUTER.match(self.text, labels[-1].end)
        outer = opener_at(self.text, outer_word.end()) if outer_word else None
        if outer is None or outer.lastgroup not in ("section", "rule", "code", "paragraph", "regulation", "article"):
            return labels[-1].end
        whole = members(self.text, outer)
        if len(whole) != 1 or not whole[0].path:
            return outer.start()
        end = whole[0].end
        joined = [SeriesMember((*whole[0].path, *label.path), opener.start(), end) for label in labels]
        source = self.after(end, outer.lastgroup) or self.beside(end, False, outer.lastgroup)
        return max(end, self.attached(outer, joined, source))

    def schedule(self, source: UkSource | None, found: list[SeriesMember], start: int) -> int:
        """Add Schedules, or a Part or paragraph of one: "Sch 2, para 3"; "Schedule 4 Part 2 para 1 to the Act"."""
        end = last = found[-1].end
        heads = [2 if label.path[0].isupper() and len(label.path) > 1 else 1 for label in found]  # B1 is B and 1
        named = [
            SeriesMember((f"Schedule {''.join(label.path[:head])}".strip(), *label.path[head:]), label.start, label.end)
            for label, head in zip(found, heads, strict=True)
        ]
        path: Path = named[0].path
        labels: list[SeriesMember] = []
        while len(found) == 1 and not labels and (between := _AT.match(self.text, last)):
            inner = opener_at(self.text, between.end())
            if inner is None or inner.lastgroup not in ("paragraph", "part", "rule", "article", "regulation"):
                break
            inside = members(self.text, inner)
            after = self.after(inside[-1].end) if inside else None
            if not inside or (after and (source or not after.law)) or (source and foreign(self.text, inside[-1].end)):
                break
            inside, last = _named(inner, inside), inside[-1].end
            if inner.lastgroup == "part" and len(inside) == 1:
                path = (*path, *inside[0].path)
            else:
                labels = inside
        if source is None:
            source = self.after(last) or self.beside(last, True, "")
        if source is None and not foreign(self.text, last):
            source = self.bare_schedule(start, last)
        if source is None or source.kind not in ("act", "instrument"):
            return last
        whole = UkSource(source.kind, source.name, path, max(last, source.end))
        if labels:
            return self.members(whole, labels, start)
        if last > end:
            return self.add(*whole[:3], start, whole.end)
        return self.members(source, named, start)

    def annexes(self, opener: re.Match[str], labels: list[SeriesMember], source: UkSource | None) -> int:
        """Add annexes and appendices, of the source that is named after them, or of the one that the text is about."""
        kind = "annex" if opener[0].lower().startswith("annex") else "appendix"
        end = labels[-1].end
        if source is None and not foreign(self.text, end):
            source = self.bare_annex(opener.start(), end)
        elif source is None or not source.kind:
            return end
        name = source.name if source is not None and source.law else ""
        return self.members(UkSource(kind, name, (), source.end if source else end), labels)

    def order(self, opener: re.Match[str], labels: list[SeriesMember]) -> int:
        """Add an Order of the old rules in the Schedules, with its rule: RSC Ord 45 r 1."""
        name, end, path = opener[0][:3], labels[0].end, labels[0].path
        if rule := _RULE_OF_ORDER.match(self.text, end):
            end, path = rule.end(), (*path, rule[1], *re.findall(r"\w+", rule[2]))
        return self.add("rule", name, path, opener.start(), end)

    def pinpoint(self, source: UkSource, start: int, alone: bool = True) -> int:
        """Add a direction or guide with the paragraphs or annexes named after it, or alone."""
        self.name(source.kind, source.name)
        for end in dict.fromkeys((self.learn(source.kind, source.name, source.end), source.end)):
            between = _AT.match(self.text, end)
            if between is None:
                continue
            opener = opener_at(self.text, between.end())
            if opener and opener.lastgroup in ("section", "paragraph", "annex") and ":" not in between[0]:
                labels = self.until_other(opener, form=True)
                if labels:
                    kind = opener[0].split()[0].lower() if opener.lastgroup == "annex" else source.kind
                    kind = {"appendices": "appendix", "annexes": "annex"}.get(kind, kind)
                    return self.members(UkSource(kind, source.name, (), source.end), labels, start)
            if source.kind == "guide" and (labels := points(self.text, between.end(), start)):
                return self.members(source, labels, start)
        return self.add(source.kind, source.name, (), start, source.end) if alone else source.end


def _named(opener: re.Match[str], labels: list[SeriesMember]) -> list[SeriesMember]:
    """Return the members with "Part" in their labels where they are Parts: an Act has a section 2 and a Part 2."""
    if opener.lastgroup != "part":
        return labels
    return [SeriesMember((f"Part {label.path[0]}", *label.path[1:]), label.start, label.end) for label in labels]


def provisions(text: str) -> list[Citation]:
    """Return the provisions that a text cites; see `docs/reference/citations.md` for the forms and the decisions."""
    return _Walk(text).walk()
