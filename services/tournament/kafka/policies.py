"""The tournament's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.tournament.policies.orders import ORDERS
from services.tournament.policies.reactions import TO_WALLET
from services.tournament.policies.tables import TO_TABLES
from services.tournament.policies.tickets import TO_OTHERS

tournament_policies = partial(Policies.between, asks="tournament", name="tournament-policies", reactions=TO_WALLET)
"""What the wallet tells."""
table_news = partial(Policies.between, asks="tournament", name="tournament-news", reactions=TO_TABLES)
"""What its tables tell."""
other_tournaments = partial(Policies.between, asks="tournament", name="tournament-tickets", reactions=TO_OTHERS)
"""What other tournaments tell: satellites, and those that their tickets are for."""
table_orders = partial(Policies.between, asks="table", name="tournament-orders", reactions=ORDERS)
"""What it asks of its tables: it alone may speak in a tournament's name."""
