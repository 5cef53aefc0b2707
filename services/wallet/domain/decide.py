"""The wallet's two kinds of stream: accounts, and the references that operators have used."""

from typing import cast

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.wallet_commands import REFERENCES
from libs.decider import Decided, Given, Rejected
from services.wallet.domain.account.decide import KEPT, AccountDecider, Kept
from services.wallet.domain.account.state import State as AccountState
from services.wallet.domain.references import decide as references
from services.wallet.domain.references.state import References

State = AccountState | References


class WalletDecider:
    """`libs.decider.Decider` of the wallet. No entropy: `fresh` is None."""

    def __init__(self, kept: Kept = KEPT) -> None:
        self._accounts = AccountDecider(kept)

    def initial(self, stream: str) -> State:
        return References(stream) if stream.startswith(REFERENCES) else self._accounts.initial(stream)

    def decide(
        self, state: State, command: WalletCommand, given: Given[None]
    ) -> Decided[State, WalletEvent] | Rejected:
        if isinstance(state, References):
            return cast(Decided[State, WalletEvent] | Rejected, references.decide(state, command, given.by))
        return cast(Decided[State, WalletEvent] | Rejected, self._accounts.decide(state, command, given))

    def evolve(self, state: State, event: WalletEvent) -> State:
        return references.evolve(state, event) if isinstance(state, References) else self._accounts.evolve(state, event)
