"""Worked hands through the real rules, and a replay that notices when it is lied to."""

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from services.cli.replay import replay
from services.cli.replaying.formats import outcomes_of
from services.cli.replaying.record import NotARecord

_APP = Typer()
_APP.command()(replay)
_FILE = "regulations/omaha-worked-hands.yaml"


def test_all_twelve_hands_agree(shared: Path) -> None:
    outcomes = list(outcomes_of(shared / _FILE))
    assert [outcome.differences for outcome in outcomes] == [[]] * 12
    # Nothing in the file was passed over.
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert sum(outcome.refusals for outcome in outcomes) == text.count(", act: rejected,") == 18
    assert sum(outcome.legal_ranges for outcome in outcomes) == text.count(", legal: {") == 144


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("max_to: 350}", "max_to: 351}"),
        ("call: 100, min_to: 200", "call: 101, min_to: 200"),
        ("reason: raise_cap", "reason: not_reopened"),
        ("rake: 365, net: 7755", "rake: 366, net: 7755"),
        ("basis: per_payment", "basis: pot"),
        ("next_button: 5", "next_button: 6"),
        ("order: [2, 3, 4, 1]", "order: [1, 2, 3, 4]"),
        ("category: full_house", "category: flush"),
        ("exemption: no_flop", "exemption: null"),
        ("1: 9965, 2: 9964", "1: 9964, 2: 9965"),
        ("uncalled_returned: {seat: 5, amount: 600}", "uncalled_returned: null"),
        ("eligible: [2, 3, 4]", "eligible: [2, 3]"),
        ("before_cap: 9125", "before_cap: 9124"),
        ("by: timeout", "by: leave"),
        ("leaves: [4]", "leaves: []"),
        ("act: deal_board, cards: [8h]}", "act: deal_board, cards: [8c]}"),
    ],
)  # fmt: skip
def test_a_wrong_figure_is_found(shared: Path, tmp_path: Path, true: str, false: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert true in text
    (tmp_path / "lie.yaml").write_text(text.replace(true, false, 1), encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(tmp_path / "lie.yaml"), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["agree"] == 11
    assert [hand["differences"] for hand in told["hands"] if not hand["agrees"]] != [[]]


def test_the_command_succeeds_only_when_all_agree(shared: Path) -> None:
    result = CliRunner().invoke(_APP, [str(shared / _FILE)])
    assert result.exit_code == 0
    assert "12 of 12 hands agree" in result.stdout


@pytest.mark.parametrize("text", ["", "{", "hands: 3", "id: x\ntitle: y\nrulesets: {}\nhands: [{}]"])
def test_what_is_no_record_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotARecord):
        list(outcomes_of(path))
    result = CliRunner().invoke(_APP, [str(path)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
