"""What people order at a table, and by which command: nothing else brings it about, and it is what they asked for.

What a table does by its own rules it says itself, as the `house`, and why.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from libs.contracts import bank_commands as bank
from libs.contracts import bank_events as b
from libs.contracts import conduct_commands as conduct
from libs.contracts import conduct_events as c
from libs.contracts import draw_commands as draw
from libs.contracts import live_commands as live
from libs.contracts import live_events as v
from libs.contracts import poker_commands as poker
from libs.contracts import poker_events as p
from libs.contracts import table_commands as a
from libs.contracts import table_events as t
from libs.contracts import tournament_commands as tournament
from libs.contracts import tournament_events as e
from libs.contracts.banked_rounds import BankedRoundVoided
from libs.contracts.commands import Command, DealerCommand
from libs.contracts.draw_events import SeatsDrawn, TablesDrawn
from libs.contracts.facts import Fact, TableEvent
from libs.contracts.messages import Principal

Asks = tuple[type[Command], ...]
ORDERED_AT_TABLES: Mapping[type[TableEvent], Asks] = {
    t.TableOpened: (a.OpenTable, tournament.OpenTournamentTable),
    t.ConfigurationRequested: (a.ChangeConfiguration,),
    t.ConfigurationDeclined: (a.DeclineConfiguration,),
    t.ConfigurationAnnounced: (a.ChangeConfiguration, a.ApproveConfiguration),
    t.TablePaused: (a.PauseTable,),
    t.TableResumed: (a.ResumeTable,),
    t.TableClosing: (a.CloseTable, tournament.EndTournament),
    t.VoidRequested: (poker.VoidHand, bank.VoidRound),
    p.HandVoided: (poker.VoidHand, DealerCommand, live.DecideIncident, tournament.EndTournament),
    BankedRoundVoided: (bank.VoidRound,),
    p.DealCorrectionRequested: (poker.CorrectDeal,),
    p.DealCorrected: (poker.CorrectDeal,),
    p.DisputeOpened: (poker.OpenDispute,),
    p.DisputeResolved: (poker.ResolveDispute,),
    b.BankOpened: (a.OpenTable,),
    b.BankChangeRequested: (bank.RequestBankChange, a.OpenTable),
    b.BankToppedUp: (bank.ApproveBankChange, bank.RequestBankChange),
    b.BankDropped: (bank.ApproveBankChange, bank.RequestBankChange),
    b.BankChangeDeclined: (bank.DeclineBankChange,),
    c.ConductWarned: (conduct.WarnPlayer,),
    c.PlayerMuted: (conduct.MutePlayer,),
    c.DealerTipped: (conduct.TipDealer,),
    SeatsDrawn: (draw.DrawSeats,),
    TablesDrawn: (draw.DrawTables,),
    v.DealerAssigned: (live.AssignDealer,),
    v.DeckInspected: (live.InspectDeck,),
    v.DeckChecked: (live.CheckDeck,),
    v.DeckShuffled: (live.ShuffleDeck,),
    v.DeckDamaged: (live.MarkDeckDamaged,),
    v.DeckReplaced: (live.ReplaceDeck,),
    v.PotReversed: (live.RecordIncident,),
    v.SupervisorDecided: (live.DecideIncident,),
    v.TurnPassed: (live.PassTurn,),
    v.WinnerAnnounced: (live.DeliverPot, live.DecideIncident),
    t.TopUpRequested: (a.RequestTopUp,),
    e.EntrantSeated: (tournament.SeatEntrant,),
    e.EntrantChipsDue: (tournament.AddChips,),
    e.EntrantMoved: (tournament.MoveEntrant,),
    e.EntrantEliminated: (tournament.EliminateEntrant,),
}
_BY_RULES: Mapping[type[TableEvent], frozenset[str]] = {
    t.TablePaused: frozenset({t.ENTROPY_UNHEALTHY}),
    t.TableClosing: frozenset(
        {"end_of_hours", "below_four_players", "too_few_players", "last_session_over", "bank_alarm"}
    ),
    p.HandVoided: frozenset({t.STANDSTILL, t.CARDS_LOST}),
    BankedRoundVoided: frozenset({t.STANDSTILL, t.CARDS_LOST, t.STOPPED}),
    c.ConductWarned: frozenset({"slow_play", "rests again and again"}),
}
"""Why the house does it by itself, in the commit of whatever command comes first. Whether a standstill was long enough
`acted_for.py` knows."""
_NOT_AS_ASKED = frozenset({"configuration", "bank", "tables", "at", "table", "currency"})
"""The same name, and something else: what a rulebook makes of the values that were asked for; what is stamped."""


def not_ordered(wish: Command | None, by: Principal, fact: Fact) -> str | None:
    """Why what is told was not ordered by this command's sender; None also of what nobody has to order."""
    kind = _ordered(type(fact))
    if kind is None:
        return None
    name = type(fact).__name__
    who = _who(fact)
    if who == "house":
        why = getattr(fact, "reason", "") or getattr(fact, "cause", "")
        ended = isinstance(wish, tournament.EndTournament) and by.kind == "tournament" and why == wish.reason
        drawn = kind is SeatsDrawn and isinstance(wish, a.WakeTable)
        ruled = ended or drawn or why in _BY_RULES.get(kind, ())
        return None if ruled else f"{name} by the house, and no rule lets it"
    if not isinstance(wish, ORDERED_AT_TABLES[kind]) or by.kind not in wish.may_ask:
        return f"{name}, which nobody has ordered"
    confirmed = kind is v.WinnerAnnounced and isinstance(wish, live.DecideIncident)  # still the dealer's own word
    if who not in (None, by.id) and not confirmed:
        return f"{name} by {who}, and {by.id} has ordered it"
    return differs(name, fact, wish)


def is_ordered(kind: type[Fact]) -> bool:
    return _ordered(kind) is not None


@cache
def _ordered(kind: type[Fact]) -> type[TableEvent] | None:
    """The event's own entry, or that of what it derives from."""
    return next((each for each in kind.__mro__ if each in ORDERED_AT_TABLES), None)


def _who(fact: Fact) -> str | None:
    """Who the event says has ordered it; None: it says nobody."""
    for name in ("decided_by", "by"):
        if said := getattr(fact, name, ""):
            return str(said)
    return (
        str(getattr(fact, "player", ""))
        if isinstance(fact, c.DealerTipped | t.TopUpRequested | p.DisputeOpened)
        else None
    )


def differs(name: str, fact: Fact, wish: Command, but: frozenset[str] = frozenset()) -> str | None:
    """Which field of the event, called `name`, the command has asked for otherwise. What a command leaves open the
    table fills in. `but`: names that say something else in the event."""
    for field in fact.__struct_fields__:
        wished: Any = getattr(wish, field, None)
        if field not in _NOT_AS_ASKED and field not in but and wished is not None and wished != getattr(fact, field):
            return f"{name} has another {field} than {type(wish).__name__}"
    return None
