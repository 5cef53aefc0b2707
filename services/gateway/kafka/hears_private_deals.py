"""Private deals: each seat's own cards, sealed for the gateway, opened here and nowhere else."""

import base64
import binascii

import msgspec

from libs.contracts.private_deals import PrivateDeal
from libs.sealing.sealed import CannotOpen, open_sealed
from libs.sealing.secret import SecretBytes
from libs.telemetry import get_logger
from services.gateway import metrics
from services.gateway.app.floor import Floor
from services.gateway.kafka.reads_topic import TopicReader

_log = get_logger(__name__)


async def hear_private_deals(reader: TopicReader, floor: Floor, key: SecretBytes) -> None:
    """Runs until cancelled. Starts after the public events are read, so that old hands are not even opened."""
    async for batch in reader.batches():
        for record in batch:
            hear_private_deal(record.value, floor, key)


def hear_private_deal(value: bytes | None, floor: Floor, key: SecretBytes) -> None:
    try:
        deal = PrivateDeal.decoded(value or b"")
    except msgspec.MsgspecError:
        _refused("a record on the private topic is no deal")
        return
    if not floor.needs_cards(deal.table, deal.hand):
        metrics.PRIVATE_DEALS.labels("past").inc()
        return
    try:
        cards = open_deal(deal, key)
    except CannotOpen:
        _refused("a private deal does not open", table=deal.table, hand=deal.hand, seat=deal.seat)
        return
    metrics.PRIVATE_DEALS.labels("opened").inc()
    floor.on_cards(deal, cards)


def open_deal(deal: PrivateDeal, key: SecretBytes) -> tuple[str, ...]:
    """The seat's cards in clear; CannotOpen when key, table, hand, seat or player differ from what was sealed."""
    try:
        box = base64.b64decode(deal.sealed, validate=True)
    except binascii.Error:
        raise CannotOpen("not base64") from None
    return tuple(open_sealed(key.reveal(), box, deal.associated_data).decode("ascii").split())


def _refused(why: str, **where: object) -> None:
    metrics.PRIVATE_DEALS.labels("refused").inc()
    _log.error(why, **where)
