"""A round that the staff void: by one while no card is out, by two once somebody may know how it would end.

Who has seen cards and gets the bet back has played for nothing. The one who asks first changes nothing; the round goes
on, and when it is over the wish is, too.
"""

from collections.abc import Callable

from libs.contracts.people import same_person
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import VoidRequested
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import AskedVoid
from services.table.domain.table.story import AnyStory


def void_by_staff(story: AnyStory, number: int, cause: str, void: Callable[..., None]) -> Rejected | None:
    """`number` is that of the running round. Cards that nobody can open any more decide nothing: then one is enough."""
    game, asked = story.game, _asked(story, number)
    if not game.cards_out(story.state) or game.cards_lost(story.state):
        void(story, cause, story.by)
    elif asked is None:
        story.tell(VoidRequested(round=number, cause=cause, by=story.by))
    elif same_person(asked.by, story.by):
        return rejected(Reason.OWN_REQUEST, story.rules)
    else:
        void(story, cause, story.by, asked.by)
    return None


def _asked(story: AnyStory, number: int) -> AskedVoid | None:
    asked: AskedVoid | None = story.state.void_asked
    return asked if asked is not None and asked.round == number else None
