"""What holds of an account whatever is asked of it."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.contracts import wallet_commands as commands
from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import Principal
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Given, Rejected
from services.wallet import journal_format
from services.wallet.domain.account.rejections import rejected
from services.wallet.domain.account.state import Account, NoAccount, State, key_of
from services.wallet.projections.transfers import stated_balances, transfers_of
from tests.wallet.account.given import DECIDER, OPERATOR, PLAYER, POLICY, STREAM

senders = st.sampled_from([OPERATOR, POLICY, PLAYER])
amounts = st.one_of(st.integers(1, 300), st.integers(1, 10**15))
names = st.sampled_from(["a", "b", "c"])
tables = st.sampled_from(["table-7", "table-8"])
asked = st.one_of(
    st.tuples(st.just(OPERATOR), st.just(commands.OpenAccount(player="ann", currency="EUR"))),
    st.tuples(senders, st.builds(commands.DepositFunds, reference=names, amount=amounts)),
    st.tuples(senders, st.builds(commands.WithdrawFunds, reference=names, amount=amounts)),
    st.tuples(
        senders,
        st.builds(commands.ReserveFunds, reserve=names, sitting=names, table=tables, amount=amounts),
    ),
    st.tuples(
        senders,
        st.builds(commands.ReleaseFunds, reserve=names, table=tables, reason=st.just("lapsed"), covered=st.just(True)),
    ),
    st.tuples(
        senders,
        st.builds(
            commands.SettleSitting,
            sitting=names,
            table=tables,
            returned=st.one_of(st.just(0), amounts),
            settlement=st.sampled_from(["", "table-7/9"]),
        ),
    ),
)
Asked = tuple[Principal, WalletCommand]
OPEN: Asked = (OPERATOR, commands.OpenAccount(player="ann", currency="EUR"))


def ask(state: State, asked: Asked) -> tuple[State, Sequence[WalletEvent] | Rejected]:
    by, command = asked
    decided = DECIDER.decide(state, command, Given(0, None, by))
    if isinstance(decided, Rejected):
        return state, decided
    for event, after in zip(decided.events, decided.states, strict=True):
        state = DECIDER.evolve(state, event)
        assert state == after
    return state, decided.events


@settings(max_examples=300)
@given(st.lists(asked, max_size=25))
def test_never_below_zero_and_every_unit_accounted_for(sequence: list[Asked]) -> None:
    state: State = NoAccount(STREAM)
    expected = 0
    for command in [OPEN, *sequence]:
        before = state
        state, decided = ask(state, command)
        for event in [] if isinstance(decided, Rejected) else decided:
            expected += change(before, event)
        assert isinstance(state, Account)
        assert state.available >= 0
        assert state.reserved >= 0
        assert state.available + state.reserved == expected


def change(before: State, event: WalletEvent) -> int:
    """What the event adds to available and reserved together."""
    match event:
        case events.FundsDeposited():
            return event.amount
        case events.FundsWithdrawn():
            return -event.amount
        case events.SittingSettled():
            return event.returned - event.brought
        case events.FundsReleased():
            assert isinstance(before, Account)
            # Of a sitting already settled, which had counted it as lost.
            return event.amount if key_of(event.reserve) in before.settled_top_ups else 0
        case _:
            return 0


@settings(max_examples=200)
@given(st.lists(asked, max_size=15))
def test_everything_asked_twice_counts_once(sequence: list[Asked]) -> None:
    once: State = NoAccount(STREAM)
    twice: State = NoAccount(STREAM)
    for command in [OPEN, *sequence]:
        once, first = ask(once, command)
        twice, again = ask(twice, command)
        assert again == first
        twice, second = ask(twice, command)
        if any(isinstance(event, events.WithdrawalRefused) for event in ([] if isinstance(first, Rejected) else first)):
            assert second == rejected(Reason.REFUSED_BEFORE)
            continue
        assert second == [] or (isinstance(first, Rejected) and second == first)
    assert once == twice


@settings(max_examples=100)
@given(st.lists(asked, max_size=15))
def test_the_books_follow_and_bytes_bring_everything_back(sequence: list[Asked]) -> None:
    state: State = NoAccount(STREAM)
    booked: dict[str, int] = {}
    for command in [OPEN, *sequence]:
        state, decided = ask(state, command)
        for event in [] if isinstance(decided, Rejected) else decided:
            name, payload = encode_fact(event)
            assert decode_fact(name, payload) == event
            for transfer in transfers_of(event, "real"):
                booked[transfer.debit] = booked.get(transfer.debit, 0) - transfer.amount
                booked[transfer.credit] = booked.get(transfer.credit, 0) + transfer.amount
            for account, stated in stated_balances(event):
                assert booked.get(account, 0) == stated
        assert journal_format.decode_state(journal_format.encode_state(state)) == state
    assert sum(booked.values()) == 0
