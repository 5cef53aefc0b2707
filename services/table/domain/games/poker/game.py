"""Poker between players, as the table knows it."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from libs.contracts.facts import TableEvent, taken
from libs.contracts.poker_events import DealCorrected, HoleCardsDealt
from libs.contracts.table_events import PlayerSeated
from libs.decider.handlers import handlers_in
from libs.rulebooks.poker import read
from libs.sealing.deck import Deck
from services.table.domain.games.game import Dealt
from services.table.domain.games.poker import (
    absence,
    acting,
    changing,
    charging,
    correcting,
    decide,
    entering,
    following,
    limits,
    moving,
    notice,
    progress,
    readiness,
    showdown,
)  # fmt: skip
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.evolve import FOLDS, running
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerGame, PokerStory


class Poker(PokerGame):
    name = "poker"
    configuration = PokerConfiguration
    table = PokerTable
    remembers_ms = moving.LATELY_MS
    commands = handlers_in(acting, changing, charging, correcting)
    folds = FOLDS

    read = staticmethod(read)
    follow = staticmethod(following.follow)
    dues = staticmethod(decide.dues)
    lapse = staticmethod(decide.lapse)
    left_out = staticmethod(decide.left_out)
    leave = staticmethod(acting.leave_hand)
    refuse_amount = staticmethod(entering.refuse_amount)
    refuse_top_up = staticmethod(entering.refuse_top_up)
    least_top_up = staticmethod(entering.least_top_up)
    refuse_change = staticmethod(changing.refuse_change)
    notice_of = staticmethod(notice.notice_of)
    departed = staticmethod(moving.departed)
    blinds_passed = staticmethod(moving.blinds_passed)
    had_break = staticmethod(absence.had_break)
    refuse_rest = staticmethod(absence.refuse_rest)
    why_no_raise = staticmethod(limits.why_no_raise)
    legal_acts = staticmethod(limits.legal_acts)
    open_street = staticmethod(progress.deal_street)
    settle = staticmethod(showdown.pay_the_best)

    def seated(self, state: PokerTable, event: PlayerSeated) -> PokerSitter:
        departure = state.departed(event.player, event.at)
        sitter = taken(
            PokerSitter,
            event,
            time_bank=state.rules.timing.time_bank_ms,  # pt-811-2015 44: full on each session start
            waiting=state.running and state.rules.entry.entering == "with_big_blind",
            newcomer=(at_once := state.running and state.rules.entry.entering == "missed_blinds"),
            owes_big=at_once and state.rules.entry.missed_big_blind == "live",
            protected=departure.protected if departure is not None else 0,
        )
        return moving.came_back(state, sitter, event.at)

    def wake(self, story: PokerStory, outage: bool) -> None:
        decide.wake(story, outage)

    def moved_at(self, state: PokerTable) -> int | None:
        """Back in time, the deadline stays where it is (pt-811-2015 43); back too late, the hand is void at once."""
        return acting.asked_at(state)

    def after_round(self, story: PokerStory) -> None:
        absence.end_rests(story)
        absence.end_absences(story)

    def seats_changed(self, story: PokerStory) -> None:
        readiness.seats_changed(story)
        charging.charge_seated(story)

    def drawn_first(self, state: PokerTable) -> Collection[str]:
        return state.sessions.played

    def may_post(self, sitter: PokerSitter) -> bool:
        return sitter.waiting and not (sitter.posts or sitter.moved)

    def deck_of(self, state: PokerTable) -> Deck | None:
        return state.hand.deck if state.hand is not None else None

    def cards_lost(self, state: PokerTable) -> bool:
        return state.hand is not None and state.hand.deck is None

    def give_up(self, story: PokerStory, cause: str) -> None:
        correcting.void_running(story, cause, "house")

    def with_deck(self, state: PokerTable, deck: Deck | None) -> PokerTable:
        return replace(state, hand=replace(running(state), deck=deck))

    def dealt(self, state: PokerTable, event: TableEvent) -> Sequence[Dealt]:
        if not isinstance(event, HoleCardsDealt | DealCorrected):
            return ()
        players = running(state).players
        return [Dealt(event.hand, deal.seat, players[deal.seat].player, deal.positions) for deal in event.deals]
