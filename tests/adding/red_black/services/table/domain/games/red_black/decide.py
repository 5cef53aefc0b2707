"""The rules of red or black: what a player may ask and why not, the card, and what is paid."""

from typing import Literal

from libs.cards.card import SUITS, name_of
from libs.contracts import red_black_events as e
from libs.contracts.bank_commands import BankedReason
from libs.contracts.banked_rounds import BetSettled, SeatSettled
from libs.contracts.facts import taken
from libs.contracts.red_black_commands import Colour, RedBlackReason, StakeOnColour, TakeBackColour
from libs.contracts.table_events import LeaveRequested
from libs.decider import Rejected
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import Shuffle
from services.table.domain.games.banked import rounds
from services.table.domain.games.banked.idling import end_skippers, watch_balance
from services.table.domain.games.banked.state import IdleSitter, Stakes
from services.table.domain.games.game import open_cards
from services.table.domain.games.red_black.state import RedBlackStory, RedBlackTable
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import of_sitter, of_stayer, unless
from services.table.domain.table.rejections import rejected

_COLOURS: dict[str, Colour] = dict(zip(SUITS, ("black", "red", "red", "black"), strict=True))


@of_stayer
@unless(rounds.no_stake_taken)
def stake_on_colour(command: StakeOnColour, story: RedBlackStory, sitter: IdleSitter) -> Rejected | None:
    rules = story.rules
    if command.amount < rules.betting.min_stake:
        return rejected(RedBlackReason.COLOUR_BELOW_MINIMUM, rules)
    if command.amount > rules.betting.max_stake:
        return rejected(RedBlackReason.COLOUR_ABOVE_MAXIMUM, rules)
    before = _staked(story, sitter, command.colour)
    if command.amount > sitter.stack + before:
        return rejected(BankedReason.ABOVE_STACK, rules)

    if story.state.round is None:
        open_betting(story)
    if command.amount != before:
        kind = e.ColourStaked if command.amount > before else e.ColourTakenBack
        rounds.move_stake(story, sitter, kind, command.colour, command.amount)
    return None


@of_sitter
@unless(rounds.not_betting)
def take_back_colour(command: TakeBackColour, story: RedBlackStory, sitter: IdleSitter) -> Rejected | None:
    if not _staked(story, sitter, command.colour):
        return rejected(BankedReason.NO_STAKE, story.rules)
    rounds.move_stake(story, sitter, e.ColourTakenBack, command.colour, 0)
    after_round(story)  # With the last stake gone there is no round: what waited for its end may go on.
    return None


def leave(story: RedBlackStory, sitter: IdleSitter) -> None:
    """A stake stands when its player goes; at a table for one nobody else would ask for the card."""
    story.tell(LeaveRequested(player=sitter.player, seat=sitter.seat))
    if story.state.running.phase == "betting" and story.rules.mode == "single":
        close_betting(story)


def open_betting(story: RedBlackStory) -> None:
    rules = story.rules
    until = story.now + rules.timing.betting_ms if rules.mode == "multi" else None
    rounds.tell_opened(story, e.ColoursOpened, until=until)


def close_betting(story: RedBlackStory) -> None:
    betting = story.state.running
    if betting.stakes:
        story.tell(e.ColoursClosed())
        end_skippers(story, list(betting.stakes), betting.opened_at)
    else:
        story.tell(e.ColoursLapsed())
        after_round(story)


def turn_card(story: RedBlackStory, fresh: Shuffle) -> None:
    """The deck, its first card, and every seat's money, in one go."""
    story.tell(
        e.ColourDeckDealt(deck_root=deck_tree(fresh.deck).root.hex(), generator=fresh.generator), deck=fresh.deck
    )
    colour = _colour_of(fresh.deck.cards[0])
    story.tell(e.ColourShown(cards=open_cards(fresh.deck, [0]), colour=colour))
    results = [_result(story.state, stakes, colour) for _, stakes in sorted(story.state.running.stakes.items())]
    house = -sum(result.net for result in results)
    bank = story.state.bank + house
    story.tell(taken(e.ColoursSettled, story.rules, colour=colour, results=results, house=house, bank=bank))
    watch_balance(story, story.rules.worst_case)
    after_round(story)


def _colour_of(card: int) -> Literal["red", "black", "ace"]:
    name = name_of(card)
    return "ace" if name.startswith("A") else _COLOURS[name[1]]


def _result(state: RedBlackTable, stakes: Stakes, colour: str) -> SeatSettled:
    bets = [BetSettled(area, lies, 2 * lies if area == colour else 0) for area, lies in sorted(stakes.on.items())]
    return SeatSettled(**rounds.seat_result(state, stakes, sum(bet.credited for bet in bets)), bets=bets)


def _staked(story: RedBlackStory, sitter: IdleSitter, colour: Colour) -> int:
    stakes: Stakes | None = story.state.stakes_of(sitter)
    return stakes.on.get(colour, 0) if stakes is not None else 0
