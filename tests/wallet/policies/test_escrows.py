"""What a table's escrow gets to know, and what follows of what it has covered: the right account, once (adr/0022)."""

from typing import Any

from msgspec.structs import replace

from libs.contracts.bank_events import BankClosed, BankCovered, BankDropped, BankOpened, BankToppedUp
from libs.contracts.escrow_events import HomeClaim, HomeCovered, HomeHeld, HomeStruck
from libs.contracts.facts import Fact, WalletEvent
from libs.contracts.groups import group_of
from libs.contracts.messages import CommandMessage, time_of
from libs.contracts.table_events import PlayerLeft, RefundSent
from libs.contracts.wallet_events import FundsReserved, HomeAsked
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


def test_what_leaves_a_table_its_account_is_told_first() -> None:
    """It knows whether there is such a sitting: a claim of nobody would take what lies there from who has won it."""
    for fact in (PlayerLeft(**SEAT, stack=700, reason="player"), RefundSent(**SEAT, amount=700)):
        assert short(asked(fact)) == [("account-ann-EUR", "SettleSitting")]


def test_what_an_account_asks_home_is_claimed_of_the_escrow() -> None:
    [chips] = asked(HomeAsked(**AT, amount=700, settlement="t1/9"))
    claim = {"player": "ann", "currency": "EUR", "sitting": "s1", "amount": 700}
    assert (chips.stream, chips.type, chips.body["told_at"]) == ("escrow-t1", "ClaimHome", NOW)
    assert chips.body["claim"] == {**claim, "settlement": "t1/9", "reserve": "", "reason": ""}
    [unplayed] = asked(HomeAsked(**AT, amount=700, reserve="u1", reason="left"))
    assert unplayed.body["claim"] == {**claim, "settlement": "", "reserve": "u1", "reason": "left"}


def test_play_money_has_no_escrow() -> None:
    assert asked(FundsReserved(**{**FIGURES, "currency": PLAY_CURRENCY}, reserve="s1", amount=5)) == []
    assert asked(BankToppedUp(**{**CHANGE, "kind": "demo"})) == []
    assert asked(BankOpened(**{**BANK, "kind": "demo"}, amount=0, bank=0, risk_limit=5, by="x")) == []


def test_what_was_brought_and_what_a_bank_has_is_noted() -> None:
    [brought] = asked(FundsReserved(**FIGURES, reserve="s1", amount=5))
    assert (brought.stream, brought.type, brought.body["told_at"]) == ("escrow-t1", "NoteReserve", NOW)
    [risk] = asked(BankOpened(**BANK, amount=0, bank=0, risk_limit=500, by="x", alone_up_to=70))
    assert (risk.stream, risk.type, risk.body["amount"], risk.body["alone_up_to"]) == ("escrow-t1", "NoteRisk", 500, 70)
    for fact, direction in ((BankToppedUp(**CHANGE), "top_up"), (BankDropped(**CHANGE), "drop")):
        [noted] = asked(fact)
        body = {"table": "t1", "change": "c1", "direction": direction, "currency": "EUR", "amount": 900}
        assert (noted.stream, noted.type, noted.body) == ("escrow-t1", "NoteBank", {**body, "alone": False})
    [cover] = asked(BankCovered(**BANK, amount=5, bank=0, cause="a lawful win above the bank"))
    [closed] = asked(BankClosed(**BANK, amount=70))
    assert short([cover, closed]) == [("escrow-t1", "NoteCover"), ("escrow-t1", "ReturnBank")]
    [alone] = asked(BankToppedUp(**{**CHANGE, "by": "bo"}))
    assert alone.body["alone"]


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
    struck = HomeStruck(account="escrow-t1", player="ann", currency="EUR", table="t1", left=0, claim=claim)
    assert asked(struck) == []
    assert short(asked(replace(struck, more=True))) == [("escrow-t1", "ReviewEscrow")]
    assert HomeHeld not in {*REACTIONS, *TO_ESCROWS, *GOES_HOME}


def test_what_was_reserved_is_read_in_the_order_in_which_it_was_told() -> None:
    """By a group of its own, whose commands keep their ids: what is noted twice would count twice."""
    assert group_of("wallet-escrows").reads.name == "croupier.wallet.events.v1"
    assert list(TO_ESCROWS) == [FundsReserved, HomeAsked]
