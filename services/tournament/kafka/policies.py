"""The tournament's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.tournament.policies.reactions import TO_WALLET

tournament_policies = partial(
    Policies.between, reads="wallet", asks="tournament", name="tournament-policies", reactions=TO_WALLET
)
"""What the wallet tells."""
