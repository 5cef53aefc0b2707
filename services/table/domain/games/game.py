"""What a game gives to the table it is played on. Everything else about a table is the same whatever is played."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

import msgspec

from libs.cards.card import name_of
from libs.contracts.commands import TableCommand
from libs.contracts.configurations import Configuration
from libs.contracts.facts import TableEvent
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import DeckCard, PlayerSeated
from libs.decider import Rejected
from libs.rulebooks.configure import Reading
from libs.sealing.deck import ShuffledCards
from libs.sealing.merkle import deck_tree
from libs.sealing.shuffle import ShoeShuffle, Shuffle, Shuffler
from services.table.domain.table.handlers import Handler
from services.table.domain.table.rejections import rejected
from services.table.domain.table.state import Departure, Sitter, Table

if TYPE_CHECKING:
    from libs.contracts.tournament_events import EntrantSeated
    from services.table.domain.table.story import AnyStory

Fresh = Shuffle | ShoeShuffle
"""Fresh entropy, as a game draws it: a shuffled deck, or a shoe of several."""

Fold = Callable[[Any, Any], Any]
"""Table and event to the table after it."""


def then(fold: Fold, more: Callable[[Any, Any, Any], Any]) -> Fold:
    """Folds, and changes more, given the table before and after and the event."""
    return lambda state, event: more(state, fold(state, event), event)


class Dealt(NamedTuple):
    """Cards that one seat alone may see."""

    round: int
    seat: int
    player: str
    positions: Sequence[int]


class Game(Protocol):
    """One object per game, `domain/games/<game>/game.py`; `games/registry.py` lists them.

    `state` is always the game's own kind of table, except in `opened`. What a game need not say has a default here.
    """

    name: ClassVar[str]
    """Folder of the game, as configurations and rulebooks name it."""
    configuration: ClassVar[type[Configuration]]
    table: ClassVar[type[Table]]
    commands: ClassVar[Mapping[type[TableCommand], Handler]]
    folds: ClassVar[Mapping[type[TableEvent], Fold]]
    """How each event of the game changes its table, whose version is already the event's."""
    banked: ClassVar[bool] = False
    """Played against the house, whose money lies in the table's bank."""
    remembers_ms: ClassVar[int] = 0
    """For so long who left is remembered at the least, also where no stack has to come back."""

    def read(self, rulebook: Any, values: dict[str, Any]) -> Reading:
        """Values that are each inside the rulebook's bounds, as a configuration of the game."""
        ...

    def opened(self, state: Table) -> Table:
        """The game's own kind of table, when it has just been opened."""
        fields = {name: getattr(state, name) for name in Table.__struct_fields__}
        return self.table(**fields)

    def rules_of(self, configuration: Configuration) -> Configuration:
        """A configuration as an event tells it, with what follows from it in this game."""
        if isinstance(configuration, self.configuration):
            return configuration
        return msgspec.convert(configuration, self.configuration, from_attributes=True)

    def follow(self, state: Any, event: TableEvent) -> Table:
        """What an event of the table, already folded, means for what the game remembers beside it."""
        return state  # type: ignore[no-any-return]

    def seated(self, state: Any, event: PlayerSeated) -> Sitter:
        """Who sits down, as the game remembers players."""
        return Sitter(seat=event.seat, player=event.player, reservation=event.reservation, stack=event.stack)

    def entrant(self, state: Any, event: "EntrantSeated") -> Sitter:
        """Who sits down at a tournament table."""
        return Sitter(seat=event.seat, player=event.player, reservation=event.reservation, stack=event.chips)

    def departed(self, state: Any, sitter: Any, at: int) -> Departure:
        """What is remembered of who leaves, for when the player comes back."""
        return Departure(sitter.stack, at)

    def blinds_passed(self, state: Any, player: str, from_seat: int, to_seat: int) -> list[Literal["small", "big"]]:
        """Those that come to one seat sooner than to the other, were the player to move."""
        return []

    def dues(self, state: Any) -> Sequence[int | None]:
        """First milliseconds at which something of the game's is due: deadlines, next round, notices."""
        ...

    def lapse(self, story: "AnyStory") -> None:
        """Ends whatever of the game's is over by the time of any command, woken or not, and begins no clock.

        A clock that our own outage may have stopped is not ended here: who comes late is refused, a wake does the rest.
        """

    def wake(self, story: "AnyStory", outage: bool) -> None:
        """Does whatever of the game's is due. `outage`: the house was down, so nobody's time has run out."""
        ...

    def moved_at(self, state: Any) -> int | None:
        """When the running round last moved, milliseconds; None where it waits for no clock, and a standstill of the
        house interrupts nothing.

        A process that finds a round as another one left it wakes the table with `outage` before anything else.
        """
        return None

    def supply(self, state: Any, shuffler: Shuffler) -> Fresh | None:
        """Fresh entropy for a wake; a game that draws seldom may save it for when it does."""
        return shuffler.shuffle()

    def leave(self, story: "AnyStory", sitter: Any) -> None:
        """A player whom the running round has a claim on asks to go."""
        ...

    def after_round(self, story: "AnyStory") -> None:
        """A round is over, who was leaving has gone, the table stays open: what follows for those who are there."""

    def seats_changed(self, story: "AnyStory") -> None:
        """Who is ready for the next round may have changed."""

    def left_out(self, state: Any, now: int) -> bool | None:
        """Whether a round would have begun but for the pause that ends now; None where no later one depends on it."""
        return None

    def refuse_amount(self, state: Any, player: str, amount: int, now: int) -> Rejected | None:
        """Why nobody may sit down with this amount."""
        return refuse_buy_in(state, player, amount, now)

    def refuse_top_up(self, state: Any, amount: int) -> Rejected | None:
        """Why nobody may top up by this amount, whatever the stack."""
        return None

    def least_top_up(self, state: Any) -> int:
        """Less is none, minor units, unless it is all that is left to the ceiling."""
        return 1

    def refuse_change(self, state: Any, configuration: Any) -> Rejected | None:
        """Why a configuration may not follow the one in force."""
        return None

    def notice_of(self, state: Any, configuration: Any) -> int:
        """How long this configuration is announced before a round is played by it, milliseconds."""
        return 0

    def had_break(self, story: "AnyStory", sitter: Any) -> bool:
        """Whether the player has no further break yet."""
        return False

    def refuse_rest(self, story: "AnyStory", sitter: Any) -> bool:
        """Whether a wish to sit out is refused; what follows of it is told."""
        return False

    def connected(self, story: "AnyStory", sitter: Any) -> None:
        """The sitter's connection is there, for the first time or again."""
        return

    def drawn_first(self, state: Any) -> Collection[str]:
        """Players who are drawn for seats before others."""
        return ()

    def may_post(self, sitter: Any) -> bool:
        """Whether posting a blind would bring the sitter in sooner."""
        return False

    def why_not(self, configuration: Any, bank: int) -> Rejected | None:
        """Why a table may not be opened or go on with this configuration and this much in its bank."""
        return None

    def deck_of(self, state: Any) -> ShuffledCards | None:
        """The secret that the state holds: sealed before a snapshot is written."""
        ...

    def with_deck(self, state: Any, deck: Any) -> Table:
        """The state with that secret put in or taken out."""
        ...

    def cards_out(self, state: Any) -> bool:
        """Whether somebody may have seen a card of the running round, and know what it is worth."""
        return state.in_round  # type: ignore[no-any-return]

    def cards_lost(self, state: Any) -> bool:
        """Whether the running round needs cards that no key opens any more."""
        return False

    def give_up(self, story: "AnyStory", cause: str) -> None:
        """Ends a round that can't be finished, of the house's own accord: every bet goes back."""
        ...

    def dealt(self, state: Any, event: TableEvent) -> Sequence[Dealt]:
        """Cards that this event, already folded, has dealt face down; their positions are in `deck_of`."""
        return ()


def refuse_buy_in(state: Table, player: str, amount: int, now: int) -> Rejected | None:
    rules = state.rules
    lowest, highest = buy_in_bounds(state, player, now)
    if amount < lowest:
        below_stack = lowest > rules.entry.buy_in_min
        return rejected(Reason.REENTRY_BELOW_STACK if below_stack else Reason.BUY_IN_BELOW_MINIMUM, rules)
    return rejected(Reason.BUY_IN_ABOVE_MAXIMUM, rules) if amount > highest else None


def buy_in_bounds(state: Table, player: str, now: int) -> tuple[int, int]:
    """pt-811-2015 10: who returns within the window brings at least what was taken away, even above the maximum."""
    rules = state.rules
    departure = state.departed(player, now)
    if departure is None:
        return rules.entry.buy_in_min, rules.entry.buy_in_max
    return max(rules.entry.buy_in_min, departure.stack), max(rules.entry.buy_in_max, departure.stack)


def open_cards(deck: ShuffledCards, positions: Iterable[int], leaves: int | None = None) -> list[DeckCard]:
    """Those at `positions`, in that order; this is what makes them public. `leaves`: of the tree, if not every card."""
    tree, cards = deck_tree(deck, leaves), deck.cards
    return [DeckCard(at, name_of(cards[at]), *tree.shown(at)) for at in positions]
