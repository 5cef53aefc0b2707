"""Why an account refuses a command, in the order in which the reasons win when two apply."""

from libs.contracts.wallet_commands import AccountReason as Reason
from libs.decider import Rejected

_TEXT: dict[Reason, tuple[str | None, str]] = {
    Reason.UNKNOWN_ACCOUNT: (None, "There is no such account; it has to be opened first."),
    Reason.NOT_ALLOWED: (None, "The sender may not ask this of an account."),
    Reason.WRONG_ACCOUNT: (None, "Player, currency and kind, or the reference, don't belong to this stream's name."),
    Reason.WRONG_CURRENCY: (
        "pt-811-2015#75",
        "Real money is in a currency of ISO 4217; play money has one of its own, and that one is nothing else.",
    ),
    Reason.DEMO_MONEY: ("pt-811-2015#75", "Play money can't be turned into anything else."),
    Reason.REFERENCE_CONFLICT: (None, "This reference was used for something else before."),
    Reason.REFUSED_BEFORE: (None, "This withdrawal was refused; another attempt needs a new reference."),
    Reason.BALANCE_LIMIT: (None, "The account can't hold that much."),
    Reason.RESERVE_CONFLICT: (None, "This reserve was asked for with other content before."),
    Reason.SITTING_IS_OVER: (None, "The sitting is settled; nothing can be reserved for it any more."),
    Reason.UNKNOWN_RESERVE: (None, "Nothing was ever reserved under this id."),
    Reason.UNKNOWN_SITTING: (None, "Nothing was ever reserved for this sitting."),
    Reason.SETTLEMENT_CONFLICT: (None, "The sitting was settled with another amount before."),
    Reason.NEEDS_ANOTHER: (None, "It is more than one person may move alone, at once or on this day."),
    Reason.WAITS_FOR_ANOTHER: (
        None,
        "It is more than one person may move alone, at once or on this day: it waits until another one approves it.",
    ),
    Reason.NOTHING_WAITS: (None, "Nothing waits under this reference."),
    Reason.OWN_REQUEST: (None, "Who asked for it can't approve it, under whatever spelling or role; another one must."),
    Reason.REQUEST_DIFFERS: (None, "What waits under this reference is another purpose or amount."),
    Reason.TOO_MANY_WAITING: (None, "Too much waits here already; what is first has to go on or be declined."),
    Reason.NOT_PAID: (
        None,
        "The account has not paid the tournament this under that name, or it has come back by now; nothing goes back.",
    ),
    Reason.FORGOTTEN: (
        None,
        "The id, or the event that it answers, is from before what the account remembers, or tells no time.",
    ),
}


def rejected(reason: Reason) -> Rejected:
    rule, detail = _TEXT[reason]
    return Rejected(reason.value, rule, detail)
