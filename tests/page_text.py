"""The tags of a page, what they have, and the text in each."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input", "path", "circle", "use", "rect", "col", "img"}


class Page(HTMLParser):
    """The tags of a page in order, with their attributes and the text in each; what is opened is closed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.elements: list[dict[str, str | None]] = []  # the attributes of each tag
        self.depths: list[int] = []  # how many tags are open around each
        self.texts: list[str] = []  # of each tag, without that of tags within it
        self._open: list[int] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self._open.append(len(self.tags) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.elements.append(dict(attrs))
        assert len(self.elements[-1]) == len(attrs), "no attribute appears twice"
        self.depths.append(len(self._open))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.tags[self._open.pop()] == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]] += data

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """The attributes of all tags."""
        return [(name, value or "") for element in self.elements for name, value in element.items()]

    def of(self, *tags: str) -> list[str]:
        """Return the text in each of some tags."""
        return [text for tag, text in zip(self.tags, self.texts, strict=True) if tag in tags]
