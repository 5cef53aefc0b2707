"""What one table has told so far, as far as it bears on whose time is over and for whom somebody else may act."""

from dataclasses import dataclass, field
from typing import Any

from libs.contracts import live_events as v
from libs.contracts import no_draw_poker_events as n
from libs.contracts import poker_events as p
from libs.contracts import table_events as t
from libs.contracts import tournament_events as e
from libs.contracts.any_configuration import AnyConfiguration
from libs.contracts.banked_rounds import BankedRoundOpened
from libs.contracts.facts import Fact

EVERYBODY = "*"
"""Everybody who has not decided is asked at once; no player is called so."""
ACTS = (p.PlayerFolded, p.PlayerChecked, p.BetPlaced)
_ROUND_MOVES = (BankedRoundOpened, n.AntesExtended, n.AntesClosed, n.HandsAwaited, n.HandsWarned)


@dataclass(slots=True)
class Seen:
    """Of one table, as far as it was told in one piece. Times are milliseconds, moments those since the epoch."""

    version: int
    whole: bool = False
    """Whether the hand or round that runs was seen from its beginning."""
    tournament: bool = False
    configured: bool = False
    """Whether it is known by which configuration is played."""
    announced: AnyConfiguration | None = None
    decision_ms: int | None = None
    extra_ms: int | None = None
    """Of the warning in a round against the house."""
    bank_ms: int | None = None
    """With which time bank one sits down."""
    resume_ms: int | None = None
    """After so long a standstill a round is void; null: after none, or it is not known."""
    moved_at: int = 0
    """A moment before which the running round has moved for the last time, or that one; 0: it was not seen."""
    moved_taken_at: int = 0
    """When the broker took that in; 0: it was not seen."""
    awaited: str = ""
    """Whose decision is; empty: nobody's, or it was not seen."""
    basic: int = 0
    """When that player's basic time is over, and the time bank begins."""
    until: int = 0
    """When that player's time, or everybody's, is over."""
    warned_from: int = 0
    """Before that nobody in a round against the house is warned; 0: nobody was asked, or it was not seen."""
    banks: dict[str, int] = field(default_factory=dict)
    """By player: what is left of the time bank."""
    here: set[str] = field(default_factory=set)
    """Players whom nobody may act for before their time is over, in a tournament."""
    to_end: set[str] = field(default_factory=set)
    """Of them, who is away once the running hand is over."""
    leaving: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)
    """Who is disqualified."""
    sittings: dict[str, str] = field(default_factory=dict)
    """Entrants by their sitting."""
    held: dict[int, set[str]] = field(default_factory=dict)
    """By seat: the dealers who have recorded an act for it in this hand."""


def fold(seen: Seen, fact: Fact, at: int) -> None:
    """`at`: the commit's time."""
    match fact:
        case p.HandStarted():
            seen.whole, seen.awaited, seen.tournament, seen.moved_at = True, "", fact.kind == "tournament", 0
            seen.held.clear()
        case p.HandEnded() | p.HandVoided():
            seen.awaited = ""
            seen.here -= seen.to_end
            seen.to_end.clear()
        case n.AntesOpened():
            seen.whole, seen.awaited, seen.warned_from = True, "", 0
        case t.TableOpened() | t.ConfigurationActivated():
            _play_by(seen, fact.configuration)
        case t.ConfigurationAnnounced():
            seen.announced = fact.configuration
        case p.DecisionAwaited():
            seen.decision_ms, seen.awaited, seen.moved_at = fact.until - at, fact.player, at
            seen.basic, seen.until = fact.until, fact.bank_until
            seen.banks[fact.player] = fact.bank_until - fact.until
        case p.PlayerFolded() | p.PlayerChecked() | p.BetPlaced():
            seen.banks[fact.player] = fact.time_bank_left
            if getattr(fact, "actor", "player") == "player" and not fact.entered_by:
                seen.here.add(fact.player)
            if fact.player == seen.awaited:
                seen.awaited = ""
        case v.IncidentRecorded(held=v.HeldAct() as held):
            seen.held.setdefault(held.seat, set()).add(held.by)
        case n.HandsAwaited():
            seen.decision_ms, seen.awaited, seen.warned_from = fact.until - at, "", fact.until
        case n.HandsWarned():
            seen.extra_ms, seen.awaited, seen.until = fact.until - at, EVERYBODY, fact.until
    if isinstance(fact, _ROUND_MOVES):
        seen.moved_at = at
    _fold_people(seen, fact)


def _fold_people(seen: Seen, fact: Fact) -> None:
    match fact:
        case t.PlayerSeated():
            _sits_down(seen, fact.player)
        case t.LeaveRequested(reason="player"):
            seen.leaving.add(fact.player)
        case t.PlayerLeft():
            for each in (seen.leaving, seen.here, seen.barred):
                each.discard(fact.player)
            seen.banks.pop(fact.player, None)
        case t.PlayerSatOut():
            seen.here.discard(fact.player)
        case t.PlayerSatIn():
            seen.here.add(fact.player)
        case e.EntrantSeated():
            seen.sittings[fact.reservation] = fact.player
            seen.barred.discard(fact.player)
            seen.to_end.discard(fact.player)
            _sits_down(seen, fact.player)
            if fact.away in ("", "unseen"):
                seen.here.add(fact.player)
            else:
                seen.here.discard(fact.player)
        case e.EntrantBarred(why="disqualified"):
            seen.barred.add(fact.player)
            seen.here.discard(fact.player)
        case e.EntrantBarred() if fact.after_hand is not None:
            seen.to_end.add(fact.player)
        case e.EntrantBarred():
            seen.here.discard(fact.player)


def _sits_down(seen: Seen, player: str) -> None:
    seen.banks.pop(player, None)
    if seen.bank_ms is not None:
        seen.banks[player] = seen.bank_ms


def _play_by(seen: Seen, configuration: AnyConfiguration) -> None:
    timing: Any = configuration.timing
    seen.configured, seen.announced = True, None
    seen.decision_ms = getattr(timing, "decision_ms", None)
    seen.extra_ms = getattr(timing, "extra_ms", None)
    seen.bank_ms = getattr(timing, "time_bank_ms", None)
    seen.resume_ms = getattr(timing, "resume_ms", None)
