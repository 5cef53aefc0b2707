"""The time for bets: opening, placing and taking back, closing (pt-812-2015 2.c, 16, 27, 28)."""

from libs.contracts.baccarat_commands import Chance
from libs.contracts.baccarat_events import CoupLapsed, CoupOpened, StakePlaced, StakeWithdrawn
from libs.contracts.banked_rounds import SeatInRound
from services.table.domain.games.baccarat.evolve import in_use
from services.table.domain.games.baccarat.shoes import needs_shoe
from services.table.domain.games.baccarat.state import BaccaratTable
from services.table.domain.games.baccarat.story import BaccaratStory
from services.table.domain.games.banked import IdleSitter, able_to_stake, next_betting_at


def may_open(state: BaccaratTable) -> bool:
    """Whether bets can be taken at all: somebody is there, and the bank can pay the worst case where there is one."""
    worst = state.rules.worst_case
    able = worst is None or state.bank >= worst
    waiting = state.status == "open" and not state.paused and state.coup is None
    return waiting and able and bool(present(state))


def present(state: BaccaratTable) -> list[int]:
    """Seats whose players could place the least bet, ascending."""
    return able_to_stake(state, state.rules.betting.min_bet)


def opens_at(state: BaccaratTable) -> int | None:
    """When the next betting opens by itself; None while it can't."""
    return next_betting_at(state, state.rules.timing.between_rounds_ms) if may_open(state) else None


def may_open_with_a_bet(state: BaccaratTable) -> bool:
    """A shoe begins only on a wake, which brings entropy; between those any bet can open a coup."""
    return may_open(state) and not needs_shoe(state)


def is_open(state: BaccaratTable, now: int) -> bool:
    """Strictly before the deadline (reading of 27)."""
    return state.coup is not None and (state.coup.until is None or now < state.coup.until)


def open_betting(story: BaccaratStory) -> None:
    """One opening and one deadline for all seats (5, 27); a single player has none, he deals (28)."""
    state, rules = story.state, story.rules
    story.tell(
        CoupOpened(
            round=state.last_round + 1,
            shoe=in_use(state).number,
            rulebook=rules.rulebook,
            rulebook_hash=state.rulebook_hash,
            configuration_version=rules.version,
            currency=rules.currency,
            kind=rules.kind,
            commission_mode=rules.betting.commission_mode,
            min_bet=rules.betting.min_bet,
            seats=[SeatInRound(s.seat, s.player, s.reservation, s.stack) for _, s in sorted(state.seats.items())],
            until=story.now + rules.timing.betting_ms if rules.timing.betting_ms is not None else None,
        )
    )


def move_stake(story: BaccaratStory, sitter: IdleSitter, chance: Chance, change: int) -> None:
    """`change` more on the chance, or less: chips move between stack and coup at once."""
    stakes = story.state.stakes_of(sitter)
    event = StakePlaced if change > 0 else StakeWithdrawn
    story.tell(
        event(
            seat=sitter.seat,
            player=sitter.player,
            reservation=sitter.reservation,
            area=chance,
            amount=abs(change),
            total=(stakes.on.get(chance, 0) if stakes is not None else 0) + change,
            stack=sitter.stack - change,
            currency=story.rules.currency,
        )
    )


def lapse(story: BaccaratStory) -> None:
    """A betting period without a bet was no round (2.c)."""
    story.tell(CoupLapsed())
