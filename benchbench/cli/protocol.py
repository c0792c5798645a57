"""`benchbench protocol [NAME|FILE]` and `benchbench protocol --from-curl LINE`."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli import files
from benchbench.cli.options import Force, ProtocolOptions, ReachOptions, pairs
from benchbench.cli.parameters import on_the_line
from benchbench.cli.signatures import Argument, described_command
from benchbench.client.protocols import BUILT_IN
from benchbench.errors import visible
from benchbench.results.settings import Opt, TopK

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.describe.curl import CurlRequest
    from benchbench.describe.guess_request import Draft
    from benchbench.describe.trial import Understood

_QUERY = "what is a search engine"  # where nothing says what to ask for
_SHOWN = 60  # characters of a text in the table
_READ = 4_000  # characters of a text that are read to show its beginning
_LONGEST = 2_000  # characters of their names
_KEYS = 30  # members of hits that are named


@described_command("protocol")
def command(
    context: click.Context,
    words: Annotated[tuple[str, ...], Argument("[NAME|FILE | -- curl …]")] = (),
    from_curl: Annotated[
        str | None,
        Opt("Describe a service from a curl line.", metavar="LINE|@FILE|-"),
    ] = None,
    url: Annotated[str | None, Opt("Service to try a protocol on.", metavar="URL")] = None,
    query: Annotated[str | None, Opt("Text to ask for.", default="that of the curl line", metavar="TEXT")] = None,
    top_k: TopK = 10,
    query_place: Annotated[str | None, Opt("Where the query stands, as params.q.", metavar="PLACE")] = None,
    top_k_place: Annotated[str | None, Opt("Where the number of hits stands, as body.size.", metavar="PLACE")] = None,
    out: Annotated[Path | None, Opt("File to write the description to.", default="standard output")] = None,
    no_try: Annotated[bool, Opt("Send nothing.")] = False,
    allow_files: Annotated[bool, Opt("Read files that the curl line names.")] = False,
    protocol_options: ProtocolOptions = (),
    *,
    reach: ReachOptions,
    force: Force = False,
    quiet: bool,
) -> None:
    """Describe a search service from a curl line, and show what is understood of its answer.

    `--from-curl` takes the line as browsers and documentation have it, writes the description in TOML, asks the service
    once, and finds the hits in its answer. Where the shell's quotes are in the way, `benchbench protocol -- curl …`
    takes the words of the line. Secrets become variables of the environment, and are written nowhere. A file of
    this machine that the line names (-d @FILE, -H @FILE) is read where you say so: on a terminal, or by --allow-files.

    With NAME or FILE it shows the request of a protocol, and with --url tries it; without anything it lists the
    protocols that are built in. Exit codes: 2 for a line that cannot be understood, 3 where nothing answers, 4 where no
    hit was understood.

    Examples
    --------
    benchbench protocol --out my.toml -- curl 'http://127.0.0.1:8000/q?text=phone'  # describe a service
    benchbench protocol elasticsearch  # show a built-in protocol
    benchbench protocol my.toml --url http://127.0.0.1:8000  # try it
    """
    from benchbench.errors import InputError

    for name in ("retry_for", "retries"):
        if on_the_line(context, name):
            raise InputError(f"--{name.replace('_', '-')} is not for protocol: it asks once")
    is_line = from_curl is not None or words[:1] == ("curl",)
    if from_curl is not None and words:
        raise InputError("--from-curl takes the whole line as one text; give nothing beside it, or `-- curl …` instead")
    if not is_line:
        for name in ("query_place", "top_k_place", "out", "allow_files"):
            if on_the_line(context, name):
                raise InputError(f"--{name.replace('_', '-')} is for --from-curl")
        if len(words) > 1:
            raise InputError(
                f"{visible(words[1])} is one argument too many: name one protocol, or begin with `-- curl`"
            )
        if not words:
            _list()
            return
        _show(words[0], url, query, top_k, pairs(protocol_options, "--protocol-option"), reach, no_try)
        return
    if url is not None or protocol_options:
        raise InputError("--url and --protocol-option are for a protocol that there is; the curl line has its URL")
    if out is not None:
        files.check_place("out", out)
        if out.suffix != ".toml":
            raise InputError(f"--out {out}: a description ends in .toml")
        if out.exists() and not force:
            raise InputError(f"--out {out} exists already; --force replaces it")
    from benchbench.describe.curl import parse

    line = words if from_curl is None else _line(from_curl)
    request = parse(line, lambda name: allow_files or (from_curl != "-" and _may_read(name)))
    _from_curl(request, out, query, top_k, query_place, top_k_place, None if no_try else reach, quiet)


def _may_read(name: str) -> bool:
    """Ask on a terminal whether a file may be read; elsewhere nobody can say so."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    return click.confirm(f"The curl line sends what is in the file {visible(name)} of this machine. Read it?", err=True)


def _line(given: str) -> str:
    from benchbench.errors import InputError

    if given == "-":
        return sys.stdin.read()
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"--from-curl {visible(given)} cannot be read: {reason}") from None


def _list() -> None:
    """Print the protocols that are built in."""
    from benchbench.client.descriptions import built_in

    width = max(map(len, BUILT_IN))
    for name in BUILT_IN:
        method, path, options, remark = built_in(name)
        parts = (f"{method} {path}", f"options {', '.join(options)}" if options else "", remark)
        click.echo(f"{name:<{width}}  {'; '.join(filter(None, parts))}")
    click.echo("\nAny other service is described by a file: benchbench protocol --from-curl 'curl …' writes one.")


def _show(
    name: str,
    url: str | None,
    query: str | None,
    top_k: int,
    options: Mapping[str, str],
    reach: ReachOptions,
    no_try: bool,
) -> None:
    """Show the request of a protocol, and what its service answers."""
    from benchbench.client.descriptions import profile
    from benchbench.client.service import Service
    from benchbench.client.sync import run_sync
    from benchbench.describe.trial import ask, request_text, understood

    service = Service(url or "http://127.0.0.1:8000", profile(name, options), connections=1, **reach())
    texts = [query or _QUERY]
    click.echo(_safe(request_text(service, texts, top_k)))
    if url is None or no_try:
        return
    body = run_sync(ask(service, texts, top_k))
    _end(service, understood(service, body, 1, top_k), _keys(body), click.echo)


def _from_curl(
    request: "CurlRequest",
    out: Path | None,
    query: str | None,
    top_k: int,
    query_place: str | None,
    top_k_place: str | None,
    reach: ReachOptions | None,
    quiet: bool,
) -> None:
    """Write the description of the request of a curl line, and try it."""
    import os

    from benchbench.client.descriptions import described
    from benchbench.client.service import Service
    from benchbench.client.sync import run_sync
    from benchbench.client.templates import variables
    from benchbench.describe.guess_hits import guess
    from benchbench.describe.guess_request import draft
    from benchbench.describe.trial import ask, understood
    from benchbench.errors import InputError

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    made = draft(request, query, query_place, top_k_place)
    description = made.description
    environment = {**os.environ, **made.environment}
    unset = sorted(name for name in variables(description) if not environment.get(name))
    asked = described("curl", description, {}, "--from-curl", {**environment, **dict.fromkeys(unset, "unset")})
    _tell(made, say)
    if reach is None or unset:
        _write(made, description, out)
        _next(made, out, say)
        if reach is not None:
            raise InputError(f"the environment variable {unset[0]} is not set, so that nothing was tried; export it")
        return
    texts = [query or made.query or _QUERY]
    texts = texts if asked.one_query else texts * 2
    service = Service(made.url, asked, connections=1, **reach())
    try:
        body = run_sync(ask(service, texts, top_k))
    except BaseException:
        _write(made, description, out)
        raise
    guessed = guess(_parsed(body), None if asked.one_query else len(texts))
    description |= {"results": guessed.results} if guessed.results else {}
    _write(made, description, out)
    full = described("curl", description, {}, "--from-curl", environment)
    for name in guessed.missing if guessed.results else ():
        say(f'No {name} was found in the hits: add  {name} = "MEMBER"  under [results].')
    tried = Service(made.url, full, connections=1, **reach())
    _end(tried, understood(tried, body, len(texts), top_k), guessed.keys, say)
    _next(made, out, say)


def _parsed(body: bytes) -> Any:
    from benchbench.client.decode import parsed
    from benchbench.client.response_layout import ProtocolError

    try:
        return parsed(body)
    except ProtocolError:
        return None


def _keys(body: bytes) -> list[str]:
    from benchbench.describe.guess_hits import guess

    return guess(_parsed(body)).keys


def _tell(made: "Draft", say: Callable[[str], None]) -> None:
    others = f" It could be {_safe(', '.join(made.others))} too: --query-place names it." if made.others else ""
    say(f"The text of the query stands at {_safe(made.query_at)}.{others}")
    if made.top_k_at:
        say(f"The number of hits stands at {_safe(made.top_k_at)}.")
    else:
        say(
            "Nothing says how many hits are asked for, so the service decides: "
            "--top-k-place params.NAME, or body.NAME, adds it."
        )
    for note in made.notes:
        say(f"Note: {_safe(note)}.")


def _write(made: "Draft", description: Mapping[str, Any], out: Path | None) -> None:
    from benchbench.describe.toml_lines import toml

    text = (
        f"# benchbench run --url {_safe(made.url)} --protocol {visible(out.name) if out else 'FILE.toml'}\n"
        f"{toml(description)}"
    )
    if out is None:
        click.echo(text, nl=False)
    else:
        files.write("out", out, text)


def _next(made: "Draft", out: Path | None, say: Callable[[str], None]) -> None:
    for name in made.environment:
        value = "$(printf %s USER:PASSWORD | base64 | tr -d '\\n')" if name in made.logins else "…"
        say(f"Before it runs:  export {name}={value}  (the curl line sends its value; it is stored nowhere)")
    if out is not None:
        say(f"Then:  benchbench run --url {_safe(made.url)} --protocol {_safe(str(out))} --dataset DATASET")


def _end(service: "Service", answer: "Understood", keys: list[str], say: Callable[[str], None]) -> None:
    """Show the hits that were understood; TooManyFailuresError without any."""
    from benchbench.client.transport import endpoint, shown
    from benchbench.errors import TooManyFailuresError

    secrets = service.secrets()
    named = ", ".join(keys[:_KEYS]) + (f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else "")
    usable = [hit for hit in answer.hits if hit[0] or hit[2]]
    if usable:
        rows = [("Rank", "Id", "Score", "Text"), *(
            (str(rank), name or "-", _number(score), text or "-")
            for rank, (name, score, text) in enumerate(answer.hits, 1)
        )]  # fmt: skip
        cells = [[_cell(secrets.hide(cell[:_READ])) for cell in row] for row in rows]  # a cut secret is not found
        widths = [max(len(row[n]) for row in cells) for n in range(3)]
        for row in cells:
            padded = (f"{row[n]:>{widths[n]}}" if n in (0, 2) else f"{row[n]:<{widths[n]}}" for n in range(3))
            say("  ".join((*padded, row[3])).rstrip())
    if named:
        say(f"Members of the hits: {visible(secrets.hide(named), _LONGEST)}.")
    for fault, count in answer.faults.items():
        say(f"{fault}: {count}")
    if not usable:
        reason, advice = (
            answer.problem,
            "[results] of the description says where they are: hits, id, score and text, as JMESPath",
        )
        if reason is None and answer.hits:
            reason = f"none of {len(answer.hits)} hits has an id or a text"
        elif reason is None:
            reason, advice = "the list of hits is empty", "does the query find anything? --query TEXT asks another one"
        elif "[]" in reason:
            advice = f"does the query find anything? --query TEXT asks another one. If it does, {advice}"
        elif reason.startswith("the body is not JSON"):
            advice = "is this the address that programs ask, and not a page for people?"
        where = shown(endpoint(service.url, service.profile.path, service.profile.placed))
        raise TooManyFailuresError(
            f"{where} answers, and no hit was understood: {visible(secrets.hide(reason))}; {advice}"
        )


def _number(score: Any) -> str:
    return f"{score:.6g}" if isinstance(score, int | float) and not isinstance(score, bool) else "-"


def _cell(text: str) -> str:
    return visible(" ".join(text.split())[:_SHOWN])


def _safe(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))
