"""What one decision tells, event by event: the next is judged by what the one before left."""

from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from msgspec.structs import force_setattr

from libs.contracts.facts import WalletEvent
from libs.decider import Decided


class Stream(Protocol):
    @property
    def stream(self) -> str: ...


StateT = TypeVar("StateT", bound=Stream)


class Told(Generic[StateT]):
    """The events so far, each stamped with the account (a pool, an escrow) it is of, and the state after each."""

    __slots__ = ("_events", "_evolve", "_states", "state")

    def __init__(self, state: StateT, evolve: Callable[[StateT, WalletEvent], StateT]) -> None:
        self.state = state
        self._evolve = evolve
        self._events: list[WalletEvent] = []
        self._states: list[StateT] = []

    def tell(self, events: Iterable[WalletEvent]) -> None:
        for event in events:
            force_setattr(event, "account", self.state.stream)
            self.state = self._evolve(self.state, event)
            self._events.append(event)
            self._states.append(self.state)

    @property
    def decided(self) -> Decided[StateT, WalletEvent]:
        return Decided(self._events, self._states)
