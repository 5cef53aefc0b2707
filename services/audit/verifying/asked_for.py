"""What a commit tells, held against what was asked: a true command lets nothing else be told than what follows from it.

Of accounts all of it, of tables what players do, of tournaments what people order. Figures and cards are held against
rules, books and decks elsewhere.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from libs.contracts import escrow_commands as escrows
from libs.contracts import escrow_events as escrow
from libs.contracts import poker_commands, table_commands
from libs.contracts import poker_events as p
from libs.contracts import pool_commands as pools
from libs.contracts import pool_events as pool
from libs.contracts import tournaments_commands as a
from libs.contracts import tournaments_events as t
from libs.contracts import wallet_commands as c
from libs.contracts import wallet_events as e
from libs.contracts.baccarat_commands import PlaceStake, WithdrawStake
from libs.contracts.baccarat_events import StakePlaced, StakeWithdrawn
from libs.contracts.banked_rounds import BankedStakeMoved, BankedStakeWithdrawn
from libs.contracts.commands import Command
from libs.contracts.facts import Fact, TournamentEvent, WalletEvent
from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte, WithdrawAnte
from libs.contracts.no_draw_poker_events import AntePlaced, AnteWithdrawn, SecondBetPlaced
from libs.contracts.reading import read
from libs.contracts.registry import (
    ALL_TABLE_COMMANDS,
    ALL_TABLE_EVENTS,
    ALL_WALLET_COMMANDS,
    UnknownEvent,
    decode_fact,
    wire_name,
)
from libs.contracts.table_events import PlayerLeft
from libs.contracts.tournament_ticket_commands import ConfirmTarget
from libs.contracts.tournament_ticket_events import TargetAsked
from services.audit.verifying.orders import differs, is_ordered, not_ordered

TELLS: Mapping[type[Command], tuple[type[WalletEvent], ...]] = {
    c.OpenAccount: (e.AccountOpened,),
    c.DepositFunds: (e.FundsDeposited,),
    c.ClaimReference: (e.ReferenceClaimed,),
    c.CountCash: (e.CashCounted,),
    c.RequestCash: (e.CashRequested, e.WithdrawalRefused),
    c.ApproveCash: (e.FundsDeposited, e.FundsWithdrawn, e.WithdrawalRefused),
    c.DeclineCash: (e.CashDeclined,),
    c.WithdrawFunds: (e.FundsWithdrawn, e.WithdrawalRefused),
    c.ReserveFunds: (e.FundsReserved, e.ReserveRefused),
    c.ReleaseFunds: (e.FundsReleased, e.HomeAsked),
    c.SettleSitting: (e.SittingSettled, e.HomeAsked),
    c.ChargeFee: (e.FeeCharged, e.FeeRefused),
    c.PayTournament: (e.TournamentPaid, e.TournamentPaymentRefused),
    c.CreditTournament: (e.TournamentCredited,),
    c.ReturnPayment: (e.TournamentCredited,),
    c.ReportSignal: (e.SignalReported,),
    pools.NoteTerms: (pool.TermsNoted,),
    pools.NotePayment: (pool.PaymentNoted,),
    pools.NoteTicket: (pool.TicketNoted,),
    pools.NoteCancellation: (pool.CancellationNoted,),
    pools.NoteCredit: (pool.CreditNoted,),
    pools.ReviewPool: (pool.CreditCovered,),
    pools.ClaimCredit: (pool.CreditCovered, pool.CreditHeld),
    escrows.NoteReserve: (escrow.ReserveNoted,),
    escrows.NoteRisk: (escrow.RiskNoted,),
    escrows.NoteBank: (escrow.BankNoted,),
    escrows.NoteCover: (escrow.CoverNoted,),
    escrows.ReturnBank: (escrow.BankReturned,),
    escrows.ReviewEscrow: (escrow.HomeCovered, escrow.HomeStruck),
    escrows.ClaimHome: (escrow.HomeCovered, escrow.HomeHeld, escrow.HomeStruck),
}
"""What may come of each command to the wallet, once; and beside it that the account forgets what is long over, or that
a pool or an escrow covers what it had held."""
_BESIDE = (e.SittingsForgotten, e.ReferencesForgotten)
_PURPOSES: Mapping[type[WalletEvent], str] = {
    e.FundsDeposited: "deposit",
    e.FundsWithdrawn: "withdrawal",
    e.WithdrawalRefused: "withdrawal",
}
ORDERED: Mapping[type[TournamentEvent], type[Command]] = {
    t.TournamentProposed: a.ProposeTournament,
    t.ProposalDeclined: a.DeclineTournament,
    t.TournamentAnnounced: a.ApproveTournament,
    TargetAsked: a.ApproveTournament,
    t.CancellationProposed: a.ProposeCancellation,
    t.CancellationDeclined: a.DeclineCancellation,
    t.TournamentPaused: a.PauseTournament,
    t.RestartAnnounced: a.ResumeTournament,
    t.ClockAdjusted: a.AdjustClock,
    t.PlayerExcluded: a.ExcludePlayer,
    t.ExclusionConfirmed: a.ConfirmExclusion,
    t.PlayerDisqualified: a.DisqualifyPlayer,
    t.PrizeReleased: a.ReleasePrize,
    t.DisqualificationFinal: a.FinalizeDisqualification,
    t.MoveOrdered: a.MovePlayer,
    t.ComplaintDecided: a.DecideComplaint,
    t.TournamentResumed: a.ResumeTournament,
    t.NoticeGiven: a.GiveNotice,
}
"""What one of the staff orders at a tournament, and by which command: nothing else brings it about. A satellite is
announced by who was asked for its tickets, once somebody has approved it."""
_OF_THE_TOURNAMENT = frozenset({"tournament", "table"})
"""Of its own event: which one it is, and where a player sits."""
_STAMPED = ("player", "currency", "account", "told_at")
"""Of the account's own stream; where the command names them, too, they are the same. A time that lies ahead the account
does not tell."""
_DEEDS: Mapping[str, type[Fact]] = {"fold": p.PlayerFolded, "check": p.PlayerChecked}
_ACTS = frozenset(map(wire_name, (p.PlayerFolded, p.PlayerChecked, p.BetPlaced)))
_READ: Mapping[str, type[Command]] = {
    **{each.__name__: each for each in ALL_WALLET_COMMANDS},
    **{each.__name__: each for each in ORDERED.values()},
    **{each.__name__: each for each in (a.ConfirmCancellation, a.UnregisterPlayer, ConfirmTarget)},
    **{each.__name__: each for each in ALL_TABLE_COMMANDS},
}
Told = tuple[str, bytes]
"""An event as a commit holds it: its type on the wire, its data."""
_AT_TABLES = frozenset(
    wire_name(each)
    for each in ALL_TABLE_EVENTS
    if is_ordered(each) or issubclass(each, BankedStakeMoved) or each is PlayerLeft
)
_ORDERS = frozenset(map(wire_name, (*ORDERED, t.TournamentCancelled, t.PlayerUnregistered)))
_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in _READ.items()}


def wish_in(kind: str, body: msgspec.Raw) -> Command | None:
    """The command, where one of its kind is held against its commit. Raises `msgspec.MsgspecError`."""
    decoder = _DECODERS.get(kind)
    return None if decoder is None else read(decoder, bytes(body))


def told_otherwise(service: str, wish: Command | None, by: Principal, events: Iterable[Told]) -> str | None:
    """What a valid commit tells that does not follow from its command; None: nothing of that kind. What this build
    can't read it says nothing of: whoever folds it tells."""
    try:
        if service == "wallet":
            return _of_account(wish, by, events)
        if service == "table":
            told = list(events)
            return _of_acts(wish, by, told) or _at_table(wish, by, told)
        return _of_orders(wish, by, events)
    except (UnknownEvent, msgspec.MsgspecError):
        return None


def _of_account(wish: Command | None, by: Principal, events: Iterable[Told]) -> str | None:
    told = [fact for name, data in events if not isinstance(fact := decode_fact(name, data), _BESIDE)]
    if not told:
        return None
    if wish is None:
        return "the commit tells of an account, and its command is none to an account"
    fact, *more = told
    if more and not _let_go(wish, more):
        return "the commit tells of more than its command asked"
    asked = type(wish).__name__
    if not isinstance(fact, TELLS.get(type(wish), ())):
        return f"{type(fact).__name__} does not come of {asked}"
    said = _said(fact)
    for name, told_as in said.items():
        if told_as != (_by(fact, by) if name == "by" else getattr(wish, name, told_as)):
            return f"{type(fact).__name__} has another {name} than {asked}"
    if isinstance(wish, c.ReturnPayment) and (said["credit"], said["why"]) != (wish.payment, "refund"):
        return f"{type(fact).__name__} is not of the payment that {asked} names"
    if isinstance(wish, c.SettleSitting) and isinstance(fact, e.HomeAsked) and fact.amount != wish.returned:
        return f"{type(fact).__name__} has another amount than {asked}"
    if isinstance(wish, pools.ClaimCredit | escrows.ClaimHome) and fact.player != wish.claim.player:
        return f"{type(fact).__name__} is of another player than {asked}"
    purpose = getattr(wish, "purpose", None)
    if isinstance(wish, c.ApproveCash | c.RequestCash) and _PURPOSES.get(type(fact), purpose) != purpose:
        return f"{type(fact).__name__} has another purpose than {asked}"
    return None


def _let_go(wish: Command, more: Iterable[WalletEvent]) -> bool:
    """Whether it is what a pool or an escrow had held, and covers now."""
    if isinstance(wish, pools.PoolCommand):
        return all(isinstance(each, pool.CreditCovered) and each.tournament == wish.tournament for each in more)
    if isinstance(wish, escrows.EscrowCommand):
        return all(
            isinstance(each, escrow.HomeCovered | escrow.HomeStruck) and each.table == wish.table for each in more
        )
    return False


def _by(fact: WalletEvent, by: Principal) -> str:
    """As the event names who asked: references count once for all cashiers together."""
    return c.claimant(by) if isinstance(fact, e.ReferenceClaimed) else str(by)


def _said(fact: WalletEvent) -> dict[str, Any]:
    """By name; what is stamped may be empty in an event of before, and says nothing then."""
    said = {name: getattr(fact, name) for name in fact.__struct_fields__}
    return {name: value for name, value in said.items() if value or name not in _STAMPED}


def _of_acts(wish: Command | None, by: Principal, events: Iterable[Told]) -> str | None:
    """What a player does comes of that player's own command. A dealer's word and the house's say so themselves."""
    for name, data in events:
        if name not in _ACTS:
            continue
        fact = decode_fact(name, data)
        if fact.entered_by or getattr(fact, "actor", "player") != "player":
            continue  # in what order of things that may be, `acted_for.py` knows
        if (by.kind, by.id) != ("player", fact.player):
            return f"{type(fact).__name__} of {fact.player}, who has not asked for it"
        if isinstance(wish, poker_commands.Act):
            same = (wish.hand, wish.seat) == (fact.hand, fact.seat) and isinstance(
                fact, _DEEDS.get(wish.act, p.BetPlaced)
            )
            if not same or (isinstance(fact, p.BetPlaced) and wish.to not in (None, fact.to)):
                return f"{type(fact).__name__} is not what {fact.player} asked for"
        elif not isinstance(wish, table_commands.LeaveTable) or not isinstance(fact, p.PlayerFolded):
            return f"{type(fact).__name__} of {fact.player}, who asked for something else"
    return None


def _at_table(wish: Command | None, by: Principal, events: Iterable[Told]) -> str | None:
    facts = [decode_fact(name, data) for name, data in events if name in _AT_TABLES]
    gone = {each.player for each in facts if isinstance(each, PlayerLeft) and each.reason == "inactivity"}
    for fact in facts:
        staked = isinstance(fact, BankedStakeMoved)
        wrong = _staked(wish, by, fact, gone) if staked else not_ordered(wish, by, fact)
        if wrong is not None:
            return wrong
    return None


def _staked(wish: Command | None, by: Principal, fact: BankedStakeMoved, gone: Collection[str]) -> str | None:
    """Stakes are moved by their player alone; who is sent home takes back what lies there (pt-803-2015 42). `gone`:
    who is so in this commit."""
    if isinstance(fact, BankedStakeWithdrawn) and fact.player in gone:
        return None
    if (by.kind, by.id) != ("player", fact.player):
        return f"{type(fact).__name__} of {fact.player}, who has not asked for it"
    match wish:
        case PlaceStake():
            same = isinstance(fact, StakePlaced) and (fact.area, fact.amount) == (wish.chance, wish.amount)
        case WithdrawStake():
            same = isinstance(fact, StakeWithdrawn) and (fact.area, wish.amount or fact.amount) == (
                wish.chance, fact.amount,
            )  # fmt: skip
        case PlaceAnte():
            same = isinstance(fact, AntePlaced | AnteWithdrawn) and fact.total == wish.amount
        case WithdrawAnte():
            same = isinstance(fact, AnteWithdrawn) and fact.total == 0
        case DecideHand():
            same = isinstance(fact, SecondBetPlaced) and wish.decision == "continue"
        case table_commands.LeaveTable():
            same = isinstance(fact, BankedStakeWithdrawn) and fact.total == 0
        case None:
            same = False
        case _:
            same = not isinstance(fact, StakePlaced | StakeWithdrawn | AntePlaced | AnteWithdrawn | SecondBetPlaced)
    return None if same else f"{type(fact).__name__} is not what {fact.player} asked for"


def _of_orders(wish: Command | None, by: Principal, events: Iterable[Told]) -> str | None:
    """What people order comes of their own command, and is what they asked for."""
    facts = [decode_fact(name, data) for name, data in events if name in _ORDERS]
    return next(filter(None, (_not_so_ordered(wish, by, fact) for fact in facts)), None)


def _not_so_ordered(wish: Command | None, by: Principal, fact: TournamentEvent) -> str | None:
    name = type(fact).__name__
    match fact:
        case t.TournamentCancelled():
            confirmed = by.kind == "staff" and isinstance(wish, a.ConfirmCancellation) and fact.confirmed_by == by.id
            alone = fact.cause == "insufficient_participants" and (fact.by, fact.confirmed_by) == ("house", "")
            return None if confirmed or alone else f"{name}, which nobody has confirmed"
        case t.PlayerUnregistered(reason="asked"):
            own = isinstance(wish, a.UnregisterPlayer) and (by.kind, by.id) == ("player", fact.player)
            return None if own and fact.by == by.id else f"{name} of {fact.player}, who has not asked for it"
        case t.PlayerUnregistered():
            return None if _is_ordered(wish, a.ExcludePlayer, by, fact) else f"{name}, which nobody has ordered"
        case t.TournamentAnnounced() if isinstance(wish, ConfirmTarget):
            return None  # that it was asked for, and by whom, `by_itself.py` knows
        case t.TournamentResumed() | t.NoticeGiven() if not isinstance(wish, ORDERED[type(fact)]):
            return _by_itself(fact)
    if not isinstance(wish, ORDERED[type(fact)]) or by.kind != "staff":
        return f"{name}, which nobody of the staff has ordered"
    if (said := getattr(fact, "by", "")) != by.id:
        return f"{name} by {said}, and {by.id} has ordered it"
    if isinstance(fact, t.MoveOrdered) and isinstance(wish, a.MovePlayer) and fact.to_table != wish.table:
        return f"{name} has another table than MovePlayer"
    return differs(name, fact, wish, _OF_THE_TOURNAMENT)


def _by_itself(fact: t.TournamentResumed | t.NoticeGiven) -> str | None:
    """A pause ends when that was announced for, in the commit of whatever comes first then (`by_itself.py`); and the
    house says by itself which table is behind."""
    if isinstance(fact, t.TournamentResumed):
        return None
    return None if fact.by == "house" else "NoticeGiven, which nobody of the staff has ordered"


def _is_ordered(wish: Command | None, kind: type[Command], by: Principal, fact: t.PlayerUnregistered) -> bool:
    return (
        isinstance(wish, kind) and by.kind == "staff" and (fact.by, fact.player) == (by.id, getattr(wish, "player", ""))
    )
