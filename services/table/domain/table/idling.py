"""Players who sit and do not bet, at tables against the house: invited to end their session, warned, sent home.

pt-803-2015 41 and 42, pt-812-2015 35 and 36. At a table for one player time decides, at a table for many the rounds.
"""

from collections.abc import Collection, Mapping
from typing import TypeVar

from msgspec.structs import replace

from libs.contracts.configurations import BankedConfiguration
from services.table.domain.table.departing import send_home
from services.table.domain.table.notices import invite_and_warn
from services.table.domain.table.state import Sitter
from services.table.domain.table.story import AnyStory


class IdleSitter(Sitter, frozen=True, kw_only=True):
    """A player at a table against the house."""

    seated_at: int = 0
    active_at: int = 0
    """The last of: sat down, bet, had a round paid."""
    skipped: int = 0
    """Rounds in a row without a bet, each seated for from its opening on."""


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
