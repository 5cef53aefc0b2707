"""What everybody may know of a tournament, folded from its public events; and what a player sees of the own entry."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.contracts import tournament_play_events as p
from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.facts import Fact, TournamentEvent
from libs.contracts.tournament_events import Bar
from libs.contracts.tournaments import Definition
from libs.views.tournament_accounts import Line, lines_of

T = TypeVar("T")
Status = Literal["proposed", "declined", "announced", "registering", "running", "completed", "cancelled"]
UNPUBLISHED: frozenset[Status] = frozenset({"proposed", "declined"})
_ACTS = (
    t.TournamentProposed, t.TournamentAnnounced, t.ProposalDeclined, t.CancellationProposed, t.CancellationDeclined,
    t.TournamentCancelled, t.DirectorsAct, t.NoticeGiven, p.EverybodyAway, k.TargetAsked, k.ApprovalFailed,
)  # fmt: skip
_BECOMES: Mapping[type[Fact], Status] = {
    t.ProposalDeclined: "declined",
    t.TournamentAnnounced: "announced",
    t.RegistrationOpened: "registering",
    t.TournamentStarted: "running",
    t.TournamentCancelled: "cancelled",
    p.TournamentCompleted: "completed",
}


class Act(msgspec.Struct, frozen=True):
    """Of the staff, on the tournament's trail."""

    at: int
    """Milliseconds since the epoch, UTC."""
    what: str
    by: str
    confirmed_by: str
    reason: str


class Barred(msgspec.Struct, frozen=True):
    why: Bar
    reason: str
    by: str
    at: int
    """Milliseconds since the epoch, UTC."""


class Seated(msgspec.Struct, frozen=True):
    """Where an entry sits, and with what after the last finished hand there."""

    table: int
    seat: int
    chips: int
    moved: p.EntryMoves | None = None
    """The move that brought it here; also while it is on its way."""


class Out(msgspec.Struct, frozen=True):
    """Of an entry without chips, from `first` to `last` among those that there were."""

    player: str
    first: int
    last: int
    entered: int
    """Entries in all by then."""

    def places(self, entered: int) -> tuple[int, int]:
        """From and to, among `entered` entries: whoever came later stands before it."""
        later = entered - self.entered
        return self.first + later, self.last + later


class Playing(msgspec.Struct, frozen=True):
    """How a running tournament stands."""

    level: int = 0
    began: int = 0
    """When the level did, milliseconds since the epoch."""
    break_until: int | None = None
    paused_at: int | None = None
    """Since when hands are only finished."""
    goes_on_at: int | None = None
    """When the pause ends, as is announced; None: that is not said yet, or there is none."""
    hand_for_hand: bool = False
    seats: Mapping[str, Seated] = {}
    """By entry: who is left."""
    out: Mapping[str, Out] = {}
    offers: Mapping[str, int] = {}
    """By entry without chips: until when more may be bought, milliseconds since the epoch."""
    prizes: Sequence[int] = ()
    """By place, the first one first, once they are fixed."""
    tickets: int = 0
    """So many of the first places win a ticket."""
    pool: int | None = None
    results: Sequence[p.Result] = ()
    began_at: int = 0
    """Milliseconds since the epoch; 0: not yet."""
    ended_at: int = 0
    tables_at_start: int = 0
    all_away_since: int | None = None
    """Since when nobody who is in decides."""

    @property
    def chips(self) -> int:
        return sum(each.chips for each in self.seats.values())


class TournamentView(msgspec.Struct, frozen=True):
    tournament: str
    version: int = 0
    name: str = ""
    status: Status = "proposed"
    definition: Definition | None = None
    entries: Mapping[str, t.EntryPaid] = {}
    """By player: the last one of each."""
    entered: int = 0
    """Entries in all, those who were eliminated and came again counted as often."""
    paying: Mapping[str, str] = {}
    """Player to the payment that the wallet has not answered."""
    tickets: Mapping[str, k.TicketIssued] = {}
    """By their ids: those that are not used yet."""
    spent: Mapping[str, k.TicketIssued] = {}
    """Those that are: one that paid for an entry may come back."""
    more: Mapping[str, tuple[t.PaymentTaken, ...]] = {}
    """By player: rebuys and add-ons."""
    lines: Mapping[str, tuple[Line, ...]] = {}
    """By player: what was paid and won."""
    held: t.Held = t.Held()
    barred: Mapping[str, Barred] = {}
    """By player: who is excluded or disqualified."""
    withheld: Mapping[str, t.Credit] = {}
    """By credit: what stays in the accounts while a second person is waited for."""
    cause: str = ""
    """Why it was cancelled."""
    sheet: t.CancellationProposed | None = None
    """Refunds that wait for a second person of the staff."""
    carried_out: t.CancellationProposed | None = None
    """The sheet that a second person has confirmed."""
    asked: k.TargetAsked | None = None
    """Approved, and waiting for the tournament that its tickets are for, or refused by it."""
    refusal: str = ""
    """Why that does not take them."""
    failed: Mapping[str, t.PaymentFailed] = {}
    """By player: the last payment, where it came to nothing."""
    acts: tuple[Act, ...] = ()
    complaints: Mapping[str, tuple[t.ComplaintOpened, ...]] = {}
    """By player."""
    decisions: Mapping[str, t.ComplaintDecided] = {}
    """By complaint."""
    play: Playing = Playing()

    @property
    def by_player(self) -> tuple[Mapping[str, Any], ...]:
        """Who is in one of these has or had money or a ticket in it."""
        return self.lines, self.entries, self.paying, self.failed

    @property
    def rules(self) -> Definition:
        assert self.definition is not None, "the first event of a tournament has its rules"
        return self.definition

    @property
    def pool(self) -> int:
        """Minor units: what is paid in for prizes, or what is guaranteed."""
        return max(self.held.prize, self.rules.guarantee) if self.play.pool is None else self.play.pool

    def place_of(self, entry: str) -> int | None:
        """The best of the tied ones: the result's, before there is one as entries stand now. None: still in."""
        if self.play.results:
            return next((each.first for each in self.play.results if each.entry == entry), None)
        out = self.play.out.get(entry)
        return None if out is None else out.places(self.entered)[0]

    def level_ends_at(self, level: int) -> int | None:
        """When the level ends, by the clock as it stands now, which a pause makes later; None: never, or it is over."""
        rules, now = self.rules, self.play.level
        if not now or not now <= level < len(rules.levels):
            return None
        breaks = sum(each.lasts_ms for each in rules.breaks if now <= each.after_level < level)
        return self.play.began + breaks + sum(each.lasts_ms for each in rules.levels[now - 1 : level])


def fold_tournament(view: TournamentView, event: Fact | None, version: int) -> TournamentView:
    """`event`: None for a type that this build does not know."""
    view = replace(view, version=version)
    if not isinstance(event, TournamentEvent):
        return view
    if isinstance(event, t.TournamentMoney):
        view = replace(view, held=event.held)
    if isinstance(event, _ACTS):
        view = replace(view, acts=(*view.acts, _act(event)))
    if own := list(lines_of(event)):
        view = replace(view, lines=_added(view.lines, own))
    if type(event) in _BECOMES:
        view = replace(view, status=_BECOMES[type(event)])
    match event:
        case t.PlayerBarred():
            why: Bar = "disqualified" if isinstance(event, t.PlayerDisqualified) else "excluded"
            barred = Barred(why, event.reason, event.by, event.at)
            return replace(view, barred={**view.barred, event.player: barred})
        case t.PrizesWithheld():
            return replace(view, withheld={**view.withheld, **{each.credit: each for each in event.credits}})
        case t.DisqualificationFinal():
            left = {k: e for k, e in view.withheld.items() if e.player != event.player or not e.refusable}
            return replace(view, withheld=left)
        case k.TicketsAwarded():
            names = {each.ticket for each in event.tickets}
            return replace(view, withheld={name: each for name, each in view.withheld.items() if name not in names})
        case t.TournamentProposed():
            return replace(view, name=event.name, definition=event.definition)
        case t.PaymentDue() | t.PurchaseNoted():
            paying, failed = {**view.paying, event.player: event.payment}, _without(view.failed, event.player)
            return replace(view, paying=paying, failed=failed)
        case k.TargetAsked():
            return replace(view, asked=event, refusal="")
        case k.ApprovalFailed():
            return replace(view, refusal=event.reason)
        case p.EntryEliminated():
            out = Out(event.player, event.first, event.last, view.entered)
            seats = _without(view.play.seats, event.entry)
            return replace(view, play=replace(view.play, seats=seats, out={**view.play.out, event.entry: out}))
        case t.EntryPaid():
            paying = _without(view.paying, event.player)
            entries = {**view.entries, event.player: event}
            view = _spent(view, [event.with_ticket] if event.with_ticket else [])
            return replace(view, entries=entries, entered=view.entered + 1, paying=paying)
        case k.TicketIssued():
            return replace(view, tickets={**view.tickets, event.ticket: event})
        case k.TicketRestored():
            return replace(view, tickets={**view.tickets, event.ticket: view.spent[event.ticket]})
        case k.TicketLapsed():
            return _spent(view, [event.ticket])
        case t.CreditsDue():
            paid = {each.credit for each in event.credits}
            view = replace(view, withheld={name: each for name, each in view.withheld.items() if name not in paid})
            return _spent(view, [each.entry for each in event.credits if each.ticket])
        case t.PaymentTaken():
            paying, more = _without(view.paying, event.player), (*view.more.get(event.player, ()), event)
            return replace(view, paying=paying, more={**view.more, event.player: more})
        case t.PaymentFailed():
            failed = {**view.failed, event.player: event}
            return replace(view, paying=_without(view.paying, event.player), failed=failed)
        case t.PlayerUnregistered():
            return replace(view, entries=_without(view.entries, event.player), entered=view.entered - 1)
        case t.CancellationProposed():
            return replace(view, sheet=event)
        case t.CancellationDeclined():
            return replace(view, sheet=None)
        case t.ComplaintOpened():
            return replace(view, complaints=_added(view.complaints, [(event.player, event)]))
        case t.ComplaintDecided():
            return replace(view, decisions={**view.decisions, event.complaint: event})
        case t.TournamentCancelled():
            return replace(view, cause=event.cause, sheet=None, carried_out=view.sheet)
        case _:
            return replace(view, play=_played(view.play, event))


def _added(held: Mapping[str, tuple[T, ...]], more: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    """By player."""
    found = dict(held)
    for player, one in more:
        found[player] = (*found.get(player, ()), one)
    return found


def _spent(view: TournamentView, tickets: Iterable[str]) -> TournamentView:
    gone = {ticket: view.tickets[ticket] for ticket in tickets}
    left = {ticket: issued for ticket, issued in view.tickets.items() if ticket not in gone}
    return replace(view, tickets=left, spent={**view.spent, **gone}) if gone else view


def _played(play: Playing, event: TournamentEvent) -> Playing:
    match event:
        case p.LevelBegan():
            return replace(play, level=event.level, began=event.began, break_until=None)
        case p.BreakBegan():
            return replace(play, break_until=event.until)
        case t.TournamentPaused():
            return replace(play, paused_at=event.at)
        case t.RestartAnnounced():
            return replace(play, goes_on_at=event.goes_on_at)
        case t.TournamentResumed() if play.paused_at is not None:
            stood = event.at - play.paused_at if event.stood_ms is None else event.stood_ms
            return replace(_later(play, stood), paused_at=None, goes_on_at=None)
        case p.ClockMadeGood():
            return _later(play, event.ms)
        case t.ClockAdjusted():
            return _later(play, -event.ms)
        case p.HandForHandBegan() | p.HandForHandEnded():
            return replace(play, hand_for_hand=isinstance(event, p.HandForHandBegan))
        case p.EntrySeated():
            moved = play.seats[event.entry].moved if event.entry in play.seats else None
            return _with(play, event.entry, Seated(event.table, event.seat, event.chips, moved))
        case p.EntryMoves():
            chips = play.seats[event.entry].chips
            return _with(play, event.entry, Seated(event.to_table, event.to_seat, chips, event))
        case p.HandFinished():
            after = {each.entry: replace(play.seats[each.entry], chips=each.chips) for each in event.stacks}
            return replace(play, seats={**play.seats, **after})
        case p.ChipsGranted():
            seated = play.seats[event.entry]
            play = _with(play, event.entry, replace(seated, chips=seated.chips + event.chips))
            return replace(play, offers=_without(play.offers, event.entry))
        case p.RebuyOffered():
            return replace(play, offers={**play.offers, event.entry: event.until})
        case p.RebuyDeclined():
            return replace(play, offers=_without(play.offers, event.entry))
        case p.ChipsOutOfPlay():
            return _with(play, event.entry, replace(play.seats[event.entry], chips=0))
        case p.EverybodyAway():
            return replace(play, all_away_since=event.at)
        case p.AbsenceHeard() if not event.away:
            return replace(play, all_away_since=None)
        case p.PrizesFixed():
            return replace(play, prizes=event.prizes, tickets=event.tickets, pool=event.pool)
        case p.TournamentCompleted():
            return replace(play, results=event.results, ended_at=event.at)
        case p.StartDrawn():
            return replace(play, began_at=event.clock_from, tables_at_start=event.tables)
        case _:
            return play


def _later(play: Playing, ms: int) -> Playing:
    """All that the clock says comes so much later."""
    until = None if play.break_until is None else play.break_until + ms
    return replace(play, began=play.began + ms, break_until=until)


def _with(play: Playing, entry: str, seated: Seated) -> Playing:
    return replace(play, seats={**play.seats, entry: seated})


def _act(event: Any) -> Act:
    why = getattr(event, "reason", "") or getattr(event, "text", "")
    return Act(event.at, type(event).__name__, getattr(event, "by", "house"), getattr(event, "confirmed_by", ""), why)


def _without(found: Mapping[str, Any], player: str) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != player}
