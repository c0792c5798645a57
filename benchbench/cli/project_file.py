"""`benchbench.toml`: options of a project, one table per command. The command line wins."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchbench.cli import help_text
from benchbench.cli.parameters import PATH, PLACE, WRITTEN, Address, Named, Option, long_name
from benchbench.errors import BadLineError, InputError, visible
from benchbench.tables.names import PROJECT_FILE

NAME = "benchbench.toml"
_FILE = "benchbench.file"  # in a context's `meta`: the path of the project file that is used
_SOURCES = {"COMMANDLINE": "command line", "ENVIRONMENT": "environment"}


class Command(click.Command):
    """A command that takes options from the project file, and says the present name of an option with an old one."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and examples of it."""
        text, examples = help_text.split(self.help or "")
        for paragraph in filter(None, text.split("\n\n")):
            formatter.write("\n")
            formatter.write_text(paragraph)
        if examples:
            help_text.write_examples(examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; many stand under headings."""
        if len(help_text.shown(self, ctx)) > help_text.MANY:
            help_text.write_sections(self, ctx, formatter)
        else:
            super().format_options(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the line, and the file for options that are not on the line."""
        path = None if ctx.resilient_parsing or ctx.parent is None else found()
        if path is not None:
            _use(path, ctx, args)
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing and not ctx.params.get("quiet"):
            _tell(ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and say of a bad line that it can be passed over where the command has that option."""
        try:
            return super().invoke(ctx)
        except BadLineError as error:
            if "skip_bad_lines" in ctx.params:
                error.add_note("--skip-bad-lines counts such lines and goes on")
            raise


def found() -> Path | None:
    """Return the project file: in the current folder, or the nearest above it up to the home folder."""
    named = os.environ.get(PROJECT_FILE)
    if named is not None:
        return Path(named).absolute() if named else None
    try:
        here = Path.cwd()
    except OSError:  # the folder was deleted
        return None
    home = os.path.expanduser("~")  # noqa: PTH111  # a home that nobody knows is no error
    for folder in (here, *here.parents):
        if os.path.isfile(folder / NAME):  # noqa: PTH113  # a folder that may not be searched has none
            return folder / NAME
        if str(folder) == home:
            return None
    return None


def sources(context: click.Context) -> dict[str, str]:
    """Return where each value comes from, by the option's long name with `_`, and by the name that the command has.

    Returns
    -------
    dict[str, str]
        `command line`, the path of the project file, `environment` or `default`.
    """
    by_parameter, by_option = {}, {}
    for param in context.command.params:
        if param.expose_value and param.name:
            source = context.get_parameter_source(param.name)
            from_file = source is click.core.ParameterSource.DEFAULT_MAP
            where = str(context.meta[_FILE]) if from_file else _SOURCES.get(source.name if source else "", "default")
            by_parameter[param.name] = where
            if isinstance(param, click.Option):
                by_option[long_name(param).lstrip("-").replace("-", "_")] = where
    return by_parameter | by_option  # an option of that name wins over another that is called so in the command


def _use(path: Path, ctx: click.Context, args: list[str]) -> None:
    """Make the values in the file's table the defaults of the line."""
    given = {key.split(" ")[0] for key in ctx.command.make_parser(ctx).parse_args(list(args))[0]}
    if any(param.is_eager and param.name in given for param in ctx.command.get_params(ctx)):
        return  # --help and its like run nothing
    from benchbench.tables.text_files import read_whole, toml_value

    try:
        with path.open("rb") as file:
            content = read_whole(file, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    table: Any = toml_value(content, str(path)) if content.strip() else {}
    names: list[str] = []
    for context in _line(ctx):
        group = context.parent.command if context.parent else None
        if isinstance(group, click.Group) and context.parent:
            place = _place(names, path)
            _are_tables(table, place)
            _known(table, group.list_commands(context.parent), "table", "command", place)
        names.append(str(context.info_name))
        table = table.get(context.info_name, {})
    ctx.meta[_FILE], ctx.meta[PLACE] = path, _place(names, path)
    replaced = {name for param in ctx.command.params if isinstance(param, Option) and param.name in given
                for name in param.instead_of}  # fmt: skip
    values = _values(table, ctx.command.params, path.parent, ctx.meta[PLACE])
    ctx.default_map = {name: value for name, value in values.items() if name not in replaced}


def _line(ctx: click.Context) -> list[click.Context]:
    """Return the contexts from the first command to the last, without the program's own."""
    contexts = [ctx]
    while (parent := contexts[0].parent) is not None:
        contexts.insert(0, parent)
    return contexts[1:]


def _place(names: Sequence[str], path: Path) -> str:
    return f"[{'.'.join(names)}] in {path}" if names else str(path)


def _are_tables(table: Mapping[str, Any], place: str) -> None:
    for key, value in table.items():
        if not isinstance(value, dict):
            raise InputError(f"{place} has a key {visible(repr(key))} outside the table of a command")


def _known(table: Mapping[str, Any], names: Sequence[str], what: str, of: str, place: str) -> None:
    import difflib

    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            meant = f"the nearest {of} is {near[0]}" if near else f"there are {', '.join(names) or 'none'}"
            raise InputError(f"{place} has a {what} {visible(repr(key))}, and there is no such {of}; {meant}")


def _values(table: Mapping[str, Any], params: Sequence[click.Parameter], folder: Path, place: str) -> dict[str, Any]:
    """Return the values of the table by parameter, as the command line would have them."""
    taken: dict[str, click.Option] = {}
    on_line = set()
    for param in params:
        if isinstance(param, click.Option) and not param.hidden:
            if param.expose_value and not param.is_eager:
                taken[long_name(param).lstrip("-")] = param
            else:
                on_line.add(long_name(param).lstrip("-"))
    values: dict[str, Any] = {}
    for written, value in table.items():
        key = written.replace("_", "-")
        renamed = next((name for name, one in taken.items() if f"--{key}" in getattr(one, "old", ())), None)
        if renamed is not None:
            raise InputError(f"{place} has a key {written!r}; it is called {renamed}")
        if key in on_line:
            raise InputError(f"{place} has a key {written!r}; it works on the command line only, as --{key}")
        if key not in taken:
            _known({written: value}, [*taken], "key", "option", place)
        param = taken[key]
        if param.name in values:
            raise InputError(f"{place} has {key} twice, once with `-` and once with `_`")
        values[str(param.name)] = _value(value, param, folder, f"{key} of {place}")
    return values


def _value(value: Any, param: click.Option, folder: Path, name: str) -> Any:
    if param.multiple:
        return [_single(one, param, folder, name) for one in (value if isinstance(value, list) else [value])]
    return _single(value, param, folder, name)


def _single(value: Any, param: click.Option, folder: Path, name: str) -> Any:
    """Return one value, its path from the file's folder; InputError when it is of another type."""
    if param.is_flag:
        wanted = "true or false" if not isinstance(value, bool) else ""
    else:
        is_text = param.type is click.STRING or isinstance(param.type, Named | Address)
        wanted = "a text" if is_text and not isinstance(value, str) else ""
    if wanted:
        raise InputError(f"{name} is {wanted}, and not {visible(repr(value))}")
    if param.type is PATH and isinstance(value, str) and value not in ("", "-"):
        return str(folder / value)
    if isinstance(param.type, Address) and "://" not in value:
        return str(folder / value)
    if isinstance(param.type, Named) and (os.sep in value or os.path.exists(folder / value)):  # noqa: PTH110  # any text
        return str(folder / value)
    return value


def _tell(ctx: click.Context) -> None:
    """Say which options have another name, and that the file was used."""
    given = ctx.meta.get(WRITTEN, {})
    for param in (one for one in ctx.command.params if isinstance(one, Option)):
        for name in given.get(param.name, ()):
            if name in param.old:
                click.echo(f"{name} is called {long_name(param)}", err=True)
    if any(where == str(ctx.meta.get(_FILE)) for where in sources(ctx).values()):
        click.echo(f"Options of {ctx.meta[PLACE]}", err=True)
