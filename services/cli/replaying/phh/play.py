"""One PHH hand through the real rules: every act is decided, every street and final stack compared with the record."""

from collections import Counter
from decimal import Decimal
from typing import Any

from libs.cards.card import name_of, names_of
from libs.contracts.poker_commands import VoidHand
from libs.contracts.poker_events import (  # fmt: skip
    BetPlaced,
    CardsShown,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PlayerChecked,
    PlayerFolded,
    StreetDealt,
    UncalledBetReturned,
)
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.phh.deck import shuffle_for
from services.cli.replaying.phh.exported import compare_again
from services.cli.replaying.phh.notation import Action, Hand, NotDealt, read_hand
from services.cli.replaying.phh.setting import Setting, check_variant, setting_of, table_for
from services.cli.replaying.play import STEP_MS, Outcome, Replay, compare_results
from services.cli.replaying.record import NotARecord
from services.table.domain.games.poker.cards import dealing_order
from services.table.domain.games.poker.order import clockwise_after
from services.table.domain.games.poker.state import PokerTable


def replay_phh(name: str, document: dict[str, Any]) -> Outcome:
    """NotARecord for what is no PHH hand; a game that the house does not deal is an outcome that says so."""
    outcome = Outcome(name, "", "", variant=str(document.get("variant", "?"))[:20])
    try:
        if document.get("_croupier") is None:
            check_variant(document.get("variant"))
        hand = read_hand(name, document)
        outcome.scale = hand.scale
        setting = setting_of(hand)
        table = table_for(setting)
    except NotDealt as reason:
        outcome.not_dealt = str(reason)
        return outcome
    outcome.ruleset = setting.rulebook
    fresh = shuffle_for(hand, _dealt(setting, table), table.rules.variant, table.rules.dealing.burn_before_board)
    playing = Playing(hand, setting, table, outcome, fresh)
    playing.start()
    playing.play()
    playing.compare_end()
    compare_results(playing)
    if hand.noted.exact is not None and not outcome.differences:
        compare_again(document, table.rules, playing.told, outcome)
    outcome.events = len(playing.told)
    return outcome


def _dealt(setting: Setting, table: PokerTable) -> list[int]:
    """Players in the order in which the configuration deals them."""
    from_left = clockwise_after(setting.seats, setting.button)
    if table.rules.dealing.deal_from == "small_blind":
        from_left = [setting.small_blind, *clockwise_after(setting.seats, setting.small_blind)[:-1]]
    return [setting.seats.index(seat) + 1 for seat in from_left]


_ACTS = (HoleCardsDealt, BetPlaced, PlayerChecked, PlayerFolded)


class Playing(Replay):
    """The state of one replay: the table, the clock, and what was told."""

    def __init__(self, hand: Hand, setting: Setting, table: PokerTable, outcome: Outcome, fresh: Shuffle) -> None:
        super().__init__(table, outcome, fresh)
        self.hand = hand
        self.setting = setting
        exact = hand.noted.exact
        self.protected = list(exact.protected) if exact is not None else []
        self.idle: set[int] = set()

    @property
    def streets(self) -> list[list[str]]:
        return [[card.card for card in event.cards] for event in self.all(StreetDealt)]

    def start(self) -> None:
        self.wake()
        started = self.told[0] if self.told else None
        if not isinstance(started, HandStarted):
            raise NotARecord("the hand does not start")
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
                    if boards > len(self.streets):
                        self._let_clocks_run_out()
                    self._compare_street(boards, action)
                case "f" | "cc" | "cbr":
                    seat = self.setting.seats[action.player - 1]
                    self._let_clocks_run_out(seat)
                    if action.act == "cc" and self._is_idle(seat):
                        continue
                    self.outcome.compare(f"streets before {action.text!r}", boards, len(self.streets))
                    if not self._act(action, seat):
                        return
                case "deal_hole" | "sm":
                    pass
        self._let_clocks_run_out()

    def _let_clocks_run_out(self, acts: int | None = None) -> None:
        """Before `acts` does: of those of whom an export of ours says that their clock ran out, who is asked now."""
        while (hand := self.state.hand) is not None and hand.turn is not None and hand.turn.seat != acts:
            if hand.turn.seat not in self.protected:
                return
            self.protected.remove(hand.turn.seat)
            self.now = hand.turn.bank_until + 1
            self.wake()

    def _is_idle(self, seat: int) -> bool:
        """Some ask, once, who owes nothing while nobody else has chips left; our table does not (pt-811-2015 54)."""
        states = (table.hand for event, table in reversed(self.pending) if isinstance(event, _ACTS))
        hand = next(states, None)
        player = hand.players.get(seat) if hand is not None else None
        if hand is None or player is None or player.answered is not None or seat in self.idle:
            return False
        others = [other for other in hand.alive if other.seat != seat]
        owes = any(other.in_round > player.in_round for other in others)
        if player.folded or player.all_in or owes or not others or not all(other.all_in for other in others):
            return False
        self.idle.add(seat)
        return True

    def compare_end(self) -> None:
        if self.void:
            self.demand_void(VoidHand(hand=self.state.hands, cause="as recorded"))
        ended = next(iter(self.all(HandEnded)), None)
        if ended is None and not self.void:
            if not self.outcome.differences:
                self.outcome.differences.append("the record stops before the hand ends")
            return
        compare, noted = self.outcome.compare, self.hand.noted
        boards = sum(action.act == "deal_board" for action in self.hand.actions)
        compare("streets", boards, len(self.streets))
        left = {seat: sitter.stack for seat, sitter in self.state.seats.items()}
        if ended is not None:  # the next hand may have begun
            left |= {result.seat: result.stack for result in ended.results}
        stacks = tuple(left[seat] for seat in self.setting.seats)
        rake = ended.rake if ended is not None else 0
        compare("chips", sum(self.setting.stacks), sum(stacks) + rake)
        if noted.finishing_stacks is not None:
            compare("final stacks", self._chips(self.hand.units(noted.finishing_stacks)), self._chips(stacks))
        if ended is not None:
            self._compare_shown()
            self._compare_winnings(ended)

    @property
    def void(self) -> bool:
        exact = self.hand.noted.exact
        return exact is not None and exact.outcome == "void"

    def _compare_winnings(self, ended: HandEnded) -> None:
        """Some count what came back uncalled."""
        if (noted := self.hand.noted.winnings) is None:
            return
        won = {result.seat: result.won for result in ended.results}
        back = Counter({event.seat: event.amount for event in self.all(UncalledBetReturned)})
        told, with_back = (tuple(won[seat] + extra[seat] for seat in self.setting.seats) for extra in (Counter(), back))
        claimed = self.hand.units(noted)
        if claimed != with_back:
            self.outcome.compare("winnings", self._chips(claimed), self._chips(told))

    def _chips(self, units: tuple[int, ...]) -> str:
        """As the record writes them."""
        return ", ".join(str(Decimal(each) / self.hand.scale) for each in units)

    def _compare_street(self, number: int, action: Action) -> None:
        got = self.streets[number - 1] if number <= len(self.streets) else []
        unknown = got if len(got) == len(action.cards) else ["??"] * len(action.cards)
        cards = [name_of(card) if card is not None else unknown[place] for place, card in enumerate(action.cards)]
        self.outcome.compare(f"board after {action.text!r}", cards, got)

    def _compare_shown(self) -> None:
        shown = {event.seat: [card.card for card in event.cards] for event in self.all(CardsShown)}
        for action in self.hand.actions:
            cards = [card for card in action.cards if card is not None]
            if action.act == "sm" and len(cards) == len(action.cards) > 0:
                got = shown.get(self.setting.seats[action.player - 1], [])
                self.outcome.compare(f"{action.text!r}", sorted(names_of(cards)), sorted(got))

    def _act(self, action: Action, seat: int) -> bool:
        running = self.state.hand
        turn = running.turn if running is not None else None
        if running is None or turn is None:
            self.outcome.differences.append(f"{action.text!r}: the hand is over")
            return False
        if turn.seat != seat:
            self.outcome.differences.append(f"{action.text!r}: it is the turn of seat {turn.seat}, not {seat}")
            return False
        act = {"f": "fold", "cc": "check" if turn.legal.check else "call", "cbr": "raise" if running.bet else "bet"}
        self.now += STEP_MS
        refused = self.act(seat, act[action.act], int(action.to * self.hand.scale) if action.to is not None else None)
        if refused is not None:
            self.outcome.differences.append(f"{action.text!r}: refused as {refused.reason} {refused.detail}")
        return refused is None
