"""A table of red or black under test: stakes and cards in the language of the table, time by hand."""

from collections.abc import Sequence
from typing import Any

from libs.cards.card import DECK, parse
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.red_black_commands import StakeOnColour, TakeBackColour
from libs.contracts.table_commands import OpenTable
from libs.rulebooks.library import RULEBOOKS
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.red_black.state import RedBlackTable
from tests.table.under_test import TIMER, AnyTable, player_principal

START = 36_000_000


def deck_with(first: str) -> Shuffle:
    card = parse(first)
    return Shuffle(Deck.of((card, *(other for other in DECK if other != card)), bytes(32), bytes(32)), ())


class RedBlackUnderTest(AnyTable):
    state: RedBlackTable

    def __init__(self, bank: int = 50_000, **changes: Any) -> None:
        super().__init__("t1", START)
        opening = OpenTable(name="Test", rulebook="red-black", configuration=self.configured(**changes), bank=bank)
        self.refused_opening = self.open_table(opening)

    def configured(self, **changes: Any) -> dict[str, Any]:
        single = {"mode": "single", "seats": 1} if changes.get("mode") == "single" else {}
        return {**RULEBOOKS["red-black"].example, "between_rounds_ms": 1_000, **single, **changes}

    def seat(self, *seats: int) -> "RedBlackUnderTest":
        for seat in seats:
            assert self.ask_seat(seat, 10_000) is None, self.refused
            assert self.confirm_seat(self.sitting) is None, self.refused
        return self

    def wake(self, fresh: Shuffle | None = None, **fields: Any) -> "RedBlackUnderTest":
        assert self.send(TIMER, self.waking(**fields), fresh or self.shuffler.shuffle()) is None, self.refused
        return self

    def until_due(self, card: str = "") -> "RedBlackUnderTest":
        """Wakes the table when something falls due; `card` is the one that lies on top then."""
        self.now = max(self.now, self.due or 0)
        return self.wake(deck_with(card) if card else None)

    def stake(self, seat: int, colour: Any, amount: int, round: int | None = None) -> str | None:
        return self.send(player_principal(f"p{seat}"), StakeOnColour(colour=colour, amount=amount, round=round))

    def take_back(self, seat: int, colour: Any) -> str | None:
        return self.send(player_principal(f"p{seat}"), TakeBackColour(colour=colour, round=self.state.last_round))

    def deal(self, seat: int) -> str | None:
        return self.send(player_principal(f"p{seat}"), DealRound(round=self.state.last_round))

    def void(self) -> str | None:
        return self.void_by_two(VoidRound(round=self.state.last_round, cause="fault"))

    def bet_at_random(self, seat: int, amount: int) -> None:
        """What a player can do with money, refusals included; `amount` is any number."""
        if amount % 7:
            self.stake(seat, ("red", "black")[amount % 2], 100 + amount % 2_100)
        else:
            self.take_back(seat, "red")


TABLES = {"red_black": lambda: RedBlackUnderTest(seats=3, bank=8_000)}


def an_evening() -> RedBlackUnderTest:
    """Every event of the game: rounds that red, black and the house win, one that lapses, one that is void."""
    table = RedBlackUnderTest().seat(1, 2)
    rounds: Sequence[str] = ("Th", "9c", "As")
    for card in rounds:
        table.until_due()
        assert table.stake(1, "red", 1_000) is None
        assert table.stake(2, "black", 500) is None
        assert table.stake(2, "red", 200) is None
        assert table.take_back(2, "red") is None
        table.until_due(card)
    table.until_due().until_due()  # nobody stakes
    assert table.stake(1, "black", 2_000) is None
    assert table.void() is None
    return table
