"""Worked rounds of no-draw poker; the `conventions` of the file say what each value means."""

from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from libs.cards.card import DECK, parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts import no_draw_poker_events as n
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte
from libs.contracts.table_commands import OpenTable
from libs.sealing.deck import Deck
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.play import BANK, NO_SECRET, STAFF, Outcome, Replay, seated
from services.cli.replaying.record import Claims, Part, parsed
from services.table.domain.table.state import Table

_RULEBOOK = "pt-803-2015-no-draw"
_BETTING_MS = 20_000
_DECISIONS = {"player": "fold"}
_CATEGORIES = {"two_pair": "two-pairs", "pair": "one-pair"}


class WorkedTable(Part):
    mode: Literal["single", "multi"]
    min_ante: int
    max_ante: int


class WorkedSeat(Part):
    seat: int
    ante: int
    hand: str
    decision: Literal["continue", "fold", "timeout", "disconnected", "none"]
    bet: int


class Timing(Part):
    decision_ms: int = 20_000
    extra_ms: int = 10_000


class WorkedRound(Part):
    id: str
    title: str
    rules: list[str]
    table: WorkedTable
    deck_order: str
    burn: str
    dealer_hand: str
    dealer_up_card: str
    seats: list[WorkedSeat] = Field(min_length=1)
    qualification: Claims
    results: list[Claims]
    timing: Timing = Timing()
    timeline: list[Claims] = Field(default=[])
    why: str = ""

    @model_validator(mode="after")
    def whole(self) -> Self:
        order = parse_all(self.deck_order)
        if len(set(order)) != len(order):
            raise ValueError("a card stands in two places")
        seats = [seat.seat for seat in self.seats]
        if len(set(seats)) != len(seats) or seats != [result.get("seat") for result in self.results]:
            raise ValueError("each seat has one result, in the same order")
        return self

    @property
    def void(self) -> bool:
        return self.qualification.get("qualifies") is None

    @property
    def stack(self) -> int:
        """Everybody brings three of the highest antes: enough for any ante with its second bet."""
        return 3 * self.table.max_ante


class WorkedRounds(Part):
    id: str
    title: str
    regulation: str
    conventions: dict[str, str]
    rounds: list[WorkedRound]


def replay_rounds(name: str, document: Any) -> Iterator[Outcome]:
    """NotARecord when the document has another shape."""
    for worked in parsed(WorkedRounds, name, document).rounds:
        yield _replay(worked)


def _replay(worked: WorkedRound) -> Outcome:
    replay = Replay(_table_before(worked), Outcome(worked.id, worked.title, _RULEBOOK), _deck_of(worked))
    _bet_and_deal(replay, worked)
    _decide(replay, worked)
    replay.end()
    compare, dealt = replay.outcome.compare, replay.all(n.RoundDealt)
    compare("rounds dealt", 1, len(dealt))
    for each in dealt:
        claims = worked.model_dump(include={"burn", "dealer_hand", "dealer_up_card", "seats", "qualification"})
        compare("", claims, _told(replay, worked, each))
        _compare_shown(replay, worked, each)
    got = _refunded(replay, worked) if worked.void else _settled(replay, worked)
    defaults = {} if worked.void else {"decided_by": "", "pay_multiplier": 0}
    compare("results", [{**defaults, **result} for result in worked.results], got)
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
    for seat in worked.seats:
        if seat.decision in ("continue", "fold"):
            replay.outcome.legal_ranges += 1
            bet = seat.bet if seat.decision == "continue" else None
            command = DecideHand(round=1, decision=seat.decision, bet=bet)
            replay.demand(f"{seat.decision} of seat {seat.seat}", _player(seat), command)
    if worked.void:
        replay.demand("void", STAFF, VoidRound(round=1, cause=worked.title))
    elif any(seat.decision in ("timeout", "disconnected") for seat in worked.seats):
        for wait in (worked.timing.decision_ms, worked.timing.extra_ms):
            replay.now += wait
            replay.wake()


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
            "because": worked.qualification.get("because"),
        },
    }


def _compare_shown(replay: Replay, worked: WorkedRound, dealt: n.RoundDealt) -> None:
    """Who was warned, whose hands were turned up, and that the cards in the open were committed to."""
    compare, root = replay.outcome.compare, (dealt.deck_root, len(DECK))
    late = [seat.seat for seat in worked.seats if seat.decision in ("timeout", "disconnected")]
    compare("warned seats", late, [seat for event in replay.all(n.HandsWarned) for seat in event.seats])
    compared = {result["seat"] for result in worked.results if result.get("outcome") in ("win", "lose", "tie")}
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
