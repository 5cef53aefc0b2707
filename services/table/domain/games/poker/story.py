"""What depends on who deals at a poker table, and the story (`Story`) of a decision there."""

from abc import abstractmethod
from enum import StrEnum

from libs.cards.variants import Street
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import LegalActs
from services.table.domain.games.game import Game
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.state import InHand, PokerSitter, PokerTable
from services.table.domain.table.story import Story


class PokerGame(Game):
    """What depends on who deals: `poker/game.py` has the house's generator, `live_poker/game.py` a human dealer."""

    def may_act(self, story: "PokerStory", sitter: PokerSitter) -> bool:
        """Whether who asks may act for the sitter (pt-217-2007 14.l: nobody in the player's place)."""
        return story.role == "player" and sitter.player == story.by

    def refuse_act(self, story: "PokerStory", command: Act) -> StrEnum | None:
        """Why this act is refused at this moment, or None."""
        return None

    def entered_by(self, story: "PokerStory") -> str:
        """Who enters the act for its player; empty: nobody, it is the player's own."""
        return ""

    def asks_first(self, story: "PokerStory", command: Act, to: int) -> bool:
        """Whether somebody else is asked, as the events told here say, before the act stands; it lifts the seat to `to`
        in the round."""
        return False

    @abstractmethod
    def why_no_raise(self, state: PokerTable, player: InHand) -> StrEnum | None:
        """Why no bet or raise is on offer, or None: a reason of this game."""

    @abstractmethod
    def legal_acts(self, state: PokerTable, player: InHand) -> LegalActs:
        """What `player`, whose turn it is, may do."""

    def waits(self, state: PokerTable) -> bool:
        """Whether the hand waits for somebody who is no player in it."""
        return False

    def acted_before(self, story: "PokerStory", seat: int) -> bool:
        """True when the turn has moved on by what the seat did before it came."""
        return False

    @abstractmethod
    def open_street(self, story: "PokerStory", street: Street, cards: int) -> None:
        """A round of betting is over and more cards are to come."""

    @abstractmethod
    def settle(self, story: "PokerStory", strengths: dict[int, int]) -> None:
        """All hands are shown; `strengths` by seat, the smaller the stronger."""


PokerStory = Story[PokerTable, PokerConfiguration, PokerGame]
