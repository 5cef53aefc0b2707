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
from services.cli.replaying.casino.desk import DEALER, Desk, NotTold
from services.cli.replaying.casino.incidents import replay_incident
from services.cli.replaying.casino.record import CasinoHand, CasinoRecord, Event
from services.cli.replaying.play import STEP_MS, Outcome
from services.cli.replaying.record import Claims, parsed
from services.table.domain.games.live_poker.limiting import held_of

_BLINDS = {"idle": "idle_big_blind_live", "missed": "missed_blinds_dead"}
_CATEGORIES = {"two_pair": "two pairs"}
_REASONS = {
    "above_max": "OVER_POT_MAX",
    "raise_cap": "RAISE_CAP_REACHED",
    "call_only_after_exposure": "CALL_ONLY_AFTER_EXPOSURE",
    "out_of_turn_locked": "OUT_OF_TURN_LOCKED",
    "skipped_player_call_only": "SKIPPED_PLAYER_CALL_ONLY",
}
"""The file suggests names of refusals; ours come first."""
_WORDS = {
    "note", "effect", "announced", "source", "would_have_been", "late", "dealt_cards", "exposed_card_no", "binding",
    "completes_underpaid", "skipping",
}  # fmt: skip
"""What a line says for people, or of how it came about: nothing to compare."""


def replay_casino(name: str, document: Any) -> Iterator[Outcome]:
    """NotARecord when the document has another shape."""
    for hand in parsed(CasinoRecord, name, document).hands:
        yield replay_hand(hand)


def replay_hand(hand: CasinoHand) -> Outcome:
    """Plays the hand to its end; what is paid, shown and left is compared at last."""
    desk = Desk(hand)
    if hand.live:
        desk.open()
    else:
        desk.wake()
    compare = desk.outcome.compare
    compare("lead seat", [hand.lead_seat], [started.lead for started in desk.all(p.HandStarted)])
    for line in hand.events:
        try:
            got = _PLAYS[line.event](desk, line)
        except NotTold as other:
            got = {"event": str(other)}
        claims = {name: claim for name, claim in line.claims.items() if name not in _WORDS}
        compare(f"seq {line.seq}", claims, {"seq": line.seq, "event": line.event, **_state(desk, line), **got})
    desk.end()
    compare("expected", hand.expected, _void(desk) if desk.all(p.HandVoided) else _paid(desk))
    for event in desk.told:
        if isinstance(event, p.StreetDealt | p.CardsShown):
            started = desk.all(p.HandStarted)[0]
            desk.compare_proofs(type(event).__name__, (started.deck_root, started.deck_leaves), event.cards)
    if (last := hand.events[-1]).event == "hand_void":
        compare("next lead seat", last.claims.get("next_lead_seat"), desk.next_lead())
    return desk.outcome


def _state(desk: Desk, line: Event) -> Claims:
    """Stack and pot as they are after the line's event; chips that wait for their turn are in neither (71.f)."""
    hand, sitter = desk.seen.hand, desk.seen.seats.get(line.seat or 0)
    if hand is None:
        return {"stack_after": sitter.stack if sitter is not None else None}
    held = held_of(desk.seen, line.seat or 0) if desk.hand.live else None
    waiting = held.chips if held is not None and held.act in ("bet", "raise") else 0
    return {
        "stack_after": sitter.stack - waiting if sitter is not None else None,
        "pot_after": hand.pot,
        "stub_left": desk.stub,
    }


def _post(desk: Desk, line: Event) -> Claims:
    if line.late and line.seat is not None:
        desk.ask(DEALER, RecordPost(hand=desk.number, seat=line.seat))
    event = desk.expect(p.BlindPosted)
    said = {"seat": event.seat, "post": _BLINDS.get(event.blind, event.blind), "amount": event.amount}
    return {**said, "counts_as_bet": event.to > 0}


def _deal_hole(desk: Desk, line: Event) -> Claims:
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
    return {"order": [deal.seat for deal in deals], "passes": passes}


def _action(desk: Desk, line: Event) -> Claims:
    if (skipped := line.skipping) is not None:
        desk.ask(DEALER, PassTurn(hand=desk.number, seat=skipped))
    hand = desk.state.hand
    turn = hand.turn if hand is not None else None
    got: Claims = {"round": hand.street if hand is not None else None, "adds": 0}
    desk.now += STEP_MS
    refused = desk.act(line.seat or 0, line.action, line.to)
    if refused is not None:
        return {"action": f"refused as {refused.reason}"}
    event = desk.next()
    if isinstance(event, p.PlayerFolded | p.PlayerChecked):
        got |= {"seat": event.seat, "action": "fold" if isinstance(event, p.PlayerFolded) else "check"}
    elif isinstance(event, p.BetPlaced):
        desk.outcome.compare(f"seq {line.seq} all-in", line.claims.get("all_in", False), event.all_in)
        got |= {"seat": event.seat, "action": event.act, "adds": event.amount, "to": event.to, "all_in": event.all_in}
        got["raise_no"] = desk.running.raises
    else:
        raise NotTold(type(event).__name__)
    return got if turn is not None and turn.seat == line.seat else {**got, "seat": "out of turn"}


def _attempt(desk: Desk, line: Event) -> Claims:
    before = desk.state
    refused = desk.act(line.seat or 0, line.action, line.to)
    desk.outcome.refusals += 1
    hand = before.hand
    assert hand is not None
    reason = refused.reason if refused is not None else "accepted"
    return {
        **line.model_dump(include={"seat", "action", "to"}),
        "round": hand.street,
        "result": "rejected" if desk.state is before else "accepted",
        "reason": _REASONS.get(reason, reason),
        "maximum_to": hand.turn.legal.max_to if hand.turn is not None else None,
        "players_in_play": len(hand.alive),
    }


def _burn(desk: Desk, line: Event) -> Claims:
    """A card that was turned over in dealing is the burn already (70.c); by a machine it goes with the street."""
    if desk.hand.live:
        if not line.source and line.card is not None:
            desk.scan(line.card, "burn")
        desk.catch_up()
        return {"card": "".join(desk.names(desk.burnt))}
    event = desk.peek()
    if not isinstance(event, p.StreetDealt):
        raise NotTold(type(event).__name__)
    left = desk.stub - (max(event.burned, default=-1) + 1 - desk.running.next_position)
    return {"card": "".join(desk.names(event.burned)), "stub_left": left}


def _board(desk: Desk, line: Event) -> Claims:
    if desk.hand.live:
        for card in line.cards:
            desk.scan(card, "board")
    event = desk.expect(p.StreetDealt)
    desk.outcome.compare(f"seq {line.seq} burnt", line.claims.get("burned_before", True), bool(event.burned))
    said = {"street": event.street, "cards": [card.card for card in event.cards]}
    return {**said, "board": desk.names(desk.running.board), "burned_before": bool(event.burned)}


def _reshuffle(desk: Desk, line: Event) -> Claims:
    event = desk.expect(StubReshuffled)
    got = {"returned": desk.names(event.returned), "stub_left": event.stub}
    desk.reshuffle(line, got)
    return got


def _hand_void(desk: Desk, line: Event) -> Claims:
    event, cause = desk.expect(p.HandVoided), desk.all(IncidentRecorded)[-1]
    refunds = {refund.seat: refund.amount for refund in event.refunds if refund.amount}
    lead = line.claims.get("next_lead_seat")
    return {"refunds": refunds, "state_before": cause.state_before, "next_lead_seat": lead}


def _show(desk: Desk, line: Event) -> Claims:
    """Another five of the same strength is equally right."""
    event = desk.expect(p.CardsShown)
    used = [*event.hole_used, *event.board_used]
    said, strength = (five_strength(parse_all(five)) for five in (line.best_five, used))
    best = line.best_five if said == strength else used
    category = event.category if category_of(strength) == event.category else f"{event.category} of other cards"
    cards = [card.card for card in event.cards]
    return {"seat": event.seat, "cards": cards, "best_five": best, "combination": _category(category)}


def _uncalled_returned(desk: Desk, line: Event) -> Claims:
    event = desk.expect(p.UncalledBetReturned)
    return {"seat": event.seat, "amount": event.amount}


def _award(desk: Desk, line: Event) -> Claims:
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
        "combinations": {event.seat: _category(event.category) for event in desk.all(p.CardsShown)},
        **_left(desk),
    }


def _left(desk: Desk) -> Claims:
    stacks = {seat: sitter.stack for seat, sitter in sorted(desk.state.seats.items())}
    before, after = sum(player.stack for player in desk.hand.players), sum(stacks.values())
    raked = desk.state.books.raked
    kept = {"stacks_before": before, "stacks_after": after, "rake": raked, "difference": before - after - raked}
    told = sum(ended.rake for ended in desk.all(p.HandEnded))
    return {"final_stacks": stacks, "conservation": kept, "rake_total": told}


def _category(name: str) -> str:
    return _CATEGORIES.get(name, name.replace("_", " "))


_PLAYS: dict[str, Callable[[Desk, Event], Claims]] = {
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
