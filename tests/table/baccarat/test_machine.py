"""Baccarat at the door of the journal: command bodies, and entropy only for a wake that may start a shoe."""

from typing import Any

import pytest

from libs.contracts.baccarat_commands import PlaceStake, WithdrawStake
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.table_commands import WakeTable
from libs.journal.machine import Malformed
from libs.sealing.shuffle import ShoeShuffle, Shuffler
from services.table.machine import decode_command, fresh_supply
from tests.table.baccarat.play import CoupTable
from tests.table.under_test import TIMER


def message(kind: str, body: dict[str, Any], principal: str = "player") -> CommandMessage:
    who = Principal(principal, "p1")  # type: ignore[arg-type]
    return CommandMessage(id=command_id_at(1, "x"), stream="b1", type=kind, principal=who, body=body)


def test_commands_of_the_contract_become_those_of_the_game() -> None:
    placed = decode_command(message("PlaceStake", {"chance": "ponto", "amount": 100}))
    assert placed == PlaceStake(chance="ponto", amount=100)
    withdrawn = decode_command(message("WithdrawStake", {"round": 3, "chance": "par_banca"}))
    assert withdrawn == WithdrawStake(round=3, chance="par_banca", amount=None)
    assert decode_command(message("DealRound", {"round": 3})) == DealRound(round=3)
    void = decode_command(message("VoidRound", {"round": 3, "cause": "shoe lost"}, "staff"))
    assert void == VoidRound(round=3, cause="shoe lost")


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("PlaceStake", {"chance": "dragon", "amount": 100}, "chance"),
        ("PlaceStake", {"chance": "ponto", "amount": 0}, "amount"),
        ("PlaceStake", {"chance": "ponto", "amount": -100}, "amount"),
        ("PlaceStake", {"chance": "ponto", "amount": 99.5}, "amount"),
        ("PlaceStake", {"chance": "ponto"}, "amount"),
        ("WithdrawStake", {"chance": "ponto"}, "round"),
        ("DealRound", {"round": 0}, "round"),
    ],
)
def test_nonsense_names_the_field_only(kind: str, body: dict[str, Any], field: str) -> None:
    with pytest.raises(Malformed) as refused:
        decode_command(message(kind, body))
    assert field in str(refused.value)
    assert "dragon" not in str(refused.value)


def wake(table: CoupTable) -> WakeTable:
    return WakeTable(due=table.now)


def test_a_shoe_is_drawn_when_one_may_begin_and_never_else() -> None:
    fresh = fresh_supply(Shuffler(), lambda: None)
    table = CoupTable(decks=6)
    assert fresh(table.state, wake(table)) is None, "nobody sits there"
    table.seat(1)
    drawn = fresh(table.state, wake(table))
    assert isinstance(drawn, ShoeShuffle)
    assert drawn.shoe.decks == 6
    table.betting()
    assert fresh(table.state, wake(table)) is None, "the betting is open"
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    assert fresh(table.state, wake(table)) is None, "the next coup comes out of the same shoe"
    placed = PlaceStake(chance="ponto", amount=100)
    assert fresh(CoupTable().seat(1).state, placed) is None, "a bet draws nothing"


def test_an_unhealthy_source_gives_no_shoe_and_says_so() -> None:
    alarms: list[int] = []
    fresh = fresh_supply(Shuffler(bytes), lambda: alarms.append(1))
    table = CoupTable().seat(1)
    assert fresh(table.state, wake(table)) is None
    assert alarms == [1]
    assert table.send(TIMER, wake(table)) is None
    assert table.names == ["TablePaused"]
