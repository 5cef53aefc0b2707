"""What a player of no-draw poker is shown, by view, by last round and by the information page."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from libs.contracts.private_deals import PrivateDeal
from services.gateway.app.gateway import Gateway
from tests.banked.script import POKER
from tests.gateway.banked import told
from tests.gateway.banked.told import DEALER, HAND, UNTIL
from tests.gateway.conftest import House

Asks = Callable[..., Any]


@pytest.fixture
def table(house: House, gateway: Gateway) -> House:
    """Alice and Bob at a table of no-draw poker; the house's clock says 45 s."""
    gateway.now = lambda: 45_000
    house.publish(told.opened(POKER), told.seated(POKER, 1), told.seated(POKER, 2, 500), table=POKER)
    return house


@pytest.fixture
def asks(http: httpx.AsyncClient, gateway: Gateway) -> Asks:
    async def ask(player: str, path: str) -> Any:
        token, _ = gateway.sessions.open(player, gateway.now())
        answer = await http.get(f"/v1/tables/{POKER}{path}", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


def dealt_to(gateway: Gateway, player: str, seat: int, cards: tuple[str, ...], number: int = 1) -> None:
    deal = PrivateDeal(table=POKER, hand=number, seat=seat, player=player, version=1, sealed="")
    gateway.floor.on_cards(deal, cards)


@pytest.mark.rule("pt-803-2015-no-draw", "14")
async def test_everybody_hears_the_same_calls_and_sees_the_same_countdown(table: House, asks: Asks) -> None:
    table.publish(*told.antes(), table=POKER)
    shown = [(await asks(player, ""))["round"] for player in ("alice", "bob", "a-visitor")]
    assert {(r["call"], r["until"], r["left_ms"], r["phase"]) for r in shown} == {
        ("place your bets", UNTIL, 15_000, "betting")
    }
    table.publish(told.deal()[0], table=POKER)
    closed = (await asks("bob", ""))["round"]
    assert (closed["call"], closed["until"]) == ("no more bets, cards in distribution", None)


@pytest.mark.rule("pt-803-2015-no-draw", "6.a")
async def test_each_seat_has_exactly_two_areas(table: House, asks: Asks) -> None:
    table.publish(*told.antes(), table=POKER)
    shown = (await asks("alice", ""))["round"]
    assert shown["areas"] == ["ante", "bet"]
    assert [seat["stakes"] for seat in shown["seats"]] == [{"ante": 500}, {"ante": 300}]


@pytest.mark.rule("pt-803-2015-no-draw", "30")
async def test_every_choice_is_offered_in_words_with_its_deadline(table: House, asks: Asks) -> None:
    table.publish(*told.antes(), *told.deal(), table=POKER)
    shown = (await asks("bob", ""))["round"]
    alice, bob = ([(c["words"], c["available"], c["reason"]) for c in seat["choices"]] for seat in shown["seats"])
    assert alice == [("fold (lose 5.00 EUR)", True, None), ("continue (stake 10.00 EUR)", True, None)]
    assert bob == [
        ("fold (lose 3.00 EUR)", True, None),
        ("continue (stake 6.00 EUR)", False, "your stack lacks 4.00 EUR"),
    ]
    assert (shown["phase"], shown["until"], shown["left_ms"]) == ("deciding", UNTIL, 15_000)


async def test_own_cards_are_seen_by_their_player_alone(table: House, gateway: Gateway, asks: Asks) -> None:
    table.publish(*told.antes(), *told.deal(), table=POKER)
    dealt_to(gateway, "alice", 1, HAND)
    dealt_to(gateway, "bob", 2, ("As", "Ad", "2h", "3h", "4h"))
    alice, bob, visitor = [await asks(player, "") for player in ("alice", "bob", "a-visitor")]
    assert (alice["own"], bob["own"]["cards"]) == ({"seat": 1, "cards": list(HAND)}, ["As", "Ad", "2h", "3h", "4h"])
    assert visitor["own"] == {"seat": None, "cards": []}
    assert alice["round"] == bob["round"] == visitor["round"]
    assert alice["round"]["dealer"]["cards"] == []
    assert alice["round"]["dealer"]["up"] == "4s"


async def test_after_the_warning_the_countdown_is_that_of_the_extra_time(table: House, asks: Asks) -> None:
    table.publish(*told.antes(), *told.deal(), *told.decided()[:1], table=POKER)
    shown = (await asks("alice", ""))["round"]
    assert (shown["phase"], shown["left_ms"]) == ("extra_time", 25_000)


@pytest.mark.rule("pt-803-2015-no-draw", "37")
async def test_the_last_round_is_there_also_after_a_reconnection(table: House, gateway: Gateway, asks: Asks) -> None:
    table.publish(*told.antes(), *told.deal(), table=POKER)
    dealt_to(gateway, "alice", 1, HAND)
    dealt_to(gateway, "bob", 2, ("As", "Ad", "2h", "3h", "4h"))
    table.publish(*told.decided(), *told.paid(), table=POKER)
    last = await asks("alice", "/last-round")
    own = last["own"]
    assert (own["cards"], own["stakes"], own["decision"]) == (list(HAND), {"ante": 500, "bet": 1_000}, "continue")
    assert (own["details"]["outcome"], own["net"], last["replay"]) == ("win", 1_500, True)
    dealer = [(shown["place"], shown["card"]) for shown in last["cards"] if shown["owner"] == "dealer"]
    assert dealer == [("up", "4s"), *(("hand", card) for card in DEALER[:4])]
    bob = await asks("bob", "/last-round")
    assert (bob["own"]["decision"], bob["own"]["net"]) == ("fold", -300)
    assert {shown["owner"] for shown in bob["cards"]} == {"dealer", "1"}, "a folded hand is shown to nobody"
    folded = {"As", "Ad", "2h", "3h", "4h"}
    assert not folded & {shown["card"] for shown in last["cards"]}


@pytest.mark.rule("pt-803-2015-no-draw", "37")
async def test_a_void_round_is_shown_as_void_with_the_refund(table: House, asks: Asks) -> None:
    table.publish(*told.void(1), table=POKER)
    last = await asks("alice", "/last-round")
    assert (last["outcome"], last["void_cause"], last["own"]["refunded"], last["own"]["net"]) == (
        "void", "the house stood still", 500, 0,
    )  # fmt: skip
    view = await asks("alice", "")
    assert (view["round"]["phase"], view["seats"][0]["stack"]) == ("void", 10_000)


@pytest.mark.rule("pt-803-2015-no-draw", "38")
async def test_rules_and_limits_are_told_to_everybody(table: House, http: httpx.AsyncClient, gateway: Gateway) -> None:
    gateway.complaints = "complaints@example.org"
    rules = (await http.get(f"/v1/tables/{POKER}/rules")).json()
    assert rules["limits"] == {"ante_min": 100, "ante_max": 2_500}
    assert rules["tables"]["pay_table"] == {
        "royal flush": 100, "straight flush": 50, "four of a kind": 20, "full house": 7, "flush": 5, "straight": 4,
        "three of a kind": 3, "two pairs": 2, "one pair": 1, "high card": 1,
    }  # fmt: skip
    assert "The ante is 1.00 EUR to 25.00 EUR; without an ante there are no cards." in rules["taking_part"]
    assert (rules["complaints"], rules["demo"], rules["game"]) == ("complaints@example.org", False, "no_draw_poker")
    text = (await http.get(rules["regulation_text"])).json()
    assert "44 — As aplicações de demonstração" in text["text"]


@pytest.mark.rule("pt-803-2015-no-draw", "43")
async def test_a_demo_is_marked_as_one_wherever_it_is_shown(
    house: House, gateway: Gateway, http: httpx.AsyncClient
) -> None:
    house.publish(told.opened(POKER, kind="demo", currency="FUN", approval=""), table=POKER)
    rules = (await http.get(f"/v1/tables/{POKER}/rules")).json()
    rows = {row["table"]: row for row in (await http.get("/v1/tables")).json()["tables"]}
    view = gateway.floor.view(POKER, "alice")
    assert view is not None
    assert [shown["demo"] for shown in (rules, rows[POKER], view)] == [True] * 3
    assert rules["taking_part"][0].startswith("This is a demo. It is played for play money")
    assert "EUR" not in str(rules["taking_part"])
    assert rules["tables"]["pay_table"]["royal flush"] == 100


async def test_a_round_in_play_is_money_at_stake(table: House, asks: Asks) -> None:
    table.publish(*told.antes(), *told.deal(), *told.decided(), table=POKER)
    assert (await asks("alice", "/information"))["staked_now"] == 1_500
    table.publish(*told.paid(), table=POKER)
    assert (await asks("alice", "/information"))["staked_now"] == 0


async def test_the_lobby_says_game_and_limits(table: House, http: httpx.AsyncClient) -> None:
    rows = {row["table"]: row for row in (await http.get("/v1/tables")).json()["tables"]}
    assert (rows[POKER]["game"], rows[POKER]["limits"]["ante_max"], rows[POKER]["seats_taken"]) == (
        "no_draw_poker", 2_500, 2,
    )  # fmt: skip
    assert (rows["table-1"]["game"], rows["table-1"]["limits"]) == ("poker", {})
