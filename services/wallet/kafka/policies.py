"""The wallet's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.wallet.policies.reactions import REACTIONS, TO_TOURNAMENTS

wallet_policies = partial(Policies.between, asks="wallet", name="wallet-policies", reactions=REACTIONS)
"""What tables tell."""
tournament_policies = partial(Policies.between, asks="wallet", name="wallet-tournaments", reactions=TO_TOURNAMENTS)
"""What tournaments tell."""
