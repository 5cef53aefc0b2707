"""What a tournament does by itself, or once another has answered: only after what lets it, and not before its time.

A tournament's own login and marks make its timers' and policies' commands as well, so that such a command proves
nothing. What has been told before in the same stream does: of what this process has not seen it says nothing.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.registry import UnknownEvent, decode_fact, wire_name
from libs.contracts.tournament_ticket_commands import ConfirmTarget
from libs.contracts.tournaments import Definition
from libs.contracts.tournaments_commands import ResumeTournament
from libs.journal.commit import Commit

TOURNAMENTS = 5_000
"""Of that many one process knows what was told; who was quiet for longest is forgotten."""
_READ = frozenset(
    wire_name(each)
    for each in (
        *(t.TournamentProposed, k.TargetAsked, k.ApprovalFailed, t.TournamentAnnounced, t.TournamentCancelled),
        *(t.PlayerRegistered, t.PlayerUnregistered, t.TournamentPaused, t.RestartAnnounced, t.TournamentResumed),
    )
)


@dataclass(slots=True)
class _Seen:
    """Of one tournament."""

    version: int
    whole: bool
    """Whether it was seen from its beginning."""
    definition: Definition | None = None
    asked_by: str = ""
    """Who has approved it, while the tournament that its tickets are for is asked; empty: nobody."""
    restart: t.RestartAnnounced | None = None
    entered: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ByItself:
    """Of the tournaments of one house."""

    _seen: OrderedDict[str, _Seen] = field(default_factory=OrderedDict)

    def judge(self, commit: Commit, wish: Command | None, known: bool) -> str | None:
        """Folds a valid commit; what it tells that nothing before it lets it tell. `known`: whether its command is
        there yet. An event that this build can't read makes it forget the tournament: whoever folds it tells."""
        seen = self._seen.pop(commit.stream, None)
        if seen is None or seen.version != commit.base:
            seen = _Seen(commit.base, whole=commit.base == 0)
        try:
            facts = [decode_fact(name, data) for name, data in commit.events if name in _READ]
        except (UnknownEvent, msgspec.MsgspecError):
            return None
        wrong = None
        for fact in facts:
            if known and seen.whole:
                wrong = wrong or _too_soon(seen, fact, wish, commit.command_time)
            _fold(seen, fact)
        seen.version = commit.version
        if seen.version:
            self._seen[commit.stream] = seen
        if len(self._seen) > TOURNAMENTS:
            self._seen.popitem(last=False)
        return wrong


def _too_soon(seen: _Seen, fact: Fact, wish: Command | None, at: int) -> str | None:
    match fact:
        case t.TournamentAnnounced() if isinstance(wish, ConfirmTarget) and seen.asked_by != fact.by:
            return f"TournamentAnnounced by {fact.by}, who has not approved it"
        case t.TournamentResumed() if not isinstance(wish, ResumeTournament):
            told = seen.restart
            if told is None or (told.by, told.reason) != (fact.by, fact.reason) or at < told.goes_on_at:
                return "TournamentResumed, which nobody has announced for now"
        case t.TournamentCancelled(cause="insufficient_participants") if (rules := seen.definition) is not None:
            if rules.starts_at is None or at < rules.starts_at:
                return "TournamentCancelled for want of players before it was to start"
            if len(seen.entered) >= rules.min_players:
                return f"TournamentCancelled for want of players, and {len(seen.entered)} have entered"
    return None


def _fold(seen: _Seen, fact: Fact) -> None:
    match fact:
        case t.TournamentProposed():
            seen.definition = fact.definition
        case k.TargetAsked():
            seen.asked_by = fact.by
        case k.ApprovalFailed() | t.TournamentAnnounced():
            seen.asked_by = ""
        case t.RestartAnnounced():
            seen.restart = fact
        case t.TournamentPaused() | t.TournamentResumed():
            seen.restart = None
        case t.PlayerRegistered():
            seen.entered.add(fact.entry)
        case t.PlayerUnregistered():
            seen.entered.discard(fact.entry)
        case _:
            pass
