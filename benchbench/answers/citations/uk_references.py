"""Provisions that no source stands beside: of which law they are, by what was named before them."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.series import Path, SeriesMember
from benchbench.answers.citations.uk_sources import UkSource, UkSources

_ELSEWHERE = re.compile(r"\s{1,2}\(?(?:above|below|overleaf|hereof|herein)\b|\s{1,2}of\sthis\b")
_OTHER_PAPER = re.compile(
    r"\b(?:[Jj]udgment|[Dd]efence|[Pp]articulars|statement|report|letter|[Ll]ease|[Pp]rotocol|skeleton|pleaded|pleads|evidence"
    r"|affidavit|submissions|[Oo]rder|[Dd]ecision|[Rr]eply|[Rr]easons|agreement|tenancy|contract)\b"
)
_PROCEDURE = re.compile(r"\s(?:claims?|procedure|proceedings|offers?|defendants?|requests?|appeals?)\b")
_SEE = re.compile(r"\b[Ss]ee\s(?:further\s|also\s)?$")
_HEADING = re.compile(r"\s[-–—]\s")


class References(UkSources):
    """The citations found so far, and what provisions without a source are of."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.found: list[Citation] = []
        self._near: UkSource | None = None  # the direction, guide or Schedule whose paragraphs may follow
        self._pinned: UkSource | None = None  # the direction or guide of which a paragraph was cited last
        self._numbered: dict[str, UkSource] = {}  # first numbers of paragraphs -> the direction or guide that has them
        self._parts: dict[str, UkSource] = {}
        self._rule: tuple[str, str, str, bool] | None = None  # kind, source, first label, dotted

    def add(self, kind: str, source: str, path: Path, start: int, end: int) -> int:
        """Add a citation and remember its source; return its end."""
        self.found.append(Citation(kind, source, path, start, end))
        if not source:
            return end
        self.name(kind, source)
        if kind in ("act", "instrument", "european"):
            self.cited(kind, source, end)
            if path and path[0].startswith("Part "):
                self._parts[path[0][5:]] = UkSource(kind, source, (), end)
            if path and path[0].startswith("Schedule"):
                depth = 2 if len(path) > 1 and path[1].startswith("Part ") else 1
                self._near = UkSource(kind, source, path[:depth], end)
                self.schedules[path[0].removeprefix("Schedule ")] = self._near
        if kind in ("annex", "appendix"):
            kind = "practice direction" if source.startswith("PD ") else "guide"
            self.name(kind, source)
        if kind in ("practice direction", "guide"):
            self._near = UkSource(kind, source, (), end)
            if path:
                self._pinned = self._numbered[path[0]] = self._near
        return end

    def members(self, source: UkSource, labels: list[SeriesMember], start: int | None = None) -> int:
        """Add provisions of one source; where it is one or one range, its place goes on to its source."""
        single = len(labels) == 1 or all(member.start == labels[0].start for member in labels)
        for one in labels:
            begin = start if start is not None and one.start == labels[0].start else one.start
            end = max(one.end, source.end) if single else one.end
            self.add(source.kind, source.name, (*source.path, *one.path), begin, end)
        if source.kind == "rule" and source.name == "CPR":
            self._rule = None
        elif source.kind in ("rule", "instrument"):
            first = labels[-1]
            dotted = "." in self.text[first.start : first.end].partition("(")[0].strip("rRegs. ")
            self._rule = (source.kind, source.name, first.path[0], dotted)
        return max(labels[-1].end, source.end)

    def lettered(self, member: SeriesMember) -> bool:
        """Return whether a section has a letter first or points, as those of the guides have: F.5, 14.1."""
        return not member.path[0][0].isdigit() or "." in re.sub(r"^\D*", "", self.text[member.start : member.end])

    def bare(self, opener: re.Match[str], labels: list[SeriesMember]) -> UkSource | None:
        """Return what a section, paragraph, regulation or article is of that stands alone; None when it is no law."""
        kind, end = opener.lastgroup, labels[-1].end
        if elsewhere(self.text, end):
            return None
        if kind == "section":
            return self.bare_section(opener, labels)
        if kind == "paragraph":
            return self.bare_paragraph(opener, labels)
        own = self.own.get("instrument", "") if self.bounds.enactment else None
        if kind == "regulation":
            return UkSource("instrument", self.last.get("instrument", "") if own is None else own, (), end)
        last = self.last.get("european") or self.last.get("instrument", "")
        near = self.recent_act(opener.start(), end)
        if kind == "article" and last and ("Order" in last or self.last.get("european")) and near and near.name == last:
            return near
        return None

    def bare_section(self, opener: re.Match[str], labels: list[SeriesMember]) -> UkSource | None:
        """Return the Act or the guide of a section alone: sections of guides have letters or points."""
        end = labels[-1].end
        if opener[0].strip() in ("SECTION", "SECTIONS"):
            return None  # a heading
        named, single = self._guided_by(opener.start())
        if any(self.lettered(member) for member in labels) or (named and single):
            heading = opener.start() == 0 or self.text[opener.start() - 1] == "\n"
            own = labels[0].path[0] in self.bounds.numbers
            apart = self._near is not None and self.bounds.sentences(self._near.end, opener.start()) > 0
            other = self._numbered.get(labels[0].path[0]) if apart else None
            if other and other.kind == "guide" and named:
                named = other
            return None if not named or own or (heading and _HEADING.match(self.text, end)) else named._replace(end=end)
        if opener[0][:3].lower() == "sub":
            return None
        plain = all(len(member.path) == 1 and member.path[0].isdigit() for member in labels)
        if plain and self.bounds.numbers and _SEE.search(self.text, max(0, opener.start() - 14), opener.start()):
            return None
        if named and "act" not in self.last and not self.bounds.numbers:
            return named._replace(end=end)  # no Act that it could be of
        act = self.own.get("act", "") if self.bounds.enactment else self.last.get("act", "")
        return UkSource("act", act, (), end)

    def _guided_by(self, start: int) -> tuple[UkSource | None, bool]:
        """Return the guide named last under the same heading, and whether a section of it was the last citation."""
        near = self._near
        name = self.last.get("guide", "")
        recent = reversed(self.found[-12:])
        place = next((citation for citation in recent if citation.source == name and citation.source), None)
        if not name or place is None or self.bounds.headings(place.end, start):
            return None, False
        last = self.found[-1]
        single = near is not None and near.kind == "guide" and last.kind == "guide" and len(last.path) == 1
        same = last.path and last.path[0].isdigit() and self.bounds.paragraphs(last.end, start) == 0
        return UkSource("guide", name, (), start), bool(single and same)

    def bare_paragraph(self, opener: re.Match[str], labels: list[SeriesMember]) -> UkSource | None:
        """Return the direction, guide or Schedule of a paragraph alone, where one was named shortly before it."""
        near, start = self._near, opener.start()
        if near and not near.path and self.bounds.sentences(near.end, start):
            near = self._numbered.get(labels[0].path[0], near)
        if near is None or self.bounds.headings(near.end, start) or (opener[0][0] in "Cc" and near.kind != "guide"):
            return None
        first = labels[0].path[0]
        dotted = all("." in re.sub(r"^\D*", "", self.text[member.start : member.end]) for member in labels)
        if dotted and first in self.bounds.numbers:
            return None
        # a guide with numbers means its own by "see paragraph 9.5", and another text by "Paragraph 6.2 requires"
        own = self.bounds.paragraphs_of_its_own if not self.bounds.numbers else dotted and opener[0][0].islower()
        if own and first not in self._numbered and not near.path:
            return None
        sentences, paragraphs = self.bounds.sentences(near.end, start), self.bounds.paragraphs(near.end, start)
        most = 2 if self.bounds.numbers else 4
        if dotted and not near.path:
            return near._replace(end=labels[-1].end) if sentences <= most and paragraphs <= 1 else None
        if _OTHER_PAPER.search(self.text, max(0, start - 200) if sentences else max(near.end, start - 200), start):
            return None
        opens = opener[0][0].isupper() or self._pinned == near or bool(near.path)
        return near._replace(end=labels[-1].end) if sentences == 0 or (sentences == 1 and opens) else None

    def bare_schedule(self, start: int, end: int) -> UkSource | None:
        """Return the Act or instrument of a Schedule alone: the one cited just before, or that of the text."""
        if not self.bounds.enactment and _OTHER_PAPER.search(
            self.text, max(start - 60, self.bounds.sentence(start)), start
        ):
            return None
        return self.recent_act(start, end)

    def bare_annex(self, start: int, end: int) -> UkSource | None:
        """Return the guide or direction of an annex alone: the one in its sentence, or the one that is being cited."""
        near, pinned = self._near, self._pinned
        if elsewhere(self.text, end):
            return None
        if near and not near.path and self.bounds.sentences(near.end, start) == 0:
            return near._replace(end=end)
        chosen = pinned or near
        if chosen is None or chosen.path or self.bounds.numbers or self.bounds.headings(chosen.end, start):
            return None
        close = self.bounds.sentences(chosen.end, start) <= 3 and self.bounds.paragraphs(chosen.end, start) <= 1
        return chosen._replace(end=end) if close else None

    def bare_rule(self, opener: re.Match[str], labels: list[SeriesMember]) -> UkSource | None:
        """Return the Act of a Part that was cited before, or the rules that a rule goes on with; None is the CPR."""
        end = labels[-1].end
        if opener.lastgroup == "part":
            known = self._parts.get(labels[0].path[0]) if len(labels) == 1 and len(labels[0].path) == 1 else None
            return known if known and not _PROCEDURE.match(self.text, end) else None
        if self._rule is None or "Regulations" in self._rule[1]:
            return None
        kind, name, first, dotted = self._rule
        pointed = all(
            len(member.path) > 1 and "." in self.text[member.start : member.end].partition("(")[0].strip("rRules. ")
            for member in labels
        )
        if dotted != pointed or (dotted and labels[0].path[0] != first):
            return None
        return UkSource(kind, name, (), end)


def elsewhere(text: str, end: int) -> bool:
    """Return whether "above", "below" or "of this" follows: the provision is one of the text itself."""
    return _ELSEWHERE.match(text, end) is not None
