"""Under what a result was measured: settings, versions and machine of a record, whose numbers are not read for it."""

import msgspec


class Circumstances(msgspec.Struct, frozen=True):
    """Two members of a record, as JSON: those of one run are mostly those of the run before, to the byte."""

    settings: msgspec.Raw = msgspec.Raw(b"{}")
    environment: msgspec.Raw = msgspec.Raw(b"{}")


def circumstances(record: bytes) -> Circumstances:
    """Return those of a record, as JSON; ValueError where it is none."""
    try:
        return msgspec.json.decode(record, type=Circumstances)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
