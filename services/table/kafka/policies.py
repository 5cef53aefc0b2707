"""The table's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.table.policies.reactions import TO_TABLES, TO_WALLET

table_policies = partial(Policies.between, reads="wallet", asks="table", name="table-policies", reactions=TO_WALLET)
"""What the wallet tells."""
draw_policies = partial(Policies.between, reads="table", asks="table", name="table-draws", reactions=TO_TABLES)
"""Tables hear of each other's draws (pt-217-2007 25)."""
