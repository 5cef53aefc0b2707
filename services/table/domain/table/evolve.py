"""How an event changes what is remembered: the table evolves by its own events, the game by those of its rounds.

One function per event, found by the class of its parameter `event`. None refuses: what happened has happened.
"""

from typing import Any, Literal, TypeVar

from msgspec.structs import force_setattr, replace

from libs.contracts import bank_events as bank
from libs.contracts import conduct_events as conduct
from libs.contracts import draw_events as draws
from libs.contracts import table_events as at
from libs.contracts import tournament_events as entrants
from libs.contracts import waiting_list_events as waiting
from libs.contracts.facts import TableEvent, taken
from services.table.domain.games.game import Game
from services.table.domain.table.handlers import evolved_in
from services.table.domain.table.state import (
    LATELY_MS,
    Announced,
    AskedConfiguration,
    AskedVoid,
    BankChange,
    BankOffice,
    Notified,
    Reserved,
    Table,
    TopUp,
    Waiting,
    Withheld,
)

TableT = TypeVar("TableT", bound=Table)


class ChipsLost(AssertionError):
    """Our own mistake, and reason enough to stop the process."""


def evolve_in(game: Game, state: TableT, event: TableEvent) -> TableT:
    """The state after the event; its version is one higher. ChipsLost when chips were made or lost."""
    after: Any
    of_game = game.folds.get(type(event))
    if of_game is not None:
        after = of_game(state, event)
    else:
        of_table = _OF_TABLE.get(type(event))
        after = game.follow(of_table(game, state, event) if of_table is not None else state, event)
    if after is state:
        after = replace(state)
    force_setattr(after, "version", state.version + 1)  # nobody else has seen it yet
    if (
        after.seats is not state.seats
        or after.books is not state.books
        or after.bank != state.bank
        or after.in_play != state.in_play
    ):
        conserved(after)  # states are never changed in place: the same seats hold the same chips
    return after  # type: ignore[no-any-return]


def conserved(state: Table) -> None:
    """ChipsLost unless what was brought and banked is in stacks, play, bank, commission, or gone home."""
    books, in_play, bank = state.books, state.in_play, state.bank
    stacks = [sitter.stack for sitter in state.seats.values()]
    if in_play < 0 or bank < 0 or (stacks and min(stacks) < 0):
        raise ChipsLost(f"{state.table}/{state.version}: less than nothing in a stack, in play or in the bank")
    held = sum(stacks) + in_play + bank
    if held + books.raked + books.left + books.owed + books.tipped != books.brought + books.banked:
        raise ChipsLost(f"{state.table}/{state.version}: chips in and out differ")


def _opened(game: Game, state: Table, event: at.TableOpened) -> Table:
    return game.opened(
        replace(
            state,
            status="open",
            name=event.name,
            configuration=game.rules_of(event.configuration),
            rulebook_hash=event.rulebook_hash,
        )
    )


def _announced(game: Game, state: Table, event: at.ConfigurationAnnounced) -> Table:
    office = state.office
    if office.configuration is not None:
        office = replace(office, configuration=None)
    return replace(state, announced=taken(Announced, event), office=office)


def _configuration_requested(game: Game, state: Table, event: at.ConfigurationRequested) -> Table:
    asked, version = taken(AskedConfiguration, event), event.configuration.version
    return replace(state, office=replace(state.office, configuration=asked, asked_version=version))


def _configuration_declined(game: Game, state: Table, event: at.ConfigurationDeclined) -> Table:
    return replace(state, office=replace(state.office, configuration=None))


def _activated(game: Game, state: Table, event: at.ConfigurationActivated) -> Table:
    rules = game.rules_of(event.configuration)
    return replace(state, configuration=rules, rulebook_hash=event.rulebook_hash, announced=None)


def _paused(game: Game, state: Table, event: at.TablePaused | at.TableResumed) -> Table:
    return replace(state, paused=isinstance(event, at.TablePaused))


def _void_requested(game: Game, state: Table, event: at.VoidRequested) -> Table:
    return replace(state, void_asked=taken(AskedVoid, event))


def _closing(game: Game, state: Table, event: at.TableClosing) -> Table:
    return replace(state, status="closing")


def _closed(game: Game, state: Table, event: at.TableClosed) -> Table:
    return replace(state, status="closed", waiting=replace(state.waiting, entries=()))


# Seats and chips.


def _reserved(game: Game, state: Table, event: at.SeatReserved) -> Table:
    reserved = {**state.reserved, event.reservation: taken(Reserved, event)}
    return replace(state, reserved=reserved, used_ids=state.used_ids.and_(event.reservation))


def _released(game: Game, state: Table, event: at.SeatReleased) -> Table:
    return _touched(replace(state, reserved=_without(state.reserved, event.reservation)), event)


def _seated(game: Game, state: Table, event: at.PlayerSeated) -> Table:
    seated = replace(
        state,
        seats={**state.seats, event.seat: replace(game.seated(state, event), uncharged=event.uncharged or 0)},
        reserved=_without(state.reserved, event.reservation),
        departures=_without(state.departures, event.player),
    )
    return _touched(_booked(seated, brought=event.amount, raked=event.commission), event)


def _left(game: Game, state: Table, event: at.PlayerLeft) -> Table:
    gone = _touched(_booked(state, left=event.stack), event)
    window = max(state.rules.timing.reentry_ms, game.remembers_ms)
    departures = {player: each for player, each in state.departures.items() if event.at - each.at <= window}
    if window:
        departures[event.player] = game.departed(state, state.seats[event.seat], event.at)
    return replace(gone.without_seat(event.seat), departures=departures)


def _sent_after(game: Game, state: Table, event: at.RefundSent) -> Table:
    return _booked(state, left=event.amount, owed=-event.amount)


def _top_up_requested(game: Game, state: Table, event: at.TopUpRequested) -> Table:
    used = state.used_ids.and_(event.top_up)
    return _of_sitter(replace(state, used_ids=used), event, top_up=TopUp(event.top_up, event.amount, "requested"))


def _top_up_goes_on(game: Game, state: Table, event: at.TopUpDue | at.TopUpFunded) -> Table:
    stage: Literal["due", "funded"] = "due" if isinstance(event, at.TopUpDue) else "funded"
    return _of_sitter(state, event, top_up=TopUp(event.top_up, event.amount, stage))


def _top_up_added(game: Game, state: Table, event: at.TopUpAdded) -> Table:
    added = _of_sitter(state, event, stack=event.stack, top_up=None, uncharged=event.uncharged or 0)
    return _booked(added, brought=event.amount, raked=event.commission)


def _top_up_failed(game: Game, state: Table, event: at.TopUpFailed) -> Table:
    return _of_sitter(state, event, top_up=None)


def _tipped(game: Game, state: Table, event: conduct.DealerTipped) -> Table:
    return _booked(_of_sitter(state, event, stack=event.stack), tipped=event.amount)


def _sat_out(game: Game, state: Table, event: at.PlayerSatOut) -> Table:
    rests = state.conduct.rests
    if event.reason in ("player", "break"):  # of one's own accord
        rests = {**rests, event.player: rests.get(event.player, 0) + 1}
    out = _of_sitter(state, event, out=event.reason, out_at=event.at, break_until=event.until)
    return replace(out, conduct=replace(state.conduct, rests=rests))


def _sat_in(game: Game, state: Table, event: at.PlayerSatIn) -> Table:
    sitter = state.seats[event.seat]
    notice, sat_out_ms = sitter.notice, sitter.sat_out_ms
    kept = notice if notice is not None and notice.reason != "break_over" else None
    if sitter.out_at is not None and state.status == "open" and not (state.paused or state.in_round):
        sat_out_ms += event.at - max(sitter.out_at, state.ended_at)
    return _of_sitter(state, event, out="", out_at=None, break_until=None, notice=kept, sat_out_ms=sat_out_ms)


def _notified(game: Game, state: Table, event: at.PlayerInvitedToLeave | at.PlayerWarned) -> Table:
    notice = Notified(
        reason=event.reason,
        warned=isinstance(event, at.PlayerWarned),
        at=event.at,
        round=state.rounds,
        during_round=state.in_round,
        absent=state.seats[event.seat].absent,
    )
    if isinstance(event, at.PlayerInvitedToLeave):
        return _of_sitter(state, event, notice=notice, lifted_at=None)
    return _of_sitter(state, event, notice=notice)


def _notice_lifted(game: Game, state: Table, event: at.NoticeLifted) -> Table:
    lifted_at = state.seats[event.seat].lifted_at
    if event.reason == "idle" and lifted_at is None:
        lifted_at = event.at
    return _of_sitter(state, event, notice=None, lifted_at=lifted_at)


def _leaving(game: Game, state: Table, event: at.LeaveRequested) -> Table:
    return _of_sitter(state, event, leaving=event.reason)


def _connection(game: Game, state: Table, event: at.ConnectionLost | at.ConnectionRestored) -> Table:
    return _of_sitter(state, event, offline=isinstance(event, at.ConnectionLost))


# Entrants of a tournament: chips come with them and go with them.


def _entered(game: Game, state: Table, event: entrants.EntrantSeated) -> Table:
    seats = {**state.seats, event.seat: game.entrant(state, event)}
    entered = replace(state, seats=seats, used_ids=state.used_ids.and_(event.reservation))
    return _booked(entered, brought=event.chips)


def _chips_due(game: Game, state: Table, event: entrants.EntrantChipsDue) -> Table:
    bought = (*state.seats[event.seat].bought, (event.payment, event.chips))
    return _of_sitter(replace(state, used_ids=state.used_ids.and_(event.payment)), event, bought=bought)


def _chips_added(game: Game, state: Table, event: entrants.EntrantChipsAdded) -> Table:
    bought = tuple(each for each in state.seats[event.seat].bought if each[0] != event.payment)
    return _booked(_of_sitter(state, event, stack=event.stack, bought=bought), brought=event.chips)


def _eliminated(game: Game, state: Table, event: entrants.EntrantEliminated) -> Table:
    return state.without_seat(event.seat)


def _moved_on(
    game: Game, state: Table, event: entrants.EntrantMoved | entrants.EntrantFinished | entrants.EntrantDisqualified
) -> Table:
    return _booked(state.without_seat(event.seat), left=event.chips)


def _barred(game: Game, state: Table, event: entrants.EntrantBarred) -> Table:
    away = event.after_hand is None or state.seats[event.seat].away
    return _of_sitter(state, event, barred=event.why, away=away, unseen=False)


# The waiting list, and draws.


def _waits(game: Game, state: Table, event: waiting.WaitingListJoined) -> Table:
    entries = (*state.waiting.entries, taken(Waiting, event))
    listed = replace(state.waiting, entries=entries, touched=event.at)
    return replace(state, waiting=listed, used_ids=state.used_ids.and_(event.entry))


def _waits_no_more(game: Game, state: Table, event: waiting.WaitingListLeft) -> Table:
    entries = tuple(each for each in state.waiting.entries if each.entry != event.entry)
    lapsed = state.waiting.lapsed
    kept = any(each.offered is not None for each in state.waiting.entries if each.entry == event.entry)
    if event.reason == "lapsed" or (event.reason == "player" and kept):  # else leaving in time would keep it for ever
        lapsed = {player: at for player, at in lapsed.items() if at > event.at - LATELY_MS} | {event.player: event.at}
    return replace(state, waiting=replace(state.waiting, entries=entries, touched=event.at, lapsed=lapsed))


def _offered(game: Game, state: Table, event: waiting.SeatOffered) -> Table:
    entries = tuple(
        replace(each, offered=event.seat, until=event.until) if each.entry == event.entry else each
        for each in state.waiting.entries
    )
    return replace(state, waiting=replace(state.waiting, entries=entries))


def _changed_seat(game: Game, state: Table, event: waiting.SeatChanged) -> Table:
    sitter = replace(state.seats[event.from_seat], seat=event.to_seat)
    return _touched(state.without_seat(event.from_seat).with_sitter(sitter), event)


def _seats_drawn(game: Game, state: Table, event: draws.SeatsDrawn) -> Table:
    return replace(state, waiting=replace(state.waiting, draws=event.draw))


def _places(game: Game, state: Table, event: draws.TablesDrawn | draws.PlacesAssigned) -> Table:
    places = {**state.waiting.places, **{card.player: card.of_table for card in event.cards}}
    listed = replace(state.waiting, places=places, touched=event.at)
    if isinstance(event, draws.TablesDrawn):
        listed = replace(listed, draws=event.draw, drawn_by=event.by)
    return replace(state, waiting=listed)


def _may_change(game: Game, state: Table, event: draws.TableChangeGranted) -> Table:
    """Where tables were drawn, the player belongs to the other one from now on."""
    if event.player not in state.waiting.places:
        return state
    places = {**state.waiting.places, event.player: event.to_table}
    return replace(state, waiting=replace(state.waiting, places=places))


# Chat and conduct.


def _sent(game: Game, state: Table, event: conduct.MessageSent) -> Table:
    withheld = tuple(each for each in state.chat.withheld if each.message != event.message)
    return replace(state, chat=replace(state.chat, withheld=withheld, used=state.chat.used.and_(event.message)))


def _withheld(game: Game, state: Table, event: conduct.MessageWithheld) -> Table:
    withheld = (*state.chat.withheld, taken(Withheld, event))
    return replace(state, chat=replace(state.chat, withheld=withheld, used=state.chat.used.and_(event.message)))


def _blocked(game: Game, state: Table, event: conduct.MessageBlocked) -> Table:
    blocked = dict(state.chat.blocked) if state.chat.blocked_in == event.round else {}
    blocked[event.player] = blocked.get(event.player, 0) + 1
    used = state.chat.used.and_(event.message)
    return replace(state, chat=replace(state.chat, used=used, blocked=blocked, blocked_in=event.round))


def _muted(game: Game, state: Table, event: conduct.PlayerMuted) -> Table:
    return replace(state, chat=replace(state.chat, muted=state.chat.muted | {event.player}))


def _warned(game: Game, state: Table, event: conduct.ConductWarned) -> Table:
    kind = "slow" if event.cause == "slow_play" else "warnings"
    counts = {**getattr(state.conduct, kind), event.player: event.count}
    return replace(state, conduct=replace(state.conduct, **{kind: counts}))


# The bank.


def _bank_opened(game: Game, state: Table, event: bank.BankOpened) -> Table:
    office = replace(state.office, risk_limit=event.risk_limit, alone_asked=event.alone_up_to)
    return replace(_banked(state, event.amount), office=office)


def _change_requested(game: Game, state: Table, event: bank.BankChangeRequested) -> Table:
    pending = {**state.office.pending, event.change: taken(BankChange, event)}
    office = replace(state.office, pending=pending)
    return replace(state, office=office, used_ids=state.used_ids.and_(event.change))


def _changed(state: Table, event: bank.BankChanged) -> BankOffice:
    office = replace(state.office, pending=_without(state.office.pending, event.change))
    if event.by == event.requested_by:
        return replace(office, alone=office.alone + event.amount)
    opened = event.change == bank.OPENING
    return replace(office, alone=0, alone_up_to=office.alone_asked if opened else office.alone_up_to)


def _topped_up(game: Game, state: Table, event: bank.BankToppedUp) -> Table:
    return _banked(replace(state, office=replace(_changed(state, event), alarmed=False)), event.amount)


def _dropped(game: Game, state: Table, event: bank.BankDropped) -> Table:
    return _banked(replace(state, office=_changed(state, event)), -event.amount)


def _declined(game: Game, state: Table, event: bank.BankChangeDeclined) -> Table:
    return replace(state, office=replace(state.office, pending=_without(state.office.pending, event.change)))


def _alarmed(game: Game, state: Table, event: bank.BankAlarmRaised) -> Table:
    return replace(state, office=replace(state.office, alarmed=True))


def _covered(game: Game, state: Table, event: bank.BankCovered) -> Table:
    return _banked(state, event.amount)


def _bank_closed(game: Game, state: Table, event: bank.BankClosed) -> Table:
    return _banked(replace(state, office=replace(state.office, pending={}, configuration=None)), -event.amount)


_OF_TABLE = evolved_in(globals())


def _of_sitter(state: Table, told: Any, **changes: Any) -> Table:
    """The table with changes of the sitter whom the event is about."""
    return state.with_sitter(replace(state.seats[told.seat], **changes))


def _touched(state: TableT, told: TableEvent) -> TableT:
    """Seats have changed: free ones may be offered from now on."""
    return replace(state, waiting=replace(state.waiting, touched=told.at))


def _booked(state: TableT, **amounts: int) -> TableT:
    """The table with these amounts added in its books."""
    sums = {name: getattr(state.books, name) + amount for name, amount in amounts.items()}
    return replace(state, books=replace(state.books, **sums))


def _banked(state: TableT, amount: int) -> TableT:
    return _booked(replace(state, bank=state.bank + amount), banked=amount)


def _without(entries: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if key != name}
