"""The grammars of citations, one per jurisdiction; each is loaded with the first text that is read by it."""

from benchbench.answers.citations.citation import Citation, Extract


def _uk(text: str) -> list[Citation]:
    from benchbench.answers.citations import uk

    return uk.extract(text)


def _jp(text: str) -> list[Citation]:
    from benchbench.answers.citations import jp

    return jp.extract(text)


def _cn(text: str) -> list[Citation]:
    from benchbench.answers.citations import cn

    return cn.extract(text)


GRAMMARS: dict[str, Extract] = {"uk": _uk, "jp": _jp, "cn": _cn}
