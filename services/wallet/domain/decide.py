"""The wallet's two kinds of stream: accounts, and the references that operators have used."""

from typing import cast

from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.wallet_commands import REFERENCES
from libs.decider import Decided, Given, Rejected
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.state import State as AccountState
from services.wallet.domain.references import decide as references
from services.wallet.domain.references.state import References

State = AccountState | References
_ACCOUNTS = AccountDecider()


class WalletDecider:
    """`libs.decider.Decider` of the wallet. No entropy: `fresh` is None."""

    def initial(self, stream: str) -> State:
        return References(stream) if stream.startswith(REFERENCES) else _ACCOUNTS.initial(stream)

    def decide(
        self, state: State, command: WalletCommand, given: Given[None]
    ) -> Decided[State, WalletEvent] | Rejected:
        if isinstance(state, References):
            return cast(Decided[State, WalletEvent] | Rejected, references.decide(state, command, given.by))
        return cast(Decided[State, WalletEvent] | Rejected, _ACCOUNTS.decide(state, command, given))

    def evolve(self, state: State, event: WalletEvent) -> State:
        return references.evolve(state, event) if isinstance(state, References) else _ACCOUNTS.evolve(state, event)
