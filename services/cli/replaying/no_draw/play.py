"""A worked round of no-draw poker through the real rules: antes, decisions, connections, and what was paid."""

from collections.abc import Iterator
from typing import Any

from libs.cards.card import DECK, parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts import no_draw_poker_events as n
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.commands import TableCommand
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte
from libs.contracts.table_commands import OpenTable, ReportConnection
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.no_draw.record import Happening, WorkedRound, WorkedRounds, WorkedSeat
from services.cli.replaying.no_draw.timeline import CONNECTION, happenings, told_at
from services.cli.replaying.play import BANK, NO_SECRET, Outcome, Replay, seated
from services.cli.replaying.record import Claims, parsed, play_each
from services.table.domain.table.state import Table

_RULEBOOK = "pt-803-2015-no-draw"
_BETTING_MS = 20_000
Step = tuple[Principal, TableCommand]
_ACTS = {"continue": "continues", "fold": "folds"}
_LATE = ("timeout", "disconnected")
_DECISIONS = {"player": "fold"}
_CATEGORIES = {"two_pair": "two-pairs", "pair": "one-pair"}


def replay_rounds(document: Any) -> Iterator[Outcome]:
    """NotARecord when something in the document can't be played."""
    rounds = parsed(WorkedRounds, document).rounds
    return play_each(((worked.id, worked) for worked in rounds), _replay)


def _replay(worked: WorkedRound) -> Outcome:
    replay = Replay(_table_before(worked), Outcome(worked.id, worked.title, _RULEBOOK), _deck_of(worked))
    _bet_and_deal(replay, worked)
    _decide(replay, worked)
    replay.end()
    compare, dealt = replay.outcome.compare, replay.all(n.RoundDealt)
    compare("rounds dealt", 1, len(dealt))
    for each in dealt:
        claims = worked.model_dump(include={"burn", "dealer_hand", "dealer_up_card", "seats", "qualification"})
        claims["qualification"].pop("because")
        compare("", claims, _told(replay, worked, each))
        _compare_shown(replay, worked, each)
    got = _refunded(replay, worked) if worked.void else _settled(replay, worked)
    defaults = {} if worked.void else {"decided_by": "", "pay_multiplier": 0}
    compare("results", [{**defaults, **result.claims} for result in worked.results], got)
    return replay.outcome


def _table_before(worked: WorkedRound) -> Table:
    configuration = {
        "version": 1,
        "approval": "worked rounds",
        "seats": 1 if worked.table.mode == "single" else 7,
        "buy_in": worked.stack,
        "top_up_to": worked.stack,
        "betting_ms": _BETTING_MS,
        "between_rounds_ms": 0,
        **worked.table.model_dump(),
        **worked.timing.model_dump(),
    }
    opening = OpenTable(name=worked.title[:80], rulebook=_RULEBOOK, configuration=configuration, bank=BANK)
    stacks = {seat.seat: (f"seat-{seat.seat}", worked.stack) for seat in worked.seats}
    return seated(Table(table=f"replay-{worked.id}"), opening, stacks)


def _deck_of(worked: WorkedRound) -> Shuffle:
    """The recorded cards in the order in which they leave the deck, the others behind them."""
    top = parse_all(worked.deck_order)
    return Shuffle(Deck.of((*top, *(card for card in DECK if card not in top)), NO_SECRET, NO_SECRET), ())


def _player(seat: WorkedSeat) -> Principal:
    return Principal("player", f"seat-{seat.seat}")


def _bet_and_deal(replay: Replay, worked: WorkedRound) -> None:
    replay.wake()
    for seat in worked.seats:
        replay.demand(f"ante of seat {seat.seat}", _player(seat), PlaceAnte(amount=seat.ante))
    if worked.table.mode == "single":
        replay.demand("deal", _player(worked.seats[0]), DealRound(round=1))
    else:
        replay.now += _BETTING_MS
    replay.wake()


def _decide(replay: Replay, worked: WorkedRound) -> None:
    """Decisions and connections at their times, those that have none at once; and the clock for who is late."""
    began = replay.now
    steps: list[tuple[int, Step | None]] = [(each.at_ms, _connection_in(each)) for each in worked.timeline]
    steps = [(at, step) for at, step in steps if step is not None]
    untold = not any("connection lost" in each.event for each in worked.timeline)
    for seat in worked.seats:
        if seat.decision in ("continue", "fold"):
            replay.outcome.legal_ranges += 1
            steps.append((_decided_at(worked, seat), _deciding(seat)))
        elif seat.decision == "disconnected" and untold:
            steps.append((0, _connecting(seat.seat, connected=False)))
    late = not worked.void and any(seat.decision in _LATE for seat in worked.seats)
    until = worked.timing.decision_ms, worked.timing.decision_ms + worked.timing.extra_ms
    steps += [(each, None) for each in until if late or any(at > each for at, _ in steps)]
    for at, step in sorted(steps, key=lambda step: step[0]):
        replay.now = began + at
        if step is None:
            replay.wake()
        else:
            replay.demand(f"{type(step[1]).__name__} after {at} ms", *step)
    if worked.void:
        replay.demand_void(VoidRound(round=1, cause=worked.title))
    if worked.timeline:
        told = list(happenings(replay.told))
        replay.outcome.compare("timeline", [each.model_dump() for each in worked.timeline], told)


def _decided_at(worked: WorkedRound, seat: WorkedSeat) -> int:
    return told_at(worked.timeline, f"seat {seat.seat} {_ACTS[seat.decision]}", 0)


def _is_late(worked: WorkedRound, seat: WorkedSeat) -> bool:
    """Decided after the warning."""
    return seat.decision in _ACTS and _decided_at(worked, seat) > worked.timing.decision_ms


def _deciding(seat: WorkedSeat) -> Step:
    decision: Any = seat.decision
    return _player(seat), DecideHand(round=1, decision=decision, bet=seat.bet if decision == "continue" else None)


def _connecting(seat: int, connected: bool) -> Step:
    return Principal("policy", "replay"), ReportConnection(player=f"seat-{seat}", connected=connected)


def _connection_in(told: Happening) -> Step | None:
    found = CONNECTION.fullmatch(told.event)
    return _connecting(int(found["seat"]), found["change"] == "restored") if found is not None else None


def _told(replay: Replay, worked: WorkedRound, dealt: n.RoundDealt) -> Claims:
    """Cards, decisions and the dealer's hand in the words of the record."""
    order = worked.deck_order.split()
    hands = {deal.seat: " ".join(order[at] for at in deal.positions) for deal in dealt.deals}
    antes = {event.seat: event.total for event in replay.all(n.AntePlaced)}
    bets = {event.seat: event.amount for event in replay.all(n.SecondBetPlaced)}
    folds = {event.seat: _DECISIONS.get(event.cause, event.cause) for event in replay.all(n.HandSurrendered)}
    shown = replay.all(n.DealerShown)
    return {
        "burn": " ".join(order[at] for at in dealt.burned),
        "dealer_hand": " ".join(order[at] for at in dealt.dealer),
        "dealer_up_card": dealt.dealer_up.card,
        "seats": [
            {
                "seat": seat,
                "ante": ante,
                "hand": hands.get(seat),
                "decision": "continue" if seat in bets else folds.get(seat, "none"),
                "bet": bets.get(seat, 0),
            }
            for seat, ante in sorted(antes.items())
        ],
        "qualification": {
            "qualifies": shown[0].plays if shown else None,
            "dealer_category": _words(shown[0].category, _CATEGORIES) if shown else "not-revealed",
        },
    }


def _compare_shown(replay: Replay, worked: WorkedRound, dealt: n.RoundDealt) -> None:
    """Who was warned, whose hands were turned up, and that the cards in the open were committed to."""
    compare, root = replay.outcome.compare, (dealt.deck_root, len(DECK))
    late = [seat.seat for seat in worked.seats if seat.decision in _LATE or _is_late(worked, seat)]
    compare("warned seats", late, [seat for event in replay.all(n.HandsWarned) for seat in event.seats])
    compared = {result.seat for result in worked.results if result.outcome in ("win", "lose", "tie")}
    hands = {seat.seat: seat.hand.split() for seat in worked.seats if seat.seat in compared}
    up = {event.seat: [card.card for card in event.cards] for event in replay.all(n.RoundHandShown)}
    compare("hands turned up", hands, up)
    replay.compare_proofs("open card", root, [dealt.dealer_up])
    for dealer in replay.all(n.DealerShown):
        compare("dealer's cards", worked.dealer_hand.split(), [card.card for card in dealer.cards])
        replay.compare_proofs("dealer", root, dealer.cards)
    for hand in replay.all(n.RoundHandShown):
        replay.compare_proofs(f"seat {hand.seat}", root, hand.cards)


def _settled(replay: Replay, worked: WorkedRound) -> list[Claims]:
    settled = replay.all(n.RoundSettled)
    net = sum(result.net for event in settled for result in event.results)
    replay.outcome.compare("house", [-net], [event.house for event in settled])
    got = []
    for result in (result for event in settled for result in event.results):
        areas = {area.area: {"stake": area.staked, "credited": area.credited} for area in result.bets}
        credited, where = sum(area["credited"] for area in areas.values()), f"seat {result.seat}"
        replay.outcome.compare(f"{where} credited, stack", [credited, worked.stack + result.net],
                               [result.credited, result.stack])  # fmt: skip
        got.append({
            "seat": result.seat,
            "player_category": _category_at(worked, result.seat),
            "outcome": _words(result.outcome, {}),
            "decided_by": result.decided_by,
            "pay_multiplier": result.multiplier,
            "ante": areas.get("ante"),
            "bet": areas.get("bet", {"stake": 0, "credited": 0}),
            "net": result.net,
        })  # fmt: skip
    return got


def _refunded(replay: Replay, worked: WorkedRound) -> list[Claims]:
    """Every stake came back whole and nothing was shown or settled."""
    early = [event for event in replay.told if isinstance(event, n.DealerShown | n.RoundHandShown | n.RoundSettled)]
    voided = replay.all(n.RoundVoided)
    replay.outcome.compare("rounds void, and anything shown or settled", [1, 0], [len(voided), len(early)])
    refunds = {refund.seat: refund for event in voided for refund in event.refunds}
    got: list[Claims] = []
    for seat in worked.seats:
        refund = refunds.get(seat.seat)
        whole = refund is not None and refund.amount == seat.ante + seat.bet
        got.append({
            "seat": seat.seat,
            "player_category": _category_at(worked, seat.seat),
            "outcome": "void",
            "ante": {"stake": seat.ante, "credited": seat.ante if whole else refund},
            "bet": {"stake": seat.bet, "credited": seat.bet if whole else refund},
            "net": refund.stack - worked.stack if refund is not None else None,
        })  # fmt: skip
    return got


def _category_at(worked: WorkedRound, seat: int) -> str:
    hand = next(each.hand for each in worked.seats if each.seat == seat)
    return _words(category_of(five_strength(parse_all(hand))), _CATEGORIES)


def _words(name: str, special: dict[str, str]) -> str:
    return special.get(name, name.replace("_", "-"))
