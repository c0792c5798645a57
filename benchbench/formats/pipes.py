"""Inputs that are no files: pipes, which are read once and kept, and devices, which have no end."""

import io
import os
import select
from pathlib import Path
from typing import BinaryIO

from benchbench.errors import InputError
from benchbench.tables.text_files import read_up_to

PATIENCE = 10.0  # seconds until a process has to have opened a pipe to write into it
MOST = 1 << 32  # bytes that are kept
_PART = 1 << 20


def is_file(path: Path) -> bool:
    """Say whether a path that is there is a file; a pipe is none, and of a device InputError is raised."""
    if path.is_char_device() or path.is_block_device():
        raise InputError(f"{path} is a device, not a file")
    return not path.is_fifo()


def piped(path: Path) -> BinaryIO:
    """Return what comes out of a pipe, once all of it has; InputError when nobody writes into it."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(pipe, "rb", buffering=0) as file:  # noqa: PTH123 (a path would be opened anew, and wait for ever)
        select.select([pipe], [], [], PATIENCE)
        first = file.read(_PART)  # None: somebody is there, and has not written yet
        if first == b"":
            raise InputError(f"{path} is a pipe, and no process writes to it")
        os.set_blocking(pipe, True)
        return io.BytesIO(kept(file, str(path), first or b""))


def kept(file: BinaryIO | io.FileIO, name: str, first: bytes = b"") -> bytes:
    """Return the bytes of a stream, with the first that were read before; InputError when they do not end."""
    content = read_up_to(file, MOST, first)
    if content is None:
        raise InputError(f"{name} has more than {MOST >> 20:,} MiB; give what does not fit in memory as a file")
    return content
