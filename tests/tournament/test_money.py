"""Entries, fees and bounties in the books: reserved at once, given back to the cent, and nothing left in the end."""

import random
from collections import defaultdict
from typing import Any

import pytest

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts import wallet_events as wallet
from libs.contracts.messages import Principal
from libs.contracts.pool_events import CreditHeld
from libs.contracts.registry import parse_event
from libs.contracts.wallet_commands import AccountReason, CreditTournament, PayTournament, ReturnPayment
from libs.projecting import Pool, project
from services.cli.replaying.tournament.house import MACHINES, House
from services.wallet.policies.pools import when_payment_returned
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import trial_balance
from services.wallet.projections.chart import has_floor
from services.wallet.projections.transfers import stated_balances, transfers_of
from tests.testkit.memory_source import MemorySource
from tests.tournament.cashier import Cashier, public
from tests.tournament.course import FLOOR, MINUTE, START, SUPERVISOR, definition, player
from tests.wallet.account import given as account

FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
KNOCK_OUT: dict[str, Any] = {"buy_in": {"amount": 3_300, "prize": 2_000, "fee": 300, "bounty": 1_000}}
PAY = PayTournament(payment="entry-ann", tournament="t-1", amount=2_200)
CREDIT = CreditTournament(credit="entry-ann.refund", tournament="t-1", amount=2_200, why="refund")
paid = wallet.TournamentPaid(payment="entry-ann", tournament="t-1", amount=2_200, available=7_800, reserved=0)
credited = wallet.TournamentCredited(
    credit="entry-ann.refund", tournament="t-1", amount=2_200, why="refund", available=12_200, reserved=0
)


def booked(cashier: Cashier) -> dict[str, int]:
    """Balances by account; floors, and every figure that an event states, are asserted on the way."""
    balances: dict[str, int] = defaultdict(int)
    for _, _, event in cashier.records:
        fact = parse_event(event)
        for transfer in transfers_of(fact, "real"):
            balances[transfer.debit] -= transfer.amount
            balances[transfer.credit] += transfer.amount
            assert balances[transfer.debit] >= 0 or not has_floor(transfer.debit), (fact, transfer)
        for name, stated in stated_balances(fact):
            assert balances[name] == stated, (type(fact).__name__, name)
    assert sum(balances.values()) == 0
    return balances


def of_tournaments(balances: dict[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in balances.items() if name.startswith("tournament-") and amount}


def in_transit(balances: dict[str, int]) -> list[str]:
    return [name for name, amount in balances.items() if name.startswith("in-transit/") and amount]


@pytest.mark.rule("pt-810-2015", "21")
@pytest.mark.rule("pt-810-2015", "22")
def test_the_wallet_pays_a_tournament_once_and_never_below_zero() -> None:
    before = (account.opened, account.deposited)
    account.given(*before).when(account.POLICY, PAY).then(paid)
    account.given(*before, paid).when(account.POLICY, PAY).then_nothing()
    other = PayTournament(payment="entry-ann", tournament="t-1", amount=2_201)
    account.given(*before, paid).when(account.POLICY, other).then_rejected(AccountReason.REFERENCE_CONFLICT)
    dear = PayTournament(payment="entry-ann", tournament="t-1", amount=10_001)
    refused = wallet.TournamentPaymentRefused(
        payment="entry-ann", tournament="t-1", amount=10_001, available=10_000, reason="insufficient_funds"
    )
    account.given(*before).when(account.POLICY, dear).then(refused)
    account.given(*before, refused).when(account.POLICY, dear).then_nothing()


@pytest.mark.rule("pt-810-2015", "54")
def test_the_wallet_credits_each_credit_once() -> None:
    before = (account.opened, account.deposited)
    account.given(*before).when(account.POLICY, CREDIT).then(credited)
    account.given(*before, credited).when(account.POLICY, CREDIT).then_nothing()
    more = CreditTournament(credit="entry-ann.refund", tournament="t-1", amount=2_201, why="refund")
    account.given(*before, credited).when(account.POLICY, more).then_rejected(AccountReason.REFERENCE_CONFLICT)


def test_a_return_of_a_million_that_a_tournament_makes_up_is_not_paid() -> None:
    """One event under the tournament's login, with the name of an own true entry: the account had a million more."""
    house = House(START - 3_600_000)
    assert not house.approve("t-1", definition())
    house.deposit("ann", 5_000)
    house.ask("t-1", player("ann"), asked.RegisterPlayer(entry="entry-ann"))
    house.settle()
    forged = told.PaymentReturned(
        tournament="t-1", currency="EUR", payment="entry-ann", player="ann", amount=100_000_000
    )
    [message] = when_payment_returned(public(forged, 9), forged)
    assert (message.stream, message.type) == ("pool-t-1", "ClaimCredit")
    assert not house.ask(message.stream, message.principal, MACHINES["wallet"].decode_command(message))
    assert isinstance(house.told[-1], CreditHeld)
    assert house.settle().available("ann") == 2_800
    back = ReturnPayment(payment="entry-ann", tournament="t-1", amount=100_000_000)
    assert house.ask("account-ann-EUR", message.principal, back) == "not_paid", "nor does the account believe the pool"
    assert house.available("ann") == 2_800


@pytest.mark.parametrize("by", [account.PLAYER, account.OPERATOR, Principal("staff", "bo")])
@pytest.mark.parametrize("command", [PAY, CREDIT])
def test_only_policies_pay_and_credit(by: Principal, command: PayTournament | CreditTournament) -> None:
    story = account.given(account.opened, account.deposited)
    story.when(by, command).then_rejected(AccountReason.NOT_ALLOWED)


def test_a_registration_is_paid_at_once_into_three_accounts() -> None:
    cashier = Cashier()
    cashier.announce(**KNOCK_OUT)
    cashier.deposit("ann", 5_000)
    cashier.register("ann")
    balances = booked(cashier.settle())
    assert cashier.available("ann") == 1_700
    assert of_tournaments(balances) == {
        "tournament-prize/t-1": 2_000, "tournament-fee/t-1": 300, "tournament-bounty/t-1": 1_000,
    }  # fmt: skip
    assert not in_transit(balances)


def test_who_has_a_cent_too_little_is_not_registered() -> None:
    cashier = Cashier()
    cashier.announce()
    cashier.deposit("ann", 2_199)
    cashier.register("ann")
    cashier.settle()
    assert cashier.states["tournament", "t-1"].alive == []
    assert cashier.available("ann") == 2_199
    cashier.deposit("ann", 1)
    cashier.register("ann", entry="entry-2")
    cashier.settle()
    assert [entry.entry for entry in cashier.states["tournament", "t-1"].alive] == ["entry-2"]
    assert cashier.available("ann") == 0


def test_one_balance_buys_one_of_two_entries() -> None:
    cashier = Cashier()
    cashier.announce("t-1")
    cashier.announce("t-2")
    cashier.deposit("ann", 2_200)
    cashier.register("ann", "t-1", "entry-1")
    cashier.register("ann", "t-2", "entry-2")
    cashier.settle()
    assert sorted(len(cashier.states["tournament", name].alive) for name in ("t-1", "t-2")) == [0, 1]
    assert cashier.available("ann") == 0


@pytest.mark.parametrize("seed", range(40))
def test_however_answers_come_every_cent_is_somewhere_and_in_the_end_at_home(seed: int) -> None:
    """Twenty players come and go while answers are late or come twice; then it is cancelled, by itself or by two."""
    luck = random.Random(seed)
    cashier = Cashier(seed)
    cashier.announce(min_players=40, **KNOCK_OUT)
    names = [f"p{number}" for number in range(20)]
    for name in names:
        cashier.deposit(name, luck.choice((3_299, 3_300, 10_000)))
    had = {name: cashier.available(name) for name in names}
    for step in range(200):
        name = luck.choice(names)
        match luck.randrange(6):
            case 0 | 1:
                cashier.register(name, entry=f"entry-{step}")
            case 2:
                cashier.ask("t-1", player(name), asked.UnregisterPlayer())
            case 3:
                cashier.now += luck.randrange(MINUTE)
            case _:
                cashier.deliver()
        if step % 20 == 0:
            booked(cashier)
    if luck.random() < 0.5:
        cashier.ask("t-1", FLOOR, FAULT)
        assert not cashier.ask("t-1", SUPERVISOR, asked.ConfirmCancellation(sheet=1))
    else:
        cashier.wake(START)
        cashier.settle()
        cashier.wake(START + MINUTE)
    balances = booked(cashier.settle())
    assert cashier.states["tournament", "t-1"].phase == "cancelled"
    assert not of_tournaments(balances)
    assert not in_transit(balances)
    assert {name: cashier.available(name) for name in names} == had


@pytest.mark.stack
@pytest.mark.parametrize("first", ["wallet", "tournament"])
async def test_the_real_books_agree_in_whatever_order_they_read(books_pool: Pool, first: str) -> None:
    cashier = Cashier()
    cashier.announce(**KNOCK_OUT)
    for name in ("ann", "bob", "cid"):
        cashier.deposit(name, 5_000)
        cashier.register(name)
    cashier.settle()
    cashier.ask("t-1", player("bob"), asked.UnregisterPlayer())
    cashier.settle()
    records = sorted(cashier.records, key=lambda record: first not in record[0])
    await project(books_pool, BOOKS, books(), MemorySource(records))
    async with books_pool.acquire() as connection:
        groups = {each.group: each.balance for each in (await trial_balance(connection)).groups}
        disagreements = await connection.fetchval("select count(*) from disagreements")
    assert groups == {
        "in-transit": 0, "operator-cash": -15_000, "player": 8_400, "tournament-bounty": 2_000,
        "tournament-fee": 600, "tournament-prize": 4_000,
    }  # fmt: skip
    assert disagreements == 0
