"""A table under test: commands in the language of the table, time by hand, and a check of the fold on every step."""

from collections.abc import Iterable
from typing import Any, Self

from libs.cards.card import DECK, parse_all
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act, VoidHand
from libs.contracts.poker_events import DecisionAwaited
from libs.contracts.table_commands import ConfirmTopUp, FailTopUp, OpenTable, RequestTopUp, SitIn, SitOut
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.poker.state import Hand
from tests.table.under_test import TIMER, AnyTable, player_principal, policy, staff

PORTUGAL = "pt-811-2015-omaha"
MACAU = "mo-97-2010-omaha"
HOLDEM = "common-holdem"
COMMON_OMAHA = "common-omaha"
START = 1_000_000

CONFIGURATIONS: dict[str, dict[str, Any]] = {
    PORTUGAL: {
        "mode": "continuous",
        "seats": 6,
        "structure": "pot_limit",
        "big_blind": 100,
        "buy_in": 10000,
        "top_up_to": 10000,
        "rake_mode": "pot",
        "rake_bp": 500,
        "decision_ms": 20_000,
        "approval": "test",
        "between_hands_ms": 0,
    },
    MACAU: {
        "version": 1,
        "structure": "pot_limit_with_raise_cap",
        "big_blind": 1000,
        "buy_in": 100_000,
        "rake_bp": 500,
        "decision_ms": 20_000,
        "approval": "test",
        "between_hands_ms": 0,
    },
    **{
        f"pt-217-2007-{variant}": {
            "structure": structure,
            "big_blind": 200,
            "buy_in": 20_000,
            "rake_mode": "pot",
            "rake_bp": 0,
            "decision_ms": 20_000,
            "approval": "test",
            "between_hands_ms": 0,
        }
        for variant, structure in (("holdem", "no_limit"), ("omaha", "pot_limit"), ("sintetico", "no_limit"))
    },
    HOLDEM: {"big_blind": 100, "buy_in": 10_000, "between_hands_ms": 0},
    COMMON_OMAHA: {"big_blind": 100, "buy_in": 10_000, "between_hands_ms": 0},
}


def configuration(rulebook: str = PORTUGAL, **changes: Any) -> dict[str, Any]:
    """The usual configuration of the tests with some values changed; `...` takes a value out."""
    merged = {**CONFIGURATIONS[rulebook], **changes}
    if "buy_in_min" in changes or "buy_in_max" in changes:
        merged.pop("buy_in")
    return {name: value for name, value in merged.items() if value is not ...}


def stacked(cards: str = "", seat_order: Iterable[int] = range(1, 12)) -> Shuffle:
    """A deck with the named cards on top, in order of dealing."""
    top = parse_all(cards)
    rest = [card for card in DECK if card not in top]
    return Shuffle(Deck.of((*top, *rest), bytes(32), bytes(32)), tuple(seat_order))


class TableUnderTest(AnyTable):
    """A table of poker."""

    def __init__(self, rulebook: str = PORTUGAL, **changes: Any) -> None:
        super().__init__("t1", START)
        self.rulebook = rulebook
        opened = self.send(
            staff(), OpenTable(name="Test", rulebook=rulebook, configuration=configuration(rulebook, **changes))
        )
        assert opened is None, (opened, self.refused)

    def configured(self, **changes: Any) -> dict[str, Any]:
        return configuration(self.rulebook, **changes)

    @property
    def hand(self) -> Hand:
        assert self.state.hand is not None
        return self.state.hand

    @property
    def turn(self) -> int | None:
        """Seat whose decision is awaited."""
        hand = self.state.hand
        return hand.turn.seat if hand is not None and hand.turn is not None else None

    @property
    def legal(self) -> tuple[bool, int | None, int | None, int | None]:
        """check, call, min_to, max_to of the turn."""
        assert self.hand.turn is not None
        legal = self.hand.turn.legal
        return legal.check, legal.call, legal.min_to, legal.max_to

    def seat(self, *seats: int, amount: int | None = None, **stacks: int) -> Self:
        """Seats `p<seat>` with the least buy-in, `amount`, or `s<seat>=…`."""
        named = {int(name[1:]): value for name, value in stacks.items()}
        for seat in (*seats, *named):
            sum_in = named.get(seat, amount if amount is not None else self.state.rules.entry.buy_in_min)
            assert self.take(seat, sum_in) is None, self.refused
            assert self.confirm(seat) is None, self.refused
        return self

    def take(self, seat: int | None, amount: int, player: str | None = None) -> str | None:
        return self.ask_seat(seat, amount, player)

    def confirm(self, seat: int) -> str | None:
        return self.confirm_seat(next((r.reservation for r in self.state.reserved.values() if r.seat == seat), "none"))

    def with_stacks(self, **stacks: int) -> Self:
        """A table that allows these stacks, seated."""
        return self.seat(**stacks)

    def after_button(self, seat: int) -> Self:
        """As if a hand had been played with the button on `seat`: the next one moves it on from there."""
        from msgspec.structs import replace

        self.state = replace(self.state, running=True, button=seat)
        return self

    def deal(self, button: int | None = None, fresh: Shuffle | None = None) -> Self:
        """Starts the next hand; with `button`, where it would come by rotation."""
        if button is not None:
            seats = sorted(self.state.seats)
            self.after_button(seats[seats.index(button) - 1])
        self.wake(fresh)
        return self

    def wake(self, fresh: Shuffle | None = None, outage: bool = False) -> str | None:
        return self.send(TIMER, self.waking(outage=outage), fresh or self.shuffler.shuffle())

    def later(self, ms: int, outage: bool = False) -> Self:
        self.now += ms
        self.wake(outage=outage)
        return self

    def time_out(self) -> Self:
        """Lets the clock of the awaited decision run out."""
        assert self.hand.turn is not None
        self.now = self.hand.turn.bank_until + 1
        self.wake()
        return self

    def act(
        self, seat: int, act: str, to: int | None = None, by: Principal | None = None, **changes: Any
    ) -> str | None:
        sitter = self.state.seats.get(seat)
        who = by or player_principal(sitter.player if sitter is not None else f"p{seat}")
        fields: dict[str, Any] = {"hand": self.state.hands, "seat": seat, "act": act, "to": to, **changes}
        return self.send(who, Act(**fields))

    def plays(self, *acts: str) -> Self:
        """`4 raise 350`, `1 fold`: each in turn, each accepted."""
        for line in acts:
            seat, act, *to = line.split()
            assert self.turn == int(seat), f"turn is {self.turn}, not {line}"
            refused = self.act(int(seat), act, int(to[0]) if to else None)
            assert refused is None, f"{line}: {refused}"
        return self

    def checks_down(self) -> Self:
        """Everybody checks or calls to the end of the hand."""
        number = self.state.hands
        while self.state.hand is not None and self.state.hands == number:
            seat = self.turn
            assert seat is not None
            assert self.act(seat, "check" if self.legal[0] else "call") is None
        return self

    def folds_round(self) -> Self:
        """Everybody folds until the hand is over."""
        while self.state.hand is not None:
            seat = self.turn
            assert seat is not None
            assert self.act(seat, "fold") is None
        return self

    def sit_out(self, seat: int, on_break: bool = False) -> str | None:
        return self.send(player_principal(f"p{seat}"), SitOut(on_break=on_break))

    def sit_in(self, seat: int, post: bool = False) -> str | None:
        return self.send(player_principal(f"p{seat}"), SitIn(post_big_blind=post))

    def top_up(self, seat: int, amount: int, top_up: str = "u1") -> str | None:
        return self.send(player_principal(f"p{seat}"), RequestTopUp(top_up=top_up, amount=amount))

    def confirm_top_up(self, top_up: str = "u1") -> str | None:
        return self.send(policy(), ConfirmTopUp(top_up=top_up))

    def fail_top_up(self, top_up: str = "u1") -> str | None:
        return self.send(policy(), FailTopUp(top_up=top_up))

    def void(self, hand: int | None = None) -> str | None:
        return self.void_by_two(VoidHand(hand=hand or self.state.hands, cause="deck lost"))

    @property
    def deadline(self) -> int:
        awaited = [event for event in self.told if isinstance(event, DecisionAwaited)]
        return awaited[-1].bank_until
