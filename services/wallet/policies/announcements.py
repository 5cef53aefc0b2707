"""Money of a tournament moves only where people have asked for that tournament (ADR 13): one has proposed it, and
another has approved these rules of it, under the gateway's own mark. Likewise nothing is shared out after a
cancellation that one has not proposed and another confirmed.

The commands are kept for a week, a tournament may be announced long before it pays. Its events are kept for ever, with
the time at which the broker took them in, which nobody else can write: what was announced so long ago that its command
may be gone has stood that long, told as not asked for if it was not.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.people import same_person
from libs.contracts.topics import DAY_MS
from libs.contracts.tournament_ticket_events import TargetAsked
from libs.contracts.tournaments import Definition, digest_of
from libs.contracts.tournaments_commands import (
    ApproveTournament,
    ConfirmCancellation,
    ProposeCancellation,
    ProposeTournament,
)
from libs.contracts.tournaments_events import (
    CancellationProposed,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentMoney,
    TournamentProposed,
)
from services.wallet.machine import HORIZON_MS

FRESH_MS = 7 * DAY_MS - HORIZON_MS - DAY_MS // 24
"""So long after an event its command is surely there: kept for a week, and decided no later than the horizon."""
ANNOUNCING = (TournamentProposed, TargetAsked, TournamentAnnounced)
"""The approval of a satellite asks its target first; that it is announced then is asked for by that one (pt-810-2015
32)."""
CANCELLING = (CancellationProposed, TournamentCancelled)
"""And what ends it."""


class Word(NamedTuple):
    """What an event says that somebody of the staff has asked."""

    offset: int
    taken_at: int
    """By the broker, milliseconds since the epoch."""
    command: str
    """Id of the command from which it follows."""
    by: str
    rules: str = ""
    """Of a proposal: digest of the rules, which are what bounds the payments (adr/0021)."""


class Announcement(NamedTuple):
    """As far as it is read: the first word of each kind."""

    proposed: Word | None = None
    approved: Word | None = None

    @property
    def whole(self) -> bool:
        return None not in (self.proposed, self.approved)


def with_word(known: Announcement, fact: Fact, event: PublicEvent, offset: int, taken_at: int) -> Announcement:
    """`known`, and what one of `ANNOUNCING` says: the earliest counts, in whatever order they are read."""
    if not isinstance(fact, ANNOUNCING):
        return known
    word = Word(offset, taken_at, event.causation, fact.by)
    if isinstance(fact, TournamentProposed):
        word = word._replace(rules=digest_of(fact.definition))
        return known._replace(proposed=min(filter(None, (known.proposed, word))))
    return known._replace(approved=min(filter(None, (known.approved, word))))


def cancelling(fact: Fact, event: PublicEvent, offset: int, taken_at: int) -> Word | None:
    """What one of `CANCELLING` says; of a cancellation: who has confirmed it."""
    if not isinstance(fact, CANCELLING):
        return None
    by = fact.by if isinstance(fact, CancellationProposed) else fact.confirmed_by
    return Word(offset, taken_at, event.causation, by)


def of_tournament(event: PublicEvent, fact: Fact) -> str | None:
    """The tournament that people must have asked for; None where none must. Raises ValueError: it speaks of another."""
    if not isinstance(fact, TournamentMoney | TournamentAnnounced | TournamentCancelled):
        return None
    if fact.tournament != event.stream:
        raise ValueError
    return event.stream


def why_not_announced(known: Announcement) -> str | None:
    """Of all that is told of it."""
    if known.proposed is None:
        return "nobody has proposed this tournament"
    if known.approved is None:
        return "nobody has approved this tournament"
    if same_person(known.proposed.by, known.approved.by):
        return "one person alone has announced this tournament"
    return None


ASKED: Mapping[type[Fact], type[Command]] = {
    TournamentProposed: ProposeTournament, TournamentAnnounced: ApproveTournament,
    CancellationProposed: ProposeCancellation, TournamentCancelled: ConfirmCancellation,
}  # fmt: skip
"""By what is told: which command of somebody's it follows from."""


def asked_by(value: bytes, word: Word, tournament: str, wanted: type[Command]) -> str | None:
    """Who of the staff asks this in a record of commands; None: it is another command, or of other rules than those of
    `word`. A command that was refused may say so, too: therefore the second person names the rules."""
    if word.command.encode() not in value:
        return None
    try:
        message = CommandMessage.decoded(value)
    except msgspec.MsgspecError:
        return None
    if (str(message.id), message.stream, message.type) != (word.command, tournament, wanted.__name__):
        return None
    if wanted is ProposeTournament and _rules_in(message.body) != word.rules:
        return None
    if wanted is ApproveTournament and message.body.get("digest") != word.rules:
        return None
    return message.principal.id if message.principal.kind == "staff" else None


def _rules_in(body: Mapping[str, Any]) -> str | None:
    """None: there are none."""
    try:
        return digest_of(msgspec.convert(body.get("definition"), Definition))
    except msgspec.ValidationError:
        return None


def command_of(word: Word) -> UUID | None:
    """None: it names none."""
    try:
        return UUID(word.command)
    except ValueError:
        return None
