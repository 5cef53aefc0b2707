"""Cards of a live table on their way in: sealed by the gateway, opened here, and nowhere in clear between."""

from base64 import b64decode

from msgspec.structs import replace

from libs.contracts.commands import TableCommand
from libs.contracts.live_commands import RecordIncident, ScanCard
from libs.contracts.scanned_cards import bound_to
from libs.journal.machine import Malformed
from libs.sealing.sealed import CannotOpen, open_sealed
from libs.sealing.secret import DataKey


class Scanner:
    """Opens what the gateway closed for a table and a hand; the key is the one that both share."""

    def __init__(self, gateway_key: DataKey) -> None:
        self._key = gateway_key

    def opened(self, table: str, command: TableCommand) -> TableCommand:
        """The command with cards in place of boxes; Malformed when one does not open here. Other commands stay."""
        if isinstance(command, ScanCard):
            return replace(command, card=self._open(table, command.hand, command.card))
        if isinstance(command, RecordIncident) and command.hidden:
            return replace(command, hidden=[self._open(table, command.hand, box) for box in command.hidden])
        return command

    def _open(self, table: str, hand: int, box: str) -> str:
        try:
            return open_sealed(self._key.reveal(), b64decode(box), bound_to(table, hand)).decode()
        except (CannotOpen, ValueError):
            raise Malformed("sealed: no card of this table and hand") from None
