"""No more goes home from a table than players and the house have brought there, whatever the table says (adr/0022)."""

from typing import Any

from hypothesis import given as over
from hypothesis import strategies as st

from libs.contracts import escrow_commands as commands
from libs.contracts import escrow_events as events
from libs.contracts.commands import MAX_AMOUNT, Command
from libs.contracts.escrow_events import HomeClaim
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.topics import MAX_SNAPSHOT_BYTES
from libs.contracts.wallet_commands import AccountReason as Reason
from libs.contracts.wallet_commands import OpenAccount
from libs.decider import Given, Rejected
from libs.journal.machine import COMMIT_BYTES, MAX_SKEW_MS
from services.audit.verifying.asked_for import told_otherwise
from services.audit.verifying.escrowed import Escrowed, check_escrow
from services.wallet.domain.decide import WalletDecider
from services.wallet.domain.escrow import decide as escrow_decide
from services.wallet.domain.escrow.state import Escrow
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import HORIZON_MS
from tests.audit.scripted import T0

POLICY = Principal("policy", "wallet.when_player_left")
DECIDER = WalletDecider()
AT: dict[str, Any] = {"table": "t1", "currency": "EUR"}
NOW: dict[str, Any] = {**AT, "told_at": T0}


class Told:
    """An escrow, and what an auditor makes of it."""

    def __init__(self) -> None:
        self.escrow: Escrow = DECIDER.initial("escrow-t1")  # type: ignore[assignment]
        self.checked = Escrowed()
        self.now = T0
        self.home = 0

    def ask(self, command: Any, by: Principal = POLICY) -> Any:
        """Names of the events; the reason of a refusal."""
        decided = DECIDER.decide(self.escrow, command, Given(self.now, None, by))
        if isinstance(decided, Rejected):
            return decided.reason
        assert told_otherwise("wallet", command, by, map(encode_fact, decided.events)) is None, "as the auditor has it"
        for event in decided.events:
            assert isinstance(event, events.EscrowEvent)
            self.escrow = DECIDER.evolve(self.escrow, event)  # type: ignore[assignment]
            kind, data = encode_fact(event)
            public = PublicEvent(stream="escrow-t1", version=1, type=kind, time=T0, causation="c", data=data)
            assert list(check_escrow(self.checked, public, event)) == []
            assert event.left == self.escrow.left[event.currency]
            self.home += event.claim.amount if isinstance(event, events.HomeCovered) else 0
        assert decode_state(encode_state(self.escrow)) == self.escrow
        return [type(each).__name__ for each in decided.events]

    def bring(self, amount: int, reserve: str = "s1", player: str = "ann") -> Any:
        return self.ask(commands.NoteReserve(**NOW, reserve=reserve, player=player, amount=amount))

    def open(self, at_risk: int, alone_up_to: int = 0) -> Any:
        return self.ask(commands.NoteRisk(**AT, amount=at_risk, alone_up_to=alone_up_to))

    def bank(self, amount: int, change: str = "opening", direction: Any = "top_up", *, alone: bool = False) -> Any:
        return self.ask(commands.NoteBank(**AT, change=change, direction=direction, amount=amount, alone=alone))

    @property
    def left(self) -> int:
        return self.escrow.left["EUR"]

    def claim(self, amount: int, sitting: str = "s1", **other: Any) -> Any:
        of: dict[str, Any] = {"player": "ann", "currency": "EUR", "settlement": "t1/9", **other}
        return self.ask(
            commands.ClaimHome(table="t1", told_at=T0, claim=HomeClaim(sitting=sitting, amount=amount, **of))
        )


def test_what_was_brought_goes_home_and_not_a_cent_more() -> None:
    told = Told()
    told.bring(5_000)
    told.bring(3_000, "s2", "bob")
    assert told.claim(8_001) == ["HomeHeld"]
    assert told.claim(7_000, "s2", player="bob") == ["HomeCovered"], "what others have lost"
    assert told.claim(1_000, "s3") == ["HomeCovered"]
    assert told.claim(1, "s4") == ["HomeHeld"], "nothing is left"


def test_what_is_held_goes_home_once_it_is_covered() -> None:
    """The two are told in streams of their own: what goes home may be heard of before what was brought."""
    told = Told()
    assert told.claim(5_000) == ["HomeHeld"]
    assert told.claim(5_000) == [], "the same again"
    assert told.bring(4_999) == ["ReserveNoted"]
    assert told.bring(1, "u1") == ["ReserveNoted", "HomeCovered"]
    assert (told.left, told.escrow.held) == (0, {})


def test_who_waits_longest_is_looked_at_first_and_holds_nobody_up() -> None:
    told = Told()
    for number, amount in enumerate((500, 100, 900)):
        assert told.claim(amount, f"s{number}") == ["HomeHeld"]
    assert told.bring(150) == ["ReserveNoted", "HomeCovered"]
    assert [held.claim.amount for held in told.escrow.held.values()] == [500, 900]
    assert told.bring(1_350, "u1") == ["ReserveNoted", "HomeCovered", "HomeCovered"]


def test_a_bank_is_what_people_have_moved_and_what_the_house_would_lose() -> None:
    told = Told()
    assert told.bank(10_000) == Reason.WRONG_CURRENCY, "nobody has opened one"
    assert told.open(2_000) == ["RiskNoted"]
    assert told.open(2_000) == told.open(9_000) == [], "once"
    assert told.bank(10_000) == ["BankNoted"]
    assert told.bank(10_000) == [], "a change counts once"
    assert told.bank(10_001) == Reason.REFERENCE_CONFLICT
    assert told.bank(4_000, "evening", "drop") == ["BankNoted"]
    assert told.claim(8_001) == ["HomeHeld"]
    assert told.claim(8_000, "s2") == ["HomeCovered"]


def test_a_bank_that_is_closed_goes_home_to_nobody() -> None:
    """Found by an attacker who read it: what had gone back to the treasury went to who once sat there, besides."""
    told = Told()
    told.open(2_000)
    told.bank(10_000)
    told.bring(500)
    assert told.claim(3_000) == ["HomeCovered"]
    cover = commands.NoteCover(**NOW, amount=300)
    assert told.ask(cover) == ["CoverNoted"]
    assert told.ask(commands.ReturnBank(**AT, amount=7_000)) == ["BankReturned"]
    assert told.ask(commands.ReturnBank(**AT, amount=7_000)) == told.ask(cover) == [], "once"
    assert told.left == 500 + 10_000 - 3_000 - 7_000 + 300, "what the last to leave may claim, as far as it is covered"
    assert told.bank(1, "later") == Reason.WRONG_CURRENCY
    assert told.ask(commands.ReturnBank(table="t1", currency="MOP", amount=1)) == Reason.WRONG_CURRENCY


def test_what_people_take_out_of_a_bank_that_has_been_robbed_stays_a_debt() -> None:
    told = Told()
    told.open(0)
    told.bank(1_000)
    assert told.claim(1_000) == ["HomeCovered"]
    told.bank(1_000, "evening", "drop")
    assert told.left == -1_000
    told.bring(1_500)
    assert told.claim(501, "s2") == ["HomeHeld"]


def test_one_of_the_staff_adds_alone_what_one_may_until_two_have_agreed_again() -> None:
    told = Told()
    told.open(0, alone_up_to=500)
    told.bank(10_000)
    assert told.bank(300, "a", alone=True) == ["BankNoted"]
    assert told.bank(201, "b", alone=True) == Reason.NEEDS_ANOTHER
    assert told.bank(200, "c", alone=True) == ["BankNoted"]
    assert told.bank(1, "d", alone=True) == Reason.NEEDS_ANOTHER
    told.bank(1_000, "e", "drop")
    assert told.bank(500, "f", alone=True) == ["BankNoted"]
    assert told.left == 10_000


def test_money_of_another_currency_is_none_of_this_table() -> None:
    told = Told()
    told.open(0)
    told.bring(5_000)
    told.ask(commands.NoteReserve(table="t1", currency="MOP", told_at=T0, reserve="s9", player="eve", amount=900))
    other = commands.NoteBank(table="t1", currency="MOP", change="m", direction="top_up", amount=10_000)
    assert told.ask(other) == Reason.WRONG_CURRENCY
    assert told.claim(901, currency="MOP") == ["HomeHeld"]
    assert told.claim(900, "s2", currency="MOP") == ["HomeCovered"]
    assert told.claim(5_000, "s3") == ["HomeCovered"]


def test_what_has_waited_for_a_day_goes_home_no_more() -> None:
    """People have looked by then, and may have paid it."""
    told = Told()
    told.claim(600)
    told.now += escrow_decide.HELD_MS - 1
    told.claim(700, "s2")
    told.now += 1
    assert told.bring(2_000) == ["ReserveNoted", "HomeStruck", "HomeCovered"]
    assert (told.left, told.escrow.held) == (1_300, {})
    assert told.claim(1_400, "s3") == ["HomeHeld"]
    told.now += escrow_decide.HELD_MS
    assert told.claim(1_500, "s4") == ["HomeHeld", "HomeStruck"], "it makes room"


def test_one_name_is_one_claim() -> None:
    told = Told()
    told.claim(600)
    assert told.claim(601) == Reason.SETTLEMENT_CONFLICT
    assert told.claim(600, settlement="", reserve="t1/9", reason="left") == ["HomeHeld"], "a reserve is no settlement"


def test_nothing_grows_beyond_what_a_snapshot_holds() -> None:
    told = Told()
    most: dict[str, Any] = {**NOW, "player": "ann", "amount": MAX_AMOUNT}
    for number in range(escrow_decide.MOST_LEFT // MAX_AMOUNT):
        assert told.ask(commands.NoteReserve(**most, reserve=f"s{number}")) == ["ReserveNoted"]
    assert told.ask(commands.NoteReserve(**most, reserve="s")) == Reason.BALANCE_LIMIT


def test_what_answers_an_event_of_long_ago_is_not_counted_again() -> None:
    """Under an id of today: the journal has forgotten that it was decided. So long after an event no command counts."""
    assert HORIZON_MS + MAX_SKEW_MS < escrow_decide.LASTS_MS
    told = Told()
    told.bring(5_000)
    old: dict[str, Any] = {**AT, "told_at": T0 - escrow_decide.LASTS_MS - 1}
    assert told.ask(commands.NoteReserve(**old, reserve="s1", player="ann", amount=1)) == Reason.FORGOTTEN
    late = commands.ClaimHome(table="t1", told_at=old["told_at"], claim=HomeClaim("ann", "EUR", "s1", 1))
    assert told.ask(late) == Reason.FORGOTTEN
    assert told.left == 5_000


def test_only_policies_ask_and_only_of_their_own_table() -> None:
    told = Told()
    for by in ("player", "operator", "staff", "gateway"):
        assert told.ask(commands.ReviewEscrow(table="t1"), Principal(by, "x")) == Reason.NOT_ALLOWED  # type: ignore[arg-type]
    assert told.ask(commands.ReviewEscrow(table="t2")) == Reason.WRONG_ACCOUNT
    account = DECIDER.initial("account-ann-EUR")
    decided = DECIDER.decide(account, commands.ReviewEscrow(table="t1"), Given(T0, None, POLICY))
    assert isinstance(decided, Rejected)
    assert told.ask(OpenAccount(player="ann", currency="EUR"), Principal("operator", "x")) == Reason.WRONG_ACCOUNT


def test_thousands_that_wait_fit_into_a_record_and_go_home_in_turns() -> None:
    told = Told()
    long = "x" * 40
    for number in range(escrow_decide.MOST_HELD):
        assert told.claim(1, f"s{number}{long}", settlement=long + long) == ["HomeHeld"]
    assert told.claim(1, "one-more") == ["HomeStruck"], "told, and not lost in silence"
    assert len(encode_state(told.escrow)) < MAX_SNAPSHOT_BYTES // 4
    note = commands.NoteReserve(**NOW, reserve="s1", player="ann", amount=escrow_decide.MOST_HELD)
    decided = DECIDER.decide(told.escrow, note, Given(T0, None, POLICY))
    assert not isinstance(decided, Rejected)
    assert sum(len(encode_fact(each)[1]) for each in decided.events) < COMMIT_BYTES
    told.ask(note)
    for _ in range(escrow_decide.MOST_HELD // escrow_decide.MOST_RELEASED - 1):
        assert told.escrow.held
        told.ask(commands.ReviewEscrow(table="t1"))
    assert (told.escrow.held, told.home) == ({}, escrow_decide.MOST_HELD)


_AMOUNTS = st.integers(1, 50)
_OF = {"table": st.just("t1"), "currency": st.just("EUR"), "amount": _AMOUNTS}
_CLAIMS = st.builds(
    HomeClaim, player=st.just("a"), currency=st.just("EUR"), sitting=st.sampled_from("abcdefgh"), amount=_AMOUNTS
)
_ASKED: st.SearchStrategy[Command] = st.one_of(
    st.builds(commands.NoteReserve, reserve=st.just("s"), player=st.just("a"), told_at=st.just(T0), **_OF),
    st.builds(commands.NoteBank, change=st.sampled_from("abcd"), direction=st.sampled_from(["top_up", "drop"]), **_OF),
    st.builds(commands.ClaimHome, table=st.just("t1"), told_at=st.just(T0), claim=_CLAIMS),
)


@over(st.lists(_ASKED, max_size=60))
def test_whatever_is_asked_in_whatever_order_no_more_goes_home_than_came(asked: list[Command]) -> None:
    told, came = Told(), 0
    told.open(0)
    for command in asked:
        answer = told.ask(command)
        if answer and isinstance(command, commands.NoteReserve):
            came += command.amount
        elif answer and isinstance(command, commands.NoteBank) and isinstance(answer, list):
            came += command.amount if command.direction == "top_up" else 0
        assert told.home <= came
