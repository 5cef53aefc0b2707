"""Worked coups as they stand in their file; see its `conventions` for what each value means."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from libs.contracts.baccarat_commands import Chance
from services.cli.replaying.record import CardName
from services.table.domain.games.baccarat.paying import CommissionMode
from services.table.domain.games.baccarat.scores import Winner


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _split(names: Any) -> Any:
    return names.split() if isinstance(names, str) else names


class WorkedTable(_Part):
    variant: Literal["ponto-e-banca", "macau"]
    decks: Literal[6, 8]
    min_bet: int
    max_ponto_banca: int | None = None
    max_tie: int | None = None
    max_pair: int | None = None
    prize_limit: int | None = None
    pair_bets: bool


class WorkedSide(_Part):
    cards: list[CardName]
    score: int

    @field_validator("cards", mode="before")
    @classmethod
    def split(cls, names: Any) -> Any:
        return _split(names)


class WorkedBet(_Part):
    seat: int = Field(ge=1, le=9)
    chance: Chance
    stake: int


class WorkedRequest(WorkedBet):
    action: Literal["place", "withdraw"]
    accepted: bool
    refused_by: str | None = None


class WorkedResult(WorkedBet):
    commission: int
    credited: int


class WorkedCoup(_Part):
    id: str
    commission_mode: CommissionMode
    shoe: list[CardName] = []
    ponto: WorkedSide | None = None
    banca: WorkedSide | None = None
    natural: bool | None = None
    winner: Winner | None = None
    branch: str = ""
    bet_requests: list[WorkedRequest] = []
    bets: list[WorkedBet]
    results: list[WorkedResult]
    net_by_seat: dict[int, int]
    failure: str = ""
    outcome: Literal["", "void"] = ""

    @field_validator("shoe", mode="before")
    @classmethod
    def split(cls, names: Any) -> Any:
        return _split(names)

    @property
    def requests(self) -> list[WorkedRequest]:
        """What the players ask for, in order; where only the bets are recorded, each of them."""
        placed = [WorkedRequest(**bet.model_dump(), action="place", accepted=True) for bet in self.bets]
        return self.bet_requests or placed


class WorkedRound(_Part):
    id: str
    title: str
    rules: list[str]
    table: WorkedTable
    coups: list[WorkedCoup] = Field(min_length=1)
    why: str = ""


class WorkedRounds(_Part):
    id: str
    title: str
    regulation: str
    conventions: dict[str, str]
    rounds: list[WorkedRound] = Field(min_length=1)
