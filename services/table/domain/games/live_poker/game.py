"""Poker dealt by hand: the hand is poker's own, cards and errors are the dealer's (pt-217-2007 4, 31, 69 to 71)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

from msgspec.structs import replace

from libs.cards.variants import Street
from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.live_commands import LiveReason
from libs.contracts.live_events import HeldAct
from libs.contracts.poker_commands import Act
from libs.contracts.poker_commands import PokerReason as Reason
from libs.contracts.poker_events import LegalActs
from libs.contracts.table_events import LeaveRequested, TableClosed, TableResumed, TableSuspended
from libs.decider.handlers import handlers_in
from services.table.domain.games.game import Fold, then
from services.table.domain.games.live_poker import (
    dealing,
    incidents,
    preparing,
    presence,
    scanning,
    supervising,
    tipping,
)
from services.table.domain.games.live_poker.configuration import LiveConfiguration
from services.table.domain.games.live_poker.evolve import AFTER, CHANGES, desk_of, uninspected
from services.table.domain.games.live_poker.limiting import bar_of, held_of, legal_when_held, refuse_act, settle_held
from services.table.domain.games.live_poker.recording import ENTERED, left_as_passed_over, left_to_another
from services.table.domain.games.live_poker.stages import await_street, by_the_dealer, tell_awaited
from services.table.domain.games.live_poker.state import LiveTable, live_of
from services.table.domain.games.poker.acting import leave_hand
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.game import Poker
from services.table.domain.games.poker.state import InHand, PokerSitter
from services.table.domain.table.handlers import Handler
from services.table.domain.table.state import Table


class LivePoker(Poker):
    """Named as poker is: its configurations are poker's, with `dealing.dealer` at `live`."""

    configuration = LiveConfiguration
    table = LiveTable
    commands: ClassVar[dict[type[TableCommand], Handler]] = {
        **Poker.commands,
        **handlers_in(dealing, supervising, incidents, preparing, presence, scanning, tipping),
    }
    folds: ClassVar[Mapping[type[TableEvent], Fold]] = {
        **Poker.folds,
        **{event: then(Poker.folds[event], more) for event, more in AFTER.items()},
        **CHANGES,
    }

    def opened(self, state: Table) -> LiveTable:
        opened: LiveTable = super().opened(state)  # type: ignore[assignment]  # `table` says which
        return replace(opened, desk=desk_of(opened.rules.dealing.decks))

    def follow(self, state: Any, event: TableEvent) -> LiveTable:
        after: LiveTable = super().follow(state, event)  # type: ignore[assignment]  # the kind of table it was
        if isinstance(event, TableResumed | TableSuspended | TableClosed):
            return replace(after, desk=uninspected(after.desk))  # pt-217-2007 4
        return after

    def may_act(self, story: Any, sitter: PokerSitter) -> bool:
        """The dealer too may enter what a player at the table does."""
        return by_the_dealer(story) or super().may_act(story, sitter)

    def leave(self, story: Any, sitter: PokerSitter) -> None:
        """Between hands only who was paid by mistake is bound: until the next one begins (70.a)."""
        if story.state.hand is None:
            story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))
        else:
            leave_hand(story, sitter)

    def refuse_act(self, story: Any, command: Act) -> StrEnum | None:
        if by_the_dealer(story) and story.state.is_remote(command.seat):
            return LiveReason.PLAYER_IS_REMOTE
        return refuse_act(story.state, command, in_person=not by_the_dealer(story))

    def entered_by(self, story: Any) -> str:
        return story.by if by_the_dealer(story) else ""

    def asks_first(self, story: Any, command: Act, to: int) -> bool:
        """What the seat is bound to was judged when it was reported; a check binds to nothing once somebody has bet."""
        held = held_of(story.state, command.seat)
        if not by_the_dealer(story) or (held is not None and held.act != "check"):
            return False
        chips = to - running(story.state).players[command.seat].in_round
        return left_to_another(story, command, ENTERED, HeldAct(command.seat, command.act, to, chips, story.by))

    def why_no_raise(self, state: Any, player: InHand) -> StrEnum | None:
        reason = super().why_no_raise(state, player)
        return reason if reason is Reason.ABOVE_STACK else bar_of(state, player) or reason

    def legal_acts(self, state: Any, player: InHand) -> LegalActs:
        legal = super().legal_acts(state, player)
        held = held_of(state, player.seat)
        if held is not None:
            return legal_when_held(held, running(state).bet - player.in_round, legal.call)
        return legal if bar_of(state, player) is None else LegalActs(legal.check, legal.call, None, None)

    def waits(self, state: Any) -> bool:
        """For a supervisor; or for the dealer, who deals, turns the next cards and delivers the pot."""
        live = live_of(state)
        return live.pending is not None or (live.stage != "betting" and running(state).left > 1)

    def acted_before(self, story: Any, seat: int) -> bool:
        return left_as_passed_over(story, seat) or settle_held(story, seat)

    def open_street(self, story: Any, street: Street, cards: int) -> None:
        await_street(story, street)

    def settle(self, story: Any, strengths: dict[int, int]) -> None:
        tell_awaited(story, "delivery")  # pt-217-2007 64, 65: all could see; the dealer delivers
