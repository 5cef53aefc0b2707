"""What players of Omaha in Macau are shown: a real table plays, and its public events come out of the gateway."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from libs.cards.card import name_of
from libs.contracts.poker_events import CardsShown, HoleCardsDealt
from libs.contracts.private_deals import PrivateDeal
from libs.money.words import in_words
from libs.rulebooks.library import RULEBOOKS
from services.gateway.http.questions import QUESTIONS
from tests.gateway.conftest import House, See
from tests.table.play import MACAU, TableUnderTest
from tests.testkit.cases import Case


def macau(*refs: str) -> pytest.MarkDecorator:
    return pytest.mark.rule("mo-97-2010", *refs)


@macau("order.2/1")
async def test_the_record_of_every_hand_names_the_rules_and_their_version(show: See, case: Case) -> None:
    table = TableUnderTest(MACAU, version=7).seat(1, 2, 3)
    order, year = case.ints("order")
    for number in (1, 2, 3):
        table.wake()
        table.checks_down()
        record = await show(table, "p1", "/last-hand")
        assert (record["hand"], record["rulebook"], record["configuration_version"]) == (number, MACAU, 7)
        assert f"{order}-{year}" in record["rulebook"]
        assert record["rulebook_hash"] == RULEBOOKS[MACAU].digest
    rules = await show(table, "p1", "/rules")
    assert f"{order}/{year}" in rules["regulation"]


@macau("1.1.2/1")
@pytest.mark.parametrize("seats", [2, 6, 11])
async def test_exactly_one_seat_has_the_button(show: See, seats: int) -> None:
    table = TableUnderTest(MACAU, seats=seats).seat(*range(1, seats + 1))
    for number in range(seats + 1):
        table.wake()
        for act in ("in the hand", "after it"):
            view = await show(table)
            marked = [seat["seat"] for seat in view["seats"] if seat["seat"] == view["button"]]
            assert marked == [number % seats + 1], act
            if act == "in the hand":
                table.folds_round()


@macau("4.3/1")
async def test_the_blinds_are_told_before_and_after_sitting_down(
    show: See, http: httpx.AsyncClient, case: Case
) -> None:
    small, big = case.ints("blinds")
    table = TableUnderTest(MACAU, small_blind=small, big_blind=big)
    for seated in (False, True):
        if seated:
            table.seat(1)
        view = await show(table)
        assert bool(view["seats"]) == seated
        betting = view["configuration"]["betting"]
        assert (betting["small_blind"], betting["big_blind"]) == (small, big)
        (row,) = [row for row in (await http.get("/v1/tables")).json()["tables"] if row["table"] == "t1"]
        assert (row["small_blind"], row["big_blind"]) == (small, big)
        rules = (await http.get("/v1/tables/t1/rules")).json()
        words = f"The blinds are {in_words(small, row['currency'])} and {in_words(big, row['currency'])}"
        assert words in " ".join(rules["taking_part"])


READS = [path for method, path, *_ in QUESTIONS if method == "GET"]


class Watched:
    """A table whose every player, a spectator, the operator and a passer-by are listened to, on pages and streams."""

    def __init__(self, house: House, http: httpx.AsyncClient, players: int, operator: dict[str, str], token_of: Any):
        self.house, self.http = house, http
        self.table = TableUnderTest(MACAU).seat(*range(1, players + 1))
        self.tokens = {f"p{seat}": token_of(f"p{seat}") for seat in range(1, players + 1)}
        self.tokens["spectator"] = token_of("spectator")
        self.headers = {name: {"authorization": f"Bearer {token}"} for name, token in self.tokens.items()}
        self.headers |= {"operator": operator, "nobody": {}}
        self.heard = dict.fromkeys(self.headers, "")

    def tell(self) -> None:
        self.house.publish(*self.table.told[self.house.versions.get("t1", 0) :], table="t1")

    async def listened(self, url: str) -> list[tuple[str, ClientConnection]]:
        sockets = []
        for name, token in self.tokens.items():
            headers = {"authorization": f"Bearer {token}"}
            socket = await connect(url.replace("http", "ws") + "/v1/ws", additional_headers=headers, proxy=None)
            await socket.send(json.dumps({"type": "subscribe", "table": "t1"}))
            sockets.append((name, socket))
        return sockets

    def deal(self) -> dict[str, set[str]]:
        """Seats' own cards go to each alone, as the private topic brings them; gives them by player."""
        self.table.deal(button=1)
        hand = self.table.hand
        assert hand.deck is not None
        (dealt,) = self.table.of(HoleCardsDealt)
        held = {f"p{deal.seat}": tuple(name_of(hand.deck.cards[at]) for at in deal.positions) for deal in dealt.deals}
        self.tell()
        assert self.house.gateway is not None
        for player, cards in held.items():
            private = PrivateDeal(
                table="t1", hand=hand.number, seat=int(player[1:]), player=player, version=1, sealed=""
            )
            self.house.gateway.floor.on_cards(private, cards)
        return {player: set(cards) for player, cards in held.items()}

    async def look(self, sockets: list[tuple[str, ClientConnection]]) -> None:
        """All that anybody is told until now."""
        self.tell()
        for name, headers in self.headers.items():
            for path in READS:
                where = path.format(table="t1", player="p1", regulation="mo-97-2010", tournament="t-1")
                answer = await self.http.get(f"/v1{where}", headers=headers)
                assert answer.status_code != 500, where
                self.heard[name] += answer.text
        for name, socket in sockets:
            try:
                while True:
                    self.heard[name] += str(await asyncio.wait_for(socket.recv(), 0.2))
            except TimeoutError:
                continue

    def knows(self, name: str, cards: set[str]) -> set[str]:
        return {card for card in cards if f'"{card}"' in self.heard[name]}


@macau("6.2/1")
async def test_nobody_is_sent_cards_of_somebody_else(
    url: str, house: House, http: httpx.AsyncClient, operator: dict[str, str], token_of: Any, case: Case
) -> None:
    watched = Watched(house, http, case["players"], operator, token_of)
    watched.tell()
    sockets = await watched.listened(url)
    held = watched.deal()
    assert len(held) == case["players"]
    await watched.look(sockets)
    table = watched.table.plays("4 call", "5 call", "1 call", "2 call", "3 check", "2 bet 1000")
    table.plays("3 fold", "4 fold", "5 fold", "1 fold")
    await watched.look(sockets)
    assert table.state.hand is None
    assert table.of(CardsShown, True) == []
    for name in watched.heard:
        for owner, cards in held.items():
            assert watched.knows(name, cards) == (cards if name == owner else set()), (name, owner)
    for _, socket in sockets:
        await socket.close()


@macau("13.2/1")
async def test_folded_cards_stay_hidden_and_out_of_play(
    url: str, house: House, http: httpx.AsyncClient, operator: dict[str, str], token_of: Any
) -> None:
    watched = Watched(house, http, 3, operator, token_of)
    watched.tell()
    sockets = await watched.listened(url)
    held = watched.deal()
    table = watched.table.plays("1 call", "2 fold")
    await watched.look(sockets)
    table.checks_down()
    await watched.look(sockets)
    assert {event.seat for event in table.of(CardsShown, True)} == {1, 3}
    for name in watched.heard:
        assert watched.knows(name, held["p2"]) == (held["p2"] if name == "p2" else set()), name
    assert watched.knows("spectator", held["p1"] | held["p3"]) == held["p1"] | held["p3"], "the showdown is seen"
    seen = (await http.get("/v1/tables/t1", headers=watched.headers["p1"])).json()["hand"]
    (folder,) = [told for told in seen["seats"] if told["seat"] == 2]
    assert (folder["folded"], folder["cards"]) == (True, [])
    for _, socket in sockets:
        await socket.close()
