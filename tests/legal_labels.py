"""The labels of criminal cases, as the four tasks of the Chinese data compare them."""

from benchbench.tables.labels import Kind, Label, LabelSchema, Path

_SENTENCE = ("imprisonment", "term_of_imprisonment")


def _paths(*paths: Path) -> tuple[Path, ...]:
    return (*paths, *(("meta", *path) for path in paths))


def _label(name: str, kind: Kind, *paths: Path, ignore: str = "") -> Label:
    return Label(name, kind, _paths(*paths), _paths(*paths), ignore)


SCHEMA = LabelSchema(
    (
        _label("accusation", Kind.SET, ("accusation",), ignore="[]"),
        _label("article", Kind.SET, ("relevant_articles",), ("articles",), ignore="[]"),
        _label(
            "imprisonment", Kind.NUMBER, *(path for name in _SENTENCE for path in ((name,), (name, "imprisonment")))
        ),
        _label("death", Kind.FLAG, *((name, "death_penalty") for name in _SENTENCE)),
        _label("life", Kind.FLAG, *((name, "life_imprisonment") for name in _SENTENCE)),
    )
)
