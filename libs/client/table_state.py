"""A player's own picture of a table: a view first, then each event in version order, by the gateway's own fold."""

from dataclasses import dataclass, field

from libs.contracts.facts import taken
from libs.contracts.frames import Event, HoleCards, View
from libs.contracts.table_events import PlayerLeft
from libs.contracts.versions import Accepted, accepts
from libs.views.hand import Decision
from libs.views.no_draw import NoDrawRound
from libs.views.table import Seat, TableView, fold_table, seen


class Turn(Decision, frozen=True, kw_only=True):
    """A decision that the table awaits; `turn` is what the act names, so that a late answer is refused."""

    table: str
    hand: int


@dataclass(slots=True)
class TableState:
    """Follows one table. `apply` says whether an event fitted; after a gap the table is shown anew."""

    table: str
    view: TableView = field(init=False)
    left_with: dict[str, int] = field(default_factory=dict)
    """Stack that each player took away, as far as it was seen; who comes back soon must bring it."""
    _own: tuple[int | None, list[str]] = field(default=(None, []), repr=False)

    def __post_init__(self) -> None:
        self.view = TableView(self.table)

    @property
    def version(self) -> int:
        return self.view.version

    @property
    def hand_over(self) -> bool:
        """Whether no hand runs."""
        return self.view.hand is None or self.view.hand.over

    @property
    def number(self) -> int | None:
        """Of the hand or round on the table."""
        if self.view.round is not None:
            return self.view.round.round
        return self.view.hand.hand if self.view.hand is not None else None

    @property
    def hole_cards(self) -> list[str]:
        """The player's own cards in the hand or round on the table."""
        number, cards = self._own
        return cards if number == self.number else []

    @property
    def turn(self) -> Turn | None:
        hand = self.view.hand
        return taken(Turn, hand.decision, table=self.table, hand=hand.hand) if hand and hand.decision else None

    @property
    def betting(self) -> bool:
        """Whether stakes are taken for a round against the house."""
        return self.view.round is not None and self.view.round.phase == "betting"

    def decides(self, player: str) -> bool:
        """Whether the player has to choose between fold and second bet."""
        round = self.view.round
        return isinstance(round, NoDrawRound) and any(s.decides and s.player == player for s in round.seats.values())

    def seat_of(self, player: str) -> Seat | None:
        return self.view.seat_of(player)

    def show(self, frame: View) -> None:
        """Takes over a whole view."""
        self.view = seen(frame.view)
        self._own = self.number, frame.view["own"]["cards"]

    def apply(self, event: Event) -> bool:
        """Folds the next event; True also for one already folded, False for a gap."""
        accepted = accepts(self.version, event.version)
        if accepted is not Accepted.YES:
            return accepted is Accepted.SEEN
        self.view = fold_table(self.view, event.fact, event.version)
        if isinstance(event.fact, PlayerLeft):
            self.left_with[event.fact.player] = event.fact.stack
        return True

    def deal(self, frame: HoleCards) -> None:
        self._own = frame.hand, frame.cards
