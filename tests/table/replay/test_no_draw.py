"""Worked rounds of no-draw poker through the real rules, and a replay that notices when it is lied to."""

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
_FILE = "regulations/no-draw-poker-worked-rounds.yaml"


def test_all_twelve_rounds_agree(shared: Path) -> None:
    outcomes = list(outcomes_of(shared / _FILE))
    assert [outcome.differences for outcome in outcomes] == [[]] * 12
    text = (shared / _FILE).read_text(encoding="utf-8")
    decided = text.count("decision: continue\n") + text.count("decision: fold\n")
    assert sum(outcome.legal_ranges for outcome in outcomes) == decided == 15


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("ante: {stake: 500, credited: 1000}", "ante: {stake: 500, credited: 1001}"),
        ("bet: {stake: 600, credited: 1200}", "bet: {stake: 600, credited: 1199}"),
        ("bet: {stake: 5000, credited: 505000}", "bet: {stake: 5000, credited: 500000}"),
        ("net: -3000", "net: -2999"),
        ("net: 12300", "net: 12301"),
        ("pay_multiplier: 100", "pay_multiplier: 99"),
        ("decided_by: 13.f", "decided_by: 13.g"),
        ("decided_by: 9-suit", "decided_by: category"),
        ("outcome: tie", "outcome: win"),
        ("outcome: dealer-not-qualified", "outcome: win"),
        ("qualifies: false", "qualifies: true"),
        ("dealer_category: three-of-a-kind", "dealer_category: two-pairs"),
        ("dealer_up_card: 3d", "dealer_up_card: 6s"),
        ("burn: 2c", "burn: Kh"),
        ("hand: Kh 9h 7h 4h 2h", "hand: 9h Kh 7h 4h 2h"),
        ("player_category: full-house", "player_category: flush"),
        ("decision: timeout", "decision: disconnected"),
        ("bet: 2000\n      - seat: 4", "bet: 1999\n      - seat: 4"),
        ("ante: {stake: 100, credited: 100}", "ante: {stake: 100, credited: 0}"),
        ("deck_order: Th 8c Ac", "deck_order: Th Ac 8c"),
        ("at_ms: 20000, event: 'warning", "at_ms: 20001, event: 'warning"),
        ("new deadline 30000", "new deadline 31000"),
        ("seat 5 connection lost", "seat 5 connection restored"),
        ("at_ms: 7000, event: seat 5 connection lost", "at_ms: 7000, event: seat 2 connection lost"),
        ("seat 2 folded by timeout", "seat 2 folded by disconnection"),
        ("seat 5 continues, 600 debited", "seat 5 continues, 601 debited"),
    ],
)
def test_a_wrong_figure_is_found(shared: Path, tmp_path: Path, true: str, false: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    assert true in text
    (tmp_path / "lie.yaml").write_text(text.replace(true, false, 1), encoding="utf-8")
    result = CliRunner().invoke(_APP, [str(tmp_path / "lie.yaml"), "--json"])
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["agree"] == 11
    assert [each["differences"] for each in told["hands"] if not each["agrees"]] != [[]]


_LATER = (
    ("      - {at_ms: 6000, event: 'seat 5 continues, 600 debited'}\n", ""),
    ("warning to seat 2, new deadline 30000'}\n", "warning to seats 2, 5, new deadline 30000'}\n"
     "      - {at_ms: 25000, event: 'seat 5 continues, 600 debited'}\n"),
)  # fmt: skip


@pytest.mark.parametrize("at", ["25000", "20000"])
def test_a_decision_in_the_extra_time_comes_after_the_warning(shared: Path, tmp_path: Path, at: str) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8")
    for true, false in _LATER:
        assert true in text
        text = text.replace(true, false)
    (tmp_path / "later.yaml").write_text(text.replace("at_ms: 25000", f"at_ms: {at}"), encoding="utf-8")
    (eleventh,) = [outcome for outcome in outcomes_of(tmp_path / "later.yaml") if outcome.id == "ND-11"]
    assert eleventh.agrees is (at == "25000"), eleventh.differences


@pytest.mark.parametrize(("cause", "agrees"), [("disconnection", True), ("timeout", False)])
def test_a_lost_connection_is_why_a_hand_is_folded(shared: Path, tmp_path: Path, cause: str, agrees: bool) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8").replace("decision: timeout\n", "decision: disconnected\n")
    text = text.replace("event: seat 5 connection lost", "event: seat 2 connection lost")
    text = text.replace("folded by timeout", f"folded by {cause}")
    (tmp_path / "lost.yaml").write_text(text, encoding="utf-8")
    (eleventh,) = [outcome for outcome in outcomes_of(tmp_path / "lost.yaml") if outcome.id == "ND-11"]
    assert eleventh.agrees is agrees, eleventh.differences


def test_the_command_succeeds_only_when_all_agree(shared: Path) -> None:
    result = CliRunner().invoke(_APP, [str(shared / _FILE)])
    assert result.exit_code == 0
    assert "12 of 12 hands agree" in result.stdout


def test_a_card_in_two_places_is_no_record(shared: Path, tmp_path: Path) -> None:
    text = (shared / _FILE).read_text(encoding="utf-8").replace("deck_order: 2c Kh", "deck_order: Kh Kh", 1)
    (tmp_path / "odd.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(NotARecord, match="two places"):
        list(outcomes_of(tmp_path / "odd.yaml"))
