"""One recorded coup through the real rules: every request, card, stake, commission, credit and net compared."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from libs.cards.card import parse
from libs.contracts.baccarat_commands import Chance, PlaceStake, WithdrawStake
from libs.contracts.baccarat_events import CoupDealt, CoupSettled, CoupVoided, ShoeStarted, SideShown, ThirdCardDealt
from libs.contracts.bank_commands import VoidRound
from libs.contracts.commands import TableCommand
from libs.contracts.messages import Principal
from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import DeckCard
from libs.sealing.merkle import verify_card
from services.cli.replaying.baccarat.record import WorkedBet, WorkedCoup, WorkedRequest, WorkedRound, WorkedRounds
from services.cli.replaying.baccarat.setting import BETTING_MS, STACK, player_at, rulebook_of, shoe_for, table_before
from services.cli.replaying.play import Outcome, Replay
from services.cli.replaying.record import parsed

_Key = tuple[int, Chance]


def replay_coups(name: str, document: Any) -> Iterator[Outcome]:
    """One outcome for each coup. NotARecord when the document has another shape."""
    for worked in parsed(WorkedRounds, name, document).rounds:
        for coup in worked.coups:
            yield replay_coup(worked, coup)


def replay_coup(worked: WorkedRound, coup: WorkedCoup) -> Outcome:
    outcome = Outcome(f"{worked.id} {coup.id}", worked.title, rulebook_of(worked))
    replay = Replay(table_before(worked, coup), outcome)
    _wake(replay, worked, coup)
    for request in coup.requests:
        _ask(replay, request)
    _compare_stakes(replay, coup)
    if coup.outcome == "void":
        staff = Principal("staff", "replay")
        outcome.compare("void", None, _refused(replay, staff, VoidRound(round=1, cause=coup.failure or "failure")))
        _compare_void(replay, coup)
    else:
        replay.now += BETTING_MS
        _wake(replay, worked, coup)
        _compare_cards(replay, coup)
        _compare_results(replay, coup)
    outcome.events = len(replay.told)
    return outcome


def _wake(replay: Replay, worked: WorkedRound, coup: WorkedCoup) -> None:
    replay.send(Principal("timer", "replay"), WakeTable(due=replay.now), shoe_for(worked, coup))


def _refused(replay: Replay, by: Principal, command: TableCommand) -> str | None:
    """The number of the rule that refuses it."""
    refused = replay.send(by, command)
    return (refused.rule or refused.reason).rpartition("#")[2] if refused is not None else None


def _ask(replay: Replay, request: WorkedRequest) -> None:
    who = Principal("player", player_at(request.seat))
    kind = PlaceStake if request.action == "place" else WithdrawStake
    refused = _refused(replay, who, kind(round=1, chance=request.chance, amount=request.stake))
    where = f"seat {request.seat} {request.action} {request.chance} {request.stake}"
    replay.outcome.compare(f"{where} accepted", request.accepted, refused is None)
    replay.outcome.compare(f"{where} refused by", request.refused_by, refused)
    replay.outcome.refusals += refused is not None


def _compare_stakes(replay: Replay, coup: WorkedCoup) -> None:
    state: Any = replay.state
    on = {(s.seat, chance): total for s in state.coup.stakes.values() for chance, total in s.on.items()}
    replay.outcome.compare("stakes", _totals(coup.bets), on)
    replay.outcome.compare("results are of the bets", _totals(coup.bets), _totals(coup.results))


def _totals(bets: Sequence[WorkedBet]) -> dict[_Key, int]:
    totals: dict[_Key, int] = defaultdict(int)
    for bet in bets:
        totals[bet.seat, bet.chance] += bet.stake
    return dict(totals)


def _compare_cards(replay: Replay, coup: WorkedCoup) -> None:
    """Which side got which card in which place, and that it was committed to before the betting."""
    compare, settled = replay.outcome.compare, _of(replay, CoupSettled)
    compare("coups dealt and settled", (1, 1), (len(_of(replay, CoupDealt)), len(settled)))
    cards: dict[str, list[DeckCard]] = {event.side: list(event.cards) for event in _of(replay, SideShown)}
    for third in _of(replay, ThirdCardDealt):
        cards[third.side].append(third.card)
    for side, expected in (("ponto", coup.ponto), ("banca", coup.banca)):
        shown = cards.get(side, [])
        compare(f"{side}'s cards", expected.cards if expected else None, [card.card for card in shown])
        scores = [getattr(event, side) for event in settled]
        compare(f"{side}'s score", [expected.score if expected else None], scores)
    shown = [*cards.get("ponto", []), *cards.get("banca", [])]
    compare("shoe", coup.shoe, [card.card for card in sorted(shown, key=lambda card: card.position)])
    compare("winner", [coup.winner], [event.winner for event in settled])
    compare("natural", [coup.natural], [event.natural for event in settled])
    _compare_proofs(replay, shown)


def _compare_proofs(replay: Replay, cards: Sequence[DeckCard]) -> None:
    started = _of(replay, ShoeStarted)[0]
    root = bytes.fromhex(started.deck_root)
    proved = [
        verify_card(
            root,
            card.position,
            parse(card.card),
            bytes.fromhex(card.salt),
            [bytes.fromhex(step) for step in card.proof],
            started.cards,
        )
        for card in cards
    ]
    replay.outcome.compare("proofs", [True] * len(cards), proved)


def _compare_results(replay: Replay, coup: WorkedCoup) -> None:
    compare = replay.outcome.compare
    for settled in _of(replay, CoupSettled):
        got = {(r.seat, b.area): (b.staked, b.commission, b.credited) for r in settled.results for b in r.bets}
        expected = {(r.seat, r.chance): (r.stake, r.commission, r.credited) for r in coup.results}
        compare("commission mode", coup.commission_mode, settled.commission_mode)
        compare("seats and chances", sorted(expected), sorted(got))
        for key, amounts in expected.items():
            compare(f"seat {key[0]} {key[1]}: stake, commission, credited", amounts, got.get(key))
        compare("net by seat", coup.net_by_seat, {r.seat: r.net for r in settled.results})
        compare("stacks", {seat: STACK + net for seat, net in coup.net_by_seat.items()},
                {r.seat: r.stack for r in settled.results})  # fmt: skip
        compare("house", -sum(coup.net_by_seat.values()), settled.house)


def _compare_void(replay: Replay, coup: WorkedCoup) -> None:
    compare, voided = replay.outcome.compare, _of(replay, CoupVoided)
    compare("coups void, dealt, settled", (1, 0, 0),
            (len(voided), len(_of(replay, CoupDealt)), len(_of(replay, CoupSettled))))  # fmt: skip
    refunds = {refund.seat: (refund.amount, refund.stack) for event in voided for refund in event.refunds}
    credited: dict[int, int] = defaultdict(int)
    for result in coup.results:
        credited[result.seat] += result.credited
    compare("refunds", {seat: (amount, STACK) for seat, amount in credited.items()}, refunds)
    compare("net by seat", coup.net_by_seat, {seat: amount - credited[seat] for seat, (amount, _) in refunds.items()})


def _of(replay: Replay, kind: Any) -> list[Any]:
    return [event for event in replay.told if isinstance(event, kind)]
