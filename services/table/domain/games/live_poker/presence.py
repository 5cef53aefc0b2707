"""Where a player is: at the dealer's table, by the player's own word, or elsewhere, as all are who said nothing."""

from libs.contracts.facts import taken
from libs.contracts.live_commands import StatePresence
from libs.contracts.live_events import PresenceStated
from libs.decider import Rejected
from services.table.domain.games.live_poker.state import LiveStory
from services.table.domain.games.poker.state import PokerSitter
from services.table.domain.table.handlers import of_sitter


@of_sitter
def state_presence(command: StatePresence, story: LiveStory, sitter: PokerSitter) -> Rejected | None:
    if command.present == story.state.is_remote(sitter.seat):
        story.tell(taken(PresenceStated, sitter, present=command.present))
    return None
