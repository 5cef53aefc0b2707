"""What a tournament gives back comes out of what this account has paid it, whatever the tournament says (ADR 13)."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.registry import encode_fact
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import CreditTournament, PayTournament, ReturnPayment
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.journal_format import decode_state, encode_state
from tests.wallet.account.given import POLICY, Told, deposited, given, opened

OF: dict[str, Any] = {"tournament": "cup", "reserved": 0}
paid = events.TournamentPaid(**OF, payment="entry-1", amount=2_200, available=7_800)
paid_more = events.TournamentPaid(**OF, payment="payment-2", amount=1_000, available=6_800)
returned = events.TournamentCredited(**OF, credit="entry-1", amount=2_200, why="refund", available=10_000)
refunded = replace(returned, credit="entry-1.refund")
too_dear = events.TournamentPaymentRefused(
    payment="entry-9", tournament="cup", amount=100_000_000, available=10_000, reason="insufficient_funds"
)
RETURN = ReturnPayment(payment="entry-1", tournament="cup", amount=2_200)
REFUND = CreditTournament(credit="entry-1.refund", tournament="cup", amount=2_200, why="refund")


def after(*more: WalletEvent, command: WalletCommand) -> Told:
    return given(opened, deposited, *more).when(POLICY, command)


@pytest.mark.rule("pt-810-2015", "22")
def test_a_late_payment_goes_back_as_it_came_and_once() -> None:
    after(paid, command=RETURN).then(returned)
    after(paid, returned, command=RETURN).then_nothing()
    after(paid, returned, command=replace(RETURN, amount=2_201)).then_rejected(Reason.REFERENCE_CONFLICT)


@pytest.mark.parametrize(
    "wrong",
    [{"amount": 100_000_000}, {"amount": 2_199}, {"payment": "entry-2"}, {"tournament": "other"}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_nothing_goes_back_that_was_not_paid(wrong: dict[str, Any]) -> None:
    """One event with a true entry's name and a million: the wallet paid it."""
    after(paid, command=replace(RETURN, **wrong)).then_rejected(Reason.NOT_PAID)


def test_a_payment_of_another_account_does_not_go_back_here() -> None:
    after(command=RETURN).then_rejected(Reason.NOT_PAID)


def test_a_payment_for_which_there_was_too_little_does_not_go_back() -> None:
    """Wished by its player, so that the wallet was asked for it: a million that nobody had."""
    after(too_dear, command=ReturnPayment(payment="entry-9", tournament="cup", amount=100_000_000)).then_rejected(
        Reason.NOT_PAID
    )
    after(paid, too_dear, command=replace(REFUND, credit="entry-9.refund", amount=2_201)).then_rejected(Reason.NOT_PAID)


def test_nothing_goes_back_twice_as_a_return_and_as_a_refund() -> None:
    after(paid, returned, command=REFUND).then_rejected(Reason.NOT_PAID)
    after(paid, refunded, command=RETURN).then_rejected(Reason.NOT_PAID)


def test_a_credit_has_not_the_name_of_a_payment_save_as_older_builds_returned_it() -> None:
    under_its_name = CreditTournament(credit="entry-1", tournament="cup", amount=2_200, why="refund")
    after(paid, command=under_its_name).then(returned)
    after(paid, command=replace(under_its_name, amount=2_201)).then_rejected(Reason.NOT_PAID)
    after(paid, command=replace(under_its_name, why="prize")).then_rejected(Reason.NOT_PAID)


@pytest.mark.rule("pt-810-2015", "36.a")
def test_a_refund_is_what_was_paid_at_most_rebuys_and_add_ons_together() -> None:
    after(paid, command=REFUND).then(refunded)
    after(paid, command=replace(REFUND, amount=2_201)).then_rejected(Reason.NOT_PAID)
    both = replace(refunded, amount=3_200)
    after(paid, paid_more, command=replace(REFUND, amount=3_200)).then(both)
    after(paid, paid_more, command=replace(REFUND, amount=3_201)).then_rejected(Reason.NOT_PAID)
    after(paid, paid_more, both, command=replace(RETURN, payment="payment-2", amount=1_000)).then_rejected(
        Reason.NOT_PAID
    )
    # The prize of its place is a part of it (36.a): less than was paid.
    after(paid, command=replace(REFUND, amount=200)).then(replace(refunded, amount=200, available=8_000))


def test_several_entries_of_one_player_are_refunded_each() -> None:
    again = events.TournamentPaid(**OF, payment="entry-2", amount=2_200, available=5_600)
    first = replace(refunded, available=7_800)
    second = replace(REFUND, credit="entry-2.refund")
    after(paid, again, first, command=second).then(replace(refunded, credit="entry-2.refund"))
    after(paid, again, first, command=replace(second, amount=2_201)).then_rejected(Reason.NOT_PAID)


@pytest.mark.rule("pt-810-2015", "37")
def test_what_was_paid_with_a_ticket_is_refunded_and_takes_nothing_of_what_was_paid_with_money() -> None:
    of_ticket = replace(REFUND, credit="sat-1.4.refund", amount=3_200)
    told = events.TournamentCredited(**OF, credit="sat-1.4.refund", amount=3_200, why="refund", available=11_000)
    after(paid, command=of_ticket).then(told)
    after(paid, told, command=REFUND).then(replace(refunded, available=13_200))


def test_prizes_bounties_and_shares_are_no_refunds_of_what_was_paid() -> None:
    for credit in ("entry-1.prize", "entry-1.bounty.1", "entry-1.share", "entry-1.refund.to.entry-2"):
        won = events.TournamentCredited(**OF, credit=credit, amount=9_000, why="refund", available=16_800)
        asked = CreditTournament(credit=credit, tournament="cup", amount=9_000, why="refund")
        after(paid, command=asked).then(won)
        after(paid, won, command=REFUND).then(replace(refunded, available=19_000))


def test_a_payment_that_was_refused_is_refused_for_ever_and_asked_again_says_nothing() -> None:
    again = PayTournament(payment="entry-9", tournament="cup", amount=100_000_000)
    after(too_dear, command=again).then_nothing()
    after(too_dear, command=replace(again, amount=1)).then_rejected(Reason.REFERENCE_CONFLICT)


def test_what_was_paid_is_kept_in_snapshots_and_what_has_all_come_back_is_not() -> None:
    state = after(paid, command=PayTournament(payment="payment-2", tournament="cup", amount=1_000)).account()
    assert state.paid_to("cup") == 3_200
    assert decode_state(encode_state(state)) == state
    assert not after(paid, command=REFUND).account().paid


def test_what_an_older_build_gave_back_without_looking_is_folded() -> None:
    too_much = replace(returned, amount=100_000_000, available=100_007_800)
    after(paid, too_much, command=REFUND).then_rejected(Reason.NOT_PAID)


@pytest.mark.parametrize("lie", [{"credit": "entry-2"}, {"amount": 2_201}, {"why": "prize"}, {"tournament": "other"}])
def test_the_auditor_tells_of_a_return_that_is_another_than_was_asked_for(lie: dict[str, Any]) -> None:
    assert told_otherwise("wallet", RETURN, POLICY, [encode_fact(returned)]) is None
    assert told_otherwise("wallet", RETURN, POLICY, [encode_fact(replace(returned, **lie))]) is not None
