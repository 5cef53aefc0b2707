"""Hole cards in clear, for their own player only, and only as long as the running and the last hand need them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class OwnCards:
    """Cards by (table, hand) and seat. Nothing here is ever printed: `repr` shows counts."""

    _held: dict[tuple[str, int], dict[int, tuple[str, tuple[str, ...]]]] = field(default_factory=dict, repr=False)

    def put(self, table: str, hand: int, seat: int, player: str, cards: tuple[str, ...]) -> None:
        self._held.setdefault((table, hand), {})[seat] = (player, cards)

    def of(self, table: str, hand: int, player: str) -> tuple[str, ...]:
        """The player's own cards of that hand; empty for anybody who was not dealt any."""
        for owner, cards in self._held.get((table, hand), {}).values():
            if owner == player:
                return cards
        return ()

    def keep_only(self, table: str, hands: set[int], newer_than: int) -> None:
        """Forgets the cards of hands that can't be recalled any more."""
        for key in [key for key in self._held if key[0] == table and key[1] <= newer_than and key[1] not in hands]:
            del self._held[key]

    def __len__(self) -> int:
        return len(self._held)
