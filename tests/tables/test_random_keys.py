import pytest

from benchbench.tables.random_keys import random_part, without_keys


@pytest.mark.parametrize(
    "part", ["sk-Ab12Cd34Ef56Gh78Ij90", "AIzaSyA1234567890abcdef", "0123456789abcdef0123456789abcdef"]
)
def test_what_looks_like_a_key_is_hidden_in_a_path(part: str):
    assert without_keys(f"http://h:1/v1/{part}/search") == "http://h:1/v1/[hidden]/search"


@pytest.mark.parametrize(
    "part", ["", "_search", "default_collection", "My-Collection-2024-Documents", "20240102030405060708"]
)
def test_names_and_numbers_are_no_keys(part: str):
    assert not random_part(part)
