"""The time for antes: opening, placing and taking back, closing (pt-803-2015 14 to 18)."""

from typing import Any

from libs.contracts.banked_rounds import SeatInRound
from libs.contracts.no_draw_poker_events import AntePlaced, AntesClosed, AntesLapsed, AntesOpened, AnteWithdrawn
from services.table.domain.games.banked import IdleSitter, able_to_stake, end_skippers, next_betting_at
from services.table.domain.games.no_draw_poker.evolve import running
from services.table.domain.games.no_draw_poker.state import NoDrawTable
from services.table.domain.games.no_draw_poker.story import NoDrawStory


def may_open(state: NoDrawTable) -> bool:
    """Whether antes can be taken at all now: somebody is there and the bank can pay the worst case of every seat."""
    waiting = state.status == "open" and not state.paused and state.round is None
    return waiting and bool(present(state)) and state.bank >= state.rules.worst_case


def present(state: NoDrawTable) -> list[int]:
    """Seats whose players could place the least ante, ascending."""
    return able_to_stake(state, state.rules.betting.min_ante)


def opens_at(state: NoDrawTable) -> int | None:
    """When the next betting opens by itself; None while it can't."""
    return next_betting_at(state, state.rules.timing.between_rounds_ms) if may_open(state) else None


def is_open(state: NoDrawTable, now: int) -> bool:
    """Strictly before the deadline (reading of 14)."""
    playing = state.round
    return playing is not None and playing.phase == "betting" and (playing.until is None or now < playing.until)


def open_betting(story: NoDrawStory) -> None:
    """One opening and one deadline for all seats (14); a single player has no countdown (15)."""
    state, rules = story.state, story.rules
    story.tell(
        AntesOpened(
            round=state.last_round + 1,
            rulebook=rules.rulebook,
            rulebook_hash=state.rulebook_hash,
            configuration_version=rules.version,
            currency=rules.currency,
            kind=rules.kind,
            seats=[SeatInRound(s.seat, s.player, s.reservation, s.stack) for _, s in sorted(state.seats.items())],
            until=story.now + rules.timing.betting_ms if rules.mode == "multi" else None,
        )
    )


def set_ante(story: NoDrawStory, sitter: IdleSitter, ante: int) -> None:
    """The seat's ante is `ante` from now on; 0 takes it back. What differs moves between stack and round."""
    stakes = story.state.stakes_of(sitter)
    change = ante - (stakes.ante if stakes is not None else 0)
    stack = sitter.stack - change
    moved: dict[str, Any] = {
        "at": story.now,
        "table": story.table,
        "round": running(story.state).number,
        "seat": sitter.seat,
        "player": sitter.player,
        "reservation": sitter.reservation,
        "area": "ante",
        "amount": abs(change),
        "total": ante,
        "stack": stack,
        "currency": story.rules.currency,
    }
    if change > 0:
        story.tell(AntePlaced(**moved, short_of=max(0, story.rules.bet_of(ante) - stack)))
    elif change < 0:
        story.tell(AnteWithdrawn(**moved))


def close_betting(story: NoDrawStory) -> None:
    """No more bets. A period without a bet was no round (2.e)."""
    betting = running(story.state)
    if not betting.stakes:
        story.tell(AntesLapsed())
        return
    seats = sorted(betting.stakes)
    story.tell(AntesClosed(seats=seats))
    end_skippers(story, seats, betting.opened_at)
