"""What is on record at one table, hands and rounds alike: for players' recall, the auditor's histories, exports."""

from typing import Any

import msgspec
from msgspec.structs import replace

from libs.contracts import banked_rounds as b
from libs.contracts import table_events as t
from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.baccarat_events import ShoeStarted
from libs.contracts.facts import Chips, Fact, HandEvent, taken
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.waiting_list_events import SeatChanged
from libs.views.hand import Hand, fold_hand
from libs.views.round import RoundRecord, record_round

Record = Hand | RoundRecord


class Records(msgspec.Struct, frozen=True):
    """The running or last hand or round of one table, and what it takes from the table's opening and shoe."""

    name: str = ""
    game: str = ""
    stakes: Chips = 0
    shoe_root: str | None = None
    offline: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    """Seats whose player has lost the connection, where there are any."""
    record: Record | None = None


def fold_records(records: Records, event: Fact | None, version: int) -> Records:
    """The records after `event`, which is the table's event number `version`."""
    match event:
        case t.TableOpened():
            return _configured(replace(records, name=event.name), event.configuration)
        case t.ConfigurationActivated():
            return _configured(records, event.configuration)
        case ShoeStarted():
            return replace(records, shoe_root=event.deck_root)
        case b.BankedRoundOpened():
            common = {"table_name": records.name, "game": records.game, "version": version, "started_at": event.at}
            opened = taken(RoundRecord, event, seats=(), deck_root=records.shoe_root, **common)
            return replace(records, record=opened)
        case t.ConnectionLost():
            return replace(records, offline=(*_others(records, event.seat), event.seat))
        case t.ConnectionRestored() | t.PlayerLeft() | t.SeatReleased():
            return replace(records, offline=_others(records, event.seat) or msgspec.UNSET)
        case SeatChanged():
            moved = (event.to_seat,) if event.from_seat in _offline(records) else ()
            return replace(records, offline=(*_others(records, event.from_seat), *moved) or msgspec.UNSET)
        case HandEvent():
            hand, offline = records.record if isinstance(records.record, Hand) else None, _offline(records)
            return replace(records, record=fold_hand(hand, event, version, records.name, records.stakes, offline))
        case b.BankedRoundEvent() if isinstance(records.record, RoundRecord):
            return replace(records, record=record_round(records.record, event, version))
        case _:
            return records


def _offline(records: Records) -> tuple[int, ...]:
    return records.offline or ()


def _others(records: Records, seat: int) -> tuple[int, ...]:
    return tuple(each for each in _offline(records) if each != seat)


def _configured(records: Records, chosen: AnyConfiguration) -> Records:
    return replace(records, game=chosen.game, stakes=stakes_of(chosen))


def stakes_of(chosen: AnyConfiguration | None) -> Chips:
    """The big blind of a table of poker, or what stands for it; 0 elsewhere."""
    return chosen.betting.big_blind if isinstance(chosen, PokerConfiguration) else 0


def recalled_by(record: Record, player: str, own: tuple[str, ...]) -> dict[str, Any]:
    """The record for one of its players; `own` is all of theirs, the cards that nobody else saw included."""
    document: dict[str, Any] = msgspec.to_builtins(record)
    mine = next(seat for seat in document["seats"] if seat["player"] == player)
    return {**document, "own": {**mine, "cards": list(own)}}
