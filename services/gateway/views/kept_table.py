"""A table as gateways keep it: whole while somebody may recall its hands, and what is left of it long after."""

from collections import deque
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from libs.contracts.conduct_events import MessageSent
from libs.views.hand import Hand
from libs.views.records import Record, Records
from libs.views.table import TableView

MAX_MESSAGES = 50


@dataclass(slots=True)
class Table:
    """One table: its view, the round being recorded, and each player's last completed one."""

    view: TableView
    records: Records = field(default_factory=Records)
    """Of a table against the house; a hand of poker is its own record."""
    last: dict[str, Record] = field(default_factory=dict)
    last_completed: int = 0
    messages: deque[MessageSent] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES))
    """Delivered ones, still sealed."""
    removed: dict[str, int] = field(default_factory=dict)
    """Whom staff took off the table, and when; the last ones."""
    gone: dict[str, int] = field(default_factory=dict)
    """Who left, lost a reservation or stopped waiting within `GONE_MS`, and when; the first one first."""
    at: int = 0
    """When its last event was decided (ms)."""

    @property
    def closed(self) -> bool:
        return self.view.status == "closed"


class Front(msgspec.Struct, frozen=True, array_like=True):
    """What a kept table begins with, and all that a start decodes of a closed one."""

    table: str
    version: int
    at: int
    """When its last event was decided (ms)."""
    closed: bool
    slim: bool
    """Nothing is left but what is asked of a table that nobody recalls."""
    hands: tuple[int, ...]
    """Numbers of those that somebody may still recall."""
    last_completed: int


class KeptTable(Front, frozen=True, array_like=True):
    """A `Table` for gateways that start later; each record stands there once, however many recall it."""

    view: TableView
    """Without its hand, if that is one of `recalled`."""
    records: Records
    """Likewise."""
    recalled: tuple[Record, ...]
    shown: int | None
    """The place of the view's hand or of the round on record."""
    last: dict[str, int]
    """Player to the place of their record."""
    messages: tuple[MessageSent, ...]
    removed: dict[str, int]
    gone: dict[str, int]


_FRONT = msgspec.msgpack.Decoder(Front)
_KEPT = msgspec.msgpack.Decoder(KeptTable)


def front_in(state: bytes) -> Front:
    """ValueError for what is none."""
    return _FRONT.decode(state)


def state_of(of: Table, slim: bool = False) -> bytes:
    """Raises OverflowError, TypeError, ValueError for a value that the format does not hold."""
    recalled = {id(record): record for record in of.last.values()}
    places = {record: place for place, record in enumerate(recalled)}
    shown = places.get(id(of.records.record or of.view.hand))
    view, records = of.view, of.records
    if shown is not None:
        view, records = replace(view, hand=None), replace(records, record=None)
    hands = tuple(sorted({record.number for record in recalled.values()}))
    front = (view.table, view.version, of.at, of.closed, slim, hands, of.last_completed)
    last = {player: places[id(record)] for player, record in of.last.items()}
    lists = (tuple(of.messages), of.removed, of.gone)
    return msgspec.msgpack.encode(KeptTable(*front, view, records, tuple(recalled.values()), shown, last, *lists))


def table_in(state: bytes) -> Table:
    """ValueError for what is none."""
    of = _KEPT.decode(state)
    view, records = of.view, of.records
    shown = of.recalled[of.shown] if of.shown is not None else None
    if isinstance(shown, Hand):
        view = replace(view, hand=shown)
    elif shown is not None:
        records = replace(records, record=shown)
    last = {player: of.recalled[place] for player, place in of.last.items()}
    messages = deque(of.messages, maxlen=MAX_MESSAGES)
    return Table(view, records, last, of.last_completed, messages, of.removed, of.gone, of.at)


def slimmed(of: Table) -> Table:
    """Of a closed one, as it is once nobody has anything to do with it any more. Whatever comes later folds on."""
    view = replace(of.view, hand=None, round=None, shoe=None)
    return Table(view, replace(of.records, record=None), last_completed=of.last_completed, at=of.at)
