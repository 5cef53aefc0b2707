"""What is done for a player at a table by somebody else: at whose word, and not before the player's own time is over.

A table's own login and marks make its timers' and policies' commands as well, so that such a command proves nothing.
What has been told before in the same stream does, as far as it was seen: of what this process has not seen it says
nothing.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts import table_commands, tournament_events
from libs.contracts import table_events as t
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.live_commands import DecideIncident, RecordIncident
from libs.contracts.messages import Principal
from libs.contracts.registry import UnknownEvent, decode_fact, wire_name
from libs.journal.commit import Commit

TABLES = 20_000
"""Of that many one process knows what was told last; who was quiet for longest is forgotten."""
CLOCKS_APART_MS = 1_000
"""Of two brokers."""
_OURS = ("timer", "policy")
_READ = frozenset(
    wire_name(each)
    for each in (
        *(p.HandStarted, p.DecisionAwaited, p.PlayerFolded, p.PlayerChecked, p.BetPlaced),
        *(n.AntesOpened, n.HandsWarned, n.HandSurrendered),
        *(t.TableOpened, t.ConfigurationActivated, t.LeaveRequested, t.PlayerLeft, t.PlayerSatOut, t.PlayerSatIn),
        *(tournament_events.EntrantSeated, tournament_events.EntrantBarred),
    )
)


@dataclass(slots=True)
class Seen:
    """Of one table, as far as it was told in one piece."""

    version: int
    time: int = 0
    """Stream time (journal 13), milliseconds since the epoch."""
    whole: bool = False
    """Whether the hand or round that runs was seen from its beginning."""
    tournament: bool = False
    decision_ms: int | None = None
    awaited: str = ""
    """Whose decision is; empty: nobody's, or it was not seen."""
    until: int = 0
    """When that player's time, or everybody's, is over; milliseconds since the epoch."""
    here: set[str] = field(default_factory=set)
    """Players whom nobody may act for before their time is over, in a tournament."""
    leaving: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)
    dealers: set[str] = field(default_factory=set)
    """Staff who have asked for something since the hand began."""


@dataclass(slots=True)
class ActedFor:
    """Of the tables of one house."""

    _seen: OrderedDict[str, Seen] = field(default_factory=OrderedDict)

    def judge(self, commit: Commit, wish: Command | None, by: Principal | None, taken_at: int) -> str | None:
        """Folds a valid commit; what it does for somebody that nothing lets it do. `by` None: its command is gone, so
        nothing is said of it. `taken_at`: when the broker took it in, milliseconds since the epoch.

        An event that this build can't read makes it forget the table: whoever folds it tells.
        """
        seen = self._known(commit)
        try:
            facts = [decode_fact(name, data) for name, data in commit.events if name in _READ]
        except (UnknownEvent, msgspec.MsgspecError):
            self._seen.pop(commit.stream, None)
            return None
        wrong = _time(seen, commit, taken_at) if by is not None else None
        if by is not None and by.kind == "staff":
            seen.dealers.add(by.id)
        out: set[str] = set()
        for fact in facts:
            if by is not None:
                wrong = wrong or _act(seen, fact, wish, by, commit.command_time, out)
            _fold(seen, fact, commit.command_time)
        seen.version, seen.time = commit.version, max(seen.time, commit.command_time)
        return wrong

    def _known(self, commit: Commit) -> Seen:
        seen = self._seen.pop(commit.stream, None)
        if seen is None or seen.version != commit.base:
            seen = Seen(commit.base, whole=commit.base == 0)
        self._seen[commit.stream] = seen
        if len(self._seen) > TABLES:
            self._seen.popitem(last=False)
        return seen


def _time(seen: Seen, commit: Commit, taken_at: int) -> str | None:
    """Journal 13: the log time of the command, or the stream's own where that is later. Neither lies behind the commit.
    Of a copied log the broker tells when it was copied, which is later than all of it."""
    if seen.time and commit.command_time > max(seen.time, taken_at + CLOCKS_APART_MS):
        return "it was decided for a time that had not come"
    return None


def _act(seen: Seen, fact: Fact, wish: Command | None, by: Principal, at: int, out: set[str]) -> str | None:
    """`out`: players whose time this commit has said to be over; it grows."""
    who = getattr(fact, "player", "")
    match fact:
        case p.DecisionAwaited() if seen.decision_ms not in (None, fact.until - at):
            return f"{who} was given another time to decide than others"
        case p.PlayerFolded() | p.PlayerChecked() if fact.actor == "house":
            return _for_the_house(seen, fact.reason or "", who, wish, by, at, out)
        case n.HandSurrendered() if fact.actor == "house" or fact.cause == "left":
            return _for_the_house(seen, fact.cause, who, wish, by, at, out)
        case n.HandSurrendered() if (by.kind, by.id) != ("player", who):
            return f"HandSurrendered of {who}, who has not asked for it"
        case p.PlayerFolded() | p.PlayerChecked() | p.BetPlaced() if fact.entered_by:
            named = (by.kind, by.id) == ("staff", fact.entered_by) or fact.entered_by in seen.dealers
            return None if named or not seen.whole else f"{fact.entered_by} has entered nothing for {who}"
        case t.LeaveRequested(reason="player") | t.PlayerSatOut(reason="player") if by.kind in _OURS:
            return f"{type(fact).__name__} of {who}, and nobody has asked for it"
        case t.PlayerSatOut() if seen.tournament and by.kind in _OURS and who not in out:
            return f"{who} sits out, and time has not run out"
    return None


def _for_the_house(
    seen: Seen, reason: str, who: str, wish: Command | None, by: Principal, at: int, out: set[str]
) -> str | None:
    ruled = by.kind == "staff" and isinstance(wish, RecordIncident | DecideIncident)
    match reason:
        case "left":
            own = isinstance(wish, table_commands.LeaveTable) and (by.kind, by.id) == ("player", who)
            return None if own or who in seen.leaving or not seen.whole else f"{who} is folded, and was not leaving"
        case "timeout" | "disconnected" if not ruled:
            out.add(who)
            if by.kind != "timer":
                return f"the time of {who} is over, and no timer says so"
            return _too_early(seen, who, at)
        case "barred" if not ruled:
            return None if who in seen.barred or not seen.whole else f"{who} is folded, and was not barred"
        case "annulled" | "withdrawn" if not ruled:
            return f"{who} is taken out of the hand, and nobody of the staff has reported or decided anything"
    return None


def _too_early(seen: Seen, who: str, at: int) -> str | None:
    if seen.tournament and who not in seen.here:
        return None  # away: the house acts at once
    if seen.awaited not in (who, _ALL):
        return f"the time of {who} is over, who was not asked" if seen.whole else None
    return f"the time of {who} is over {seen.until - at} ms too early" if at < seen.until else None


_ALL = "*"
"""Everybody who has not decided is asked at once; no player is called so."""


def _fold(seen: Seen, fact: Fact, at: int) -> None:
    match fact:
        case p.HandStarted():
            seen.whole, seen.awaited, seen.tournament = True, "", fact.kind == "tournament"
            seen.dealers.clear()
        case n.AntesOpened():
            seen.whole, seen.awaited = True, ""
        case t.TableOpened() | t.ConfigurationActivated():
            seen.decision_ms = None
        case p.DecisionAwaited():
            seen.decision_ms, seen.awaited, seen.until = fact.until - at, fact.player, fact.bank_until
        case p.PlayerFolded() | p.PlayerChecked() | p.BetPlaced():
            if getattr(fact, "actor", "player") == "player" and not fact.entered_by:
                seen.here.add(fact.player)
            if fact.player == seen.awaited:
                seen.awaited = ""
        case n.HandsWarned():
            seen.awaited, seen.until = _ALL, fact.until
        case t.LeaveRequested(reason="player"):
            seen.leaving.add(fact.player)
        case t.PlayerLeft():
            for each in (seen.leaving, seen.here, seen.barred):
                each.discard(fact.player)
        case t.PlayerSatOut():
            seen.here.discard(fact.player)
        case t.PlayerSatIn():
            seen.here.add(fact.player)
        case tournament_events.EntrantSeated():
            if fact.away in ("", "unseen"):
                seen.here.add(fact.player)
        case tournament_events.EntrantBarred():
            seen.barred.add(fact.player)
            seen.here.discard(fact.player)
