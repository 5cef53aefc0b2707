"""One PHH hand through the real rules: every act is decided, every street and final stack compared with the record."""

from decimal import Decimal
from typing import Any

from libs.cards.card import name_of, names_of
from libs.contracts.poker_events import CardsShown, HandEnded, HandStarted, StreetDealt
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.phh.deck import shuffle_for
from services.cli.replaying.phh.notation import Action, Hand, read_hand
from services.cli.replaying.phh.setting import NotDealt, Setting, check_variant, setting_of, table_for
from services.cli.replaying.play import STEP_MS, Outcome, Replay
from services.cli.replaying.record import NotARecord
from services.table.domain.games.poker.cards import dealing_order
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import PokerTable


def replay_phh(name: str, document: dict[str, Any]) -> Outcome:
    """NotARecord for what is no PHH hand; a game that the house does not deal is an outcome that says so."""
    outcome = Outcome(name, "", "", variant=str(document.get("variant", "?"))[:20])
    try:
        if "_croupier" not in document:
            check_variant(document.get("variant"))
        hand = read_hand(name, document)
        outcome.scale = hand.scale
        setting = setting_of(hand)
    except NotDealt as reason:
        outcome.not_dealt = str(reason)
        return outcome
    outcome.ruleset = setting.rulebook
    table = table_for(setting)
    fresh = shuffle_for(hand, _dealt(setting, table), table.rules.variant, table.rules.dealing.burn_before_board)
    playing = Playing(hand, setting, table, outcome, fresh)
    playing.start()
    playing.play()
    playing.compare_end()
    outcome.events = len(playing.told)
    return outcome


def _dealt(setting: Setting, table: PokerTable) -> list[int]:
    """Players in the order in which the configuration deals them."""
    from_left = clockwise_after(setting.seats, setting.button)
    if table.rules.dealing.deal_from == "small_blind":
        from_left = [setting.small_blind, *clockwise_after(setting.seats, setting.small_blind)[:-1]]
    return [setting.seats.index(seat) + 1 for seat in from_left]


class Playing(Replay):
    """The state of one replay: the table, the clock, and what was told."""

    def __init__(self, hand: Hand, setting: Setting, table: PokerTable, outcome: Outcome, fresh: Shuffle) -> None:
        super().__init__(table, outcome, fresh)
        self.hand = hand
        self.setting = setting

    @property
    def streets(self) -> list[list[str]]:
        return [[card.card for card in event.cards] for event in self.all(StreetDealt)]

    def start(self) -> None:
        self.wake()
        started = self.told[0] if self.told else None
        if not isinstance(started, HandStarted):
            raise NotARecord(f"{self.hand.name}: the hand does not start")
        setting, compare = self.setting, self.outcome.compare
        places = (started.button, started.small_blind, started.big_blind)
        compare("button, small blind, big blind", (setting.button, setting.small_blind, setting.big_blind), places)
        stacks = dict(zip(setting.seats, setting.stacks, strict=True))
        compare("stacks", stacks, {seat.seat: seat.stack for seat in started.seats})
        running = self.state.hand
        if running is not None:
            expected = [setting.seats[player - 1] for player in _dealt(setting, self.state)]
            compare("order of dealing", expected, dealing_order(running, self.state.rules))

    def play(self) -> None:
        """Stops at the first act that the rules refuse: nothing after it would mean anything."""
        boards = 0
        for action in self.hand.actions:
            match action.act:
                case "deal_board":
                    boards += 1
                    self._compare_street(boards, action)
                case "f" | "cc" | "cbr":
                    self.outcome.compare(f"streets before {action.text!r}", boards, len(self.streets))
                    if not self._act(action):
                        return
                case "deal_hole" | "sm":
                    pass

    def compare_end(self) -> None:
        ended = next(iter(self.all(HandEnded)), None)
        if ended is None:
            if not self.outcome.differences:
                self.outcome.differences.append("the record stops before the hand ends")
            return
        self._compare_shown()
        boards = sum(action.act == "deal_board" for action in self.hand.actions)
        self.outcome.compare("streets", boards, len(self.streets))
        stacks = {result.seat: result.stack for result in ended.results}
        noted = self.hand.noted.finishing_stacks
        if noted is not None:
            got = tuple(stacks[seat] for seat in self.setting.seats)
            self.outcome.compare("final stacks", self._chips(self.hand.units(noted)), self._chips(got))
        self.outcome.compare("chips", sum(self.setting.stacks), sum(stacks.values()) + ended.rake)

    def _chips(self, units: tuple[int, ...]) -> str:
        """As the record writes them."""
        return ", ".join(str(Decimal(each) / self.hand.scale) for each in units)

    def _compare_street(self, number: int, action: Action) -> None:
        got = self.streets[number - 1] if number <= len(self.streets) else []
        cards = [name_of(card) if card is not None else "??" for card in action.cards]
        self.outcome.compare(f"board after {action.text!r}", cards, got)

    def _compare_shown(self) -> None:
        shown = {event.seat: [card.card for card in event.cards] for event in self.all(CardsShown)}
        for action in self.hand.actions:
            cards = [card for card in action.cards if card is not None]
            if action.act == "sm" and len(cards) == len(action.cards) > 0:
                got = shown.get(self.setting.seats[action.player - 1], [])
                self.outcome.compare(f"{action.text!r}", sorted(names_of(cards)), sorted(got))

    def _act(self, action: Action) -> bool:
        running = self.state.hand
        turn = running.turn if running is not None else None
        if running is None or turn is None or action.player > len(self.setting.seats):
            self.outcome.differences.append(f"{action.text!r}: the hand is over")
            return False
        seat = self.setting.seats[action.player - 1]
        if turn.seat != seat:
            self.outcome.differences.append(f"{action.text!r}: it is the turn of seat {turn.seat}, not {seat}")
            return False
        act = {"f": "fold", "cc": "check" if turn.legal.check else "call", "cbr": "raise" if running.bet else "bet"}
        self.now += STEP_MS
        refused = self.act(seat, act[action.act], int(action.to * self.hand.scale) if action.to is not None else None)
        if refused is not None:
            self.outcome.differences.append(f"{action.text!r}: refused as {refused.reason} {refused.detail}")
        return refused is None
