"""A tournament is cancelled by two of the staff: one has the refund sheet worked out, another confirms it (35, 36)."""

from collections.abc import Iterator, Mapping

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.facts import taken
from libs.contracts.people import same_person
from libs.contracts.tournament_play_events import GuaranteeReturned, TableBroken
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.contracts.tournaments_events import Credit
from libs.decider import Rejected
from services.tournament.domain.money import cash_for, give_up_payments, pay, withhold
from services.tournament.domain.play.prizes import Prize
from services.tournament.domain.play.ranking import places_out
from services.tournament.domain.play.refunds import Entry as Paid
from services.tournament.domain.play.refunds import Paid as Price
from services.tournament.domain.play.refunds import RefundSheet, refund_sheet
from services.tournament.domain.rejections import rejected
from services.tournament.domain.results import (
    ever_in,
    heirs_of,
    own_bounty,
    parts,
    prize_of,
    prizes_won,
    refused_to,
    tickets_won,
    unpaid_bounties,
)
from services.tournament.domain.state import Entry, Tournament
from services.tournament.domain.story import Story
from services.tournament.domain.tickets import award, lapsed_to_prizes


def propose_cancellation(command: asked.ProposeCancellation, story: Story) -> Rejected | None:
    if command.cause not in ("technical", "force_majeure"):
        return rejected(Reason.CAUSE_NOT_ALLOWED)
    waits, sheet = story.state.sheet, _sheet(story, command)
    if waits is None or not waits.sheet or _sums(sheet) != _sums(waits):
        story.tell(sheet)
    return None


def confirm_cancellation(command: asked.ConfirmCancellation, story: Story) -> Rejected | None:
    sheet = story.state.sheet
    if sheet is None:
        return rejected(Reason.NOT_PROPOSED)
    if command.sheet != sheet.sheet:
        return rejected(Reason.SHEET_OUTDATED)
    if same_person(story.by, sheet.by):
        return rejected(Reason.SAME_PERSON, "35")
    if _sums(_sheet(story, sheet)) != _sums(sheet):
        return rejected(Reason.SHEET_OUTDATED)
    for table in sorted(story.state.play.tables):
        story.tell(TableBroken(table=table, cancelled=True))
    story.tell(taken(told.TournamentCancelled, sheet, confirmed_by=story.by))
    give_up_payments(story)
    waits = [credit for credit in sheet.credits if _waits(story.state, credit)]
    pay(story, "refund", [credit for credit in sheet.credits if credit not in waits])
    decided = _decided(story.state)
    award(story, tickets_won(story.state, decided))
    undecided = story.state.undecided
    prizes = [prize_of(story.state, entry, decided[entry]) for entry in undecided if entry in decided]
    withhold(story, waits + prizes + [own_bounty(story.state, entry) for entry in undecided])
    left = story.state.held.prize - sum(each.prize for each in story.state.withheld.values())
    if left:  # what was added up to the guarantee is nobody's refund (reading of 36.b)
        story.tell(GuaranteeReturned(amount=left))
    if sheet.to_the_house:
        story.tell(told.FeesEarned(rulebook=story.rules.rulebook, amount=sheet.to_the_house))
    return None


def _waits(state: Tournament, credit: Credit) -> bool:
    """For a second person's word: money of who is disqualified, and what anybody has won (FP-16)."""
    won = not credit.credit.endswith((".refund", ".share", ".cash"))
    return credit.entry in state.undecided or (won and state.held_up)


def decline_cancellation(command: asked.DeclineCancellation, story: Story) -> Rejected | None:
    if story.state.sheet is None:
        return rejected(Reason.NOT_PROPOSED)
    story.tell(told.CancellationDeclined(reason=command.reason, by=story.by))
    return None


def _sheet(story: Story, asked_for: asked.ProposeCancellation | told.CancellationProposed) -> told.CancellationProposed:
    """As it would be now, by chips after the last finished hands (36.a to 36.c)."""
    sheet = refunds_of(story.state)
    credits = list(_credits(story.state, sheet))
    return told.CancellationProposed(
        sheet=story.state.sheets + 1, cause=asked_for.cause, reason=asked_for.reason, rule=sheet.rule, credits=credits,
        to_the_house=story.state.held.fee - sum(each.fee for each in credits), by=story.by,
    )  # fmt: skip


def _sums(sheet: told.CancellationProposed) -> tuple[str, list[Credit], int]:
    return sheet.rule, sheet.credits, sheet.to_the_house


def refunds_of(state: Tournament) -> RefundSheet:
    """Prizes decided stay, and are credited now where they have not been (54); bounties won were credited at once."""
    play = state.play
    decided = {entry: prize.money + prize.ticket for entry, prize in _decided(state).items()}
    entries = [state.entries[entry] for entry in ever_in(state)]
    own = state.rules.on_cancellation == "full_refund" and not decided
    return refund_sheet(
        [_standing(state, each, _chips(state, each, decided)) for each in entries],
        dealt=play.dealt, in_the_money=play.fixed and play.left - len(play.broke) <= len(play.paid),
        decided=decided, own=own, lapsed=lapsed_to_prizes(state),
    )  # fmt: skip


def _decided(state: Tournament) -> dict[str, Prize]:
    """Also of who went out in a round of hand-for-hand that other tables have not ended: theirs is void (FP-15)."""
    return prizes_won(state, places_out(state.play.busts, len(ever_in(state))))


def _chips(state: Tournament, entry: Entry, decided: Mapping[str, int]) -> int:
    """Of who is disqualified, and nobody has said for good: with which they left play, unless a prize is decided."""
    name, play = entry.entry, state.play
    if name in state.undecided:
        return 0 if name in decided else play.put_out_with(name) or play.stacks.get(name, 0)
    if entry.status != "in" or name in state.refused:
        return 0
    return play.stacks.get(name, state.rules.starting_stack)  # the latter of who is paid and has no seat yet (FP-10)


def _standing(state: Tournament, entry: Entry, chips: int) -> Paid:
    """The bounty of who is out, or has no chip, is somebody else's by now; of who is disqualified it is held."""
    whole = chips and entry.entry not in state.undecided
    price = Price(entry.prize, entry.fee, entry.bounty if whole else 0)
    return Paid(entry.entry, entry.player, price, [Price(more.prize, more.fee) for more in entry.more], chips)


def _credits(state: Tournament, sheet: RefundSheet) -> Iterator[Credit]:
    decided = _decided(state)
    broke = {bust.entry for bust in state.play.broke}
    refused = []
    for entry in state.entries.values():
        name = entry.entry
        out = entry.status != "in" or name in {*broke, *state.undecided, *state.refused}
        if name in sheet.refunds:
            more = entry.more if sheet.refunds_more else ()
            prize, fee = (sum(getattr(each, part) for each in (entry, *more)) for part in ("prize", "fee"))
            if name in decided:  # of 36.a: put out before the first hand, and the prize of that place is a part of it
                prize = max(0, prize - prize_of(state, name, decided[name]).amount)
            refund = Credit(f"{name}.refund", name, entry.player, prize, fee, 0 if out else entry.bounty)
            if name in state.refused:
                refused.append(refund)
            else:
                yield refund
        if sheet.shares.get(name):
            yield Credit(f"{name}.share", name, entry.player, prize=sheet.shares[name])
        open_prize = name in decided and f"{name}.prize" not in state.used
        if (
            open_prize
            and name not in {*state.undecided, *state.refused}
            and prize_of(state, name, decided[name]).amount
        ):
            yield prize_of(state, name, decided[name])
    for name, bounty in unpaid_bounties(state).items():
        yield Credit(f"{name}.bounty.last", name, state.entries[name].player, bounty=bounty)
    refused += refused_to(state, decided)
    yield from (part for part in parts(refused, heirs_of(state, over=False)) if part.amount)
    yield from cash_for(state.unused_tickets)  # 37
