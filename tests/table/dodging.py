"""A table where everybody folds, and some come and go as it might suit them: what they pay and get for it."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from libs.contracts.commands import TableCommand
from libs.contracts.poker_events import BlindPosted, HandStarted
from libs.contracts.table_commands import LeaveTable, SitIn, SitOut
from libs.contracts.waiting_list_commands import AskSeatChange
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.passing import blinds_among, next_button
from services.table.domain.games.poker.readiness import in_play_of, ready_seats
from services.table.domain.games.poker.state import PokerSitter
from tests.table.asking import player
from tests.table.casino.play import CASINO_HOLDEM, CASINO_OMAHA
from tests.table.play import COMMON_OMAHA, HOLDEM, MACAU, PORTUGAL, TableUnderTest

NINE = {"seats": 9}
MISSED = {**NINE, "entering": "missed_blinds"}
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    HOLDEM: (HOLDEM, NINE),
    COMMON_OMAHA: (COMMON_OMAHA, NINE),
    PORTUGAL: (PORTUGAL, NINE),
    MACAU: (MACAU, {}),
    CASINO_HOLDEM: (CASINO_HOLDEM, {"rest_repeat_limit": 1_000}),
    CASINO_OMAHA: (CASINO_OMAHA, {"rest_repeat_limit": 1_000}),
    "dead": (HOLDEM, {**MISSED, "missed_big_blind": "dead"}),
    "live": (HOLDEM, {**MISSED, "missed_big_blind": "live"}),
    "single": (HOLDEM, {**NINE, "single_blind": True, "small_blind": 0}),
    "left of the button": (PORTUGAL, {**NINE, "heads_up_blinds": "left_of_button"}),
}
"""Every rulebook for cash with blinds, and what they offer."""
WAITED_FOR = (HOLDEM, COMMON_OMAHA, PORTUGAL, MACAU, "single", "left of the button")
"""Where who was away waits for the big blind."""
WAYS = ("out", "leave", "change")
BACK = ("waits", "posts")


class Habit(NamedTuple):
    """Whenever so many hands are left to the big blind: away for some, and back on a seat as far from it as that."""

    place: int
    way: str
    hands: int
    to: int | None
    back: str


def habit(luck: Random, players: int) -> Habit:
    way = luck.choice(WAYS)
    to = luck.randrange(players) if way == "change" else luck.choice([None, None, luck.randrange(players)])
    hands = 0 if way == "change" else luck.choice([0, 1, 1, 2, 3])
    return Habit(luck.randrange(players), way, hands, to, luck.choice(BACK))


class HandDealt(NamedTuple):
    dealt: list[str]
    button: str
    big: str
    paid: Counter[str]
    """In halves of a big blind."""


class Dodging:
    def __init__(self, name: str, seats: Sequence[int], dodgers: Sequence[int]) -> None:
        rulebook, changes = TABLES[name]
        self.table = TableUnderTest(rulebook, **changes).seat(*seats)
        self.number, self.dodgers = len(seats), [f"p{seat}" for seat in dodgers]
        self.away: Counter[str] = Counter()
        self.seats = {f"p{seat}": seat for seat in seats}
        self.wishes = 0
        self.play()
        self.before = len(self.table.told)

    def play(self) -> None:
        self.table.deal()
        if self.table.state.hand is not None:
            self.table.folds_round()

    def sitter(self, who: str) -> PokerSitter | None:
        sitter: PokerSitter | None = self.table.state.sitter_of(who)
        return sitter

    def place(self, who: str, seat: int) -> int:
        """So many hands from the big blind, if all who sit out stay out."""
        state = self.table.state
        others = [each for each, sitter in state.seats.items() if sitter.player != who and not sitter.out]
        way = clockwise_after({*others, seat}, state.button)
        return (way.index(seat) - (1 if state.rules.dealing.positions == "lead" else 2)) % (len(others) + 1)

    def say(self, who: str, command: TableCommand) -> None:
        self.table.send(player(who), command)

    def free(self, who: str, to: int | None) -> int | None:
        free = self.table.state.free_seats
        if to is None:
            return self.seats[who] if self.seats[who] in free else next(iter(free), None)
        return next((seat for seat in free if self.place(who, seat) == to), None)

    def change(self, who: str, to: int | None) -> None:
        seat = self.free(who, to) if self.sitter(who) is not None else None
        if seat is not None:
            self.wishes += 1
            self.say(who, AskSeatChange(entry=f"c-{self.wishes}", seat=seat))

    def leave(self, who: str) -> None:
        sitter = self.sitter(who)
        if sitter is not None:
            self.seats[who] = sitter.seat
            self.say(who, LeaveTable())

    def sit(self, who: str, to: int | None) -> None:
        state = self.table.state
        seat = self.free(who, to) or self.free(who, None)
        left = state.departures.get(who)
        for amount in ([] if left is None else [left.stack], [state.rules.entry.buy_in_min]):
            if seat is not None and amount and self.table.take(seat, amount[0], who) is None:
                assert self.table.confirm(seat) is None
                return

    def follow(self, who: str, habit: Habit) -> None:
        """What one with that habit does before the next hand."""
        sitter = self.sitter(who)
        if sitter is not None and not sitter.out and not sitter.waiting:
            self.away[who] = 0
            if self.place(who, sitter.seat) != habit.place:
                return
            if habit.way == "out":
                self.say(who, SitOut())
            elif habit.way == "leave":
                self.leave(who)
        self.away[who] += 1
        if self.away[who] <= habit.hands:
            return
        if self.sitter(who) is None:
            self.sit(who, habit.to)
        elif habit.to is not None:
            self.change(who, habit.to)
        self.say(who, SitIn(post_big_blind=habit.back == "posts"))

    def whim(self, who: str, luck: Random) -> None:
        """Anything at all."""
        match luck.choice(["nothing", "nothing", "out", "in", "post", "post", "change", "leave", "sit", "sit"]):
            case "out":
                self.say(who, SitOut())
            case "in":
                self.say(who, SitIn())
            case "post":
                self.say(who, SitIn(post_big_blind=True))
            case "change":
                self.change(who, luck.randrange(self.number))
            case "leave":
                self.leave(who)
            case "sit" if self.sitter(who) is None:
                self.sit(who, luck.choice([None, luck.randrange(self.number)]))

    def next_big(self) -> str | None:
        """Whose big blind it is if nobody comes or goes, at a table that has not stopped."""
        state = self.table.state
        in_play = in_play_of(state, ready_seats(state))
        if not state.running or len(in_play) < 2:
            return None
        return state.seats[blinds_among(next_button(state, in_play), in_play, state.rules)[1]].player

    def hands(self) -> list[HandDealt]:
        found: list[HandDealt] = []
        half = self.table.state.rules.betting.big_blind // 2
        for event in self.table.told[self.before :]:
            if isinstance(event, HandStarted):
                players = {each.seat: each.player for each in event.seats}
                found.append(HandDealt([*players.values()], players[event.button], players[event.big_blind], Counter()))
            elif isinstance(event, BlindPosted):
                found[-1].paid[event.player] += event.amount // half
        return found

    def tally(self) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """Of each player: hands dealt in, blinds in halves of a big one, buttons."""
        hands = self.hands()
        paid = sum((hand.paid for hand in hands), Counter[str]())
        return Counter(who for hand in hands for who in hand.dealt), paid, Counter(hand.button for hand in hands)

    def fair(self, *about: object) -> None:
        """All blinds once in as many hands as there are players, and the button once for them, but for one round."""
        dealt, paid, buttons = self.tally()
        orbit = 2 if self.table.state.rules.betting.single_blind else 3
        of_all = sum(paid[who] for who in self.dodgers) + orbit * len(self.dodgers)
        hands, had = (sum(each[who] for who in self.dodgers) for each in (dealt, buttons))
        assert self.number * of_all >= orbit * hands, (*about, dealt, paid)
        assert of_all >= orbit * had, (*about, paid, buttons)
        self.fair_to_others(orbit, *about)

    def fair_to_others(self, orbit: int, *about: object) -> None:
        """Who stays pays no more than without those who come and go, but for one round: blinds that they skip are
        nobody's (811 64). And has no big blind twice running, but where it stays when a third one goes (64, too).

        Counted from a lead that moves one seat on, whoever is back on it has it, and the next one both blinds again: so
        by the letter (217 30), and a pair of players alone gains by it (14.a).
        """
        if self.table.state.rules.dealing.positions == "lead":
            return
        hands, (_, paid, _) = self.hands(), self.tally()
        stay = {*self.seats} - {*self.dodgers}
        for who in stay:
            assert (paid[who] - orbit) * len(stay) <= orbit * len(hands), (*about, who, paid)
        for last, hand in pairwise(hands):
            again = last.big == hand.big and hand.big in stay
            assert not again or len(last.dealt) > len(hand.dealt) == 2, (*about, last, hand)
