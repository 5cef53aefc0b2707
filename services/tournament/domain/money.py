"""What is paid, given back and earned: the tournament's side of it. The wallet's events say whether it was paid."""

from collections.abc import Iterable
from typing import Literal

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.facts import taken
from libs.contracts.tournament_play_events import ChipsGranted
from libs.contracts.tournaments import Bought
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.contracts.tournaments_events import Credit
from libs.contracts.wallet_events import TournamentCredit
from libs.decider import Rejected
from services.tournament.domain.rejections import rejected
from services.tournament.domain.state import Entry, Payment, Ticket, Wish
from services.tournament.domain.story import Story

PAYMENT_MS = 30_000
"""So long a payment is waited for. What is paid later goes back."""


def ask_for(story: Story, bought: Bought, payment: str, entry: str, player: str, chips: int) -> None:
    """A free entry is nobody's debt: nothing is asked of the wallet (FP-5)."""
    price = story.rules.price_of(bought)
    due = told.PaymentDue(
        payment=payment, bought=bought, entry=entry, player=player, amount=price.amount, prize=price.prize,
        fee=price.fee, bounty=price.bounty, chips=chips,
    )  # fmt: skip
    story.tell(due)
    if not price.amount:
        _take(story, story.state.pending[payment])


def confirm_payment(command: asked.ConfirmPayment, story: Story) -> Rejected | None:
    state = story.state
    if (payment := state.pending.get(command.payment)) is not None:
        _take(story, payment)
    elif (late := state.late.get(command.payment)) is not None:
        story.tell(taken(told.PaymentReturned, late))
    elif command.payment not in state.used:
        return rejected(Reason.UNKNOWN_PAYMENT)
    return None


def fail_payment(command: asked.FailPayment, story: Story) -> Rejected | None:
    payment = story.state.pending.get(command.payment)
    if payment is not None:
        story.tell(taken(told.PaymentFailed, payment, reason=command.reason))
    elif command.payment not in story.state.used:
        return rejected(Reason.UNKNOWN_PAYMENT)
    return None


def give_up(
    story: Story, payment: Payment | Wish, reason: Literal["not_answered", "unregistered", "cancelled"]
) -> None:
    story.tell(taken(told.PaymentFailed, payment, reason=reason))


def refund(story: Story, entries: Iterable[Entry]) -> None:
    """Everything paid for these entries (25, 36.a). Who had nothing to pay gets nothing."""
    pay(story, "refund", [refund_of(entry) for entry in entries])


def refund_of(entry: Entry) -> Credit:
    return taken(Credit, entry, credit=f"{entry.entry}.refund")


def refund_everybody(story: Story) -> None:
    """Before the start nobody but who is in has paid anything, so nothing is left (36.a)."""
    give_up_payments(story)
    refund(story, story.state.alive)
    pay(story, "refund", cash_for(story.state.unused_tickets))


def cash_for(tickets: Iterable[Ticket]) -> list[Credit]:
    """The whole value of each, to its owner (29, 37)."""
    return [Credit(f"{each.ticket}.cash", each.ticket, each.player, ticket=each.amount) for each in tickets]


def give_up_payments(story: Story, player: str = "") -> None:
    """Of everybody, or of one who may buy nothing more."""
    asked_for: list[Payment | Wish] = [*story.state.pending.values(), *story.state.wishes.values()]
    for each in asked_for:
        if each.player == player or not player:
            give_up(story, each, "cancelled")


def pay(story: Story, why: TournamentCredit, credits: Iterable[Credit]) -> None:
    """Each credit once, for ever. What is won waits while a second person is waited for: one alone decides nothing
    about it (FP-16)."""
    due = [each for each in credits if each.amount and each.credit not in story.state.used]
    if story.state.held_up and why in ("prize", "bounty"):
        withhold(story, due)
    elif due:
        story.tell(told.CreditsDue(why=why, credits=due))


def withhold(story: Story, credits: Iterable[Credit]) -> None:
    """They stay in the tournament's accounts (FP-16)."""
    due = [each for each in credits if each.amount and each.credit not in {*story.state.used, *story.state.withheld}]
    if due:
        story.tell(told.PrizesWithheld(credits=due))


def _take(story: Story, payment: Payment) -> None:
    number = len(story.state.entries) + 1
    match payment.bought:
        case "entry":
            story.tell(taken(told.PlayerRegistered, payment, number=number))
        case "re_entry":
            story.tell(taken(told.PlayerReentered, payment, number=number))
        case "rebuy" | "add_on":
            story.tell(taken(told.RebuyMade if payment.bought == "rebuy" else told.AddOnMade, payment))
            _grant(story, payment)


def _grant(story: Story, payment: Payment) -> None:
    """Nobody moves while it is paid."""
    play = story.state.play
    (table, seat), sitting = play.places[payment.entry], play.sittings[payment.entry]
    story.tell(taken(ChipsGranted, payment, table=table, seat=seat, sitting=sitting))
