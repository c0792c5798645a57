"""The grammars of citations, one per jurisdiction."""

from benchbench.answers.citations import cn, jp, uk
from benchbench.answers.citations.citation import Extract

GRAMMARS: dict[str, Extract] = {"uk": uk.extract, "jp": jp.extract, "cn": cn.extract}
