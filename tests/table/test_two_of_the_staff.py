"""What one of the staff alone can't do to a table: let its bank lose more, or take a round back once cards are out."""

from typing import Any

import pytest

from libs.contracts.bank_commands import RequestBankChange, VoidRound
from libs.contracts.bank_events import OPENING
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import RoundVoided
from libs.contracts.poker_commands import VoidHand
from libs.contracts.poker_events import HandVoided
from libs.contracts.table_commands import ApproveConfiguration, ChangeConfiguration, DeclineConfiguration, OpenTable
from libs.contracts.table_events import (
    ConfigurationAnnounced,
    ConfigurationDeclined,
    ConfigurationRequested,
    VoidRequested,
)
from libs.sealing.sealed import Keyring
from services.table.domain.table.state import Table
from services.table.journal_format import TableFormat
from tests.table.approving import approval_of
from tests.table.baccarat.play import BANK, CoupTable
from tests.table.no_draw.play import ACE_KING, NoDraw
from tests.table.play import TableUnderTest

Banked = CoupTable | NoDraw
BOTH = pytest.mark.parametrize("game", [CoupTable, NoDraw])
PLATFORM = Principal("operator", "platform-1")
FAVOURABLE: dict[str, Any] = {"commission_mode": "none", "min_bet": 1_000, "approval": "none of yours"}
"""What the attacker asked for: banca without commission is the player's game (-1.2 % for the house)."""


def staff(name: str) -> Principal:
    return Principal("staff", name)


def asks(table: Any, by: Principal, version: int, **changes: Any) -> str | None:
    values = table.configured(version=version, **changes)
    return table.send(by, ChangeConfiguration(configuration=values))


def test_one_alone_does_not_take_the_commission_off_a_table_with_a_bank() -> None:
    table = CoupTable(seats=1, mode="single")
    before = table.state.rules
    assert asks(table, PLATFORM, 2, seats=1, mode="single", **FAVOURABLE) == "not_allowed"
    asks(table, staff("ana"), 2, seats=1, mode="single", **FAVOURABLE)
    assert (table.state.rules, table.state.announced) == (before, None)
    table.seat(1)
    table.betting()
    assert (table.state.rules, table.state.round.rules) == (before, before)


@BOTH
def test_one_alone_changes_nothing_of_a_table_with_a_bank(game: type[Banked]) -> None:
    """Whatever it is: what can't cost the house anything is not told apart."""
    table = game(bank=BANK)
    before = table.state.rules
    asks(table, staff("ana"), 2, between_rounds_ms=4_000)
    assert (table.state.rules, table.state.announced) == (before, None)


def seen_by_three() -> NoDraw:
    """The attack: everybody has seen the own cards and the dealer's first, and one has given up already."""
    table = NoDraw(bank=BANK).seat(1, 2, 3)
    hands = {1: "2d 5d 7h 9s Jc", 2: "Qs Qd 9c 6s 3d", 3: "Ah 8c 6d 4h 3s"}
    table.dealt({1: 2_500, 2: 2_500, 3: 100}, hands, ACE_KING)
    return table.plays("1 fold")


def test_one_alone_does_not_give_an_ante_back_to_who_has_seen_the_cards() -> None:
    table = seen_by_three()
    stacks = table.stacks
    table.send(staff("ana"), VoidRound(round=table.state.last_round, cause="my friend has nothing"))
    assert (table.state.round is not None, table.stacks) == (True, stacks)
    table.plays("2 continue", "3 fold")
    assert table.nets[1] == -2_500


def test_one_alone_does_not_give_bets_back_to_who_has_seen_the_cards() -> None:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    table.plays("1 raise 300", "2 call", "3 fold")
    stacks = table.stacks
    table.send(staff("ana"), VoidHand(hand=table.state.hands, cause="my friend has nothing"))
    assert (table.state.hand is not None, table.stacks) == (True, stacks)


def approves(table: Any, by: Principal, version: int = 2) -> Any:
    return table.send(by, ApproveConfiguration(version=version))


def declines(table: Any, by: Principal, version: int = 2) -> Any:
    return table.send(by, DeclineConfiguration(version=version, reason="no"))


@BOTH
def test_what_one_asks_for_another_one_approves(game: type[Banked]) -> None:
    table = game(bank=BANK)
    assert asks(table, staff("ana"), 2, between_rounds_ms=4_000) is None
    (requested,) = table.of(ConfigurationRequested)
    assert (requested.by, requested.configuration.timing.between_rounds_ms) == ("ana", 4_000)
    assert approves(table, staff("ANA")) == "own_request"
    for stranger in (PLATFORM, Principal("player", "p1"), Principal("policy", "table")):
        assert approves(table, stranger) == declines(table, stranger) == "not_allowed"
    assert approves(table, staff("rui"), version=3) == "no_such_change"
    assert approves(table, staff("rui")) is None
    (announced,) = table.of(ConfigurationAnnounced)
    assert (announced.configuration, announced.requested_by, announced.by) == (requested.configuration, "ana", "rui")
    assert (table.state.rules.version, table.state.rules.timing.between_rounds_ms) == (2, 4_000)
    assert approves(table, staff("rui")) == "no_such_change"


@BOTH
@pytest.mark.parametrize("by", ["ana", "rui"])
def test_a_version_that_was_declined_or_withdrawn_is_spent(game: type[Banked], by: str) -> None:
    table = game(bank=BANK)
    asks(table, staff("ana"), 2)
    assert declines(table, staff(by)) is None
    (declined,) = table.of(ConfigurationDeclined)
    assert (declined.version, declined.requested_by, declined.by) == (2, "ana", by)
    assert approves(table, staff("rui")) == declines(table, staff("rui")) == "no_such_change"
    assert asks(table, staff("ana"), 2, between_rounds_ms=1) == "version_not_newer", "it would mean another thing"


@BOTH
def test_nothing_slips_in_between_asking_and_approving(game: type[Banked]) -> None:
    """Another request has another version: who approves the one that was shown gets that one or none."""
    table = game(bank=BANK)
    asks(table, staff("ana"), 2)
    assert asks(table, staff("ana"), 2, between_rounds_ms=1) == "version_not_newer"
    assert asks(table, staff("ana"), 3, between_rounds_ms=1) is None
    assert approves(table, staff("rui"), version=2) == "no_such_change"
    assert table.state.rules.version == 1


@BOTH
def test_who_approves_a_bank_approves_it_for_the_rules_that_it_was_asked_for_with(game: type[Banked]) -> None:
    table = game(bank=BANK)
    what: dict[str, Any] = {"rulebook": table.state.rules.rulebook, "configuration": table.configured()}
    table.state, table.told = Table(table=table.state.table), []
    table.send(staff("ana"), OpenTable(name="T", **what, bank=BANK))
    assert asks(table, staff("ana"), 2) == "opening_pending"
    assert table.send(staff("rui"), approval_of(table.state, OPENING)) is None
    assert table.state.rules.version == 1
    assert asks(table, staff("ana"), 2) is None


def test_what_is_approved_is_held_against_the_table_as_it_is_by_then() -> None:
    need = CoupTable(seats=1).state.rules.worst_case
    table = CoupTable(bank=3 * need, seats=1)
    assert asks(table, staff("ana"), 2, seats=3) is None
    drop = RequestBankChange(change="c1", direction="drop", amount=1, reason="why")
    assert table.send(staff("ana"), drop) is None
    assert table.send(staff("rui"), approval_of(table.state, "c1")) is None
    assert approves(table, staff("rui")) == "bank_too_small"
    assert table.state.rules.seats == 1


@BOTH
def test_a_round_that_runs_is_finished_under_the_rules_before(game: type[Banked]) -> None:
    table = game(bank=BANK).seat(1)
    asks(table, staff("ana"), 2)
    table.wake()
    assert (table.ante(1, 100) if isinstance(table, NoDraw) else table.bet(1, "ponto 500")) is None
    assert approves(table, staff("rui")) is None
    assert (table.names, table.state.rules.version) == (["ConfigurationAnnounced"], 1)
    assert table.void() is None
    assert table.state.rules.version == 2


@BOTH
def test_play_money_needs_nobody_else(game: type[Banked]) -> None:
    play: dict[str, Any] = {"kind": "demo", "currency": "FUN", "approval": ...}
    table = game(bank=BANK, **play)
    assert asks(table, PLATFORM, 2, **play) is None
    assert table.names == ["ConfigurationAnnounced", "ConfigurationActivated"]


def test_players_against_each_other_risk_nothing_of_the_house() -> None:
    table = TableUnderTest()
    assert asks(table, PLATFORM, 2) is None
    assert table.state.rules.version == 2
    assert approves(table, staff("rui")) == declines(table, staff("rui")) == "no_such_change"


def voids(table: Any, by: str, number: int | None = None) -> Any:
    kind: Any = (VoidHand, "hand") if isinstance(table, TableUnderTest) else (VoidRound, "round")
    return table.send(staff(by), kind[0](**{kind[1]: number or table.state.rounds, "cause": "a card was seen"}))


def seen_in_poker() -> TableUnderTest:
    table = TableUnderTest().seat(1, 2, 3).deal(button=1)
    return table.plays("1 raise 300", "2 call", "3 fold")


SEEN = pytest.mark.parametrize("make", [seen_by_three, seen_in_poker])


@SEEN
def test_two_of_the_staff_void_a_round_in_which_cards_are_out(make: Any) -> None:
    table = make()
    assert table.send(PLATFORM, VoidRound(round=1, cause="x")) == "not_allowed"
    assert table.send(PLATFORM, VoidHand(hand=1, cause="x")) == "not_allowed"
    assert voids(table, "ana") is None
    (asked,) = table.last
    assert asked == VoidRequested(
        table=table.state.table, at=table.now, round=table.state.rounds, cause="a card was seen", by="ana"
    )
    assert voids(table, "ana") == voids(table, "ANA") == "own_request"
    assert voids(table, "rui") is None
    (voided,) = table.of(HandVoided) or table.of(RoundVoided)
    assert (voided.requested_by, voided.by) == ("ana", "rui")
    assert set(table.stacks.values()) == {10_000}


@SEEN
def test_the_wish_ends_with_the_round(make: Any) -> None:
    table = make()
    number = table.state.rounds
    voids(table, "ana")
    if isinstance(table, NoDraw):
        table.plays("2 fold", "3 fold").open()
        assert voids(table, "rui", number) in ("wrong_round", "no_round")
        table.dealt({2: 100}, {2: "Qs Qd 9c 6s 3d"}, ACE_KING)
    else:
        table.checks_down()
        assert voids(table, "rui", number) == "no_hand"
        table.deal()
    assert table.state.rounds == number + 1
    assert voids(table, "rui") is None
    assert table.names == ["VoidRequested"], "the first one of this round"
    assert voids(table, "ana") is None
    assert not table.state.in_round


@BOTH
def test_one_is_enough_before_a_card_is_out(game: type[Banked]) -> None:
    table = game(bank=BANK).seat(1)
    table.wake()
    assert (table.ante(1, 100) if isinstance(table, NoDraw) else table.bet(1, "ponto 500")) is None
    assert voids(table, "ana") is None
    assert (table.last[0].by, table.last[0].requested_by) == ("ana", "")
    assert not table.state.in_round


def test_what_waits_is_in_snapshots_and_in_the_journal() -> None:
    table: Any = seen_by_three()
    assert asks(table, staff("ana"), 2) is None
    assert voids(table, "ana") is None
    sealing = TableFormat(Keyring({"k1": bytes(32)}, "k1"))
    table.state = sealing.decode_state("t1", sealing.encode_state("t1", table.state))
    assert voids(table, "rui") is None
    assert approves(table, staff("rui")) is None
    assert table.state.rules.version == 2
