"""A worked hand of casino poker through the real rules: each line, and the state after it, as it comes."""

from collections.abc import Callable, Iterator
from typing import Any

from libs.cards.card import parse_all
from libs.cards.ranking import category_of, five_strength
from libs.contracts import poker_events as p
from libs.contracts.facts import plain
from libs.contracts.live_commands import DeliverPot, PassTurn, RecordPost
from libs.contracts.live_events import IncidentRecorded, StubReshuffled
from libs.money.rates import part_of
from services.cli.replaying.casino.desk import DEALER, Desk, NotTold, category_in_words
from services.cli.replaying.casino.incidents import replay_incident
from services.cli.replaying.casino.record import (  # fmt: skip
    Act,
    Attempt,
    Award,
    BoardDealt,
    Burn,
    CasinoHand,
    CasinoRecord,
    DealHole,
    Event,
    Post,
    Reshuffled,
    Show,
    UncalledReturned,
    Voided,
)
from services.cli.replaying.play import STEP_MS, Outcome, as_strong, compare_results, compare_shown_cards
from services.cli.replaying.record import Claims, parsed, play_each
from services.table.domain.games.live_poker.limiting import held_of
from services.table.domain.games.live_poker.state import live_of

_BLINDS = {"idle": "idle_big_blind_live", "missed": "missed_blinds_dead"}
_REASONS = {
    "above_max": "OVER_POT_MAX",
    "raise_cap": "RAISE_CAP_REACHED",
    "call_only_after_exposure": "CALL_ONLY_AFTER_EXPOSURE",
    "out_of_turn_locked": "OUT_OF_TURN_LOCKED",
    "skipped_player_call_only": "SKIPPED_PLAYER_CALL_ONLY",
}
"""The file suggests names of refusals; ours come first."""
_NOT_COMPARED = {"note", "effect", "source", "late", "skipping"}
"""Words for people, and what is played and not claimed."""
_STREET_AT = {1: "flop", 2: "flop", 3: "flop", 5: "turn", 7: "river"}
"""What a card of the stub becomes by its place from the top, as long as nothing goes wrong."""


def replay_casino(document: Any) -> Iterator[Outcome]:
    """NotARecord when something in the document can't be played."""
    hands = parsed(CasinoRecord, document).hands
    return play_each(((hand.id, hand) for hand in hands), replay_hand)


def replay_hand(hand: CasinoHand) -> Outcome:
    """Plays the hand to its end; what is paid, shown and left is compared at last."""
    desk = Desk(hand)
    if hand.live:
        desk.open()
    else:
        desk.wake()
    compare = desk.outcome.compare
    compare("lead seat", [hand.lead_seat], [started.lead for started in desk.all(p.HandStarted)])
    for line, got in play_each(((f"events: seq {line.seq}", line) for line in hand.events), desk_played(desk)):
        claims = {name: claim for name, claim in line.claims.items() if name not in _NOT_COMPARED}
        compare(f"seq {line.seq}", claims, {"seq": line.seq, "event": line.event, **_state(desk, line), **got})
    desk.end()
    compare("expected", hand.expected.claims, _void(desk) if desk.all(p.HandVoided) else _paid(desk))
    compare_shown_cards(desk)
    compare_results(desk)
    if isinstance(last := hand.events[-1], Voided):
        compare("next lead seat", last.next_lead_seat, desk.next_lead())
    return desk.outcome


def desk_played(desk: Desk) -> Callable[[Event], tuple[Event, Claims]]:
    """Plays a line at the desk, and tells it in the record's words."""

    def play(line: Event) -> tuple[Event, Claims]:
        try:
            return line, _PLAYS[line.event](desk, line)
        except NotTold as other:
            return line, {"event": str(other)}

    return play


def _state(desk: Desk, line: Event) -> Claims:
    """Stack and pot as they are after the line's event; chips that wait for their turn are in neither (71.f)."""
    seat: int = getattr(line, "seat", None) or 0
    hand, sitter = desk.seen.hand, desk.seen.seats.get(seat)
    if hand is None:
        return {"stack_after": sitter.stack if sitter is not None else None}
    held = held_of(desk.seen, seat) if desk.hand.live else None
    waiting = held.chips if held is not None and held.act in ("bet", "raise") else 0
    return {
        "stack_after": sitter.stack - waiting if sitter is not None else None,
        "pot_after": hand.pot,
        "stub_left": desk.stub,
    }


def _post(desk: Desk, line: Post) -> Claims:
    if line.late:
        desk.ask(DEALER, RecordPost(hand=desk.number, seat=line.seat))
    event = desk.expect(p.BlindPosted)
    said = {"seat": event.seat, "post": _BLINDS.get(event.blind, event.blind), "amount": event.amount}
    return {**said, "counts_as_bet": event.to > 0}


def _deal_hole(desk: Desk, line: DealHole) -> Claims:
    if desk.hand.live:
        desk.deal_until()
    deals = desk.expect(p.HoleCardsDealt).deals
    dealt = {deal.seat: desk.names(deal.positions) for deal in deals}
    for player in desk.hand.players:
        if player.hole:
            desk.outcome.compare(f"seat {player.seat} holds", player.hole, dealt.get(player.seat, []))
    passes = len(deals[0].positions)
    if not desk.hand.live:
        laps = [[lap * len(deals) + place for lap in range(passes)] for place in range(len(deals))]
        desk.outcome.compare("one card a pass", laps, [deal.positions for deal in deals])
    turned = [desk.pack.index(incident.exposed[0].card) + 1 for incident in desk.incidents]
    cards = desk.pack[: desk.scanned or passes * len(deals)]
    return {
        "order": [deal.seat for deal in deals],
        "passes": passes,
        "dealt_cards": cards,
        "exposed_card_no": turned[0] if turned else None,
    }


def _action(desk: Desk, line: Act) -> Claims:
    if line.skipping is not None:
        desk.ask(DEALER, PassTurn(hand=desk.number, seat=line.skipping))
    hand = desk.state.hand
    turn = hand.turn if hand is not None else None
    got: Claims = {"round": hand.street if hand is not None else None, "adds": 0}
    if desk.hand.live and hand is not None:
        got["binding"] = held_of(desk.state, line.seat) is not None
        got["completes_underpaid"] = live_of(desk.state).limited.get(line.seat) == "bound"
    desk.now += STEP_MS
    refused = desk.act(line.seat, line.action, line.to)
    if refused is not None:
        return {"action": f"refused as {refused.reason}"}
    event = desk.next()
    if isinstance(event, p.PlayerFolded | p.PlayerChecked):
        got |= {"seat": event.seat, "action": "fold" if isinstance(event, p.PlayerFolded) else "check"}
    elif isinstance(event, p.BetPlaced):
        desk.outcome.compare(f"seq {line.seq} all-in", line.all_in, event.all_in)
        got |= {"seat": event.seat, "action": event.act, "adds": event.amount, "to": event.to, "all_in": event.all_in}
        got["raise_no"] = desk.running.raises
    else:
        raise NotTold(type(event).__name__)
    return got if turn is not None and turn.seat == line.seat else {**got, "seat": "out of turn"}


def _attempt(desk: Desk, line: Attempt) -> Claims:
    before, hand = desk.state, desk.table_hand
    refused = desk.act(line.seat, line.action, line.to)
    desk.outcome.refusals += 1
    reason = refused.reason if refused is not None else "accepted"
    return {
        **line.model_dump(include={"seat", "action", "to"}),
        "round": hand.street,
        "result": "rejected" if desk.state is before else "accepted",
        "reason": _REASONS.get(reason, reason),
        "maximum_to": hand.turn.legal.max_to if hand.turn is not None else None,
        "players_in_play": len(hand.alive),
    }


def _burn(desk: Desk, line: Burn) -> Claims:
    """A card that was turned over in dealing is the burn already (70.c); by a machine it goes with the street."""
    if desk.hand.live:
        if not line.source:
            desk.scan(line.card, "burn")
        desk.catch_up()
        return {"card": "".join(desk.names(desk.live.burnt))}
    event = desk.peek()
    if not isinstance(event, p.StreetDealt):
        raise NotTold(type(event).__name__)
    left = desk.stub - (max(event.burned, default=-1) + 1 - desk.running.next_position)
    return {"card": "".join(desk.names(event.burned)), "stub_left": left}


def _board(desk: Desk, line: BoardDealt) -> Claims:
    if desk.hand.live:
        for card in line.cards:
            desk.scan(card, "board")
    event = desk.expect(p.StreetDealt)
    desk.outcome.compare(f"seq {line.seq} burnt", line.burned_before, bool(event.burned))
    cards, stub = [card.card for card in event.cards], desk.hand.stub_top
    meant = _STREET_AT.get(stub.index(cards[0])) if cards[0] in stub else None
    said = {"street": event.street, "cards": cards, "would_have_been": meant}
    return {**said, "board": desk.names(desk.running.board), "burned_before": bool(event.burned)}


def _reshuffle(desk: Desk, line: Reshuffled) -> Claims:
    event = desk.expect(StubReshuffled)
    got = {"returned": desk.names(event.returned), "stub_left": event.stub}
    desk.reshuffle(line, got)
    return got


def _hand_void(desk: Desk, line: Voided) -> Claims:
    """Who leads the next hand is seen when it is dealt."""
    event, causes = desk.expect(p.HandVoided), desk.all(IncidentRecorded)
    refunds = {refund.seat: refund.amount for refund in event.refunds if refund.amount}
    state = causes[-1].state_before if causes else None
    return {"refunds": refunds, "state_before": state, "next_lead_seat": line.next_lead_seat}


def _show(desk: Desk, line: Show) -> Claims:
    """Another five of the same strength is equally right."""
    event = desk.expect(p.CardsShown)
    used = [*event.hole_used, *event.board_used]
    strength = five_strength(parse_all(used))
    category = event.category if category_of(strength) == event.category else f"{event.category} of other cards"
    cards = [card.card for card in event.cards]
    return {
        "seat": event.seat,
        "cards": cards,
        "best_five": line.best_five if as_strong(line.best_five, used) else used,
        "combination": category_in_words(category),
    }


def _uncalled_returned(desk: Desk, line: UncalledReturned) -> Claims:
    event = desk.expect(p.UncalledBetReturned)
    return {"seat": event.seat, "amount": event.amount}


def _award(desk: Desk, line: Award) -> Claims:
    if not desk.payments:
        if desk.peek() is None and desk.hand.live:
            desk.ask(DEALER, DeliverPot(hand=desk.number))
        event = desk.expect(p.PotAwarded)
        desk.payments = [(event.pot, payment) for payment in event.payments]
    pot, paid = desk.payments.pop(0)
    return {"pot": pot.replace("_", "-"), **plain(paid)}


def _void(desk: Desk) -> Claims:
    refunds = {r.seat: r.amount for event in desk.all(p.HandVoided) for r in event.refunds if r.amount}
    return {"result": "void", "refunds": refunds, **_left(desk)}


def _paid(desk: Desk) -> Claims:
    awards, bp = desk.all(p.PotAwarded), desk.state.rules.rake.bp
    results = [result for ended in desk.all(p.HandEnded) for result in ended.results]
    returned = [{"seat": event.seat, "amount": event.amount} for event in desk.all(p.UncalledBetReturned)]
    pots = [(award.pot.replace("_", "-"), award) for award in awards]
    return {
        "contributions": {player.seat: 0 for player in desk.hand.players} | {r.seat: r.staked for r in results},
        "uncalled_returned": returned[0] if returned else "none",
        "pot_total": sum(award.amount for award in awards),
        "pots": [
            {"name": pot, "amount": a.amount, "eligible": a.eligible, "winners": [paid.seat for paid in a.payments]}
            for pot, a in pots
        ],
        "payments": [
            {"pot": pot, **plain(paid), "rake_uncapped": part_of(paid.gross, bp)}
            for pot, award in pots
            for paid in award.payments
        ],
        "net_payouts": {result.seat: result.won for result in results if result.won},
        "combinations": {event.seat: category_in_words(event.category) for event in desk.all(p.CardsShown)},
        **_left(desk),
    }


def _left(desk: Desk) -> Claims:
    stacks = {seat: sitter.stack for seat, sitter in sorted(desk.state.seats.items())}
    before, after = sum(player.stack for player in desk.hand.players), sum(stacks.values())
    raked = desk.state.books.raked
    kept = {"stacks_before": before, "stacks_after": after, "rake": raked, "difference": before - after - raked}
    told = sum(ended.rake for ended in desk.all(p.HandEnded))
    return {"final_stacks": stacks, "conservation": kept, "rake_total": told}


_PLAYS: dict[str, Callable[[Desk, Any], Claims]] = {
    "post": _post,
    "deal_hole": _deal_hole,
    "action": _action,
    "attempt": _attempt,
    "burn": _burn,
    "board": _board,
    "reshuffle": _reshuffle,
    "incident": replay_incident,
    "show": _show,
    "uncalled_returned": _uncalled_returned,
    "award": _award,
    "hand_void": _hand_void,
}
