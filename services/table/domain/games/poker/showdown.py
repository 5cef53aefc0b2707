"""The end of a hand: showing, comparing, paying (pt-811-2015 36, 59, 60, 63; mo-97-2010 8.5, 10)."""

from collections import Counter
from collections.abc import Mapping

from libs.cards.card import names_of
from libs.cards.variants import VARIANTS
from libs.contracts.poker_events import CardsShown, HandEnded, PotAwarded, SeatResult
from services.table.domain.games.poker.cards import cards_at, shown
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.evolve import running
from services.table.domain.games.poker.order import order_of_showing
from services.table.domain.games.poker.pots import Pot, basis_of, exemption_of, pots_of, settlement
from services.table.domain.games.poker.state import Hand, PokerSitter
from services.table.domain.games.poker.story import PokerStory


def show_and_pay(story: PokerStory) -> None:
    """After the river round: everybody still in shows all cards, the best combinations are paid."""
    order = order_of_showing(running(story.state), story.rules)
    story.game.settle(story, {player.seat: _show(story, player.seat) for player in order})


def pay_the_best(story: PokerStory, strengths: dict[int, int]) -> None:
    """Pays each pot to the best of those with a claim to it; `strengths` by seat, smaller is stronger."""
    _pay(story, [(pot, best_claims(pot, strengths)) for pot in pots_of(running(story.state))])


def pay_the_last(story: PokerStory) -> None:
    """One player is left: the pot without showing cards (pt-811-2015 36)."""
    _pay(story, [(pot, pot.eligible) for pot in pots_of(running(story.state))])


def winners_by_the_cards(story: PokerStory) -> set[int]:
    """Seats that win something, by the cards on the table (pt-217-2007 63, 70.a)."""
    return {seat for _, winners in _claims(running(story.state), story.rules) for seat in winners}


def pay_by_the_cards(story: PokerStory, instead: int | None = None) -> None:
    """Pays the pots; `instead` is the seat to which the chips were pushed by mistake (pt-217-2007 70.a)."""
    claims = _claims(running(story.state), story.rules)
    _pay(story, [(pot, winners if instead is None else (instead,)) for pot, winners in claims])


def due_by_the_cards(story: PokerStory) -> dict[int, int]:
    """What each seat would be paid of all pots, less rake."""
    before, rules = running(story.state), story.rules
    awards, due = _claims(before, rules), Counter[int]()
    for payments in settlement(awards, before, basis_of(before, rules), rules):
        due.update({payment.seat: payment.net for payment in payments})
    return dict(due)


def _claims(hand: Hand, rules: PokerConfiguration) -> list[tuple[Pot, tuple[int, ...]]]:
    game = VARIANTS[rules.variant]
    board = cards_at(hand, hand.board)
    strengths = {player.seat: game.best_five(cards_at(hand, player.hole), board).strength for player in hand.alive}
    return [(pot, best_claims(pot, strengths)) for pot in pots_of(hand)]


def best_claims(pot: Pot, strengths: dict[int, int]) -> tuple[int, ...]:
    """Seats with the best hand among those with a claim to this pot (pt-811-2015 63); smaller is stronger."""
    best = min([strengths[seat] for seat in pot.eligible])
    return tuple([seat for seat in pot.eligible if strengths[seat] == best])


def _show(story: PokerStory, seat: int) -> int:
    """Tells the seat's cards; gives the strength of its hand."""
    hand = running(story.state)
    player = hand.players[seat]
    best = VARIANTS[story.rules.variant].best_five(cards_at(hand, player.hole), cards_at(hand, hand.board))
    story.tell(
        CardsShown(
            seat=seat,
            player=player.player,
            cards=shown(hand, player.hole),
            category=best.category,
            hole_used=names_of(best.hole_used),
            board_used=names_of(best.board_used),
        )
    )
    return best.strength


def _pay(story: PokerStory, awards: list[tuple[Pot, tuple[int, ...]]]) -> None:
    before = running(story.state)
    rules = story.rules
    basis, exemption = basis_of(before, rules), exemption_of(before, rules)
    for (pot, winners), payments in zip(awards, settlement(awards, before, basis, rules), strict=True):
        story.tell(
            PotAwarded(
                pot=pot.name,
                amount=pot.amount,
                eligible=list(pot.eligible),
                winners=list(winners),
                rake=sum(payment.rake for payment in payments),
                basis=basis,
                payments=payments,
                currency=rules.currency,
                rulebook=rules.rulebook,
            )
        )
    hand = running(story.state)
    story.tell(
        HandEnded(
            results=_results(story.state.seats, hand), rake=hand.rake, exemption=exemption, currency=rules.currency
        )
    )


def _results(seats: Mapping[int, PokerSitter], hand: Hand) -> list[SeatResult]:
    results = []
    for seat, player in sorted(hand.players.items()):
        sitter, staked = seats.get(seat), player.committed + player.dead
        stack = sitter.stack if sitter is not None and sitter.reservation == player.reservation else 0
        results.append(SeatResult(seat, player.player, player.reservation, staked, player.won, player.rake, stack))
    return results
