"""What the games against the house have in common: the bank, the call for bets, whether to bet."""

from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import bank_commands as h
from libs.contracts.configurations import BankedConfiguration
from libs.contracts.messages import PublicEvent
from libs.views.table import Seat, TableView
from tests.simulation.checks.banks import worst_case
from tests.simulation.games.game import Kind, Order, money

if TYPE_CHECKING:
    from tests.simulation.clients.player import Player

_OPENINGS = ("croupier.table.antes_opened.v1", "croupier.table.coup_opened.v1")


def against_the_house(dice: Random, kind: Kind, unit: int) -> dict[str, Any]:
    """Values that every configuration of such a game has."""
    single = dice.random() < 0.2
    return {
        "mode": "single" if single else "multi",
        "kind": kind,
        "seats": 1 if single else 3,
        **money(unit),
        "resume_ms": dice.choice([1000, 1500, 60_000]),
        "between_rounds_ms": dice.choice([0, 300]),
        "reservation_ms": dice.choice([1500, 6000]),
        "break_ms": 3000,
        "reentry_ms": dice.choice([0, 3_600_000]),
        "approval": "A-1",
    }


def bank_for(dice: Random, configuration: dict[str, Any], unit: int) -> int:
    """Just enough for the worst case, so that a good night of the players' stops the table; or more."""
    return (worst_case(configuration) or 60 * unit) + dice.choice([0, 0, 4, 100]) * unit


def void(number: int) -> Order:
    return h.VoidRound, {"round": number, "cause": "spilt water"}


def calls_for_bets(event: PublicEvent) -> bool:
    return event.type in _OPENINGS


def may_bet(player: "Player", view: TableView, seat: Seat) -> bool:
    """Bets are open, or would open with one after a period without any, and the player has not answered that."""
    if player.leaving or seat.status != "playing" or seat.leaving or view.status != "open" or view.round is None:
        return False
    return view.round.phase in ("betting", "lapsed") and player.answered != answer_to(view)


def answer_to(view: TableView) -> tuple[str, int, str]:
    """What a player has answered who has bet on what is shown here."""
    assert view.round is not None
    return "bets", view.round.round, view.round.phase


def round_named(view: TableView) -> int | None:
    """The round that a bet is for; none is named where the bet opens one."""
    assert view.round is not None
    return view.round.round if view.round.phase == "betting" else None


def must_deal(player: "Player", view: TableView) -> bool:
    """A single player waits for no clock (pt-803-2015 15, pt-812-2015 28): with a bet there, he starts the deal."""
    assert isinstance(view.configuration, BankedConfiguration)
    if player.leaving or view.configuration.mode != "single" or view.round is None:
        return False
    return view.round.phase == "betting" and view.round.staked_by(player.name) > 0


async def wait_to_bet(player: "Player", view: TableView) -> None:
    """Some bet at the last moment, or a moment after it."""
    until = view.round.until if view.round is not None else None
    if until is not None and not player.eager and player.dice.random() < 0.15:
        await player.until_deadline(until)
