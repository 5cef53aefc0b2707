"""What one person may not move alone waits until another one approves it; then it moves, once."""

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.messages import Principal
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import (
    ApproveCash,
    DeclineCash,
    DepositFunds,
    RequestCash,
    WithdrawFunds,
)
from libs.money.cash import ALONE_UP_TO
from services.wallet.domain.account.decide import MOST_WAITING
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import refusal_in
from tests.wallet.account.given import OPERATOR, Told, demo_opened, deposited, given, opened

BO, CY = Principal("staff", "bo"), Principal("staff", "cy")
MUCH = ALONE_UP_TO + 1
REQUEST = RequestCash(reference="c1", purpose="deposit", amount=MUCH)
APPROVAL = ApproveCash(reference="c1", purpose="deposit", amount=MUCH)
requested = events.CashRequested(reference="c1", purpose="deposit", amount=MUCH, by="staff:bo")
out = replace(requested, purpose="withdrawal", amount=10_000)


@pytest.mark.parametrize("command", [DepositFunds, WithdrawFunds])
def test_above_the_bound_a_person_alone_moves_nothing(command: type[DepositFunds | WithdrawFunds]) -> None:
    rich = given(opened, replace(deposited, amount=MUCH, available=MUCH))
    rich.when(BO, command(reference="c1", amount=MUCH)).then_rejected(Reason.NEEDS_ANOTHER)
    assert rich.when(BO, command(reference="c1", amount=ALONE_UP_TO)).account()
    assert rich.when(OPERATOR, command(reference="c1", amount=MUCH)).account(), "a platform has bounds of its own"


def test_play_money_has_no_bound() -> None:
    story = given(demo_opened, stream="account-ann-EUR-demo")
    assert story.when(BO, DepositFunds(reference="c1", amount=MUCH)).account().available == MUCH


def test_it_waits_and_the_sender_is_told_so_each_time() -> None:
    told = given(opened).when(BO, REQUEST)
    told.then(requested)
    assert refusal_in([requested]) == Reason.WAITS_FOR_ANOTHER
    assert (told.account().available, len(told.account().waiting)) == (0, 1)
    assert decode_state(encode_state(told.account())) == told.account()
    waits = given(opened, requested)
    waits.when(BO, REQUEST).then_rejected(Reason.WAITS_FOR_ANOTHER)
    waits.when(CY, REQUEST).then_rejected(Reason.WAITS_FOR_ANOTHER)
    waits.when(BO, DepositFunds(reference="c1", amount=5)).then_rejected(Reason.WAITS_FOR_ANOTHER)
    waits.when(BO, replace(REQUEST, amount=5)).then_rejected(Reason.REFERENCE_CONFLICT)


def test_another_person_approves_what_was_asked_and_it_moves_once() -> None:
    waits = given(opened, requested)
    moved = events.FundsDeposited(
        reference="c1", amount=MUCH, available=MUCH, reserved=0, by="staff:cy", requested_by="staff:bo"
    )
    told = waits.when(CY, APPROVAL)
    told.then(moved)
    assert told.account().waiting == {}
    over = given(opened, requested, moved)
    over.when(CY, APPROVAL).then_rejected(Reason.NOTHING_WAITS)
    over.when(BO, REQUEST).then_nothing()
    over.when(BO, replace(REQUEST, amount=7)).then_rejected(Reason.REFERENCE_CONFLICT)


@pytest.mark.parametrize("same", ["bo", "BO"])
def test_who_asked_can_not_approve(same: str) -> None:
    given(opened, requested).when(Principal("staff", same), APPROVAL).then_rejected(Reason.OWN_REQUEST)


def test_a_person_known_by_a_digest_is_one_person_too() -> None:
    one, two = (Principal("staff", f"sub:{'a' * 40}:{each * 16}") for each in "bc")
    waits = given(opened, replace(requested, by=str(one)))
    waits.when(two, APPROVAL).then_rejected(Reason.OWN_REQUEST)


def test_what_is_approved_is_what_was_seen() -> None:
    waits = given(opened, requested)
    for other in ({"amount": MUCH + 1}, {"purpose": "withdrawal"}):
        waits.when(CY, replace(APPROVAL, **other)).then_rejected(Reason.REQUEST_DIFFERS)
    waits.when(CY, replace(APPROVAL, reference="c2")).then_rejected(Reason.NOTHING_WAITS)


def test_either_of_them_declines_and_the_reference_is_used_up() -> None:
    declined = events.CashDeclined(
        reference="c1", purpose="deposit", amount=MUCH, requested_by="staff:bo", by="staff:bo", reason="a slip"
    )
    given(opened, requested).when(BO, DeclineCash(reference="c1", reason="a slip")).then(declined)
    over = given(opened, requested, declined)
    over.when(BO, REQUEST).then_rejected(Reason.REFERENCE_CONFLICT)
    over.when(CY, APPROVAL).then_rejected(Reason.NOTHING_WAITS)
    over.when(CY, DeclineCash(reference="c1", reason="again")).then_rejected(Reason.NOTHING_WAITS)


def test_money_that_is_gone_when_it_is_approved_is_refused() -> None:
    ask = RequestCash(reference="c1", purpose="withdrawal", amount=10_000)
    given(opened, deposited).when(BO, ask).then(out)
    gone = events.FundsReserved(reserve="s", sitting="s", table="t", amount=1, available=9_999, reserved=1)
    refused = events.WithdrawalRefused(
        reference="c1", amount=10_000, available=9_999, by="staff:cy", requested_by="staff:bo",
        reason="insufficient_funds",
    )  # fmt: skip
    approval = replace(APPROVAL, purpose="withdrawal", amount=10_000)
    told = given(opened, deposited, out, gone).when(CY, approval)
    told.then(refused)
    assert told.account().waiting == {}
    given(opened, deposited, gone).when(BO, ask).then(replace(refused, by="staff:bo", requested_by=""))


def test_so_many_wait_at_an_account() -> None:
    many = [replace(requested, reference=f"w{number}") for number in range(MOST_WAITING)]
    given(opened, *many).when(BO, REQUEST).then_rejected(Reason.TOO_MANY_WAITING)


@pytest.mark.parametrize("command", [REQUEST, APPROVAL, DeclineCash(reference="c1", reason="no")])
def test_people_alone_may_ask(command: WalletCommand) -> None:
    told: Told = given(opened, requested).when(OPERATOR, command)
    told.then_rejected(Reason.NOT_ALLOWED)
    given().when(BO, command).then_rejected(Reason.UNKNOWN_ACCOUNT)
