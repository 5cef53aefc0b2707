"""What the table's follower puts out: one public fact per event, and to the gateway each seat's own cards, sealed."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from libs.cards.card import names_of
from libs.contracts.facts import GameEvent
from libs.contracts.private_deals import PrivateDeal
from libs.journal.commit import Commit
from libs.journal.fold import Step
from libs.journal.follower import Publish
from libs.journal.log import OutRecord
from libs.journal.publishing import public_records
from libs.sealing.sealed import seal
from libs.sealing.secret import DataKey
from services.table.domain.games.registry import game_of
from services.table.domain.table.state import Table

TableStep = Step[Table, Any]


def table_publisher(events_topic: str, private_topic: str, gateway_key: DataKey) -> Publish[Table, Any]:
    """The follower's `publish`, bound to its topics and to the key that only the gateway shares."""

    def publish(commit: Commit, steps: Sequence[TableStep]) -> Sequence[OutRecord]:
        private = [
            record
            for step in steps
            if isinstance(step.event, GameEvent)
            for record in private_deals(step, private_topic, gateway_key)
        ]
        return [*private, *public_records(events_topic, commit)]

    return publish


def private_deals(step: TableStep, topic: str, gateway_key: DataKey) -> list[OutRecord]:
    """One sealed record for each seat that this event has dealt cards to; mostly none."""
    table = step.state
    game = game_of(table.rules)
    dealt = game.dealt(table, step.event)
    if not dealt:
        return []
    deck = game.deck_of(table)
    if deck is None:
        return []  # lost: the round is about to be void
    records = []
    for deal in dealt:
        cards = " ".join(names_of(deck.cards[position] for position in deal.positions))
        open_deal = PrivateDeal(
            table=table.table,
            hand=deal.round,
            seat=deal.seat,
            player=deal.player,
            version=step.version,
            sealed="",
        )
        box = seal(gateway_key.reveal(), cards.encode(), open_deal.associated_data)
        sealed = replace(open_deal, sealed=b64encode(box).decode())
        records.append(OutRecord(topic, table.table.encode(), sealed.encoded()))
    return records
