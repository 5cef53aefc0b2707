"""Worked coups of baccarat as their file has them; its `conventions` say what each value means."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from libs.contracts.baccarat_commands import Chance
from services.cli.replaying.record import Amount, CardNames, Open, Part
from services.table.domain.games.baccarat.paying import CommissionMode


class WorkedTable(Open):
    """The other values go to the rulebook, which refuses what it does not know."""

    variant: Literal["ponto-e-banca", "macau"]
    decks: Literal[6, 8]


class WorkedBet(Part):
    seat: Annotated[int, Field(ge=1, le=9)]
    chance: Chance
    stake: Amount


class WorkedRequest(WorkedBet):
    action: Literal["place", "withdraw"] = "place"
    accepted: bool = True
    refused_by: str | None = None


class WorkedResult(WorkedBet):
    commission: Amount
    credited: Amount


class WorkedSide(Part):
    cards: CardNames
    score: int


class WorkedCoup(Part):
    id: str
    commission_mode: CommissionMode
    shoe: CardNames = ""
    ponto: WorkedSide | None = None
    banca: WorkedSide | None = None
    natural: bool | None = None
    winner: str | None = None
    branch: str | None = None
    bet_requests: list[WorkedRequest] = []
    bets: list[WorkedBet] = []
    results: list[WorkedResult]
    net_by_seat: dict[int, int]
    failure: str = ""
    outcome: Literal["", "void"] = ""

    @property
    def requests(self) -> list[WorkedRequest]:
        """What the players ask for, in order; where only the bets are recorded, each of them."""
        return self.bet_requests or [WorkedRequest(**bet.model_dump()) for bet in self.bets]

    @model_validator(mode="after")
    def goes_together(self) -> Self:
        if not self.requests:
            raise ValueError("neither bets nor bet_requests")
        if len({(each.seat, each.chance) for each in self.results}) != len(self.results):
            raise ValueError("results has one line for each seat and chance")
        dealt = {"ponto", "banca", "natural", "winner", "branch"}
        if self.outcome == "void" and (said := sorted(dealt & self.model_fields_set)):
            raise ValueError(f"a void coup is played up to its bets, without {', '.join(said)}")
        if not self.outcome and (missing := sorted((dealt | {"shoe"}) - self.model_fields_set)):
            raise ValueError(f"lacks {', '.join(missing)}")
        return self


class WorkedRound(Part):
    """`rules` and `why` are for people."""

    id: str
    title: str
    rules: list[str]
    table: WorkedTable
    coups: list[WorkedCoup] = Field(min_length=1)
    why: str = ""


class WorkedRounds(Part):
    id: str
    title: str
    regulation: Literal["pt-812-2015-baccarat-online"]
    conventions: dict[str, str]
    rounds: list[WorkedRound] = Field(min_length=1)
