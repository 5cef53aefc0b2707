"""What is decided alike in every game against the house: opening the betting, moving stakes, dealing, voiding."""

from typing import Any

from libs.contracts import banked_rounds as e
from libs.contracts.bank_commands import BankedReason as Reason
from libs.contracts.bank_commands import DealRound, VoidRound
from libs.contracts.facts import taken
from libs.contracts.table_events import Refund, RefundSent
from libs.decider import Rejected
from services.table.domain.games.banked.evolve import running
from services.table.domain.games.banked.state import BankedTable, IdleSitter, Stakes
from services.table.domain.table.after_round import after_round
from services.table.domain.table.handlers import of_sitter, unless
from services.table.domain.table.rejections import rejected
from services.table.domain.table.story import AnyStory
from services.table.domain.table.voiding import void_by_staff


def can_stake(state: BankedTable) -> list[int]:
    """Seats whose players could place the least stake, ascending."""
    rules: Any = state.rules
    return [
        seat
        for seat, sitter in sorted(state.seats.items())
        if not sitter.out and sitter.leaving is None and sitter.stack >= rules.least_stake
    ]


def can_pay(state: BankedTable) -> bool:
    """Whether there is a bank, and it can pay the worst case of every seat, where there is one."""
    rules: Any = state.rules
    return state.bank >= max(1, rules.worst_case or 0)


def may_open(state: BankedTable) -> bool:
    """Whether bets can be taken at all: somebody is there, and the bank can pay the worst case."""
    waiting = state.status == "open" and not state.paused and state.round is None
    return waiting and can_pay(state) and bool(can_stake(state))


def opens_at(state: BankedTable) -> int | None:
    """When the next betting opens by itself; None while it can't.

    After a period in which nobody bet the table waits for a bet or a newcomer; where a bet can't open it, for nobody.
    """
    rules: Any = state.rules
    lapsed = state.lapsed_at if not state.needs_shoe else None
    nobody_new = lapsed is not None and all(sitter.seated_at <= lapsed for sitter in state.seats.values())
    return None if nobody_new or not may_open(state) else state.ended_at + rules.timing.between_rounds_ms


def tell_opened(story: AnyStory, kind: type[e.BankedRoundOpened], **more: Any) -> None:
    """One opening and one deadline for all seats."""
    state: BankedTable = story.state
    story.tell(
        taken(
            kind,
            story.rules,
            round=state.last_round + 1,
            rulebook_hash=state.rulebook_hash,
            configuration_version=story.rules.version,
            seats=[e.SeatInRound(s.seat, s.player, s.reservation, s.stack) for _, s in sorted(state.seats.items())],
            **more,
        )
    )


def no_stake_taken(command: Any, story: AnyStory) -> Rejected | None:
    """Why no stake is taken now. After a period without a bet, or before the next opens by itself, a bet opens it."""
    state: BankedTable = story.state
    if command.round is not None and command.round != state.last_round + (state.round is None):
        return rejected(Reason.WRONG_ROUND, story.rules)
    if state.round is not None:
        return None if state.takes_bets(story.now) else rejected(Reason.BETTING_IS_CLOSED, story.rules)
    if not can_pay(state):
        return rejected(Reason.BANK_TOO_SMALL, story.rules)
    return None if story.game.opens_with_a_bet(state) else rejected(Reason.NO_ROUND, story.rules)


def not_betting(command: Any, story: AnyStory) -> Rejected | None:
    """Why what is staked can't be taken back or dealt: it is another round, or its betting is over."""
    state: BankedTable = story.state
    if state.round is None or command.round != state.round.number:
        return rejected(Reason.WRONG_ROUND, story.rules)
    return None if state.takes_bets(story.now) else rejected(Reason.BETTING_IS_CLOSED, story.rules)


def nothing_staked(command: Any, story: AnyStory) -> Rejected | None:
    stakes = story.state.stakes_of(story.state.sitter_of(story.by))
    return None if stakes is not None else rejected(Reason.NO_STAKE, story.rules)


def move_stake(
    story: AnyStory, who: IdleSitter | Stakes, kind: type[e.BankedStakeMoved], area: str, total: int, **more: Any
) -> None:
    """`total` lies on the area from now on; what differs moves between stack and round at once."""
    stakes = story.state.round.stakes.get(who.seat)
    change = total - (stakes.on.get(area, 0) if stakes is not None else 0)
    stack = story.state.seats[who.seat].stack - change
    moved = {"area": area, "amount": abs(change), "total": total, "stack": stack, "currency": story.rules.currency}
    story.tell(taken(kind, who, **moved, **more))


def dealt_by_the_clock(command: Any, story: AnyStory) -> Rejected | None:
    return rejected(Reason.DEALT_BY_THE_CLOCK, story.rules) if story.rules.mode != "single" else None


@of_sitter
@unless(dealt_by_the_clock, not_betting, nothing_staked)
def deal_round(command: DealRound, story: AnyStory, sitter: IdleSitter) -> None:
    """The single player waits for no clock (pt-803-2015 15, pt-812-2015 28)."""
    story.game.close_betting(story)


def void_round(command: VoidRound, story: AnyStory) -> Rejected | None:
    """Staff, before it is paid: a round that was paid is over and beyond this (pt-803-2015 2.e)."""
    if not story.state.in_round:
        return rejected(Reason.NO_ROUND, story.rules)
    if command.round != running(story.state).number:
        return rejected(Reason.WRONG_ROUND, story.rules)
    return void_by_staff(story, command.round, command.cause, void)


def void(story: AnyStory, cause: str, by: str, requested_by: str = "") -> None:
    """A round that can't be finished: every stake goes back, of folded seats too (pt-803-2015 33, pt-812-2015 29).

    `by`: staff, where need be after another one, `requested_by`; or `house`. Who left during the round has no stack any
    more: the refund goes home on its own.
    """
    state: BankedTable = story.state
    stakes = [each for _, each in sorted(running(state).stakes.items())]
    gone = [each for each in stakes if not state.still_seated(each)]
    kind: type[e.BankedRoundVoided] = story.game.voided
    refunds = [_refund(state, each) for each in stakes]
    currency = story.rules.currency
    story.tell(kind(cause=cause, by=by, refunds=refunds, currency=currency, requested_by=requested_by))
    for each in gone:
        story.tell(taken(RefundSent, each, amount=each.staked, currency=story.rules.currency))
    after_round(story)


def _refund(state: BankedTable, stakes: Stakes) -> Refund:
    stack = state.seats[stakes.seat].stack if state.still_seated(stakes) else 0
    return Refund(stakes.seat, stakes.player, stakes.reservation, stakes.staked, stack + stakes.staked)


def seat_result(state: BankedTable, stakes: Stakes, credited: int) -> dict[str, Any]:
    """Fields of `SeatSettled` that follow from what a seat staked and is credited."""
    return {
        "seat": stakes.seat,
        "player": stakes.player,
        "reservation": stakes.reservation,
        "staked": stakes.staked,
        "credited": credited,
        "net": credited - stakes.staked,
        "stack": state.seats[stakes.seat].stack + credited if state.still_seated(stakes) else 0,
    }
