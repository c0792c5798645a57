"""The files of the parts of data sets, and their digests."""

from pathlib import Path

from benchbench.formats.lines import open_input
from benchbench.formats.records import Part, records
from benchbench.tables.hashing import content_digest


def part_files(part: Part) -> list[Path]:
    """Return the files of a part, in the order of their names; none where it comes from no file."""
    if part.path.is_dir():
        return sorted(path for path in part.path.rglob("*") if path.is_file())
    return [part.path] if part.path.is_file() else []


def part_digest(part: Part) -> str:
    """Return a hash of the bytes of a part's files; of its records where it has none."""
    digest = content_digest()
    if part.generated is not None:
        for _, record in records(part):
            digest.update(repr(record).encode(errors="surrogatepass"))
        return digest.hexdigest()
    for path in part_files(part) or [part.path]:
        with open_input(path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
