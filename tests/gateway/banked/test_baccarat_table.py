"""What a regulation wants shown of baccarat: a real table plays, and the gateway shows it as data and in words."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from libs.contracts.baccarat_events import BettingClosed, CoupOpened, CoupSettled, CoupVoided, ThirdCardDealt
from libs.projecting import Pool
from services.gateway.app.gateway import Gateway
from services.gateway.views.banked_rules import DRAWING
from tests.gateway.banked.seeing import Floor, heard, watching
from tests.gateway.books import Books
from tests.gateway.conftest import House
from tests.table.baccarat.play import SCORING, START, CoupTable, in_order
from tests.testkit.cases import Case

rule = pytest.mark.rule
_REGULATION = "pt-812-2015-baccarat"


@pytest.fixture
def floor(house: House, http: httpx.AsyncClient, as_player: Any, gateway: Gateway) -> Floor:
    return Floor(house, http, as_player)


@rule(_REGULATION, "6.a/1")
async def test_one_to_nine_seats_and_each_has_its_areas(case: Case, floor: Floor) -> None:
    for seats in case.ints("refused"):
        table = CoupTable()
        assert (table.open(seats=seats), table.rule) == ("outside_rulebook", "6.a")
    fewest, most = case.ints("accepted")
    for seats in range(fewest, most + 1):
        table = CoupTable(seats=seats, pair_bets=False).seat(*range(1, seats + 1)).betting()
        for seat in range(1, seats + 1):
            assert table.bet(seat, "empate 100", "banca 200", "ponto 300") is None, table.refused
        round_ = (await floor.shows(table))["round"]
        assert round_["areas"] == ["empate", "banca", "ponto"]
        assert [seat["seat"] for seat in round_["seats"]] == list(range(1, seats + 1))
        assert [set(seat["stakes"]) for seat in round_["seats"]] == [set(round_["areas"])] * seats
        floor.forget(table)


@rule(_REGULATION, "6.a", "10")
async def test_areas_for_pairs_are_there_where_pairs_are_offered(floor: Floor) -> None:
    round_ = (await floor.shows(CoupTable(pair_bets=True).seat(1).betting()))["round"]
    assert round_["areas"] == ["empate", "banca", "ponto", "par_ponto", "par_banca"]


@rule(_REGULATION, "21/1")
async def test_the_third_card_lies_apart_face_up_of_either_side(case: Case, floor: Floor) -> None:
    (third,) = case.cards("third")
    ponto = case.cards("ponto")
    table = CoupTable().seat(1)
    table.plays(in_order([*ponto, third], ["Ah", "2d"]) + " " + SCORING[6, 8], s1=["ponto 100"])
    (drawn,) = table.of(ThirdCardDealt)
    assert (drawn.side, drawn.place, drawn.card.card) == ("ponto", "third", third)
    round_ = (await floor.shows(table, upto=CoupSettled))["round"]
    assert (round_["ponto"]["initial"], round_["ponto"]["third"]) == (ponto, third)
    assert (round_["banca"]["initial"], round_["banca"]["third"]) == (["Ah", "2d"], None)
    assert table.bet(1, "ponto 100") is None
    table.close_bets()
    (drawn,) = table.of(ThirdCardDealt)
    assert (drawn.side, drawn.place) == ("banca", "third")
    round_ = (await floor.shows(table, upto=CoupSettled))["round"]
    assert (round_["ponto"]["third"], round_["banca"]["third"]) == (None, drawn.card.card)
    assert [round_[side]["initial"] for side in ("ponto", "banca")] == [["2h", "4c"], ["Qs", "5d"]]
    last = await floor.shows(table, path="/last-round")
    assert [card["card"] for card in last["cards"] if card["place"] == "third"] == [drawn.card.card]


@rule(_REGULATION, "27/1")
async def test_betting_is_called_open_and_closed_for_all_with_one_deadline(
    case: Case, floor: Floor, gateway: Gateway, url: str, token_of: Any
) -> None:
    opened, late = case.moment("opened"), case.moment("late")
    assert (opened, late) == (START, opened + case.int("period"))
    table = CoupTable(betting_ms=case["period"]).seat(1, 2).betting()
    await floor.shows(table, upto=CoupOpened)
    gateway.now = lambda: opened
    for player in ("p1", "p2"):
        round_ = (await floor.shows(table, player))["round"]
        assert (round_["call"], round_["until"], round_["left_ms"]) == ("place your bets", late, case["period"])
    assert table.bet(1, "ponto 100", now=case.moment("in_time") - START) is None
    assert table.bet(2, "ponto 100", now=late - START) == "betting_is_closed"
    assert table.rule == "27"
    assert table.withdraw(1, "ponto") == "betting_is_closed"
    table.close_bets()
    assert table.of(BettingClosed)[0].at == table.of(CoupOpened, everything=True)[0].until == late
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(watching(url, token_of(each), "b1")) for each in ("p1", "p2")]
        shown = [(await floor.shows(table, player, upto=BettingClosed))["round"] for player in ("p1", "p2")]
        assert {each["call"] for each in shown} == {"no more bets, cards in distribution"}
        assert [(await heard(socket, BettingClosed))["at"] for socket in sockets] == [late, late]


@rule(_REGULATION, "31/1")
async def test_the_last_coup_can_be_seen_again(floor: Floor) -> None:
    table = CoupTable(commission_mode="five-percent").seat(1, 2)
    settled = table.plays(SCORING[6, 8], s1=["banca 2000", "empate 100"], s2=["ponto 1000"])
    last = await floor.shows(table, path="/last-round")
    assert (last["round"], last["outcome"]) == (1, "ended")
    assert [(card["owner"], card["place"], card["card"]) for card in last["cards"]] == [
        ("ponto", "first", "2h"),
        ("ponto", "second", "4c"),
        ("banca", "first", "Qs"),
        ("banca", "second", "5d"),
        ("banca", "third", "3h"),
    ]
    details = last["details"]
    assert (details["ponto"], details["banca"], details["winner"]) == (settled.ponto, settled.banca, "banca")
    own = last["own"]
    assert (own["seat"], own["stakes"]) == (1, {"banca": 2000, "empate": 100})
    assert (own["commission"], own["credited"], own["net"]) == (100, 3900, 1800)
    assert {bet["area"]: bet["credited"] for bet in own["bets"]} == {"banca": 3900, "empate": 0}
    assert (await floor.shows(table, "p2", "/last-round"))["own"]["net"] == -1000
    if table.state.round is None:
        table.wake()
    assert table.bet(1, "ponto 700") is None
    assert table.void("shoe order lost") is None
    (voided,) = table.of(CoupVoided)
    last = await floor.shows(table, path="/last-round")
    assert (last["round"], last["outcome"], last["void_cause"]) == (voided.round, "void", "shoe order lost")
    assert (last["own"]["stakes"], last["own"]["refunded"], last["own"]["net"]) == ({"ponto": 700}, 700, 0)
    assert last["cards"] == []


@rule(_REGULATION, "D.4/1")
async def test_rules_and_their_changes_are_public(floor: Floor, http: httpx.AsyncClient) -> None:
    """Nobody logs in here but for the first publishing."""
    table = CoupTable().seat(1)
    await floor.shows(table)
    rules = (await http.get("/v1/tables/b1/rules")).json()
    assert rules["limits"] == {
        "min": 100, "ponto_banca_max": 7000, "tie_max": 1500, "pair_max": 800, "prize_limit": None,
    }  # fmt: skip
    said = " ".join(rules["taking_part"])
    assert "5 % is deducted from the winnings of each round won by Banca" in said
    assert "The most is 70.00 EUR on Ponto or Banca, 15.00 EUR on the tie, 8.00 EUR on either pair." in said
    regulation = await http.get(rules["regulation_text"])
    assert regulation.status_code == 200
    text = regulation.json()["text"]
    assert "publicadas e disponibilizadas de forma permanente e gratuita" in text
    for number in range(1, 44):
        assert f"\n{number} — " in text, number
    assert table.change(2, commission_mode="half-on-6", max_tie=900) is None
    await floor.shows(table)
    changed = (await http.get("/v1/tables/b1/rules")).json()
    assert (changed["configuration"]["version"], changed["limits"]["tie_max"]) == (2, 900)
    assert changed["tables"]["commission_mode"] == "half-on-6"
    assert "Banca wins with a score of 6" in " ".join(changed["taking_part"])


@pytest.mark.stack
@rule(_REGULATION, "32/1")
async def test_everything_about_the_game_is_told_before_during_and_after(
    floor: Floor, http: httpx.AsyncClient, gateway: Gateway, books_pool: Pool, tmp_path: Path
) -> None:
    """One coup is lost already, so that the running result is neither nothing nor what was won."""
    table = CoupTable(mode="single").seat(1).betting(f"{SCORING[7, 6]} {SCORING[7, 6]}")
    assert table.bet(1, "banca 300") is None
    assert table.deal() is None
    table.betting()

    books = Books(books_pool, gateway, tmp_path, "p1")
    await floor.shows(table)
    visitor = (await http.get("/v1/tables/b1/rules")).json()
    assert table.bet(1, "ponto 500") is None
    await books.follow(table)
    during = await floor.shows(table, path="/information")
    assert (during["staked_now"], during["session"]["totals"][0]["result"]) == (500, -300)
    assert table.deal() is None
    assert table.leave(1) is None
    await books.follow(table)
    after = await floor.shows(table, path="/information")
    assert (after["staked_now"], after["session"]) == (0, None)
    total = after["last_session"]["totals"][0]
    assert (total["staked"], total["won"], total["result"]) == (800, 1000, 200)
    for page in (visitor, during["rules"], after["rules"]):
        assert "Bet on Ponto, Banca or a tie; the least bet is 1.00 EUR." in page["taking_part"]
        assert page["tables"]["drawing_table"] == DRAWING
        assert page["tables"]["commission_mode"] == "five-percent"
        assert (page["limits"]["min"], page["limits"]["ponto_banca_max"]) == (100, 7000)
        assert "Complain to the operator" in page["complaints"]
    assert during["complaints"] == after["complaints"] == visitor["complaints"]
