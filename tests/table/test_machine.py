"""Command bodies at the door, entropy for wakes alone, and limits."""

from typing import Any

import pytest

from libs.contracts.messages import CommandMessage, Principal, command_id_at
from libs.contracts.table_commands import TABLE_COMMANDS
from libs.decider import Decided, Given
from libs.journal.machine import Malformed
from libs.sealing.sealed import Keyring
from libs.sealing.shuffle import Shuffler
from services.table.domain.games.poker.commands import Act
from services.table.domain.table.commands import TakeSeat, WakeTable
from services.table.domain.table.state import Table
from services.table.machine import COMMANDS, decode_command, fresh_supply, table_machine
from tests.table.play import TableUnderTest


def message(kind: str, body: dict[str, Any]) -> CommandMessage:
    return CommandMessage(
        id=command_id_at(1, "x"), stream="t1", type=kind, principal=Principal(kind="player", id="p1"), body=body
    )


def test_contract_and_domain_commands_have_the_same_fields() -> None:
    for contract in TABLE_COMMANDS:
        domain = COMMANDS[contract.__name__]
        assert set(domain.__struct_fields__) - {"principal_kind", "principal_id"} == set(contract.model_fields)


def test_a_command_carries_who_asks_from_the_envelope() -> None:
    command = decode_command(message("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 350}))
    assert command == Act(principal_kind="player", principal_id="p1", hand=3, seat=2, act="raise", to=350)
    taken = decode_command(message("TakeSeat", {"reservation": "r1", "amount": 10}))
    assert isinstance(taken, TakeSeat)
    assert (taken.principal_id, taken.seat) == ("p1", None)


@pytest.mark.parametrize(
    ("kind", "body", "names"),
    [
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": -5}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 10**30}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "raise", "to": 3.5}, "to"),
        ("Act", {"hand": 3, "seat": 2, "act": "shove"}, "act"),
        ("Act", {"hand": "3", "seat": 2, "act": "fold"}, "hand"),
        ("Act", {"hand": 3, "seat": 12, "act": "fold", "player": "p2"}, "player, seat"),
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
    wake = WakeTable(principal_kind="timer", principal_id="t", due=0)
    act = Act(principal_kind="player", principal_id="p1", hand=1, seat=1, act="fold")
    healthy = fresh_supply(Shuffler(), lambda: alarms.append(1))
    table = TableUnderTest().state
    assert healthy(table, act) is None
    assert healthy(Table(table="t1"), wake) is None
    one, two = healthy(table, wake), healthy(table, wake)
    assert one is not None
    assert two is not None
    assert one.deck != two.deck
    stuck = fresh_supply(Shuffler(lambda size: bytes(size)), lambda: alarms.append(1))
    assert stuck(table, wake) is None
    assert alarms == [1]


def test_the_machine_decides_and_folds() -> None:
    machine = table_machine(Keyring({"k1": bytes(range(32))}, "k1"))
    state = machine.decider.initial("t1")
    wake = WakeTable(principal_kind="timer", principal_id="t", due=0)
    assert machine.decider.decide(state, wake, Given(1, machine.fresh(state, wake))) == Decided()
    assert machine.decode_state("t1", machine.encode_state("t1", state)) == state
    assert machine.journal_name == "table-journal.1"
