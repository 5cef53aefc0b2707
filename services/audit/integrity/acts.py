"""Hands as the integrity checks read them: who put in what, when, and who was still there."""

from collections.abc import Iterable, Iterator

import msgspec

from libs.projecting import Connection
from services.audit.integrity.cases import HandId

BETS = ("bet", "raise")
FORCED = (
    "blind_small", "blind_big", "blind_entry", "blind_ante", "blind_big_blind_ante", "blind_straddle", "blind_missed",
    "blind_idle",
)  # fmt: skip


class Acted(msgspec.Struct, frozen=True):
    """One act. `at` in milliseconds; `amount` in minor units; `by_house` for what the house did in a player's place."""

    seat: int
    action: str
    at: int
    amount: int = 0
    by_house: bool = False


class PlayedHand(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand. `players`, `stacks` (before it) and `sittings` by seat; `acts` in the order of the log."""

    id: HandId
    at: int
    big_blind: int
    players: dict[int, str]
    stacks: dict[int, int]
    sittings: dict[int, str]
    acts: tuple[Acted, ...]

    def last_two(self) -> tuple[set[int], tuple[Acted, ...]] | None:
        """The two seats left and what they did from then on; None if it never came to two, or began with two."""
        left = set(self.players)
        for place, act in enumerate(self.acts):
            if act.action == "fold":
                left = left - {act.seat}
                if len(left) == 2:
                    return left, self.acts[place + 1 :]
        return None

    def put_in(self, seat: int) -> int:
        """What the seat staked in the hand, before anything came back."""
        return sum(act.amount for act in self.acts if act.seat == seat and act.action != "uncalled_returned")


def decision_times(hands: Iterable[PlayedHand]) -> Iterator[tuple[str, HandId, int]]:
    """Player, hand and milliseconds from the beginning of a turn to the player's own act, in order.

    A turn begins with the act before it: both stand in one commit.
    """
    for hand in hands:
        before: int | None = None
        for act in hand.acts:
            own = act.action not in FORCED and act.action != "uncalled_returned" and not act.by_house
            if own and before is not None:
                yield hand.players[act.seat], hand.id, act.at - before
            before = act.at


async def hands_since(connection: Connection, since: int) -> list[PlayedHand]:
    """Hands that ended well after `since` (milliseconds), oldest first. Play money tells nothing of interest."""
    heads = await connection.fetch(
        """select h.table_id, h.hand, h.started_at, coalesce((t.configuration->>'big_blind')::bigint, 0) as big_blind
           from hands h left join played_tables t using (table_id)
           where h.outcome = 'ended' and h.kind = 'real' and h.started_at >= $1 order by h.started_at, h.table_id""",
        since,
    )
    seats = await connection.fetch(
        """select s.table_id, s.hand, seat, player, stack_before, reservation from hand_seats s
           join hands h using (table_id, hand) where h.started_at >= $1""",
        since,
    )
    acts = await connection.fetch(
        """select a.table_id, a.hand, seat, action, at, amount, actor from hand_actions a
           join hands h using (table_id, hand) where h.started_at >= $1 order by a.table_id, a.version""",
        since,
    )
    seated: dict[HandId, list[tuple[int, str, int, str]]] = {}
    for row in seats:
        one = (row["seat"], row["player"], row["stack_before"], row["reservation"])
        seated.setdefault((row["table_id"], row["hand"]), []).append(one)
    acted: dict[HandId, list[Acted]] = {}
    for row in acts:
        by_house = row["actor"] == "house"
        one_act = Acted(row["seat"], row["action"], row["at"], row["amount"], by_house)
        acted.setdefault((row["table_id"], row["hand"]), []).append(one_act)
    return [
        PlayedHand(
            id=(row["table_id"], row["hand"]),
            at=row["started_at"],
            big_blind=row["big_blind"],
            players={seat: player for seat, player, _, _ in seated.get((row["table_id"], row["hand"]), [])},
            stacks={seat: stack for seat, _, stack, _ in seated.get((row["table_id"], row["hand"]), [])},
            sittings={seat: sitting for seat, _, _, sitting in seated.get((row["table_id"], row["hand"]), [])},
            acts=tuple(acted.get((row["table_id"], row["hand"]), ())),
        )
        for row in heads
    ]
