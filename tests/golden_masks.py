"""What changes from run to run in what commands print and write, replaced by marks of a fixed form.

Ports, versions, dates and hosts are masked for every command. Times are masked only for commands that take them, and
only where they stand: each kind of such commands has its `Mask`.
"""

import csv
import hashlib
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
_ALWAYS = (
    (r"127\.0\.0\.1:\d{5}", "127.0.0.1:PORT0"),
    (r"version:\d+\.\d+\.\d+\w*", "version:VERSION"),
    (r"\d{8}T\d{6}Z", "YYYYMMDDTHHMMSSZ"),
    (r"<span>\d+ [A-Z][a-z]+ 20\d\d, \d\d:\d\d UTC</span>", "<span>DAY MONTH YEAR, HH:MM UTC</span>"),
    (r"(data and rules|signature) <code>[0-9a-f]{8}</code>", r"\1 <code>SHA-256</code>"),
    (r"(<h3>(?:Versions|Machine)</h3><dl>)(?:(?!</dl>).)*", r"\1…"),
)
_TIMED_GATE = (
    rf"(\b(?:p\d+(?:\.\d+)?|max|mean|latency)\S* (?:is |passed with )|"
    rf"Gate +[●▼] (?:p\d+(?:\.\d+)?|max|mean|latency) ){NUMBER}(?: m?s to {NUMBER})?( m?s)\b"
)


def always(text: str) -> str:
    """Mask what changes whatever was run; the style and the code that pages carry stand as their digests."""
    text = re.sub(r"(<(style|script)>)(.*?)(</\2>)", _digest, text, flags=re.DOTALL)
    text = re.sub(r"(?m)^Signature  .*(?:\n {12}.*)*$|^- Signature: .*$|<dt>Signature</dt><dd>.*$", _digests, text)
    for pattern, mark in _ALWAYS:
        text = re.sub(pattern, mark, text)
    return text


def _digests(line: re.Match[str]) -> str:
    """Mask short signatures, which depend on the version; JSON has them whole."""
    return re.sub(r"\b[0-9a-f]{8}\b", "SHA-256", line[0])


def _digest(asset: re.Match[str]) -> str:
    return asset[1] + hashlib.sha256(asset[3].encode()).hexdigest()[:16] + asset[4]


@dataclass(frozen=True)
class Mask:
    """What one kind of commands measures that no two runs have alike."""

    text: Callable[[str], str] = str
    paths: str = r"/(versions|host)/"  # of JSON members, from the root: "/throughput/seconds"
    columns: str = "(?!)"  # of tables


def masked(text: str, mask: Mask) -> str:
    return mask.text(always(text))


def masked_value(value: Any, mask: Mask, path: str = "") -> Any:
    """Return a JSON value with marks; a number stays one that can be told from a text."""
    if isinstance(value, dict):
        timed = re.fullmatch(r"p\d+(\.\d+)?|max|mean|latency", str(value.get("name"))) and mask.paths != Mask.paths
        return {
            masked(name, mask): "TIME" if timed and name == "value" else masked_value(one, mask, f"{path}/{name}")
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [masked_value(one, mask, f"{path}/{place}") for place, one in enumerate(value)]
    if re.search(mask.paths, path) or re.search(Mask.paths, path):
        return "NUMBER" if isinstance(value, int | float) else "TEXT OR NULL"
    return masked(value, mask) if isinstance(value, str) else value


def masked_json(text: str, mask: Mask) -> str:
    return orjson.dumps(masked_value(orjson.loads(text), mask), option=orjson.OPT_INDENT_2).decode() + "\n"


def masked_lines(text: str, mask: Mask) -> str:
    """Return JSON lines; what needs no mask keeps its bytes."""
    lines = []
    for line in text.splitlines(keepends=True):
        value = orjson.loads(line)
        other = masked_value(value, mask)
        lines.append(line if other == value else orjson.dumps(other).decode() + "\n")
    return "".join(lines)


def masked_table(text: str, mask: Mask) -> str:
    """Return comma-separated values; a table without a column to mask keeps its bytes."""
    rows = list(csv.reader(io.StringIO(text)))
    timed = [place for place, name in enumerate(rows[0] if rows else ()) if re.fullmatch(mask.columns, name)]
    if not timed:
        return masked(text, mask)
    for row in rows[1:]:
        for place in timed:
            row[place] = "#" if row[place] else ""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return masked(file.getvalue(), mask)


# Times of `run`


def _run_text(text: str) -> str:
    text = re.sub(r"(?m)^○(?= .* queries scored, )", "●", text)  # the client was the bottleneck
    text = re.sub(r"(?m)^[●▼○] .* queries scored,[^.]*(?:\.\d+[^.]*)* ms$", _joined, text)
    text = re.sub(r"(?m)^Latency   .*(?:\n {12}(?!! |the query).*)*", _joined, text)
    text = re.sub(
        r"(?m)^Client {6}event loop[^%]*% of a core", lambda line: line[0].replace("\n" + 12 * " ", " "), text
    )
    text = re.sub(rf"{NUMBER}( queries a second, (?:p\d+|the slowest request) ){NUMBER} ms", r"#\1# ms", text)
    text = re.sub(
        r"(?m)^.*Latency(?: |:|</dt>).*$", lambda line: re.sub(rf"\b(p\d+|max) {NUMBER}", r"\1 #", line[0]), text
    )
    text = re.sub(rf"(Throughput(?:  |: |</dt><dd>)){NUMBER}( queries/s.* in ){NUMBER} s", r"\1#\2# s", text)
    text = re.sub(
        rf"late by {NUMBER} \(p99\), at most {NUMBER} ms; {NUMBER} %", "late by # (p99), at most # ms; # %", text
    )
    text = re.sub(
        r"(?m)^.*(the client was the bottleneck, |the machine was too busy to measure on, ).*\n(?: {12}(?! ).*\n)*",
        "",
        text,
    )
    text = re.sub(r"(?m)^.*(p50, ms per request|p99, ms per request|queries/s(</td>|  | [|&])).*$", _speed_row, text)
    text = re.sub(r' time="\d+\.\d{3}"', ' time="#"', text)
    return re.sub(_TIMED_GATE, r"\1#\2", text)


def _joined(lines: re.Match[str]) -> str:
    """Return a sentence on one line: where it is broken goes by how long its numbers are."""
    return re.sub(r"\s+", " ", lines[0])


def _speed_row(line: re.Match[str]) -> str:
    """Mask the numbers of a row of targets, and the blanks that fill its cells."""
    return re.sub(r" +", " ", re.sub(rf"(?<![\w.]){NUMBER}", "#", line[0])).rstrip()


RUN = Mask(
    _run_text,
    r"/latency_ms/|/throughput/(queries_per_second|seconds)$|/client/",
    "latency_ms|due|sent|first_byte|end",
)


# Times of `load`

_TIMES = r"(sent_|answered_|amortised_query_|new_|repeated_)?(mean|p\d+(\.\d+)?|max)"
_PACE = (
    r"seconds|(requests|queries|dispatched)_per_second|backlog_\w+|late|late_by_client|client_delay_p90|looks|lag_\w+|"
    r"busy_\w+|client_cpu|p99_spells"
)


def _load_text(text: str) -> str:
    text = re.sub(r"(?m)^(At once|Due/s|Load)  .*  p50.*  Failed(.*\n)*?\n", _steps, text)
    text = re.sub(r"(?m)(Queries sent again within a step: ).*concurrency.*$", r"\1#.", text)
    text = re.sub(r"(?m)^  (The client was the bottleneck|No rate was too much).*\n", "", text)
    text = re.sub(
        rf"(?m)(^[●○▼] (Up to {NUMBER} queries a second with|Nothing was answered|Keeps up|Falls behind|"
        rf"At \d|.* answers (at most )?{NUMBER}).*\n)+",
        _pace,
        text,
    )
    text = re.sub(
        r"(?m)^Load  .*(Latency, ms|queries in it|Backlog at start|Different  New)(.*\n)*?\n", _load_block, text
    )
    text = re.sub(r"(?m)^.*(client was the bottleneck|too busy to measure on|coordinated omission\)).*\n", "", text)
    text = re.sub(r"(?m)^(\| )?(\d[\d,.]* requests/s|concurrency \d+)[^|&\n]*[|&].*$", _load_row, text)
    text = re.sub(r' time="\d+\.\d{3}"', ' time="#"', text)
    return re.sub(_TIMED_GATE, r"\1#\2", text)


def _pace(verdict: re.Match[str]) -> str:
    """Mask what a load test comes to, which chance decides where steps are short; the gates behind it stay."""
    return (
        "? The pace."
        + "".join(re.findall(r" (?:All \d+|The|\d+ of \d+) gates? (?:passed|failed)\.", verdict[0]))
        + "\n"
    )


def _steps(block: re.Match[str]) -> str:
    """Mask the table of speed: the loads stay, and that each kind of latency has a row."""
    head, _, *rows = block[0].splitlines()
    kinds = [re.split(r"\s{2,}", row.strip())[0] if row[:1] in " " else row.split("  ")[0] for row in rows]
    return "\n".join([re.sub(rf"0 … {NUMBER}", "0 … #", " ".join(head.split())), *kinds, ""])


def _load_block(block: re.Match[str]) -> str:
    """Mask a table of times: its names and counts stay, its blanks do not."""
    lines = []
    for line in block[0].splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        if cells[0].startswith("──"):
            cells = ["──"]
        elif cells[0] in ("from sent", "answered"):
            cells[1:] = "#" * len(cells[1:])
        elif "from due" in cells:
            due = cells.index("from due")
            cells = [*cells[:2], "#", cells[3], *"#" * (due - 4), "from due", *"#" * len(cells[due + 1 :])]
        elif len(cells) == 9 and cells[0] != "Load":  # the backlog
            cells[3:] = "#" * 6
        elif len(cells) > 2 and re.fullmatch(r"[\d,]+ (new|repeated)", cells[-3]):
            cells[2 if len(cells) > 3 else 0 :] = "#"  # the number of queries too, which a closed loop does not decide
        elif "amortised per query" in cells:
            cells[3:] = "#" * len(cells[3:])
        lines.append("  ".join(cells) + "\n")
    return "".join(lines)


def _load_row(line: re.Match[str]) -> str:
    """Mask pace and times in a row of Markdown or LaTeX: the third cell, and the seven after the failures."""
    sign = "&" if "&" in line[0] else "|"
    cells = line[0].split(sign)
    first = 3 if sign == "|" else 2
    for place in (first, *range(first + 2, first + 9)):
        cells[place] = " # "
    return sign.join(cells)


LOAD = Mask(_load_text,
            rf"/values/({_TIMES}|{_PACE})$|/histograms/|/over_time/|/client_is_the_limit$|/coordinated_omission$",
            rf"{_TIMES}|{_PACE}|due|dispatched|placed|sent|first_byte|end")  # fmt: skip
_COUNTS = "requests|queries|queries_repeated|bytes"
_OF_COUNT = r"(?m)^.*rests? on fewer than 10 requests above (it|them): .*\n"
CLOSED = Mask(
    lambda text: re.sub(_OF_COUNT, "", re.sub(r"(?<=, of )[\d,]+(?= requests)", "#", _load_text(text))),
    rf"{LOAD.paths}|/values/({_COUNTS})$|/steps/\d+/counts/|^/counts/(?!queries)",
    rf"{LOAD.columns}|{_COUNTS}",
)


# Times of `answers run`


def _assistant_text(text: str) -> str:
    text = re.sub(r"(?m)^\| latency \|[^|]*\|[^|]*\|", "| latency | # | # |", text)
    return re.sub(_TIMED_GATE, r"\1#\2", re.sub(r' time="\d+\.\d{3}"', ' time="#"', text))


ASSISTANT = Mask(
    _assistant_text,
    r"^/latency$|/metrics/latency/(deviation|median|least|greatest|most|(low|high|mean)(_expected)?)$",
    "latency",
)
NOTHING = Mask()
