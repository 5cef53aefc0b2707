"""A table of baccarat under test: bets in its own words, shoes by hand, time by hand, every event folded and kept."""

from collections.abc import Sequence
from typing import Any

from libs.cards.card import DECK, parse_all
from libs.contracts.baccarat_commands import PlaceStake, WithdrawStake
from libs.contracts.baccarat_events import CoupSettled, SideShown, ThirdCardDealt
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.table_commands import OpenTable
from libs.sealing.deck import Shoe
from libs.sealing.shuffle import ShoeShuffle
from services.table.domain.games.baccarat.paying import CHANCES
from services.table.domain.games.registry import game_of
from services.table.domain.table.state import Table
from services.table.domain.table.waking import next_wake
from tests.table.under_test import TIMER, AnyTable, player_principal

CHAPTER_I = "pt-812-2015-baccarat"
MACAU = "pt-812-2015-baccarat-macau"
START = 36_000_000
"""10:00:00.000 of the first day."""
BANK = 10_000_000

USUAL: dict[str, Any] = {
    "mode": "multi",
    "seats": 9,
    "min_bet": 100,
    "max_ponto_banca": 7000,
    "max_tie": 1500,
    "max_pair": 800,
    "commission_mode": "five-percent",
    "betting_ms": 20_000,
    "between_rounds_ms": 0,
    "buy_in_min": 100,
    "buy_in_max": 10_000_000,
    "approval": "SRIJ 12/2026",
    "approved_on": "2026-11-02",
}


def configuration(rulebook: str = CHAPTER_I, **changes: Any) -> dict[str, Any]:
    """The usual configuration of the tests with some values changed; `...` takes a value out."""
    merged = {**USUAL, **changes}
    if rulebook == MACAU:
        merged = {name: value for name, value in merged.items() if not name.startswith("max_")}
    if merged["mode"] == "single":
        merged = {**merged, "seats": changes.get("seats", 1), "betting_ms": changes.get("betting_ms")}
    return {name: value for name, value in merged.items() if value is not ...}


def shoe_with(cards: str = "", decks: int = 8) -> ShoeShuffle:
    """A shoe with the named cards first, in dealing order; the rest as new decks lie."""
    top = list(parse_all(cards))
    rest = list(DECK * decks)
    for card in top:
        rest.remove(card)
    return ShoeShuffle(Shoe.of((*top, *rest), bytes(32), bytes(32)))


def in_order(ponto: Sequence[str], banca: Sequence[str]) -> str:
    """How cards lie in the shoe that deals these: two to each side alternately, then the third ones."""
    initial = [card for both in zip(ponto[:2], banca[:2], strict=True) for card in both]
    return " ".join([*initial, *ponto[2:], *banca[2:]])


SCORING = {
    (7, 5): in_order(["5d", "Kh", "2d"], ["2s", "2h", "Ac"]),
    (7, 6): in_order(["3s", "4d"], ["Kc", "6h"]),
    (3, 3): in_order(["2c", "3c", "8s"], ["Ah", "2d"]),
    (6, 8): in_order(["2h", "4c"], ["Qs", "5d", "3h"]),
    (2, 5): in_order(["5h", "9c", "8d"], ["7d", "8c"]),
    (2, 6): in_order(["5h", "9c", "8d"], ["8s", "8h"]),
    (2, 7): in_order(["5h", "9c", "8d"], ["7d", "Tc"]),
}
"""Cards after which Ponto and Banca have these scores; a test that takes some asserts the scores."""


class CoupTable(AnyTable):
    """A table of baccarat; a refusal is kept with its rule."""

    def __init__(self, rulebook: str = CHAPTER_I, bank: int = BANK, **changes: Any) -> None:
        super().__init__("b1", START)
        self.rulebook = rulebook
        assert self.open(bank, **changes) is None, self.refused

    def configured(self, **changes: Any) -> dict[str, Any]:
        return configuration(self.rulebook, **changes)

    def open(self, bank: int = BANK, risk_limit: int | None = None, **changes: Any) -> str | None:
        """The table anew; a refusal leaves it unopened."""
        self.state = Table(table="b1")
        what: dict[str, Any] = {"rulebook": self.rulebook, "configuration": self.configured(**changes)}
        return self.open_table(OpenTable(name="Test", **what, bank=bank, risk_limit=risk_limit))

    @property
    def rule(self) -> str | None:
        """The rule of the last refusal, without the regulation."""
        cited = self.refused.rule if self.refused is not None else None
        return cited.partition("#")[2] if cited is not None else None

    def seat(self, *seats: int, amount: int = 10_000) -> "CoupTable":
        for seat in seats:
            assert self.take(seat, amount) is None, self.refused
        return self

    def take(self, seat: int | None, amount: int = 10_000, player: str | None = None) -> str | None:
        """Asks for the seat and, once it is reserved, brings the money."""
        refused = self.ask_seat(seat, amount, player)
        return refused if refused is not None else self.confirm_seat(self.sitting)

    def betting(self, cards: str = "") -> "CoupTable":
        """Opens the betting by the clock; with `cards`, from a shoe that begins with them where one is due."""
        assert self.wake(shoe_with(cards, self.state.rules.dealing.decks)) is None, self.refused
        assert self.state.round is not None, [type(event).__name__ for event in self.last]
        return self

    def wake(self, fresh: ShoeShuffle | None = None, **fields: Any) -> str | None:
        if fresh is None:
            supplied = game_of(self.state.rules).supply(self.state, self.shuffler)
            fresh = supplied if isinstance(supplied, ShoeShuffle) else None
        return self.send(TIMER, self.waking(**fields), fresh)

    def at(self, ms: int, **fields: Any) -> "CoupTable":
        """Wakes the table so many milliseconds after 10:00:00.000."""
        self.now = START + ms
        self.wake(**fields)
        return self

    def bet(self, seat: int, *bets: str, now: int | None = None) -> str | None:
        """`ponto 1000`, one after the other, until one is refused."""
        self.now = START + now if now is not None else self.now
        for line in bets:
            chance, amount = line.split()
            place = PlaceStake(chance=chance, amount=int(amount))  # type: ignore[arg-type]
            refused = self.send(player_principal(f"p{seat}"), place)
            if refused is not None:
                return refused
        return None

    def bet_at_random(self, seat: int, amount: int) -> None:
        """What a player can do with money, refusals included; `amount` is any number."""
        self.bet(seat, f"{CHANCES[amount % len(CHANCES)]} {amount}")

    def withdraw(self, seat: int, chance: Any, amount: int | None = None) -> str | None:
        round_ = self.state.last_round
        return self.send(player_principal(f"p{seat}"), WithdrawStake(round=round_, chance=chance, amount=amount))

    def deal(self, seat: int = 1) -> str | None:
        return self.send(player_principal(f"p{seat}"), DealRound(round=self.state.last_round))

    def close_bets(self) -> CoupSettled:
        """Lets the betting period run out; the settlement of the coup."""
        self.now = self.state.round.until
        self.wake()
        return self.settled

    def plays(self, cards: str, **bets: Sequence[str]) -> CoupSettled:
        """One coup from a shoe that begins with `cards`: `s1=["ponto 1000"]`."""
        self.betting(cards)
        for seat, lines in bets.items():
            assert self.bet(int(seat[1:]), *lines) is None, self.refused
        return self.close_bets()

    @property
    def settled(self) -> CoupSettled:
        return next(event for event in reversed(self.told) if isinstance(event, CoupSettled))

    def credited(self, seat: int) -> dict[str, int]:
        """What each bet of the seat brought back in the last coup."""
        result = next(result for result in self.settled.results if result.seat == seat)
        return {bet.area: bet.credited for bet in result.bets}

    def net(self, seat: int) -> int:
        return next(result.net for result in self.settled.results if result.seat == seat)

    def commission(self, seat: int) -> int:
        return next(result.commission for result in self.settled.results if result.seat == seat)

    def cards(self, side: str) -> tuple[list[str], list[int]]:
        """Cards of a side in the last coup, in order; its score with the initial two, and with a third card if any."""
        shown = next(event for event in reversed(self.told) if isinstance(event, SideShown) and event.side == side)
        third = [event for event in self.told[self.told.index(shown) :] if isinstance(event, ThirdCardDealt)]
        third = [event for event in third if event.side == side]
        cards = [card.card for card in [*shown.cards, *(event.card for event in third)]]
        return cards, [shown.score, *(event.score for event in third)]

    def on(self, seat: int) -> dict[str, int]:
        """What the seat has on each chance now."""
        stakes = self.state.round.stakes.get(seat) if self.state.round is not None else None
        return {chance: stakes.on[chance] for chance in CHANCES if chance in stakes.on} if stakes is not None else {}

    def stack(self, seat: int) -> int:
        stack: int = self.state.seats[seat].stack
        return stack

    def void(self, cause: str = "shoe order lost") -> str | None:
        return self.void_by_two(VoidRound(round=self.state.last_round, cause=cause))

    @property
    def due(self) -> int | None:
        """Milliseconds after 10:00:00.000."""
        due = next_wake(self.state)
        return due - START if due is not None else None


TABLES = {
    "baccarat": lambda: CoupTable(CHAPTER_I, seats=3, bank=3 * 29_600 + 5_000),
    "baccarat, unlimited": lambda: CoupTable(MACAU, seats=3, bank=20_000),
}
