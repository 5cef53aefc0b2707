"""The bank and what a round may cost it: alarms, and what the treasury adds so that every lawful win is paid."""

from libs.contracts.bank_events import BankAlarmRaised, BankCovered
from libs.contracts.configurations import Configuration
from services.table.domain.table.closing import begin_closing
from services.table.domain.table.story import AnyStory

ALARM = "bank_alarm"
"""Why the house closes a table by itself: a round may cost more than its bank has."""


def watch_exposure(story: AnyStory, exposure: int) -> None:
    """Where the regulation leaves bets unlimited no lawful one is refused: an alarm, and the table closes after it."""
    state = story.state
    if exposure <= state.bank:
        return
    _alarm(story, exposure, "the round may cost more than the bank has")
    if state.status == "open":
        begin_closing(story, "house", ALARM)


def watch_balance(story: AnyStory, worst_case: int) -> None:
    """After a round: no bet is taken until somebody tops up a bank that can't pay the worst case; told once."""
    if story.state.bank < worst_case and not story.state.office.alarmed:
        _alarm(story, worst_case, "the bank can't pay the worst case any more")


def cover(story: AnyStory, house: int) -> None:
    """Before a settlement that changes the bank by `house`: the treasury adds what would be lacking."""
    lacking = -(story.state.bank + house)
    if lacking <= 0:
        return
    rules: Configuration = story.rules
    story.tell(
        BankCovered(
            amount=lacking,
            bank=story.state.bank + lacking,
            currency=rules.currency,
            kind=rules.kind,
            cause="a lawful win above the bank",
        )
    )


def _alarm(story: AnyStory, exposure: int, cause: str) -> None:
    story.tell(
        BankAlarmRaised(
            bank=story.state.bank,
            exposure=exposure,
            currency=story.rules.currency,
            cause=cause,
        )
    )
