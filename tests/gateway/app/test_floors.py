"""Whose table it is: at a wrong door nothing is asked, and who came is told the right one."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from libs.contracts.topics import partition_of
from services.gateway.app.doors import DOORS, Door
from services.gateway.app.floors import Addresses, Floors, FloorsWrong, addresses_in, floors_of, partitions_in
from services.gateway.app.gateway import Gateway
from services.gateway.http.questions import QUESTIONS
from services.gateway.views.elsewhere import Row
from tests.gateway.app.test_doors import PATH
from tests.gateway.conftest import House
from tests.gateway.hands import TABLE, opened

OF_HOUSE = 4
THERE = "https://b.casino.example"
AT_TABLES = [door for door in DOORS if door.command.service == "table"]
QUESTIONS_AT_TABLES = [path for method, path, *_ in QUESTIONS if method == "GET" and "{table}" in path]


def floors_file(folder: Path, **addresses: str) -> Path:
    file = folder / "floors.json"
    file.write_text(json.dumps({name.replace("_", "-").removeprefix("p"): each for name, each in addresses.items()}))
    return file


@pytest.fixture
def elsewhere(gateway: Gateway, tmp_path: Path) -> Gateway:
    """A gateway that serves every partition but that of the table."""
    of = partition_of(TABLE, OF_HOUSE)
    file = tmp_path / "floors.json"
    others = ",".join(str(each) for each in range(OF_HOUSE) if each != of)
    file.write_text(json.dumps({str(of): THERE, others: "https://a.casino.example"}))
    gateway.floors = floors_of(others, file, OF_HOUSE)
    return gateway


@pytest.mark.parametrize(
    ("text", "found"), [("0", {0}), ("0-3", {0, 1, 2, 3}), ("0-1,12", {0, 1, 12}), ("7,2-2", {2, 7})]
)
def test_partitions_are_named_by_number_and_range(text: str, found: set[int]) -> None:
    assert partitions_in(text) == found


@pytest.mark.parametrize("text", ["", "-1", "3-1", "a", "0,", "0 1", "0-1-2", "12345", "٣"])
def test_what_is_no_list_of_partitions_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="partitions"):
        partitions_in(text)


@pytest.mark.parametrize(
    "said",
    [
        {"0-1": "https://a.example", "1-3": "https://b.example"},
        {"0": "wss://a.example"},
        {"0": "a.example"},
        {"0": "https://a.example/?x=1"},
        {"x": "https://a.example"},
        ["https://a.example"],
    ],
)
def test_a_file_that_says_two_things_or_nothing_is_refused(said: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        addresses_in(json.dumps(said).encode())


def test_a_gateway_does_not_begin_with_a_floor_that_can_not_be_right(tmp_path: Path) -> None:
    file = floors_file(tmp_path, p0_1="https://a.example", p2_3="https://b.example")
    assert floors_of("0-1", file, OF_HOUSE).own == {0, 1}
    assert floors_of(None, file, OF_HOUSE).own == {0, 1, 2, 3}
    assert not floors_of(None, None, OF_HOUSE).are_on
    for floor, of_house in (("0-1", None), ("0-4", OF_HOUSE), ("x", OF_HOUSE), ("0-1", 3)):
        with pytest.raises(FloorsWrong):
            floors_of(floor, file if of_house else None, of_house or OF_HOUSE)
    with pytest.raises(FloorsWrong):
        floors_of("0-1", tmp_path / "none.json", OF_HOUSE)


def test_the_file_is_read_again_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    now = [0.0]
    file = floors_file(tmp_path, p0_3="https://a.example/")
    floors = Floors(frozenset({0}), OF_HOUSE, Addresses(file, lambda: now[0]))
    assert floors.addresses is not None
    assert floors.addresses.of(3) == "https://a.example"
    assert floors.told() is None
    floors_file(tmp_path, p0_2="https://a.example")
    assert floors.addresses.of(3) == "https://a.example"  # looked at a moment ago
    now[0] += 1.5
    assert floors.addresses.of(3) is None
    assert "partitions 3" in (floors.told() or "")
    file.write_text("{")
    now[0] += 1.5
    assert floors.addresses.of(2) == "https://a.example"
    assert "can't be read" in (floors.told() or "")
    os.replace(floors_file(tmp_path / ".", p0_3="https://b.example"), file)
    now[0] += 1.5
    assert floors.addresses.of(3) == "https://b.example"
    assert floors.told() is None


@pytest.mark.parametrize("door", AT_TABLES, ids=[door.name for door in AT_TABLES])
async def test_no_door_takes_a_wish_for_a_table_of_another_floor(
    elsewhere: Gateway, http: httpx.AsyncClient, house: House, through: Callable[..., dict[str, str]], door: Door
) -> None:
    body = {name: value for name, value in door.body.example.items() if name not in door.left_out}
    if "table" in body:
        body["table"] = TABLE
    path = "/v1" + door.path.format(**PATH)
    answer = await http.post(path, json=body, headers=through(door))
    assert answer.status_code == 421
    assert answer.json() == {
        "type": "urn:croupier:problem:other-floor",
        "title": "Other floor",
        "status": 421,
        "detail": "Another gateway serves this table: repeat it there with the same key.",
        "table": TABLE,
        "gateway": "wss://b.casino.example/v1/ws",
        "location": THERE + path,
    }
    assert house.sent == []


@pytest.mark.parametrize("path", QUESTIONS_AT_TABLES)
async def test_no_question_about_a_table_of_another_floor_is_answered(
    elsewhere: Gateway, http: httpx.AsyncClient, as_player: Callable[..., dict[str, str]], path: str
) -> None:
    asked = f"/v1{path.format(table=TABLE)}"
    answer = await http.get(asked, headers=as_player())
    assert answer.status_code == 421
    assert answer.json()["location"] == THERE + asked


async def test_a_table_that_nobody_serves_is_refused_clearly(
    elsewhere: Gateway, http: httpx.AsyncClient, as_player: Callable[..., dict[str, str]], tmp_path: Path, house: House
) -> None:
    served = ",".join(str(each) for each in sorted(elsewhere.floors.own))
    elsewhere.floors = floors_of(served, floors_file(tmp_path, **{f"p{served}": "https://a.example"}), OF_HOUSE)
    answer = await http.post(f"/v1/tables/{TABLE}/leave", headers=as_player())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["type"] == "urn:croupier:problem:no-gateway"
    assert house.sent == []


async def test_own_tables_are_played_and_a_change_to_another_floor_s_is_asked(
    elsewhere: Gateway, http: httpx.AsyncClient, house: House, as_player: Callable[..., dict[str, str]]
) -> None:
    own = next(f"own-{n}" for n in range(20) if partition_of(f"own-{n}", OF_HOUSE) in elsewhere.floors.own)
    house.publish(opened(), table=own)
    elsewhere.doorkeeper._coming[own, "alice"] = {"": 1 << 62}
    assert (await http.post(f"/v1/tables/{own}/sit-out", headers=as_player())).status_code == 200
    change, to = f"/v1/tables/{own}/table-change", {"to_table": TABLE}
    assert (await http.post(change, json=to, headers=as_player(key="key-2"))).status_code == 404
    elsewhere.elsewhere.hear(TABLE, Row(1, json.dumps({"table": TABLE, "seats_taken": 3}).encode()), own=False)
    assert (await http.post(change, json=to, headers=as_player(key="key-3"))).status_code == 200
    assert house.commands[-1].body["players_there"] == 3


async def test_the_lobby_lists_the_tables_of_all_floors_with_their_addresses(
    elsewhere: Gateway, http: httpx.AsyncClient, house: House
) -> None:
    own = [f"own-{n}" for n in range(20) if partition_of(f"own-{n}", OF_HOUSE) in elsewhere.floors.own][:3]
    for table in own:
        house.publish(opened(), table=table)
    for version, table in enumerate(["aa", "zz"], 1):
        row = json.dumps({"table": table, "name": "There", "seats_taken": version}).encode()
        elsewhere.elsewhere.hear(table, Row(version, row), own=False)
    elsewhere.elsewhere.hear("zz", Row(1, b'{"table":"zz","name":"Older"}'), own=False)
    elsewhere.floor.tables.listed.remove(TABLE)  # as if it had never been read
    pages: list[dict[str, object]] = []
    after: str | None = ""
    while after is not None:
        page = (await http.get(f"/v1/tables?limit=2&after={after}")).json()
        pages, after = pages + page["tables"], page["next_after"]
    assert [row["table"] for row in pages] == ["aa", *own, "zz"]
    assert [row["name"] for row in pages if row["table"] in ("aa", "zz")] == ["There", "There"]
    assert {row["gateway"] for row in pages if row["table"] in own} == {"wss://a.casino.example/v1/ws"}
    elsewhere.elsewhere.hear("aa", None, own=False)
    assert [row["table"] for row in (await http.get("/v1/tables")).json()["tables"]] == [*own, "zz"]


async def test_without_floors_no_address_is_told(gateway: Gateway, http: httpx.AsyncClient) -> None:
    (row,) = (await http.get("/v1/tables")).json()["tables"]
    assert "gateway" not in row
