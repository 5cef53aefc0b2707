"""given(events).when(who, command).then(…): how the rules of an account are told."""

from collections.abc import Sequence

from msgspec.structs import replace

from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import Principal
from libs.contracts.registry import encode_fact
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Decided, Given, Rejected
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.state import Account, State

STREAM = "account-ann-EUR"
STAMPS = {"player": "ann", "currency": "EUR"}
OPERATOR = Principal("operator", "acme")
POLICY = Principal("policy", "wallet.when_seat_reserved")
PLAYER = Principal("player", "ann")
DECIDER = AccountDecider()


class Told:
    def __init__(self, state: State, decided: Decided[State, WalletEvent] | Rejected) -> None:
        self._state = state
        self._decided = decided
        self._events = [] if isinstance(decided, Rejected) else list(decided.events)

    def then(self, *expected: WalletEvent) -> None:
        assert self._events == [replace(event, **STAMPS, account=self._state.stream) for event in expected]

    def then_nothing(self) -> None:
        assert self._events == []

    def then_rejected(self, reason: Reason, rule: str | None = None) -> None:
        assert isinstance(self._decided, Rejected), self._decided
        assert (self._decided.reason, self._decided.rule) == (reason.value, rule)

    def account(self) -> Account:
        """The account after what was decided."""
        assert not isinstance(self._decided, Rejected), self._decided
        state = folded(self._state, self._events)
        assert isinstance(state, Account)
        return state


class Story:
    def __init__(self, state: State) -> None:
        self._state = state

    def when(self, by: Principal, command: WalletCommand) -> Told:
        decided = DECIDER.decide(self._state, command, Given(0, None, by))
        events = [] if isinstance(decided, Rejected) else decided.events
        assert told_otherwise("wallet", command, by, map(encode_fact, events)) is None, "as the auditor has it"
        return Told(self._state, decided)


def given(*happened: WalletEvent, stream: str = STREAM) -> Story:
    return Story(folded(DECIDER.initial(stream), happened))


def folded(state: State, happened: Sequence[WalletEvent]) -> State:
    for event in happened:
        state = DECIDER.evolve(state, event)
    return state


opened = events.AccountOpened(player="ann", currency="EUR", kind="real", by="operator:acme")
demo_opened = events.AccountOpened(player="ann", currency="EUR", kind="demo", by="staff:bo")
deposited = events.FundsDeposited(reference="r1", amount=10_000, available=10_000, reserved=0, by="operator:acme")
reserved = events.FundsReserved(
    reserve="s1", sitting="s1", table="table-7", amount=4_000, available=6_000, reserved=4_000
)
topped_up = events.FundsReserved(
    reserve="t1", sitting="s1", table="table-7", amount=1_000, available=5_000, reserved=5_000
)
settled = events.SittingSettled(
    sitting="s1", table="table-7", brought=4_000, returned=5_500, available=11_500, reserved=0, covered=True
)
