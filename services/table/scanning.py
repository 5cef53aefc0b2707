"""Cards of a live table on their way in: sealed by the gateway, opened here, and nowhere in clear between."""

from base64 import b64decode
from typing import Any

from libs.contracts.scanned_cards import bound_to
from libs.journal.machine import Malformed
from libs.sealing.sealed import CannotOpen, open_sealed
from libs.sealing.secret import DataKey


class Scanner:
    """Opens what the gateway closed for a table and a hand; the key is the one that both share."""

    def __init__(self, gateway_key: DataKey) -> None:
        self._key = gateway_key

    def opened(self, table: str, body: dict[str, Any]) -> dict[str, Any]:
        """The body with cards in place of boxes; Malformed when one does not open here. Other bodies stay."""
        if "sealed" in body and "to" in body:
            rest = {name: value for name, value in body.items() if name != "sealed"}
            return {**rest, "card": self._open(table, body["hand"], body["sealed"])}
        if body.get("hidden"):
            return {**body, "hidden": [self._open(table, body["hand"], box) for box in body["hidden"]]}
        return body

    def _open(self, table: str, hand: int, box: str) -> str:
        try:
            return open_sealed(self._key.reveal(), b64decode(box), bound_to(table, hand)).decode()
        except (CannotOpen, ValueError):
            raise Malformed("sealed: no card of this table and hand") from None
