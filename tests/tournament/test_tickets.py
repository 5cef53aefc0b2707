"""Won registrations from the satellite to the target's start, in decisions, books and audit (28 to 32, 37, FP-17)."""

from typing import Any

import msgspec
import pytest

from libs.contracts import tournament_ticket_commands as tickets
from libs.contracts import tournament_ticket_events as told
from libs.contracts import tournaments_commands as asked
from libs.contracts.registry import parse_event
from libs.contracts.tournament_play_events import PrizesFixed, TournamentCompleted
from libs.contracts.tournaments_events import PlayerRegistered, TournamentAnnounced
from libs.contracts.wallet_events import TournamentPaid
from libs.projecting import Pool, project
from services.audit.verifying.facts import FactChecks
from services.wallet.projections import BOOKS, books
from services.wallet.projections.balances import trial_balance
from tests.testkit.cases import Case, each_case
from tests.testkit.memory_source import MemorySource
from tests.tournament.cashier import Cashier
from tests.tournament.course import FLOOR, MINUTE, POLICY, START, SUPERVISOR, definition, player
from tests.tournament.test_money import booked, in_transit, of_tournaments

REGULATION = "pt-810-2015"
FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")
TARGET = "target"
TICKET_ACCOUNT = f"tournament-ticket/{TARGET}"
VALUE = 2_200


def hall(seed: int = 1, value: int = VALUE, fee: int = 200, **other: Any) -> Cashier:
    """With the target announced, three hours before its start."""
    cashier = Cashier(seed)
    cashier.now = START - 180 * MINUTE
    price = {"amount": value, "prize": value - fee, "fee": fee}
    cashier.announce(TARGET, **{"buy_in": price, **other})
    return cashier


def satellite(cashier: Cashier, name: str = "sat", entries: int = 10, prize: int = 1_000, **other: Any) -> None:
    """Announced half an hour before it starts, and paid by `s1` to `s10`; a freeroll where `prize` is 0."""
    rules = {
        "starts_at": cashier.now + 30 * MINUTE, "seats": 10, "min_players": 2, "payouts": [],
        "buy_in": {"amount": prize + prize // 10, "prize": prize, "fee": prize // 10},
        "tickets": {"tournament": TARGET, "value": cashier.state("tournament", TARGET).rules.buy_in.amount},
    }  # fmt: skip
    cashier.announce(name, **{**rules, **other})
    cashier.settle()
    assert cashier.state("tournament", name).phase == "registering"
    for number in range(1, entries + 1):
        if prize:
            cashier.deposit(f"s{number}", prize + prize // 10)
        assert not cashier.register(f"s{number}", name)
    cashier.settle()
    cashier.wake(cashier.now + 30 * MINUTE, name)


def played(cashier: Cashier, name: str = "sat", *order: str) -> None:
    """To the end: the players of `order` go out one after the other, then who is left, s1 last."""
    left = sorted((e.player for e in cashier.state("tournament", name).alive), key=lambda who: -int(who[1:]))
    for out in [*order, *(who for who in left if who not in order)]:
        if cashier.state("tournament", name).phase == "running":
            cashier.hand(name, out)
    cashier.settle()


def won(owner: str, times: int = 1, origin: str = "satellite", cashier: Cashier | None = None) -> Cashier:
    """The owner has so many tickets, each won a minute after the one before."""
    cashier = cashier or hall()
    for _ in range(times):
        number = len(cashier.state("tournament", TARGET).tickets) + 1
        cashier.now += MINUTE
        assert not cashier.ask(
            TARGET, POLICY,
            tickets.IssueTicket(
                ticket=f"sat.{number}", player=owner, value=cashier.state("tournament", TARGET).rules.buy_in.amount,
                origin=origin, satellite="sat", won_at=cashier.now,  # type: ignore[arg-type]
            ),
        )  # fmt: skip
    return cashier


def held(cashier: Cashier) -> dict[str, str]:
    """Ticket to its owner, of those not used."""
    return {each.ticket: each.player for each in cashier.state("tournament", TARGET).unused_tickets}


def converts(cashier: Cashier, owner: str, ticket: str) -> tuple[str, str]:
    cashier.deposit(owner, 1)  # so that there is an account
    return cashier.answer(TARGET, player(owner), tickets.ConvertTicket(ticket=ticket))


def audited(cashier: Cashier) -> None:
    """What it holds agrees with what was told, and everything that went somewhere came there."""
    checks = FactChecks()
    for _, _, event in cashier.records:
        assert list(checks.take(event, parse_event(event), None)) == []
    # The tables of these are told here by the tournament alone.
    assert [
        each for each in checks.end(cashier.now + 10**9) if "has lost all chips in no such hand" not in each.detail
    ] == []


def test_a_satellite_is_announced_once_its_target_takes_the_tickets() -> None:
    cashier = hall()
    cashier.announce("sat", payouts=[], tickets={"tournament": TARGET, "value": VALUE}, starts_at=START - MINUTE)
    assert cashier.state("tournament", "sat").phase == "proposed", "the target has not answered"
    cashier.settle()
    assert cashier.state("tournament", "sat").phase == "registering"
    [announced] = [fact for fact in cashier.told if isinstance(fact, TournamentAnnounced) and fact.tournament == "sat"]
    assert announced.by == "supervisor-1"


@pytest.mark.rule(REGULATION, "32/2")
@pytest.mark.parametrize(
    ("why", "other"),
    [
        ("not_answered", {"tickets": {"tournament": "nobody-knows-it", "value": VALUE}}),
        ("not_open", {}),
        ("other_price", {"tickets": {"tournament": TARGET, "value": VALUE + 1}}),
        ("starts_before", {"starts_at": START}),
    ],
)
def test_tickets_for_no_future_tournament_are_refused(why: str, other: dict[str, Any]) -> None:
    cashier = hall(starts_at=START if why != "not_open" else START - 150 * MINUTE)
    if why == "not_open":
        cashier.wake(START - 150 * MINUTE, TARGET)
        assert cashier.state("tournament", TARGET).phase == "cancelled", "it had its start, with nobody there"
    rules = {"payouts": [], "tickets": {"tournament": TARGET, "value": VALUE}, "starts_at": START - MINUTE}
    cashier.announce("sat", **{**rules, **other})
    cashier.settle()
    cashier.wake(cashier.now + 30_000, "sat")
    [failed] = [fact for fact in cashier.told if isinstance(fact, told.ApprovalFailed)]
    assert failed.reason == why
    assert cashier.state("tournament", "sat").phase == "proposed"
    assert cashier.register("ann", "sat") == "unknown_tournament"
    with pytest.raises(msgspec.ValidationError):
        definition(prizes=["a car"])


@pytest.mark.rule(REGULATION, "FP-17/1")
@pytest.mark.parametrize("paid", ["as_determined", "at_end"])
def test_a_satellite_awards_tickets_and_its_accounts_end_at_zero(case: Case, paid: str) -> None:
    value, fee = case["target"][0], case["target"][2]
    cashier = hall(value=value, fee=fee)
    entry, prize, its_fee = case["entry"]
    assert entry == prize + its_fee
    satellite(cashier, entries=case["entries"], prize=prize, prizes_paid=paid)
    played(cashier)
    [fixed] = [fact for fact in cashier.told if isinstance(fact, PrizesFixed)]
    assert fixed.tickets * value == case["tickets"]
    assert fixed.prizes[case["place"] - 1 :] == [case["money"]]
    balances = booked(cashier)
    assert of_tournaments(balances) == {TICKET_ACCOUNT: case["tickets"]}
    assert cashier.state("tournament", "sat").held.total == case["left"]
    assert balances["commission/sat/pt-811-2015-omaha"] == case["fees"]
    assert cashier.available(f"s{case['place']}") == case["money"]
    assert not in_transit(balances)
    assert sorted(held(cashier).values()) == [f"s{number}" for number in range(1, fixed.tickets + 1)]
    audited(cashier)


@pytest.mark.rule(REGULATION, "FP-17/2")
def test_a_ticket_pays_for_the_registration(case: Case) -> None:
    cashier = won("ann")
    assert not cashier.register("ann", TARGET, ticket="sat.1")
    held_now = cashier.state("tournament", TARGET).held
    assert (held_now.prize, held_now.fee, held_now.ticket) == (case["prize"], case["fee"], VALUE - case["ticket"])
    [registered] = [fact for fact in cashier.told if isinstance(fact, PlayerRegistered)]
    assert (registered.with_ticket, registered.amount) == ("sat.1", case["ticket"])
    assert {message.type for _, message in cashier.waiting} <= {"NoteTerms"}, "the wallet is asked for nothing"
    assert of_tournaments(booked(cashier)) == {
        f"tournament-prize/{TARGET}": case["prize"], f"tournament-fee/{TARGET}": case["fee"],
    }  # fmt: skip


@pytest.mark.rule(REGULATION, "FP-17/3")
def test_who_never_used_a_ticket_is_registered_at_the_start(case: Case) -> None:
    cashier = won("ann", cashier=won("bob"))
    cashier.wake(START, TARGET)
    state = cashier.state("tournament", TARGET)
    assert state.phase == "running"
    assert {entry.player: entry.with_ticket for entry in state.alive} == {"bob": "sat.1", "ann": "sat.2"}
    assert len(state.play.places) == 2, "seated like everybody; who is not connected is away"
    assert held(cashier) == {}


@pytest.mark.rule(REGULATION, "FP-17/4")
def test_a_ticket_is_for_its_target_only(case: Case) -> None:
    cashier = won("ann")
    cashier.announce("other")
    wish = asked.RegisterPlayer(entry="e1", ticket="sat.1")
    assert cashier.answer("other", player("ann"), wish) == ("unknown_ticket", f"{REGULATION}#FP-17")


@pytest.mark.rule(REGULATION, "25/2")
def test_a_ticket_is_given_back_unused(case: Case) -> None:
    cashier = won("ann")
    cashier.register("ann", TARGET, ticket="sat.1")
    assert not cashier.ask(TARGET, player("ann"), asked.UnregisterPlayer())
    assert held(cashier) == {"sat.1": "ann"}
    now = cashier.state("tournament", TARGET).held
    assert (now.prize, now.fee, now.ticket) == (0, 0, VALUE)
    assert {message.type for _, message in cashier.waiting} <= {"NoteTerms"}, "the wallet is not touched"
    assert not cashier.register("ann", TARGET, "entry-2", ticket="sat.1")


@pytest.mark.rule(REGULATION, "28/1")
def test_a_ticket_is_neither_cash_nor_given_away(case: Case) -> None:
    cashier = won("ann")
    assert converts(cashier, "ann", "sat.1") == ("not_convertible", f"{REGULATION}#28")
    assert cashier.state("tournament", TARGET).held.ticket == case["value"]
    for wish in (asked.RegisterPlayer(entry="e1", ticket="sat.1"), tickets.ConvertTicket(ticket="sat.1")):
        assert cashier.answer(TARGET, player("bob"), wish) == ("not_transferable", f"{REGULATION}#28")
    assert held(cashier) == {"sat.1": "ann"}


@pytest.mark.rule(REGULATION, "29/1")
def test_the_second_ticket_becomes_money(case: Case) -> None:
    cashier = won("ann", 2)
    assert converts(cashier, "ann", "sat.2") == ("", "")
    cashier.settle()
    assert cashier.available("ann") == 1 + case["credited"]
    assert held(cashier) == {"sat.1": "ann"}
    assert converts(cashier, "ann", "sat.2") == ("ticket_spent", f"{REGULATION}#FP-17")


@pytest.mark.rule(REGULATION, "29/2")
def test_who_bought_has_not_won(case: Case) -> None:
    cashier = hall()
    cashier.deposit("ann", VALUE)
    cashier.register("ann", TARGET)
    won("ann", cashier=won("bob", cashier=cashier.settle()))
    refused = ("not_convertible", f"{REGULATION}#28")
    assert converts(cashier, "ann", "sat.2") == refused, "nor has she because another one has"
    assert not cashier.ask(TARGET, player("ann"), asked.UnregisterPlayer())
    assert not cashier.register("ann", TARGET, "entry-2", ticket="sat.2")
    cashier.settle()
    assert cashier.available("ann") == VALUE + 1


@pytest.mark.rule(REGULATION, "29/3")
def test_the_first_ticket_stays_one(case: Case) -> None:
    cashier = won("ann", 2)
    assert converts(cashier, "ann", "sat.1") == ("not_convertible", f"{REGULATION}#28")


@pytest.mark.rule(REGULATION, "29")
def test_from_the_start_on_no_ticket_becomes_money() -> None:
    levels = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
    late = hall(levels=levels, late_entry={"level": 1})
    cashier = won("cid", cashier=won("bob", cashier=won("ann", 2, cashier=late)))
    cashier.register("ann", TARGET, ticket="sat.2")
    assert not cashier.ask(TARGET, player("ann"), asked.UnregisterPlayer())
    cashier.register("ann", TARGET, "entry-2", ticket="sat.1")
    assert not cashier.ask(TARGET, player("ann"), asked.UnregisterPlayer())
    cashier.wake(START, TARGET)
    assert held(cashier) == {"sat.1": "ann", "sat.2": "ann"}, "they wait for a late entry"
    assert converts(cashier, "ann", "sat.2") == ("not_convertible", f"{REGULATION}#29")


@pytest.mark.rule(REGULATION, "29")
def test_whether_the_first_ticket_is_used_does_not_matter() -> None:
    cashier = won("ann", 2)
    cashier.register("ann", TARGET, ticket="sat.1")
    assert converts(cashier, "ann", "sat.2") == ("", "")


@each_case(REGULATION, "30/1", "30/2")
def test_a_freeroll_ticket_never_becomes_money(case: Case) -> None:
    first, second = case["won"]
    cashier = won("ann", origin=second, cashier=won("ann", origin=first))
    expected = ("", "") if second == "satellite" else ("not_convertible", f"{REGULATION}#30")
    assert converts(cashier, "ann", "sat.2") == expected
    freeroll = "sat.1" if first == "freeroll" else "sat.2"
    assert converts(cashier, "ann", freeroll)[0] == "not_convertible"


@pytest.mark.rule(REGULATION, "36.a/1")
@pytest.mark.rule(REGULATION, "37/2")
def test_cancelled_before_the_start_a_ticket_is_worth_a_registration(case: Case) -> None:
    buy_in, (prize, fee) = case["buy_in"], case["of_it"]
    assert prize + fee == buy_in
    cashier = won("ann", 2, cashier=hall(value=buy_in, fee=fee))
    cashier.register("ann", TARGET, ticket="sat.1")
    for number in range(1, case["players"]):
        cashier.deposit(f"p{number}", buy_in)
        cashier.register(f"p{number}", TARGET)
    cashier.deposit("ann", 1)
    cashier.settle()
    cashier.ask(TARGET, FLOOR, FAULT)
    assert not cashier.ask(TARGET, SUPERVISOR, asked.ConfirmCancellation(sheet=1))
    cashier.settle()
    assert [cashier.available(f"p{number}") for number in range(1, case["players"])] == [buy_in] * (case["players"] - 1)
    unused = case["value"]
    assert cashier.available("ann") == 1 + buy_in + unused
    assert sum(map(cashier.available, ["ann", *(f"p{n}" for n in range(1, case["players"]))])) == (
        1 + case["credited"] + unused
    )
    assert cashier.state("tournament", TARGET).held.total == 0


@pytest.mark.rule(REGULATION, "37/1")
def test_cancelled_while_it_runs_a_ticket_counts_as_paid(case: Case) -> None:
    value = case["buy_in"]
    cashier = won("ann", cashier=hall(value=value, fee=150))
    cashier.register("ann", TARGET, ticket="sat.1")
    for name in ("bob", "cid"):
        cashier.deposit(name, value)
        cashier.register(name, TARGET)
    cashier.settle()
    cashier.wake(START, TARGET)
    cashier.hand(TARGET, stacks={"ann": 10_000, "bob": 10_000})
    cashier.ask(TARGET, FLOOR, FAULT)
    sheet = cashier.state("tournament", TARGET).sheet
    assert sheet.rule == "36.b"
    assert {each.player: each.amount for each in sheet.credits} == dict.fromkeys(("ann", "bob", "cid"), value)


def test_at_the_start_spare_tickets_become_money_or_lapse_into_the_prizes() -> None:
    cashier = won("ann", 2)
    cashier = won("bob", 1, "freeroll", won("bob", 1, "satellite", cashier))
    cashier.deposit("ann", 1)
    cashier.deposit("cid", VALUE)
    cashier.register("cid", TARGET)
    won("cid", cashier=cashier.settle())
    cashier.wake(START, TARGET)
    assert held(cashier) == {}
    lapsed = {fact.ticket: (fact.player, fact.to) for fact in cashier.told if isinstance(fact, told.TicketLapsed)}
    assert lapsed == {"sat.4": ("bob", "house"), "sat.5": ("cid", "prize")}
    assert cashier.settle().available("ann") == 1 + VALUE
    [fixed] = [fact for fact in cashier.told if isinstance(fact, PrizesFixed)]
    assert fixed.pool == 3 * (VALUE - 200) + VALUE


def test_a_restored_ticket_waits_for_late_entry_and_lapses_when_entries_close() -> None:
    levels = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
    cashier = won("ann", cashier=won("bob", cashier=won("cid", cashier=won("dan", cashier=hall(
        levels=levels, late_entry={"level": 1},
    )))))  # fmt: skip
    for name, ticket in (("ann", "sat.4"), ("dan", "sat.1")):
        cashier.register(name, TARGET, ticket=ticket)
        assert not cashier.ask(TARGET, player(name), asked.UnregisterPlayer())
    cashier.wake(START, TARGET)
    assert held(cashier) == {"sat.1": "dan", "sat.4": "ann"}
    cashier.now = START + MINUTE
    assert not cashier.register("dan", TARGET, "entry-2", ticket="sat.1")
    cashier.wake(START + 10 * MINUTE, TARGET)
    assert held(cashier) == {}
    [lapsed] = [fact for fact in cashier.told if isinstance(fact, told.TicketLapsed)]
    assert (lapsed.ticket, lapsed.to) == ("sat.4", "prize")


@pytest.mark.rule("pt-810-2015", "FP-16")
def test_no_ticket_brings_back_who_is_excluded() -> None:
    levels = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
    cashier = won("ann", cashier=won("bob", cashier=won("cid", cashier=hall(levels=levels, late_entry={"level": 1}))))
    cashier.deposit("ann", 1)
    exclusion = asked.ExcludePlayer(player="ann", reason="self-exclusion")
    assert not cashier.ask(TARGET, SUPERVISOR, exclusion)
    assert cashier.settle().available("ann") == 1 + VALUE
    won("ann", cashier=cashier)
    cashier.wake(START, TARGET)
    won("ann", cashier=cashier).settle()
    assert cashier.state("tournament", TARGET).entry_of("ann") is None
    assert held(cashier) == {}
    assert cashier.available("ann") == 1 + 3 * VALUE


def test_owners_of_tickets_have_their_places() -> None:
    cashier = won("ann", cashier=won("bob", cashier=hall(max_players=3)))
    cashier.deposit("cid", VALUE)
    cashier.deposit("dan", VALUE)
    assert not cashier.register("cid", TARGET)
    cashier.settle()
    assert cashier.register("dan", TARGET) == "tournament_full"
    assert not cashier.register("ann", TARGET, ticket="sat.2")
    cashier.wake(START, TARGET)
    assert sorted(entry.player for entry in cashier.state("tournament", TARGET).alive) == ["ann", "bob", "cid"]


def test_a_ticket_that_is_won_when_all_places_are_taken_takes_none() -> None:
    """FP-20: it stays the owner's, and is paid out at the start (37)."""
    cashier = hall(max_players=2)
    cashier.deposit("ann", 0)
    for name in ("cid", "dan"):
        cashier.deposit(name, VALUE)
        assert not cashier.register(name, TARGET)
        cashier.settle()
    won("ann", cashier=cashier)
    assert cashier.register("ann", TARGET, ticket="sat.1") == "tournament_full"
    cashier.wake(START, TARGET)
    cashier.settle()
    assert sorted(entry.player for entry in cashier.state("tournament", TARGET).alive) == ["cid", "dan"]
    assert cashier.available("ann") == VALUE


def test_a_ticket_won_late_is_no_re_entry() -> None:
    levels = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
    cashier = won("ann", cashier=won("bob", cashier=won("cid", cashier=hall(levels=levels, late_entry={"level": 1}))))
    cashier.wake(START, TARGET)
    cashier.settle().hand(TARGET, "ann")
    cashier.settle().deposit("ann", 1)
    assert cashier.state("tournament", TARGET).entry_of("ann") is None
    won("ann", cashier=cashier).settle()
    assert cashier.state("tournament", TARGET).entry_of("ann") is None
    assert cashier.available("ann") == 1 + VALUE


@pytest.mark.parametrize("running", [True, False])
def test_won_after_the_start_it_is_an_entry_or_its_value(running: bool) -> None:
    levels = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}] * 2
    cashier = won("bob", cashier=won("cid", cashier=hall(levels=levels, late_entry={"level": 1})))
    cashier.wake(START, TARGET)
    cashier.deposit("ann", 1)
    cashier.now = START + (5 if running else 15) * MINUTE
    won("ann", cashier=cashier).settle()
    assert held(cashier) == {}
    entered = cashier.state("tournament", TARGET).entry_of("ann")
    assert (entered is not None, cashier.available("ann")) == ((True, 1) if running else (False, 1 + VALUE))


@pytest.mark.rule(REGULATION, "30")
@pytest.mark.parametrize("origin", ["freeroll", "satellite"])
def test_won_after_all_have_entered_a_ticket_of_a_freeroll_lapses(origin: str) -> None:
    """Found by an attacker: paused until its target had begun, a freeroll paid money."""
    cashier = won("bob", cashier=won("cid"))
    cashier.deposit("ann", 1)
    cashier.wake(START, TARGET)
    won("ann", 1, origin, cashier)
    assert cashier.settle().available("ann") == 1 + (VALUE if origin == "satellite" else 0)
    assert cashier.state("tournament", TARGET).tickets["sat.3"].status == (
        "cashed" if origin == "satellite" else "lapsed"
    )
    assert cashier.state("tournament", TARGET).held.ticket == 0


def test_an_entry_named_like_a_ticket_is_in_nobodys_way() -> None:
    cashier = won("ann")
    for name in ("bob", "cid"):
        cashier.deposit(name, VALUE)
    cashier.register("bob", TARGET, "sat.1")
    cashier.register("cid", TARGET)
    cashier.settle()
    cashier.wake(START, TARGET)
    assert {entry.player for entry in cashier.state("tournament", TARGET).alive} == {"ann", "bob", "cid"}
    booked(cashier)


@pytest.mark.rule(REGULATION, "FP-5/1")
def test_a_freeroll_awards_tickets_that_the_house_pays(case: Case) -> None:
    count, cashier = case["tickets"], hall()
    satellite(cashier, prize=0, ticket_count=count, min_players=count)
    played(cashier)
    balances = booked(cashier)
    assert of_tournaments(balances) == {TICKET_ACCOUNT: count * VALUE}
    assert balances["treasury/EUR"] == -count * VALUE
    assert not [fact for fact in cashier.told if isinstance(fact, TournamentPaid)], "no debit for any entry"
    assert {each.origin for each in cashier.state("tournament", TARGET).unused_tickets} == {"freeroll"}
    audited(cashier)


def test_a_satellite_may_end_once_only_tickets_are_left() -> None:
    cashier = hall()
    satellite(cashier, satellite_end="tickets_decided")
    played(cashier, "sat", *(f"s{number}" for number in range(10, 4, -1)))
    [completed] = [fact for fact in cashier.told if isinstance(fact, TournamentCompleted)]
    assert [(each.player, each.prize) for each in completed.results if each.prize] == [("s5", 1_200)]
    assert sorted(held(cashier).values()) == ["s1", "s2", "s3", "s4"]
    assert len(cashier.state("tournament", "sat").play.stacks) == 4, "nobody lost the last chip for a ticket"


@pytest.mark.parametrize("paid", ["as_determined", "at_end"])
def test_a_ticket_that_was_decided_stays_when_the_satellite_is_cancelled(paid: str) -> None:
    cashier = hall()
    satellite(cashier, prizes_paid=paid)
    for number in range(10, 3, -1):
        cashier.hand("sat", f"s{number}")
    assert len(held(cashier)) == (1 if paid == "as_determined" else 0)
    before = {f"s{number}": cashier.available(f"s{number}") for number in range(1, 11)}
    cashier.ask("sat", FLOOR, FAULT)
    assert not cashier.ask("sat", SUPERVISOR, asked.ConfirmCancellation(sheet=1))
    balances = booked(cashier.settle())
    assert list(held(cashier).values()) == ["s4"]
    assert of_tournaments(balances) == {TICKET_ACCOUNT: VALUE}
    back = {name: cashier.available(name) - amount for name, amount in before.items()}
    decided = VALUE + 1_200
    still_in = sum(back[f"s{number}"] for number in (1, 2, 3))
    assert still_in == 3 * 1_100 + 7 * 1_000 - decided
    assert (back["s4"], back["s5"] + before["s5"]) == (0, 1_200)
    audited(cashier)


@pytest.mark.stack
@pytest.mark.parametrize("first", ["wallet", "tournament"])
async def test_the_real_books_have_tickets_on_an_account_of_their_own(books_pool: Pool, first: str) -> None:
    cashier = hall()
    satellite(cashier)
    played(cashier)
    [ticket] = [ticket for ticket, owner in held(cashier).items() if owner == "s1"]
    assert not cashier.register("s1", TARGET, ticket=ticket)
    records = sorted(cashier.records, key=lambda record: first not in record[0])
    await project(books_pool, BOOKS, books(), MemorySource(records))
    async with books_pool.acquire() as connection:
        groups = {each.group: each.balance for each in (await trial_balance(connection)).groups}
        disagreements = await connection.fetchval("select count(*) from disagreements")
    assert groups["tournament-ticket"] == 3 * VALUE
    assert (groups["tournament-prize"], groups["tournament-fee"], groups["in-transit"]) == (2_000, 200, 0)
    assert disagreements == 0
