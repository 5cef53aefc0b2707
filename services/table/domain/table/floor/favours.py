"""What players may not ask of a table: it is refused with the rule, and the refusal is in the journal."""

from collections.abc import Mapping

from libs.contracts.floor_commands import AskFavour
from libs.contracts.floor_commands import FloorReason as Reason
from libs.decider import Rejected
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory

_NO: Mapping[str, Reason] = {
    "split_pot": Reason.CHOP_NOT_ALLOWED,
    "move_chips": Reason.TRANSFER_NOT_ALLOWED,
    "take_chips_off": Reason.WITHDRAW_WHILE_SEATED,
    "swap_seats": Reason.SEAT_SWAP_NOT_ALLOWED,
}


def ask_favour(command: AskFavour, story: AnyStory) -> Rejected | None:
    return rejected(_NO[command.favour], story.rules)
