"""Players who come through the front door: deposit, sit down, play, run out of chips, leave and come back."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from libs.client import Answer, ConnectionLost, Player, ProblemReply, TableState, Turn
from libs.contracts.poker_events import LegalActs
from services.cli.demo.statistics import Statistics

_GLANCE_S = 1.0
"""How often a bot without a turn looks whether it still has a seat and chips."""
_CHANCES = ("ponto", "ponto", "banca", "banca", "empate", "par_ponto", "par_banca")
_KEEPS_BETS = 20
"""So many least bets are always left, for the second bet at its dearest."""


def choose(street: str, legal: LegalActs, dice: Random) -> tuple[str, int | None]:
    """Act, amount in cents. Folds a third of the time when facing a bet, raises one time in seven, else goes along."""
    if dice.random() < 0.14 and legal.min_to is not None and legal.max_to is not None:
        to = legal.min_to if dice.random() < 0.7 else dice.randint(legal.min_to, legal.max_to)
        opens = legal.check and street != "preflop"  # before the flop the big blind is the bet
        return "bet" if opens else "raise", to
    if legal.check:
        return "check", None
    return "fold" if dice.random() < 0.35 else "call", None


@dataclass(slots=True)
class Guest:
    """Somebody at one table. `buy_in` in cents."""

    name: str
    url: str
    token: str
    table: str
    buy_in: int
    statistics: Statistics
    dice: Random
    client: Callable[[str, str], Player] = Player
    """Made from the gateway's address and the session's token; tests watch what it sends."""
    followed: TableState | None = None
    """The table as this guest sees it, once there."""

    async def play(self, stop: asyncio.Event) -> None:
        """Plays until told to stop."""
        async with self.client(self.url, self.token) as player:
            table = self.followed = await player.subscribe(self.table)
            while not stop.is_set():
                try:
                    await self._once(player, table)
                except (ProblemReply, ConnectionLost) as wrong:
                    if isinstance(wrong, ConnectionLost):
                        self.statistics.lost()
                    await asyncio.sleep(_GLANCE_S)

    async def _once(self, player: Player, table: TableState) -> None:
        raise NotImplementedError

    async def _told(self, asked: Awaitable[Answer]) -> Answer:
        began = time.monotonic()
        self.statistics.asking += 1
        try:
            answer = await asked
        except ProblemReply as problem:
            self.statistics.answered("problem", problem.slug, time.monotonic() - began)
            raise
        finally:
            self.statistics.asking -= 1
        self.statistics.answered(answer.verdict, answer.reason, time.monotonic() - began)
        return answer

    async def _sits(self, player: Player, table: TableState, amount: int) -> bool:
        """The seat is reserved; wait until the wallet has reserved the buy-in and the table has confirmed it."""
        answer = await player.take_seat(self.table, amount)
        if not answer.accepted:
            self.statistics.refused(answer.reason)
            await asyncio.sleep(_GLANCE_S)
            return False

        def settled() -> bool:
            seat = table.seat_of(self.name)
            return seat is None or seat.status != "reserved"

        with suppress(TimeoutError):
            await player.until(lambda: table.seat_of(self.name) is not None, 5)
            await player.until(settled, 10)
        return True


@dataclass(slots=True)
class Bot(Guest):
    """Plays poker. A `restless` one leaves after so many acts and comes back."""

    restless: int | None = None
    think_s: float = 0.0
    """Seconds to think before an act, in the middle: half of it to half as much again."""
    acts: int = 0
    carried: int = 0
    """Stack it last left with, or was sent away with: within the hour it must bring that again (pt-811-2015 11.a)."""

    async def _once(self, player: Player, table: TableState) -> None:
        seat, rules = table.seat_of(self.name), table.view.rules
        if table.view.status == "closed":
            await asyncio.sleep(_GLANCE_S)
        elif table.view.status == "closing" or (seat is not None and seat.leaving):
            await self._answer_next(player, table)  # the hand in which it was sent away is still its own
        elif seat is None:
            await self._sit(player, table)
        elif seat.status == "sitting_out":
            await player.sit_in(self.table, post_big_blind=True)
        elif table.hand_over and seat.status == "playing" and seat.stack < rules["big_blind"]:
            answer = await player.top_up(self.table, rules["top_up_to"] - seat.stack)
            if not answer.accepted:
                self.statistics.refused(answer.reason)
            await asyncio.sleep(_GLANCE_S / 2)
        elif self.restless is not None and self.acts >= self.restless and seat.status == "playing":
            await self._leave(player, table, seat.stack)
        else:
            await self._answer_next(player, table)

    async def _answer_next(self, player: Player, table: TableState) -> None:
        with suppress(TimeoutError):
            await self._answer(player, table, await player.next_turn(self.table, timeout=_GLANCE_S))

    async def _answer(self, player: Player, table: TableState, turn: Turn) -> None:
        if self.think_s:
            await asyncio.sleep(self.think_s * self.dice.uniform(0.5, 1.5))
        answer = await self._told(player.act(turn, *choose(turn.street, turn.legal, self.dice)))
        self.acts += 1
        if not answer.accepted:
            await asyncio.sleep(0.05)
            return
        with suppress(TimeoutError):  # the reply may come before the event: the same turn is not answered twice
            await player.until(lambda: table.turn is None or table.turn.turn != turn.turn, 10)

    async def _sit(self, player: Player, table: TableState) -> None:
        self.carried = table.left_with.get(self.name, self.carried)
        if await self._sits(player, table, max(self.buy_in, self.carried)):
            self.statistics.returned += bool(self.carried)
            # Freely posts a live big blind rather than waiting for it (pt-811-2015 21).
            await player.sit_in(self.table, post_big_blind=True)

    async def _leave(self, player: Player, table: TableState, stack: int) -> None:
        self.carried = max(stack, self.buy_in)
        self.restless = None
        if (await player.leave(self.table)).accepted:
            self.statistics.left += 1
            with suppress(TimeoutError):
                await player.until(lambda: table.seat_of(self.name) is None, 30)
            self.carried = table.left_with.get(self.name, self.carried)


@dataclass(slots=True)
class HouseBot(Guest):
    """Plays against the house: bets each round, decides, brings more chips."""

    bet_in: int = 0
    """The round of the last bet."""

    async def _once(self, player: Player, table: TableState) -> None:
        seat = table.seat_of(self.name)
        if seat is None and table.view.status == "open":
            await self._sits(player, table, self.buy_in)
        elif table.decides(self.name):
            await self._decide(player, table)
        elif seat is not None and self._may_bet(table):
            await self._bet(player, table, seat.stack)
        else:
            with suppress(TimeoutError):
                await player.until(lambda: self._may_bet(table) or table.decides(self.name), _GLANCE_S)

    def _may_bet(self, table: TableState) -> bool:
        seat = table.seat_of(self.name)
        ready = seat is not None and seat.status == "playing" and not seat.leaving
        return ready and table.view.status == "open" and table.betting and table.number != self.bet_in

    async def _bet(self, player: Player, table: TableState, stack: int) -> None:
        assert table.number is not None
        self.bet_in, rules = table.number, table.view.rules
        least = rules.get("min_ante") or rules["min_bet"]
        if stack < _KEEPS_BETS * least:
            await player.top_up(self.table, rules["top_up_to"] - stack)
            return
        amount = least * self.dice.randint(1, 5)
        if rules["game"] == "baccarat":
            await self._told(player.place_stake(self.table, self.dice.choice(_CHANCES), amount, self.bet_in))
        else:
            await self._told(player.place_ante(self.table, amount, self.bet_in))

    async def _decide(self, player: Player, table: TableState) -> None:
        number = table.number
        assert number is not None
        decision = "continue" if worth_playing(table.hole_cards) else "fold"
        answer = await self._told(player.decide(self.table, number, decision))
        if answer.accepted:
            with suppress(TimeoutError):  # the reply may come before the event
                await player.until(lambda: not table.decides(self.name), 10)
        elif answer.reason is not None and decision == "continue":
            await player.decide(self.table, number, "fold")


def worth_playing(cards: list[str]) -> bool:
    """A pair or better, or ace and king: what the published strategies play, but for their last refinements."""
    ranks = Counter(card[0] for card in cards)
    suits = {card[1] for card in cards}
    in_a_row = "".join(sorted(ranks, key="23456789TJQKA".index)) in "23456789TJQKA" and len(ranks) == 5
    return max(ranks.values(), default=0) > 1 or in_a_row or len(suits) == 1 or {"A", "K"} <= set(ranks)
