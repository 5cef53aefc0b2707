"""A game against the house, as the table knows it."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.bank_commands import BankedReason
from libs.contracts.banked_rounds import BankedRoundVoided
from libs.contracts.configurations import grouped
from libs.contracts.facts import taken
from libs.contracts.table_events import PlayerSeated
from libs.decider import Rejected
from libs.rulebooks.configure import Reading
from libs.rulebooks.rulebook import Refusal, Rulebook
from services.table.domain.games.banked.idling import invite_skippers
from services.table.domain.games.banked.rounds import may_open, void
from services.table.domain.games.banked.state import BankedTable, IdleSitter
from services.table.domain.games.game import Game
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory

Refuse = Callable[[str, str], None]
"""Takes a field, and why its value does not go together with others."""


class BankedGame(Game):
    """Played against the house, with a time for bets before each round."""

    banked = True
    voided: ClassVar[type[BankedRoundVoided]]

    def read(self, rulebook: Rulebook, values: dict[str, Any]) -> Reading:
        refusals: list[Refusal] = []

        def refuse(field: str, reason: str) -> None:
            refusals.append(Refusal(field, rulebook.ref(rulebook.fields[field].rule), reason))

        def configuration() -> AnyConfiguration:
            return grouped(self.configuration, {**rulebook.names, **values})  # type: ignore[return-value]

        self.at_odds(values, refuse)
        if values["mode"] == "single" and values["seats"] != 1:
            refuse("seats", "must be 1 at a table for one player")
        if values["buy_in_max"] < values["buy_in_min"]:
            refuse("buy_in_max", "must be at least buy_in_min")
        if values["top_up_to"] < values["buy_in_min"]:
            refuse("top_up_to", "must be at least buy_in_min")
        if values["kind"] == "real" and not values["approval"]:
            refuse("approval", "is needed for real money")
        return configuration, refusals

    @abstractmethod
    def at_odds(self, values: dict[str, Any], refuse: Refuse) -> None:
        """Refuses values that each are inside the rulebook's bounds and do not go together in this game."""

    @abstractmethod
    def close_betting(self, story: AnyStory) -> None:
        """No more bets: of a single player who has staked."""

    def moved_at(self, state: BankedTable) -> int | None:
        """Bets that wait for a deadline, or for decisions; a single player's wait for the player (pt-803-2015 33)."""
        playing = state.round
        return None if playing is None or playing.until is None or not playing.stakes else playing.alive_at

    def give_up(self, story: AnyStory, cause: str) -> None:
        void(story, cause, "house")

    def cards_out(self, state: BankedTable) -> bool:
        """None is dealt before the close of the bets."""
        return state.round is not None and state.round.phase != "betting"

    def opens_with_a_bet(self, state: BankedTable) -> bool:
        """Whether a bet may open the betting, before it opens by itself."""
        return may_open(state)

    def seated(self, state: Any, event: PlayerSeated) -> IdleSitter:
        return taken(IdleSitter, event, seated_at=event.at, active_at=event.at)

    def after_round(self, story: AnyStory) -> None:
        invite_skippers(story)

    def seats_changed(self, story: AnyStory) -> None:
        """Nothing follows: the next betting opens by the clock or with a bet."""

    def why_not(self, configuration: Any, bank: int) -> Rejected | None:
        """The bank can pay the worst case of all seats, where the regulation lets it be limited, or no bet is taken."""
        worst = configuration.worst_case
        if worst is None or bank >= worst:
            return None
        return rejected(BankedReason.BANK_TOO_SMALL, configuration, f"all seats can win {worst} in one round")
