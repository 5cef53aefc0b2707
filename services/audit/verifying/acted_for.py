"""What is done for a player at a table by somebody else: at whose word, and not before the player's own time is over.

A table's own login and marks make its timers' and policies' commands as well, so that such a command proves nothing.
What has been told before in the same stream does, as far as it was seen: of what this process has not seen it says
nothing.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from libs.contracts import live_events as v
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts import table_commands, tournament_events
from libs.contracts import table_events as t
from libs.contracts.baccarat_events import CoupOpened, CoupVoided
from libs.contracts.banked_rounds import BankedRoundVoided
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.live_commands import DecideIncident, RecordIncident
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand
from libs.contracts.poker_commands import Act
from libs.contracts.registry import UnknownEvent, decode_fact, wire_name
from libs.contracts.table_events import STANDSTILL
from libs.contracts.tournament_commands import BarEntrant
from libs.journal.commit import Commit
from services.audit.verifying.lived import LASTS_MS, SLACK_MS, Lived
from services.audit.verifying.seen_at_table import ACTS, EVERYBODY, Seen, fold

TABLES = 20_000
"""Of that many one process knows what was told last; who was quiet for longest is forgotten."""
CLOCKS_APART_MS = 1_000
"""Of two brokers, one of which took the command in, and the other one its commit."""
_OPENED = wire_name(t.TableOpened)
_READ = frozenset(
    wire_name(each)
    for each in (
        *(p.HandStarted, p.HandEnded, p.HandVoided, p.DecisionAwaited, *ACTS, v.IncidentRecorded),
        *(n.AntesOpened, n.AntesExtended, n.AntesClosed, n.HandsAwaited, n.HandsWarned, n.HandSurrendered),
        *(n.RoundVoided, CoupOpened, CoupVoided),
        *(t.TableOpened, t.ConfigurationAnnounced, t.ConfigurationActivated, t.PlayerSeated),
        *(t.LeaveRequested, t.PlayerLeft, t.PlayerSatOut, t.PlayerSatIn),
        *(tournament_events.EntrantSeated, tournament_events.EntrantBarred),
    )
)


class _Told(NamedTuple):
    """Of the commit that is judged."""

    wish: Command | None
    by: Principal
    at: int
    """Its time, milliseconds since the epoch."""
    now: int
    """Not before it was decided, by the clock of who decided it."""
    out: set[str]
    """Players whose time this commit has said to be over; it grows."""
    still: int | None = None
    """How long the partition's owner may have stood still since the round moved, milliseconds; None: not known."""

    def is_of(self, player: str) -> bool:
        return (self.by.kind, self.by.id) == ("player", player)


@dataclass(slots=True)
class ActedFor:
    """Of the tables of one house."""

    _seen: OrderedDict[str, Seen] = field(default_factory=OrderedDict)
    _lived: dict[int, Lived] = field(default_factory=dict)
    """By partition."""

    def judge(
        self, commit: Commit, wish: Command | None, by: Principal | None, taken_at: int, partition: int = 0
    ) -> str | None:
        """Folds a valid commit; what it does for somebody that nothing lets it do. `by` None: its command is gone, so
        nothing is said of it. `taken_at`: when the broker took it in, milliseconds since the epoch.

        An event that this build can't read makes it forget the table: whoever folds it tells.
        """
        seen, lived = self._known(commit), self._lived.setdefault(partition, Lived())
        still = _still(seen, lived, commit.command_time, taken_at)
        lived.commits(taken_at)
        try:
            facts = [decode_fact(name, data) for name, data in commit.events if name in _READ]
        except (UnknownEvent, msgspec.MsgspecError):
            self._seen.pop(commit.stream, None)
            return None
        wrong = None
        now = max(commit.command_time, taken_at) + CLOCKS_APART_MS
        told = _Told(wish, by, commit.command_time, now, set(), still) if by is not None else None
        moved_at = seen.moved_at
        for fact in facts:
            if told is not None:
                wrong = wrong or _act(seen, fact, told)
            fold(seen, fact, commit.command_time)
        seen.version = commit.version
        if seen.moved_at != moved_at:
            seen.moved_taken_at = taken_at
        return wrong

    def _known(self, commit: Commit) -> Seen:
        """A table that is none, and a commit that tells nothing, put no other out of memory: anybody's wakes of what
        is not there are refused in commits of their own."""
        seen = self._seen.pop(commit.stream, None)
        new = seen is None
        if seen is None or seen.version != commit.base:
            seen = Seen(commit.base, whole=commit.base == 0)
        if not new or (commit.events and (commit.base or commit.events[0][0] == _OPENED)):
            self._seen[commit.stream] = seen
        if len(self._seen) > TABLES:
            self._seen.popitem(last=False)
        return seen


def _act(seen: Seen, fact: Fact, told: _Told) -> str | None:
    wish, by, at = told.wish, told.by, told.at
    match fact:
        case p.PlayerFolded() | p.PlayerChecked() | p.BetPlaced():
            return _time_bank(seen, fact, at) or _decided(seen, fact, told)
        case n.HandSurrendered():
            return _surrendered(seen, fact, told)
        case p.DecisionAwaited():
            return _asked(seen, fact, at)
        case n.HandsAwaited() if seen.decision_ms not in (None, fact.until - at):
            return "everybody was given another time to decide than before"
        case n.HandsWarned():
            return _warned(seen, fact, at)
        case v.IncidentRecorded(held=v.HeldAct() as held):
            recorded = isinstance(wish, Act | RecordIncident) and wish.seat == held.seat
            own = recorded and (by.kind, by.id) == ("staff", held.by)
            return None if own or _has_entered(seen, held.seat, held.by) else f"{held.by} has recorded nothing"
        case t.ConfigurationActivated() if seen.configured and fact.configuration != seen.announced:
            return "rules are in force that were not announced"
        case p.HandVoided() | BankedRoundVoided() if (fact.by, fact.cause) == ("house", STANDSTILL):
            return _void(seen, told)
        case _:
            return _gone(seen, fact, told)


def _gone(seen: Seen, fact: Fact, told: _Told) -> str | None:
    """Who leaves, sits out or is barred, and so is acted for from then on."""
    wish = told.wish
    match fact:
        case t.LeaveRequested(reason="player"):
            own = isinstance(wish, table_commands.LeaveTable) and told.is_of(fact.player)
        case t.PlayerSatOut(reason="player" | "break"):
            own = isinstance(wish, table_commands.SitOut) and told.is_of(fact.player)
        case t.PlayerSatOut() if seen.tournament:
            return None if fact.player in told.out else f"{fact.player} sits out, and time has not run out"
        case tournament_events.EntrantBarred():
            own = isinstance(wish, BarEntrant) and (wish.reservation, wish.why) == (fact.reservation, fact.why)
            own = own and told.by.kind == "tournament"
            own = own and seen.sittings.get(fact.reservation, fact.player) == fact.player
        case _:
            return None
    who = getattr(fact, "player", "")
    return None if own else f"{type(fact).__name__} of {who}, and nobody has asked for it"


def _asked(seen: Seen, fact: p.DecisionAwaited, at: int) -> str | None:
    bank = fact.bank_until - fact.until
    if seen.decision_ms not in (None, fact.until - at):
        return f"{fact.player} was given another time to decide than others"
    if bank < 0 or bank != seen.banks.get(fact.player, bank):
        return f"{fact.player} was given another time bank than what was left of it"
    return None


def _time_bank(seen: Seen, fact: p.PlayerFolded | p.PlayerChecked | p.BetPlaced, at: int) -> str | None:
    """It runs once the basic time is over, and for who is asked alone (pt-811-2015 44)."""
    if getattr(fact, "reason", None) == "timeout":
        return None  # whether it is over is asked elsewhere
    left = max(0, seen.until - max(at, seen.basic)) if seen.awaited == fact.player else seen.banks.get(fact.player, 0)
    gone = left - fact.time_bank_left
    return f"{gone} ms of the time bank of {fact.player} are gone" if gone > 0 else None


def _warned(seen: Seen, fact: n.HandsWarned, at: int) -> str | None:
    if at < seen.warned_from:
        return f"who had to decide was warned {seen.warned_from - at} ms too early"
    if seen.whole and not seen.warned_from:
        return "who was not asked was warned"
    if fact.until <= at or seen.extra_ms not in (None, fact.until - at):
        return "who was warned was given another time than before"
    return None


def _void(seen: Seen, told: _Told) -> str | None:
    """A standstill of the house that voids a round is as long as the rules say, nothing of the round was told
    meanwhile, and its owner has decided nothing else, either."""
    since = told.now - seen.moved_at
    if not (seen.configured and seen.moved_at):
        return None
    if seen.resume_ms is None or since < seen.resume_ms:
        return f"the round is void by a standstill, and it moved {since - CLOCKS_APART_MS} ms before"
    if told.still is not None and told.still + SLACK_MS < seen.resume_ms:
        return f"the round is void by a standstill, and its partition's owner stood still for {told.still} ms at most"
    return None


def _still(seen: Seen, lived: Lived, command_time: int, taken_at: int) -> int | None:
    """None, too, in a log that was copied without its times: there all lies close together."""
    copied = taken_at - seen.moved_taken_at + LASTS_MS < command_time - seen.moved_at
    return None if copied or not seen.moved_taken_at else lived.longest_still(seen.moved_taken_at, taken_at)


def _decided(seen: Seen, fact: p.PlayerFolded | p.PlayerChecked | p.BetPlaced, told: _Told) -> str | None:
    who, wish, by = fact.player, told.wish, told.by
    if not isinstance(fact, p.BetPlaced) and fact.actor == "house":
        return _for_the_house(seen, fact.reason or "", who, told)
    if isinstance(fact, p.PlayerFolded) and fact.reason == "left":
        return _left(seen, who, told)
    if not fact.entered_by:
        return None  # of a player's own acts `asked_for.py` knows
    entered = isinstance(wish, RecordIncident) or (isinstance(wish, Act) and wish.seat == fact.seat)
    named = entered and (by.kind, by.id) == ("staff", fact.entered_by)
    if named or _has_entered(seen, fact.seat, fact.entered_by):
        return None
    return f"{fact.entered_by} has entered nothing for {who}"


def _has_entered(seen: Seen, seat: int, dealer: str) -> bool:
    return not seen.whole or dealer in seen.held.get(seat, ())


def _surrendered(seen: Seen, fact: n.HandSurrendered, told: _Told) -> str | None:
    if fact.actor == "house" or fact.cause == "left":
        return _for_the_house(seen, fact.cause, fact.player, told)
    asked = isinstance(told.wish, DecideHand) and told.wish.decision == "fold" and told.is_of(fact.player)
    return None if asked else f"HandSurrendered of {fact.player}, who has not asked for it"


def _for_the_house(seen: Seen, reason: str, who: str, told: _Told) -> str | None:
    ruled = told.by.kind == "staff" and isinstance(told.wish, RecordIncident | DecideIncident)
    match reason:
        case "left":
            return _left(seen, who, told)
        case "timeout" | "disconnected" | "barred" | "annulled" | "withdrawn" if ruled:
            return None
        case "timeout" | "disconnected":
            told.out.add(who)
            if told.by.kind != "timer":
                return f"the time of {who} is over, and no timer says so"
            return _too_early(seen, who, told.at)
        case "barred":
            return None if who in seen.barred or not seen.whole else f"{who} is folded, and was not barred"
        case "annulled" | "withdrawn":
            return f"{who} is taken out of the hand, and nobody of the staff has reported or decided anything"
        case _:
            return f"the house acts for {who}, and says no reason"


def _left(seen: Seen, who: str, told: _Told) -> str | None:
    own = isinstance(told.wish, table_commands.LeaveTable) and told.is_of(who)
    return None if own or who in seen.leaving or not seen.whole else f"{who} is folded, and was not leaving"


def _too_early(seen: Seen, who: str, at: int) -> str | None:
    if seen.tournament and who not in seen.here:
        return None  # away: the house acts at once
    if seen.awaited not in (who, EVERYBODY):
        return f"the time of {who} is over, who was not asked" if seen.whole else None
    return f"the time of {who} is over {seen.until - at} ms too early" if at < seen.until else None
