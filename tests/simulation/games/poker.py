"""Omaha between players, who act in turn, too late, and under turns long gone."""

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any

from libs.contracts import table_commands as t
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_commands import Act, VoidHand
from libs.contracts.poker_events import DecisionAwaited
from libs.contracts.registry import parse_event, wire_name
from libs.views.hand import Decision
from libs.views.table import Seat, TableView
from services.cli.demo.bots import choose
from tests.simulation.games.game import Game, Kind, Order, Setup, money

if TYPE_CHECKING:
    from tests.simulation.clients.player import Player

_AWAITED = wire_name(DecisionAwaited)


class Poker(Game):
    name = "poker"

    def setup(self, dice: Random, kind: Kind) -> Setup:
        big = dice.choice([2, 100])
        configuration = {
            "mode": "continuous",
            "kind": kind,
            "seats": 4,
            "structure": dice.choice(["pot_limit", "no_limit", "limit_raise_count"]),
            "big_blind": big,
            **money(big),
            "rake_mode": dice.choice(["pot", "pot", "buy_in"]),
            "rake_bp": 500,
            "decision_ms": dice.choice([3000, 3500]),
            "time_bank_ms": dice.choice([0, 500]),
            "reservation_ms": dice.choice([1500, 6000]),
            "between_hands_ms": dice.choice([200, 1000]),
            "waiting_ms": 3000,
            "break_ms": 3000,
            "reentry_ms": dice.choice([0, 3_600_000]),
            "approval": "A-1",
        }
        return Setup(self.name, "pt-811-2015-omaha", configuration, big, {"decision_ms": 3200})

    def void(self, number: int) -> Order:
        return VoidHand, {"hand": number, "cause": "spilt water"}

    def calls(self, event: PublicEvent, player: str) -> bool:
        return event.type == _AWAITED and parse_event(event).player == player

    async def sat_down(self, player: "Player") -> None:
        await asyncio.sleep(0.3)
        await player.ask(t.SitIn, {"post_big_blind": True})

    async def turn(self, player: "Player", view: TableView, seat: Seat) -> bool:
        decision = view.hand.decision if view.hand and not view.hand.over else None
        if decision is None or decision.player != player.name or decision.turn == player.answered:
            return False
        assert view.hand is not None
        await _act(player, view.hand.hand, decision)
        return True


async def _act(player: "Player", hand: int, decision: Decision) -> None:
    dice, turn = player.dice, decision.turn
    wish: dict[str, Any] = {"hand": hand, "seat": decision.seat, "turn": turn, **_choice(player, decision)}
    if not player.eager and dice.random() < 0.06:
        player.fired("stale act")
        wish["turn"] = turn - dice.randint(1, 3) or 1
    elif not player.eager and dice.random() < 0.12:
        await player.until_deadline(decision.bank_until)
    else:
        player.answered = turn
    reply = await player.ask(Act, wish)
    if reply is None or reply.verdict not in ("accepted", "rejected"):
        player.answered = None


def _choice(player: "Player", decision: Decision) -> dict[str, Any]:
    legal = decision.legal
    if player.leaving:
        return {"act": "check" if legal.check else "fold"}
    if player.dice.random() < 0.15 and legal.max_to is not None:
        opens = legal.check and decision.street != "preflop"
        return {"act": "bet" if opens else "raise", "to": legal.max_to}
    act, to = choose(decision.street, legal, player.dice)
    return {"act": act, **({"to": to} if to else {})}
