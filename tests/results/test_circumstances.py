"""What of a record is compared from run to run."""

import pytest

from benchbench.results.circumstances import Circumstances, circumstances


def test_settings_and_environment_are_read_and_nothing_else() -> None:
    found = circumstances(b'{"kind":"run","settings":{"a":{"value":1}},"environment":{"host":{}},"numbers":[{"x":[]}]}')
    assert (bytes(found.settings), bytes(found.environment)) == (b'{"a":{"value":1}}', b'{"host":{}}')


def test_those_of_equal_text_are_equal_and_a_record_may_have_none() -> None:
    text = b'{"settings":{"a":{"value":1}}}'
    assert circumstances(text) == circumstances(text + b" ")
    assert circumstances(b"{}") == Circumstances()
    assert (bytes(Circumstances().settings), bytes(Circumstances().environment)) == (b"{}", b"{}")


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"settings":'])
def test_what_is_no_record_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|data|object"):
        circumstances(text)
