"""Poker between players, as the table knows it."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import DealCorrected, HoleCardsDealt
from libs.sealing.deck import Deck
from services.table.domain.games.game import Dealt
from services.table.domain.games.poker import acting, choosing, correcting, decide, disputing, voiding
from services.table.domain.games.poker.absence import end_absences
from services.table.domain.games.poker.changing import refuse_change
from services.table.domain.games.poker.charging import charge_seated
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.entering import refuse_amount, refuse_top_up
from services.table.domain.games.poker.evolve import FOLDS, running
from services.table.domain.games.poker.following import follow, seated
from services.table.domain.games.poker.leaving import leave_hand
from services.table.domain.games.poker.limits import legal_acts, why_no_raise
from services.table.domain.games.poker.progress import deal_street
from services.table.domain.games.poker.reading import read
from services.table.domain.games.poker.resting import end_rests, refuse_rest
from services.table.domain.games.poker.rulebook import PokerRulebook
from services.table.domain.games.poker.showdown import pay_the_best
from services.table.domain.games.poker.state import PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerGame, PokerStory
from services.table.domain.games.poker.suspending import seats_changed
from services.table.domain.table.handlers import handlers_in


class Poker(PokerGame):
    name = "poker"
    configuration = PokerConfiguration
    table = PokerTable
    commands = handlers_in(acting, choosing, correcting, disputing, voiding)
    folds = FOLDS
    rulebook = PokerRulebook

    read = staticmethod(read)
    follow = staticmethod(follow)
    seated = staticmethod(seated)
    dues = staticmethod(decide.dues)
    leave = staticmethod(leave_hand)
    refuse_amount = staticmethod(refuse_amount)
    refuse_top_up = staticmethod(refuse_top_up)
    refuse_change = staticmethod(refuse_change)
    refuse_rest = staticmethod(refuse_rest)
    why_no_raise = staticmethod(why_no_raise)
    legal_acts = staticmethod(legal_acts)
    open_street = staticmethod(deal_street)
    settle = staticmethod(pay_the_best)

    def wake(self, story: PokerStory, outage: bool, down_since: int | None = None) -> None:
        decide.wake(story, outage)

    def after_round(self, story: PokerStory) -> None:
        end_rests(story)
        end_absences(story)

    def seats_changed(self, story: PokerStory) -> None:
        seats_changed(story)
        charge_seated(story)

    def drawn_first(self, state: PokerTable) -> Collection[str]:
        return state.sessions.played

    def may_post(self, sitter: PokerSitter) -> bool:
        return sitter.waiting and not sitter.posts

    def deck_of(self, state: PokerTable) -> Deck | None:
        return state.hand.deck if state.hand is not None else None

    def with_deck(self, state: PokerTable, deck: Deck | None) -> PokerTable:
        return replace(state, hand=replace(running(state), deck=deck))

    def dealt(self, state: PokerTable, event: TableEvent) -> Sequence[Dealt]:
        if not isinstance(event, HoleCardsDealt | DealCorrected):
            return ()
        players = running(state).players
        return [Dealt(event.hand, deal.seat, players[deal.seat].player, deal.positions) for deal in event.deals]
