"""What a worked hand of casino poker claims about its end, compared with what the rules made of it."""

from collections.abc import Callable, Sequence
from typing import Any

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import CardsShown, HandEnded, HandVoided, PotAwarded, UncalledBetReturned
from libs.money.rates import part_of
from services.cli.replaying.casino.record import CasinoHand, Expected, Show
from services.cli.replaying.ending import compare_proofs
from services.cli.replaying.record import Returned
from services.table.domain.games.poker.state import PokerTable

Compare = Callable[[str, Any, Any], None]
_CATEGORIES = {"two pairs": "two_pair"}


def compare_expected(hand: CasinoHand, told: Sequence[TableEvent], state: PokerTable, compare: Compare) -> None:
    """Refunds of a void hand; else contributions, pots, payments, rake, stacks, and the proofs of cards shown."""
    voided = next((event for event in told if isinstance(event, HandVoided)), None)
    if hand.expected.result == "void" or voided is not None:
        _compare_void(hand.expected, voided, compare)
    else:
        _compare_paid(hand, told, state, compare)
    stacks = {seat: sitter.stack for seat, sitter in state.seats.items()}
    compare("final stacks", hand.expected.final_stacks, dict(sorted(stacks.items())))
    before = sum(player.stack for player in hand.players)
    kept = hand.expected.conservation
    expected = (kept.stacks_before, kept.stacks_after, kept.rake, kept.difference)
    after = sum(stacks.values())
    compare("conservation", expected, (before, after, state.books.raked, before - after - state.books.raked))


def _compare_void(expected: Expected, voided: HandVoided | None, compare: Compare) -> None:
    compare("void", expected.result == "void", voided is not None)
    if voided is not None:
        compare("refunds", expected.refunds, {refund.seat: refund.amount for refund in voided.refunds if refund.amount})


def _compare_paid(hand: CasinoHand, told: Sequence[TableEvent], state: PokerTable, compare: Compare) -> None:
    ended = next((event for event in told if isinstance(event, HandEnded)), None)
    if ended is None:
        compare("the hand ends", True, False)
        return
    expected = hand.expected
    staked = {player.seat: 0 for player in hand.players} | {r.seat: r.staked for r in ended.results}
    compare("contributions", expected.contributions, staked)
    returned = [Returned(seat=e.seat, amount=e.amount) for e in told if isinstance(e, UncalledBetReturned)]
    claimed = [] if expected.uncalled_returned == "none" else [expected.uncalled_returned]
    compare("uncalled", claimed, returned)
    awards = [event for event in told if isinstance(event, PotAwarded)]
    _compare_pots(expected, awards, compare)
    _compare_payments(expected, awards, state, compare)
    compare("rake", expected.rake_total, ended.rake)
    compare("payouts", expected.net_payouts, {r.seat: r.won for r in ended.results if r.won})
    shown = {e.seat: e.category for e in told if isinstance(e, CardsShown)}
    compare("combinations", {seat: _category(name) for seat, name in expected.combinations.items()}, shown)
    compare_proofs(told, compare)


def _compare_pots(expected: Expected, awards: Sequence[PotAwarded], compare: Compare) -> None:
    compare("pot", expected.pot_total, sum(award.amount for award in awards))
    pots = [(pot.name.replace("-", "_"), pot.amount, pot.eligible, pot.winners) for pot in expected.pots]
    got = [(award.pot, award.amount, award.eligible, [paid.seat for paid in award.payments]) for award in awards]
    compare("pots", pots, got)


def _compare_payments(expected: Expected, awards: Sequence[PotAwarded], state: PokerTable, compare: Compare) -> None:
    payments = [(p.pot.replace("-", "_"), p.seat, p.gross, p.rake, p.net) for p in expected.payments]
    got = [(award.pot, paid.seat, paid.gross, paid.rake, paid.net) for award in awards for paid in award.payments]
    compare("payments", payments, got)
    for payment in expected.payments:
        if payment.rake_uncapped is not None:
            compare("rake before the cap", payment.rake_uncapped, part_of(payment.gross, state.rules.rake.bp))


def compare_five(line: Show, event: CardsShown, compare: Compare) -> None:
    """Another five of the same strength is equally right."""
    compare("combination", _category(line.combination), event.category)
    said, got = (five_strength(parse_all(five)) for five in (line.best_five, [*event.hole_used, *event.board_used]))
    compare("strength", said, got)
    compare("combination of the five", _category(line.combination), category_of(said))


def _category(name: str) -> str:
    return _CATEGORIES.get(name, name.replace(" ", "_"))
