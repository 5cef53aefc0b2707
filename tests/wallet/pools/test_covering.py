"""The wallet pays for a tournament no more than its players and the house have brought, and to nobody what is
another's: whatever the tournament says (pt-810-2015 25, 36, 54, FP-6, FP-16)."""

from typing import Any

import pytest
from hypothesis import given as over
from hypothesis import strategies as st
from msgspec.structs import replace

from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.pool_commands import (
    ClaimCredit,
    NoteCancellation,
    NoteCredit,
    NotePayment,
    NoteTerms,
    NoteTicket,
    ReviewPool,
    pool_of,
)
from libs.contracts.pool_events import Claim, CreditCovered, CreditHeld, terms_of
from libs.contracts.registry import encode_fact
from libs.contracts.topics import MAX_SNAPSHOT_BYTES
from libs.contracts.tournaments_events import Credit, CreditsDue
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import OpenAccount
from libs.decider import Given, Rejected
from libs.journal.machine import COMMIT_BYTES
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.domain.decide import WalletDecider
from services.wallet.domain.pool import decide as pool_decide
from services.wallet.domain.pool.bounds import lacks, total_in
from services.wallet.domain.pool.state import Pool
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import decode_command
from services.wallet.policies.reactions import TO_TOURNAMENTS
from tests.tournament.course import START, definition

POLICY = Principal("policy", "wallet.when_credits_due")
DECIDER = WalletDecider()
KNOCK_OUT = {"amount": 3_200, "prize": 2_000, "fee": 200, "bounty": 1_000}
PAYOUTS = [{"entries": 2, "shares": [10_000]}, {"entries": 5, "shares": [5_000, 3_000, 2_000]}]
OF: dict[str, Any] = {"tournament": "t-1"}


class Told:
    def __init__(self, players: int = 0, **rules: Any) -> None:
        self.pool: Pool = DECIDER.initial(pool_of("t-1"))  # type: ignore[assignment]
        self.events: list[Any] = []
        self.now = START - 60_000
        chosen = {"buy_in": KNOCK_OUT, "payouts": PAYOUTS, **rules}
        self.terms = NoteTerms(**OF, terms=terms_of(definition(**chosen)))
        if players:
            self.ask(self.terms)
        for number in range(1, players + 1):
            self.pay(f"entry-{number}", f"p{number}")

    def pay(self, payment: str, player: str, amount: int = 3_200, currency: str = "EUR") -> list[Any]:
        return self.ask(NotePayment(**OF, payment=payment, player=player, currency=currency, amount=amount))

    def ask(self, command: Any, by: Principal = POLICY) -> Any:
        """Events; the reason of a refusal."""
        decided = DECIDER.decide(self.pool, command, Given(self.now, None, by))
        if isinstance(decided, Rejected):
            return decided.reason
        assert told_otherwise("wallet", command, by, map(encode_fact, decided.events)) is None, "as the auditor has it"
        for event in decided.events:
            self.pool = DECIDER.evolve(self.pool, event)  # type: ignore[assignment]
        assert not decided.states or decided.states[-1] == self.pool
        assert decode_state(encode_state(self.pool)) == self.pool
        self.events += decided.events
        return list(decided.events)

    def claim(self, name: str, entry: str, player: str, **parts: Any) -> str:
        """What it lacks; empty: covered."""
        claim = Claim(**{"why": "prize", "currency": "EUR", **parts}, name=name, entry=entry, player=player)
        [event, *_] = self.ask(ClaimCredit(**OF, claim=claim))
        return str(event.lacks) if isinstance(event, CreditHeld) else ""


def test_the_whole_pool_is_not_paid_before_anything_is_played() -> None:
    """Found by an attacker with the tournament's login and marks: it was paid out at once."""
    told = Told(10)
    forged = CreditsDue(
        **OF, currency="EUR", why="bounty", credits=[Credit("entry-1.bounty", "entry-1", "p1", prize=20_000)]
    )
    name, data = encode_fact(forged)
    event = PublicEvent(stream="t-1", version=9, type=name, time=told.now, causation="c", data=data)
    [message] = TO_TOURNAMENTS[CreditsDue](event, forged)
    assert (message.stream, message.principal) == ("pool-t-1", POLICY)
    [held] = told.ask(decode_command(message))
    assert isinstance(held, CreditHeld)
    assert held.lacks == "name"
    assert told.pool.out.total == 0


@pytest.mark.parametrize(
    ("credit", "parts", "lacks"),
    [
        ("entry-1.bounty", {"bounty": 10_000}, "name"),
        ("entry-1.prize", {"prize": 20_000}, "too_early"),
        ("entry-1.prize", {"bounty": 10_000}, "funds"),
        ("entry-1.bounty.1", {"bounty": 10_000}, "too_early"),
        ("entry-1.bounty.1", {"prize": 10_000}, "funds"),
        ("entry-1.share", {"prize": 20_000}, "not_cancelled"),
        ("entry-1.refund", {"prize": 20_000, "why": "refund"}, "not_paid"),
        ("entry-2.refund", {"prize": 2_000, "why": "refund"}, "name"),
        ("entry-1.refund.to.entry-1", {"prize": 20_000, "why": "refund"}, "not_cancelled"),
        ("t-0.1.cash", {"ticket": 3_200, "why": "conversion"}, "name"),
        ("entry-1.cash", {"ticket": 3_200, "why": "conversion"}, "funds"),
        ("entry-1", {"whole": 32_000, "why": "return"}, "not_paid"),
        ("entry-2", {"whole": 3_200, "why": "return"}, "not_paid"),
        ("t-1.1", {"prize": 20_000, "why": "ticket", "target": "t-2"}, "name"),
        ("entry-1.prize", {"prize": 1, "currency": "USD"}, "currency"),
    ],
)
def test_before_the_start_nobody_gets_more_than_was_paid(credit: str, parts: dict[str, Any], lacks: str) -> None:
    told = Told(10)
    assert told.claim(credit, "entry-1", "p1", **parts) == lacks
    assert told.pool.out.total == 0


def test_what_one_player_has_paid_comes_back_once() -> None:
    told = Told(10)
    whole = {"prize": 2_000, "fee": 200, "bounty": 1_000, "why": "refund"}
    assert told.claim("entry-1.refund", "entry-1", "p1", **whole) == ""
    before = told.pool
    claim = Claim("entry-1.refund", "entry-1", "p1", "refund", "EUR", 2_000, 200, 1_000)
    assert told.ask(ClaimCredit(**OF, claim=claim)) == [], "the same again"
    assert told.ask(ClaimCredit(**OF, claim=replace(claim, prize=1))) == Reason.REFERENCE_CONFLICT
    assert told.pool == before
    assert told.claim("entry-1", "entry-1", "p1", whole=3_200, why="return") == "funds", "not as a return, too"


def test_the_prizes_lie_within_the_payout_table() -> None:
    """Half of it is the most that one of ten can win; who claims the rest as well has to have another entry."""
    told = Told(10)
    told.now = START
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=20_000) == "share"
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=10_000) == "", "what is held may be said otherwise"
    assert told.claim("entry-2.prize", "entry-2", "p2", prize=6_004) == "share"
    assert told.claim("entry-2.prize", "entry-2", "p2", prize=5_000) == "", "tied with the third"
    assert told.claim("entry-3.prize", "entry-3", "p3", prize=5_000) == ""
    assert told.claim("entry-4.prize", "entry-4", "p4", prize=1) == "funds"
    assert told.claim("entry-1.bounty.own", "entry-1", "p1", bounty=10_000, why="bounty") == ""
    assert told.claim("entry-2.bounty.1", "entry-2", "p2", bounty=1, why="bounty") == "funds"


def test_a_credit_that_comes_before_its_payments_is_covered_by_them() -> None:
    """Streams are read apart: what is held goes on with what it lacked."""
    told = Told()
    told.now = START
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=4_000) == "terms"
    assert [type(each) for each in told.ask(told.terms)] == [type(told.events[1])], "the rules alone pay nothing"
    told.pay("entry-1", "p1")
    [_, covered] = told.pay("entry-2", "p2")
    assert isinstance(covered, CreditCovered)
    assert (covered.player, covered.claim.amount, covered.account) == ("p1", 4_000, "pool-t-1")
    assert told.pool.held == {}


def test_many_that_were_held_go_one_commit_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_decide, "MOST_RELEASED", 2)
    told = Told()
    for number in range(1, 6):
        told.pay(f"entry-{number}", f"p{number}")
        told.claim(f"entry-{number}.refund", f"entry-{number}", f"p{number}", prize=2_000, fee=200, why="refund")
    assert len(told.pool.held) == 5
    assert [each.more for each in told.ask(told.terms)[1:]] == [False, True]
    assert [each.more for each in told.ask(ReviewPool(**OF))] == [False, True]
    assert [each.more for each in told.ask(ReviewPool(**OF))] == [False]
    assert told.ask(ReviewPool(**OF)) == []
    assert told.pool.held == {}


def test_the_house_adds_what_it_has_promised_and_no_more() -> None:
    told = Told(2, guarantee=50_000)
    told.now = START
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=50_001) == "funds"
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=50_000) == ""
    assert told.claim("entry-2.prize", "entry-2", "p2", prize=1) == "funds"


def test_the_first_rules_count() -> None:
    told = Told(2)
    other = NoteTerms(**OF, terms=terms_of(definition(guarantee=10**9, buy_in=KNOCK_OUT)))
    assert told.ask(other) == []
    assert told.pool.terms == told.terms.terms


def test_money_of_another_currency_is_none_of_it() -> None:
    told = Told(2)
    assert told.pay("entry-3", "p3", currency="FUN") == []


def test_shares_are_paid_once_two_people_have_cancelled_it() -> None:
    told = Told(3)
    assert told.claim("entry-1.share", "entry-1", "p1", prize=1_000, why="refund") == "not_cancelled"
    _, covered = told.ask(NoteCancellation(**OF))
    assert covered.claim.name == "entry-1.share"
    assert told.ask(NoteCancellation(**OF)) == []
    assert told.claim("entry-1.refund.to.entry-2", "entry-2", "p2", prize=2_000, fee=200, why="refund") == ""
    assert told.claim("entry-1.refund.to.entry-3", "entry-3", "p3", prize=1_001, why="refund") == "not_paid"


TICKET: dict[str, Any] = {"prize": 9_000, "why": "ticket", "target": "t-2"}


def satellite_of_ten() -> Told:
    """It has begun, and two tickets are in it."""
    told = Told(10, payouts=[], buy_in={"amount": 2_000, "prize": 2_000}, tickets={"tournament": "t-2", "value": 9_000})
    told.pool, told.now = replace(told.pool, prices={2_000: 10}), START
    return told


def test_a_ticket_leaves_one_pool_and_comes_into_another() -> None:
    satellite, of = satellite_of_ten(), TICKET
    assert satellite.claim("t-1.1", "entry-1", "p1", **{**of, "target": "t-3"}) == "name"
    assert [satellite.claim(f"t-1.{n}", f"entry-{n}", f"p{n}", **of) for n in (1, 2, 3)] == ["", "", "funds"]
    target = Told(1)
    target.ask(NoteTicket(**OF, ticket="t-0.1", player="eve", currency="EUR", amount=3_200, satellite="t-0"))
    assert target.claim("t-0.1.cash", "t-0.1", "ann", ticket=3_200, why="conversion") == "not_paid"
    assert target.claim("t-0.1.cash", "t-0.1", "eve", ticket=3_200, why="conversion") == ""


def test_what_was_paid_before_there_were_pools_counts() -> None:
    told = Told(6)
    old = NoteCredit(**OF, credit="entry-6.refund", player="p6", currency="EUR", amount=3_200)
    assert len(told.ask(old)) == 1
    assert told.ask(old) == []
    assert (told.pool.entries, told.pool.out.total) == (5, 3_200)
    told.now = START
    claim = Claim("entry-6.refund", "entry-6", "p6", "refund", "EUR", 2_000, 200, 1_000)
    assert told.ask(ClaimCredit(**OF, claim=claim)) == [], "it is not paid again"
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=5_004) == "share"
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=5_000) == ""


def test_a_pool_is_the_policies_alone_and_of_one_tournament() -> None:
    told = Told(1)
    assert told.ask(NoteCancellation(**OF), Principal("operator", "acme")) == Reason.NOT_ALLOWED
    assert told.ask(NoteCancellation(tournament="t-2")) == Reason.WRONG_ACCOUNT
    assert told.ask(OpenAccount(player="ann", currency="EUR"), Principal("staff", "bo")) == Reason.WRONG_ACCOUNT
    account = DECIDER.decide(DECIDER.initial("account-ann-EUR"), NoteCancellation(**OF), Given(0, None, POLICY))
    assert isinstance(account, Rejected)
    assert account.reason == Reason.WRONG_ACCOUNT


@pytest.mark.parametrize(
    ("name", "entry", "player", "why"),
    [
        ("nobody.prize", "nobody", "eve", "a prize without an entry"),
        ("nobody.bounty.1", "nobody", "eve", "a bounty without an entry"),
        ("entry-2.prize", "entry-2", "eve", "another one's place"),
        ("payment-1.prize", "payment-1", "p1", "a rebuy is no second place"),
        ("entry-3.prize", "entry-3", "p3", "an entry that was taken back"),
        ("entry-4.prize", "entry-4", "p4", "one whose payment came too late and went back"),
        ("nobody.prize.to.entry-1", "entry-1", "p1", "what nobody was refused"),
        ("entry-1.prize.to.nobody", "nobody", "eve", "to an heir who is not there"),
    ],
)
def test_who_has_not_entered_wins_nothing(name: str, entry: str, player: str, why: str) -> None:
    """Found by an attacker: one player without any entry took all places and all bounties."""
    told = Told(10)
    told.pay("payment-1", "p1")
    assert told.claim("entry-3.refund", "entry-3", "p3", prize=2_000, fee=200, bounty=1_000, why="refund") == ""
    assert told.claim("entry-4", "entry-4", "p4", whole=3_200, why="return") == ""
    told.now = START
    part = {"bounty": 500} if ".bounty." in name else {"prize": 500}
    assert told.claim(name, entry, player, **part) == "not_paid", why
    assert told.claim("entry-1.prize", "entry-1", "p1", prize=500) == ""


def test_a_ticket_pays_one_entry_whatever_it_is_called() -> None:
    told = Told(8)
    for number in (1, 2):
        ticket: dict[str, Any] = {
            "ticket": f"s-1.{number}",
            "player": "eve",
            "currency": "EUR",
            "amount": 3_200,
            "satellite": "s-1",
        }
        told.ask(NoteTicket(**OF, **ticket))
    assert told.claim("s-1.2.cash", "s-1.2", "eve", ticket=3_200, why="conversion") == ""
    told.now = START
    assert told.claim("entry-9.bounty.1", "entry-9", "ann", bounty=500) == "not_paid"
    assert told.claim("entry-9.bounty.1", "entry-9", "eve", bounty=500) == ""
    assert told.claim("entry-10.bounty.1", "entry-10", "eve", bounty=500) == "not_paid", "that would be a second one"
    assert told.claim("s-1.1.bounty.1", "s-1.1", "eve", bounty=500) == "not_paid", "nor is it called as its ticket, too"
    assert told.claim("entry-9.prize", "entry-9", "eve", prize=500) == ""
    assert told.claim("entry-8.prize.to.entry-9", "entry-9", "eve", prize=500) == ""


def test_made_up_entries_take_none_of_the_true_ones_back() -> None:
    """Found by an attacker: eleven refunds of one cent each, and every honest prize was held for ever."""
    told = Told(10)
    for number in range(11):
        assert told.claim(f"entry-x{number}.refund", f"entry-x{number}", "p1", prize=1, why="refund") == "not_paid"
    assert told.pool.entries == 10
    told.now = START
    assert told.claim("entry-2.prize", "entry-2", "p2", prize=10_000) == ""


def test_an_id_may_read_as_what_stands_between_names() -> None:
    """A satellite `road.to.vegas` is lawful, and whoever enters with its ticket has that as an entry."""
    told, ticket = Told(9), "road.to.vegas.7"
    told.ask(NoteTicket(**OF, ticket=ticket, player="eve", currency="EUR", amount=3_200, satellite="road.to.vegas"))
    told.now = START
    assert told.claim(f"entry-1.prize.to.{ticket}", ticket, "eve", prize=500) == ""
    assert told.claim(f"{ticket}.prize.to.entry-2", "entry-2", "p2", prize=500) == ""
    assert told.claim(f"{ticket}.prize", ticket, "eve", prize=500) == ""


def test_a_satellite_names_no_ticket_of_another_one() -> None:
    """Found by an attacker: noted first, it kept the true one out."""
    satellite, of = satellite_of_ten(), TICKET
    assert satellite.claim("s-9.1", "entry-1", "p1", **of) == "name"
    assert satellite.claim("t-1.", "entry-1", "p1", **of) == "name"
    assert satellite.claim("t-1.1", "entry-1", "p1", **of) == ""


def test_the_longest_names_fit_into_snapshot_and_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(1)
    long = "\U0001f0a1"
    for number in range(pool_decide.MOST_HELD):
        entry = f"{number:05}{long * 122}"
        claim = Claim(f"{entry}.", entry, long * 64, "prize", "EUR", prize=1, target=long * 64)
        told.pool = replace(told.pool, held={**told.pool.held, claim.name: claim})
    assert len(encode_state(told.pool)) < MAX_SNAPSHOT_BYTES
    monkeypatch.setattr(pool_decide, "lacks", lambda *_: None)
    monkeypatch.setattr(pool_decide, "evolve", lambda state, _: state)
    decided = DECIDER.decide(told.pool, ReviewPool(**OF), Given(0, None, POLICY))
    assert not isinstance(decided, Rejected)
    assert len(decided.events) == pool_decide.MOST_RELEASED
    assert sum(len(encode_fact(each)[1]) for each in decided.events) < COMMIT_BYTES * 0.8


def test_however_much_is_held_one_payment_judges_some_of_it_and_in_the_end_all_is_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """10,000 forged prizes took 1.2 s of the wallet's time at each payment to that tournament."""
    judged: list[str] = []

    def counted(pool: Pool, claim: Claim, now: int) -> Any:
        judged.append(claim.name)
        return lacks(pool, claim, now)

    monkeypatch.setattr(pool_decide, "lacks", counted)
    monkeypatch.setattr(pool_decide, "MOST_LOOKED_AT", 10)
    told = Told(1)
    for number in range(2, 62):
        parts = {"prize": 2_000, "fee": 200, "bounty": 1_000, "why": "refund"}
        assert told.claim(f"entry-{number}.refund", f"entry-{number}", f"p{number}", **parts)
    for number in range(2, 62):
        judged.clear()
        told.pay(f"entry-{number}", f"p{number}")
        assert f"entry-{number}.refund" in judged, "who has paid comes first"
        assert len(judged) <= 20
    assert not told.pool.held
    assert told.pool.out.total == 60 * 3_200


def test_who_waits_for_the_start_is_paid_by_and_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_decide, "MOST_LOOKED_AT", 3)
    told = Told(40)
    for number in range(1, 31):
        assert told.claim(f"entry-{number}.bounty.1", f"entry-{number}", f"p{number}", bounty=500) == "too_early"
    told.now = START
    [*_, last] = told.pay("entry-41", "p41")
    while isinstance(last, CreditCovered) and last.more:
        [*_, last] = told.ask(ReviewPool(**OF)) or [None]
    assert not told.pool.held


ENTRIES = st.integers(1, 6)
CLAIMS = st.tuples(
    st.sampled_from(
        ["refund", "share", "prize", "bounty.1", "bounty.own", "bounty.held", "bounty.last", "cash", "return"]
    ),
    ENTRIES,
    ENTRIES,
    *[st.integers(0, 40_000) for _ in range(3)],
)
STEPS = st.lists(st.one_of(CLAIMS, st.just("cancel"), st.just("start"), ENTRIES), max_size=40)


@over(STEPS, st.integers(0, 30_000))
def test_no_more_is_covered_than_was_paid_and_promised(steps: list[Any], guarantee: int) -> None:
    """Whatever is claimed, in whatever order with what is paid: conservation, and no refund beyond the own money."""
    told = Told(guarantee=guarantee)
    told.ask(told.terms)
    paid: dict[str, int] = {}
    for step in steps:
        if step == "cancel":
            told.ask(NoteCancellation(**OF))
        elif step == "start":
            told.now = START
        elif isinstance(step, int):
            if told.pay(f"entry-{step}", f"p{step}"):
                paid[f"p{step}"] = 3_200
        else:
            kind, entry, of, prize, fee, bounty = step
            name = f"entry-{entry}" if kind == "return" else f"entry-{entry}.{kind}"
            parts: Any = {"prize": prize, "fee": fee, "bounty": bounty}
            if kind == "return":
                parts = {"whole": prize % 4_000}
            why = "return" if kind == "return" else "refund"
            of_p: Any = {"entry": f"entry-{entry}", "player": f"p{of}", "why": why, "currency": "EUR"}
            claim = Claim(name=name, **of_p, **parts)
            told.ask(ClaimCredit(**OF, claim=claim))
        covered = [each.claim for each in told.events if isinstance(each, CreditCovered)]
        assert sum(each.amount for each in covered) <= sum(paid.values()) + guarantee
        assert told.pool.out.total - told.pool.out.whole <= total_in(told.pool) + guarantee
        back = dict.fromkeys(paid, 0)
        for each in covered:
            if each.name.endswith(".refund") or each.why == "return":
                back[each.player] += each.amount
        assert all(back[name] <= paid[name] for name in back)
