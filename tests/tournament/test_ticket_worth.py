"""What a ticket can pay for: one entry of the tournament that it is for, at its full buy-in, once, and nothing else.

Found by an attacker who read the code: a ticket of any value became an entry of the whole price (pt-810-2015 25, 28 to
32, 37, FP-17).
"""

from collections.abc import Callable
from typing import Any

import pytest

from libs.contracts import tournament_ticket_commands as tickets
from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command
from libs.contracts.tournament_play_events import PrizesFixed
from libs.contracts.tournaments_events import PaymentDue
from tests.tournament.cashier import Cashier
from tests.tournament.course import FLOOR, MINUTE, POLICY, START, SUPERVISOR, player
from tests.tournament.test_money import booked, of_tournaments
from tests.tournament.test_tickets import (
    FAULT,
    TARGET,
    TICKET_ACCOUNT,
    VALUE,
    audited,
    hall,
    held,
    played,
    satellite,
    won,
)

REGULATION = "pt-810-2015"
LEVELS = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
SPENT = ("ticket_spent", f"{REGULATION}#FP-17")


def issued(value: int, origin: Any = "satellite") -> tickets.IssueTicket:
    return tickets.IssueTicket(
        ticket="sat.9", player="ann", value=value, origin=origin, satellite="sat", won_at=START - 90 * MINUTE
    )


def with_ticket(entry: str = "e1", ticket: str = "sat.1") -> asked.RegisterPlayer:
    return asked.RegisterPlayer(entry=entry, ticket=ticket)


@pytest.mark.rule(REGULATION, "32")
@pytest.mark.parametrize("origin", ["satellite", "freeroll"])
@pytest.mark.parametrize("value", [0, 1, VALUE - 1, VALUE + 1, 100 * VALUE])
@pytest.mark.parametrize("now", [START - 60 * MINUTE, START + 5 * MINUTE], ids=["before the start", "after it"])
def test_no_ticket_is_worth_more_or_less_than_the_buy_in(origin: str, value: int, now: int) -> None:
    """Neither an entry for less than others pay nor money that is not there: it stays in transit, and is told."""
    cashier = won("bob", cashier=won("cid", cashier=hall(levels=LEVELS, late_entry={"level": 1})))
    cashier.deposit("ann", 1)
    if now > START:
        cashier.wake(START, TARGET)
    cashier.now = now
    before = cashier.state("tournament", TARGET)
    assert cashier.answer(TARGET, POLICY, issued(value, origin)) == ("other_value", f"{REGULATION}#32")
    assert cashier.state("tournament", TARGET).tickets == before.tickets
    assert cashier.settle().available("ann") == 1
    refused = cashier.answer(TARGET, player("ann"), with_ticket(ticket="sat.9"))
    assert refused == ("unknown_ticket", f"{REGULATION}#FP-17")


def test_what_a_satellite_pays_in_is_what_its_target_takes() -> None:
    """The target judges the value before anybody enters the satellite, and neither's rules change afterwards."""
    cashier = hall()
    satellite(cashier)
    played(cashier)
    assert {each.amount for each in cashier.state("tournament", TARGET).tickets.values()} == {VALUE}
    assert of_tournaments(booked(cashier)) == {TICKET_ACCOUNT: 4 * VALUE}
    audited(cashier)


@pytest.mark.rule(REGULATION, "FP-17")
def test_a_ticket_for_a_cheap_tournament_pays_no_dear_one() -> None:
    cashier = won("ann")
    cashier.announce("dear", buy_in={"amount": 100 * VALUE, "prize": 100 * VALUE, "fee": 0})
    assert cashier.answer("dear", player("ann"), with_ticket()) == ("unknown_ticket", f"{REGULATION}#FP-17")
    convert = tickets.ConvertTicket(ticket="sat.1")
    assert cashier.answer("dear", player("ann"), convert) == ("unknown_ticket", f"{REGULATION}#FP-17")
    assert cashier.state("tournament", "dear").entry_of("ann") is None
    assert held(cashier) == {"sat.1": "ann"}


@pytest.mark.rule(REGULATION, "FP-17")
def test_a_ticket_pays_once() -> None:
    cashier = won("ann", cashier=won("bob", cashier=won("cid", cashier=hall(
        levels=LEVELS, late_entry={"level": 1}, re_entry={"level": 1},
    ))))  # fmt: skip
    wish = asked.RegisterPlayer(entry="e1", ticket="sat.3")
    again = asked.RegisterPlayer(entry="e2", ticket="sat.3")
    assert cashier.answer(TARGET, player("ann"), wish) == ("", "")
    assert cashier.ask(TARGET, player("ann"), again) == "already_registered"
    assert cashier.answer(TARGET, player("ann"), tickets.ConvertTicket(ticket="sat.3")) == SPENT
    cashier.wake(START, TARGET)
    cashier.settle().hand(TARGET, "ann")
    assert cashier.answer(TARGET, player("ann"), again) == SPENT, "nor is it a re-entry"
    assert not [fact for fact in cashier.told if isinstance(fact, PaymentDue)], "the wallet is asked for nothing"


def test_a_ticket_that_is_issued_twice_is_one() -> None:
    cashier = won("ann")
    for value, owner in ((VALUE, "ann"), (VALUE, "bob"), (1, "bob")):
        more = tickets.IssueTicket(
            ticket="sat.1", player=owner, value=value, origin="satellite", satellite="sat", won_at=cashier.now
        )
        assert not cashier.ask(TARGET, POLICY, more)
    assert held(cashier) == {"sat.1": "ann"}
    assert cashier.state("tournament", TARGET).held.ticket == VALUE


def _completed(cashier: Cashier) -> None:
    cashier.wake(START, TARGET)
    cashier.settle().hand(TARGET, "ann")


def _cancelled(cashier: Cashier) -> None:
    cashier.ask(TARGET, FLOOR, FAULT)
    assert not cashier.ask(TARGET, SUPERVISOR, asked.ConfirmCancellation(sheet=1))


@pytest.mark.rule(REGULATION, "FP-20")
@pytest.mark.parametrize("over", [_completed, _cancelled])
@pytest.mark.parametrize("wish", [with_ticket("e9"), tickets.ConvertTicket(ticket="sat.1")], ids=["enter", "convert"])
def test_no_ticket_is_used_when_its_tournament_is_over(over: Callable[[Cashier], None], wish: Command) -> None:
    cashier = won("bob", cashier=won("ann"))
    cashier.deposit("ann", 1)
    over(cashier)
    paid = cashier.settle().available("ann")
    assert cashier.state("tournament", TARGET).phase in ("completed", "cancelled")
    assert cashier.ask(TARGET, player("ann"), wish) == "tournament_over"
    assert cashier.settle().available("ann") == paid
    assert cashier.state("tournament", TARGET).held.total == 0


@pytest.mark.rule(REGULATION, "28")
@pytest.mark.parametrize("thief", ["ANN", "acme~ann", "ann~ann", "sat.1", "bob"])
def test_a_ticket_is_its_owners_alone_on_every_platform(thief: str) -> None:
    """The owner's platform stands in the owner's id (ADR 12)."""
    cashier = won("ann")
    for wish in (with_ticket(), tickets.ConvertTicket(ticket="sat.1")):
        assert cashier.answer(TARGET, player(thief), wish) == ("not_transferable", f"{REGULATION}#28")
    assert held(cashier) == {"sat.1": "ann"}


@pytest.mark.parametrize("bought", [asked.RequestRebuy, asked.RequestAddOn])
def test_no_ticket_pays_for_more_chips(bought: type[Command]) -> None:
    """The commands have no such field; what is sent with one is parked at intake."""
    assert "ticket" not in bought.__struct_fields__


def test_nobody_but_a_satellite_says_what_a_ticket_is_worth() -> None:
    cashier = hall()
    for who in (player("ann"), FLOOR, SUPERVISOR):
        assert cashier.ask(TARGET, who, issued(VALUE)) == "not_allowed"
    assert "value" not in asked.RegisterPlayer.__struct_fields__


def test_the_pool_has_no_money_of_a_ticket_that_nobody_paid() -> None:
    """Of a freeroll the house has paid it; what is left over of such ones goes back to the house, not to the prizes."""
    cashier = hall()
    satellite(cashier, prize=0, ticket_count=2, min_players=2)
    played(cashier)
    cashier.deposit("zoe", VALUE)
    cashier.register("zoe", TARGET)
    cashier.settle()
    cashier.wake(START, TARGET)
    [fixed] = [fact for fact in cashier.told if isinstance(fact, PrizesFixed) and fact.tournament == TARGET]
    assert fixed.pool == 3 * (VALUE - 200)
    balances = booked(cashier)
    assert balances["treasury/EUR"] == -2 * VALUE
    assert balances[f"tournament-prize/{TARGET}"] == fixed.pool
    audited(cashier)
