"""Baccarat and its Macau variant: stakes on one chance or some, more of them, some of them back."""

from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import baccarat_commands as b
from libs.contracts.baccarat_configuration import BaccaratConfiguration
from libs.contracts.bank_commands import DealRound
from libs.contracts.messages import PublicEvent
from libs.views.table import Seat, TableView
from tests.simulation.games.game import Game, Kind, Order, Setup
from tests.simulation.games.house import (
    against_the_house,
    answer_to,
    bank_for,
    calls_for_bets,
    may_bet,
    must_deal,
    round_named,
    void,
    wait_to_bet,
)

if TYPE_CHECKING:
    from tests.simulation.clients.player import Player

_CHANCES = ("ponto", "ponto", "banca", "banca", "empate", "par_ponto", "par_banca")
_MODES = ["none", "five-percent", "five-percent", "half-on-5", "half-on-6"]


class Baccarat(Game):
    name = "baccarat"

    def setup(self, dice: Random, kind: Kind) -> Setup:
        least = dice.choice([7, 100])
        macau = dice.random() < 0.3
        configuration = {
            **against_the_house(dice, kind, least),
            "approved_on": "2026-11-02",
            "decks": dice.choice([6, 8]),
            "cut_cards": 200,
            "burn_cards": dice.choice([0, 5]),
            "shuffle_every_coup": dice.random() < 0.25,
            "min_bet": least,
            "commission_mode": dice.choice(_MODES),
            **(_macau(dice, least) if macau else _limits(least)),
        }
        if configuration["mode"] == "multi":
            configuration["betting_ms"] = dice.choice([3000, 3400])
        change = {"commission_mode": dice.choice(_MODES), "burn_cards": 2}
        bank = bank_for(dice, configuration, least)
        rulebook = "pt-812-2015-baccarat" + ("-macau" if macau else "")
        return Setup(self.name, rulebook, configuration, least, change, bank)

    def void(self, number: int) -> Order:
        return void(number)

    def calls(self, event: PublicEvent, player: str) -> bool:
        return calls_for_bets(event)

    async def turn(self, player: "Player", view: TableView, seat: Seat) -> bool:
        if may_bet(player, view, seat) and not (player.eager and must_deal(player, view)):
            await _bet(player, view, seat)
        elif must_deal(player, view):
            assert view.round is not None
            await player.ask(DealRound, {"round": view.round.round})
        else:
            return False
        return True


def _limits(least: int) -> dict[str, Any]:
    return {"max_ponto_banca": 20 * least, "max_tie": 4 * least, "max_pair": 3 * least}


def _macau(dice: Random, least: int) -> dict[str, Any]:
    """Without a prize limit nothing limits the bank: it raises its alarm, is covered, and the table closes."""
    return {"prize_limit": dice.choice([None, 50 * least])}


async def _bet(player: "Player", view: TableView, seat: Seat) -> None:
    assert isinstance(view.configuration, BaccaratConfiguration)
    dice, least = player.dice, view.configuration.betting.min_bet
    player.answered = answer_to(view)
    if seat.stack < least:
        await player.top_up(30 * least)
        player.answered = None
        return
    placed = False
    await wait_to_bet(player, view)
    for _ in range(1 if player.eager else dice.choice([1, 1, 2, 3])):
        chance = dice.choice(_CHANCES[:4] if player.eager else _CHANCES)
        amount = least if player.eager else dice.randint(least, max(least, min(seat.stack, 10 * least)))
        reply = await player.ask(b.PlaceStake, {"chance": chance, "amount": amount, "round": round_named(view)})
        placed = placed or (reply is not None and reply.verdict == "accepted")
        if not player.eager and dice.random() < 0.15 and round_named(view) is not None:
            wish = {"round": round_named(view), "chance": chance, "amount": dice.choice([None, 1])}
            await player.ask(b.WithdrawStake, wish)
            placed = False
    if not placed:
        player.answered = None
