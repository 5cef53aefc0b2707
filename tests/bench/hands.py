"""Hands to measure with: the same acts and cards ready for our decider and for PokerKit."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from pokerkit import Automation, Card, Mode, NoLimitTexasHoldem, PotLimitOmahaHoldem, State
from pokerkit.games import Poker

from libs.cards.card import DECK, names_of, parse
from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import (
    BetPlaced,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    StreetDealt,
)
from libs.contracts.table_commands import WakeTable
from libs.decider import Given, Rejected
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.files import read
from services.cli.replaying.phh.deck import shuffle_for
from services.cli.replaying.phh.notation import read_hand
from services.cli.replaying.phh.setting import setting_of, table_for
from services.table.domain.games.poker.state import PokerTable
from services.table.domain.table.decide import decide
from services.table.domain.table.story import Supply
from tests.table.play import COMMON_OMAHA, TableUnderTest

Step = tuple[TableCommand, Given[Supply]]
Operation = tuple[Callable[..., Any], tuple[Any, ...]]
_AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
_CARDS: tuple[Card, ...] = tuple(next(Card.parse(name)) for name in names_of(DECK))
_UNKNOWN = next(Card.parse("??"))
_SEATS = 6
_SMALL, _BIG, _STACK = 50, 100, 10_000


@dataclass(frozen=True)
class BenchHand:
    """`table` stands before the wake that deals; PokerKit's operations follow on `game(stacks, players)`."""

    table: PokerTable
    steps: list[Step]
    game: Poker
    stacks: tuple[int, ...]
    operations: list[Operation]


class NotAlike(AssertionError):
    """The two engines ended a hand with different stacks: nothing is measured with it."""


def random_omaha(count: int, seed: int) -> list[BenchHand]:
    """Six players, 100 big blinds each, pot limit, every act drawn among the legal ones; showdowns are common."""
    seats = {f"s{seat}": _STACK for seat in range(1, _SEATS + 1)}
    bounds = {"buy_in_min": _STACK, "buy_in_max": _STACK, "top_up_to": _STACK}
    table = TableUnderTest(COMMON_OMAHA, seats=_SEATS, small_blind=_SMALL, big_blind=_BIG, **bounds).seat(**seats)
    game = PotLimitOmahaHoldem(_AUTOMATIC, True, 0, (_SMALL, _BIG), _BIG, mode=Mode.CASH_GAME)
    hands = []
    for number in range(count):
        dice = Random(f"{seed}/{number}")
        cards = dice.sample(DECK, len(DECK))
        shuffle = Shuffle(Deck.of(tuple(cards), dice.randbytes(32), dice.randbytes(32)), tuple(range(1, 12)))
        table.after_button(dice.randint(1, _SEATS))
        hands.append(_prepared(table.state, shuffle, game, _drawn_acts(dice)))
    return hands


def pluribus(archive: Path, count: int) -> list[BenchHand]:
    """The first hands of the published match, no-limit hold'em with six players."""
    games: dict[tuple[Any, ...], Poker] = {}
    hands = []
    for name, document in islice(_of_pluribus(archive), count):
        hand = read_hand(name, document)
        table = table_for(setting_of(hand))
        shuffle = shuffle_for(hand, range(1, len(table.seats) + 1), "holdem", table.rules.dealing.burn_before_board)
        blinds = hand.units(hand.noted.blinds_or_straddles)
        big = table.rules.betting.big_blind
        game = games.setdefault(blinds, NoLimitTexasHoldem(_AUTOMATIC, True, 0, blinds, big, mode=Mode.CASH_GAME))
        acts = iter([(action.act, int((action.to or 0) * hand.scale)) for action in hand.actions])
        hands.append(_prepared(table, shuffle, game, _recorded_acts(acts)))
    return hands


def _of_pluribus(archive: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((name, document) for name, document in read(archive) if "pluribus" in name)


Chooser = Callable[[PokerTable], tuple[Any, int | None]]


def _drawn_acts(dice: Random) -> Chooser:
    def choose(state: PokerTable) -> tuple[Any, int | None]:
        assert state.hand is not None
        assert state.hand.turn is not None
        legal = state.hand.turn.legal
        chance = dice.random()
        if legal.min_to is not None and legal.max_to is not None and chance < 0.3:
            return "raise", dice.choice((legal.min_to, legal.max_to, dice.randint(legal.min_to, legal.max_to)))
        if legal.check:
            return "check", None
        return ("fold" if chance > 0.8 else "call"), None

    return choose


def _recorded_acts(acts: Iterator[tuple[str, int]]) -> Chooser:
    def choose(state: PokerTable) -> tuple[Any, int | None]:
        assert state.hand is not None
        assert state.hand.turn is not None
        act, to = next(act for act in acts if act[0] in ("f", "cc", "cbr"))
        if act == "cbr":
            return "raise", to
        return ("fold" if act == "f" else "check" if state.hand.turn.legal.check else "call"), None

    return choose


def _prepared(table: PokerTable, shuffle: Shuffle, game: Poker, choose: Chooser) -> BenchHand:
    """Plays the hand once on both sides and keeps what was asked of each; NotAlike when they part."""
    steps: list[Step] = [(WakeTable(due=0), Given(table.ended_at + 10**6, shuffle, Principal("timer", "bench")))]
    state, told = _told(table, *steps[0])
    while state.hand is not None:
        turn = state.hand.turn
        assert turn is not None
        act, to = choose(state)
        player = Principal("player", state.seats[turn.seat].player)
        asked = Act(hand=state.hand.number, seat=turn.seat, turn=turn.version, act=act, to=to)
        steps.append((asked, Given(turn.until - 1, None, player)))
        state, more = _told(state, *steps[-1])
        told += more
    return _with_pokerkit(table, steps, game, told, shuffle)


def _told(state: PokerTable, command: TableCommand, given: Given[Supply]) -> tuple[PokerTable, list[TableEvent]]:
    answer = decide(state, command, given)
    assert not isinstance(answer, Rejected), answer
    after = answer.states[-1] if answer.states else state
    assert isinstance(after, PokerTable)
    return after, list(answer.events)


def _with_pokerkit(
    table: PokerTable, steps: list[Step], game: Poker, told: Sequence[TableEvent], shuffle: Shuffle
) -> BenchHand:
    started = next(event for event in told if isinstance(event, HandStarted))
    ended = next(event for event in told if isinstance(event, HandEnded))
    stacks = tuple(seat.stack for seat in started.seats)
    state = game(stacks, len(stacks))
    operations: list[Operation] = []
    for operation in _operations(told, [seat.seat for seat in started.seats], shuffle, state):
        operation[0](state, *operation[1])
        operations.append(operation)
    ours = {result.seat: result.stack for result in ended.results}
    theirs = {seat.seat: stack for seat, stack in zip(started.seats, state.stacks, strict=True)}
    # Odd chips may lie with another winner (docs/differences-from-pokerkit.md); a chip a player is the most.
    if state.status or any(abs(ours[seat] - theirs[seat]) > len(ours) for seat in ours):
        raise NotAlike(f"ours {ours}, PokerKit {theirs}")
    return BenchHand(table, steps, game, stacks, operations)


def _operations(told: Iterable[TableEvent], order: list[int], shuffle: Shuffle, state: State) -> Iterator[Operation]:
    """PokerKit's calls for what our events tell; where it asks one who has no choice, that one checks."""
    for event in told:
        if isinstance(event, StreetDealt | HandEnded):
            while state.actor_index is not None:
                yield State.check_or_call, ()
        match event:
            case HoleCardsDealt():
                holes = {deal.seat: deal.positions for deal in event.deals}
                for index, seat in enumerate(order):
                    yield State.deal_hole, ([_CARDS[shuffle.deck.cards[place]] for place in holes[seat]], index)
            case PlayerFolded():
                yield State.fold, ()
            case PlayerChecked():
                yield State.check_or_call, ()
            case BetPlaced(act="call"):
                yield State.check_or_call, ()
            case BetPlaced():
                yield State.complete_bet_or_raise_to, (event.to,)
            case StreetDealt():
                yield State.burn_card, (_UNKNOWN,)
                yield State.deal_board, ([_CARDS[parse(card.card)] for card in event.cards],)


def quietly() -> None:
    """PokerKit warns of folds where checking is free, and of cards that it does not expect."""
    warnings.simplefilter("ignore")
