"""What the simulated world has to know of a game; everything else about a table is the same whatever is played."""

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol

from libs.contracts.commands import Command
from libs.contracts.messages import PublicEvent
from libs.contracts.wallet_commands import account_id
from libs.money.play import PLAY_CURRENCY
from libs.views.table import Seat, TableView

if TYPE_CHECKING:
    from tests.simulation.clients.player import Player

Kind = Literal["real", "demo"]
CURRENCY: dict[Kind, str] = {"real": "EUR", "demo": PLAY_CURRENCY}
Order = tuple[type[Command], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Setup:
    """A table as staff open it; amounts in cents."""

    game: str
    rulebook: str
    configuration: dict[str, Any]
    unit: int
    """The big blind, or the least bet: what people's money is counted in."""
    change: dict[str, Any]
    """What staff change in the configuration when they do."""
    bank: int = 0
    """Of a game against the house."""

    @property
    def kind(self) -> Kind:
        kind: Kind = self.configuration["kind"]
        return kind

    @property
    def currency(self) -> str:
        return CURRENCY[self.kind]


class Game(Protocol):
    """One object per game; `registry.py` lists them."""

    name: str

    def setup(self, dice: Random, kind: Kind) -> Setup:
        """A table of this game, out of the seed's dice."""
        ...

    def void(self, number: int) -> Order:
        """What staff ask for when the round of this number is to count no more."""
        ...

    def calls(self, event: PublicEvent, player: str) -> bool:
        """Whether the event makes the player look at the table at once."""
        ...

    async def sat_down(self, player: "Player") -> None:
        """Just after a seat was promised; mostly there is nothing to do."""
        return

    async def turn(self, player: "Player", view: TableView, seat: Seat) -> bool:
        """Does what the game waits for of this player; False: nothing, so there is time for other things."""
        ...


def money(unit: int) -> dict[str, int]:
    """What may be brought to a table, in any game."""
    return {"buy_in_min": 10 * unit, "buy_in_max": 50 * unit, "top_up_to": 60 * unit}


def account_of(player: str, kind: Kind) -> str:
    """The stream of a player's account for this kind of money."""
    return account_id(player, CURRENCY[kind], kind)
