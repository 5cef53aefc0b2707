"""A seat's own cards on their way to the gateway: sealed, on a topic that only the gateway may read."""

from typing import Annotated

import msgspec

from libs.contracts.messages import Message


class PrivateDeal(Message):
    """Value of `croupier.table.private.v1` as JSON; key = table stream.

    `sealed` is base64 of nonce || AES-256-GCM ciphertext under the gateway key; the clear text is the seat's cards
    joined by blanks (`As Kd 7h 2c`), bound by `associated_data` to table, hand, seat and player.
    """

    table: str
    hand: Annotated[int, msgspec.Meta(ge=1)]
    seat: Annotated[int, msgspec.Meta(ge=1)]
    player: str
    version: Annotated[int, msgspec.Meta(ge=1)]
    """Version of the event that dealt the cards."""
    sealed: str

    @property
    def associated_data(self) -> bytes:
        return f"{self.table}/{self.hand}/{self.seat}/{self.player}".encode()
