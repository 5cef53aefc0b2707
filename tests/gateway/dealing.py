"""Own cards on their sealed way to each player's own screen: as the table puts them out and the gateway opens them."""

from typing import Any

from libs.cards.card import names_of
from libs.journal.fold import Step
from libs.sealing.secret import DataKey
from services.gateway.kafka.hears import hear_private_deal
from services.table.domain.table.state import Table
from services.table.publishing import private_deals
from tests.table.play import TableUnderTest
from tests.table.under_test import AnyTable, refolded

_GATEWAY_KEY = DataKey(bytes.fromhex("11" * 32))
"""As the settings of the gateway's tests have it."""


def deal_sealed(gateway: Any, table: AnyTable, known: int = 0, end: int | None = None) -> None:
    """What the events after version `known`, up to `end`, have dealt."""
    state: Any = Table(table=table.state.table)
    for version, (event, deck) in enumerate(zip(table.told[:end], table.decks, strict=False), 1):
        state = refolded(state, event, deck)
        if version > known:
            for record in private_deals(Step(version, "", event, state), "private", _GATEWAY_KEY):
                hear_private_deal(record.value, gateway.floor, _GATEWAY_KEY)


def deal_to_everybody(gateway: Any, table: TableUnderTest) -> dict[int, tuple[str, ...]]:
    """Of the running hand, whose events were published: seat to cards."""
    hand = table.hand
    assert hand.deck is not None
    deal_sealed(gateway, table)
    return {seat: tuple(names_of(hand.deck.cards[place] for place in each.hole)) for seat, each in hand.players.items()}
