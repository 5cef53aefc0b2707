"""What staff open in a spreadsheet has nothing in it that the spreadsheet would do."""

import csv
import io

import pytest

from services.cli.archive.asking import as_csv

HYPERLINK = '=HYPERLINK("http://evil","x")'


@pytest.mark.parametrize(
    "text", [HYPERLINK, "@SUM(1+1)*cmd|' /C calc'!A0", "+1", "-2+3", " =1", "\t=1", "\r", "\n=1", "＝1", "＠A1"]
)
def test_a_formula_is_text_in_its_cell(text: str) -> None:
    """Found by an attacker: who chooses a payment's reference wrote into the sheet of who reads the archive."""
    [row] = csv.DictReader(io.StringIO(as_csv([{"reference": text, "amount": -5}]), newline=""))
    assert row == {"reference": f"'{text}", "amount": "-5"}, "an amount is a number and stays one"


def test_other_text_is_as_it_was() -> None:
    said = {"reference": "bank-9 = 1", "account": "player/ann/EUR", "none": None, "at": 7, "parts": [{"a": "=1"}]}
    [row] = csv.DictReader(io.StringIO(as_csv([said]), newline=""))
    assert list(row.values()) == ["bank-9 = 1", "player/ann/EUR", "", "7", '[{"a":"=1"}]']
