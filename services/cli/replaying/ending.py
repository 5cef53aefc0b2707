"""What a recorded hand claims about its end, compared with what the rules made of it."""

from collections.abc import Callable, Sequence
from typing import Any

from phevaluator import evaluate_cards

from libs.cards.card import parse_all
from libs.cards.ranking import category_of
from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import CardsShown, HandEnded, HandStarted, PotAwarded, StreetDealt, UncalledBetReturned
from libs.contracts.table_events import DeckCard, PlayerLeft
from libs.sealing.merkle import verify_card
from services.cli.replaying.record import ExpectedPot, Returned, WorkedHand
from services.table.domain.games.poker.state import PokerTable

Compare = Callable[[str, Any, Any], None]


def compare_ending(hand: WorkedHand, told: Sequence[TableEvent], state: PokerTable, compare: Compare) -> None:
    """Uncalled bet, contributions, pots, commission, payouts, showdown, stacks, conservation and card proofs."""
    ended = next((event for event in told if isinstance(event, HandEnded)), None)
    if ended is None:
        compare("the hand ends", True, False)
        return
    awards = [event for event in told if isinstance(event, PotAwarded)]
    _compare_uncalled(hand, told, compare)
    compare("contributions", hand.expected.contributions, {r.seat: r.staked for r in ended.results})
    compare("payouts", hand.expected.payouts, {r.seat: r.won for r in ended.results if r.won})
    _compare_pots(hand, awards, compare)
    _compare_rake(hand, awards, ended, state, compare)
    _compare_showdown(hand, [event for event in told if isinstance(event, CardsShown)], compare)
    _compare_stacks(hand, told, ended, compare)
    compare_proofs(told, compare)


def _compare_uncalled(hand: WorkedHand, told: Sequence[TableEvent], compare: Compare) -> None:
    returned = [Returned(seat=e.seat, amount=e.amount) for e in told if isinstance(e, UncalledBetReturned)]
    expected = hand.expected.uncalled_returned
    compare("uncalled", [expected] if expected is not None else [], returned)


def _compare_pots(hand: WorkedHand, awards: Sequence[PotAwarded], compare: Compare) -> None:
    compare("pots", [pot.id for pot in hand.expected.pots], [award.pot for award in awards])
    for pot, award in zip(hand.expected.pots, awards, strict=False):
        compare(f"{pot.id} amount", pot.amount, award.amount)
        compare(f"{pot.id} eligible", pot.eligible, award.eligible)
        compare(f"{pot.id} winners", pot.winners, award.winners)
        compare(f"{pot.id} rake", pot.rake, award.rake)
        _compare_payments(pot, award, compare)


def _compare_payments(pot: ExpectedPot, award: PotAwarded, compare: Compare) -> None:
    compare(f"{pot.id} net", [(p.seat, p.net) for p in pot.payments], [(p.seat, p.net) for p in award.payments])
    for expected, got in zip(pot.payments, award.payments, strict=False):
        if expected.gross is not None:
            compare(f"{pot.id} seat {expected.seat} gross", expected.gross, got.gross)
        if expected.rake is not None:
            compare(f"{pot.id} seat {expected.seat} rake", expected.rake, got.rake)
    compare(f"{pot.id} gross adds up", award.amount, sum(p.gross for p in award.payments))


def _compare_rake(
    hand: WorkedHand, awards: Sequence[PotAwarded], ended: HandEnded, state: PokerTable, compare: Compare
) -> None:
    expected = hand.expected.rake
    compare("rake", expected.total, ended.rake)
    compare("rake basis", [expected.basis] * len(awards), [award.basis for award in awards])
    compare("exemption", expected.exemption, ended.exemption)
    if expected.cap is not None:
        compare("rake cap", expected.cap, (state.rules.rake.cap_big_blinds or 0) * state.rules.betting.big_blind)
    if expected.before_cap is not None:
        before = sum(award.amount * state.rules.rake.bp // 10_000 for award in awards)
        compare("rake before cap", expected.before_cap, before)


def _compare_showdown(hand: WorkedHand, shown: Sequence[CardsShown], compare: Compare) -> None:
    expected = hand.expected.showdown
    compare("order of showing", expected.order if expected is not None else [], [event.seat for event in shown])
    if expected is None:
        return
    holes = {player.seat: player.hole for player in hand.players}
    for event in shown:
        best = expected.hands.get(event.seat)
        where = f"seat {event.seat}"
        if best is None:
            compare(f"{where} shows", False, True)
            continue
        compare(f"{where} cards", sorted(holes[event.seat]), sorted(card.card for card in event.cards))
        compare(f"{where} category", best.category, event.category)
        used = (len(best.hole_used), len(best.board_used), len(event.hole_used), len(event.board_used))
        compare(f"{where} two and three", (2, 3, 2, 3), used)
        if used != (2, 3, 2, 3):
            continue
        # Another set of the same strength is equally right (schema: showdown).
        said = evaluate_cards(*parse_all([*best.hole_used, *best.board_used]))
        got = evaluate_cards(*parse_all([*event.hole_used, *event.board_used]))
        compare(f"{where} strength", said, got)
        compare(f"{where} category of strength", best.category, category_of(said))


def _compare_stacks(hand: WorkedHand, told: Sequence[TableEvent], ended: HandEnded, compare: Compare) -> None:
    stacks = {result.seat: result.stack for result in ended.results}
    left = {event.seat: event.stack for event in told if isinstance(event, PlayerLeft)}
    compare("leaves", sorted(hand.leaves), sorted(left))
    stacks.update(left)
    compare("final stacks", hand.expected.final_stacks, stacks)
    conserved = hand.expected.conservation
    compare("chips before", conserved.before, sum(player.stack for player in hand.players))
    compare("chips after", conserved.after, sum(stacks.values()))
    compare("chips raked", conserved.rake, conserved.before - sum(stacks.values()))


def compare_proofs(told: Sequence[TableEvent], compare: Compare) -> None:
    """Every card in the open was committed to before the first card."""
    started = next(event for event in told if isinstance(event, HandStarted))
    for event in told:
        if isinstance(event, StreetDealt | CardsShown):
            compare(f"{type(event).__name__} proofs", [True] * len(event.cards), _proved(started, event.cards))


def _proved(started: HandStarted, cards: Sequence[DeckCard]) -> list[bool]:
    root = bytes.fromhex(started.deck_root)
    return [
        verify_card(
            root,
            card.position,
            parse_all([card.card])[0],
            bytes.fromhex(card.salt),
            [bytes.fromhex(step) for step in card.proof],
            started.deck_leaves,
        )
        for card in cards
    ]
