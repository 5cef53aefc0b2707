"""The wallet's read models, projected together: they share one position, so they always tell of the same moment."""

from pathlib import Path

from libs.contracts.topics import topic
from libs.projecting import Projection
from services.wallet.projections.banked_hold import BankedHold
from services.wallet.projections.ledger import Ledger
from services.wallet.projections.rake_accounts import RakeAccounts
from services.wallet.projections.session_statements import SessionStatements
from services.wallet.projections.tables import MoneyOnly, Tables

BOOKS = "wallet-books"
"""Name of the stored position."""
SCHEMA = "wallet"
ROLE = "croupier_wallet"
MIGRATIONS = Path(__file__).parents[1] / "migrations"
BY_MONTH = ("transfers",)
"""Tables that have a part for each month."""
COMPARED = (
    "tables", "transfers", "accounts", "kept_groups", "kept_months", "disagreements", "rake_accounts", "sittings",
    "house_edges", "banked_tables", "banked_handle", "void_rounds",
    "session_fees",
)  # fmt: skip
"""Tables that a rebuild has to reproduce row by row; of balances their sums, whoever wrote which part."""


def books(part: int = 0) -> list[Projection]:
    """The projections in the order in which they have to be applied. `part`: of no other that keeps books now."""
    tables = Tables()
    of_money = (Ledger(tables, part), RakeAccounts(tables), SessionStatements(tables), BankedHold(tables))
    return [tables, *(MoneyOnly(projection, tables) for projection in of_money)]


def book_topics(prefix: str = "") -> list[str]:
    """What the books are made from. A stream's events of all of them lie in partitions of one number."""
    return [prefix + topic(service, "events").name for service in ("table", "wallet", "tournament")]
