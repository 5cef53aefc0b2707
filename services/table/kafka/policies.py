"""The table's policies as members of their consumer groups."""

from functools import partial

from libs.policies import Policies
from services.table.policies.reactions import TO_TABLES, TO_WALLET

ANSWERS_LAST_MS = 72 * 3_600_000
"""As long as the wallet answers at all (`services/wallet/machine.py`)."""

table_policies = partial(
    Policies.between, asks="table", name="table-policies", reactions=TO_WALLET, lasts_ms=ANSWERS_LAST_MS
)
"""What the wallet tells. A table away for longer than its ids are remembered takes the answers afterwards: each names
what it answers, and the table takes that once."""
draw_policies = partial(Policies.between, asks="table", name="table-draws", reactions=TO_TABLES)
"""Tables hear of each other's draws, and of who may change (pt-217-2007 25, 26)."""
