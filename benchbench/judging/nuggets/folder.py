"""The folder of nuggets that a judge assigned: that of a judge, and the assignments as the track's tool writes them."""

import orjson

from benchbench.formats.nuggets import Assigned, assigned_line
from benchbench.judging.folder import JudgeFolder

ASSIGNMENTS = "assignments.jsonl"


class NuggetFolder(JudgeFolder):
    """The folder; answers are written when all their nuggets are assigned."""

    kind = "run of a judge of nuggets"
    files = (*JudgeFolder.files, ASSIGNMENTS)

    def write(self, one: Assigned) -> None:
        """Store an answer with its assignments."""
        self._append(ASSIGNMENTS, orjson.dumps(assigned_line(one), option=orjson.OPT_APPEND_NEWLINE))
