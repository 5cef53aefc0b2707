"""What the pool gets to know, and what follows of a credit that it has covered: the right account, once."""

from typing import Any

from msgspec.structs import replace

from libs.contracts.facts import Fact
from libs.contracts.groups import group_of
from libs.contracts.messages import CommandMessage, time_of
from libs.contracts.pool_events import Claim, CreditCovered, CreditHeld
from libs.contracts.tournament_ticket_events import TicketsAwarded, TicketWon
from libs.contracts.tournaments_events import (
    Credit,
    CreditsDue,
    PaymentReturned,
    TournamentCancelled,
    TournamentProposed,
)
from libs.contracts.wallet_events import TournamentCredited, TournamentPaid
from services.wallet.machine import decode_command
from services.wallet.policies.pools import LASTS_MS, TO_ACCOUNTS, TO_POOLS
from services.wallet.policies.reactions import TO_TOURNAMENTS
from tests.tournament.samples import definition
from tests.wallet.policies.test_policies import NOW, event_of

OF: dict[str, Any] = {"tournament": "cup", "currency": "EUR"}
AT: dict[str, Any] = {"account": "account-ann-EUR", "player": "ann", "available": 0, "reserved": 0, **OF}
CLAIM = Claim("entry-1.prize", "entry-1", "ann", "prize", "EUR", prize=5_000)


def asked(fact: Fact) -> list[CommandMessage]:
    reactions = {**TO_TOURNAMENTS, **TO_POOLS, **TO_ACCOUNTS}
    messages = list(reactions[type(fact)](event_of("wallet", "s", fact), fact))
    for each in messages:
        decode_command(each)
        assert (each.principal.kind, time_of(each.id)) == ("policy", NOW)
    assert messages == list(reactions[type(fact)](event_of("wallet", "s", fact), fact)), "twice is the same command"
    return messages


def short(messages: list[CommandMessage]) -> list[tuple[str, str]]:
    return [(each.stream, each.type) for each in messages]


def test_rules_payments_and_cancellations_are_noted() -> None:
    proposed = TournamentProposed(tournament="cup", name="Cup", definition=definition(), by="ann")
    cancelled = TournamentCancelled(tournament="cup", cause="technical", reason="fire", rule="36.b", by="ann")
    paid = TournamentPaid(**AT, payment="entry-1", amount=2_200)
    before = TournamentCredited(**AT, credit="entry-1.prize", amount=1, why="prize")
    assert short(asked(proposed)) == [("pool-cup", "NoteTerms")]
    assert asked(cancelled) == [], "too few had come: nothing was played"
    assert short(asked(replace(cancelled, confirmed_by="bob"))) == [("pool-cup", "NoteCancellation")]
    assert short(asked(paid)) == [("pool-cup", "NotePayment")]
    assert short(asked(before)) == [("pool-cup", "NoteCredit")]
    assert asked(replace(before, covered=True)) == []


def test_what_is_due_is_claimed_of_the_pool() -> None:
    credits = [Credit("entry-1.prize", "entry-1", "ann", prize=5_000), Credit("t-0.1.cash", "t-0.1", "bob", ticket=9)]
    one, other = asked(CreditsDue(**OF, why="prize", credits=credits))
    assert (one.stream, one.type, one.body["claim"]["prize"]) == ("pool-cup", "ClaimCredit", 5_000)
    assert one.id != other.id
    [back] = asked(PaymentReturned(**OF, payment="entry-2", player="eve", amount=2_200))
    assert (back.body["claim"]["why"], back.body["claim"]["whole"]) == ("return", 2_200)
    awarded = TicketsAwarded(
        **OF, target="final", value=900, origin="satellite", tickets=[TicketWon("cup.1", "entry-1", "ann")]
    )
    [won] = asked(awarded)
    assert won.body["claim"]["target"] == "final"


def test_what_is_covered_is_paid_and_what_is_held_is_not() -> None:
    covered = CreditCovered(**OF, account="pool-cup", player="ann", claim=CLAIM)
    [paid] = asked(covered)
    assert (paid.stream, paid.type) == ("account-ann-EUR", "CreditTournament")
    assert (paid.body["credit"], paid.body["amount"], paid.body["covered"]) == ("entry-1.prize", 5_000, True)
    assert short(asked(replace(covered, more=True)))[1:] == [("pool-cup", "ReviewPool")]
    [play] = asked(replace(covered, claim=replace(CLAIM, currency="FUN")))
    assert play.stream == "account-ann-FUN-demo"
    late = Claim("entry-2", "entry-2", "eve", "return", "EUR", whole=2_200)
    assert short(asked(replace(covered, claim=late))) == [("account-eve-EUR", "ReturnPayment")]
    won = Claim("cup.1", "entry-1", "ann", "ticket", "EUR", prize=900, target="final")
    [noted] = asked(replace(covered, claim=won))
    assert (noted.stream, noted.type, noted.body["satellite"]) == ("pool-final", "NoteTicket", "cup")
    assert CreditHeld not in {*TO_TOURNAMENTS, *TO_POOLS, *TO_ACCOUNTS}


def test_a_house_of_before_is_read_from_long_ago() -> None:
    assert group_of("wallet-pools").reads.name == "croupier.tournament.events.v1"
    assert group_of("wallet-notes").reads.name == "croupier.wallet.events.v1"
    assert LASTS_MS > 2 * 365 * 86_400_000


def test_rules_are_heard_in_the_order_of_the_log_alone() -> None:
    """Else a forged second proposal of a tournament of before could come first, while that one is still to be read."""
    assert TournamentProposed in TO_POOLS
    assert TournamentProposed not in TO_TOURNAMENTS
    assert TournamentCancelled in TO_TOURNAMENTS, "before the credits that follow from it"
