"""Who is in: registering, and taking it back until the deadline (21 to 25, FP-13, FP-16)."""

from typing import Literal

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.levels import window_holds
from services.tournament.domain.money import ask_for, cash_for, give_up, give_up_payments, pay, refund
from services.tournament.domain.rejections import rejected
from services.tournament.domain.running import go_on, seat_of
from services.tournament.domain.state import Tournament
from services.tournament.domain.story import Story
from services.tournament.domain.tickets import restore, use_ticket

MOST_TAKEN_BACK = 10
"""Registrations of one player: each is remembered for as long as the tournament is."""


def register_player(command: asked.RegisterPlayer, story: Story) -> Rejected | None:
    state = story.state
    bought = _on_offer(story)
    if bought is None:
        return rejected(Reason.REGISTRATION_CLOSED, "23" if state.phase == "running" else "")
    if state.entry_of(story.by) is not None or state.being_paid(story.by) is not None:
        return rejected(Reason.ALREADY_REGISTERED)
    if story.by in state.excluded:
        return rejected(Reason.PLAYER_EXCLUDED, "FP-16")
    if state.taken_back.get(story.by, 0) >= MOST_TAKEN_BACK:
        return rejected(Reason.TAKEN_BACK_TOO_OFTEN)
    if command.entry in state.used:
        return rejected(Reason.ENTRY_USED)
    if command.ticket is not None:
        return use_ticket(story, command.ticket, command.entry, again=bought == "re_entry")
    if state.places_taken >= story.rules.max_players:
        return rejected(Reason.TOURNAMENT_FULL)
    ask_for(story, bought, command.entry, command.entry, story.by, story.rules.starting_stack)
    return None


def unregister_player(command: asked.UnregisterPlayer, story: Story) -> Rejected | None:
    """A request counts if it came strictly before the deadline."""
    if not _may_still_go(story):
        return rejected(Reason.UNREGISTERING_CLOSED)
    return _take_back(story, story.by, "asked")


def exclude_player(command: asked.ExcludePlayer, story: Story) -> Rejected | None:
    """Before the start what was paid goes back; after it the player stays in, is away, and buys nothing more (FP-16,
    27)."""
    state, player = story.state, command.player
    if state.phase not in ("registering", "running"):
        return rejected(Reason.UNREGISTERING_CLOSED, "FP-16")
    tickets = [ticket for ticket in state.unused_tickets if ticket.player == player]
    entered = any(entry.player == player for entry in state.entries.values())
    if player in state.excluded or not (entered or tickets or state.being_paid(player) is not None):
        return rejected(Reason.NOT_REGISTERED)
    story.tell(told.PlayerExcluded(reason=command.reason, by=story.by, player=player, **seat_of(state, player)))
    if state.phase == "registering":
        _take_back(story, player, "excluded")
        unused = [ticket for ticket in story.state.unused_tickets if ticket.player == player]
        pay(story, "refund", cash_for(ticket for ticket in unused if ticket.origin == "satellite"))
    else:
        give_up_payments(story, player)
        go_on(story)
    return None


def _on_offer(story: Story) -> Literal["entry", "re_entry"] | None:
    """What the player who asks may buy now: an entry, late or not, or another one after being eliminated (FP-4)."""
    state, rules = story.state, story.rules
    if state.phase != "running":
        return "entry" if state.phase == "registering" and not _hour_has_come(state, story.now) else None
    before = any(entry.player == story.by and entry.status == "out" for entry in state.entries.values())
    if before:
        return "re_entry" if window_holds(story, rules.re_entry) else None
    return "entry" if window_holds(story, rules.late_entry) else None


def _hour_has_come(state: Tournament, now: int) -> bool:
    """Of the start, while it waits for payments."""
    return state.rules.starts_at is not None and now >= state.rules.starts_at


def _may_still_go(story: Story) -> bool:
    starts_at = story.rules.starts_at
    if story.state.phase != "registering":
        return False
    return starts_at is None or story.now < starts_at - story.rules.unregister_before_ms


def _take_back(story: Story, player: str, reason: Literal["asked", "excluded"]) -> Rejected | None:
    state = story.state
    if (payment := state.being_paid(player)) is not None:
        give_up(story, payment, "unregistered")
        return None
    entry = state.entry_of(player)
    if entry is None:
        return rejected(Reason.NOT_REGISTERED)
    story.tell(told.PlayerUnregistered(entry=entry.entry, player=player, reason=reason, by=story.by))
    if entry.with_ticket:
        restore(story, entry)
    else:
        refund(story, [entry])
    return None
