"""Fees, payments and credits of long ago are forgotten, journalled; what comes of them later is refused by the time of
the event that it answers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.wallet_commands import (
    AccountReason,
    Answering,
    ChargeFee,
    CreditTournament,
    DepositFunds,
    PayTournament,
    ReturnPayment,
)
from services.wallet.domain.account.forgetting import KEPT, Kept
from services.wallet.domain.account.state import Account
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import HORIZON_MS
from services.wallet.policies.pools import LASTS_MS
from tests.wallet.account.test_forgetting import DAY, Life, T

FEW = Kept(references_least=4, references_for_ms=400 * DAY)
YEAR = 365 * DAY


class Player(Life):
    """Of tournaments, and of a table that charges for sessions."""

    def __init__(self, kept: Kept = FEW) -> None:
        super().__init__(kept)
        self.by_operator(DepositFunds(reference="r2", amount=10**12))
        self.asked: list[Answering] = []

    def pay(self, amount: int = 100, **other: Any) -> PayTournament:
        name = {"payment": self.minted("entry"), "tournament": "cup", "told_at": self.at, **other}
        return self._asks(PayTournament(amount=amount, **name))

    def win(self, amount: int = 100, **other: Any) -> CreditTournament:
        name = {"credit": f"{self.minted('entry')}.prize", "tournament": "cup", "told_at": self.at, **other}
        return self._asks(CreditTournament(amount=amount, why="prize", covered=True, **name))

    def back(self, paid: PayTournament) -> ReturnPayment:
        return ReturnPayment(
            payment=paid.payment, tournament=paid.tournament, amount=paid.amount, covered=True, told_at=self.at
        )

    def play(self, days: int, each: int = 1) -> None:
        for _ in range(days):
            self.at += DAY
            for _ in range(each):
                self.pay(tournament=f"cup-{self._count}")

    def turns(self) -> list[events.ReferencesForgotten]:
        return [each for each in self.happened if isinstance(each, events.ReferencesForgotten)]

    def _asks(self, command: Any) -> Any:
        assert isinstance(self.ask(command), list), command
        self.asked.append(command)
        return command


def test_bytes_are_flat_in_history() -> None:
    life = Player(Kept())
    sizes = []
    for _ in range(10):
        life.play(365, each=3)
        sizes.append(len(encode_state(life.account)))
    assert len(life.turns()) == 9
    assert max(sizes) < 1.4 * sizes[1], sizes
    assert max(sizes) < 2 * 401 * 3 * 64, "two generations of 400 days, a payment and a tournament's sum each"


def test_who_enters_without_end_fills_no_record() -> None:
    life = Player(Kept(references_many=400))
    sizes = []
    for _ in range(8):
        life.play(8, each=60)
        sizes.append(len(encode_state(life.account)))
    assert len(life.turns()) >= 6
    assert max(sizes) < 1.2 * sizes[1], sizes


def test_two_full_generations_fit_into_a_record_with_all_else() -> None:
    """Beside 16 MB: sittings, and the ring (`services/wallet/machine.py`)."""
    reference, paid, sitting, ring = 36, 27, 81, 3_000_000
    generation = KEPT.references_many * (reference + paid / 3) + KEPT.many * sitting
    assert 2 * generation + ring < 16_000_000


def test_a_late_duplicate_of_what_is_forgotten_moves_nothing() -> None:
    life = Player()
    sitting = life.minted()
    life.reserve(sitting)
    paid, won = life.pay(), life.win()
    returned = life.back(life.pay())
    fee = ChargeFee(fee="table-7-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=5, told_at=life.at)
    for asked in (returned, fee):
        assert isinstance(life.ask(asked), list)
    every: list[Any] = [paid, won, returned, fee]
    for each in every:
        assert life.ask(each) == []
        assert life.ask(replace(each, amount=each.amount + 1)) == AccountReason.REFERENCE_CONFLICT
    life.play(900)

    before = life.account
    for each in every:
        assert life.ask(each) == AccountReason.FORGOTTEN
        assert life.ask(replace(each, told_at=0)) == AccountReason.FORGOTTEN, "it does not say when"
    assert life.account == before


def test_what_was_asked_within_the_time_is_remembered() -> None:
    life = Player()
    life.play(450)
    recent, won = life.pay(), life.win()
    life.play(395)
    assert (life.ask(recent), life.ask(won)) == ([], [])
    assert life.ask(replace(recent, amount=7)) == AccountReason.REFERENCE_CONFLICT


@pytest.mark.parametrize("turns_first", [False, True])
def test_a_credit_that_a_house_that_was_away_for_a_year_owes_is_paid_once(turns_first: bool) -> None:
    life = Player()
    life.play(450)
    owed = CreditTournament(
        credit="entry-7.prize", tournament="cup", amount=900, why="prize", covered=True, told_at=life.at
    )
    life.at += 398 * DAY
    if turns_first:
        life.pay()
    paid = life.ask(owed)
    assert isinstance(paid, list)
    assert isinstance(paid[0], events.TournamentCredited)
    assert life.ask(owed) == []
    life.play(1_000)
    assert life.ask(owed) == AccountReason.FORGOTTEN


def test_before_anything_is_forgotten_nothing_is_too_old() -> None:
    """However long ago it was told: nobody who was never forgotten of anything loses a payment by its age."""
    life = Player(KEPT)
    life.at += 3 * YEAR
    assert isinstance(life.ask(PayTournament(payment="entry-1", tournament="cup", amount=5, told_at=T)), list)


def test_what_does_not_say_when_is_taken_until_something_is_forgotten_and_remembered_for_ever() -> None:
    """As older builds asked it."""
    life = Player()
    old = PayTournament(payment="entry-41", tournament="cup", amount=100)
    assert isinstance(life.ask(old), list)
    life.play(2_000)
    assert life.ask(old) == []
    assert life.ask(replace(old, told_at=T)) == [], "heard again by a build that says so"
    assert life.ask(replace(old, payment="entry-42")) == AccountReason.FORGOTTEN


def test_what_says_a_time_that_has_not_come_is_remembered_for_ever() -> None:
    """It would be forgotten, and its time would still come."""
    life = Player()
    early = CreditTournament(
        credit="entry-1.prize", tournament="cup", amount=9, why="prize", covered=True, told_at=T + 3 * YEAR
    )
    told = life.ask(early)
    assert isinstance(told, list)
    assert isinstance(told[0], events.TournamentCredited)
    assert told[0].told_at == 0
    life.play(1_000)
    assert life.ask(early) == []
    later = replace(early, credit="entry-2.prize", told_at=life.at + 3 * YEAR)
    assert isinstance(life.ask(later), list), "nothing of such a time was ever forgotten: it is new"
    assert life.ask(later) == []


def test_a_payment_is_no_younger_than_the_wish_that_it_is_named_after() -> None:
    """A tournament tells of an old one once more: its player has wished it once."""
    life = Player()
    old = life.pay()
    life.play(900)
    assert life.ask(replace(old, told_at=life.at)) == AccountReason.FORGOTTEN


def test_a_payment_goes_back_though_it_is_forgotten_if_the_pool_covers_it() -> None:
    """Announced two years ahead; the pool knows what was paid, and covers it once (adr/0021)."""
    life = Player()
    paid = life.pay()
    life.play(900)
    assert life.ask(replace(life.back(paid), covered=False)) == AccountReason.NOT_PAID
    back = life.back(paid)
    told = life.ask(back)
    assert isinstance(told, list)
    assert isinstance(told[0], events.TournamentCredited)
    assert life.ask(back) == []
    recent = PayTournament(payment=life.minted("entry"), tournament="cup", amount=100)
    assert life.ask(life.back(recent)) == AccountReason.NOT_PAID, "it is not so old that it may be forgotten"


def test_what_a_tournament_was_paid_is_remembered_as_long_as_its_last_payment() -> None:
    life = Player()
    first = life.pay(100)
    life.play(390)
    second = life.pay(50)
    assert life.account.paid_to("cup") == 150
    life.play(395)
    assert life.account.paid_to("cup") == 150
    whole = CreditTournament(
        credit=f"{second.payment}.refund", tournament="cup", amount=151, why="refund", covered=True, told_at=life.at
    )
    assert life.ask(whole) == AccountReason.NOT_PAID
    assert isinstance(life.ask(replace(whole, amount=150)), list)
    assert life.account.paid_to("cup") == 0
    assert first.amount + second.amount == 150
    life.play(900)
    assert not life.account.paid, "nothing of it is kept for ever"


def test_what_was_paid_before_times_were_told_comes_back_as_it_was_paid() -> None:
    """A tournament that began under an older build: its payments of before are remembered for ever."""
    life = Player()
    before, since = life.pay(100, told_at=0), life.pay(50)
    assert isinstance(life.ask(life.back(since)), list)
    life.play(1_000)
    refund = CreditTournament(
        credit=f"{before.payment}.refund", tournament="cup", amount=100, why="refund", covered=True, told_at=life.at
    )
    assert life.ask(replace(refund, amount=101)) == AccountReason.NOT_PAID
    assert isinstance(life.ask(refund), list)


def test_an_entry_of_before_is_refunded_with_a_rebuy_of_since() -> None:
    life = Player()
    before = life.pay(100, told_at=0)
    life.pay(50)
    refund = CreditTournament(
        credit=f"{before.payment}.refund", tournament="cup", amount=150, why="refund", covered=True, told_at=life.at
    )
    assert isinstance(life.ask(refund), list)
    assert life.account.paid_to("cup") == 0


def test_money_is_the_same_with_and_without_forgetting() -> None:
    life, never = Player(), Player(Kept(references_least=10**9))
    for each in (life, never):
        each.play(1_500)
    assert life.account.available == never.account.available
    assert [e for e in life.happened if not isinstance(e, events.ReferencesForgotten)] == never.happened


def test_a_snapshot_of_the_former_format_is_the_same_account() -> None:
    life = Player(Kept(references_least=10**9))
    for _ in range(5):
        life.pay(told_at=0)
    raw = encode_state(life.account)
    assert raw[:1] == b"\x07"
    assert decode_state(b"\x06" + raw[1:]) == life.account


def test_bytes_bring_both_generations_back() -> None:
    life = Player()
    life.play(450)
    assert life.account.timed.references
    assert life.account.former_timed.paid
    assert decode_state(encode_state(life.account)) == life.account


def test_what_is_new_is_never_older_than_what_is_forgotten() -> None:
    """The wallet decides no policy's command that is older than its horizon, but what its own events ask for."""
    assert min(KEPT.references_for_ms, KEPT.many_for_ms) > KEPT.ahead_ms + HORIZON_MS + DAY
    assert KEPT.references_for_ms < LASTS_MS, "what is heard again and older is refused by its time"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["pay", "win", "back", "again", "again"]),
        st.integers(0, 9),
        st.sampled_from([0, 0, DAY, 150 * DAY, 405 * DAY]),
        st.booleans(),
    ),
    max_size=60,
)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_whatever_is_asked_again_however_late_moves_nothing(steps: list[tuple[str, int, int, bool]]) -> None:
    life = Player(Kept(references_least=1))
    accepted: list[WalletCommand] = []
    paid: list[PayTournament] = []
    for what, which, later, tells in steps:
        life.at += later
        if what == "again":
            if accepted:
                before = life.account.available, life.account.timed.paid, life.account.paid
                assert life.ask(accepted[which % len(accepted)]) in ([], AccountReason.FORGOTTEN)
                assert (life.account.available, life.account.timed.paid, life.account.paid) == before
            continue
        at = {} if tells or life.account.timed_forgotten else {"told_at": 0}
        if what == "pay":
            paid.append(life.pay(which + 1, **at))
            accepted.append(paid[-1])
        elif what == "win":
            accepted.append(life.win(which + 1, **at))
        elif paid:
            back = life.back(paid[which % len(paid)])
            if isinstance(told := life.ask(back), list) and told:
                accepted.append(back)
        assert decode_state(encode_state(life.account)) == life.account
        assert isinstance(life.account, Account)
        assert life.account.paid_to("cup") >= 0
