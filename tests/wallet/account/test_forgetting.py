"""Sittings that ended long ago are forgotten, journalled; what comes of them later is refused by its own time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import command_id_at, time_in_id
from libs.contracts.wallet_commands import (
    AccountReason,
    ChargeFee,
    DepositFunds,
    OpenAccount,
    ReleaseFunds,
    ReserveFunds,
    SettleSitting,
)
from libs.decider import Given, Rejected
from libs.journal.machine import OldSnapshot
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.forgetting import KEPT, Kept
from services.wallet.domain.account.state import Account, NoAccount, State
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import HORIZON_MS
from tests.wallet.account.given import OPERATOR, POLICY, STREAM

DAY = 86_400_000
T = 1_700_000_000_000
FEW = Kept(least=4)


class Life:
    """An account that lives for years: every command is decided at its time, every event folded."""

    def __init__(self, kept: Kept = FEW, at: int = T) -> None:
        self.at = at
        self._count = 0
        self.state: State = NoAccount(STREAM)
        self.happened: list[WalletEvent] = []
        self._decider = AccountDecider(kept)
        self.by_operator(OpenAccount(player="ann", currency="EUR"))
        self.by_operator(DepositFunds(reference="r1", amount=1_000_000))

    @property
    def account(self) -> Account:
        assert isinstance(self.state, Account)
        return self.state

    def by_operator(self, command: WalletCommand) -> list[WalletEvent] | AccountReason:
        return self._ask(command, Given(self.at, None, OPERATOR))

    def ask(self, command: WalletCommand) -> list[WalletEvent] | AccountReason:
        return self._ask(command, Given(self.at, None, POLICY))

    def _ask(self, command: WalletCommand, given: Given[None]) -> list[WalletEvent] | AccountReason:
        decided = self._decider.decide(self.state, command, given)
        if isinstance(decided, Rejected):
            return AccountReason(decided.reason)
        for event, after in zip(decided.events, decided.states, strict=True):
            self.state = self._decider.evolve(self.state, event)
            assert self.state == after
        self.happened += decided.events
        return list(decided.events)

    def minted(self, what: str = "reservation") -> str:
        self._count += 1
        return f"{what}-{command_id_at(self.at, str(self._count))}"

    def reserve(self, sitting: str, reserve: str | None = None) -> list[WalletEvent] | AccountReason:
        return self.ask(ReserveFunds(reserve=reserve or sitting, sitting=sitting, table="table-7", amount=100))

    def settle(self, sitting: str, settlement: str = "", returned: int = 90) -> list[WalletEvent] | AccountReason:
        return self.ask(
            SettleSitting(sitting=sitting, table="table-7", returned=returned, settlement=settlement, covered=True)
        )

    def sit(self) -> str:
        sitting = self.minted()
        self.reserve(sitting)
        self.settle(sitting)
        return sitting

    def days(self, count: int, each: int) -> None:
        for _ in range(count):
            self.at += DAY
            for _ in range(each):
                self.sit()

    def forgettings(self) -> list[events.SittingsForgotten]:
        return [each for each in self.happened if isinstance(each, events.SittingsForgotten)]


def test_bytes_are_flat_in_history() -> None:
    life = Life(KEPT)
    sizes = []
    for _ in range(4):
        life.days(365, each=2)
        sizes.append(len(encode_state(life.account)))

    assert len(life.forgettings()) == 16
    assert max(sizes) < 1.35 * min(sizes), sizes
    assert max(sizes) < 2 * 91 * 2 * 100, "two generations of 90 days, two sittings a day"


def test_who_sits_down_without_end_fills_no_record() -> None:
    """200,000 sittings of one player made a snapshot that the broker does not take."""
    life = Life(Kept(many=400))
    sizes = []
    for _ in range(6):
        life.days(8, each=80)
        sizes.append(len(encode_state(life.account)))
    assert len(life.forgettings()) >= 5
    assert max(sizes) < 1.2 * sizes[1], sizes
    recent = life.sit()
    life.days(7, each=80)
    assert life.reserve(recent) == [], "eight days are longer than anybody asks again"


def test_what_ended_within_the_time_is_remembered() -> None:
    life = Life()
    life.days(100, each=1)
    recent = life.sit()
    life.days(85, each=1)

    assert life.reserve(recent) == []
    assert life.settle(recent) == []
    assert life.settle(recent, returned=91) == AccountReason.SETTLEMENT_CONFLICT


def test_a_late_duplicate_of_what_is_forgotten_moves_nothing() -> None:
    life = Life()
    old, top_up = life.minted(), life.minted("top_up")
    life.reserve(old)
    life.reserve(old, top_up)
    life.settle(old)
    life.days(200, each=1)
    before = life.account

    for again in (
        ReserveFunds(reserve=old, sitting=old, table="table-7", amount=100),
        ReserveFunds(reserve=top_up, sitting=old, table="table-7", amount=100),
        ReserveFunds(reserve=life.minted("top_up"), sitting=old, table="table-7", amount=100),
        ReleaseFunds(reserve=top_up, table="table-7", reason="left", covered=True),
        SettleSitting(sitting=old, table="table-7", returned=90, covered=True),
        SettleSitting(sitting=old, table="table-7", returned=50, settlement="table-7/9", covered=True),
    ):
        assert life.ask(again) == AccountReason.FORGOTTEN
    assert life.account == before


def test_a_top_up_of_a_sitting_long_over_comes_home_once() -> None:
    """It was settled with its sitting, and the table says months later that it never became chips."""
    life = Life()
    old, top_up = life.minted(), life.minted("top_up")
    life.reserve(old)
    life.reserve(old, top_up)
    life.settle(old)
    for _ in range(4):
        life.sit()
    assert life.account.former.settled_top_ups, "the generation has turned"
    release = ReleaseFunds(reserve=top_up, table="table-7", reason="left", covered=True)

    home = life.ask(release)
    assert isinstance(home, list)
    assert [type(each) for each in home][:1] == [events.FundsReleased]
    assert life.ask(release) == []


def test_a_buy_in_that_was_given_back_is_not_reserved_again_for_what_is_open_beside_it() -> None:
    """The sitting was known by its top-up, and so its buy-in was taken for a new one."""
    life = Life(Kept(least=1))
    sitting, top_up = life.minted(), life.minted("top_up")
    life.reserve(sitting)
    life.reserve(sitting, top_up)
    life.ask(ReleaseFunds(reserve=sitting, table="table-7", reason="left", covered=True))
    for _ in range(2):
        life.at += 95 * DAY
        life.sit()

    assert life.account.reserves_of(sitting)
    assert life.reserve(sitting) == AccountReason.FORGOTTEN


def test_a_refund_keeps_no_settled_sitting_half_remembered() -> None:
    """The refund was remembered for longer than the stack's homecoming, which could then be sent home again."""
    life = Life()
    old = life.sit()
    life.days(80, each=1)
    assert isinstance(life.settle(old, "table-7/9", 5), list)
    turns = len(life.forgettings())
    while len(life.forgettings()) < turns + 2:
        life.days(1, each=1)
        assert life.settle(old) in ([], AccountReason.FORGOTTEN)
    assert life.settle(old) == AccountReason.FORGOTTEN
    assert life.settle(old, "table-7/9", 5) in ([], AccountReason.FORGOTTEN)


def test_who_sits_for_longer_than_that_is_settled() -> None:
    life = Life()
    long = life.minted()
    life.reserve(long)
    life.days(400, each=1)

    assert life.reserve(long) == []
    assert isinstance(life.reserve(long, life.minted("top_up")), list)
    settled = life.settle(long, returned=700)
    assert isinstance(settled, list)
    assert isinstance(settled[0], events.SittingSettled)
    assert settled[0].brought == 200
    assert isinstance(life.settle(long, "table-7/9", 5), list), "a refund is known from the end on, not the beginning"
    life.days(200, each=1)
    assert life.settle(long, returned=700) == AccountReason.FORGOTTEN


def test_an_id_that_tells_no_time_is_good_until_something_is_forgotten() -> None:
    life = Life()
    assert isinstance(life.reserve("reservation-41"), list)
    life.days(200, each=1)

    assert life.reserve("reservation-41") == [], "it is open"
    assert life.reserve("reservation-42") == AccountReason.FORGOTTEN


def test_an_id_from_the_future_is_none() -> None:
    """It would be forgotten, and its time would still come."""
    life = Life()
    life.at += 2 * DAY
    later = life.minted()
    life.at -= 2 * DAY
    assert life.reserve(later) == AccountReason.FORGOTTEN


def test_references_that_tell_no_time_are_never_forgotten() -> None:
    life = Life()
    sitting = life.minted()
    life.reserve(sitting)
    assert isinstance(
        life.ask(ChargeFee(fee="table-1-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=100)), list
    )
    life.settle(sitting)
    life.days(900, each=1)

    assert life.by_operator(DepositFunds(reference="r1", amount=1_000_000)) == []
    assert life.by_operator(DepositFunds(reference="r1", amount=1)) == AccountReason.REFERENCE_CONFLICT
    again = ChargeFee(fee="table-1-1-ann", table="table-7", rulebook="pt-217-2007-holdem", amount=100)
    assert life.ask(again) == []


def test_an_account_of_few_sittings_says_nothing_of_it() -> None:
    life = Life(KEPT)
    for _ in range(KEPT.least - 1):
        life.at += 30 * DAY
        life.sit()
    assert not life.forgettings()


def test_money_is_the_same_with_and_without_forgetting() -> None:
    life, never = Life(), Life(Kept(least=10**9))
    for each in (life, never):
        each.days(500, each=1)
    assert (life.account.available, life.account.reserved) == (never.account.available, never.account.reserved)
    assert [e for e in life.happened if not isinstance(e, events.SittingsForgotten)] == never.happened


@pytest.mark.parametrize("former", [b"\x03", b"\x04", b"\x05"])
def test_a_snapshot_of_a_former_format_is_left_aside(former: bytes) -> None:
    """It took a payment that was refused for one that was made: the account is folded from its journal."""
    life = Life(Kept(least=10**9))
    life.days(20, each=1)
    with pytest.raises(OldSnapshot):
        decode_state(former + encode_state(life.account)[1:])


def test_bytes_bring_both_generations_back() -> None:
    life = Life()
    life.days(150, each=1)
    assert life.account.former.over
    assert decode_state(encode_state(life.account)) == life.account
    assert decode_state(encode_state(replace(life.account, forgotten=0))) != life.account


def test_the_time_in_an_id() -> None:
    assert time_in_id(f"top_up-{command_id_at(T, 'a')}") == T
    assert time_in_id("reservation-41") is None
    assert time_in_id("reservation-11111111-1111-4111-8111-111111111111") is None
    assert time_in_id("") is None


def test_what_is_new_is_never_older_than_what_is_forgotten() -> None:
    """A command may lie in the log for as long as the journal's horizon, and a key be a day old when it is used."""
    assert KEPT.for_ms > KEPT.ahead_ms + HORIZON_MS + DAY


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["reserve", "top_up", "settle", "refund", "release", "again", "again"]),
        st.integers(0, 9),
        st.sampled_from([0, 0, DAY, 50 * DAY, 95 * DAY]),
    ),
    max_size=60,
)


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_whatever_is_asked_again_however_late_moves_nothing(steps: list[tuple[str, int, int]]) -> None:
    life = Life(Kept(least=1))
    sittings: list[str] = []
    top_ups: list[str] = []
    accepted: list[WalletCommand] = []
    for number, (what, which, later) in enumerate(steps):
        life.at += later
        if what == "again":
            if accepted:
                before = (life.account.available, life.account.reserved, life.account.reserves)
                said = life.ask(accepted[which % len(accepted)])
                assert said in ([], AccountReason.FORGOTTEN, AccountReason.SITTING_IS_OVER)
                assert (life.account.available, life.account.reserved, life.account.reserves) == before
            continue
        if what == "reserve":
            sittings.append(life.minted())
            asked: WalletCommand = ReserveFunds(reserve=sittings[-1], sitting=sittings[-1], table="table-7", amount=100)
        elif not sittings:
            continue
        elif what == "release":
            asked = ReleaseFunds(
                reserve=(sittings + top_ups)[-1 - which % 4 :][0], table="table-7", reason="left", covered=True
            )
        elif what == "top_up":
            top_ups.append(life.minted("top_up"))
            asked = ReserveFunds(reserve=top_ups[-1], sitting=sittings[-1 - which % 3 :][0], table="table-7", amount=10)
        else:
            settlement = f"table-7/{number}" if what == "refund" else ""
            asked = SettleSitting(
                sitting=sittings[-1 - which % 3 :][0], table="table-7", returned=5, settlement=settlement, covered=True
            )
        if isinstance(life.ask(asked), list):
            accepted.append(asked)
        assert decode_state(encode_state(life.account)) == life.account
