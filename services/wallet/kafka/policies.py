"""The wallet's policies as a member of their consumer group."""

from functools import partial

from libs.policies import Policies
from services.wallet.policies.reactions import REACTIONS

wallet_policies = partial(Policies.between, reads="table", asks="wallet", name="wallet-policies", reactions=REACTIONS)
"""What tables tell."""
