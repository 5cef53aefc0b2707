"""The tournament ends, or this table is broken up: the running hand is the last one here."""

from libs.contracts.tournament_commands import EndTournament
from libs.decider import Rejected
from services.table.domain.table.closing import begin_closing, finish_closing
from services.table.domain.table.story import AnyStory


def end_tournament(command: EndTournament, story: AnyStory) -> Rejected | None:
    begin_closing(story, story.by, command.reason)
    finish_closing(story)
    return None
