"""Commands that a tournament takes, and why one is refused. Stream = id of the tournament."""

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec

from libs.contracts.commands import PLAYER, POLICY, Number, TournamentCommand
from libs.contracts.facts import MAX_NUMBER, When
from libs.contracts.messages import PrincipalKind
from libs.contracts.roles import Role, Scope
from libs.contracts.texts import Id, Name, Words
from libs.contracts.tournaments import Cause, Definition, Language, Money
from libs.contracts.wallet_events import Refusal


class DirectorCommand(TournamentCommand):
    """Of people alone, so that two who agree are two."""

    may_ask: ClassVar[tuple[PrincipalKind, ...]] = ("staff",)
    roles: ClassVar[tuple[Role, ...]] = ("floor", "supervisor")
    scope: ClassVar[Scope | None] = None


class EntrantCommand(TournamentCommand):
    """Asked by players alone."""

    may_ask = PLAYER


class ConsequenceCommand(TournamentCommand):
    """Follows from an event of another stream."""

    may_ask = POLICY


class ProposeTournament(DirectorCommand):
    """Its specific rules; a second person has to approve them before anybody sees them (FP-12)."""

    example = {
        "name": "Sunday Omaha",
        "definition": {
            "rulebook": "pt-811-2015-omaha",
            "table": {"structure": "pot_limit", "decision_ms": 15_000, "time_bank_ms": 60_000},
            "currency": "EUR",
            "approval": "OPERATOR-2026-T1",
            "seats": 9,
            "starts_at": 1_768_161_600_000,
            "min_players": 6,
            "max_players": 500,
            "buy_in": {"amount": 2_200, "prize": 2_000, "fee": 200},
            "starting_stack": 10_000,
            "levels": [{"small_blind": 50, "big_blind": 100, "lasts_ms": 600_000}],
            "payouts": [{"entries": 2, "shares": [6_500, 3_500]}],
            "rules": {"pt": "Torneio de póquer Omaha."},
        },
    }
    name: Name
    definition: Definition


class ApproveTournament(DirectorCommand):
    """By another person than the one who proposed it: published, and fixed from then on. A satellite is when the
    tournament that its tickets are for takes them; the answer waits for that, and is `target_refuses` if not (32)."""

    roles = ("supervisor",)
    example = {"digest": "5d41402abc4b2a76b9719d911017c592"}
    digest: Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{32})?(?!\n)$")] = ""
    """Of the rules that were looked at, as the director's page tells it: money moves under these alone. Left out: of
    those that the page shows at that moment."""


class DeclineTournament(DirectorCommand):
    """The proposal is spent. Also by the one who made it."""

    example = {"reason": "not today"}
    reason: Words


class BuyingCommand(EntrantCommand):
    """Money leaves the player's account for it."""

    price: Money | None = None
    """What the gateway has shown, minor units: the wallet takes that for it, and nothing else (ADR 13). 0: it is free,
    or a ticket pays for it."""


class RegisterPlayer(BuyingCommand):
    """The buy-in is taken from the player's account at once (22)."""

    example = {"entry": "entry-41"}
    entry: Id
    """Names the entry, once for ever."""
    ticket: Id | None = None
    """A won registration that pays for it; null: money does."""


class UnregisterPlayer(EntrantCommand):
    """Until the tournament's deadline; everything paid comes back (24, 25)."""


class RequestRebuy(BuyingCommand):
    """More chips for who has the starting stack or less, between hands; paid for from the account then (FP-2)."""

    example = {"payment": "payment-7"}
    payment: Id
    """Names the purchase, once for ever."""


class RequestAddOn(BuyingCommand):
    """More chips in the add-on's break, once, whatever the stack (FP-3)."""

    example = {"payment": "payment-8"}
    payment: Id
    """Names the purchase, once for ever."""


class DeclineRebuy(EntrantCommand):
    """Out at once, rather than when the time to rebuy is over (31)."""


class ChooseLanguage(EntrantCommand):
    """In which the player reads the specific rules; the Portuguese text prevails all the same (60)."""

    example = {"language": "en"}
    language: Language


class OpenComplaint(EntrantCommand):
    """On a hand of the tournament, or on something else of it (55)."""

    example = {"complaint": "complaint-9", "text": "the pot was mine", "table": 1, "hand": 4711}
    complaint: Id
    """Names it, once for ever."""
    text: Words
    table: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER, description="number of a table; 0: no hand is meant")] = 0
    hand: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER, description="number of the hand there")] = 0


class DecideComplaint(DirectorCommand):
    """By the rules of tournaments, of the game and of this tournament, each in its Portuguese text (55, 60)."""

    roles = ("supervisor",)
    example = {"complaint": "complaint-9", "upheld": False, "reason": "the record shows the better hand"}
    complaint: Id
    upheld: bool
    reason: Words


class ExcludePlayer(DirectorCommand):
    """A player is excluded from gambling: before the start unregistered and refunded; after it away to the end, and
    buys nothing more. A prize stays the player's. Until another person has confirmed it, the tournament does not end
    and credits no prize, bounty or ticket (FP-16)."""

    roles = ("security", "supervisor")
    example = {"player": "alice", "reason": "self-exclusion"}
    player: Id
    reason: Words


class ConfirmExclusion(DirectorCommand):
    """The player had to be excluded: what is won is credited again. By another person than who excluded. Where it was
    wrong the tournament is cancelled, for chips that are gone do not come back (FP-16)."""

    roles = ("security", "supervisor")
    example = {"player": "alice", "reason": "seen on the national list"}
    player: Id
    reason: Words


class DisqualifyPlayer(DirectorCommand):
    """For a serious breach: folded, and out after the hand with chips that leave play; nothing comes back. Until
    another person has decided, the tournament does not end and credits no prize, bounty or ticket (FP-16)."""

    roles = ("supervisor",)
    example = {"player": "alice", "reason": "played two seats as one"}
    player: Id
    reason: Words


class ReleasePrize(DirectorCommand):
    """The disqualification does not stand: the place counts, with its prize. By another person than who disqualified.
    Chips that have left play do not come back."""

    roles = ("supervisor",)
    example = {"player": "alice", "reason": "the appeal was right"}
    player: Id
    reason: Words


class FinalizeDisqualification(DirectorCommand):
    """The disqualification stands: prize and own bounty are refused for good, and credited to whom the specific rules
    say when the tournament is over. By another person than who disqualified (FP-16)."""

    roles = ("supervisor",)
    example = {"player": "alice", "reason": "the time to appeal is over"}
    player: Id
    reason: Words


class MovePlayer(DirectorCommand):
    """To a table with fewer players, between hands, to a seat with as many hands to the next big blind, or as near to
    that as one is free, by lot among several; of one player once in a level, and not before who has moved has played a
    hand (47, 48)."""

    example = {"player": "alice", "table": 2, "reason": "cannot see the screen from there"}
    player: Id
    table: Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER, description="number of the table in its tournament")]
    reason: Words


class ConfirmPayment(ConsequenceCommand):
    """After `TournamentPaid`."""

    example = {"payment": "entry-41"}
    payment: Id


class FailPayment(ConsequenceCommand):
    """After `TournamentPaymentRefused`."""

    example = {"payment": "entry-41", "reason": "insufficient_funds"}
    payment: Id
    reason: Refusal


class ProposeCancellation(DirectorCommand):
    """For technical reasons or force majeure (35). The refund sheet stands on the director's page then, as
    `refund_sheet`; nothing moves yet. One that waits with the same sums stays: for another cause decline it first."""

    example = {"cause": "technical", "reason": "the data centre is on fire"}
    cause: Cause
    reason: Words


class ConfirmCancellation(DirectorCommand):
    """By another person than the one who proposed it: the tournament is over, and the refunds are due. The sheet stays
    on the director's page, as `refunds_carried_out`."""

    roles = ("supervisor",)
    example = {"sheet": 1}
    sheet: Number
    """Which refund sheet was looked at: its number on the director's page. Another one by now is not confirmed."""


class DeclineCancellation(DirectorCommand):
    """The sheet is void. Also by the one who asked for it."""

    example = {"reason": "the fault is mended"}
    reason: Words


class PauseTournament(DirectorCommand):
    """Running hands are finished, no other begins, and the clock stands still from when the first table waits (FP-14).
    While it stands nobody enters, nor buys chips but who has just lost the last one: what was left of the time for that
    is left afterwards."""

    example = {"reason": "the lights went out"}
    reason: Words


class ResumeTournament(DirectorCommand):
    """The clock goes on where it stood, and the tables with it. Whoever has ordered the pause ends two of a tournament
    at most, in which it stood for two minutes in all: any other is ended by another person. Where it has stood for more
    than two minutes play goes on a minute later: everybody is told until when."""

    example = {"reason": "the lights are back"}
    reason: Words


class AdjustClock(DirectorCommand):
    """Forward by so much, or back, never beyond the running level; what is published for later comes sooner or later by
    it. By two minutes of a tournament at most in each direction; not forward while anybody may still enter or buy
    chips, not back to where one might again, nor once only one is left; of a timed one not at all: whoever moved such
    an end would choose the winner (52)."""

    roles = ("supervisor",)
    example = {"ms": -60_000, "reason": "a minute was lost"}
    ms: Annotated[int, msgspec.Meta(ge=-86_400_000, le=86_400_000, description="milliseconds")]
    reason: Words


class GiveNotice(DirectorCommand):
    """Said to everybody who looks at the tournament."""

    example = {"text": "Dinner is served in the break after level 6."}
    text: Words


class WakeTournament(TournamentCommand):
    """Something is due."""

    may_ask = ("timer",)
    example = {"due": 1_768_161_600_000}
    due: When
    outage: bool = False
    """The house stood still meanwhile."""


class TournamentsReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    UNKNOWN_TOURNAMENT = "unknown_tournament"
    """There is no such tournament, or nobody has approved it yet."""
    NOT_ALLOWED = "not_allowed"
    """The sender may not ask this of a tournament."""
    TOURNAMENT_EXISTS = "tournament_exists"
    """There is a tournament of this name already; its rules do not change (FP-12)."""
    RESERVED_NAME = "reserved_name"
    """Only a tournament's own tables are called like this, or so that it reads like it: its id, `.t` and a number."""
    BAD_DEFINITION = "bad_definition"
    """The specific rules break the regulation, or a level the game's rulebook; the refusal names field and rule."""
    NOT_OFFERED = "not_offered"
    """The rules are sound, and ask for what this house can't run yet; the refusal names the fields."""
    TARGET_REFUSES = "target_refuses"
    """The tournament that a satellite's tickets are for does not take them, or there is none; the director's page says
    why under `approval` (32)."""
    SAME_PERSON = "same_person"
    """It takes a second person."""
    OTHER_RULES = "other_rules"
    """The rules that wait have another digest than the approval names."""
    NOT_PROPOSED = "not_proposed"
    """Nothing is proposed that could be approved, confirmed or declined."""
    TOURNAMENT_OVER = "tournament_over"
    """A completed or cancelled tournament never changes (FP-20)."""
    REGISTRATION_CLOSED = "registration_closed"
    """Registration is not open yet, or no more."""
    ALREADY_REGISTERED = "already_registered"
    """The player has an entry, or one is being paid."""
    TOURNAMENT_FULL = "tournament_full"
    """The last place is taken."""
    TAKEN_BACK_TOO_OFTEN = "taken_back_too_often"
    """The player has taken back ten registrations for this tournament: no further one."""
    ENTRY_USED = "entry_used"
    """This id has named an entry or a purchase before."""
    NOT_REGISTERED = "not_registered"
    """The player has no entry."""
    PLAYER_EXCLUDED = "player_excluded"
    """The house has excluded the player from this tournament."""
    UNREGISTERING_CLOSED = "unregistering_closed"
    """The deadline has passed, or the tournament has started."""
    WINDOW_CLOSED = "window_closed"
    """The rules offer no such purchase, or not now (23)."""
    ALREADY_ASKED = "already_asked"
    """Another purchase of the player's waits for the hand or the wallet."""
    LIMIT_REACHED = "limit_reached"
    """As many as the rules allow one player have been bought."""
    STACK_ABOVE_LIMIT = "stack_above_limit"
    """A rebuy is for who has the starting stack or less (FP-2)."""
    NOTHING_TO_DECLINE = "nothing_to_decline"
    """The player has chips, or is out, or has asked for more."""
    UNKNOWN_PAYMENT = "unknown_payment"
    """Nothing was ever to be paid under this id."""
    WRONG_MOMENT = "wrong_moment"
    """Only what is not paused is paused, only what is paused is resumed, once, and no clock goes back beyond its
    level."""
    CAUSE_NOT_ALLOWED = "cause_not_allowed"
    """A tournament is cancelled for technical reasons or force majeure, or by its published minimum (35)."""
    NO_SUCH_MOVE = "no_such_move"
    """Somebody who plays moves to a table with a free seat and fewer players, so that tables stay equal (47); once in a
    level, and not before a hand was played since the last move."""
    NOTHING_HELD = "nothing_held"
    """No disqualification of the player's waits for a decision."""
    UNKNOWN_LANGUAGE = "unknown_language"
    """The specific rules are not there in this language."""
    UNKNOWN_HAND = "unknown_hand"
    """No such hand has begun at the table."""
    UNKNOWN_COMPLAINT = "unknown_complaint"
    """There is no such complaint, or it is decided."""
    TOO_MANY_COMPLAINTS = "too_many_complaints"
    """The player has complained often enough in this tournament."""
    UNKNOWN_TABLE = "unknown_table"
    """The tournament has no such table, or no more."""
    UNKNOWN_TICKET = "unknown_ticket"
    """There is no such ticket for this tournament; each is for its target alone (FP-17)."""
    OTHER_VALUE = "other_value"
    """A ticket is worth the full buy-in of the tournament that it is for, and this one is issued with another (32)."""
    NOT_TRANSFERABLE = "not_transferable"
    """The ticket is somebody else's; its owner never changes (28)."""
    TICKET_SPENT = "ticket_spent"
    """It is used, paid out or lapsed."""
    NOT_CONVERTIBLE = "not_convertible"
    """Only a ticket whose owner had won one for this tournament before becomes money (28, 29), never one of a freeroll
    (30), and none after the start."""
    TOO_MANY_NOTICES = "too_many_notices"
    """The director has said enough in this tournament."""
    SHEET_OUTDATED = "sheet_outdated"
    """What the refund sheet was worked out from has changed; it has to be proposed anew."""
