"""PokerKit's side: the same table and the same cards, driven act by act."""

from pokerkit import (
    Automation,
    BettingStructure,
    Card,
    Deck,
    Mode,
    OmahaHoldemHand,
    Opening,
    StandardHighHand,
    State,
    Street,
)
from pokerkit.state import BetCollection, BoardDealing, ChipsPushing, HoleDealing

from libs.cards.card import names_of
from tests.differential.ours import Offer, Ours
from tests.differential.setting import Setting

_AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
_STRUCTURES = {
    "pot_limit": BettingStructure.POT_LIMIT,
    "no_limit": BettingStructure.NO_LIMIT,
    "limit_raise_count": BettingStructure.FIXED_LIMIT,
    "limit_half_pot": BettingStructure.NO_LIMIT,  # it has no half pot: `as_our_rules_have_it` sets the upper end
    "pot_limit_with_raise_cap": BettingStructure.POT_LIMIT,
}
_CARDS: tuple[Card, ...] = tuple(next(Card.parse(name)) for name in names_of(range(52)))


class Theirs:
    """Player 0 is the first seat left of the button, as in our `hand.order`."""

    def __init__(self, setting: Setting, ours: Ours) -> None:
        self.order = ours.order
        self._board = [list(street) for street in ours.board]
        self.pots: list[tuple[int, tuple[int, ...]]] = []
        """Amount and eligible seats, as they stood before any hand was shown."""
        self.state = State(
            _AUTOMATIC,
            Deck.STANDARD,
            (StandardHighHand if setting.holdem else OmahaHoldemHand,),
            _streets(setting),
            BettingStructure.NO_LIMIT if setting.size_unlimited else _STRUCTURES[setting.structure],
            True,
            setting.ante,
            _blinds(setting, len(self.order)),
            0,
            [setting.stacks[seat] for seat in self.order],
            len(self.order),
            mode=Mode.CASH_GAME,
        )
        for index, seat in enumerate(self.order):
            self.state.deal_hole([_CARDS[card] for card in ours.holes[seat]], index)
        self.turned_round = self._button_opens(setting)
        self._go_on()

    def _button_opens(self, setting: Setting) -> bool:
        """`equal_blinds_heads_up`: PokerKit finds the opener by the largest blind, and with equal ones errs."""
        button_small = len(self.order) == 2 and setting.heads_up_blinds == "button_small"
        turned = button_small and setting.small == setting.big and len(self.state.actor_indices) == 2
        if turned:
            self.state.actor_indices.reverse()
        return turned

    @property
    def offer(self) -> Offer | None:
        state = self.state
        if state.actor_index is None:
            return None
        low = state.min_completion_betting_or_raising_to_amount
        high = state.max_completion_betting_or_raising_to_amount
        raise_to = (low, high) if low is not None and high is not None else None
        return Offer(self.order[state.actor_index], state.checking_or_calling_amount or 0, raise_to)

    def act(self, act: str, to: int | None = None) -> None:
        match act:
            case "fold":
                self.state.fold()
            case "check" | "call":
                self.state.check_or_call()
            case _:
                self.state.complete_bet_or_raise_to(to)
        self._go_on()

    def _go_on(self) -> None:
        """Cards of the board as they come on our side, all hands shown."""
        while True:
            if self.state.showdown_indices:
                self.pots = self.pots or self._seated_pots()
                self.state.show_or_muck_hole_cards(True)
            elif self.state.can_deal_board():
                self.state.deal_board([_CARDS[card] for card in self._board.pop(0)])
            else:
                return

    def _seated_pots(self) -> list[tuple[int, tuple[int, ...]]]:
        return [
            (pot.amount, tuple(sorted(self.order[index] for index in pot.player_indices))) for pot in self.state.pots
        ]

    @property
    def over(self) -> bool:
        return not self.state.status

    @property
    def streets_left(self) -> int:
        return len(self._board)

    @property
    def pushed(self) -> dict[int, int]:
        """Chips paid by seat."""
        won = [0] * len(self.order)
        for operation in self.state.operations:
            if isinstance(operation, ChipsPushing):
                won = [before + amount for before, amount in zip(won, operation.amounts, strict=True)]
        return {seat: amount for seat, amount in zip(self.order, won, strict=True) if amount}

    @property
    def collected(self) -> int:
        """Chips that went into the middle and stayed there."""
        return sum(sum(op.bets) for op in self.state.operations if isinstance(op, BetCollection))

    @property
    def matched_of_last_bet(self) -> int:
        """What others put in against the bet that ended the hand; PokerKit gives that bet back whole."""
        for operation in reversed(self.state.operations):
            if isinstance(operation, BetCollection):
                return max(operation.bets)
            if isinstance(operation, BoardDealing | HoleDealing):
                return 0
        return 0

    @property
    def final_stacks(self) -> dict[int, int]:
        return dict(zip(self.order, self.state.stacks, strict=True))


def _streets(setting: Setting) -> tuple[Street, ...]:
    """Burns are left out on this side: the board is given card by card."""
    small, large = setting.big, setting.big * (2 if setting.fixed_limit else 1)
    cap = setting.raise_cap if not setting.lifted_heads_up else None
    # The big blind is the first bet of its round (pt-811-2015 24.a); PokerKit counts bets and raises alike.
    later = cap + 1 if cap is not None else None
    first = small if setting.fixed_limit else setting.opening_bet
    hole = (False,) * (2 if setting.holdem else 4)
    return (
        Street(False, hole, 0, False, Opening.POSITION, first, cap),
        Street(False, (), 3, False, Opening.POSITION, small, later),
        Street(False, (), 1, False, Opening.POSITION, large, later),
        Street(False, (), 1, False, Opening.POSITION, large, later),
    )


def _blinds(setting: Setting, players: int) -> tuple[int, ...]:
    """PokerKit turns the blinds round for two players, so that the button has the small one."""
    if players == 2 and setting.heads_up_blinds == "left_of_button":
        return setting.big, setting.small
    straddle = (setting.straddle,) if setting.straddled else ()
    return setting.small, setting.big, *straddle
