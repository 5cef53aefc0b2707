"""What the gateway knows of the floor: every table's view, the players' own cards, and who is watching."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from libs.contracts.banked_rounds import BankedRoundSettled, BankedRoundVoided
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandEnded, HandVoided
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.versions import Accepted
from libs.telemetry import get_logger
from libs.views.records import recalled_by
from libs.views.table import dealt_to, shown_to
from services.gateway import metrics
from services.gateway.views.private import OwnCards
from services.gateway.views.tables import Tables

_log = get_logger(__name__)
_MAX_EARLY = 64
_OVER = (HandEnded, HandVoided, BankedRoundSettled, BankedRoundVoided)
_COUNTED = {result: metrics.EVENTS.labels(result.value) for result in Accepted}

ReadEvent = tuple[PublicEvent, Fact | None]
"""An event and what it says; None for a type that this build does not know."""


class Audience(Protocol):
    """Who is told: the WebSocket fan-out."""

    def tell_events(self, table: str, events: Sequence[PublicEvent]) -> None: ...

    def tell_cards(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None: ...


class Floor:
    """Folds public events and private deals and passes them on. One event loop, so that a view and the events after it
    never cross."""

    def __init__(self, audience: Audience) -> None:
        self.tables = Tables(forgotten=self._forget_cards)
        self._cards = OwnCards()
        self._audience = audience
        self._early: dict[str, list[tuple[PrivateDeal, tuple[str, ...]]]] = {}

    def on_events(self, events: Sequence[ReadEvent]) -> None:
        """Public events of one table in their order; those of a commit come together and are told together."""
        told = [event for event, fact in events if self._folded(event, fact)]
        if told:
            self._audience.tell_events(told[0].stream, told)
            self._tell_early(told[0].stream, told[-1].version)

    def _folded(self, event: PublicEvent, fact: Fact | None) -> bool:
        had_gap = event.stream in self.tables.gaps
        try:
            result = self.tables.accept(event.stream, fact, event.version)
        except Exception as wrong:  # whatever breaks on one table's event: all others' are in the same reader
            result = Accepted.GAP
            _log.error("no view of an event", stream=event.stream, version=event.version, error=type(wrong).__name__)
        _COUNTED[result].inc()
        if result is Accepted.GAP:
            _log.error("gap in public events", stream=event.stream, version=event.version)
        if had_gap or result is Accepted.GAP:
            metrics.GAPS.set(len(self.tables.gaps))
        if result is Accepted.YES and isinstance(fact, _OVER):
            self._cards.keep_only(event.stream, *self.tables.recallable(event.stream))
        return result is Accepted.YES

    def on_cards(self, deal: PrivateDeal, cards: tuple[str, ...]) -> None:
        """A seat's own cards. They may overtake the public events; nobody is told before `deal.version` is folded."""
        self._cards.put(deal.table, deal.hand, deal.seat, deal.player, cards)
        if self.tables.version(deal.table) >= deal.version:
            self._audience.tell_cards(deal.table, deal.hand, deal.seat, deal.player, cards)
        else:
            early = self._early.setdefault(deal.table, [])
            early.append((deal, cards))
            del early[:-_MAX_EARLY]  # a table whose events stand still; the view will have the cards

    def needs_cards(self, table: str, hand: int) -> bool:
        """Whether a hand's cards may still be asked for: it is running, to come, or somebody's last one."""
        recallable, last_completed = self.tables.recallable(table)
        return hand > last_completed or hand in recallable

    def knows(self, table: str) -> bool:
        return self.tables.version(table) > 0

    def view(self, table: str, player: str, now: int | None = None) -> dict[str, Any] | None:
        """The table as this player may see it; `now` (ms) gives the time that is left of a deadline."""
        view = self.tables.view(table)
        if view is None:
            return None
        number = dealt_to(view, player)
        own = self._cards.of(table, number, player) if number is not None else ()
        return shown_to(view, player, own, now)

    def last_played(self, table: str, player: str) -> dict[str, Any] | None:
        """The last completed hand or round of this player, with their own cards."""
        record = self.tables.last_played(table, player)
        if record is None:
            return None
        own = self._cards.of(table, record.number, player)
        return recalled_by(record, player, own)

    async def reaches(self, table: str, version: int, within_ms: int = 2_000) -> bool:
        """Waits until the view has folded `version`, so that whoever changed a table reads their own write."""
        deadline = asyncio.get_running_loop().time() + within_ms / 1000
        while self.tables.version(table) < version:
            if asyncio.get_running_loop().time() > deadline:
                return False
            await asyncio.sleep(0.01)
        return True

    def told(self) -> str | None:
        """What somebody has to look at. No reason to send players away: all other tables' views go on."""
        gaps = len(self.tables.gaps)
        return f"{gaps} tables wait for an event that is missing" if gaps else None

    def _forget_cards(self, table: str) -> None:
        self._cards.keep_only(table, *self.tables.recallable(table))

    def _tell_early(self, table: str, version: int) -> None:
        waiting = self._early.pop(table, None)
        if waiting is None:
            return
        for deal, cards in waiting:
            if deal.version <= version:
                self._audience.tell_cards(deal.table, deal.hand, deal.seat, deal.player, cards)
            else:
                self._early.setdefault(table, []).append((deal, cards))
