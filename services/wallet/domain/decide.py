"""The wallet's kinds of stream: accounts, the references that operators have used, each person's cash, what each
tournament was paid, and what lies at each table."""

from typing import cast

from libs.contracts.commands import WalletCommand
from libs.contracts.escrow_commands import ESCROW
from libs.contracts.facts import WalletEvent
from libs.contracts.pool_commands import POOL
from libs.contracts.wallet_commands import CASH, REFERENCES
from libs.decider import Decided, Given, Rejected
from libs.money.cash import BOUNDS, CashBounds
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.forgetting import KEPT, Kept
from services.wallet.domain.account.state import State as AccountState
from services.wallet.domain.cash import decide as cash
from services.wallet.domain.cash.state import Cash
from services.wallet.domain.escrow import decide as escrows
from services.wallet.domain.escrow.evolve import evolve as evolve_escrow
from services.wallet.domain.escrow.state import Escrow
from services.wallet.domain.pool import decide as pools
from services.wallet.domain.pool.evolve import evolve as evolve_pool
from services.wallet.domain.pool.state import Pool
from services.wallet.domain.references import decide as references
from services.wallet.domain.references.state import References

State = AccountState | References | Cash | Pool | Escrow


class WalletDecider:
    """`libs.decider.Decider` of the wallet. No entropy: `fresh` is None."""

    def __init__(self, kept: Kept = KEPT, bounds: CashBounds = BOUNDS) -> None:
        self._accounts = AccountDecider(kept, bounds)
        self._bounds = bounds

    def initial(self, stream: str) -> State:
        if stream.startswith(CASH):
            return Cash(stream)
        if stream.startswith(POOL):
            return Pool(stream)
        if stream.startswith(ESCROW):
            return Escrow(stream)
        return References(stream) if stream.startswith(REFERENCES) else self._accounts.initial(stream)

    def decide(
        self, state: State, command: WalletCommand, given: Given[None]
    ) -> Decided[State, WalletEvent] | Rejected:
        if isinstance(state, Cash):
            return cast(Decided[State, WalletEvent] | Rejected, cash.decide(state, command, given, self._bounds))
        if isinstance(state, Pool):
            return cast(Decided[State, WalletEvent] | Rejected, pools.decide(state, command, given))
        if isinstance(state, Escrow):
            return cast(Decided[State, WalletEvent] | Rejected, escrows.decide(state, command, given))
        if isinstance(state, References):
            return cast(Decided[State, WalletEvent] | Rejected, references.decide(state, command, given.by))
        return cast(Decided[State, WalletEvent] | Rejected, self._accounts.decide(state, command, given))

    def evolve(self, state: State, event: WalletEvent) -> State:
        if isinstance(state, Cash):
            return cash.evolve(state, event)
        if isinstance(state, Pool):
            return evolve_pool(state, event)
        if isinstance(state, Escrow):
            return evolve_escrow(state, event)
        return references.evolve(state, event) if isinstance(state, References) else self._accounts.evolve(state, event)
