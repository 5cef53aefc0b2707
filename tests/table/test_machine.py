"""Command bodies at the door, entropy for wakes alone, and limits."""

from typing import Any

import pytest

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.poker_commands import Act
from libs.contracts.registry import ALL_TABLE_COMMANDS
from libs.contracts.table_commands import OpenTable, TakeSeat, WakeTable
from libs.contracts.tournament_commands import OpenTournamentTable
from libs.decider import Decided, Given
from libs.journal.machine import Malformed
from libs.sealing.sealed import Keyring
from libs.sealing.shuffle import Shuffle, Shuffler
from services.table.domain.games.registry import ALL_GAMES
from services.table.domain.table.decide import AT_ANY_TABLE
from services.table.domain.table.state import Table
from services.table.machine import decode_command, fresh_supply, table_machine
from tests.table.play import TableUnderTest


def message(kind: str, body: dict[str, Any]) -> CommandMessage:
    return CommandMessage(
        id=command_id_at(1, "x"), stream="t1", type=kind, principal=Principal(kind="player", id="p1"), body=body
    )


def test_every_command_has_its_decider_and_says_who_may_ask() -> None:
    decided = {OpenTable, OpenTournamentTable, WakeTable, *AT_ANY_TABLE}
    decided |= {command for game in ALL_GAMES for command in game.commands}
    assert decided == set(ALL_TABLE_COMMANDS)
    assert all(command.may_ask for command in ALL_TABLE_COMMANDS)


def test_a_body_becomes_the_command_of_its_type() -> None:
    command = decode_command(message("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 350}))
    assert command == Act(hand=3, seat=2, act="raise", to=350)
    taken = decode_command(message("TakeSeat", {"reservation": "r1", "amount": 10}))
    assert isinstance(taken, TakeSeat)
    assert (taken.reservation, taken.seat) == ("r1", None)


@pytest.mark.parametrize(
    ("kind", "body", "names"),
    [
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": -5}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 10**30}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 3.5}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "shove"}, "act"),
        ("Act", {"hand": "3", "seat": 2, "act": "fold"}, "hand"),
        ("Act", {"hand": 3, "seat": 12, "act": "fold", "player": "p2"}, "?, seat"),
        ("Act", {}, "act, hand, seat"),
        ("Conjure", {}, "type"),
    ],
)
def test_nonsense_is_malformed_and_names_the_field_only(kind: str, body: dict[str, Any], names: str) -> None:
    with pytest.raises(Malformed) as refused:
        decode_command(message(kind, body))
    assert names in str(refused.value)
    assert "shove" not in str(refused.value)


def test_only_wakes_get_entropy_and_an_unhealthy_source_gives_none() -> None:
    alarms: list[int] = []
    wake = WakeTable(due=0)
    act = Act(hand=1, seat=1, act="fold")
    healthy = fresh_supply(Shuffler(), lambda: alarms.append(1))
    table = TableUnderTest().state
    assert healthy(table, act) is None
    assert healthy(Table(table="t1"), wake) is None
    one, two = healthy(table, wake), healthy(table, wake)
    assert isinstance(one, Shuffle)
    assert isinstance(two, Shuffle)
    assert one.deck != two.deck
    stuck = fresh_supply(Shuffler(lambda size: bytes(size)), lambda: alarms.append(1))
    assert stuck(table, wake) is None
    assert alarms == [1]


def test_the_machine_decides_and_folds() -> None:
    machine = table_machine(Keyring({"k1": bytes(range(32))}, "k1"))
    state = machine.decider.initial("t1")
    wake = WakeTable(due=0)
    assert (
        machine.decider.decide(state, wake, Given(1, machine.fresh(state, wake), Principal("timer", "t"))) == Decided()
    )
    assert machine.decode_state("t1", machine.encode_state("t1", state)) == state
    assert machine.journal_name == "table-journal.1"


def test_a_table_rests_where_nothing_falls_due() -> None:
    """What rests is not looked at by the next owner before somebody asks (journal 16): no timer of it would ring."""
    rests = table_machine(Keyring({"k": bytes(32)}, "k")).rests
    table = TableUnderTest()
    assert rests(table.state)
    assert table.take(3, 10_000) is None
    assert not rests(table.state), "a reservation lapses"
    played = TableUnderTest().seat(1, 2).deal()
    assert not rests(played.state), "somebody has time to act"
