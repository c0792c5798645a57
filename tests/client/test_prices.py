"""Prices of models: data with a date, never a guess."""

import datetime
from pathlib import Path

import pytest

from benchbench.client.prices import Price, price
from benchbench.errors import InputError

ROW = """
[[price]]
models = ["llama", "llama-large"]
input = 1
output = 2.5
date = 2026-05-31
source = "the contract"
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(ROW, encoding="utf-8")
    return path


def test_a_model_that_is_known_has_a_price_with_its_day_and_its_source():
    known = price("gpt-4o-mini")
    assert known is not None
    assert (known.input, known.output) == (0.15, 0.6)
    assert datetime.date.fromisoformat(known.date)
    assert known.source.startswith("https://")


def test_a_version_costs_what_its_model_costs_unless_it_has_a_price_of_its_own():
    assert price("gpt-4o-2024-08-06") == price("gpt-4o")
    assert price("claude-sonnet-4-5-20250929") == price("claude-sonnet-4-5")
    assert price("gpt-4o-2024-05-13") != price("gpt-4o")


@pytest.mark.parametrize("model", ["llama", "", "gpt", "gpt-4o-", "GPT-4O", "my-gpt-4o", "gpt-4o-mini-audio"])
def test_a_model_that_nobody_knows_has_no_price(model: str):
    assert price(model) is None


def test_a_price_that_is_given_goes_before_all_lists(written: Path):
    assert price("gpt-4o", "2.5, 10", written) == Price(2.5, 10.0, "", "--price")
    assert price("unknown", "0,0") == Price(0.0, 0.0, "", "--price")


def test_a_list_goes_before_the_one_built_in(written: Path):
    assert price("llama-large", file=written) == Price(1.0, 2.5, "2026-05-31", "the contract")
    assert price("gpt-4o", file=written) == price("gpt-4o")
    written.write_text(ROW.replace("llama-large", "gpt-4o"), encoding="utf-8")
    assert price("gpt-4o", file=written) == Price(1.0, 2.5, "2026-05-31", "the contract")


def test_a_cost_is_of_both_kinds_of_tokens_and_not_known_where_one_is_not():
    one = Price(2.0, 8.0, "2026-05-31", "a page")
    assert one.cost(1_000_000, 500_000) == 6.0
    assert one.cost(0, 0) == 0.0
    assert one.cost(None, 5) is None
    assert one.cost(5, None) is None


def test_a_price_older_than_180_days_is_said():
    one = Price(2.0, 8.0, "2026-01-01", "https://prices")
    assert one.warning(datetime.date(2026, 6, 30)) is None
    said = one.warning(datetime.date(2026, 7, 1))
    assert said == (
        "the price of 2 and 8 US dollars per million tokens was read 181 days ago, on 2026-01-01 (https://prices): "
        "look there, and give the price of today with --price IN,OUT"
    )
    assert Price(2.0, 8.0, "", "--price").warning() is None


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "1,nan", "1;2", "inf,1"])
def test_what_is_no_price_is_refused(text: str):
    with pytest.raises(InputError, match=r"^--price is"):
        price("m", text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "prices.toml is empty"),
        (lambda text: "a = 1", r"prices.toml has no \[\[price\]\]"),
        (lambda text: "price = 3", r"prices.toml has no \[\[price\]\]"),
        (lambda text: text.replace("input = 1", ""), "prices.toml, price 1: a price has models, input, output"),
        (lambda text: text + "more = 1", "price 1: a price has models"),
        (lambda text: text.replace("input = 1", "input = -1"), "price 1: input is a number from 0"),
        (lambda text: text.replace("2.5", '"2.5"'), "price 1: output is a number from 0"),
        (lambda text: text.replace("2026-05-31", '"2026-05-31"'), "price 1: date is a day without quotes"),
        (lambda text: text.replace("2026-05-31", "2026-05-31T10:00:00"), "price 1: date is a day"),
        (lambda text: text.replace("the contract", ""), "price 1: source says where"),
        (lambda text: text.replace('["llama", "llama-large"]', "[]"), "price 1: models is a list of names"),
        (lambda text: text.replace('["llama", "llama-large"]', '"llama"'), "price 1: models is a list of names"),
        (lambda text: text + ROW, "price 2: llama has a price already"),
        (lambda text: text + "[", "not TOML"),
    ],
)
def test_a_list_that_is_none_is_refused_by_file_and_row(written: Path, change, message: str):
    written.write_text(change(ROW), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        price("llama", file=written)


def test_a_list_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(InputError, match=r"--prices .*gone\.toml cannot be read"):
        price("llama", file=tmp_path / "gone.toml")
