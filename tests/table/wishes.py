"""Every command of the service as somebody might well ask it at a table as it stands: what is tried at every turn.

A command that is new fails `test_every_command_has_a_wish` in `tests/table/test_ways_out.py` until it is here.
"""

from collections.abc import Iterator
from typing import Any

from libs.cards.card import DECK, name_of
from libs.cards.variants import VARIANTS
from libs.contracts import baccarat_commands as baccarat
from libs.contracts import bank_commands as bank
from libs.contracts import conduct_commands as conduct
from libs.contracts import draw_commands as draws
from libs.contracts import live_commands as live
from libs.contracts import no_draw_poker_commands as no_draw
from libs.contracts import poker_commands as poker
from libs.contracts import table_commands as at
from libs.contracts import tournament_commands as tournament
from libs.contracts import waiting_list_commands as waiting
from libs.contracts.commands import TableCommand
from libs.contracts.configurations import flat
from libs.contracts.messages import Principal
from services.table.domain.games.live_poker.incidents import _PROCEDURES, _WITHOUT_A_HAND
from services.table.domain.games.poker.state import Hand
from services.table.domain.table.state import Table
from tests.table.approving import approval_of
from tests.table.live.play import DEALER, SUPERVISOR
from tests.table.tournament.play import ORGANISER
from tests.table.under_test import player_principal, policy

Wish = tuple[Principal, TableCommand]
Wishes = Iterator[Wish]
STRANGER = player_principal("stranger")
CODES = sorted({*_PROCEDURES, *_WITHOUT_A_HAND})
"""Of incidents at a live table."""


def wishes(state: Any) -> Wishes:
    """Well-formed each, most of them against the rules at this moment. Names that count once are new each time."""
    yield from _seats(state)
    yield from _of_the_seated(state)
    yield from _waiting(state)
    yield from _staff(state)
    yield from _tournament(state)
    hand, playing = getattr(state, "hand", None), getattr(state, "round", None)
    yield from _poker(state, hand)
    yield from _live(state, hand)
    yield from _banked(state, playing)


def _new(state: Table, what: str) -> str:
    return f"{what}-{state.version}"


def _sitters(state: Any) -> list[Any]:
    return [sitter for _, sitter in sorted(state.seats.items())]


def _players(state: Any) -> list[Principal]:
    names = [sitter.player for sitter in _sitters(state)]
    names += [reserved.player for reserved in state.reserved.values()]
    names += [entry.player for entry in state.waiting.entries]
    return [player_principal(name) for name in dict.fromkeys(names)] + [STRANGER]


def _seats(state: Any) -> Wishes:
    amounts = dict.fromkeys((state.rules.entry.buy_in_min or 1, state.rules.entry.buy_in_max or 1))
    for who in _players(state):
        for seat in (None, *range(1, min(state.rules.seats, 4) + 1)):
            for amount in amounts:
                yield who, at.TakeSeat(reservation=_new(state, "r"), seat=seat, amount=amount)
    for reservation in (*state.reserved, "none"):
        yield policy(), at.ConfirmSeat(reservation=reservation)
        yield policy(), at.ReleaseSeat(reservation=reservation, reason="reserve_refused")
        for who in _players(state):
            yield who, at.ReleaseSeat(reservation=reservation, reason="cancelled")


def _of_the_seated(state: Any) -> Wishes:
    for who in _players(state):
        for amount in (100, state.rules.entry.top_up_to or 100):
            yield who, at.RequestTopUp(top_up=_new(state, "u"), amount=amount)
        for on_break in (False, True):
            yield who, at.SitOut(on_break=on_break)
            yield who, at.SitIn(post_big_blind=on_break)
        yield who, at.LeaveTable()
        yield who, conduct.SendMessage(message=_new(state, "m"), sealed="AAEC")
        for favour in ("split_pot", "move_chips", "take_chips_off", "swap_seats"):
            yield who, conduct.AskFavour(favour=favour)
        for amount in (1, 100):
            yield who, conduct.TipDealer(amount=amount)
        for connected in (False, True):
            yield policy(), at.ReportConnection(player=who.id, connected=connected)
    for sitter in _sitters(state):
        if sitter.top_up is not None:
            yield policy(), at.ConfirmTopUp(top_up=sitter.top_up.id)
            yield policy(), at.FailTopUp(top_up=sitter.top_up.id)
    if state.rules.regulation == "pt-217-2007" and not state.rules.live:
        for fee in (*state.sessions.fees, "none"):
            yield policy(), poker.ConfirmFee(fee=fee)
            yield policy(), poker.FailFee(fee=fee)
    yield policy(), at.ConfirmTopUp(top_up="none")
    yield policy(), at.FailTopUp(top_up="none")


def _waiting(state: Any) -> Wishes:
    for who in _players(state):
        yield who, waiting.JoinWaitingList(entry=_new(state, "w"))
        yield who, waiting.LeaveWaitingList()
        for seat in (None, 1, 2):
            yield who, waiting.AskSeatChange(entry=_new(state, "c"), seat=seat)
        yield who, draws.AskTableChange(to_table="t2", players_there=len(state.seats) - 1)
    yield SUPERVISOR, draws.DrawSeats()
    yield SUPERVISOR, draws.DrawTables(tables=["t2"])
    yield policy(), draws.AssignPlaces(players=["stranger"], suits=["s"], tables=["t2"], drawn_at="t2")


def _staff(state: Any) -> Wishes:
    values = {name: value for name, value in flat(state.rules).items() if name in ("seats", "big_blind")}
    values |= {"version": state.rules.version + 1, "approval": "A"}
    yield SUPERVISOR, at.OpenTable(name="x", rulebook=state.rules.rulebook, configuration=values)
    for who in (SUPERVISOR, ORGANISER):
        yield who, at.ChangeConfiguration(configuration=values)
        yield who, at.PauseTable(reason="check")
        yield who, at.ResumeTable()
    yield SUPERVISOR, at.CloseTable(reason="night")
    for sitter in _sitters(state):
        yield SUPERVISOR, at.RemovePlayer(player=sitter.player, reason="conduct")
        for grave in (False, True):
            yield SUPERVISOR, conduct.WarnPlayer(player=sitter.player, rule="58", cause="insults", grave=grave)
        yield SUPERVISOR, conduct.MutePlayer(player=sitter.player, cause="insults")
    for direction in ("top_up", "drop"):
        asked: Any = {"direction": direction, "amount": max(1, state.bank // 2), "reason": "shift"}
        yield SUPERVISOR, bank.RequestBankChange(change=_new(state, "b"), **asked)
    for change in (*state.office.pending, "none"):
        yield Principal("staff", "ana"), approval_of(state, change)
        yield SUPERVISOR, bank.DeclineBankChange(change=change, reason="no")
    for version in (state.office.asked_version or 1, state.rules.version + 7):
        yield Principal("staff", "ana"), at.ApproveConfiguration(version=version)
        yield SUPERVISOR, at.DeclineConfiguration(version=version, reason="no")


def _tournament(state: Any) -> Wishes:
    yield ORGANISER, tournament.OpenTournamentTable(name="x", rulebook=state.rules.rulebook, configuration={})
    named: Any = {"reservation": _new(state, "e"), "player": "stranger", "chips": 500}
    for seat in (1, 2, 3, 4):
        yield ORGANISER, tournament.SeatEntrant(seat=seat, **named)
    for sitter in _sitters(state):
        yield ORGANISER, tournament.EliminateEntrant(reservation=sitter.reservation)
        yield ORGANISER, tournament.BarEntrant(reservation=sitter.reservation, why="excluded")
        yield ORGANISER, tournament.BarEntrant(reservation=sitter.reservation, why="disqualified")
        yield ORGANISER, tournament.MoveEntrant(reservation=sitter.reservation, to_table="t2")
        yield ORGANISER, tournament.AddChips(reservation=sitter.reservation, payment=_new(state, "pay"), chips=500)
    for until in (None, 1):
        yield ORGANISER, tournament.AllowHands(through=state.rounds + 1, until=until)
    yield ORGANISER, tournament.EliminateEntrant(reservation="none")
    yield ORGANISER, tournament.MoveEntrant(reservation="none", to_table="t2")
    yield ORGANISER, tournament.EndTournament(reason="won")


def _poker(state: Any, hand: Hand | None) -> Wishes:
    number = max(1, state.rounds)
    for sitter in _sitters(state):
        for by in (player_principal(sitter.player), DEALER):
            for act, to in _acts(hand):
                yield by, poker.Act(hand=number, seat=sitter.seat, act=act, to=to)
        turn = hand.turn.version if hand is not None and hand.turn is not None else 1
        yield player_principal(sitter.player), poker.Act(hand=number, seat=sitter.seat, act="fold", turn=turn)
        yield player_principal(sitter.player), poker.CancelAct(hand=number, seat=sitter.seat)
        yield player_principal(sitter.player), poker.OpenDispute(hand=number, text="mine")
        for variant in ("omaha", "holdem"):
            yield player_principal(sitter.player), poker.ChooseVariant(variant=variant)
    yield STRANGER, poker.Act(hand=number, seat=1, act="fold")
    yield STRANGER, poker.CancelAct(hand=number, seat=1)
    yield STRANGER, poker.OpenDispute(hand=number, text="mine")
    yield STRANGER, poker.ChooseVariant(variant="omaha")
    for who in (Principal("staff", "ana"), SUPERVISOR):
        yield who, poker.CorrectDeal(hand=number, cause="replay")
        yield who, poker.VoidHand(hand=number, cause="fault")
    for dispute in (*getattr(state, "disputes", ()), None):
        of_it = (
            {"hand": dispute.hand, "dispute": dispute.id} if dispute is not None else {"hand": number, "dispute": 99}
        )
        yield SUPERVISOR, poker.ResolveDispute(**of_it, decision="no", reason="seen")


def _acts(hand: Hand | None) -> list[tuple[Any, int | None]]:
    legal = hand.turn.legal if hand is not None and hand.turn is not None else None
    to = [legal.min_to, legal.max_to] if legal is not None else [200]
    raises = [(act, each) for act in ("bet", "raise") for each in dict.fromkeys(to) if each]
    return [("fold", None), ("check", None), ("call", None), *raises]


def _live(state: Any, hand: Hand | None) -> Wishes:
    number = max(1, state.rounds)
    variant = VARIANTS.get(getattr(state.rules, "variant", "omaha"), VARIANTS["omaha"])
    whole = [name_of(card) for card in variant.deck]
    for who in _players(state):
        yield who, live.StatePresence(present=True)
    yield SUPERVISOR, live.AssignDealer(dealer=DEALER.id)
    yield DEALER, live.InspectDeck(deck="R", cards=whole)
    yield DEALER, live.CheckDeck(deck="R", cards=len(whole), sound=True)
    yield DEALER, live.ShuffleDeck(deck="R", times=3)
    yield DEALER, live.MarkDeckDamaged(deck="R")
    yield DEALER, live.ReplaceDeck(deck="R", by_deck="B")
    yield DEALER, live.DealHand(deck="R")
    for unposted in range(1, 5):
        yield DEALER, live.DealHand(deck="R", unposted=[unposted])
    card = next_card(state)
    for seat in (None, *state.seats):
        for to in ("hole", "burn", "board"):
            yield DEALER, live.ScanCard(hand=number, card=card, to=to, seat=seat)
    for seat in (*state.seats, 11):
        yield DEALER, live.RecordPost(hand=number, seat=seat)
        yield DEALER, live.PassTurn(hand=number, seat=seat)
        for pushed in (False, True):
            yield DEALER, live.DeliverPot(hand=number, winner=seat, pushed=pushed)
        yield from _incidents(number, seat)
    yield DEALER, live.DeliverPot(hand=number)
    table_live = getattr(state, "live", None)
    pending = table_live.pending if table_live is not None else None
    for decision in pending.choices if pending is not None else ("void",):
        incident = pending.incident if pending is not None else 1
        yield SUPERVISOR, live.DecideIncident(hand=number, incident=incident, decision=decision, reason="seen")


def next_card(state: Any) -> str:
    """One that no card of the hand is yet."""
    hand, dealt = getattr(state, "hand", None), getattr(state, "live", None)
    deck = hand.deck.cards if hand is not None and hand.deck is not None else ()
    seen = {deck[position] for position in dealt.out} if dealt is not None and deck else set()
    return next(name_of(card) for card in reversed(DECK) if card not in seen)


def _incidents(number: int, seat: int) -> Wishes:
    for code in CODES:
        yield DEALER, live.RecordIncident(hand=number, code=code, seat=seat)
        yield DEALER, live.RecordIncident(
            hand=number, code=code, seat=seat, seats=[seat], cards=["2c"], count=3, act="bet", to=400, placed=200,
            announced=seat, error="DE-69a", deck="R", reported_by="p1", reason="seen",
        )  # fmt: skip


def _banked(state: Any, playing: Any) -> Wishes:
    number = playing.number if playing is not None else max(1, state.rounds + 1)
    for who in _players(state):
        for round_ in (None, number):
            for amount in (100, 300):
                yield who, no_draw.PlaceAnte(amount=amount, round=round_)
                for chance in ("ponto", "banca", "empate"):
                    yield who, baccarat.PlaceStake(chance=chance, amount=amount, round=round_)
        yield who, no_draw.WithdrawAnte(round=number)
        for decision in ("fold", "continue"):
            yield who, no_draw.DecideHand(round=number, decision=decision)
        for chance in ("ponto", "banca"):
            yield who, baccarat.WithdrawStake(round=number, chance=chance)  # type: ignore[arg-type]
        yield who, bank.DealRound(round=number)
    for by in (Principal("staff", "ana"), SUPERVISOR):
        yield by, bank.VoidRound(round=number, cause="fault")
