"""What a table's escrow gets to know, and what follows of what it has covered: the right account, once (adr/0022)."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.bank_events import BankDropped, BankOpened, BankToppedUp
from libs.contracts.escrow_events import HomeClaim, HomeCovered, HomeHeld
from libs.contracts.facts import Fact, WalletEvent
from libs.contracts.groups import group_of
from libs.contracts.messages import CommandMessage, time_of
from libs.contracts.table_events import PlayerLeft, RefundSent
from libs.contracts.wallet_events import FundsReleased, FundsReserved, ReserveUnplayed, SittingSettled
from libs.money.play import PLAY_CURRENCY
from services.wallet.machine import decode_command
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.reactions import REACTIONS
from tests.wallet.policies.test_policies import NOW, event_of

SEAT: dict[str, Any] = {"table": "t1", "reservation": "s1", "player": "ann", "seat": 1, "currency": "EUR"}
BANK: dict[str, Any] = {"table": "t1", "currency": "EUR", "kind": "real"}
CHANGE: dict[str, Any] = {**BANK, "change": "c1", "amount": 900, "bank": 900, "requested_by": "bo", "by": "eve"}
AT: dict[str, Any] = {
    "account": "account-ann-EUR", "player": "ann", "currency": "EUR", "sitting": "s1", "table": "t1",
}  # fmt: skip
FIGURES: dict[str, Any] = {**AT, "available": 0, "reserved": 0}


def asked(fact: Fact) -> list[CommandMessage]:
    reactions = {**REACTIONS, **TO_ESCROWS, **GOES_HOME}
    service = "wallet" if isinstance(fact, WalletEvent) else "table"
    messages = list(reactions[type(fact)](event_of(service, "s", fact), fact))
    for each in messages:
        decode_command(each)
        assert (each.principal.kind, time_of(each.id)) == ("policy", NOW)
    assert messages == list(reactions[type(fact)](event_of(service, "s", fact), fact)), "twice is the same command"
    return messages


def short(messages: list[CommandMessage]) -> list[tuple[str, str]]:
    return [(each.stream, each.type) for each in messages]


def test_what_leaves_a_table_is_claimed_of_its_escrow() -> None:
    for fact in (PlayerLeft(**SEAT, stack=700, reason="player"), RefundSent(**SEAT, amount=700)):
        [claim] = asked(fact)
        assert (claim.stream, claim.type, claim.body["claim"]["amount"]) == ("escrow-t1", "ClaimHome", 700)
        assert claim.body["claim"]["settlement"] == "s/9"


def test_play_money_and_nothing_at_all_need_no_cover() -> None:
    left = PlayerLeft(**SEAT, stack=0, reason="player")
    assert short(asked(left)) == [("account-ann-EUR", "SettleSitting")]
    assert short(asked(replace(left, stack=5, currency=PLAY_CURRENCY))) == [("account-ann-FUN-demo", "SettleSitting")]
    reserved = FundsReserved(**{**FIGURES, "currency": PLAY_CURRENCY}, reserve="s1", amount=5)
    assert asked(reserved) == []
    assert asked(BankToppedUp(**{**CHANGE, "kind": "demo"})) == []
    assert asked(BankOpened(**{**BANK, "kind": "demo"}, amount=0, bank=0, risk_limit=5, by="x")) == []


def test_what_was_brought_and_what_a_bank_has_is_noted() -> None:
    assert short(asked(FundsReserved(**FIGURES, reserve="s1", amount=5))) == [("escrow-t1", "NoteReserve")]
    opened = BankOpened(**BANK, amount=0, bank=0, risk_limit=500, by="x")
    assert short(asked(opened)) == [("escrow-t1", "NoteRisk")]
    assert asked(replace(opened, risk_limit=0)) == []
    for fact, direction in ((BankToppedUp(**CHANGE), "top_up"), (BankDropped(**CHANGE), "drop")):
        [noted] = asked(fact)
        body = {"table": "t1", "change": "c1", "direction": direction, "currency": "EUR", "amount": 900}
        assert (noted.stream, noted.type, noted.body) == ("escrow-t1", "NoteBank", body)


def test_what_never_became_chips_is_claimed_by_its_reserve() -> None:
    [claim] = asked(ReserveUnplayed(**AT, reserve="u1", amount=70, reason="left"))
    assert claim.body["claim"]["reserve"] == "u1"
    assert (claim.body["claim"]["amount"], claim.body["claim"]["reason"]) == (70, "left")


@pytest.mark.parametrize("covered", [False, True])
def test_what_no_escrow_has_covered_is_noted_as_gone(covered: bool) -> None:
    """As the wallet of before had it."""
    settled = SittingSettled(**FIGURES, brought=5, returned=7, covered=covered)
    released = FundsReleased(**FIGURES, reserve="s1", amount=7, reason="left", covered=covered)
    for fact in (settled, released):
        assert short(asked(fact)) == ([] if covered else [("escrow-t1", "NoteHome")])
    assert asked(SittingSettled(**FIGURES, brought=5, returned=0)) == [], "nothing went"


def test_what_is_covered_goes_home_and_what_is_held_does_not() -> None:
    claim = HomeClaim("ann", "EUR", "s1", 700, settlement="t1/9")
    covered = HomeCovered(account="escrow-t1", player="ann", currency="EUR", table="t1", left=0, claim=claim)
    [settles] = asked(covered)
    assert short([settles]) == [("account-ann-EUR", "SettleSitting")]
    assert (settles.body["returned"], settles.body["settlement"], settles.body["covered"]) == (700, "t1/9", True)
    [releases] = asked(replace(covered, claim=replace(claim, settlement="", reserve="u1", reason="left")))
    assert short([releases]) == [("account-ann-EUR", "ReleaseFunds")]
    assert (releases.body["reserve"], releases.body["reason"], releases.body["covered"]) == ("u1", "left", True)
    assert short(asked(replace(covered, more=True)))[1:] == [("escrow-t1", "ReviewEscrow")]
    assert HomeHeld not in {*REACTIONS, *TO_ESCROWS, *GOES_HOME}


def test_what_was_reserved_is_read_in_the_order_in_which_it_was_told() -> None:
    """By a group of its own, whose commands keep their ids: what is noted twice would count twice."""
    assert group_of("wallet-escrows").reads.name == "croupier.wallet.events.v1"
    assert set(TO_ESCROWS) == {FundsReserved, ReserveUnplayed, SittingSettled, FundsReleased}
