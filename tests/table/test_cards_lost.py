"""A deck or shoe whose key is gone makes its round void, and nothing else: the table is read, wakes and plays on."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libs.contracts.bank_commands import VoidRound
from libs.contracts.poker_commands import VoidHand
from libs.contracts.table_events import CARDS_LOST
from libs.sealing.sealed import Keyring
from services.table.domain.games.registry import game_of
from services.table.domain.table.waking import next_wake
from services.table.journal_format import TableFormat
from tests.table.test_every_game import BET, SEATS, STEPS, TABLES, WAKE, _sit, _step
from tests.table.under_test import staff

SEALING = TableFormat(Keyring({"kek-1": bytes(range(32))}, "kek-1"))
VOIDED = ("HandVoided", "RoundVoided", "CoupVoided")


def lose_cards(table: Any) -> list[str]:
    """The table as a process finds it that has another key; which streams it was told of."""
    lost: list[str] = []
    other = TableFormat(Keyring({"kek-1": bytes(32)}, "kek-1"), lost.append)
    stream = table.state.table
    table.state = other.decode_state(stream, SEALING.encode_state(stream, table.state))
    return lost


def until_lost(game: str) -> Any:
    """A table in a round that needs its cards, which are lost."""
    table = TABLES[game]()
    for seat in SEATS:
        _sit(table, seat, f"first-{seat}")
    for number in range(400):
        _step(table, WAKE if number % 2 else BET, SEATS[number % 3], 100 + number % 3, str(number))
        if table.state.in_round and game_of(table.state.rules).deck_of(table.state) is not None:
            assert lose_cards(table) == [table.state.table]
            if game_of(table.state.rules).cards_lost(table.state):
                return table
    raise AssertionError("no round with cards came up")


def money_at(table: Any) -> int:
    return sum(sitter.stack for sitter in table.state.seats.values()) + table.state.in_play


@pytest.mark.parametrize("game", list(TABLES))
def test_the_round_is_void_at_once_and_the_next_one_has_cards_of_its_own(game: str) -> None:
    table = until_lost(game)
    before = money_at(table)
    assert next_wake(table.state) == 0, "due at once"
    table.wake()
    voided = next(event for event in table.last if type(event).__name__ in VOIDED)
    assert (voided.by, voided.cause) == ("house", CARDS_LOST)
    assert (table.state.in_round, money_at(table)) == (False, before), "every bet went back"
    for number in range(40):
        _step(table, WAKE if number % 2 else BET, SEATS[number % 3], 100, f"after-{number}")
        if table.state.in_round and game_of(table.state.rules).deck_of(table.state) is not None:
            break
    else:
        raise AssertionError("no other round began")
    assert not game_of(table.state.rules).cards_lost(table.state)
    assert not table.state.paused


@pytest.mark.parametrize("game", list(TABLES))
def test_staff_can_void_it_themselves(game: str) -> None:
    table = until_lost(game)
    number = table.state.rounds
    command: Any = VoidHand(hand=number, cause="key lost") if game.startswith("poker") else None
    assert table.send(staff(), command or VoidRound(round=number, cause="key lost")) is None
    voided = next(event for event in table.last if type(event).__name__ in VOIDED)
    assert (voided.by, voided.cause) == (staff().id, "key lost")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=st.sampled_from(list(TABLES)), steps=STEPS, lost_at=st.integers(0, 40))
def test_whatever_is_asked_meanwhile_is_answered(game: str, steps: list[tuple[int, int, int]], lost_at: int) -> None:
    table = TABLES[game]()
    for seat in SEATS:
        _sit(table, seat, f"first-{seat}")
    for number, (what, seat, amount) in enumerate(steps):
        if number == lost_at:
            lose_cards(table)
        _step(table, what, seat, amount, str(number))
    table.now = max(table.now, next_wake(table.state) or 0)
    table.wake()
    assert not game_of(table.state.rules).cards_lost(table.state)


def test_a_commit_whose_deck_does_not_open_is_read_all_the_same() -> None:
    lost: list[str] = []
    codec = TableFormat(Keyring({"kek-1": bytes(32)}, "kek-1"), lost.append)
    assert codec.unseal("t-1", 4, b"no box at all") is None
    assert lost == ["t-1"]
