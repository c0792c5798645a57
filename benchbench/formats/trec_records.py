"""Documents and topics as TREC has them: SGML that is no well-formed XML, and XML.

Tags are found by looking, and no parser of XML is used: nothing is fetched, no entity is defined, and none is expanded
but those of HTML and numbers of characters. Documents are records of id, title and text. Topics are records of id and
of whatever else they have, under the names of their tags: title, desc, narr, query, question, ….
"""

import codecs
import html
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from benchbench.errors import InputError
from benchbench.formats.lines import LONGEST, text_lines

_BLOCK = re.compile(r"<(doc|top|topic)(?=[\s>])([^>]*)>", re.IGNORECASE)
_FIELD = re.compile(r"<([a-z][\w-]*)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_TAG = re.compile(r"<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|</?[a-z][^<>]*>|<[!?][^<>]*>", re.IGNORECASE | re.DOTALL)
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
_TITLES = ("title", "headline", "hl", "head", "ti")
_NAMELESS = ("docno", "docid", "dochdr", "docoldno")  # what is no text
_IDS = ("number", "num", "id", "qid")
_TAGS = "num|title|desc|narr|dom|head|smry|con|fac|def|nat|time|hist|query|question|description|narrative"
_NEXT = re.compile(rf"<(?:{_TAGS})\b[^<>]*>", re.IGNORECASE)  # of a topic; a tag of layout within a field is none
_LABELS = re.compile(r"^\s*(?:number|topic|title|description|narrative)\s*:\s*", re.IGNORECASE)
_HEAD = 1 << 12


def trec_records(
    file: BinaryIO,
    path: Path,
    encoding: str | None,
    skip_bad: bool,
    only: Collection[str] | None,
    digest: Any,
) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yield the documents or topics of an open file and their numbers from 1; None for one that cannot be read.

    Parameters
    ----------
    file, path
        The open file, and what it is called.
    encoding
        A Python codec name; None: as the file declares it, else the UTF encodings.
    skip_bad
        Yield None for what is bad, instead of raising.
    only
        Members that are needed; without "text" and "title", documents have an id alone.
    digest
        Is fed the file's bytes; None for none.

    Raises
    ------
    InputError
        An element without a number or that is not closed; a file without one; what cannot be decoded.
    """
    encoding = encoding or _declared(file, path)
    number = 0
    for number, (kind, line, attributes, content) in enumerate(
        _blocks(text_lines(file, path, encoding, skip_bad, digest), path), 1
    ):
        try:
            if content is None:
                raise InputError("it is not closed, or has a line that cannot be read")
            ids_only = only is not None and not {"text", "title"} & {*only}
            yield number, _document(content, ids_only) if kind == "doc" else _topic(attributes, content)
        except InputError as problem:
            if not skip_bad:
                raise InputError(f"{path}, line {line}: <{kind}>: {problem}") from None
            yield number, None
    if number == 0:
        raise InputError(f"{path} has neither documents (<DOC>) nor topics (<top> or <topic>) of TREC")


def _declared(file: BinaryIO, path: Path) -> str | None:
    """Return the encoding that the declaration of XML names, if it is one."""
    declared = _DECLARED.match(file.read(_HEAD).removeprefix(codecs.BOM_UTF8))
    file.seek(0)
    if declared is None:
        return None
    name = declared[1].decode()
    try:
        known = codecs.lookup(name).name
    except LookupError:
        raise InputError(
            f"{path} declares the encoding {name}, which is not a known one; name it with --encoding"
        ) from None
    return None if known.startswith("utf-") else known


def _blocks(lines: Iterator[tuple[int, str | None]], path: Path) -> Iterator[tuple[str, int, str, str | None]]:
    """Yield tag, line, attributes and content of each document or topic; None for a content that is bad.

    A topic that is not closed ends where the next begins.
    """
    opened: re.Match[str] | None = None
    begun, held, parts, bad = 0, 0, list[str](), False
    for number, line in lines:
        rest = line
        while rest is not None:
            match = (_BLOCK if opened is None else _ends(opened[1])).search(rest)
            if match is None:
                break
            before, rest = rest[: match.start()], rest[match.end() :]
            if opened is not None:
                kind, is_end = opened[1].lower(), match[0].startswith("</")
                content = None if bad or (kind == "doc" and not is_end) else "".join((*parts, before))
                yield kind, begun, opened[2], content
            opened = None if match[0].startswith("</") else _BLOCK.match(match[0])
            begun, held, parts, bad = number, 0, [], False
        if opened is not None:
            bad = bad or rest is None
            parts.append(rest or "")
            held += len(rest or "")
            if held > LONGEST:
                raise InputError(f"{path}, line {begun}: <{opened[1]}> is longer than {LONGEST >> 20} MiB")
    if opened is not None:
        yield opened[1].lower(), begun, opened[2], None if bad or opened[1].lower() == "doc" else "".join(parts)


def _ends(tag: str) -> re.Pattern[str]:
    """Return what ends an element: its closing tag, or the next one of its kind."""
    return re.compile(rf"</({re.escape(tag)})\s*>|<({re.escape(tag)})(?=[\s>])[^>]*>", re.IGNORECASE)


def _fields(content: str) -> Iterator[tuple[str, str, int, int, int]]:
    """Yield name and attributes of each element, where it begins, and where its content begins and ends.

    One that is not closed ends where the next begins.
    """
    place = 0
    folded = content.lower()
    while (match := _FIELD.search(content, place)) is not None:
        name = match[1].lower()
        end = folded.find(f"</{name}", match.end())
        following = _NEXT.search(content, match.end())
        if match[2].endswith("/"):
            end = place = match.end()
        elif end >= 0 and not _opens_again(folded, name, match.end(), end):
            place = end
        else:
            end = place = len(content) if following is None else following.start()
        yield name, match[2], match.start(), match.end(), end


def _opens_again(folded: str, name: str, start: int, end: int) -> bool:
    """Say whether a tag of the same name is opened before the closing one, which then is not this one's."""
    place = folded.find(f"<{name}", start, end)
    return place >= 0 and not folded[place + len(name) + 1 : place + len(name) + 2].isalnum()


def _plain(content: str) -> str:
    """Return a content without tags and comments, and with the characters that its entities stand for."""
    return html.unescape(_TAG.sub(lambda match: match[1] or " ", content)).strip()


def _document(content: str, ids_only: bool) -> dict[str, str]:
    """Return a document; without <TEXT> its text is all that stands in no other named field, tagged or not."""
    number, titles, texts, others, behind = "", list[str](), list[str](), list[str](), 0
    for name, _, start, begin, end in _fields(content):
        if name == "docno":
            number = _plain(content[begin:end])
        elif name == "text":
            texts.append(_plain(content[begin:end]))
        elif name in _TITLES:
            titles.append(_plain(content[begin:end]))
        elif name not in _NAMELESS:
            continue
        if ids_only and number:
            break
        others.append(content[behind:start])
        behind = end  # its closing tag is left out with all others
    if not number:
        raise InputError("it has no <DOCNO>")
    if ids_only:
        return {"id": number}
    text = "\n".join(filter(None, texts or (_plain(part) for part in (*others, content[behind:]))))
    return {"id": number, "title": " ".join(filter(None, titles)), "text": text}


def _topic(attributes: str, content: str) -> dict[str, str]:
    record = {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(attributes)}
    given, is_empty = set(record), True
    for name, _, _, begin, end in _fields(content):
        value = _LABELS.sub("", " ".join(_plain(content[begin:end]).split()))
        if value:
            is_empty = is_empty and name in _IDS
            record[name] = f"{record[name]} {value}" if name in record and name not in given else value
    numbers = [record.pop(name) for name in _IDS if name in record]
    if not numbers:
        raise InputError("the topic has no number (<num>, or number=)")
    if is_empty:
        record["text"] = "" if _FIELD.search(content) else " ".join(_plain(content).split())
        if not record["text"]:
            raise InputError(f"topic {numbers[0]} has no title, and no other text to search with")
    return {"id": numbers[0], **record}
