"""Players who sit and do not bet are invited to end their session, warned, sent home; and what the bank can pay.

pt-803-2015 41 and 42, pt-812-2015 35 and 36: at a table for one player time decides, at a table for many the rounds.
"""

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from libs.contracts.bank_events import BankAlarmRaised, BankCovered
from libs.contracts.configurations import BankedConfiguration
from libs.contracts.facts import taken
from services.table.domain.games.banked.state import IdleSitter
from services.table.domain.table.closing import begin_closing
from services.table.domain.table.departing import invite_and_warn, send_home, warn
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory

ALARM = "bank_alarm"
"""Why the house closes a table by itself: a round may cost more than its bank has."""


def idle_due(rules: BankedConfiguration, sitter: IdleSitter) -> int | None:
    """First millisecond at which the single player is invited, or the session ends; None at a table for many."""
    if rules.mode != "single" or sitter.leaving is not None:
        return None
    sitter = as_unbet(sitter)
    if is_warned(sitter):
        assert sitter.notice is not None
        return sitter.notice.at + rules.timing.idle_warning_ms
    return sitter.active_at + rules.timing.idle_ms + 1  # "More than": exactly that long is still well.


def as_unbet(sitter: IdleSitter) -> IdleSitter:
    """The sitter as if stakes that were all taken back had never been placed, but for one warning: it runs again from
    the first of them on. Else a seat is held for ever by a stake that never stands."""
    if not sitter.withdrawn or sitter.active_before is None:
        return sitter
    notice = sitter.notice
    if notice is not None and is_warned(sitter) and sitter.lifted_at is not None:
        notice = replace(notice, at=sitter.lifted_at)
    return replace(sitter, active_at=sitter.active_before, notice=notice)


def warn_again(story: AnyStory, seat: int) -> None:
    """The seat's last stake was taken back: a warning that it took off holds again."""
    sitter: IdleSitter = story.state.seats[seat]
    if sitter.withdrawn and sitter.lifted_at is not None and sitter.notice is None:
        warn(story, sitter, "idle")


def is_warned(sitter: Sitter) -> bool:
    return sitter.notice is not None and sitter.notice.reason == "idle" and sitter.notice.warned


def invite_skippers(story: AnyStory) -> None:
    """After a round at a table for many: who has let too many pass is invited and warned."""
    rules: BankedConfiguration = story.rules
    for _, sitter in sorted(story.state.seats.items()):
        if rules.mode == "multi" and sitter.skipped > rules.timing.idle_rounds and not is_warned(sitter):
            invite_and_warn(story, sitter, "idle")


def end_skippers(story: AnyStory, bettors: Collection[int], opened_at: int) -> None:
    """The betting of one more round has closed: who was warned before it opened and did not bet goes."""
    for seat, each in sorted(story.state.seats.items()):
        sitter: Any = as_unbet(each)
        if is_warned(sitter) and sitter.notice.at <= opened_at and seat not in bettors:
            send_home(story, seat, "inactivity")


def watch_exposure(story: AnyStory, exposure: int) -> None:
    """Where the regulation leaves bets unlimited no lawful one is refused: an alarm, and the table closes after it."""
    if exposure > story.state.bank:
        _alarm(story, exposure, "the round may cost more than the bank has")
        if story.state.status == "open":
            begin_closing(story, "house", ALARM)


def watch_balance(story: AnyStory, worst_case: int) -> None:
    """After a round: no bet is taken until somebody tops up a bank that can't pay the worst case; told once. Where
    nothing limits a bet, that is an empty one (`can_pay`)."""
    if story.state.bank < max(1, worst_case) and not story.state.office.alarmed:
        _alarm(story, max(1, worst_case), "the bank can't pay the worst case any more")


def cover(story: AnyStory, house: int) -> None:
    """Before a settlement that changes the bank by `house`: the treasury adds what would be lacking."""
    lacking = -(story.state.bank + house)
    if lacking > 0:
        bank, cause = story.state.bank + lacking, "a lawful win above the bank"
        story.tell(taken(BankCovered, story.rules, amount=lacking, bank=bank, cause=cause))


def _alarm(story: AnyStory, exposure: int, cause: str) -> None:
    story.tell(taken(BankAlarmRaised, story.rules, bank=story.state.bank, exposure=exposure, cause=cause))
