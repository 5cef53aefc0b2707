"""What a table took under a rulebook: rake from pots, commission from buy-ins and top-ups, hands raked and exempt."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from libs.contracts.poker_events import HandEnded, HandVoided, PotAwarded
from libs.contracts.table_events import PlayerSeated, TopUpAdded
from libs.projecting import Connection, Told
from services.wallet.projections.tables import Tables, add_up

_KEY = ("table_id", "rulebook", "currency")
_SUMS = ("rake", "commission", "hands", "hands_raked", "hands_exempt", "hands_void")


class RakeAccounts:
    name = "rake_accounts"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        taken: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for _, body in facts:
            match body:
                case PotAwarded():
                    taken[body.table, body.rulebook, body.currency]["rake"] += body.rake
                case PlayerSeated() | TopUpAdded():
                    taken[body.table, body.rulebook, body.currency]["commission"] += body.commission
                case HandEnded():
                    account = taken[body.table, self._tables.of(body.table).rulebook, body.currency]
                    account["hands"] += 1
                    account["hands_raked"] += body.rake > 0
                    account["hands_exempt"] += body.exemption is not None
                case HandVoided():
                    taken[body.table, self._tables.of(body.table).rulebook, body.currency]["hands_void"] += 1
        books = {key: self._tables.book_of(key[0]) for key in taken}
        await add_up(connection, "rake_accounts", _KEY, _SUMS, taken, {"book": books})
