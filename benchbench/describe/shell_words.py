"""A command line as shells split it: quotes, escapes and continued lines of POSIX shells and of Windows' `cmd`.

Nothing is run. A variable becomes `${NAME}`, whichever way the shell writes it.
"""

import re

from benchbench.errors import InputError

_ENDS = "|;<>&"  # of a command, where a word would begin
_NAME = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_PLAIN = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_LAST = re.compile(r";(?:\s|$)")
_BEFORE = re.compile(r"(?:\s*(?:```.*|#(?!\s*curl\b).*)(?:\n|$))+")  # comments, and marks around code
_CARET = re.compile(r"\^(?:\r?\n(\r?\n)?|(.))", re.DOTALL)
_CONTINUED_BY_CARET = re.compile(r"\^[ \t]*\r?\n")


def split(line: str) -> list[str]:
    """Return the words of the first command of a line, or of several lines that continue each other.

    Raises
    ------
    InputError
        A quote that is not closed, or a command inside the command.
    """
    line = _BEFORE.sub("", line).strip()
    if '^"' in line:  # browsers escape every quote for `cmd`
        return _windows(_CARET.sub(lambda caret: caret[2] or ("\n" if caret[1] else " "), line))
    if _CONTINUED_BY_CARET.search(line):
        return _windows(_CONTINUED_BY_CARET.sub(" ", line))
    return _posix(line)


def _posix(line: str) -> list[str]:
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(line):
        character, two = line[at], line[at : at + 2]
        if two in ("\\\n", "`\n") or line.startswith(("\\\r\n", "`\r\n"), at):
            at = line.index("\n", at) + 1
            continue
        if character.isspace():
            words += [] if word is None else ["".join(word)]
            word = None
            if character == "\n" and words and not line[at:].lstrip().startswith("-"):  # an option goes on all the same
                break
            at += 1
            continue
        if character == "|" or (character in _ENDS if word is None else _LAST.match(line, at)):
            break
        if character == ">" and word in (["1"], ["2"]):
            return words
        word = [] if word is None else word
        if character == "'":
            end = _closing(line, at, "'")
            word.append(line[at + 1 : end])
        elif two == "$'":
            end = _closing(line, at + 1, "'", escapes=True)
            word.append(_unescaped(line[at + 2 : end]))
        elif character == '"' or two == '$"':
            start = at + len(two) - 1 if two == '$"' else at
            end = _closing(line, start, '"', escapes=True)
            word.append(_in_quotes(line[start + 1 : end]))
        elif character == "\\":
            end = at + 1
            word.append(line[end : end + 1])
        else:
            text, end = _variable(line, at)
            word.append(text)
        at = end + 1
    if word is not None:
        words.append("".join(word))
    return words


def _closing(line: str, opening: int, quote: str, escapes: bool = False) -> int:
    at = opening + 1
    while at < len(line) and line[at] != quote:
        at += 2 if escapes and line[at] == "\\" else 1
    if at >= len(line):
        raise InputError(
            f"the curl line has a quote ({quote}) that is not closed: was it cut by the quotes around it? "
            "`--from-curl -` reads it from standard input, and `--from-curl @FILE` from a file"
        )
    return at


def _in_quotes(text: str) -> str:
    """Return what stands between double quotes."""
    parts, at = [], 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in ("\\", '"', "$", "`"):
            parts.append(text[at + 1])
            at += 2
        elif text.startswith("\\\n", at):
            at += 2
        else:
            part, end = _variable(text, at)
            parts.append(part)
            at = end + 1
    return "".join(parts)


def _variable(text: str, at: int) -> tuple[str, int]:
    """Return the variable or the character at a place, and the place of its last character."""
    if text.startswith("$(", at) or text[at] == "`":
        raise InputError(
            "the curl line runs a command inside it, $(…) or `…`: put its value into a variable, and write $NAME there"
        )
    name = _NAME.match(text, at)
    return (f"${{{name[1] or name[2]}}}", name.end() - 1) if name else (text[at], at)


def _unescaped(text: str) -> str:
    """Return what stands in `$'…'`: bytes may be given one by one, and characters as the halves of UTF-16."""
    parts, end = bytearray(), 0
    for escape in _ESCAPE.finditer(text):
        parts += text[end : escape.start()].encode("utf-8", "surrogatepass")
        end = escape.end()
        byte, four, eight, octal, other = escape.groups()
        if byte or octal:
            parts.append(int(byte, 16) if byte else int(octal, 8) & 255)
        elif other:
            parts += _PLAIN.get(other, other if other in "\\'\"?" else f"\\{other}").encode("utf-8", "surrogatepass")
        else:
            code = int(four or eight, 16)
            parts += chr(code if code < 0x110000 else 0xFFFD).encode("utf-8", "surrogatepass")
    parts += text[end:].encode("utf-8", "surrogatepass")
    whole = bytes(parts).decode("utf-8", "surrogatepass" if _is_text(parts) else "replace")
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_text(parts: bytearray) -> bool:
    try:
        parts.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _windows(line: str) -> list[str]:
    """Return the words of a line as programs on Windows read them: only `"` quotes, and only it is escaped."""
    words: list[str] = []
    word: list[str] | None = None
    at, quoted = 0, False
    while at < len(line):
        slashes = len(line) - at - len(line[at:].lstrip("\\"))
        if slashes and line[at + slashes : at + slashes + 1] == '"':
            word = [*(word or []), "\\" * (slashes // 2)]
            at += slashes
            if slashes % 2:
                word.append('"')
                at += 1
            continue
        character = line[at]
        at += 1
        if character.isspace() and not quoted:
            words += [] if word is None else ["".join(word)]
            word = None
            continue
        word = [] if word is None else word
        if character == '"':
            quoted = not quoted
        else:
            word.append(character)
    if quoted:
        raise InputError('the curl line has a quote (") that is not closed')
    return words if word is None else [*words, "".join(word)]
