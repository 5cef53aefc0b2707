"""What a cancellation owes, to the cent: 36.a before the start, 36.b and 36.c after it, or its own rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament.domain.play.refunds import Entry, Paid, refund_sheet
from tests.testkit.cases import Case


def entries_of(stacks: list[int], out: int, paid: Paid, more: list[Paid]) -> list[Entry]:
    """Who is still in first; the first of them bought all rebuys and add-ons."""
    here = [Entry(f"a{n}", f"a{n}", paid, more if n == 1 else (), chips) for n, chips in enumerate(stacks, 1)]
    return here + [Entry(f"e{n}", f"e{n}", paid) for n in range(1, out + 1)]


@pytest.mark.rule("pt-810-2015", "36.b/1")
def test_before_the_paid_places(case: Case) -> None:
    paid, rebuy, add_on = (Paid(*case[name]) for name in ("of_it", "of_rebuy", "of_add_on"))
    assert [paid.total, rebuy.total, add_on.total] == [case["buy_in"], case["rebuy"], case["add_on"]]
    assert sum(case["stacks"]) == case["chips"]
    more = [rebuy] * case["rebuys"] + [add_on] * case["add_ons"]
    entries = entries_of(case["stacks"], case["out"], paid, more)
    assert len(entries) == case["players"]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False)
    assert (sheet.rule, sheet.pot.total, list(sheet.shares.values())) == ("36.b", case["pot"], case["shares"])
    assert sheet.refunds == dict.fromkeys(sheet.shares, case["back"])
    assert (sheet.total_paid, sheet.collected) == (case["paid"], case["collected"])
    assert (sheet.operator_keeps, sheet.operator_adds) == (case["keeps"], 0)


@pytest.mark.rule("pt-810-2015", "36.c/1")
def test_within_the_paid_places(case: Case) -> None:
    paid, prizes = Paid(*case["of_it"]), case["prizes"]
    assert paid.total == case["buy_in"]
    entries = entries_of(case["stacks"], case["out"], paid, [Paid(case["rebuy"])] * case["rebuys"])
    assert len(entries) == case["players"]
    decided = prizes[case["place"] - 1]
    sheet = refund_sheet(entries, dealt=True, in_the_money=True, decided={"e1": decided})
    assert sheet.rule == "36.c"
    assert sheet.pot.eliminated_entries + sheet.pot.rebuys == case["subtotal"]
    assert (sheet.pot.decided, sheet.pot.total) == (case["decided"], case["pot"])
    assert list(sheet.shares.values()) == case["shares"]
    assert set(sheet.refunds.values()) == {case["back"]}
    assert sheet.credits(entries)["e1"] == decided
    assert sheet.operator_keeps == case["keeps"]
    still_in = sum(sheet.shares.values()) + sum(sheet.refunds.values())
    undecided = sum(prizes) - decided + len(case["stacks"]) * paid.fee
    assert still_in == undecided, "they share exactly the prizes that are open, and have their fees back"


@pytest.mark.rule("pt-810-2015", "38/1")
def test_who_is_out_has_nothing_back(case: Case) -> None:
    out = Entry("out", "out", Paid(case["buy_in"]), [Paid(case["rebuy"])])
    entries = [Entry("in", "in", Paid(case["buy_in"]), (), 500), out]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False)
    assert sheet.credits(entries)["out"] == 0
    assert sheet.pot.total == case["buy_in"] + case["rebuy"]


@pytest.mark.rule("pt-810-2015", "38/2")
def test_a_prize_won_before_stays(case: Case) -> None:
    places = case["place"]
    entries = [Entry(f"e{n}", f"e{n}", Paid(10_000), (), 500 if n < places else 0) for n in range(1, 9)]
    sheet = refund_sheet(entries, dealt=True, in_the_money=True, decided={f"e{places}": case["prize"]})
    credits = sheet.credits(entries)
    assert credits[f"e{places}"] == case["prize"]
    assert sheet.pot.total == 5 * 10_000 - case["prize"]


@pytest.mark.rule("pt-810-2015", "38/3")
def test_only_the_live_entry_is_refunded(case: Case) -> None:
    entries = [
        Entry("first", "v", Paid(case["entry"])),
        Entry("other", "w", Paid(case["entry"]), (), 1_000),
        Entry("second", "v", Paid(case["re_entry"]), (), 3_000),
    ]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False)
    assert set(sheet.refunds) == {"other", "second"}
    assert sheet.credits(entries)["v"] == case["re_entry"] + sheet.shares["second"]
    assert sheet.shares["second"] == case["entry"] * 3 // 4


def test_before_the_first_hand_everything_goes_back_and_tickets_are_paid() -> None:
    entries = [Entry(f"e{n}", f"e{n}", Paid(2_000, 200), (), 500) for n in range(3)]
    sheet = refund_sheet(entries, dealt=False, in_the_money=False, tickets={"e0": 2_200, "v": 2_200})
    assert (sheet.rule, sheet.operator_keeps, sheet.operator_adds) == ("36.a", 0, 0)
    assert sheet.credits(entries) == {"e0": 4_400, "e1": 2_200, "e2": 2_200, "v": 2_200}


def test_its_own_rules_go_before() -> None:
    entries = [Entry("in", "in", Paid(2_000, 200), (), 500), Entry("out", "out", Paid(2_000, 200))]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False, own=True)
    assert (sheet.rule, sheet.credits(entries)) == ("own", {"in": 2_200, "out": 2_200})


def test_a_pot_is_never_below_zero() -> None:
    """A guarantee has fallen due: prizes are more than what was collected."""
    entries = [Entry("in", "in", Paid(100, 10), (), 500), Entry("out", "out", Paid(100, 10))]
    sheet = refund_sheet(entries, dealt=True, in_the_money=True, decided={"out": 400})
    assert (sheet.pot.total, sheet.shares) == (0, {"in": 0})
    assert (sheet.operator_adds, sheet.operator_keeps) == (290, 0)


def test_bounties_won_stay_and_the_own_one_comes_back() -> None:
    entries = [Entry("in", "in", Paid(2_000, 300, 1_000), (), 500), Entry("out", "out", Paid(2_000, 300, 1_000))]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False, bounties={"in": 1_000})
    assert sheet.credits(entries) == {"in": 3_300 + 2_000 + 1_000, "out": 0}
    assert sheet.operator_keeps == 300


@given(
    st.lists(st.integers(0, 100_000), min_size=1, max_size=30).filter(any),
    st.integers(0, 10**6), st.integers(0, 10**5), st.lists(st.integers(0, 10**6), max_size=8),
)  # fmt: skip
def test_what_is_paid_and_kept_is_what_was_collected(stacks: list[int], prize: int, fee: int, more: list[int]) -> None:
    entries = [
        Entry(f"e{n}", f"p{n % 7}", Paid(prize, fee), [Paid(each) for each in more] if n == 0 else (), chips)
        for n, chips in enumerate(stacks)
    ]
    sheet = refund_sheet(entries, dealt=True, in_the_money=False)
    assert sum(sheet.credits(entries).values()) + sheet.operator_keeps == sheet.collected
    assert sheet.operator_keeps == fee * stacks.count(0), "the fees of who is out, nothing more"
