"""A chart as a picture that stands alone, in a notebook or a file."""

from dataclasses import dataclass
from pathlib import Path

from benchbench.errors import InputError
from benchbench.tables.whole_files import write_whole

_SUFFIXES = (".svg", ".png")
_SHARPNESS = 2  # pixels of a PNG per pixel of the drawing: text stays sharp on paper and on dense screens


@dataclass(frozen=True)
class Figure:
    """A chart as a picture that stands alone; a notebook shows it.

    Attributes
    ----------
    name
        As the page has it.
    svg
        A whole file, with its styles and its background.
    """

    name: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture as SVG or PNG, as the name of the file ends; the file appears whole or not at all.

        Raises
        ------
        InputError
            When the name ends in something else, the file cannot be written, or what makes PNG is not installed.
        """
        path = Path(path)
        check_suffix(path)
        write_whole(path, self.svg.encode() if path.suffix.lower() == ".svg" else _png(self.svg))
        return path


def check_suffix(path: Path) -> None:
    """Refuse the name of a file that is neither SVG nor PNG."""
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"a figure is written as {' or '.join(_SUFFIXES)}; {path} ends in neither")


def _png(svg: str) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise InputError("PNG needs resvg-py: pip install resvg-py, or name a file that ends in .svg") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_SHARPNESS, sans_serif_family="DejaVu Sans"))
