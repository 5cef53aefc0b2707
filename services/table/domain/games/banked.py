"""What the games against the house share: their tables and sitters, who can bet, who is sent home, what a bank can pay.

Players who sit and do not bet are invited to end their session, warned, sent home: pt-803-2015 41 and 42, pt-812-2015
35 and 36. At a table for one player time decides, at a table for many the rounds.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from libs.contracts.bank_events import BankAlarmRaised, BankCovered
from libs.contracts.configurations import BankedConfiguration
from libs.contracts.facts import taken
from libs.contracts.table_events import PlayerSeated
from services.table.domain.games.game import Game
from services.table.domain.table.closing import begin_closing
from services.table.domain.table.departing import invite_and_warn, send_home
from services.table.domain.table.state import Sitter, Table
from services.table.domain.table.story import AnyStory

ALARM = "bank_alarm"
"""Why the house closes a table by itself: a round may cost more than its bank has."""


class IdleSitter(Sitter, frozen=True, kw_only=True):
    """A player at a table against the house."""

    seated_at: int = 0
    active_at: int = 0
    """The last of: sat down, bet, had a round paid."""
    skipped: int = 0
    """Rounds in a row without a bet, each seated for from its opening on."""


class BankedTable(Table, frozen=True, kw_only=True):
    seats: Mapping[int, IdleSitter] = {}
    last_round: int = 0
    """Number of the last round or coup opened."""
    lapsed_at: int | None = None
    """When a betting period ended without a bet, and none has opened since: the table waits for somebody."""

    @property
    def rounds(self) -> int:
        return self.last_round


class BankedGame(Game):
    """Played against the house, with a time for bets before each round."""

    banked = True

    def seated(self, state: Any, event: PlayerSeated) -> IdleSitter:
        return IdleSitter(
            seat=event.seat,
            player=event.player,
            reservation=event.reservation,
            stack=event.stack,
            seated_at=event.at,
            active_at=event.at,
        )

    def after_round(self, story: AnyStory) -> None:
        invite_skippers(story)


def able_to_stake(state: BankedTable, least: int) -> list[int]:
    """Seats whose players could place the least stake, ascending."""
    return [
        seat
        for seat, sitter in sorted(state.seats.items())
        if not sitter.out and sitter.leaving is None and sitter.stack >= least
    ]


def next_betting_at(state: BankedTable, between_rounds_ms: int) -> int | None:
    """When the next betting opens by itself. After one in which nobody bet the table waits for a bet or a newcomer."""
    lapsed = state.lapsed_at
    if lapsed is not None and all(sitter.seated_at <= lapsed for sitter in state.seats.values()):
        return None
    return state.ended_at + between_rounds_ms


SitterT = TypeVar("SitterT", bound=IdleSitter)


def has_bet(sitter: SitterT, at: int) -> SitterT:
    """The sitter after a bet: a warning is off."""
    kept = sitter.notice if sitter.notice is not None and sitter.notice.reason != "idle" else None
    return replace(sitter, active_at=at, notice=kept)


def after_round(seats: Mapping[int, SitterT], bettors: Collection[int], opened_at: int, at: int) -> dict[int, SitterT]:
    """Sitters after a paid round: skipped rounds count from 0 again for who bet, one more for who could and did not."""
    return {seat: _counted(sitter, seat in bettors, opened_at, at) for seat, sitter in seats.items()}


def _counted(sitter: SitterT, bet: bool, opened_at: int, at: int) -> SitterT:
    if bet:
        return replace(sitter, skipped=0, active_at=at)
    return replace(sitter, skipped=sitter.skipped + 1) if sitter.seated_at <= opened_at else sitter


def idle_due(rules: BankedConfiguration, sitter: IdleSitter) -> int | None:
    """First millisecond at which the single player is invited, or the session ends; None at a table for many."""
    if rules.mode != "single" or sitter.leaving is not None:
        return None
    if is_warned(sitter):
        assert sitter.notice is not None
        return sitter.notice.at + rules.timing.idle_warning_ms
    return sitter.active_at + rules.timing.idle_ms + 1  # "More than": exactly that long is still well.


def is_warned(sitter: Sitter) -> bool:
    return sitter.notice is not None and sitter.notice.reason == "idle" and sitter.notice.warned


def has_skipped_too_many(rules: BankedConfiguration, sitter: IdleSitter) -> bool:
    """At a table for many: to be invited and warned now that the round is over."""
    return rules.mode == "multi" and sitter.skipped > rules.timing.idle_rounds and not is_warned(sitter)


def invite_skippers(story: AnyStory) -> None:
    """After a round at a table for many."""
    for _, sitter in sorted(story.state.seats.items()):
        if has_skipped_too_many(story.rules, sitter):
            invite_and_warn(story, sitter, "idle")


def end_skippers(story: AnyStory, bettors: Collection[int], opened_at: int) -> None:
    """The betting of one more round has closed: who was warned before it opened and did not bet goes."""
    for seat, sitter in sorted(story.state.seats.items()):
        if is_warned(sitter) and sitter.notice.at <= opened_at and seat not in bettors:
            send_home(story, seat, "inactivity")


def watch_exposure(story: AnyStory, exposure: int) -> None:
    """Where the regulation leaves bets unlimited no lawful one is refused: an alarm, and the table closes after it."""
    if exposure > story.state.bank:
        _alarm(story, exposure, "the round may cost more than the bank has")
        if story.state.status == "open":
            begin_closing(story, "house", ALARM)


def watch_balance(story: AnyStory, worst_case: int) -> None:
    """After a round: no bet is taken until somebody tops up a bank that can't pay the worst case; told once."""
    if story.state.bank < worst_case and not story.state.office.alarmed:
        _alarm(story, worst_case, "the bank can't pay the worst case any more")


def cover(story: AnyStory, house: int) -> None:
    """Before a settlement that changes the bank by `house`: the treasury adds what would be lacking."""
    lacking = -(story.state.bank + house)
    if lacking > 0:
        bank, cause = story.state.bank + lacking, "a lawful win above the bank"
        story.tell(taken(BankCovered, story.rules, amount=lacking, bank=bank, cause=cause))


def _alarm(story: AnyStory, exposure: int, cause: str) -> None:
    story.tell(taken(BankAlarmRaised, story.rules, bank=story.state.bank, exposure=exposure, cause=cause))
