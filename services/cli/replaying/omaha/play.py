"""A worked hand of Omaha through the real rules: each act and what was on offer, and what came of the hand."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts import poker_events as p
from libs.contracts.facts import TableEvent, plain
from libs.contracts.poker_configuration import PokerDealing
from libs.contracts.table_commands import LeaveTable, OpenTable
from libs.contracts.table_events import PlayerLeft
from libs.decider import Rejected
from libs.sealing.shuffle import Shuffle
from services.cli.replaying.omaha.record import Action, Record, Ruleset, WorkedHand
from services.cli.replaying.play import (
    DECISION_MS,
    STEP_MS,
    Outcome,
    Replay,
    as_strong,
    bounds,
    compare_results,
    compare_shown_cards,
    seated,
    stacked,
)  # fmt: skip
from services.cli.replaying.record import Claims, parsed, play_each
from services.table.domain.games.poker.state import PokerTable

_RULEBOOKS = {"pt-811-2015-omaha-online": "pt-811-2015-omaha", "mo-97-2010-omaha": "mo-97-2010-omaha"}
"""The records' name of a regulation to our rulebook."""
_HAS_A_LINE = (p.BlindPosted, p.BetPlaced, p.PlayerFolded, p.PlayerChecked, p.StreetDealt)


def replay_omaha(document: Any) -> Iterator[Outcome]:
    """NotARecord when something in the document can't be played."""
    record = parsed(Record, document)
    return play_each(((hand.id, hand) for hand in record.hands), lambda hand: _replay(hand, record))


def _replay(hand: WorkedHand, record: Record) -> Outcome:
    """Plays the hand and the start of the next one (for its button)."""
    rules = record.rulesets[hand.ruleset]
    outcome = Outcome(hand.id, hand.title, hand.ruleset)
    table = _table_before(hand, rules)
    replay = Replay(table, outcome, _deck_of(hand, table.rules.dealing), _HAS_A_LINE)
    replay.wake()
    stacks = {player.seat: player.stack for player in hand.players}
    for started in replay.all(p.HandStarted):
        outcome.compare("positions", hand.positions.model_dump(), _told(started))
        outcome.compare("stacks", stacks, {seat.seat: seat.stack for seat in started.seats})
    for action in hand.actions:
        _play(replay, action)
    replay.end()
    ended = replay.all(p.HandEnded)
    outcome.compare("hands ended", 1, len(ended))
    for each in ended:
        _compare_end(replay, hand, each)
    return outcome


def _table_before(hand: WorkedHand, rules: Ruleset) -> PokerTable:
    """The last button is put one place behind the recorded one."""
    configuration = {
        **rules.model_dump(exclude={"regulation", "rake"}),
        "mode": "continuous",
        "version": 1,
        "approval": "worked hands",
        "seats": max(player.seat for player in hand.players),
        "small_blind": hand.blinds.small,
        "small_blind_reason": "as recorded",
        "big_blind": hand.blinds.big,
        "rake_mode": rules.rake.mode,
        "rake_bp": rules.rake.rate_bp,
        "rake_cap_big_blinds": rules.rake.cap_big_blinds,
        "decision_ms": DECISION_MS,
        **bounds([player.stack for player in hand.players]),
    }
    opening = OpenTable(name=hand.title[:80], rulebook=_RULEBOOKS[rules.regulation], configuration=configuration)
    stacks = {player.seat: (player.name, player.stack) for player in hand.players}
    state = seated(PokerTable(table=f"replay-{hand.id}"), opening, stacks)
    seats = sorted(state.seats)
    return replace(state, running=True, button=seats[seats.index(hand.positions.button) - 1])


def _deck_of(hand: WorkedHand, dealing: PokerDealing) -> Shuffle:
    """The recorded cards come out at their places; the other cards fill the deck in order."""
    seats = sorted(player.seat for player in hand.players)
    from_blind = dealing.deal_from == "small_blind"
    start = seats.index(hand.positions.small_blind) if from_blind else seats.index(hand.positions.button) + 1
    holes = {player.seat: parse_all(player.hole) for player in hand.players}
    streets = [parse_all(street) for street in hand.board.streets]
    return stacked([holes[seat] for seat in seats[start:] + seats[:start]], streets, dealing.burn_before_board)


def _play(replay: Replay, action: Action) -> None:
    before, where = replay.state, f"seq {action.seq}"
    hand = before.hand
    turn = hand.turn if hand is not None else None
    got: Claims = {"seq": action.seq, "street": hand.street if hand is not None else None}
    if action.act == "rejected":
        refused = replay.act(action.seat, action.attempt, action.to)
        got |= action.model_dump(include={"seat", "act", "attempt", "to"})
        got["reason"] = refused.reason if refused is not None else None
        replay.outcome.compare(f"{where} changes nothing", True, replay.state is before)
        replay.outcome.refusals += 1
    else:
        if action.act not in ("post_sb", "post_bb", "deal_board"):
            replay.outcome.compare(f"{where} turn", action.seat, turn.seat if turn is not None else None)
            refused = _decide_for(replay, action)
            if refused is not None:
                replay.outcome.differences.append(f"{where}: {action.act} is refused as {refused.reason}")
                return
        if turn is not None:
            legal = turn.legal
            got["legal"] = {"check": legal.check, "call": legal.call, "min_to": legal.min_to, "max_to": legal.max_to}
            replay.outcome.legal_ranges += "legal" in action.claims
        event = replay.next()
        got |= _told(event) if event is not None else {"act": None}
        if isinstance(event, p.PlayerFolded | p.PlayerChecked):
            got["to"] = replay.seen.hand.players[event.seat].in_round
    replay.outcome.compare(where, {"by": None, "all_in": False, **action.claims}, {"by": None, "all_in": False, **got})


def _decide_for(replay: Replay, action: Action) -> Rejected | None:
    hand = replay.state.hand
    if action.by == "timeout" and hand is not None and hand.turn is not None:
        replay.now = hand.turn.bank_until + 1
        replay.wake()
        return None
    replay.now += STEP_MS
    if action.by == "leave":
        return replay.send(replay.player(action.seat), LeaveTable())
    return replay.act(action.seat, action.act, action.to)


def _told(event: TableEvent) -> Claims:
    """The event in the words of the record."""
    match event:
        case p.HandStarted():
            return {"button": event.button, "small_blind": event.small_blind, "big_blind": event.big_blind}
        case p.BlindPosted():
            act = "post_sb" if event.blind == "small" else "post_bb"
            return {"act": act, "seat": event.seat, "add": event.amount, "to": event.to}
        case p.BetPlaced():
            said = {"act": event.act, "seat": event.seat, "add": event.amount, "to": event.to}
            return {**said, "all_in": event.all_in}
        case p.PlayerFolded() | p.PlayerChecked():
            by = "leave" if event.reason == "left" else event.reason
            return {
                "act": "fold" if isinstance(event, p.PlayerFolded) else "check",
                "seat": event.seat,
                "add": 0,
                "by": by,
            }
        case p.StreetDealt():
            return {"act": "deal_board", "street": event.street, "cards": [card.card for card in event.cards]}
        case _:
            return {"act": type(event).__name__}


def _compare_end(replay: Replay, hand: WorkedHand, ended: p.HandEnded) -> None:
    compare, state, awards = replay.outcome.compare, replay.state, replay.all(p.PotAwarded)
    shown = replay.all(p.CardsShown)
    left = {event.seat: event.stack for event in replay.all(PlayerLeft)}
    final = {result.seat: result.stack for result in ended.results} | left
    returned = [{"seat": event.seat, "amount": event.amount} for event in replay.all(p.UncalledBetReturned)]
    before, after = sum(player.stack for player in hand.players), sum(final.values())
    compare("leaves", sorted(hand.leaves), sorted(left))
    compare_shown_cards(replay)
    compare_results(replay)
    replay.now += STEP_MS
    replay.wake()
    got: Claims = {
        "uncalled_returned": returned[0] if returned else None,
        "contributions": {result.seat: result.staked for result in ended.results},
        "pots": [_pot(award) for award in awards],
        "rake": {
            "total": ended.rake,
            "basis": "/".join(sorted({award.basis for award in awards})),
            "exemption": ended.exemption,
            "cap": (state.rules.rake.cap_big_blinds or 0) * state.rules.betting.big_blind,
            "before_cap": sum(award.amount * state.rules.rake.bp // 10_000 for award in awards),
        },
        "payouts": {result.seat: result.won for result in ended.results if result.won},
        "showdown": _showdown(hand, shown) if shown else None,
        "final_stacks": final,
        "next_button": replay.all(p.HandStarted)[-1].button,
        "conservation": {"before": before, "after": after, "rake": before - after},
    }
    compare("expected", hand.expected.claims, got)
    dealt = [[card.card for card in event.cards] for event in replay.all(p.StreetDealt)]
    compare("board", hand.board.streets, dealt)
    compare(
        "pots add up", [pot["amount"] for pot in got["pots"]], [sum(paid.gross for paid in a.payments) for a in awards]
    )


def _pot(award: p.PotAwarded) -> Claims:
    payments = [plain(paid) for paid in award.payments]
    said = {"id": award.pot, "amount": award.amount, "eligible": award.eligible, "winners": award.winners}
    return {**said, "rake": award.rake, "payments": payments}


def _showdown(hand: WorkedHand, shown: Sequence[p.CardsShown]) -> Claims:
    """Another set of cards of the same strength is equally right (schema: showdown); two and three it must be."""
    claimed = hand.expected.showdown.hands if hand.expected.showdown is not None else {}
    holes = {player.seat: player.hole for player in hand.players}
    hands = {}
    for event in shown:
        used = [event.hole_used, event.board_used]
        if (best := claimed.get(event.seat)) is not None:
            said = [best.hole_used, best.board_used]
            if [len(cards) for cards in said] == [2, 3] and as_strong([*said[0], *said[1]], [*used[0], *used[1]]):
                used = said
        cards = sorted(card.card for card in event.cards) == sorted(holes[event.seat])
        sound = cards and category_of(five_strength(parse_all([*used[0], *used[1]]))) == event.category
        category = event.category if sound else f"{event.category} of other cards"
        hands[event.seat] = {"category": category, "hole_used": used[0], "board_used": used[1]}
    return {"order": [event.seat for event in shown], "hands": hands}
