"""Articles of statutes written as 第五条第六項第三号: one reader, whose words a jurisdiction hands in."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.document_citations import blanked
from benchbench.answers.citations.narrow import narrow
from benchbench.answers.citations.numerals import NUMBER, branched, number, numbers
from benchbench.answers.citations.places import NamedPlace, ProvisionLabel, ProvisionPlace, after, before, between
from benchbench.answers.citations.series import LONGEST_RANGE
from benchbench.answers.citations.standing import Standing
from benchbench.answers.citations.words import FOREIGN, Name, Words

_GAP = 40  # the longest words between a law's name and its article
_FAR = 2000  # from the article named last, no paragraph without one is of it
NAMED = 50  # laws back from here that a word can point at
_ARTICLE, _PARAGRAPH, _ITEM = 0, 1, 2
_SIGN = re.compile(r"[a-z]+|[^\W\d]|\d+")
_NUMBER = re.compile(NUMBER)


class Reader:
    """Reads the citations of one jurisdiction."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.pattern, self.likely = words.pattern(), words.likely()
        self.same, self.own, self.before = (re.compile(one) for one in (words.same, words.own, words.before))
        self.barriers = [re.compile(barrier) for barrier in words.barriers]

    def read(self, text: str) -> list[Citation]:
        """Return the citations of a text in the order of their places."""
        return _Reading(self, narrow(blanked(text, sections_only=True))).run()


class _Reading:
    """One pass over a text, with the laws and places that its words can refer to."""

    def __init__(self, reader: Reader, text: str) -> None:
        self.reader, self.words, self.text = reader, reader.words, text
        self.found: list[Citation | None] = []
        self.here = Standing(text, reader.words)
        self.last: list[ProvisionPlace | None] = [None] * 3  # a level -> the place named last that goes so deep
        self.law = ""  # the law cited last
        self.seen: dict[str, str] = {}  # the number of an article -> the law that it was cited of last
        self.aside: tuple[str, int] | None = None  # the law cited before that, where it was named in passing, and where
        self.foreign, self.foreign_end = "", 0  # what is no law and was cited after that, and the end of its line
        self.last_end = 0  # of the citation read last
        self.laws: deque[str] = deque(maxlen=NAMED)
        self.aliases: dict[str, str] = {}
        self.muted = 0
        self.name: NamedPlace | None = None
        self.label: ProvisionLabel | None = None
        self.stack: list[tuple[NamedPlace | None, ProvisionLabel | None, int]] = []

    def run(self) -> list[Citation]:
        names = iter([*self.words.names(self.text), Name("", len(self.text) + 1, 0)])
        name = next(names)
        floor = 0
        for token in self.tokens():
            while self.here.own and self.here.own[0].start <= token.start():
                while name.start < self.here.own[0].start:
                    if name.start >= floor:
                        self.take_name(name)
                    name = next(names)
                floor = self.row()
            if token.start() < floor:
                continue
            while name.start < token.start():
                if name.start >= floor:
                    self.take_name(name)
                name = next(names)
            if self.name and token.start() < self.name.end:  # a part of the name: 金融商品取引法第二条に規定する…府令
                continue
            if token["chain"]:
                self.chain(token)
                floor = token.end()
            elif token["further"]:
                self.further(token)
            elif token["deeper"]:
                if not self.deeper(token):
                    self.open(token.start())
                    self.close(token.end())
            elif token["open"]:
                self.open(token.start())
            elif token["close"]:
                self.close(token.end())
            elif token["skip"]:  # a law by its number alone is not known, and not the law named before it
                self.name = NamedPlace("", *token.span(), None)
            elif token["alias"]:
                self.alias(token)
            elif token["heading"]:
                self.here.heading(token)
                self.begin()
        while name.written:
            if name.start >= floor:
                self.take_name(name)
            name = next(names)
        return sorted(
            (citation for citation in self.found if citation and not citation.source.startswith(FOREIGN)),
            key=lambda one: (one.start, one.end),
        )

    def tokens(self) -> Iterator[re.Match[str]]:
        """Yield the tokens that the reader stops at."""
        floor = 0
        for likely in self.reader.likely.finditer(self.text):
            if likely.start() >= floor and (token := self.reader.pattern.match(self.text, likely.start())):
                floor = token.end()
                yield token

    def open(self, start: int) -> None:
        """Keep what a bracket interrupts."""
        self.stack.append((self.name, self.label, start))
        self.name = None
        if self.label and self.label.end != start:
            self.label = None

    def close(self, end: int) -> None:
        """Go on after a bracket as if it were not there: 第一項（第二号に限る。）及び第三項."""
        if not self.stack:
            return
        self.name, self.label, start = self.stack.pop()
        if self.name and self.touches(self.name, start):
            self.name = replace(self.name, end=end)
        if self.label and self.label.end == start:
            self.label = replace(self.label, end=end)

    def touches(self, name: NamedPlace, start: int) -> bool:
        """Return whether a bracket stands right after a name, or after the quotation mark that ends it."""
        return name.end == start or (name.end == start - 1 and self.text[name.end] in "」』》 ")

    def alias(self, token: re.Match[str]) -> None:
        """Learn a name that the text gives to the law before the bracket."""
        self.muted = token.end()
        if self.stack:
            name, _, start = self.stack[-1]
            if name and self.touches(name, start):
                self.aliases[token["alias"]] = name.law

    def row(self) -> int:
        """Take the number that begins the next line, which cites where the law is known, and return where it ends."""
        row = self.here.row(self.law)
        self.begin()
        if self.words.owns and self.here.context.law and row.level == _ARTICLE:
            self.add([self.here.context], row.end - len(self.text[row.start : row.end].strip(" *\n")), row.end, None)
        return row.end

    def begin(self) -> None:
        """Begin a line to which nothing above it is attached."""
        self.name = self.label = None
        self.stack.clear()

    def take_name(self, name: Name) -> None:
        """Take a name of a law, which an article may follow."""
        if name.start < self.muted:
            return
        law = self.aliases.get(self.text[name.start : name.end].strip("《》")) or (
            self.words.resolve(name.written, self.here.law(name), self.laws) if name.pointing else name.written
        )
        if name.pointing and not law and name.written.startswith("この"):
            self.here.nameless = True
        index = None
        if law:
            self.here.take_name(name, law)
            self.laws.append(law)
            if name.alone:
                index = len(self.found)
                self.found.append(Citation("article", law, (), name.start, name.end))
                topic = not self.law or self.words.topic.match(self.text, name.end)
                self.aside = None if topic else (self.law, name.end)
                self.law = law
        self.name = NamedPlace(law, name.start, name.end, index)

    def joint(self, start: int) -> re.Match[str] | None:
        """Return the word that joins a label at `start` to the one before it, if there is one."""
        if self.label is None or not 0 <= start - self.label.end <= 8:
            return None
        return self.words.joint.fullmatch(self.text, self.label.end, start)

    def chain(self, token: re.Match[str]) -> None:
        """Take a provision; one that refers to an unknown place is left out."""
        joint = self.joint(token.start())
        name = self.name
        near = name is not None and token.start() - name.end <= _GAP
        gap = self.words.gap.fullmatch(self.text, name.end, token.start()) if name and near else None
        if gap is None:
            name = None
        if token["a"] or token["a_to"]:
            loose = self.words.loose and token["a"] and token["a"].strip().isascii()
            if token["a"] and not (token["mark"] or name or joint or loose):
                return
            law = name.law if name else self.around(joint, token.start(), token.end())
            if not name and not joint and self.words.agreed.match(self.text, token.end()):
                law = FOREIGN
            seen = self.seen.get(token["a"].strip(), "") if token["a"] and not name and not joint else ""
            if seen and law.startswith(seen):  # 会社法362条…会社法施行規則100条…362条4項
                law = seen
            listed = self.label.place.labels[_ARTICLE] if self.label and joint and not name else ""
            annex = self.words.annex if listed and listed.startswith(self.words.annex) else ""
            places = self.step([ProvisionPlace(law)], _ARTICLE, token, "a", annex)
            if token["a"]:
                self.seen[token["a"].strip()] = law
            listed_first = places[:-1] if token["a"] else []  # of 第五、六条第一款, only the last has the paragraph
            places = self.step(self.step(places[len(listed_first) :], _PARAGRAPH, token, "b"), _ITEM, token, "c")
            places = [*listed_first, *places]
        elif token["d"] or token["d_to"]:
            if token["annexed"]:
                law = name.law if name else self.around(joint, token.start(), token.end())
                base = [ProvisionPlace(law, (token["annexed"], None, None))]
            elif name and name.law.startswith(FOREIGN):
                base = [ProvisionPlace(name.law)]
            else:
                base = self.base(joint, _PARAGRAPH, token, "d")
                name = None
            places = self.step(self.step(base, _PARAGRAPH, token, "d"), _ITEM, token, "e")
        elif name and name.law.startswith(FOREIGN):
            places = self.step([ProvisionPlace(name.law)], _ITEM, token, "f")
        else:
            places = self.step(self.base(joint, _ITEM, token, "f"), _ITEM, token, "f")
            name = None
        if token["parts"] or token["tail"]:
            tail = self.words.spelling.get(token["tail"], token["tail"])
            parts = (*_SIGN.findall(token["parts"]), *([tail] if tail else []))
            places = [place._replace(parts=parts) for place in places]
        start = token.start()
        inner = joint is not None and not joint[0] and places and self.label
        if inner and places[0].inside(_PARAGRAPH, None) == inner.place:  # 第五条(定義)第二項
            start, joint, self.found[inner.index] = inner.start, None, None
        if name and gap and gap["apart"] is None:
            start = name.start - (self.text[name.end] in "」』" and self.text[name.start - 1] in "「『")
            if name.index is not None:
                self.found[name.index] = None
        self.add(places, start, token.end(), joint)

    def around(self, joint: re.Match[str] | None, start: int, end: int) -> str:
        """Return the law of an article that stands without one: of its list, of the text, or the one cited last.

        What is no law is meant to the end of its line, and a text whose own article is known is of its own law.
        """
        if joint and self.label and self.label.place.law:
            return self.label.place.law
        law = self.here.law_around(start)
        if law is not None:
            return law
        if self.foreign and start <= self.foreign_end:
            return self.foreign
        if not self.law and self.name and self.name.law.startswith(FOREIGN):
            return self.name.law
        if self.here.contract() and not self.words.provides.match(self.text, end) and self.barred(_ITEM, start):
            return FOREIGN
        if self.here.whole:
            return FOREIGN
        if self.aside and self.text.find("。", self.aside[1], start) >= 0:  # 会社法429条は民法の特則である。430条は…
            return self.aside[0]
        return self.law or self.here.unknown

    def base(self, joint: re.Match[str] | None, level: int, token: re.Match[str], group: str) -> list[ProvisionPlace]:
        """Return the place in which a paragraph or item without its article is."""
        if pointer := token[f"{group}_to"]:
            known = self.last[level] if self.reader.same.match(pointer) else self.here.context
            candidates = [known]
        elif joint and self.label:
            if self.label.place.law.startswith(FOREIGN):
                return [self.label.place]
            candidates = [self.label.place, self.here.context, self.last[_ARTICLE]]
        elif self.reader.same.match(token[0]):
            candidates = [self.last[_ARTICLE]]
        elif self.stands_alone(token, group, level):
            candidates = [self.here.context, self.last[_ARTICLE]]
        else:
            return []
        among = self.text.endswith(self.words.among, 0, token.start())
        for candidate in candidates:
            if candidate and (
                candidate.labels[level - 1]
                or (
                    level == _ITEM
                    and candidate.labels[_ARTICLE]
                    and (candidate.labels[_ITEM] or candidate is self.here.context or among)
                )
            ):
                return [candidate.inside(level, None)]
        return []

    def stands_alone(self, token: re.Match[str], group: str, level: int) -> bool:
        """Return whether a paragraph or item may be in the article named last, or in that of the text."""
        marked, start = token[f"mark_{group}"] is not None, token.start()
        sure = marked or token[group].strip().isascii() or self.words.spelt.match(self.text, start) is not None
        if not (sure and self.words.lone.match(self.text, start)):
            return False
        if marked and self.here.context.labels[_ARTICLE]:
            return True
        return not self.barred(level, start)

    def barred(self, level: int, start: int) -> bool:
        """Return whether a sentence or a line ends between the citation read last and a place."""
        barrier = self.reader.barriers[level - 1]
        return start - self.last_end > _FAR or barrier.search(self.text, self.last_end, start) is not None

    def step(
        self, places: list[ProvisionPlace], level: int, token: re.Match[str], group: str, annex: str = ""
    ) -> list[ProvisionPlace]:
        """Return the places one level further in, as the token says by a number or a word that points."""
        if written := token[group]:
            *labels, last = numbers(written)
            last_ones = branched(last, token[f"{group}_of"] or "")
            prefix = token["annex"] or annex if level == _ARTICLE else ""
            return [place.inside(level, prefix + label) for place in places for label in (*labels, *last_ones)]
        pointer = token[f"{group}_to"]
        if not pointer or not places:
            return places
        if self.reader.same.match(pointer):
            whole = self.last[level]
            return [whole.inside(level, whole.labels[level])] if whole else []
        here = self.here.context
        label = here.labels[level]
        if label is None and level == _PARAGRAPH and here.labels[_ARTICLE]:
            if self.words.lines:
                label = self.here.paragraph(token.start())
            elif not self.reader.before.match(pointer):
                label = "1"  # the text above the first number of a paragraph
        if self.reader.own.match(pointer):
            if label is None and level == _ARTICLE:
                here = self.last[level] or here
                label = here.labels[level]
            return [here.inside(level, label)] if label else []
        if label is None:
            return []
        if not self.reader.before.match(pointer):
            labels = self.here.beside(token.start(), 1, after(label), label) if level == _ARTICLE else after(label)
        elif "各" in pointer:
            labels = before(label, int(label) - 1) if label.isdecimal() else []
        else:
            count = _NUMBER.search(pointer)
            labels = before(label, int(number(count[0])) if count else 1)
            if level == _ARTICLE and len(labels) == 1:
                labels = self.here.beside(token.start(), -1, labels, label)
        return [here.inside(level, one) for one in labels]

    def further(self, token: re.Match[str]) -> None:
        """Take a part that goes on a list: 第三号イ又はロ, イからハまで."""
        joint = self.joint(token.start())
        if not (joint and self.label and self.label.place.parts):
            return
        first, order = self.label.place.parts[0], self.words.order
        last, *inner = _SIGN.findall(token["further"])
        if last not in order or first not in order:
            return
        start, end, parts = token.start(), token.end(), [last]
        if joint["range"] and order.index(first) < order.index(last):
            self.found[self.label.index] = None
            start, end = self.label.start, end + 2 * self.text.startswith("まで", end)
            parts = list(order[order.index(first) : order.index(last) + 1])
        self.add([self.label.place._replace(parts=(part, *inner)) for part in parts], start, end, None)

    def deeper(self, token: re.Match[str]) -> bool:
        """Take a part of a part that goes on a list, イ(1)又は(2), and return whether it does."""
        joint = self.joint(token.start())
        if not (joint and self.label and len(self.label.place.parts) > 1):
            return False
        *outer, first = self.label.place.parts
        start, end, last = token.start(), token.end(), token["deeper"].strip("()")
        inner = [last]
        if joint["range"] and first.isdecimal() and last.isdecimal() and 0 < int(last) - int(first) < LONGEST_RANGE:
            self.found[self.label.index] = None
            start, end = self.label.start, end + 2 * self.text.startswith("まで", end)
            inner = [str(label) for label in range(int(first), int(last) + 1)]
        self.add([self.label.place._replace(parts=(*outer, label)) for label in inner], start, end, None)
        return True

    def add(self, places: list[ProvisionPlace], start: int, end: int, joint: re.Match[str] | None) -> None:
        """Add the citations of one place in the text; a range takes the place of its first label."""
        if not places:
            self.label = None
            return
        if joint and joint["range"] and self.label and len(places) == 1:
            end += 2 * self.text.startswith("まで", end)
            self.found[self.label.index] = None
            start, places = self.label.start, between(self.label.place, places[0], self.words.first)
        elif self.here.is_line(start, end):
            self.here.enter(places[-1], end)
        self.label = ProvisionLabel(places[-1], start, end, len(self.found))
        for place in places:
            self.found.append(Citation("article", place.law, place.path(), start, end))
        place, self.last_end = places[-1], end
        for level in (_ARTICLE, _PARAGRAPH, _ITEM):
            if place.labels[level]:
                self.last[level] = place
        if place.law.startswith(FOREIGN):
            self.foreign = place.law
            if end > self.foreign_end:
                self.foreign_end = self.text.find("\n", end) % (len(self.text) + 1)
        elif place.law:
            self.foreign, self.aside = "", None
            if place.law != self.law:
                self.law = place.law
                self.laws.append(place.law)
