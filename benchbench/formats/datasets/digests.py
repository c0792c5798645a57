"""Digests of the parts of data sets."""

from benchbench.formats.lines import open_input
from benchbench.formats.records import Part, records
from benchbench.tables.hashing import content_digest


def part_digest(part: Part) -> str:
    """Return a hash of the bytes of a part's files, in the order of their names; of its records where it has none."""
    digest = content_digest()
    if part.generated is not None:
        for _, record in records(part):
            digest.update(repr(record).encode(errors="surrogatepass"))
        return digest.hexdigest()
    for path in sorted(path for path in part.path.rglob("*") if path.is_file()) if part.path.is_dir() else [part.path]:
        with open_input(path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
