"""No-draw poker against the house: an ante, changed or taken back, and one decision when the cards are there."""

from random import Random
from typing import TYPE_CHECKING

from libs.contracts import no_draw_poker_commands as n
from libs.contracts.bank_commands import DealRound
from libs.contracts.messages import PublicEvent
from libs.contracts.no_draw_poker_configuration import NoDrawConfiguration
from libs.views.no_draw import NoDrawRound
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

_CALL = "croupier.table.hands_awaited.v1"


class NoDrawPoker(Game):
    name = "no_draw_poker"

    def setup(self, dice: Random, kind: Kind) -> Setup:
        least = dice.choice([2, 100])
        configuration = {
            **against_the_house(dice, kind, least),
            "min_ante": least,
            "max_ante": 5 * least,
            "betting_ms": dice.choice([3000, 3500]),
            "decision_ms": dice.choice([3000, 3600]),
            "extra_ms": 1000,
        }
        change = {"decision_ms": 3300, "max_ante": 4 * least}
        bank = bank_for(dice, configuration, least)
        return Setup(self.name, "pt-803-2015-no-draw", configuration, least, change, bank)

    def void(self, number: int) -> Order:
        return void(number)

    def calls(self, event: PublicEvent, player: str) -> bool:
        return calls_for_bets(event) or event.type == _CALL

    async def turn(self, player: "Player", view: TableView, seat: Seat) -> bool:
        playing = view.round if isinstance(view.round, NoDrawRound) else None
        mine = playing.seats.get(seat.seat) if playing is not None else None
        if playing is not None and mine is not None and mine.decides and player.answered != ("hand", playing.round):
            await _decide(player, playing, can_pay=mine.short_of == 0)
            return True
        if may_bet(player, view, seat) and not (player.eager and must_deal(player, view)):
            await _bet(player, view, seat)
        elif must_deal(player, view):
            assert view.round is not None
            await player.ask(DealRound, {"round": view.round.round})
        else:
            return False
        return True


async def _bet(player: "Player", view: TableView, seat: Seat) -> None:
    assert isinstance(view.configuration, NoDrawConfiguration)
    dice, rules = player.dice, view.configuration.betting
    player.answered = answer_to(view)
    if seat.stack < 3 * rules.min_ante:
        await player.top_up(30 * rules.min_ante)
        player.answered = None
        return
    amount = rules.min_ante if player.eager else dice.randint(rules.min_ante, rules.max_ante)
    await wait_to_bet(player, view)
    reply = await player.ask(n.PlaceAnte, {"amount": amount, "round": round_named(view)})
    placed = reply is not None and reply.verdict == "accepted"
    if placed and not player.eager and dice.random() < 0.15:
        await player.ask(n.PlaceAnte, {"amount": dice.randint(rules.min_ante, rules.max_ante)})
    elif placed and not player.eager and dice.random() < 0.15 and round_named(view) is not None:
        await player.ask(n.WithdrawAnte, {"round": round_named(view)})
        placed = False
    if not placed:
        player.answered = None


async def _decide(player: "Player", playing: NoDrawRound, can_pay: bool) -> None:
    dice, number = player.dice, playing.round
    wish = {"round": number, "decision": "fold" if player.leaving or dice.random() < 0.3 else "continue"}
    if not can_pay and dice.random() < 0.8:
        wish["decision"] = "fold"
    if not player.eager and number > 1 and dice.random() < 0.06:
        player.fired("stale act")
        wish["round"] = number - 1
    elif not player.eager and playing.until is not None and dice.random() < 0.25:
        await player.until_deadline(playing.until)
    else:
        player.answered = ("hand", number)
    reply = await player.ask(n.DecideHand, wish)
    if reply is None or reply.verdict != "accepted":
        player.answered = None
