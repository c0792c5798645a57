"""The help of a command with many options: examples first, then options under headings, a line each."""

import inspect
from collections.abc import Iterator

import click

from benchbench.results.settings import ADVANCED, MEASURED, SECTIONS

MANY = 12  # options: of more, headings tell where to look
_EXAMPLES = "Examples\n--------\n"  # of a docstring
_COLUMN = 23  # columns of an option: longer ones have their text behind them
_SHORT = {"INTEGER": "N", "NUMBER": "X"}
_LONGEST = 14  # characters of words to choose from that stand with the option


def split(docstring: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what a docstring says, and its examples: a command line and what it is for each."""
    text, _, lines = inspect.cleandoc(docstring).partition(_EXAMPLES)
    examples = [line.partition("  #") for line in lines.splitlines() if line.strip()]
    return text.rstrip(), [(command.strip(), what.strip()) for command, _, what in examples]


def shown(command: click.Command, context: click.Context) -> list[click.Option]:
    """Return the options that the help has."""
    return [param for param in command.get_params(context) if isinstance(param, click.Option) and not param.hidden]


def write_examples(examples: list[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    """Write examples: what each is for stands behind it where there is room, else below."""
    formatter.write(f"\n{_heading('Examples')}\n")
    column = max((len(line) for line, _ in examples), default=0) + 2
    for line, what in examples:
        beside = column + 2 + len(what) <= formatter.width + 2
        formatter.write(f"  {line:<{column}}{what}".rstrip() + "\n" if beside else f"  {line}\n      {what}\n")


def write_sections(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the options under their headings."""
    options = shown(command, context)
    for section in SECTIONS:
        rows = [row(option) for option in options if section_of(option) == section]
        if rows:
            formatter.write(f"\n{_heading(section)}\n")
            formatter.write("".join(f"{line}\n" for each in rows for line in _lines(*each, formatter.width + 2)))


def section_of(option: click.Option) -> str:
    """Return the heading that an option stands under."""
    return ADVANCED if "--help" in option.opts else getattr(option, "section", "") or MEASURED


def row(option: click.Option) -> tuple[str, str]:
    """Return the names of an option with what stands for its value, and its text with its default."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        names += f" / {option.secondary_opts[0]}"
    text = (option.help or "").removesuffix(".")
    text, _, told = text.partition("  [default: ")
    default = told.removesuffix("]").strip("()") or (_default(option) if option.show_default else "")
    metavar = "" if option.is_flag else option.metavar or ""
    if isinstance(option.type, click.Choice) and "…" not in text:  # it names the usual ones itself
        words = "|".join(option.type.choices)
        metavar = words if len(words) <= _LONGEST else "NAME"
        if metavar != words and not all(word in f"{text} {default}" for word in option.type.choices):
            text = f"{text.removesuffix('.')}: {words.replace('|', ', ')}"
    elif not metavar and not option.is_flag:
        metavar = _SHORT.get(option.type.name.upper(), option.type.name.upper())
    return f"{names} {metavar}".rstrip(), text.removesuffix(".") + (f" [{default}]" if default else "")


def _default(option: click.Option) -> str:
    value = option.default
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return "" if value is None or callable(value) else f"{value:g}" if isinstance(value, float) else f"{value}"


def _lines(names: str, text: str, width: int) -> Iterator[str]:
    """Yield the lines of an option: one where it fits."""
    import textwrap

    start = f"  {names:<{_COLUMN}}  "
    if len(start) + len(text) <= width:
        yield (start + text).rstrip()
    else:
        yield from textwrap.wrap(start + text, width, subsequent_indent=" " * (_COLUMN + 4))


def _heading(text: str) -> str:
    return click.style(text, bold=True)
