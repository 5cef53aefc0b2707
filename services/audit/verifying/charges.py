"""What the house charges beside pots: a part of buy-ins (pt-811-2015 17.b), hours at the table (pt-217-2007 7.b)."""

from collections.abc import Iterator

from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.money.rates import BASIS_POINTS
from services.audit.verifying.findings import Kind
from services.audit.verifying.pot_results import Complaint
from services.audit.verifying.pot_rules import percent
from services.audit.verifying.pot_state import Pots

LATE_MS = 1_800_000
"""Who sits down later in a session than this does not pay for it, the last instant excluded."""


def seated(pots: Pots, fact: t.PlayerSeated) -> Iterator[Complaint]:
    if pots.session_at is not None and fact.at > pots.session_at + LATE_MS:
        pots.late.add(fact.player)
    if pots.sits is not None:
        pots.sits[fact.reservation] = fact.player
    yield from bought(pots, fact)


def bought(pots: Pots, fact: t.PlayerSeated | t.TopUpAdded) -> Iterator[Complaint]:
    before = 0 if isinstance(fact, t.PlayerSeated) else pots.uncharged.get(fact.reservation)
    if fact.uncharged is not None:
        pots.uncharged[fact.reservation] = fact.uncharged
    if pots.terms is None:
        return
    rate = pots.terms.rate if pots.terms.mode == "buy_in" else 0
    due, _ = divmod((before or 0) + fact.amount * rate, BASIS_POINTS)
    if not _is_charged(fact, rate, before):
        yield (
            Kind.RAKE,
            f"seat {fact.seat} buys in for {fact.amount} less {fact.commission}, the table's terms make it {due}",
        )


def _is_charged(fact: t.PlayerSeated | t.TopUpAdded, rate: int, before: int | None) -> bool:
    """`before`: what the sitting had not been charged; None: it began before this reader, or before that was told."""
    if fact.uncharged is None:  # before 2026-11-29: each was rounded by itself
        return not before and fact.commission == percent(fact.amount, rate)
    left = fact.commission * BASIS_POINTS + fact.uncharged - fact.amount * rate
    return 0 <= fact.uncharged < BASIS_POINTS and (0 <= left < BASIS_POINTS if before is None else left == before)


def left(pots: Pots, fact: t.PlayerLeft) -> Iterator[Complaint]:
    pots.late.discard(fact.player)
    pots.uncharged.pop(fact.reservation, None)
    if pots.sits is not None:
        pots.sits.pop(fact.reservation, None)
    return iter(())


def session_started(pots: Pots, fact: p.SessionStarted) -> Iterator[Complaint]:
    pots.session_at, pots.charged, pots.late = fact.at, set(), set()
    return iter(())


def session_ended(pots: Pots, fact: p.SessionEnded) -> Iterator[Complaint]:
    pots.session_at = None
    return iter(())


def fee_due(pots: Pots, fact: p.SessionFeeDue) -> Iterator[Complaint]:
    pots.charged.add(fact.player)
    if pots.terms is not None and fact.amount != pots.terms.fee:
        yield (
            Kind.RAKE,
            f"seat {fact.seat} is asked for a fee of {fact.amount}, the table's terms make it {pots.terms.fee}",
        )
    if pots.sits is not None and pots.sits.get(fact.reservation) != fact.player:
        yield Kind.RAKE, f"seat {fact.seat} is asked for a session's fee of somebody who does not sit there"


def fee_unpaid(pots: Pots, fact: p.SessionFeeUnpaid) -> Iterator[Complaint]:
    pots.charged.discard(fact.player)
    return iter(())


def check_dealt_in(pots: Pots, fact: p.HandStarted) -> Iterator[Complaint]:
    if pots.terms is None or pots.terms.mode != "session" or pots.session_at is None:
        return
    if free := sorted(seat.seat for seat in fact.seats if seat.player not in pots.charged | pots.late):
        yield Kind.RAKE, f"hand {fact.hand}: seats {free} are dealt in and were not asked for the session's fee"
