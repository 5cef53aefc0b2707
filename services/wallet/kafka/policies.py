"""The wallet's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.wallet.policies.escrows import GOES_HOME, TO_ESCROWS
from services.wallet.policies.pools import LASTS_MS, TO_ACCOUNTS, TO_POOLS
from services.wallet.policies.reactions import REACTIONS, TO_TOURNAMENTS

wallet_policies = partial(Policies.between, asks="wallet", name="wallet-policies", reactions=REACTIONS)
"""What tables tell."""
tournament_policies = partial(Policies.between, asks="wallet", name="wallet-tournaments", reactions=TO_TOURNAMENTS)
"""What tournaments tell."""
pool_policies = partial(
    Policies.between, asks="wallet", name="wallet-pools", reactions=TO_POOLS, lasts_ms=LASTS_MS
)  # fmt: skip
"""What bounds the payments of tournaments, however long ago it was told."""
own_policies = partial(
    Policies.between, asks="wallet", name="wallet-notes", reactions={**TO_ACCOUNTS, **GOES_HOME}, lasts_ms=LASTS_MS
)  # fmt: skip
"""What the wallet itself tells, however long ago."""
escrow_policies = partial(Policies.between, asks="wallet", name="wallet-escrows", reactions=TO_ESCROWS)
"""What the wallet itself tells of reserves: an escrow counts each once, by the command's own id, so none is renewed."""
