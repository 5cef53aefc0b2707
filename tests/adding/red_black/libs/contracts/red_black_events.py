"""Public events of red or black: stakes on a colour, and one card that decides."""

from typing import Literal

from libs.contracts import banked_rounds as banked
from libs.contracts.facts import Moment


class ColoursOpened(banked.BankedRoundOpened):
    """Betting begins. `until` is the one deadline of all seats; None: the single player asks for the card."""

    until: Moment | None
    """When the betting closes."""


class ColoursLapsed(banked.BankedRoundLapsed):
    """The period is over and nobody staked."""


class ColourStaked(banked.BankedStakePlaced):
    """More on a colour."""


class ColourTakenBack(banked.BankedStakeWithdrawn):
    """All of it, or a part when the stake is made smaller."""


class ColoursClosed(banked.BankedRoundEvent):
    """No more stakes, a card is drawn."""


class ColourDeckDealt(banked.BankedDeckDealt):
    """A fresh deck for this round alone; nobody knew it while stakes were taken."""


class ColourShown(banked.BankedCardsShown):
    """The first card of the deck."""

    colour: Literal["red", "black", "ace"]
    """Of the card; an ace is the house's."""


class ColoursSettled(banked.BankedRoundSettled):
    """Everybody is paid; the round is over."""

    colour: Literal["red", "black", "ace"]
    """Of the card that was shown."""


class ColoursVoided(banked.BankedRoundVoided):
    """The round does not count; every stake goes back."""
