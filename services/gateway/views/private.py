"""What is not for everybody: a player's own cards, and messages, opened once they may be read."""

from base64 import b64decode
from dataclasses import dataclass, field

from libs.contracts.conduct_events import MessageSent
from libs.sealing.sealed import CannotOpen, open_sealed


@dataclass(slots=True)
class OwnCards:
    """Hole cards in clear by table, hand and seat, as long as the running and the last hand need them.

    Nothing here is ever printed: `repr` shows counts.
    """

    _held: dict[str, dict[int, dict[int, tuple[str, tuple[str, ...]]]]] = field(default_factory=dict, repr=False)

    def put(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None:
        self._held.setdefault(table, {}).setdefault(hand, {})[seat] = (player, cards)

    def of(self, table: str, hand: int, player: str) -> tuple[str, ...]:
        """The player's own cards of that hand; empty for anybody who was not dealt any."""
        for owner, cards in self._held.get(table, {}).get(hand, {}).values():
            if owner == player:
                return cards
        return ()

    def keep_only(self, table: str, hands: set[int], newer_than: int) -> None:
        """Forgets the cards of hands that can't be recalled any more; looks at no other table's."""
        there = self._held.get(table, {})
        for hand in [hand for hand in there if hand <= newer_than and hand not in hands]:
            del there[hand]
        if not there:
            self._held.pop(table, None)

    def __len__(self) -> int:
        return sum(map(len, self._held.values()))


def bound_to(table: str, player: str) -> bytes:
    """What a message's box belongs to."""
    return f"message\x1f{table}\x1f{player}".encode()


def text_of(key: bytes, sent: MessageSent) -> str | None:
    """What was written; None for what was sealed under another key."""
    try:
        return open_sealed(key, b64decode(sent.sealed), bound_to(sent.table, sent.player)).decode()
    except (CannotOpen, ValueError):
        return None
