"""A table of no-draw poker under test: antes, decks and decisions in the language of the table, time by hand."""

from collections.abc import Mapping
from typing import Any

from libs.cards.card import DECK, parse_all
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte, WithdrawAnte
from libs.contracts.no_draw_poker_events import RoundSettled
from libs.contracts.table_commands import OpenTable
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.no_draw_poker.state import NoDrawTable, Round
from tests.table.under_test import TIMER, AnyTable, player_principal

REGULATION = "pt-803-2015-no-draw"
START = 36_000_000_000
"""10:00:00.000 of some day."""

BANK = 10_000_000

USUAL: dict[str, Any] = {
    "mode": "multi",
    "seats": 7,
    "min_ante": 100,
    "max_ante": 2500,
    "buy_in": 10_000,
    "top_up_to": 20_000,
    "betting_ms": 20_000,
    "decision_ms": 20_000,
    "extra_ms": 10_000,
    "between_rounds_ms": 0,
    "approval": "test",
}

ACE_KING = "Ac Ks 8h 5s 2c"
"""The dealer plays with this, and any pair is higher."""
NO_KING = "As Qd 9c 6s 3d"
"""The dealer does not play."""


def ace_king_beside(*hands: str) -> str:
    """A dealer's hand of ace and king with none of these cards: it plays, and any pair is higher."""
    used = {card for hand in hands for card in hand.split()}
    suits = {"A": "cdhs", "K": "shdc", "8": "hcds", "6": "scdh", "3": "dhsc"}
    return " ".join(
        next(f"{rank}{suit}" for suit in order if f"{rank}{suit}" not in used) for rank, order in suits.items()
    )


def configuration(**changes: Any) -> dict[str, Any]:
    """The usual configuration with some values changed; `...` takes a value out."""
    merged = {**USUAL, **changes}
    if merged["mode"] == "single":
        merged["seats"] = changes.get("seats", 1)
    return {name: value for name, value in merged.items() if value is not ...}


def deck(hands: Mapping[int, str], dealer: str, burn: str = "") -> Shuffle:
    """The cards come out burn first, then one to each seat and one to the dealer, five times (19)."""
    dealt = [parse_all(hands[seat]) for seat in sorted(hands)] + [parse_all(dealer)]
    used = {card for hand in dealt for card in hand}
    first = parse_all(burn)[0] if burn else next(card for card in DECK if card not in used)
    top = [first, *(hand[lap] for lap in range(5) for hand in dealt)]
    rest = [card for card in DECK if card not in top]
    return Shuffle(Deck.of((*top, *rest), bytes(32), bytes(32)), ())


class NoDraw(AnyTable):
    """A table of no-draw poker."""

    state: NoDrawTable

    def __init__(self, bank: int = BANK, opened_at: int = START, **changes: Any) -> None:
        super().__init__("t1", opened_at)
        opening = OpenTable(name="Test", rulebook=REGULATION, configuration=configuration(**changes), bank=bank)
        self.refused_opening = self.open_table(opening)

    def configured(self, **changes: Any) -> dict[str, Any]:
        return configuration(**changes)

    @property
    def round(self) -> Round:
        assert self.state.round is not None
        return self.state.round

    def take(self, seat: int | None, amount: int = 10_000, player: str = "") -> str | None:
        return self.ask_seat(seat, amount, player or None)

    def seat(self, *seats: int, stack: int = 10_000) -> "NoDraw":
        """Seated through the whole of the next betting period."""
        for seat in seats:
            assert self.take(seat, stack) is None, self.refused
            assert self.confirm() is None, self.refused
        return self

    def confirm(self) -> str | None:
        """The money for the last seat that was taken is reserved."""
        return self.confirm_seat(self.sitting)

    def at(self, ms: int) -> "NoDraw":
        """So many milliseconds after 10:00:00.000."""
        self.now = START + ms
        return self

    def wake(self, fresh: Shuffle | None = None, outage: bool = False, **fields: Any) -> "NoDraw":
        assert self.send(TIMER, self.waking(outage=outage, **fields), fresh or self.shuffler.shuffle()) is None
        return self

    def wait(self, ms: int) -> "NoDraw":
        self.now += ms
        return self.wake()

    def open(self) -> "NoDraw":
        """Opens the betting, if it is not open."""
        return self if self.state.round is not None else self.wake()

    def ante(self, seat: int, amount: int, round: int | None = None) -> str | None:
        return self.send(player_principal(f"p{seat}"), PlaceAnte(amount=amount, round=round))

    def withdraw(self, seat: int) -> str | None:
        return self.send(player_principal(f"p{seat}"), WithdrawAnte(round=self.state.last_round))

    def start_deal(self, seat: int) -> str | None:
        return self.send(player_principal(f"p{seat}"), DealRound(round=self.state.last_round))

    def dealt(self, antes: Mapping[int, int], hands: Mapping[int, str], dealer: str, burn: str = "") -> "NoDraw":
        """A round in which these seats bet and get these hands, up to their decisions."""
        self.open()
        for seat, amount in antes.items():
            assert self.ante(seat, amount) is None, self.refused
        if self.state.rules.mode == "single":
            assert self.start_deal(next(iter(antes))) is None, self.refused
        else:
            assert self.round.until is not None
            self.now = self.round.until
        return self.wake(deck(hands, dealer, burn))

    def decides(self, seat: int, decision: str, bet: int | None = None, round: int | None = None) -> str | None:
        fields: dict[str, Any] = {"round": round or self.state.last_round, "decision": decision, "bet": bet}
        return self.send(player_principal(f"p{seat}"), DecideHand(**fields))

    def plays(self, *decisions: str) -> "NoDraw":
        """`1 continue`, `6 fold`: each accepted."""
        for line in decisions:
            seat, decision = line.split()
            assert self.decides(int(seat), decision) is None, f"{line}: {self.refused}"
        return self

    def bet_at_random(self, seat: int, amount: int) -> None:
        """What a player can do with money, refusals included; `amount` is any number."""
        self.ante(seat, 100 + amount % 2400)
        self.decides(seat, "continue" if amount % 3 else "fold")

    def void(self, round: int | None = None) -> str | None:
        return self.void_by_two(VoidRound(round=round or self.state.last_round, cause="deck lost"))

    @property
    def settled(self) -> RoundSettled:
        """The last settlement."""
        event: RoundSettled = self.of(RoundSettled, everything=True)[-1]
        return event

    @property
    def nets(self) -> dict[int, int]:
        return {result.seat: result.net for result in self.settled.results}


TABLES = {"no_draw_poker": lambda: NoDraw(seats=3, bank=3 * 2500 * 201 + 50_000)}


def one_round(player: str, dealer: str, ante: int = 100, decision: str = "continue", **changes: Any) -> NoDraw:
    """A single player's round, up to its end."""
    table = NoDraw(mode="single", **changes).seat(1).dealt({1: ante}, {1: player}, dealer)
    return table.plays(f"1 {decision}")
