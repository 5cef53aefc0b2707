"""Worked hands of Omaha as their file has them; its `schema` block says what each value means."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from services.cli.replaying.record import Amount, CardName, Cards, Claims, Open, Part, Player, Seat, check_numbered


class Rake(Part):
    mode: Literal["pot", "buy_in"]
    rate_bp: int
    cap_big_blinds: int | None
    rounding: Literal["down"]


class Ruleset(Open):
    """The other values go to the rulebook, which refuses what it does not know."""

    regulation: Literal["pt-811-2015-omaha-online", "mo-97-2010-omaha"]
    rake: Rake


class Legal(Part):
    check: bool
    call: Amount | None
    min_to: Amount | None
    max_to: Amount | None


class Action(Part):
    seq: int
    street: Literal["preflop", "flop", "turn", "river"]
    act: Literal["post_sb", "post_bb", "fold", "check", "call", "bet", "raise", "deal_board", "rejected"]
    seat: Seat = 0
    add: Amount = 0
    to: Amount | None = None
    all_in: bool = False
    by: Literal["timeout", "leave"] | None = None
    legal: Legal | None = None
    cards: Cards = []
    attempt: Literal["fold", "check", "call", "bet", "raise"] = "raise"
    reason: str = ""

    @model_validator(mode="after")
    def has_what_its_act_needs(self) -> Self:
        needed = {"deal_board": {"cards"}, "rejected": {"seat", "reason"}}.get(self.act, {"seat", "add", "to"})
        if missing := sorted(needed - self.model_fields_set):
            raise ValueError(f"{self.act} lacks {', '.join(missing)}")
        return self


class Blinds(Part):
    small: Amount
    big: Amount


class Positions(Part):
    button: Seat
    small_blind: Seat
    big_blind: Seat


class Board(Part):
    flop: Annotated[Cards, Field(min_length=3, max_length=3)] | None
    turn: CardName | None
    river: CardName | None

    @property
    def streets(self) -> list[Cards]:
        return [street for street in (self.flop, *([card] for card in (self.turn, self.river) if card)) if street]

    @model_validator(mode="after")
    def comes_in_order(self) -> Self:
        if (self.flop is None and self.turn) or (self.turn is None and self.river):
            raise ValueError("a street stands without the one before it")
        return self


class Best(Part):
    category: str
    hole_used: Cards
    board_used: Cards


class Showdown(Part):
    order: list[Seat]
    hands: dict[int, Best]


class Expected(Part):
    uncalled_returned: Claims | None
    contributions: dict[int, int]
    pots: list[Claims]
    rake: Claims
    payouts: dict[int, int]
    showdown: Showdown | None
    final_stacks: dict[int, int]
    next_button: Seat
    conservation: Claims


class OmahaPlayer(Player):
    hole: Annotated[Cards, Field(min_length=4, max_length=4)]


class WorkedHand(Part):
    """`why` and `covers` are for people."""

    id: str
    title: str
    ruleset: str
    blinds: Blinds
    positions: Positions
    players: list[OmahaPlayer] = Field(min_length=2)
    board: Board
    actions: list[Action]
    expected: Expected
    leaves: list[Seat] = []
    why: str = ""
    covers: dict[str, list[str]] = {}

    @model_validator(mode="after")
    def goes_together(self) -> Self:
        seats = [player.seat for player in self.players]
        if len(set(seats)) != len(seats) or not set(self.positions.model_dump().values()) <= set(seats):
            raise ValueError("button and blinds are seats of players, and each seat has one")
        check_numbered("actions", self.actions)
        return self


class Record(Part):
    """`scope` and `schema` are for people."""

    id: str
    title: str
    rulesets: dict[str, Ruleset]
    hands: list[WorkedHand] = Field(min_length=1)
    scope: str = ""
    schema_: dict[str, str] = Field(default={}, alias="schema")

    @model_validator(mode="after")
    def rules_are_there(self) -> Self:
        for hand in self.hands:
            if hand.ruleset not in self.rulesets:
                raise ValueError(f"hands[{hand.id}].ruleset: there is none that is called {hand.ruleset[:40]!r}")
        return self
