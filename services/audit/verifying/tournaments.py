"""A tournament's orders to its tables, none of which may be refused unheard; and its money: its accounts are what was
paid in less what was given back, nothing stays in the end, and every payment and credit is the same amount at the
wallet, once; and that who is out has lost all chips at a table.

The journals are read apart, so either side of a payment may come first.
"""

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field

from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts import wallet_events as w
from libs.contracts.facts import Fact
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandEnded
from libs.contracts.pool_events import CreditCovered
from libs.contracts.table_commands import TableReason as AtTable
from libs.contracts.tournament_commands import TournamentReason as AtTournament
from libs.contracts.tournament_play_events import EntryEliminated, GuaranteeReturned, PrizesFixed, TournamentCompleted
from libs.contracts.tournament_tables import table_number
from libs.journal.commit import Commit
from libs.money.chips import NO_CURRENCY
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.sittings import NEVER
from services.audit.verifying.tournament_story import Story, check_story

_OVER = (t.TournamentCancelled, TournamentCompleted)
_PARTS = ("prize", "fee", "bounty")
_HELD = (*_PARTS, "ticket")
_DONE = frozenset(map(str, (
    AtTable.ALREADY_OPEN, AtTable.ALREADY_SEATED, AtTable.RESERVATION_USED, AtTable.NOT_SEATED,
    AtTable.VERSION_NOT_NEWER, AtTable.TABLE_NOT_OPEN, AtTable.ROUND_RUNS, AtTable.SEAT_TAKEN, AtTournament.HAS_CHIPS,
)))  # fmt: skip
"""What a table answers that has done so already, or that does it once another order has come: all are repeated."""


def refused_order(commit: Commit) -> Iterator[Finding]:
    """What a tournament asked of its table and will never be done: nobody hears of it but us."""
    if commit.verdict == "rejected" and commit.principal.startswith("tournament:") and commit.reason not in _DONE:
        detail = (
            f"the table refuses what its tournament asks: {commit.reason} {commit.rule or ''} {commit.detail[:200]}"
        )
        yield Finding(Kind.STANDS, commit.stream, detail.strip(), commit.version)


@dataclass(slots=True)
class TournamentMoney:
    """Fold of one tournament: what its accounts should hold, minor units."""

    due: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_HELD, 0))
    credits: set[str] = field(default_factory=set)
    withheld: dict[str, t.Credit] = field(default_factory=dict)
    """By credit: what stays in the accounts while a disqualification waits for a second person (pt-810-2015 FP-16)."""
    disqualified: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By player about whom no second person has decided: by whom, and when (milliseconds since the epoch)."""
    excluded: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The same of who was excluded, before the start or after it: a smaller field wins the same guarantee."""
    pauses: int = 0
    """That the staff have ordered, and moves, by player: counted beside play alone."""
    moves: dict[str, int] = field(default_factory=dict)
    put_out: set[str] = field(default_factory=set)
    """Players whom the staff have ever disqualified or excluded."""
    over: bool = False
    known_from: int = 0
    """Of a fold beside play: the version from which on it has what the accounts hold; 1: from the beginning; 0: not
    yet. Later than 1 it has them as an event told, and does not know what was withheld before."""
    story: Story = field(default_factory=Story)


def check_tournament(money: TournamentMoney, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Folds one event of one tournament and yields what does not agree after it."""
    yield from check_story(money.story, event, fact, money.due["prize"])
    money.over = money.over or isinstance(fact, _OVER)
    if isinstance(fact, t.PlayerDisqualified | t.PlayerExcluded):
        money.put_out.add(fact.player)
    seen = money.known_from <= 1  # else who was put out before is not known
    if seen and isinstance(fact, EntryEliminated) and fact.disqualified and fact.player not in money.put_out:
        detail = f"{fact.player} is out as disqualified, and nobody has disqualified them"
        yield Finding(Kind.PUT_OUT, event.stream, detail, event.version)
    if isinstance(fact, t.PlayerDisqualified):
        money.disqualified[fact.player] = fact.by, fact.at
    if isinstance(fact, t.PlayerExcluded):
        money.excluded[fact.player] = fact.by, fact.at
    if isinstance(fact, t.ExclusionConfirmed):
        money.excluded.pop(fact.player, None)
    if isinstance(fact, t.PrizeReleased | t.DisqualificationFinal):
        money.disqualified.pop(fact.player, None)
    if isinstance(fact, t.DisqualificationFinal):
        kept = {name: e for name, e in money.withheld.items() if e.player != fact.player or not e.refusable}
        money.withheld = kept
    if not isinstance(fact, t.TournamentMoney):
        return
    for part, sign, amount in _moved(fact):
        money.due[part] += sign * amount
    if isinstance(fact, t.CreditsDue):
        names = [each.credit for each in fact.credits]
        if money.credits & set(names) or len(set(names)) < len(names):
            yield Finding(Kind.ACCOUNT, event.stream, "a credit counts twice", event.version)
        money.credits |= set(names)
        money.withheld = {name: each for name, each in money.withheld.items() if name not in money.credits}
    if isinstance(fact, k.TicketsAwarded):
        won = {each.ticket for each in fact.tickets}
        money.withheld = {name: each for name, each in money.withheld.items() if name not in won}
    if isinstance(fact, t.PrizesWithheld):
        money.withheld |= {each.credit: each for each in fact.credits}
    told = {part: getattr(fact.held, part) for part in _HELD}
    if told != money.due:
        yield Finding(Kind.ACCOUNT, event.stream, f"told {told}, folded {money.due}", event.version)
        money.due = told  # one break is reported once
    if min(told.values()) < 0:
        yield Finding(Kind.NEGATIVE, event.stream, "an account is below zero", event.version)


def check_end(stream: str, money: TournamentMoney) -> Iterator[Finding]:
    """Once everything has been read."""
    withheld = {part: sum(getattr(each, part) for each in money.withheld.values()) for part in _HELD}
    if money.over and money.due != withheld:
        yield Finding(Kind.ACCOUNT, stream, f"the tournament is over and holds {money.due}")


def _moved(fact: t.TournamentMoney) -> Iterator[tuple[str, int, int]]:
    """Account, into it or out of it, and how much."""
    match fact:
        case t.PaymentTaken():
            yield from ((part, 1, getattr(fact, part)) for part in _PARTS)
            if isinstance(fact, t.EntryPaid) and fact.with_ticket:
                yield "ticket", -1, fact.amount
        case k.TicketsAwarded():
            yield "prize", -1, fact.value * len(fact.tickets)
        case k.TicketIssued():
            yield "ticket", 1, fact.amount
        case k.TicketRestored():
            yield "ticket", 1, fact.amount
            yield from ((part, -1, getattr(fact, part)) for part in _PARTS)
        case k.TicketLapsed():
            yield "ticket", -1, fact.amount
            if fact.to == "prize":
                yield "prize", 1, fact.amount
        case t.CreditsDue():
            yield from ((part, -1, getattr(each, part)) for each in fact.credits for part in _HELD)
        case t.FeesEarned():
            yield "fee", -1, fact.amount
        case PrizesFixed():
            yield "prize", 1, fact.amount
        case GuaranteeReturned():
            yield "prize", -1, fact.amount
        case _:
            return


@dataclass(slots=True)
class Passage:
    """One payment, or one credit, on its way between wallet and tournament: both sides, and when each was told."""

    stream: str = ""
    left: int | None = None
    left_at: int = 0
    came: int | None = None
    came_at: int = 0


Side = tuple[bool, int]
"""Whether it left one side, or came to the other; and how much, minor units. Of who is out: in which hand."""
_OUT = "/out/"
"""What these names begin with; all others begin with a tournament's."""
_CLOCKS_MS = 5_000


def sides_of(fact: Fact) -> dict[str, Side]:
    """By name of the passage: what is told of it."""
    match fact:
        case w.TournamentPaid():
            return {f"{fact.tournament}/{fact.payment}": (True, fact.amount)}
        case t.EntryPaid() if fact.with_ticket:
            return {}  # out of the tournament's own account
        case t.PaymentTaken() if fact.amount:
            return {f"{fact.tournament}/{fact.payment}": (False, fact.amount)}
        case k.TicketsAwarded():
            return {f"{fact.target}/ticket/{won.ticket}": (True, fact.value) for won in fact.tickets}
        case k.TicketIssued():
            return {f"{fact.tournament}/ticket/{fact.ticket}": (False, fact.amount)}
        case t.PaymentReturned():
            name = f"{fact.tournament}/{fact.payment}"
            return {name: (False, fact.amount), f"{name}/back": (True, fact.amount)}
        case t.CreditsDue():
            return {f"{fact.tournament}/{each.credit}/back": (True, each.amount) for each in fact.credits}
        case w.TournamentCredited():
            name = f"{fact.tournament}/{fact.credit}"
            covered: dict[str, Side] = {f"{name}/covered": (False, fact.amount)} if fact.covered else {}
            return {f"{name}/back": (False, fact.amount), **covered}
        case HandEnded() if fact.currency == NO_CURRENCY and (found := table_number(fact.table)) is not None:
            broke = [each.reservation for each in fact.results if not each.stack]
            return {f"{_OUT}{found[0]}/{each}/{fact.hand}": (True, fact.hand) for each in broke}
        case EntryEliminated() if not fact.disqualified:
            return {f"{_OUT}{fact.tournament}/{fact.sitting}/{fact.hand}": (False, fact.hand)}
        case CreditCovered() if fact.claim.why != "ticket":
            return {f"{fact.tournament}/{fact.claim.name}/covered": (True, fact.claim.amount)}
        case _:
            return {}


def note_side(name: str, passage: Passage, event: PublicEvent, side: Side, heard: int = NEVER) -> list[Finding]:
    """Takes one side, which is told once, and as the other one is. `heard`: when it was, milliseconds since the epoch:
    the other side is waited for from no later than that, whatever time its writer has told."""
    left, amount = side
    before, at = passage.left if left else passage.came, min(event.time, heard)
    if before is not None:
        way = "left one side" if left else "came to the other"
        detail = f"{name}: {amount} {way}, and {before} did before"
        return [Finding(Kind.RESERVE, event.stream, detail, event.version)]
    if left:
        passage.left, passage.left_at, passage.stream = amount, at, event.stream
    else:
        passage.came, passage.came_at = amount, at
        passage.stream = passage.stream or event.stream
    return [] if None in (passage.left, passage.came) else list(check_passage(name, passage, NEVER, 0))


def note_passages(
    passages: MutableMapping[str, Passage], event: PublicEvent, fact: Fact, heard: int = NEVER
) -> Iterator[Finding]:
    """By name: what left one side, and what came to the other."""
    for name, side in sides_of(fact).items():
        passage = passages.get(name) or Passage()
        yield from note_side(name, passage, event, side, heard)
        passages[name] = passage


def check_passage(name: str, passage: Passage, now: int, grace_ms: int) -> Iterator[Finding]:
    """What does not agree at `now`, milliseconds since the epoch. What came is told after what left, so it waits for
    that no longer than clocks may differ; who has lost all chips may have bought others, and is not out."""
    grace_ms = min(grace_ms, _CLOCKS_MS) if passage.left is None else grace_ms
    if passage.left == passage.came or max(passage.left_at, passage.came_at) >= now - grace_ms:
        return
    if passage.came is None and name.startswith(_OUT):
        return
    missing = None in (passage.left, passage.came)
    detail = f"{name}: {passage.left} left one side, {passage.came} came to the other"
    if name.startswith(_OUT):
        detail = f"{name.removeprefix(_OUT)}: out of the tournament, and has lost all chips in no such hand"
    yield Finding(Kind.RESERVE_OPEN if missing else Kind.RESERVE, passage.stream, detail)
