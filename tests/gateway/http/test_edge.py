"""Nonsense stops at the door: nothing malformed, unauthorised or repeated otherwise reaches a commands topic."""

import pytest
from msgspec import structs

from libs.contracts.messages import Reply
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.private_deals import PrivateDeal
from libs.contracts.table_events import TableClosed
from libs.contracts.wallet_commands import cash_of, references_of
from services.gateway.app.doors import DOORS
from services.gateway.http.questions import QUESTIONS
from services.gateway.ws.asyncapi import message_table
from tests.gateway.banked import told
from tests.gateway.banked.told import POKER
from tests.gateway.conftest import accept
from tests.gateway.hands import TABLE, dealt, everybody, started, to_the_end
from tests.testkit.keys import key_of

ACT = {"hand": 41, "seat": 1, "act": "raise", "to": 350}
NEW_TABLE = {"table": "table-2", "name": "Porto", "rulebook": "pt-811-2015-omaha", "configuration": {"seats": 6}}


def problem_of(answer) -> str:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json()["type"].rpartition(":")[2]


async def test_a_command_gets_its_answer(http, house, as_player):
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=as_player("alice"))
    assert (answer.status_code, answer.json()["version"]) == (200, 7)
    [(service, message, _)] = house.sent
    assert (service, message.type, message.stream) == ("table", "Act", TABLE)
    assert (message.principal.kind, message.principal.id) == ("player", "alice")
    assert message.body == {**ACT, "turn": None}


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        (b'{"hand": 41,, }', 400, "malformed-json"),
        (b'{"hand": 41, "seat": 1, "act": "fold", "cheat": true}', 422, "invalid-input"),
        (b'{"hand": 41, "seat": 1, "act": "raise", "to": -5}', 422, "invalid-input"),
        (b'{"hand": 41, "seat": 1, "act": "raise", "to": 1' + b"0" * 30 + b"}", 422, "invalid-input"),
        (b'{"hand": 41, "seat": 1, "act": "raise", "to": 1.5}', 422, "invalid-input"),
        (b'{"hand": "41", "seat": 1, "act": "fold"}', 422, "invalid-input"),
        (b'{"hand": 41, "seat": 1, "act": "steal"}', 422, "invalid-input"),
        (b'{"hand": 41, "seat": 12, "act": "fold"}', 422, "invalid-input"),
        (b'{"to": "' + b"x" * 500_000 + b'"}', 413, "body-too-large"),
        (b"[" * 60_000, 400, "malformed-json"),
        (b'{"hand": 1e999, "seat": 1, "act": "fold"}', 400, "malformed-json"),
        (b'{"hand": -1e400, "more": [1e999]}', 400, "malformed-json"),
        (b"", 422, "invalid-input"),
        (b"null", 422, "invalid-input"),
    ],
)
async def test_nonsense_is_refused_and_nothing_is_sent(http, house, as_player, body, status, problem):
    headers = as_player("alice") | {"content-type": "application/json"}
    answer = await http.post(f"/v1/tables/{TABLE}/acts", content=body, headers=headers)
    assert (answer.status_code, problem_of(answer)) == (status, problem)
    assert house.sent == []


@pytest.mark.parametrize("configuration", [{"rake_bp": 1.5}, {"big_blind": 10**30}, {"seats": [6]}, {"x": {"y": 1}}])
async def test_a_configuration_is_plain_words_and_whole_numbers(http, house, operator, configuration):
    body = NEW_TABLE | {"configuration": configuration}
    answer = await http.post("/v1/tables", json=body, headers=operator | {"idempotency-key": key_of("k")})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "/body/configuration"
    assert house.sent == []


async def test_the_same_key_with_another_body(http, house, as_player):
    headers = as_player("alice")
    first = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=headers)
    again = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=headers)
    other = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT | {"to": 400}, headers=headers)
    elsewhere = await http.post(f"/v1/tables/{TABLE}/leave", headers=headers)
    assert first.json() == again.json()
    assert (other.status_code, problem_of(other)) == (422, "idempotency-key-reused")
    assert problem_of(elsewhere) == "idempotency-key-reused"
    assert len(house.sent) == 1


async def test_a_key_is_needed(http, house, token_of):
    headers = {"authorization": f"Bearer {token_of('alice')}"}
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].lower() == "/header/idempotency-key"
    assert house.sent == []


@pytest.mark.parametrize("key", ["click-1", "9f4c6f6e-2f0b-4c57-9d7e-0d5f2c0d7f11", "01973a7e5b0c7c3e9f216d1f0a4b8c55"])
async def test_a_key_is_a_uuid7(http, house, token_of, key):
    headers = {"authorization": f"Bearer {token_of('alice')}", "idempotency-key": key}
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].lower() == "/header/idempotency-key"
    assert house.sent == []


async def test_a_key_in_capitals_is_the_same_key(http, house, as_player):
    headers = as_player("alice")
    loud = headers | {"idempotency-key": headers["idempotency-key"].upper()}
    answers = [await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=each) for each in (headers, loud)]
    assert answers[0].json() == answers[1].json()
    assert len(house.sent) == 1


async def test_an_unknown_table(http, house, as_player):
    answer = await http.post("/v1/tables/table-99/acts", json=ACT, headers=as_player("alice"))
    assert (answer.status_code, problem_of(answer)) == (404, "unknown-table")
    answer = await http.get("/v1/tables/table-99/last-hand", headers=as_player("alice"))
    assert answer.status_code == 404
    assert house.sent == []


def says(verdict: str):
    def answer(message):
        said = {"command_id": message.id, "stream": message.stream, "verdict": verdict, "version": 5}
        if verdict == "rejected":
            said |= {"reason": "above_max", "rule": "pt-811-2015#24.b", "detail": "At most 350."}
        return Reply(**said)

    return answer


@pytest.mark.parametrize(
    ("verdict", "status", "problem"),
    [("rejected", 409, "rejected"), ("expired", 410, "expired"), ("busy", 503, "busy")],
)
async def test_a_no_keeps_its_reason(http, house, as_player, verdict, status, problem):
    house.answer = says(verdict)
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=as_player("alice"))
    assert (answer.status_code, problem_of(answer)) == (status, problem)
    if verdict == "rejected":
        said = answer.json()
        assert (said["reason"], said["rule"], said["detail"], said["version"]) == (
            "above_max", "pt-811-2015#24.b", "At most 350.", 5,
        )  # fmt: skip
    if verdict == "busy":
        assert answer.headers["retry-after"] == "1"


async def test_who_sent_more_than_a_table_remembers_of_one_is_told_so(http, house, as_player):
    house.answer = lambda message: Reply(
        command_id=message.id, stream=message.stream, verdict="busy", version=5, reason="over_quota"
    )
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=as_player("alice"))
    assert (answer.status_code, problem_of(answer)) == (429, "too-many-requests")
    assert (answer.headers["retry-after"], answer.json()["reason"]) == ("60", "over_quota")


async def test_no_reply_is_an_unknown_outcome(http, house, as_player):
    house.answer = lambda message: None
    answer = await http.post(f"/v1/tables/{TABLE}/acts", json=ACT, headers=as_player("alice"))
    assert (answer.status_code, problem_of(answer)) == (504, "outcome-unknown")


PLAYER_PATHS = ["/v1/session", "/v1/statement", f"/v1/tables/{TABLE}", f"/v1/tables/{TABLE}/last-hand"]


@pytest.mark.parametrize("path", PLAYER_PATHS)
async def test_players_need_a_session(http, path, operator):
    assert (await http.get(path)).status_code == 401
    assert (await http.get(path, headers=operator)).status_code == 403
    assert (await http.get(path, headers={"authorization": "Bearer nonsense"})).status_code == 401


async def test_a_player_is_no_operator(http, house, as_player):
    for path, body in [
        ("/v1/tables", NEW_TABLE),
        ("/v1/sessions", {"player": "bob"}),
        ("/v1/players/alice/deposits", {"reference": "r", "amount": 1, "currency": "EUR"}),
        (f"/v1/tables/{TABLE}/pause", {"reason": "x"}),
        (f"/v1/tables/{TABLE}/configuration", {"configuration": {}}),
        (f"/v1/tables/{TABLE}/hands/1/void", {"cause": "x"}),
        (f"/v1/tables/{TABLE}/players/bob/remove", {"reason": "x"}),
    ]:
        answer = await http.post(path, json=body, headers=as_player("alice"))
        assert (answer.status_code, problem_of(answer)) == (403, "forbidden")
        assert (await http.post(path, json=body, headers={"idempotency-key": key_of("k")})).status_code == 401
    assert (await http.get("/v1/players/alice/account", headers=as_player("alice"))).status_code == 403
    assert house.sent == []


async def test_an_expired_session(http, gateway, as_player):
    headers = as_player("alice")
    now = gateway.now()
    gateway.now = lambda: now + gateway.sessions.length_ms + 1_000
    answer = await http.get("/v1/session", headers=headers)
    assert (answer.status_code, problem_of(answer)) == (401, "session-expired")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_operator_s_commands(http, house, operator):
    async def post(path, body, key):
        answer = await http.post(path, json=body, headers=operator | {"idempotency-key": key_of(key)})
        assert answer.status_code == 200, answer.text

    money = {"reference": "bank-1", "amount": 10_000, "currency": "EUR"}
    await post("/v1/players/alice/accounts", {"currency": "EUR"}, "1")
    await post("/v1/players/alice/deposits", money, "2")
    await post("/v1/players/alice/withdrawals", money | {"kind": "demo"}, "3")
    await post(f"/v1/tables/{TABLE}/pause", {"reason": "a check"}, "4")
    await post(f"/v1/tables/{TABLE}/resume", None, "5")
    await post(f"/v1/tables/{TABLE}/close", {"reason": "night"}, "6")
    await post(f"/v1/tables/{TABLE}/players/bob/remove", {"reason": "rude"}, "8")
    await post(f"/v1/tables/{TABLE}/configuration", {"configuration": {"version": 7, "approval": "A-7"}}, "9")
    assert [(s, m.stream, m.type, m.principal.kind) for s, m, _ in house.sent] == [
        ("wallet", "account-alice-EUR", "OpenAccount", "operator"),
        ("wallet", "account-alice-EUR", "DepositFunds", "operator"),
        ("wallet", "account-alice-EUR-demo", "WithdrawFunds", "operator"),
        ("table", TABLE, "PauseTable", "operator"),
        ("table", TABLE, "ResumeTable", "operator"),
        ("table", TABLE, "CloseTable", "operator"),
        ("table", TABLE, "RemovePlayer", "operator"),
        ("table", TABLE, "ChangeConfiguration", "operator"),
    ]


async def test_a_reference_is_claimed_before_money_moves_under_it(http, house, operator):
    money = {"reference": "bank-1", "amount": 10_000, "currency": "EUR"}
    for _ in range(2):
        headers = operator | {"idempotency-key": key_of("k1")}
        assert (await http.post("/v1/players/alice/deposits", json=money, headers=headers)).status_code == 200
    [claim], [(_, deposit, _)] = house.claims, house.sent
    assert (deposit.stream, deposit.type) == ("account-alice-EUR", "DepositFunds")
    assert claim.stream == references_of(str(claim.principal), "bank-1")
    assert claim.body == money | {"player": "alice", "kind": "real", "purpose": "deposit"}
    assert claim.id != deposit.id

    house.answer = lambda message: refused(message) if message.type == "ClaimReference" else accept(message)
    answer = await http.post(
        "/v1/players/bob/deposits", json=money, headers=operator | {"idempotency-key": key_of("k2")}
    )
    assert (answer.status_code, answer.json()["reason"]) == (409, "reference_conflict")
    assert len(house.sent) == 1, "nothing was sent to the account"


@pytest.mark.parametrize(("verdict", "status"), [("rejected", 409), ("busy", 503), ("expired", 410)])
async def test_of_the_list_of_references_nobody_is_told_how_long_it_is(http, house, operator, verdict, status):
    """Found by an attacker: with one reference in each of 200 lists a platform counted what the others paid in."""

    def answer(message):
        return (
            structs.replace(refused(message), verdict=verdict) if message.type == "ClaimReference" else accept(message)
        )

    house.answer = answer
    money = {"reference": "bank-1", "amount": 10_000, "currency": "EUR"}
    for path in ("deposits", "withdrawals"):
        headers = operator | {"idempotency-key": key_of(path)}
        told = await http.post(f"/v1/players/alice/{path}", json=money, headers=headers)
        assert told.status_code == status
        assert not {"stream", "version"} & told.json().keys()
        assert "references-" not in told.text


async def test_what_a_person_may_not_move_alone_is_asked_of_a_second_one(http, house, as_staff):
    """Counted first, in the person's own stream; the same key asks for the same again, whatever was answered."""
    money = {"reference": "cage-1", "amount": 10_000, "currency": "EUR"}

    async def ask(path, key, **more):
        return await http.post(f"/v1/players/{path}", json=money | more, headers=as_staff("cashier", key=key))

    assert (await ask("alice/deposits", "k1")).status_code == 200
    counted, [deposit] = house.claims[-1], house.commands
    assert (counted.type, counted.stream, deposit.type) == ("CountCash", cash_of(counted.principal.id), "DepositFunds")
    assert counted.body == money | {"player": "alice", "purpose": "deposit"}
    assert (await ask("alice/deposits", "k2", reference="cage-2", kind="demo")).status_code == 200
    assert house.claims[-1].type == "ClaimReference", "play money is nothing to count"

    def above(message):
        if message.type == "CountCash":
            return refused(message, "needs_another")
        return accept(message) if message.type == "ClaimReference" else waits(message)

    house.answer = above
    for _ in range(2):
        answer = await ask("alice/withdrawals", "k3", reference="cage-3")
        assert (answer.status_code, answer.json()["reason"]) == (409, "waits_for_another")
    [*_, asked] = house.commands
    assert (asked.type, asked.stream, len(house.commands)) == ("RequestCash", "account-alice-EUR", 3)
    assert asked.body == {"reference": "cage-3", "purpose": "withdrawal", "amount": 10_000}

    house.answer = lambda message: refused(message) if message.type == "CountCash" else accept(message)
    answer = await ask("bob/deposits", "k4")
    assert (answer.status_code, answer.json()["reason"]) == (409, "reference_conflict")
    assert len(house.sent) == 3, "nothing was sent to the account"


def waits(message):
    return structs.replace(accept(message), reason="waits_for_another")


def refused(message, reason="reference_conflict"):
    return Reply(command_id=message.id, stream=message.stream, verdict="rejected", version=1, reason=reason)


async def test_money_never_negative_or_astronomical(http, house, operator):
    for amount in (-1, 0, 10**12 + 1, 10**30, 1.0, "5", None, True):
        body = {"reference": "r", "amount": amount, "currency": "EUR"}
        headers = operator | {"idempotency-key": key_of("k")}
        answer = await http.post("/v1/players/alice/deposits", json=body, headers=headers)
        assert answer.status_code == 422, amount
        assert answer.json()["errors"][0]["field"] == "/body/amount"
    assert house.sent == []


async def test_the_lobby_and_the_rules_need_no_login(http, house):
    house.publish(*everybody())
    [row] = (await http.get("/v1/tables")).json()["tables"]
    assert (row["name"], row["seats_taken"], row["big_blind"], row["hands_played"]) == ("Lisboa", 3, 100, 0)
    rules = (await http.get(f"/v1/tables/{TABLE}/rules")).json()
    assert rules["configuration"]["rake"]["bp"] == 500
    assert set(rules["configuration"]) == {"game", *PokerConfiguration.__struct_fields__}


async def test_the_lobby_has_pages_and_no_closed_table(http, house):
    names = [f"t-{number:02}" for number in range(7)]
    for name in reversed(names):
        house.publish(*everybody(), table=name)
    house.publish(TableClosed(table=names[3], at=1), table=names[3])
    seen, after = [], ""
    while after is not None:
        page = (await http.get("/v1/tables", params={"after": after, "limit": 2})).json()
        seen.append([row["table"] for row in page["tables"]])
        after = page["next_after"]
    assert seen == [["t-00", "t-01"], ["t-02", "t-04"], ["t-05", "t-06"], [TABLE]]
    assert (await http.get("/v1/tables", params={"limit": 501})).status_code == 422


async def test_the_session_clock(http, gateway, operator):
    """compliance GAM-15."""
    first = (await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)).json()
    second = (await http.post("/v1/sessions", json={"player": "alice"}, headers=operator)).json()
    now = gateway.now()
    gateway.now = lambda: now + 60_000
    clock = (await http.get("/v1/session", headers={"authorization": f"Bearer {second['token']}"})).json()
    assert clock["last_login"] == first["started"]
    assert clock["elapsed_ms"] >= 59_000


@pytest.mark.rule("pt-811-2015", "67")
async def test_statement_and_account_come_from_the_wallet(http, as_player, operator):
    assert (await http.get("/v1/statement", headers=as_player("alice"))).json()["asked"].startswith("/v1/players/alice")
    assert (await http.get("/v1/players/bob/account", headers=operator)).json()["asked"].startswith("/v1/players/bob")


@pytest.mark.rule("pt-811-2015", "2.d/1")
async def test_own_cards_only(http, house, gateway, as_player):
    house.publish(*everybody(), started(), dealt())
    gateway.floor.on_cards(deal_to(1, "alice"), ("As", "Ad", "7h", "4c"))
    mine = await http.get(f"/v1/tables/{TABLE}", headers=as_player("alice"))
    assert mine.json()["own"] == {"seat": 1, "cards": ["As", "Ad", "7h", "4c"]}
    for other in ("bob", "mallory"):
        answer = await http.get(f"/v1/tables/{TABLE}", headers=as_player(other))
        assert answer.json()["own"]["cards"] == []
        assert "As" not in answer.text
    assert "As" not in (await http.get("/v1/tables")).text


@pytest.mark.parametrize(("table", "other"), [(TABLE, "last-round"), (POKER, "last-hand")])
async def test_the_last_of_the_other_kind_is_a_404_that_says_which_to_ask(http, house, as_player, table, other):
    house.publish(*everybody(), *to_the_end(41))
    house.publish(told.opened(POKER), told.seated(POKER, 1), told.seated(POKER, 2, 500), table=POKER)
    house.publish(*told.antes(), *told.deal(), *told.decided(), *told.paid(), table=POKER)
    answer = await http.get(f"/v1/tables/{table}/{other}", headers=as_player("alice"))
    right = "last-hand" if other == "last-round" else "last-round"
    assert answer.status_code == 404
    assert answer.json()["type"] == f"urn:croupier:problem:no-{other.removeprefix('last-')}s-here"
    assert right in answer.json()["detail"]
    record = await http.get(f"/v1/tables/{table}/{right}", headers=as_player("alice"))
    assert record.json()["record"] == right.removeprefix("last-")


@pytest.mark.rule("pt-811-2015", "65", "2.d/2")
async def test_last_hand_of_a_folded_player(http, house, gateway, as_player):
    house.publish(*everybody(), *to_the_end())
    gateway.floor.on_cards(deal_to(2, "bob"), ("Th", "Td", "6h", "6c"))
    bob = await http.get(f"/v1/tables/{TABLE}/last-hand", headers=as_player("bob"))
    alice = await http.get(f"/v1/tables/{TABLE}/last-hand", headers=as_player("alice"))
    assert bob.json()["own"]["cards"] == ["Th", "Td", "6h", "6c"]
    assert "Td" not in alice.text
    assert (await http.get(f"/v1/tables/{TABLE}/last-hand", headers=as_player("mallory"))).status_code == 404


def deal_to(seat: int, player: str, hand: int = 41, version: int = 6):
    return PrivateDeal(table=TABLE, hand=hand, seat=seat, player=player, version=version, sealed="")


async def test_a_gap_is_told_and_the_view_stays(http, house, gateway, as_player):
    assert gateway.floor.told() is None
    house.publish_at(9, started())
    assert gateway.floor.told() == "1 tables wait for an event that is missing"
    view = (await http.get(f"/v1/tables/{TABLE}", headers=as_player("alice"))).json()
    assert (view["version"], view["hand"]) == (1, None)


async def test_the_openapi_document_is_complete(http):
    document = (await http.get("/openapi.json")).json()
    operations = [(path, method, op) for path, ops in document["paths"].items() for method, op in ops.items()]
    assert len(operations) == len(QUESTIONS) + len(DOORS)
    for path, method, operation in operations:
        assert operation["summary"], path
        assert operation["description"], path
        if method == "post":
            assert "422" in operation["responses"], path
            assert "application/problem+json" in operation["responses"]["422"]["content"]
    assert "HTTPValidationError" not in str(document)
    assert "ProblemDocument" in document["components"]["schemas"]


def test_each_row_of_the_message_tables_has_a_line_of_its_own() -> None:
    """Else `/docs` shows no table."""
    assert {line.count("|") for line in message_table().splitlines() if line} == {4}
