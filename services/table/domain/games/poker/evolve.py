"""How the events of a hand, and those of the table, change what is remembered of a poker table."""

from collections.abc import Mapping

from msgspec.structs import replace

from libs.contracts import poker_events as e
from libs.contracts.facts import TableEvent
from services.table.domain.games.game import Fold
from services.table.domain.games.poker.configuration import PokerConfiguration
from services.table.domain.games.poker.limits import height_of, raised
from services.table.domain.games.poker.moving import owing, passed_the_gone
from services.table.domain.games.poker.state import Dispute, Disputed, Hand, InHand, PokerSitter, PokerTable, Turn
from services.table.domain.table.handlers import evolved_in


def running(state: PokerTable) -> Hand:
    assert state.hand is not None, "events of a hand come while it runs"
    return state.hand


def _variant_chosen(state: PokerTable, event: e.VariantChosen) -> PokerTable:
    return replace(state, configuration=state.rules.turned_to(event.variant))


def _button_drawn(state: PokerTable, event: e.ButtonDrawn) -> PokerTable:
    return state if state.running else replace(state, button=event.seat)  # it comes there with the hand


def _with_stack(state: PokerTable, seat: int, stack: int) -> Mapping[int, PokerSitter]:
    return {**state.seats, seat: replace(state.seats[seat], stack=stack)}


def _hand_started(state: PokerTable, event: e.HandStarted) -> PokerTable:
    order = tuple(seat.seat for seat in event.seats)
    hand = Hand(
        number=event.hand,
        button=event.button,
        small_blind=event.small_blind,
        big_blind=event.big_blind,
        order=order,
        players={s.seat: InHand(seat=s.seat, player=s.player, reservation=s.reservation) for s in event.seats},
        left=len(order),
        leaves=event.deck_leaves,
        full_raise=state.rules.betting.big_blind,
        last_actor=event.big_blind,
        missed=tuple(event.missed),
    )
    # Who is not dealt in has missed a hand and comes back with the big blind (pt-811-2015 21).
    # Who waits for it after a move waits until then, whatever the rulebook says of who was away.
    waits = state.rules.entry.entering == "with_big_blind"
    dealt = hand.players
    seats = {
        seat: sitter
        if seat in dealt and not (sitter.waiting or sitter.posts or sitter.newcomer)
        else replace(
            sitter,
            waiting=(waits or sitter.moved) and seat not in dealt,
            moved=sitter.moved and seat not in dealt,
            posts=sitter.posts and seat not in dealt,
            newcomer=False,
        )
        for seat, sitter in state.seats.items()
    }
    for seat in dealt:
        if seats[seat].had_break or seats[seat].waited or seats[seat].sat_out_ms:
            seats[seat] = replace(seats[seat], had_break=False, waited=0, sat_out_ms=0)
    for seat, sitter in seats.items():
        if sitter.due_big or sitter.dealt != (seat in dealt):  # the table goes on
            seats[seat] = replace(sitter, due_big=False, dealt=seat in dealt)
    return replace(
        state,
        hand=hand,
        hands=event.hand,
        seats=seats,
        departures=passed_the_gone(state, event),
        running=True,
        resumes=False,
        suspended_at=None,
        session_lead=event.small_blind if state.session_lead is None else state.session_lead,
        button=event.button if event.lead is None else event.lead,
        big_blind=event.big_blind if event.lead is None else 0,
        stopped_with=(),
        button_stays=False,
    )


def _blind_posted(state: PokerTable, event: e.BlindPosted) -> PokerTable:
    hand = running(state)
    player, rules = hand.players[event.seat], state.rules
    live, dead = (0, event.amount) if event.blind in e.DEAD_BLINDS else (event.amount, 0)
    player = replace(
        player,
        committed=player.committed + live,
        dead=player.dead + dead,
        in_round=max(player.in_round, event.to),
        all_in=event.all_in,
    )
    straddles = event.blind == "straddle"
    # What everybody else has to match, also when the poster could not post all of it.
    owed = rules.betting.big_blind if event.blind == "big" else rules.betting.straddle if straddles else 0
    bet = max(hand.bet, event.to, owed)
    hand = replace(
        hand,
        players={**hand.players, event.seat: player},
        pot=hand.pot + event.amount,
        bet=bet,
        level=bet,
        full_raise=rules.betting.straddle if straddles else hand.full_raise,
        last_actor=event.seat if straddles else hand.last_actor,
    )
    return replace(state, hand=hand, seats=_with_stack(state, event.seat, event.stack))


def _hole_cards_dealt(state: PokerTable, event: e.HoleCardsDealt) -> PokerTable:
    hand = running(state)
    players = {d.seat: replace(hand.players[d.seat], hole=tuple(d.positions)) for d in event.deals}
    last = max([max(deal.positions) for deal in event.deals])
    bet = hand.bet
    if state.rules.entry.stack == "one_chip":
        bet = max(bet, state.rules.betting.big_blind)  # owed also where an ante left its poster nothing
    return replace(state, hand=replace(hand, players=players, next_position=last + 1, bet=bet, level=bet))


def _decision_awaited(state: PokerTable, event: e.DecisionAwaited) -> PokerTable:
    turn = Turn(
        seat=event.seat, version=state.version + 1, legal=event.legal, until=event.until, bank_until=event.bank_until
    )
    return replace(state, hand=replace(running(state), turn=turn))


def _folded_or_checked(state: PokerTable, event: e.PlayerFolded | e.PlayerChecked) -> PokerTable:
    hand, seat = running(state), event.seat
    folds = type(event) is e.PlayerFolded
    player = hand.players[seat]
    player = replace(
        player,
        folded=folds,
        all_in=player.all_in or (type(event) is e.PlayerChecked and event.all_in),
        answered=height_of(hand, state.rules),
        decided=event.actor == "player" or player.decided,
        timed_out=event.reason == "timeout" or player.timed_out,
    )
    hand = replace(
        hand,
        players={**hand.players, seat: player},
        left=hand.left - folds,
        last_actor=seat,
        opener=seat if hand.opener is None else hand.opener,
        turn=None,
    )
    sitter = state.seats[seat]
    protected = sitter.protected + (type(event) is e.PlayerChecked and event.all_in)
    if (sitter.time_bank, sitter.protected) == (event.time_bank_left, protected):
        return replace(state, hand=hand)
    sitter = replace(sitter, time_bank=event.time_bank_left, protected=protected)
    return replace(state, hand=hand, seats={**state.seats, seat: sitter})


def _bet_placed(state: PokerTable, event: e.BetPlaced) -> PokerTable:
    hand, seat, rules = running(state), event.seat, state.rules
    if event.to > hand.bet:
        hand = raised(hand, seat, event.to, rules)
    player = hand.players[seat]
    player = replace(
        player,
        committed=player.committed + event.amount,
        in_round=event.to,
        answered=height_of(hand, rules),
        all_in=event.all_in,
        decided=True,
    )
    hand = replace(
        hand,
        players={**hand.players, seat: player},
        pot=hand.pot + event.amount,
        # An unfinished act is followed by the same seat again.
        last_actor=hand.after(seat)[-2] if event.unfinished else seat,
        opener=seat if hand.opener is None else hand.opener,
        turn=None,
    )
    sitter = replace(state.seats[seat], stack=event.stack, time_bank=event.time_bank_left)
    return replace(state, hand=hand, seats={**state.seats, seat: sitter})


def _street_dealt(state: PokerTable, event: e.StreetDealt) -> PokerTable:
    hand = running(state)
    used = [card.position for card in event.cards]
    hand = replace(
        hand,
        street=event.street,
        board=hand.board + tuple(used),
        next_position=max(*used, *event.burned, hand.next_position) + 1,
        players={seat: replace(player, in_round=0, answered=None) for seat, player in hand.players.items()},
        bet=0,
        full_raise=state.rules.betting.big_blind,
        level=0,
        raises=0,
        capped=False,
        last_actor=hand.button,
        last_aggressor=None,
        opener=None,
    )
    return replace(state, hand=hand)


def _correction_requested(state: PokerTable, event: e.DealCorrectionRequested) -> PokerTable:
    return replace(state, hand=replace(running(state), correction_by=event.by))


def _deal_corrected(state: PokerTable, event: e.DealCorrected) -> PokerTable:
    hand = running(state)
    players = dict(hand.players)
    for deal in event.deals:
        players[deal.seat] = replace(players[deal.seat], hole=tuple(deal.positions))
    board = tuple(card.position for card in event.cards) or hand.board
    dealt = [position for player in players.values() for position in player.hole]
    return replace(
        state, hand=replace(hand, players=players, board=board, next_position=max(*dealt, *board) + 1, correction_by="")
    )


def _uncalled_bet_returned(state: PokerTable, event: e.UncalledBetReturned) -> PokerTable:
    hand = running(state)
    player = hand.players[event.seat]
    player = replace(
        player, committed=player.committed - event.amount, in_round=max(0, player.in_round - event.amount), all_in=False
    )
    hand = replace(hand, players={**hand.players, event.seat: player}, pot=hand.pot - event.amount)
    return replace(state, hand=hand, seats=_with_stack(state, event.seat, event.stack))


def _pot_awarded(state: PokerTable, event: e.PotAwarded) -> PokerTable:
    hand = running(state)
    players = dict(hand.players)
    seats = dict(state.seats)
    for payment in event.payments:
        player = players[payment.seat]
        players[payment.seat] = replace(player, won=player.won + payment.net, rake=player.rake + payment.rake)
        sitter = seats[payment.seat]
        seats[payment.seat] = replace(sitter, stack=sitter.stack + payment.net)
    hand = replace(hand, players=players, pot=hand.pot - event.amount, rake=hand.rake + event.rake, turn=None)
    books = replace(state.books, raked=state.books.raked + event.rake)
    return replace(state, hand=hand, seats=seats, books=books)


def _hand_ended(state: PokerTable, event: e.HandEnded) -> PokerTable:
    hand = running(state)
    assert hand.pot == 0, "a hand ends when its pots are paid"
    rules = state.rules
    least = rules.least_stack
    seats = {seat: _after_hand(sitter, hand, rules, least, event.at) for seat, sitter in state.seats.items()}
    seats = {seat: owing_after(state, sitter, hand) for seat, sitter in seats.items()}
    return replace(state, hand=None, seats=seats, ended_at=event.at, had_big=hand.players[hand.big_blind].player)


def _after_hand(sitter: PokerSitter, hand: Hand, rules: PokerConfiguration, least: int, at: int) -> PokerSitter:
    dealt = hand.players.get(sitter.seat)
    since = None if sitter.stack >= least else at if sitter.short_since is None else sitter.short_since
    if dealt is None or dealt.reservation != sitter.reservation:
        # Hands missed on a break or while waiting for the blind do not count (pt-811-2015 68, 70.b).
        # In casino poker every hand not dealt in counts (pt-217-2007 13).
        missed = bool(rules.timing.sit_out_limit) or sitter.out in ("player", "timeout")
        # In as many hands as there are seats the blind comes by: who still waits was always out just then.
        waited = sitter.waited + (not sitter.out and since is None)
        missed = missed or sitter.waited < waited > rules.seats
        return replace(sitter, absent=sitter.absent + missed, short_since=since, waited=waited)
    if rules.timing.sit_out_limit:
        return replace(sitter, absent=0, short_since=since)
    if dealt.decided:
        kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "absent" else None
        return replace(sitter, absent=0, notice=kept, short_since=since)
    return replace(sitter, absent=sitter.absent + dealt.timed_out, short_since=since)


def _hand_voided(state: PokerTable, event: e.HandVoided) -> PokerTable:
    hand = running(state)
    seats = dict(state.seats)
    owed = 0
    for refund in event.refunds:
        sitter = seats.get(refund.seat)
        if sitter is not None and sitter.reservation == hand.players[refund.seat].reservation:
            seats[refund.seat] = replace(sitter, stack=refund.stack)
            seats[refund.seat] = _posts_again(seats[refund.seat], hand, state.rules)
        else:
            owed += refund.amount
    books = replace(state.books, owed=state.books.owed + owed)
    return replace(state, hand=None, seats=seats, ended_at=event.at, button_stays=True, books=books)


def _posts_again(sitter: PokerSitter, hand: Hand, rules: PokerConfiguration) -> PokerSitter:
    """Who had posted to come in before the big blind, past which one had gone, has not come in yet."""
    if rules.entry.entering != "with_big_blind" or not sitter.owes_small or sitter.seat == hand.big_blind:
        return sitter
    return replace(sitter, waiting=True, posts=not sitter.out)


def _disputed(state: PokerTable, event: e.DisputeOpened) -> PokerTable:
    dispute = Dispute(id=event.dispute, hand=event.hand, seat=event.seat, player=event.player, nth=event.nth)
    lately = {player: each for player in state.disputed_by if (each := state.disputed_lately(player, event.at))}
    if event.nth:
        began = lately.get(event.player)
        lately[event.player] = Disputed(event.nth, event.at if began is None else began.since)
    return replace(state, disputes=(*state.disputes, dispute), disputed=event.dispute, disputed_by=lately)


def _resolved(state: PokerTable, event: e.DisputeResolved) -> PokerTable:
    return replace(state, disputes=tuple(each for each in state.disputes if each.id != event.dispute))


def _unchanged(state: PokerTable, event: e.CardsShown) -> PokerTable:
    return state


def _session_started(state: PokerTable, event: e.SessionStarted) -> PokerTable:
    sessions = replace(state.sessions, number=event.number, started=event.at, charged=frozenset(), fees={})
    return replace(state, sessions=replace(sessions, owing=frozenset()), session_lead=None)


def _fee_due(state: PokerTable, event: e.SessionFeeDue) -> PokerTable:
    player = {event.player}
    charged, played = state.sessions.charged | player, state.sessions.played | player
    fees = {**state.sessions.fees, event.fee: event.player}
    return replace(state, sessions=replace(state.sessions, charged=charged, played=played, fees=fees))


def _fee_unpaid(state: PokerTable, event: e.SessionFeeUnpaid) -> PokerTable:
    sessions, player = state.sessions, {event.player}
    return replace(state, sessions=replace(sessions, charged=sessions.charged - player, owing=sessions.owing | player))


def _fee_paid(state: PokerTable, event: e.SessionFeePaid) -> PokerTable:
    return replace(state, sessions=replace(state.sessions, owing=state.sessions.owing - {event.player}))


def _session_ended(state: PokerTable, event: e.SessionEnded) -> PokerTable:
    return replace(state, sessions=replace(state.sessions, started=None, played=state.sessions.charged))


def _game_resumed(state: PokerTable, event: e.GameResumed) -> PokerTable:
    """pt-217-2007 24: marker and stacks as they were."""
    return replace(state, running=state.hands > 0, suspended_at=None)


def owing_after(state: PokerTable, sitter: PokerSitter, hand: Hand) -> PokerSitter:
    """After a hand that counts; one that is void leaves things as they were."""
    rules, dealt = state.rules, hand.players.get(sitter.seat)
    if dealt is None or dealt.reservation != sitter.reservation:
        return sitter if sitter.newcomer else owing(sitter, hand, rules)
    if rules.entry.entering == "with_big_blind":
        return replace(sitter, owes_small=False, owes_big=False) if sitter.owes_small else sitter
    missing = state.unposted_of(sitter.seat)
    owes = {"owes_small": "small" in missing, "owes_big": "big" in missing}
    return replace(sitter, **owes, idle=0 if dealt.staked else sitter.idle + 1)


FOLDS: Mapping[type[TableEvent], Fold] = evolved_in(globals())
"""The functions above, by the events that they take."""
