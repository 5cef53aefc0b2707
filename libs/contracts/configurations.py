"""What an operator chose for a table, inside the bounds of its rulebook; published with the table.

Amounts are minor units of `currency`, times milliseconds, rates basis points (500 = 5 %). `game` says whose
configuration it is. What a game makes of its own stands in `services/table/domain/games/<game>/configuration.py`.
A rulebook names all values in one list; `grouped` puts each where it belongs, `rake_cap` to `rake.cap`.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from libs.contracts.facts import Chips, Fact, Milliseconds, Moment

Kind = Literal["real", "demo", "tournament"]
"""What is played for: money, play money, or tournament chips, which are neither."""


class Group(Fact):
    """Values of a configuration that belong together."""

    in_rulebook: ClassVar[Mapping[str, str]] = {}
    """Names that rulebooks have for values of the group, where they are others."""


class Entry(Group):
    """Who may sit down, with what."""

    buy_in_min: Chips
    """Least buy-in; where the house takes its part of the buy-in, before that is taken."""
    buy_in_max: Chips
    """Most that may be brought."""
    top_up_to: Chips
    """A top-up may raise the stack to this much."""
    registered_only: bool = False
    """Only who has registered may play (pt-811-2015 6.b)."""
    seats_by_draw: bool = False
    """The first seats are drawn by lot among the registered (pt-217-2007 11)."""


class Timing(Group):
    """Clocks and hours of any table."""

    break_ms: Milliseconds
    """How long a player may be on a break before the invitation to leave."""
    reservation_ms: Milliseconds
    """How long a seat is kept while the wallet reserves the buy-in."""
    reentry_ms: Milliseconds
    """Who returns within it must bring what was taken away (10, 11.a); 0 = off."""
    offer_ms: Milliseconds = 60000
    """How long a seat is kept for who is next on the list."""
    in_sessions: bool = False
    """Played in sessions rather than continuously (pt-217-2007 74)."""
    opens_at: Moment | None = None
    """When a session table opens, fixed in advance."""
    closes_at: Moment | None = None
    """Hours of a session table, fixed in advance (pt-811-2015 6.b)."""
    limits_notice_ms: Milliseconds = 0
    """Between the announcement of other limits and the first hand with them (pt-217-2007 22)."""
    close_after_ms: Milliseconds | None = None
    """How long a table may stand suspended for want of players (pt-217-2007 24); None: for ever."""


class Conduct(Group):
    """Talk and warnings."""

    chat: Literal["off", "hold", "block"] = "off"
    """What becomes of messages while a round runs: withheld until it is over, or never delivered."""
    warning_limit: int = 0
    """So many warnings for conduct in a game, and the player leaves; 0: staff decide."""
    slow_warning_limit: int = 0
    """So many decisions let run out; 0: no warnings."""


class Configuration(Fact, tag_field="game", tag="none"):
    """What all tables have."""

    rulebook: str
    """Id of the rulebook: `pt-811-2015-omaha`."""
    regulation: str = ""
    """Id of the regulation that the rulebook puts into data, what rule references start with: `pt-811-2015`. Empty:
    none has this game, it is played as is the practice of the field."""
    version: Annotated[int, msgspec.Meta(ge=1)]
    """Of this table's configuration; each change has a higher one."""
    approval: str
    """Approval reference of this version; empty for play money."""
    approved_on: str = ""
    """Date of that approval, ISO 8601; empty: not told."""
    currency: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]
    """ISO 4217; `FUN` for play money, `XXX` (none) in tournaments."""
    kind: Kind
    """Real money, play money (`demo`) or tournament chips."""
    seats: Annotated[int, msgspec.Meta(ge=1, le=11)]
    """Number of seats."""
    tournament: str = ""
    """Whose table it is: stacks are chips of this tournament, and only it seats and takes off; empty: a cash table."""
    entry: Entry
    timing: Timing
    conduct: Conduct

    @property
    def game(self) -> str:
        """Folder of the game in `services/table/domain/games`."""
        return str(type(self).__struct_config__.tag)

    @property
    def live(self) -> bool:
        """Whether a human deals."""
        return False

    @property
    def least_players(self) -> int:
        """Fewest with whom a round starts."""
        return 1

    @property
    def played_seats(self) -> int:
        """Seats that are played, from 1 on; those above stay closed."""
        return self.seats

    def commission_on(self, amount: int, uncharged: int = 0) -> tuple[int, int]:
        """What the house keeps of a buy-in or top-up, minor units; 0 unless the game takes its part there. And what it
        has not charged yet, ten-thousandths of one; `uncharged`: what was left of the sitting's payments before."""
        return 0, uncharged

    def rule_of(self, reason: str) -> str | None:
        """Number of the rule behind a refusal under this table's regulation; None: a house rule of ours."""
        return None


class BankedTiming(Timing):
    """Clocks and hours of a table against the house."""

    resume_ms: Milliseconds
    """A round is void when the house was down for longer."""
    idle_ms: Milliseconds
    """Single table: longer without a bet, and the player is invited to end the session."""
    idle_rounds: int
    """Table for many: the same after more rounds in a row without a bet."""
    idle_warning_ms: Milliseconds
    """Single table: from warning to end."""
    between_rounds_ms: Milliseconds
    """Pause between rounds."""


class BankedConfiguration(Configuration, tag="banked"):
    """What all games against the house have."""

    in_words: ClassVar[tuple[str, ...]] = ()
    """The game for its players, sentence by sentence. `{min_stake}` is the table's value of that name in its rulebook:
    money where it is of `entry` or `betting`, seconds where it ends in `_ms`."""
    edges: ClassVar[Mapping[str, int]] = {}
    """What the house ought to win of each area, parts per million of the stake, where it hangs on no choice."""
    mode: Literal["single", "multi"]
    """A table for one player, or for many."""
    timing: BankedTiming


ConfigurationT = TypeVar("ConfigurationT", bound=Configuration)


@cache
def places(kind: type[Configuration]) -> tuple[tuple[str, str, str], ...]:
    """Each value of a configuration: its group, its name there, and its name in a rulebook.

    Group and name stay apart in the second and third: `rake`, `cap`, `rake_cap`. Empty: it is in no group.
    """
    return tuple(_places(kind))


def _places(kind: type[Configuration]) -> Iterator[tuple[str, str, str]]:
    for field in msgspec.structs.fields(kind):
        if not (isinstance(field.type, type) and issubclass(field.type, Group)):
            yield "", field.name, field.name
            continue
        for inner in field.type.__struct_fields__:
            yield field.name, inner, field.type.in_rulebook.get(inner, inner)


def grouped(kind: type[ConfigurationT], values: Mapping[str, Any]) -> ConfigurationT:
    """The configuration of a rulebook's values. msgspec.ValidationError when one is missing or not what it must be."""
    fields: dict[str, Any] = {"game": kind.__struct_config__.tag}
    for group, name, flat in places(kind):
        into = fields.setdefault(group, {}) if group else fields
        if flat in values:
            into[name] = values[flat]
    return msgspec.convert(fields, kind)


def changed(configuration: ConfigurationT, values: Mapping[str, Any]) -> ConfigurationT:
    """The configuration with other values, named as in a rulebook; one that it has not is passed over."""
    whole: dict[str, Any] = {}
    for group, name, flat in places(type(configuration)):
        if flat in values:
            (whole.setdefault(group, {}) if group else whole)[name] = values[flat]
    for group in [name for name, new in whole.items() if isinstance(new, dict)]:
        whole[group] = replace(getattr(configuration, group), **whole[group])
    return replace(configuration, **whole)


def flat(configuration: Configuration) -> dict[str, Any]:
    """All values by the names that a rulebook has for them, and the game."""
    values = {
        known: getattr(getattr(configuration, group) if group else configuration, name)
        for group, name, known in places(type(configuration))
    }
    return {"game": configuration.game, **values}
