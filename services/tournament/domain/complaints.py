"""Complaints, and the language in which a player reads the rules (pt-810-2015 55, 60). Also when all is over."""

from hashlib import sha256

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.facts import taken
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.decider import Rejected
from services.tournament.domain.rejections import rejected
from services.tournament.domain.state import Reads
from services.tournament.domain.story import Story

MAX_COMPLAINTS = 20
"""Of one player."""


def choose_language(command: asked.ChooseLanguage, story: Story) -> Rejected | None:
    if not _takes_part(story):
        return rejected(Reason.NOT_REGISTERED)
    if command.language not in story.rules.rules:
        return rejected(Reason.UNKNOWN_LANGUAGE, "60")
    if command.language != story.state.reads.get(story.by, Reads()).language:
        story.tell(told.LanguageChosen(player=story.by, language=command.language))
    return None


def open_complaint(command: asked.OpenComplaint, story: Story) -> Rejected | None:
    state = story.state
    if not _takes_part(story):
        return rejected(Reason.NOT_REGISTERED)
    if command.complaint in state.complaints:
        return rejected(Reason.ENTRY_USED)
    if sum(each.player == story.by for each in state.complaints.values()) >= MAX_COMPLAINTS:
        return rejected(Reason.TOO_MANY_COMPLAINTS)
    if not _was_dealt(story, command.table, command.hand):
        return rejected(Reason.UNKNOWN_HAND, "55")
    reads = state.reads.get(story.by, Reads())
    story.tell(
        taken(
            told.ComplaintOpened, command, player=story.by, rulebook=story.rules.rulebook, rules=_rules(story),
            language=reads.language, chosen_at=reads.since,
        )
    )  # fmt: skip
    return None


def decide_complaint(command: asked.DecideComplaint, story: Story) -> Rejected | None:
    complaint = story.state.complaints.get(command.complaint)
    if complaint is None or complaint.decided:
        return rejected(Reason.UNKNOWN_COMPLAINT, "55")
    story.tell(taken(told.ComplaintDecided, command, player=complaint.player, by=story.by, rules=_rules(story)))
    return None


def _takes_part(story: Story) -> bool:
    return any(entry.player == story.by for entry in story.state.entries.values())


def _was_dealt(story: Story, table: int, hand: int) -> bool:
    """As far as the tournament knows; of a table that is gone the record tells."""
    play = story.state.play
    if not table or not hand:
        return table == hand
    return table <= play.opened and (table not in play.tables or hand <= play.tables[table].begun)


def _rules(story: Story) -> str:
    """Of the text that prevails; it does not change once it is published (FP-12)."""
    return sha256(story.rules.rules["pt"].encode()).hexdigest()
