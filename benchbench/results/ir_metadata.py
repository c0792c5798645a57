"""A record as `ir_metadata`, the header of run files that the TREC community agreed on.

Timo Breuer, Jüri Keller and Philipp Schaer, ir_metadata: An Extensible Metadata Schema for IR Experiments, SIGIR 2022.
"""

import json
import unicodedata
from typing import Any

from benchbench.results.record import Record

_VERSION = "0.1"  # of that schema
_START, _END = "ir_metadata.start", "ir_metadata.end"


def header(record: Record) -> str:
    """Return the lines that stand above a run in TREC's format: comments that hold YAML."""
    lines = [_START, *_yaml(metadata(record), 0), _END]
    return "".join(f"# {line}\n" for line in lines)


def metadata(record: Record) -> dict[str, Any]:
    """Return what the schema has a place for; what the record does not know is left out."""
    host, versions = record.environment.host, record.environment.versions
    subject = record.subject[0] if len(record.subject) == 1 else None
    measures = [number for number in record.numbers if "slice" not in number.scope and number.unit == ""]
    whole: dict[str, Any] = _known(
        {
            "schema version": _VERSION,
            "tag": record.name,
            "platform": {
                "hardware": {
                    "cpu": {
                        "model": host.get("processor"),
                        "architecture": host.get("machine"),
                        "number of cores": host.get("cpus"),
                    }
                },
                "operating system": {"kernel": host.get("system")},
                "software": {"libraries": [f"{name} {version}" for name, version in versions.items()]},
            },
            "implementation": {
                "executable": {"cmd": " ".join(["benchbench", *record.environment.command])},
                "source": {"service": subject.source if subject else None},
            },
            "method": {"automatic": True, "name": subject.name if subject else record.name},
            "research goal": {
                "evaluation": {
                    "reported measures": list(dict.fromkeys(number.name for number in measures)),
                    "benchbench signature": record.signature,
                    "benchbench record": record.id,
                }
            },
            "data": {
                "test collection": {
                    "name": record.data.name,
                    "source": record.data.source,
                    "digest": record.data.digest,
                    "topics": record.data.queries,
                    "documents": record.data.documents,
                }
            },
        }
    )
    return whole


def _known(value: Any) -> Any:
    """Return a value without members that are empty."""
    if not isinstance(value, dict):
        return value
    kept = {name: _known(member) for name, member in value.items()}
    return {name: member for name, member in kept.items() if member not in (None, "", {}, [])}


def _yaml(value: dict[str, Any], depth: int) -> list[str]:
    """Return lines of YAML; scalars and lists are written as JSON, which YAML includes."""
    lines = []
    for name, member in value.items():
        if isinstance(member, dict):
            lines += [f"{'  ' * depth}{name}:", *_yaml(member, depth + 1)]
        else:
            lines.append(f"{'  ' * depth}{name}: {_json(member)}")
    return lines


def _json(value: object) -> str:
    """Return JSON on one line, in which nothing is hidden from a reader and nothing obeyed by a terminal."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or unicodedata.category(c) == "Zs" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", errors="surrogatepass")
    return "".join(rf"\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
