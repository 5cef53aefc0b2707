"""Poker between players, as the table knows it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from libs.cards.games import Street
from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import DealCorrected, HoleCardsDealt, LegalActs
from libs.contracts.table_events import PlayerSeated
from libs.decider import Rejected
from libs.sealing.deck import Deck
from services.table.domain.games.game import Dealt, Reading
from services.table.domain.games.poker import decide, limits
from services.table.domain.games.poker.absence import end_absences
from services.table.domain.games.poker.changing import refuse_change
from services.table.domain.games.poker.charging import charge_seated
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.entering import refuse_amount, refuse_top_up
from services.table.domain.games.poker.evolve import FOLDS, running
from services.table.domain.games.poker.following import follow, seated
from services.table.domain.games.poker.leaving import leave_hand
from services.table.domain.games.poker.progress import deal_street
from services.table.domain.games.poker.reading import read
from services.table.domain.games.poker.resting import end_rests, refuse_rest
from services.table.domain.games.poker.rulebook import PokerRulebook
from services.table.domain.games.poker.showdown import pay_the_best
from services.table.domain.games.poker.state import InHand, PokerSitter, PokerTable
from services.table.domain.games.poker.story import PokerGame, PokerStory
from services.table.domain.games.poker.suspending import seats_changed


class Poker(PokerGame):
    name = "poker"
    configuration = PokerConfiguration
    table = PokerTable
    commands = decide.COMMANDS
    rulebook = PokerRulebook

    def read(self, rulebook: PokerRulebook, values: dict[str, Any]) -> Reading:
        return read(rulebook, values)

    def evolve(self, state: PokerTable, event: Any) -> PokerTable:
        return FOLDS[type(event)](state, event)

    def follow(self, state: PokerTable, event: TableEvent) -> PokerTable:
        return follow(state, event)

    def seated(self, state: PokerTable, event: PlayerSeated) -> PokerSitter:
        return seated(state, event)

    def dues(self, state: PokerTable) -> Sequence[int | None]:
        return decide.dues(state)

    def wake(self, story: PokerStory, outage: bool, down_since: int | None = None) -> None:
        decide.wake(story, outage)

    def leave(self, story: PokerStory, sitter: PokerSitter) -> None:
        leave_hand(story, sitter)

    def after_round(self, story: PokerStory) -> None:
        end_rests(story)
        end_absences(story)

    def seats_changed(self, story: PokerStory) -> None:
        seats_changed(story)
        charge_seated(story)

    def refuse_amount(self, state: PokerTable, player: str, amount: int, now: int) -> Rejected | None:
        return refuse_amount(state, player, amount, now)

    def refuse_top_up(self, state: PokerTable, amount: int) -> Rejected | None:
        return refuse_top_up(state, amount)

    def refuse_change(self, state: PokerTable, configuration: PokerConfiguration) -> Rejected | None:
        return refuse_change(state, configuration)

    def refuse_rest(self, story: PokerStory, sitter: PokerSitter) -> bool:
        return refuse_rest(story, sitter)

    def may_post(self, sitter: PokerSitter) -> bool:
        return sitter.waiting and not sitter.posts

    def why_no_raise(self, state: PokerTable, player: InHand) -> StrEnum | None:
        return limits.why_no_raise(state, player)

    def legal_acts(self, state: PokerTable, player: InHand) -> LegalActs:
        return limits.legal_acts(state, player)

    def open_street(self, story: PokerStory, street: Street, cards: int) -> None:
        deal_street(story, street, cards)

    def settle(self, story: PokerStory, strengths: dict[int, int]) -> None:
        pay_the_best(story, strengths)

    def deck_of(self, state: PokerTable) -> Deck | None:
        return state.hand.deck if state.hand is not None else None

    def with_deck(self, state: PokerTable, deck: Deck | None) -> PokerTable:
        return replace(state, hand=replace(running(state), deck=deck))

    def dealt(self, state: PokerTable, event: TableEvent) -> Sequence[Dealt]:
        if not isinstance(event, HoleCardsDealt | DealCorrected):
            return ()
        players = running(state).players
        return [Dealt(event.hand, deal.seat, players[deal.seat].player, deal.positions) for deal in event.deals]
