"""What a table took under a rulebook: rake from pots, commission from buy-ins and top-ups, charges of sessions, tips;
and what a tournament did: the fees that it has earned at its end are its commission (pt-810-2015 22).

Beside it, how many hands paid rake and how many a rule exempted.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from libs.contracts.conduct_events import DealerTipped
from libs.contracts.facts import Fact
from libs.contracts.poker_events import HandEnded, HandVoided, PotAwarded
from libs.contracts.table_events import PlayerSeated, TopUpAdded
from libs.contracts.tournaments_events import FeesEarned
from libs.contracts.wallet_events import FeeCharged
from libs.projecting import Connection, Told
from services.wallet.projections.chart import Book
from services.wallet.projections.tables import Tables, add_up

_KEY = ("table_id", "rulebook", "currency")
_SUMS = ("rake", "commission", "fees", "tips", "hands", "hands_raked", "hands_exempt", "hands_void")


class RakeAccounts:
    name = "rake_accounts"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def apply(self, connection: Connection, facts: Sequence[Told]) -> None:
        taken: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        books: dict[tuple[str, str, str], Book] = {}
        for _, body in facts:
            if adds := _adds(body):
                where: str = body.tournament if isinstance(body, FeesEarned) else body.table  # type: ignore[attr-defined]
                key = (where, self._rulebook(body), body.currency)  # type: ignore[attr-defined]
                taken[key].update(adds)
                books[key] = self._tables.book(body)
        await add_up(connection, "rake_accounts", _KEY, _SUMS, taken, {"book": books})

    def _rulebook(self, body: Fact) -> str:
        """The event's own where it names one: a charge at the wallet may be read before its table's opening."""
        own: str | None = getattr(body, "rulebook", None)
        return own if own is not None else self._tables.of(body.table).rulebook  # type: ignore[attr-defined]


def _adds(body: Fact) -> dict[str, int]:
    """What the event adds to its table's account; empty for one that is none of its."""
    match body:
        case PotAwarded():
            return {"rake": body.rake}
        case PlayerSeated() | TopUpAdded():
            return {"commission": body.commission}
        case FeesEarned():
            return {"commission": body.amount}
        case FeeCharged():
            return {"fees": body.amount}
        case DealerTipped():
            return {"tips": body.amount}
        case HandEnded():
            return {"hands": 1, "hands_raked": int(body.rake > 0), "hands_exempt": int(body.exemption is not None)}
        case HandVoided():
            return {"hands_void": 1}
        case _:
            return {}
