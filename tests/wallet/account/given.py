"""given(events).when(command).then(…): how the rules of an account are told."""

from collections.abc import Sequence

from libs.decider import Given, Rejected
from services.wallet.domain.account import commands, events
from services.wallet.domain.account.commands import By
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.rejections import Reason
from services.wallet.domain.account.state import Account, State

STREAM = "account-ann-EUR"
OPERATOR = By("operator", "acme")
POLICY = By("policy", "wallet.when_seat_reserved")
PLAYER = By("player", "ann")
DECIDER = AccountDecider()


class Told:
    def __init__(self, state: State, decided: Sequence[events.Event] | Rejected) -> None:
        self._state = state
        self._decided = decided

    def then(self, *expected: events.Event) -> None:
        assert self._decided == list(expected)

    def then_nothing(self) -> None:
        assert self._decided == []

    def then_rejected(self, reason: Reason, rule: str | None = None) -> None:
        assert isinstance(self._decided, Rejected), self._decided
        assert (self._decided.reason, self._decided.rule) == (reason.value, rule)

    def account(self) -> Account:
        """The account after what was decided."""
        assert not isinstance(self._decided, Rejected), self._decided
        state = folded(self._state, self._decided)
        assert isinstance(state, Account)
        return state


class Story:
    def __init__(self, state: State) -> None:
        self._state = state

    def when(self, command: commands.Command) -> Told:
        return Told(self._state, DECIDER.decide(self._state, command, Given(0, None)))


def given(*happened: events.Event, stream: str = STREAM) -> Story:
    return Story(folded(DECIDER.initial(stream), happened))


def folded(state: State, happened: Sequence[events.Event]) -> State:
    for event in happened:
        state = DECIDER.evolve(state, event)
    return state


opened = events.AccountOpened("ann", "EUR", False, "operator:acme")
demo_opened = events.AccountOpened("ann", "EUR", True, "staff:bo")
deposited = events.FundsDeposited("r1", 10_000, 10_000, 0, "operator:acme")
held = events.FundsHeld("s1", "s1", "table-7", 4_000, 6_000, 4_000)
topped_up = events.FundsHeld("t1", "s1", "table-7", 1_000, 5_000, 5_000)
settled = events.HoldSettled("s1", "table-7", 4_000, 5_500, 11_500, 0)
