"""Pages of a collection: for `/documents`, and as an index without a service."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from benchbench.client.document_pages import Page, PageRequest
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection
from benchbench.tables.documents import Document


class CollectionIndex:
    """The documents of a collection, listed in its order or searched with BM25; `shown` names it."""

    def __init__(self, collection: Collection, shown: str = "", retriever: BM25 | None = None) -> None:
        """Keep the collection; it is indexed by the first search, unless a retriever of it is given."""
        self._collection = collection
        self.shown = shown
        self._given = retriever

    async def page(self, request: PageRequest) -> Page:
        """Return a page, as an index over HTTP does."""
        return self.answer(request)

    def answer(self, request: PageRequest) -> Page:
        """Return a page."""
        total, documents, categories = self.parts(request)
        return Page(total, list(documents), categories)

    def parts(
        self, request: PageRequest, is_over: Callable[[], bool] = lambda: False
    ) -> tuple[int, Iterator[Document], dict[str, int] | None]:
        """Return the parts of a page; its documents are made one by one."""
        if request.query is None:
            numbers, scores = np.arange(len(self._collection)), None
        else:
            numbers, scores = self._retriever.search(request.query, len(self._collection), is_over)
        if request.category is not None:
            column = self._collection.categories
            fits = np.array([self._of(column, d) == request.category for d in numbers.tolist()], np.bool_)
            numbers, scores = numbers[fits], None if scores is None else scores[fits]
        shown = slice(request.skip, request.skip + request.top)
        documents = (
            self._document(d, None if scores is None else float(scores[shown][place]), request.text)
            for place, d in enumerate(numbers[shown].tolist())
        )
        counts = None
        if request.categories:
            counts = dict(Counter(self._of(self._collection.categories, d) for d in numbers.tolist()).most_common())
        return len(numbers), documents, counts

    @cached_property
    def _retriever(self) -> BM25:
        return self._given or BM25(self._collection)

    def _document(self, number: int, score: float | None, text: bool) -> Document:
        whole = self._collection
        name = self._of(whole.names, number)
        return Document(
            whole.ids[number],
            name,
            self._of(whole.files, number),
            self._of(whole.categories, number),
            whole.texts[number].removeprefix(f"{name} ") if text else "",
            score,
        )

    @staticmethod
    def _of(column: Sequence[str], number: int) -> str:
        return column[number] if column else ""
