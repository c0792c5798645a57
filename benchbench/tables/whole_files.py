"""Files that appear whole or not at all."""

import os
from pathlib import Path

from benchbench.errors import InputError


def write_whole(path: Path, content: bytes, called: str = "") -> None:
    """Write a file under another name and rename it; a pipe or a device is written to directly.

    Parameters
    ----------
    path, content
        The file, and all that it is to hold.
    called
        What a message puts before its name, such as the option that named it.

    Raises
    ------
    InputError
        When it cannot be written; what was there before is still there.
    """
    in_place = path.exists() and not path.is_file()
    place = path if in_place else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        place.write_bytes(content)
        if not in_place:
            place.replace(path)
    except OSError as error:
        if not in_place:
            place.unlink(missing_ok=True)
        raise InputError(f"{called}{path} cannot be written: {error.strerror}") from None
