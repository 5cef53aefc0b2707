"""The wallet's read models, projected together: they share one position, so they always tell of the same moment."""

from pathlib import Path

from libs.contracts.topics import topic
from libs.projecting import Partition, Projection
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
COMPARED = (
    "tables", "transfers", "balances", "totals", "disagreements", "rake_accounts", "sittings",
    "house_edges", "banked_tables", "banked_handle", "void_rounds",
    "session_fees",
)  # fmt: skip
"""Tables that a rebuild has to reproduce row by row."""


def books() -> list[Projection]:
    """The projections in the order in which they have to be applied."""
    tables = Tables()
    of_money = (Ledger(tables), RakeAccounts(tables), SessionStatements(tables), BankedHold(tables))
    return [tables, *(MoneyOnly(projection, tables) for projection in of_money)]


def book_partitions(prefix: str = "") -> list[Partition]:
    """Every partition the books are made from."""
    sources = [topic(service, "events") for service in ("table", "wallet", "tournament")]
    return [(prefix + source.name, partition) for source in sources for partition in range(source.partitions)]
