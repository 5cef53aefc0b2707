"""One recorded round through the real rules: every command accepted, every event and amount compared."""

from collections.abc import Iterator, Sequence
from typing import Any

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.commands import TableCommand
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte
from libs.contracts.no_draw_poker_events import (
    DealerShown,
    HandSurrendered,
    HandsWarned,
    RoundDealt,
    RoundHandShown,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SecondBetPlaced,
)
from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import DeckCard
from libs.sealing.merkle import verify_card
from services.cli.replaying.no_draw.record import WorkedResult, WorkedRound, WorkedRounds, WorkedSeat
from services.cli.replaying.no_draw.setting import BETTING_MS, RULEBOOK, deck_for, player_at, stack_of, table_before
from services.cli.replaying.play import Outcome, Replay
from services.cli.replaying.record import parsed

_CAUSES = {"fold": "player", "timeout": "timeout", "disconnected": "disconnected"}
_COMPARED = ("win", "lose", "tie")
_CATEGORIES = {"two-pairs": "two_pair", "one-pair": "pair"}


def replay_rounds(name: str, document: Any) -> Iterator[Outcome]:
    """NotARecord when the document has another shape."""
    for worked in parsed(WorkedRounds, name, document).rounds:
        yield replay_round(worked)


def replay_round(worked: WorkedRound) -> Outcome:
    replay = Replay(table_before(worked), Outcome(worked.id, worked.title, RULEBOOK))
    _bet_and_deal(replay, worked)
    _compare_cards(replay, worked)
    _decide(replay, worked)
    replay.outcome.events = len(replay.told)
    _compare_decisions(replay, worked)
    if worked.qualification.qualifies is None:
        _compare_void(replay, worked)
    else:
        _compare_dealer(replay, worked)
        _compare_results(replay, worked)
    return replay.outcome


def _send(replay: Replay, what: str, by: Principal, command: TableCommand) -> None:
    refused = replay.send(by, command)
    if refused is not None:
        replay.outcome.differences.append(f"{what} is refused as {refused.reason}")


def _wake(replay: Replay, worked: WorkedRound) -> None:
    replay.send(Principal("timer", "replay"), WakeTable(due=replay.now), deck_for(worked))


def _player(seat: int) -> Principal:
    return Principal("player", player_at(seat))


def _bet_and_deal(replay: Replay, worked: WorkedRound) -> None:
    _wake(replay, worked)
    for seat in worked.seats:
        _send(replay, f"ante of seat {seat.seat}", _player(seat.seat), PlaceAnte(amount=seat.ante))
    if worked.table.mode == "single":
        _send(replay, "deal", _player(worked.seats[0].seat), DealRound(round=1))
    else:
        replay.now += BETTING_MS
    _wake(replay, worked)


def _compare_cards(replay: Replay, worked: WorkedRound) -> None:
    """Who got which card, and that the open one was committed to."""
    compare, dealt = replay.outcome.compare, _of(replay, RoundDealt)
    compare("rounds dealt", 1, len(dealt))
    if not dealt:
        return
    order = worked.deck_order
    compare("burn card", [worked.burn], [order[position] for position in dealt[0].burned])
    compare("dealer's hand", worked.dealer_hand, [order[position] for position in dealt[0].dealer])
    compare("dealer's open card", worked.dealer_up_card, dealt[0].dealer_up.card)
    hands = {deal.seat: [order[position] for position in deal.positions] for deal in dealt[0].deals}
    compare("hands", {seat.seat: seat.hand for seat in worked.seats}, hands)
    _compare_proofs(replay, "open card", [dealt[0].dealer_up])


def _decide(replay: Replay, worked: WorkedRound) -> None:
    for seat in worked.seats:
        if seat.decision in ("continue", "fold"):
            replay.outcome.legal_ranges += 1
            bet = seat.bet if seat.decision == "continue" else None
            command = DecideHand(round=1, decision=seat.decision, bet=bet)
            _send(replay, f"{seat.decision} of seat {seat.seat}", _player(seat.seat), command)
    if worked.qualification.qualifies is None:
        staff = Principal("staff", "replay")
        _send(replay, "void", staff, VoidRound(round=1, cause=worked.title))
    elif any(seat.decision in ("timeout", "disconnected") for seat in worked.seats):
        replay.now += worked.timing.decision_ms
        _wake(replay, worked)
        replay.now += worked.timing.extra_ms
        _wake(replay, worked)


def _compare_decisions(replay: Replay, worked: WorkedRound) -> None:
    compare = replay.outcome.compare
    bets = {event.seat: event.amount for event in _of(replay, SecondBetPlaced)}
    compare("second bets", {s.seat: s.bet for s in worked.seats if s.decision == "continue"}, bets)
    causes = {event.seat: event.cause for event in _of(replay, HandSurrendered)}
    compare("folds", {s.seat: _CAUSES[s.decision] for s in worked.seats if s.decision in _CAUSES}, causes)
    late = [s.seat for s in worked.seats if s.decision in ("timeout", "disconnected")]
    warned = [seat for event in _of(replay, HandsWarned) for seat in event.seats]
    compare("warned seats", late, warned)
    for seat in worked.seats:
        category = category_of(five_strength(parse_all(seat.hand)))
        compare(f"seat {seat.seat} hand", _category(_result_of(worked, seat).player_category), category)


def _result_of(worked: WorkedRound, seat: WorkedSeat) -> WorkedResult:
    return next(result for result in worked.results if result.seat == seat.seat)


def _compare_dealer(replay: Replay, worked: WorkedRound) -> None:
    compare, shown = replay.outcome.compare, _of(replay, DealerShown)
    compare("dealer shown", 1, len(shown))
    for event in shown:
        compare("dealer plays", worked.qualification.qualifies, event.plays)
        compare("dealer's category", _category(worked.qualification.dealer_category), event.category)
        compare("dealer's cards", worked.dealer_hand, [card.card for card in event.cards])
        _compare_proofs(replay, "dealer", event.cards)
    up = {event.seat: [card.card for card in event.cards] for event in _of(replay, RoundHandShown)}
    compared = [result.seat for result in worked.results if result.outcome in _COMPARED]
    compare("hands turned up", {s.seat: s.hand for s in worked.seats if s.seat in compared}, up)
    for hand in _of(replay, RoundHandShown):
        _compare_proofs(replay, f"seat {hand.seat}", hand.cards)


def _compare_results(replay: Replay, worked: WorkedRound) -> None:
    settled = _of(replay, RoundSettled)
    replay.outcome.compare("rounds settled", 1, len(settled))
    if not settled:
        return
    replay.outcome.compare("seats settled", [r.seat for r in worked.results], [r.seat for r in settled[0].results])
    for expected, got in zip(worked.results, settled[0].results, strict=False):
        _compare_result(replay, worked, expected, got)
    replay.outcome.compare("house", -sum(result.net for result in worked.results), settled[0].house)


def _compare_result(replay: Replay, worked: WorkedRound, expected: WorkedResult, got: RoundResult) -> None:
    where, compare = f"seat {expected.seat}", replay.outcome.compare
    compare(f"{where} outcome", expected.outcome.replace("-", "_"), got.outcome)
    compare(f"{where} decided by", expected.decided_by, got.decided_by)
    compare(f"{where} multiplier", expected.pay_multiplier, got.multiplier)
    areas = {area.area: (area.staked, area.credited) for area in got.bets}
    compare(f"{where} ante", (expected.ante.stake, expected.ante.credited), areas.get("ante"))
    compare(f"{where} bet", (expected.bet.stake, expected.bet.credited), areas.get("bet", (0, 0)))
    compare(f"{where} net", expected.net, got.net)
    compare(f"{where} credited", expected.ante.credited + expected.bet.credited, got.credited)
    compare(f"{where} stack", stack_of(worked) + expected.net, got.stack)


def _compare_void(replay: Replay, worked: WorkedRound) -> None:
    compare, voided = replay.outcome.compare, _of(replay, RoundVoided)
    compare("rounds void", 1, len(voided))
    compare("dealer's category", "not-revealed", worked.qualification.dealer_category)
    compare("anything shown or settled", 0, len(_of(replay, (DealerShown, RoundHandShown, RoundSettled))))
    refunds = {refund.seat: refund.amount for event in voided for refund in event.refunds}
    stacks = {refund.seat: refund.stack for event in voided for refund in event.refunds}
    for expected, seat in zip(worked.results, worked.seats, strict=True):
        where = f"seat {expected.seat}"
        compare(f"{where} outcome", expected.outcome, "void")
        compare(f"{where} stakes", (expected.ante.stake, expected.bet.stake), (seat.ante, seat.bet))
        compare(f"{where} refund", expected.ante.credited + expected.bet.credited, refunds.get(expected.seat))
        compare(f"{where} stack", stack_of(worked) + expected.net, stacks.get(expected.seat))


def _compare_proofs(replay: Replay, what: str, cards: Sequence[DeckCard]) -> None:
    root = bytes.fromhex(_of(replay, RoundDealt)[0].deck_root)
    proved = [
        verify_card(
            root,
            card.position,
            parse_all([card.card])[0],
            bytes.fromhex(card.salt),
            [bytes.fromhex(step) for step in card.proof],
        )
        for card in cards
    ]
    replay.outcome.compare(f"{what} proofs", [True] * len(cards), proved)


def _category(name: str) -> str:
    return _CATEGORIES.get(name, name.replace("-", "_"))


def _of(replay: Replay, kind: Any) -> list[Any]:
    return [event for event in replay.told if isinstance(event, kind)]
