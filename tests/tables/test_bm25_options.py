import pytest

from benchbench.errors import InputError
from benchbench.experiment import Settings
from benchbench.tables.bm25_options import BM25Options


@pytest.mark.parametrize("where", [{"url": "http://127.0.0.1:1"}, {"targets": {"a": "http://127.0.0.1:1"}}])
def test_options_of_the_embedded_retriever_are_refused_where_none_is_started(where: dict[str, object]):
    with pytest.raises(InputError, match=r"^--analysis, --k1 and --b are options of the embedded BM25, which is not"):
        Settings("synthetic-cases", bm25=BM25Options(k1=1), **where)  # type: ignore[arg-type]


def test_options_that_are_given_are_arguments_of_serve():
    assert BM25Options().arguments() == ["--analysis", "auto"]
    assert BM25Options("words", 2, 0).arguments() == ["--analysis", "words", "--k1", "2.0", "--b", "0.0"]
