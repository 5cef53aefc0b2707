"""Our side: the real decider with the drawn cards, rake taken off, and what it told of the hand."""

from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec.structs import replace

from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import (
    CardsShown,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PotAwarded,
    UncalledBetReturned,
)
from services.audit.verifying.findings import Finding, Kind
from tests.differential.setting import MOST_SEATS, Setting
from tests.table.play import TableUnderTest

EventT = TypeVar("EventT", bound=TableEvent)


class _WithoutRake(TableUnderTest):
    """What is compared is the play; rake has worked hands of its own. The auditor, who knows the table's terms, misses
    it and nothing else."""

    def audited(self, findings: list[Finding]) -> None:
        super().audited([each for each in findings if each.kind is not Kind.RAKE])


@dataclass(frozen=True)
class Offer:
    """What a player may do: chips to call (0: check), and the least and most of a bet's or raise's round total."""

    seat: int
    call: int
    raise_to: tuple[int, int] | None


class Ours:
    def __init__(self, setting: Setting) -> None:
        self.table = _WithoutRake(setting.rulebook, **_configuration(setting))
        self.table.seat(**{f"s{seat}": stack for seat, stack in setting.stacks.items()})
        rules = self.table.state.rules
        free = replace(rules, rake=replace(rules.rake, bp=0))
        self.table.state = replace(self.table.state, configuration=free)
        self.table.told.clear()
        self.table.deal(button=setting.button, fresh=setting.shuffle)
        (started,) = self.all_told(HandStarted)
        (dealt,) = self.all_told(HoleCardsDealt)
        self.order = tuple(seat.seat for seat in started.seats)
        self.holes = {deal.seat: [setting.cards[position] for position in deal.positions] for deal in dealt.deals}
        self.board = self._board(setting, sum(map(len, self.holes.values())))

    def _board(self, setting: Setting, first: int) -> list[list[int]]:
        """The three streets as they will come; Macau burns a card before each (mo-97-2010 7.1)."""
        streets = []
        for size in (3, 1, 1):
            first += self.table.state.rules.dealing.burn_before_board
            streets.append(list(setting.cards[first : first + size]))
            first += size
        return streets

    @property
    def offer(self) -> Offer | None:
        """None when the hand is over."""
        if self.table.turn is None:
            return None
        _, call, low, high = self.table.legal
        return Offer(self.table.turn, call or 0, (low, high) if low is not None and high is not None else None)

    def act(self, act: str, to: int | None = None) -> None:
        assert self.table.turn is not None
        refused = self.table.act(self.table.turn, act, to)
        assert refused is None, (act, to, self.table.refused)

    def all_told(self, kind: type[EventT]) -> list[EventT]:
        return [event for event in self.table.told if isinstance(event, kind)]

    @property
    def pots(self) -> list[PotAwarded]:
        return self.all_told(PotAwarded)

    @property
    def uncalled(self) -> dict[int, int]:
        """By seat, over the whole hand."""
        back: dict[int, int] = {}
        for event in self.all_told(UncalledBetReturned):
            back[event.seat] = back.get(event.seat, 0) + event.amount
        return back

    @property
    def shown(self) -> bool:
        return bool(self.all_told(CardsShown))

    @property
    def final_stacks(self) -> dict[int, int]:
        (ended,) = self.all_told(HandEnded)
        return {result.seat: result.stack for result in ended.results}


def _configuration(setting: Setting) -> dict[str, Any]:
    least = min(setting.big, *setting.stacks.values())
    wanted: dict[str, Any] = {
        "structure": setting.structure,
        "seats": MOST_SEATS,
        "small_blind": setting.small,
        "small_blind_reason": "drawn",
        "big_blind": setting.big,
        "buy_in_min": least,
        "buy_in_max": setting.big * 200,
        "top_up_to": setting.big * 200,
        "heads_up_blinds": setting.heads_up_blinds,
    }
    if setting.raise_cap is not None:
        wanted |= {"raise_cap": setting.raise_cap, "raise_cap_lifted_heads_up": setting.lifted_heads_up}
    if setting.size_unlimited:
        wanted["heads_up_size_unlimited"] = True
    if setting.ante or setting.straddle:
        wanted |= {"ante": setting.ante, "straddle": setting.straddle}
    return wanted
