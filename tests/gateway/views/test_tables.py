"""journal 20: accept version == last + 1, skip lower, ignore higher and say so; and what may be recalled."""

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import poker_events as p
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import PlayerLeft, PlayerSeated, TablePaused
from libs.contracts.versions import Accepted
from libs.views.hand import Hand
from libs.views.records import recalled_by
from services.gateway.views.private import OwnCards
from services.gateway.views.tables import GONE_MS, Tables
from tests.gateway.hands import TABLE, T, awaited, blind, dealt, everybody, opened, started, to_the_end


def play(*facts: TableEvent) -> Tables:
    tables = Tables()
    for version, fact in enumerate(facts, 1):
        assert tables.accept(TABLE, fact, version) is Accepted.YES
    return tables


def hand_of(tables: Tables, player: str) -> int | None:
    record = tables.last_played(TABLE, player)
    return record.number if record else None


def test_dense_versions_only():
    tables = play(opened(), *everybody())
    before = tables.view(TABLE)
    assert tables.accept(TABLE, started(), 4) is Accepted.SEEN
    assert tables.accept(TABLE, started(), 6) is Accepted.GAP
    assert tables.view(TABLE) == before
    assert tables.gaps == {TABLE}
    assert tables.accept(TABLE, started(), 5) is Accepted.YES
    assert tables.gaps == set()


def test_a_table_that_starts_late_is_a_gap():
    tables = Tables()
    assert tables.accept(TABLE, started(), 2) is Accepted.GAP
    assert tables.view(TABLE) is None


@pytest.mark.rule("pt-811-2015", "65")
def test_the_last_hand_is_the_completed_one_while_the_next_runs():
    tables = play(
        opened(), *everybody(), *to_the_end(41), started(42), blind(2, "small", 50, 9_900, 42), awaited(1, 42)
    )
    record = tables.last_played(TABLE, "bob")
    assert isinstance(record, Hand)
    assert record.hand == 41
    told = recalled_by(record, "bob", ("Th", "Td", "6h", "6c"))
    text = msgspec.json.encode(told).decode()
    assert told["replay"] is True
    assert (told["own"]["seat"], told["own"]["cards"]) == (2, ["Th", "Td", "6h", "6c"])
    assert told["board"] == ("2c", "3d", "9h", "Jc", "Qs")
    assert [(a["act"], a["blind"], a["amount"]) for a in told["actions"]] == [
        ("post", "small", 50), ("post", "big", 100), ("raise", None, 350), ("fold", None, 0), ("call", None, 250),
        ("bet", None, 400), ("call", None, 400),
    ]  # fmt: skip
    assert told["actions"][3]["actor"] == "house"
    assert told["awards"][0]["payments"] == [{"seat": 1, "player": "alice", "gross": 1_550, "rake": 77, "net": 1_473}]
    assert [(s["player"], s["stack_before"], s["staked"], s["cards"]) for s in told["seats"]] == [
        ("alice", 10_000, 750, ["As", "Ad", "7h", "4c"]),
        ("bob", 10_000, 50, []),
        ("carol", 10_000, 750, ["Ks", "Kd", "8h", "5c"]),
    ]
    assert '"hand":42' not in text


@pytest.mark.rule("pt-811-2015", "65")
def test_who_sat_out_still_recalls_the_last_hand_played():
    later = to_the_end(42)
    later[0] = started(42, {1: "alice", 3: "carol"})
    tables = play(opened(), *everybody(), *to_the_end(41), *later)
    assert hand_of(tables, "bob") == 41
    assert hand_of(tables, "alice") == 42
    assert tables.last_played(TABLE, "mallory") is None
    assert tables.recallable(TABLE) == ({41, 42}, 42)


def test_the_last_hand_of_who_left_is_forgotten_once_they_have_been_gone_for_a_while():
    """Kept up to two hundred a table, 23 kB each, for ever (issue 12, A1)."""
    left = PlayerLeft(
        **T, reservation="r-bob", player="bob", seat=2, stack=9_950, currency="EUR", reason="player", at=1
    )
    tables, stays = (play(opened(), *everybody(), *to_the_end(41), left) for _ in range(2))
    version = tables.version(TABLE)
    [back] = [fact for fact in everybody() if isinstance(fact, PlayerSeated) and fact.player == "bob"]
    stays.accept(TABLE, replace(back, at=2), version + 1)
    for number, at in enumerate((GONE_MS, 1 + GONE_MS), 2):
        assert [hand_of(each, "bob") for each in (tables, stays)] == [41, 41]
        tables.accept(TABLE, TablePaused(**T, by="staff", reason="later", at=at), version + number - 1)
        stays.accept(TABLE, TablePaused(**T, by="staff", reason="later", at=at), version + number)
    assert [hand_of(each, "bob") for each in (tables, stays)] == [None, 41]
    assert hand_of(tables, "alice") == 41
    assert tables.is_stranger(TABLE, "bob", 1 + GONE_MS)


def test_a_void_hand_is_recalled_with_who_voided_it_and_why():
    void = p.HandVoided(**T, hand=42, cause="DE-69e", by="floor-1", refunds=[], currency="EUR")
    tables = play(opened(), *everybody(), *to_the_end(41), started(42), void)
    record = tables.last_played(TABLE, "alice")
    assert record is not None
    assert (record.number, record.outcome, record.void_cause, record.void_by) == (42, "void", "DE-69e", "floor-1")


def test_since_when_cards_may_be_asked_for_is_that_of_the_oldest_hand_that_somebody_recalls():
    at = {41: 1_000_000, 42: 2_000_000}

    def hand(number: int) -> list[TableEvent]:
        return [replace(fact, at=at[number]) for fact in to_the_end(number)]

    tables = play(opened(), *everybody())
    assert tables.cards_since(9_000_000) == {}, "nothing was dealt so far"
    tables = play(opened(), *everybody(), *hand(41))
    assert tables.cards_since(9_000_000) == {TABLE: at[41]}
    tables = play(opened(), *everybody(), *hand(41), *hand(42))
    assert tables.cards_since(9_000_000) == {TABLE: at[42]}, "all of hand 41 played on"
    running = replace(started(43), at=3_000_000)
    assert play(opened(), *everybody(), running).cards_since(9_000_000) == {TABLE: 3_000_000}
    left = [
        PlayerLeft(
            **T, reservation=f"r-{who}", player=who, seat=at_seat, stack=0, currency="EUR", reason="player", at=at[42]
        )
        for at_seat, who in ((1, "alice"), (2, "bob"), (3, "carol"))
    ]
    later = TablePaused(**T, at=at[42] + GONE_MS, by="floor-1", reason="fault")
    gone = play(opened(), *everybody(), *hand(41), *left, later)
    assert gone.cards_since(9_000_000) == {}, "whose last hand is still shown, and nobody's to recall"
    assert tables.accept(TABLE, running, 99) is Accepted.GAP
    assert tables.cards_since(9_000_000) == {TABLE: 0}


@pytest.mark.rule("pt-811-2015", "2.d")
def test_own_cards_are_for_their_player_and_forgotten_when_nobody_needs_them():
    cards = OwnCards()
    for hand in (40, 41, 42, 43):
        cards.put(TABLE, hand, 1, "alice", ("As", "Ad", "7h", "4c"))
    assert cards.of(TABLE, 41, "alice") == ("As", "Ad", "7h", "4c")
    assert cards.of(TABLE, 41, "bob") == ()
    assert "As" not in repr(cards)
    cards.keep_only(TABLE, {41}, newer_than=42)
    assert [cards.of(TABLE, hand, "alice") != () for hand in (40, 41, 42, 43)] == [False, True, False, True]


def test_the_end_of_a_hand_looks_at_the_cards_of_its_own_table_alone():
    """Touching another table's cards shows in a dict that counts."""

    class Counting(dict):
        looked = 0

        def __iter__(self):
            Counting.looked += 1
            return super().__iter__()

    cards = OwnCards(Counting())
    for number in range(50):
        cards.put(f"table-{number}", 1, 1, "alice", ("As", "Ad", "7h", "4c"))
    cards.keep_only("table-7", set(), newer_than=1)
    assert (len(cards), Counting.looked) == (49, 0)


def test_nothing_of_the_deal_is_in_the_record_of_others():
    tables = play(opened(), *everybody(), started(), dealt())
    assert tables.last_played(TABLE, "alice") is None
