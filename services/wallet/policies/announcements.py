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
from libs.contracts.facts import Fact, TournamentEvent
from libs.contracts.messages import CommandMessage, PublicEvent
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
TOLD = (TournamentProposed, TargetAsked, TournamentAnnounced, CancellationProposed, TournamentCancelled)
"""What is told of an announcement, and of a cancellation. The approval of a satellite asks its target first; that it is
announced then is asked for by that one (pt-810-2015 32)."""
MOST_WORDS = 1_000
"""About one tournament that are kept; a tournament tells a handful."""


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


Saying = tuple[type[Fact], str, str, str]
"""What is told, by which command, by whom and of which rules: others under the same command are another saying."""


class Words(dict[Saying, Word]):
    """Of one tournament, as far as it is read: the earliest of each. Not the first alone: whoever has the tournament's
    login may tell what nobody asked for, and the true word counts all the same."""

    def note(self, fact: Fact, event: PublicEvent, offset: int, taken_at: int) -> None:
        if not isinstance(fact, TOLD):
            return
        place = saying(fact, event)
        word = Word(offset, taken_at, *place[1:])
        if place in self or len(self) < MOST_WORDS:
            self[place] = min(word, self.get(place, word))

    def of(self, kind: type[Fact]) -> list[Word]:
        """In the order in which they were told."""
        return sorted(word for (told, *_), word in self.items() if told is kind)

    @property
    def whole(self) -> bool:
        return bool(self.of(TournamentProposed) and self.of(TournamentAnnounced))


def saying(fact: TournamentEvent, event: PublicEvent) -> Saying:
    """Of one of `TOLD`."""
    kind: type[Fact] = TournamentAnnounced if isinstance(fact, TargetAsked) else type(fact)
    by = fact.confirmed_by if isinstance(fact, TournamentCancelled) else getattr(fact, "by", "")
    return kind, event.causation, by, digest_of(fact.definition) if isinstance(fact, TournamentProposed) else ""


def of_tournament(event: PublicEvent, fact: Fact) -> str | None:
    """The tournament that people must have asked for; None where none must. Raises ValueError: it speaks of another."""
    if not isinstance(fact, TournamentMoney | TournamentProposed | TournamentAnnounced | TournamentCancelled):
        return None
    if fact.tournament != event.stream:
        raise ValueError
    return event.stream


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
