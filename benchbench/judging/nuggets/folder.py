"""The folder of nuggets that a judge assigned: that of a judge, and the assignments as the track's tool writes them."""

import orjson

from benchbench.formats.nuggets import Assigned, assigned_line
from benchbench.judging.folder import JudgeFolder
from benchbench.results.folder import explained

ASSIGNMENTS = "assignments.jsonl"


class NuggetFolder(JudgeFolder):
    """The folder; answers are written when all their nuggets are assigned."""

    kind = "run of a judge of nuggets"

    def _prepare(self) -> None:
        super()._prepare()
        self._files[ASSIGNMENTS] = (self.partial / ASSIGNMENTS).open("wb", buffering=0)

    def write(self, one: Assigned) -> None:
        """Store an answer with its assignments."""
        with explained(self.partial):
            self._files[ASSIGNMENTS].write(orjson.dumps(assigned_line(one), option=orjson.OPT_APPEND_NEWLINE))
