"""Which sessions still count: logged out, revoked, blocked, idle, or taken over by a later login.

Tokens say nothing of it, so gateways tell each other (`libs/contracts/session_notices.py`), and fold what they hear.
What they tell stands nowhere else: so who hears an older notice behind a newer one tells the newer again, and `holding`
is what has to be told again where somebody may have taken it away.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec import UNSET
from msgspec.structs import replace

from libs.contracts.facts import MAX_MOMENT
from libs.contracts.messages import Principal
from libs.contracts.session_notices import EndedByHouse, SessionNotice
from libs.edge.problems import Problem
from libs.identity.access import Session
from libs.identity.callers import unauthorized

MAX_SEEN = 200_000
"""Sessions whose last use is kept; beyond it the one longest not used goes, and counts from its start again."""
MOST_ENDED, ENDED_MS = 3, 3_600_000
"""So often in an hour people of the house end a player's sessions: more often, and the player could decide nothing."""
APART_MS = 300_000
"""And so far apart: who needs some seconds to log in anew is in for what was dealt or offered meanwhile."""
_LOOK_S = 1.0
TOLD_SHARE = 4
"""A session's use is told on once in a quarter of the time after which it would be idle."""


_HOUSE = ""
"""Whose a block is that a person of the house has set."""


class Line(Protocol):
    """A player's connection."""

    @property
    def session(self) -> Session: ...

    def session_over(self, why: Problem) -> None:
        """The session is over; the player hears why."""


Tell = Callable[[SessionNotice], Awaitable[None]]


@dataclass(slots=True)
class Standing:
    """`tell` brings a notice to all gateways, this one too; `now` is milliseconds since the epoch."""

    idle_ms: int
    length_ms: int
    """Of a session, from its start to its end."""
    one_place: bool
    now: Callable[[], int]
    tell: Tell = field(init=False)
    tell_soon: Callable[[SessionNotice], None] = field(init=False)
    """Without waiting for it: that a session was used."""
    in_play: Callable[[str, int], bool] = lambda player, since: False
    """Whether a player has money or chips in a hand, round or tournament that ran at `since` (ms) and still does."""
    rounds: Callable[[str, int], tuple[str, ...]] = lambda player, since: ()
    """Tables at which a player is in a hand or round that ran at `since` (ms) and still does."""
    _blocked: dict[str, dict[str, int]] = field(default_factory=dict)
    """By player, whose blocks hold (a platform's name, empty for the house's), and since when (ms)."""
    _since: dict[str, int] = field(default_factory=dict)
    """By player: sessions that started before it (ms) are over, whatever is in play."""
    _ended_by_house: dict[str, list[int]] = field(default_factory=dict)
    """By player: when a person ended all sessions (ms), the latest `MOST_ENDED` times. Such a session plays on with
    the hands and rounds that ran then: else one of the staff would decide who wins them."""
    _ended: dict[str, int] = field(default_factory=dict)
    _seen: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _told: dict[str, int] = field(default_factory=dict)
    _newest: dict[str, SessionNotice] = field(default_factory=dict)
    """By key, of everything but that a session was used."""
    _until: dict[str, int] = field(default_factory=dict)
    """Keys of notices that may be forgotten, and from when on."""
    _lines: dict[str, set[Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tell, self.tell_soon = self._alone, self.hear

    async def _alone(self, notice: SessionNotice) -> None:
        self.hear(notice)

    # Whether a session counts

    def use(self, session: Session) -> Session:
        """The session, used now; `Problem` 401, or 403 for a player who is blocked."""
        self.touch(self.check(session))
        return session

    def check(self, session: Session) -> Session:
        """The session where it is not over; raises as `use` does."""
        if (over := self.why_over(session)) is not None:
            raise over
        return session

    def touch(self, session: Session) -> None:
        now = self.now()
        self._seen[session.id] = now
        self._seen.move_to_end(session.id)
        if len(self._seen) > MAX_SEEN:
            self._told.pop(self._seen.popitem(last=False)[0], None)
        if now - self._told.get(session.id, session.started) >= self.idle_ms // TOLD_SHARE:
            self._told[session.id] = now
            self.tell_soon(_of(session, "seen", now))

    def why_over(self, session: Session) -> Problem | None:
        if (refused := self.why_blocked(session.player)) is not None:
            return refused
        if session.started < self._since.get(session.player, 0) or session.id in self._ended:
            return session_ended()
        ended = self.ended_by_house(session.player, session.started)
        if ended is not None and not self.rounds(session.player, ended):
            return session_ended()
        if self.idle_left(session) <= 0:
            return unauthorized("The session was idle for too long; open a new one.", slug="session-idle")
        return None

    def why_blocked(self, player: str) -> Problem | None:
        """A block of the house's people holds once what is in play is played; a platform's at once."""
        if player not in self._blocked or self.plays_on(player):
            return None
        return player_blocked()

    def ended_by_house(self, player: str, started: int) -> int | None:
        """When a person ended the sessions that started then (both ms): the first time counts, so that no later ending
        gives a session more than that one left it."""
        return next((at for at in self._ended_by_house.get(player, ()) if started < at), None)

    def plays_on(self, player: str) -> bool:
        """Blocked, by the house alone, and still in play."""
        since = self.blocked_by_house_alone(player)
        return since is not None and self.in_play(player, since)

    def blocked_by_house_alone(self, player: str) -> int | None:
        """Since when (ms)."""
        blocks = self._blocked.get(player, {})
        return blocks.get(_HOUSE) if len(blocks) == 1 else None

    def is_blocked(self, player: str) -> bool:
        return player in self._blocked

    def idle_left(self, session: Session) -> int:
        """Milliseconds until nobody has used it for too long."""
        return max(self._seen.get(session.id, 0), session.started) + self.idle_ms - self.now()

    # What becomes of sessions

    async def opened(self, session: Session) -> None:
        """Where players have one place, their sessions elsewhere are over."""
        if self.one_place:
            await self.tell(self._since_notice(session.player, session.started))

    async def log_out(self, session: Session) -> None:
        await self.tell(_of(session, "ended", self.now()))

    async def revoke(self, player: str, by: Principal, reason: str = "") -> tuple[str, ...]:
        """Every session of the player that is open now, and where they play on all the same: where a person of the
        house ends them, with the hands and rounds that run, and with nothing else. `Problem` 429 where people do it too
        often."""
        at = self.now() + 1
        if _whose(by):
            await self.tell(self._since_notice(player, at, str(by), reason))
            return ()
        if (wait := self._house_waits(player)) > 0:
            raise Problem(
                429,
                "sessions-ended-often",
                f"People of the house end a player's sessions at most {MOST_ENDED} times in an hour, "
                f"{APART_MS // 60_000} minutes apart.",
                headers={"retry-after": str(-(-wait // 1000))},
            )
        tables = self.rounds(player, at)
        ended = _apart([*self._ended_by_house.get(player, ()), at])
        spares = max(self._since.get(player, 0), *ended[:-MOST_ENDED], 0)
        by_house = EndedByHouse(endings=tuple(ended[-MOST_ENDED:]), spares=spares, tables=tables[:8])
        await self.tell(replace(self._since_notice(player, at, str(by), reason), ended=by_house))
        return tables

    async def revoke_blocked(self, player: str, by: Principal, reason: str, nobody_in: bool) -> None:
        """Before a block is lifted. Of a person nothing that a player who is in play could feel, nor ever refused:
        where `nobody_in`, no session acts anyhow; where none is blocked, none has to end."""
        if _whose(by) or nobody_in:
            await self.tell(self._since_notice(player, self.now() + 1, str(by), reason))
        elif self.is_blocked(player) and self._house_waits(player) <= 0:
            await self.revoke(player, by, reason)

    def _house_waits(self, player: str) -> int:
        """Milliseconds until people of the house may end the player's sessions again; none: not above 0."""
        ended = self._ended_by_house.get(player, [])
        due = max((each + APART_MS for each in ended), default=0)
        if len(ended) == MOST_ENDED:
            due = max(due, ended[0] + ENDED_MS)
        return due - self.now()

    def _since_notice(self, player: str, at: int, by: str = "", reason: str = "") -> SessionNotice:
        """Says on what people of the house did before: of one key the topic keeps the last one alone."""
        before = tuple(self._ended_by_house.get(player, ()))
        ended = EndedByHouse(endings=before) if before else UNSET
        until = at + self.length_ms
        return SessionNotice(about="since", player=player, at=at, until=until, by=by, reason=reason, ended=ended)

    async def block(self, player: str, by: Principal, reason: str) -> None:
        """Nobody comes in as this player until it is lifted. One that another has set stays beside it.

        Where a person sets it, the player plays on with what is in play, and does nothing else."""
        await self._tell_block(player, by, _whose(by), reason=reason)

    async def unblock(self, player: str, by: Principal, reason: str = "") -> None:
        """A person lifts all of them, a platform its own; `Problem` 403 where another one holds."""
        own = _whose(by)
        for whose in {own, *self._blocked.get(player, ())} if not own else {own}:
            await self._tell_block(player, by, whose, holds=False, reason=reason)
        if player in self._blocked:
            raise Problem(
                403,
                "forbidden",
                "Another has blocked this player, too: a person of the house's security lifts that.",
                needs={"roles": ["security"]},
            )

    async def _tell_block(self, player: str, by: Principal, whose: str, **more: Any) -> None:
        """Newer than what it is to replace, whatever another gateway's clock has said."""
        notice = SessionNotice(about="blocked", player=player, at=self.now(), whose=whose, by=str(by), **more)
        before = self._newest.get(notice.key)
        await self.tell(replace(notice, at=min(max(notice.at, before.at + 1 if before else 0), MAX_MOMENT)))

    def hear(self, notice: SessionNotice) -> None:
        """Notices of one key, also twice. One that is older than what was heard is late, or somebody wrote it again:
        then what is newer must not be compacted away for it."""
        if notice.about == "since":  # also a late one, of a gateway that did not know of the other
            self._hear_ended(notice)
        if notice.about != "seen":
            newest = self._newest.setdefault(notice.key, notice)
            if notice.at < newest.at:
                self.tell_soon(newest)
                return
            self._newest[notice.key] = notice
        if notice.until:
            self._until[notice.key] = max(notice.until, self._until.get(notice.key, 0))
        match notice.about:
            case "blocked":
                self._hear_block(notice)
            case "since":
                pass
            case "ended":
                self._ended[notice.session] = notice.until
            case "seen":
                self._seen[notice.session] = max(notice.at, self._seen.get(notice.session, 0))
                self._told[notice.session] = notice.at
                return
        self._end_lines(notice.player)

    def _hear_ended(self, notice: SessionNotice) -> None:
        by_house = None if notice.ended is UNSET else notice.ended
        over = notice.at if by_house is None or by_house.spares is None else by_house.spares
        ended = _apart([*self._ended_by_house.get(notice.player, ()), *(by_house.endings if by_house else ())])
        self._since[notice.player] = max(over, self._since.get(notice.player, 0), *ended[:-MOST_ENDED])
        if ended:
            self._ended_by_house[notice.player] = ended[-MOST_ENDED:]

    def _end_lines(self, player: str) -> None:
        for line in [*self._lines.get(player, ())]:
            if (over := self.why_over(line.session)) is not None:
                line.session_over(over)

    async def watch(self) -> None:
        """Runs until cancelled: who was blocked in play, or whose session was ended there, leaves when that is over."""
        while True:
            await asyncio.sleep(_LOOK_S)
            for player in self._lines.keys() & (self._blocked.keys() | self._ended_by_house.keys()):
                self._end_lines(player)

    def _hear_block(self, notice: SessionNotice) -> None:
        held = self._blocked.setdefault(notice.player, {})
        if notice.holds:
            held.setdefault(notice.whose, notice.at)
        else:
            held.pop(notice.whose, None)
        if not held:
            del self._blocked[notice.player]

    def holding(self) -> list[SessionNotice]:
        """What every gateway has to know, and nothing but the topic and gateways' memory says."""
        return [*self._newest.values()]

    def lost(self, notices: Sequence[SessionNotice]) -> list[SessionNotice]:
        """Those that nobody here has heard, or only older ones: the topic was cut or made anew while no gateway lived.
        Of what the auditor keeps only what keeps players out is believed; nothing of it lets anybody in."""
        return [
            notice
            for notice in notices
            if notice.holds
            and notice.about in ("blocked", "since")
            and not ((held := self._newest.get(notice.key)) and held.at >= notice.at)
        ]

    def over(self, own: Container[str], now: int, left: int) -> list[str]:
        """Keys of notices about sessions that would be over anyway at `now`, and nobody needs any more: `own` keys, and
        of others' what was over at `left` already (ms) and is still there."""
        return [key for key, until in self._until.items() if until <= left or (until <= now and key in own)]

    def is_known(self, key: str) -> bool:
        """Whether a notice of that key, one that ends by itself, is still there as far as was heard."""
        return key in self._until

    def hear_gone(self, key: str) -> None:
        """A gateway took what is over out of the topic. Where something newer was told meanwhile, or somebody wrote
        the record again, what holds is told anew: else compaction takes it away behind this."""
        if self._until.get(key, MAX_MOMENT) > self.now():
            if (newest := self._newest.get(key)) is not None:
                self.tell_soon(newest)
            return
        del self._until[key]
        self._newest.pop(key, None)
        held: dict[str, dict[str, int]] = {"ended": self._ended, "since": self._since, "seen": self._told}
        about, _, whose = key.partition("/")
        held.get(about, {}).pop(whose, None)
        if about == "since":
            self._ended_by_house.pop(whose, None)
        if about == "seen":
            self._seen.pop(whose, None)

    # Connections

    def enter(self, line: Line) -> None:
        self._lines.setdefault(line.session.player, set()).add(line)

    def leave(self, line: Line) -> None:
        lines = self._lines.get(line.session.player)
        if lines is not None:
            lines.discard(line)
            if not lines:
                del self._lines[line.session.player]


def player_blocked() -> Problem:
    return Problem(403, "player-blocked", "The operator has blocked this player.")


def session_ended(detail: str = "The session was ended; open a new one.") -> Problem:
    return unauthorized(detail, slug="session-ended")


def _apart(endings: Iterable[int]) -> list[int]:
    """Those that count (ms), in their order: none that came within `APART_MS` of one that does, as when two people end
    sessions at one moment, or one does it many times before the first is heard."""
    kept: list[int] = []
    for at in sorted(endings):
        if not kept or at - kept[-1] >= APART_MS:
            kept.append(at)
    return kept


def _whose(by: Principal) -> str:
    return str(by) if by.kind == "operator" else _HOUSE


def _of(session: Session, about: str, at: int) -> SessionNotice:
    return SessionNotice(
        about="seen" if about == "seen" else "ended",
        player=session.player,
        at=at,
        session=session.id,
        until=session.expires,
    )
