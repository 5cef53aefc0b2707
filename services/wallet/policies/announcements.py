"""Money of a tournament moves only where people have asked for that tournament (ADR 13): one has proposed it, and
another has approved it, under the gateway's own mark.

The commands are kept for a week, a tournament may be announced long before it pays. Its events are kept for ever, with
the time at which the broker took them in, which nobody else can write: what was announced so long ago that its command
may be gone has stood that long, told as not asked for if it was not.
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from libs.contracts.commands import Command
from libs.contracts.facts import Fact
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.people import same_person
from libs.contracts.topics import DAY_MS
from libs.contracts.tournament_ticket_events import TargetAsked
from libs.contracts.tournaments import Definition
from libs.contracts.tournaments_commands import ApproveTournament, ConfirmCancellation, ProposeTournament
from libs.contracts.tournaments_events import (
    TournamentAnnounced,
    TournamentCancelled,
    TournamentMoney,
    TournamentProposed,
)
from services.wallet.machine import HORIZON_MS

FRESH_MS = 7 * DAY_MS - HORIZON_MS - DAY_MS // 24
"""So long after an event its command is surely there: kept for a week, and decided no later than the horizon."""
ANNOUNCING = (TournamentProposed, TargetAsked, TournamentAnnounced, TournamentCancelled)
"""And what ends it. The approval of a satellite asks its target first; that it is announced then is asked for by that
one (pt-810-2015 32)."""


class Word(NamedTuple):
    """What an event says that somebody of the staff has asked."""

    offset: int
    taken_at: int
    """By the broker, milliseconds since the epoch."""
    command: str
    """Id of the command from which it follows."""
    by: str
    rules: bytes = b""
    """Of a proposal: digest of the rules, which are what bounds the payments (adr/0021)."""


class Announcement(NamedTuple):
    """As far as it is read: the first word of each kind."""

    proposed: Word | None = None
    approved: Word | None = None
    cancelled: Word | None = None

    @property
    def whole(self) -> bool:
        return None not in (self.proposed, self.approved)


def with_word(known: Announcement, fact: Fact, event: PublicEvent, offset: int, taken_at: int) -> Announcement:
    """`known`, and what one of `ANNOUNCING` says: the earliest counts, in whatever order they are read."""
    if not isinstance(fact, ANNOUNCING):
        return known
    word = Word(offset, taken_at, event.causation, fact.by)
    if isinstance(fact, TournamentCancelled):
        word = word._replace(by=fact.confirmed_by)
        return known._replace(cancelled=min(filter(None, (known.cancelled, word))))
    if isinstance(fact, TournamentProposed):
        word = word._replace(rules=digest_of(fact.definition))
        return known._replace(proposed=min(filter(None, (known.proposed, word))))
    return known._replace(approved=min(filter(None, (known.approved, word))))


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


ASKED: Mapping[str, type[Command]] = {
    "proposed": ProposeTournament, "approved": ApproveTournament, "cancelled": ConfirmCancellation,
}  # fmt: skip
"""By what is told of an announcement: which command of somebody's it follows from."""


def asked_by(value: bytes, word: Word, tournament: str, wanted: type[Command]) -> str | None:
    """Who of the staff asks this in a record of commands; None: it is another command, or of other rules."""
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
    return message.principal.id if message.principal.kind == "staff" else None


def _rules_in(body: Mapping[str, Any]) -> bytes | None:
    """None: there are none."""
    try:
        return digest_of(msgspec.convert(body.get("definition"), Definition))
    except msgspec.ValidationError:
        return None


def digest_of(rules: Definition) -> bytes:
    return blake2b(msgspec.json.encode(rules), digest_size=16).digest()


def command_of(word: Word) -> UUID | None:
    """None: it names none."""
    try:
        return UUID(word.command)
    except ValueError:
        return None
