"""The lobby and the page of a tournament, the own entry, and what only directors see and do."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from libs.contracts import tournament_play_events as p
from libs.contracts import tournament_ticket_events as k
from libs.contracts import tournaments_events as t
from libs.contracts.messages import CommandMessage, Reply
from libs.contracts.poker_events import PlayerFolded
from libs.contracts.tournaments_commands import ProposeTournament
from libs.edge.shares import Share
from services.gateway.app import doorkeeper
from services.gateway.app.doorkeeper import Spendable
from services.gateway.app.gateway import Gateway
from tests.gateway import hands
from tests.gateway.app.test_doorkeeper import money
from tests.gateway.conftest import House
from tests.testkit.keys import key_of
from tests.tournament.course import START, Course, definition, why
from tests.tournament.samples import tournament_samples

PAGE = "/v1/tournaments/t-1"

WHY = {"croupier-purpose": "a complaint"}


def told(kind: type[Any]) -> Any:
    return next(each for each in tournament_samples() if isinstance(each, kind))


async def test_everybody_sees_lobby_and_page(http: httpx.AsyncClient, house: House) -> None:
    [row] = (await http.get("/v1/tournaments")).json()["tournaments"]
    assert (row["tournament"], row["name"], row["status"], row["entries"]) == ("t-1", "Sunday", "registering", 0)
    assert row["buy_in"] == {"amount": 2_200, "prize": 2_000, "fee": 200, "bounty": 0}
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    page = (await http.get(PAGE)).json()
    assert (page["entries"], page["pool"], page["unregister_until"], page["prevails"]) == (1, 2_000, START, "pt")
    assert page["definition"]["payouts"] == [{"entries": 2, "shares": [6_500, 3_500]}]
    assert "ann" not in str(page), "who plays is shown to nobody who has not logged in"
    assert (await http.get("/v1/tournaments/t-9")).status_code == 404


@pytest.mark.rule("pt-810-2015", "56/1")
@pytest.mark.rule("pt-810-2015", "59/1")
async def test_the_rules_are_there_in_portuguese_which_prevails(http: httpx.AsyncClient, house: House) -> None:
    texts = {"pt": "Torneio de póquer Omaha.", "en": "An Omaha tournament."}
    house.publish_tournament(
        replace(told(t.TournamentProposed), definition=definition(rules=texts)), told(t.TournamentAnnounced),
        tournament="t-2",
    )  # fmt: skip
    page = (await http.get("/v1/tournaments/t-2")).json()
    assert (page["rules"], page["prevails"]) == (texts, "pt"), (
        "beside the other language, and named as the one that holds"
    )
    assert (await http.get(PAGE)).json()["rules"].keys() == {"pt"}
    refused = Course(rules={"en": "An Omaha tournament."}).proposed
    assert why(refused) == ("bad_definition", "pt-810-2015#56")


async def test_a_player_sees_the_own_entry(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    async def entry(name: str) -> tuple[str, str | None, int]:
        shown = (await http.get(f"{PAGE}/entry", headers=as_player(name))).json()
        return shown["status"], shown["entry"], shown["paid"]

    assert await entry("ann") == ("none", None, 0)
    house.publish_tournament(told(t.PaymentDue))
    assert await entry("ann") == ("being_paid", "entry-ann", 0)
    house.publish_tournament(told(t.PlayerRegistered))
    assert await entry("ann") == ("registered", "entry-ann", 3_200)
    assert await entry("bob") == ("none", None, 0)
    house.publish_tournament(told(t.PlayerUnregistered))
    assert await entry("ann") == ("none", None, 0)


async def test_a_player_sees_the_own_tickets_and_registers_with_one(
    http: httpx.AsyncClient, house: House, as_player: Any
) -> None:
    async def shown(name: str = "ann") -> tuple[list[str], str | None]:
        entry = (await http.get(f"{PAGE}/entry", headers=as_player(name))).json()
        return [ticket["ticket"] for ticket in entry["tickets"]], entry["ticket"]

    issued = told(k.TicketIssued)
    registered = replace(told(t.PlayerRegistered), with_ticket=issued.ticket)
    house.publish_tournament(issued)
    assert (await shown(), await shown("bob")) == (([issued.ticket], None), ([], None))
    house.publish_tournament(registered)
    assert await shown() == ([], issued.ticket)
    house.publish_tournament(told(t.PlayerUnregistered), told(k.TicketRestored))
    assert await shown() == ([issued.ticket], None)
    cash = replace(told(t.CreditsDue), credits=[t.Credit("c", issued.ticket, "ann", ticket=issued.amount)])
    house.publish_tournament(cash)
    assert await shown() == ([], None)


async def test_statement_summary_and_result_are_for_who_may_have_them(
    http: httpx.AsyncClient, house: House, as_player: Any, as_staff: Any
) -> None:
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    own = (await http.get(f"{PAGE}/statement", headers=as_player("ann"))).json()
    assert (own["paid"], own["fee"], own["net"], own["currency"]) == (3_200, 200, -3_200, "EUR")
    assert [(line["what"], line["amount"], line["at"]) for line in own["lines"]] == [("entry", -3_200, START)]
    assert (await http.get(f"{PAGE}/statement", headers=as_player("bob"))).json()["lines"] == []
    assert (await http.get(f"{PAGE}/summary", headers=as_player("ann"))).json()["type"].endswith("no-result")
    house.publish_tournament(told(t.TournamentStarted), told(p.StartDrawn), told(p.TournamentCompleted))
    ots = (await http.get(f"{PAGE}/summary", headers=as_player("ann"))).json()["ots"]
    assert ots["tournament_finishes_and_winnings"][0]["player_name"] == ots["hero_player_name"] == "ann"
    assert (await http.get(f"{PAGE}/summary", headers=as_player("bob"))).status_code == 404, "bob took no part"
    result = await http.get(f"{PAGE}/result.csv", headers=as_staff("auditor") | WHY)
    assert result.headers["content-type"].startswith("text/csv")
    assert result.text.splitlines()[1].startswith("1,1,ann,1,")
    assert (await http.get(f"{PAGE}/result.csv", headers=as_staff("dealer") | WHY)).status_code == 403
    assert (await http.get(f"{PAGE}/result.csv", headers=as_player("ann"))).status_code == 403


async def test_whom_the_house_blocks_plays_a_running_tournament_on(
    http: httpx.AsyncClient, gateway: Gateway, house: House, as_staff: Any, as_player: Any
) -> None:
    """Also between two of its tables; who is out of it is not in play."""
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    path, headers = "/v1/players/ann/block", as_staff("security")

    async def in_play() -> bool:
        await asyncio.sleep(0.3)
        answer = await http.put(path, json={"reason": "list"}, headers=headers)
        return bool(answer.json()["in_play"])

    assert not await in_play()
    seated = replace(told(p.EntrySeated), entry="entry-ann")
    house.publish_tournament(told(t.TournamentStarted), told(p.StartDrawn), seated)
    assert await in_play()
    assert not gateway.standing.in_play("bob", gateway.now())
    ann = as_player("ann")
    gone = replace(told(p.EntryEliminated), entry="entry-ann")
    house.publish_tournament(replace(told(p.RebuyOffered), entry="entry-ann"))
    await asyncio.sleep(0.3)
    assert (await http.post(f"{PAGE}/rebuy", json={}, headers=ann)).status_code == 200, "whose refusal puts them out"
    house.publish_tournament(replace(told(p.RebuyDeclined), entry="entry-ann"), gone)
    assert not await in_play()
    assert (await http.post(f"{PAGE}/rebuy", json={}, headers=ann)).status_code == 403


async def test_a_session_that_the_house_ends_plays_a_hand_on_and_no_tournament(
    http: httpx.AsyncClient, gateway: Gateway, house: House, as_staff: Any, as_player: Any
) -> None:
    """Who had stolen it would go on for hours. The player comes in anew, and plays."""
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered), told(t.TournamentStarted))
    house.publish_tournament(told(p.StartDrawn), replace(told(p.EntrySeated), entry="entry-ann"))
    house.publish_tournament(replace(told(p.RebuyOffered), entry="entry-ann"))
    table = replace(hands.opened(), configuration=hands.configuration(tournament="t-1"))
    seats = {1: "ann", 2: "bob", 3: "carol"}
    entrants = [hands.seated(seat, player) for seat, player in seats.items()]
    house.publish(table, *entrants, hands.started(41, seats))
    now = gateway.now()
    gateway.now = lambda: now
    ann = as_player("ann")
    ending = await http.delete("/v1/players/ann/sessions", headers=as_staff("support") | WHY)
    assert ending.json()["in_play"] is True
    assert (await http.get("/v1/session", headers=ann)).status_code == 200
    rebuy = await http.post(f"{PAGE}/rebuy", json={}, headers=ann)
    assert (rebuy.status_code, rebuy.json()["type"].rpartition(":")[2]) == (401, "session-ended")
    house.publish(PlayerFolded(hand=41, seat=1, player="ann", actor="player"))
    await asyncio.sleep(0.3)
    assert gateway.standing.in_play("ann", now)
    assert (await http.get("/v1/session", headers=ann)).status_code == 401
    gateway.now = lambda: now + 2
    assert (await http.post(f"{PAGE}/rebuy", json={}, headers=as_player("ann"))).status_code == 200


async def test_a_proposal_is_the_directors_alone(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    house.publish_tournament(told(t.TournamentProposed), tournament="t-2")
    assert [row["tournament"] for row in (await http.get("/v1/tournaments")).json()["tournaments"]] == ["t-1"]
    assert (await http.get("/v1/tournaments/t-2")).status_code == 404
    shown = (await http.get("/v1/tournaments/t-2/director", headers=as_staff("floor") | WHY)).json()
    assert (shown["status"], shown["definition"]["starts_at"]) == ("proposed", START)
    assert (await http.get("/v1/tournaments/t-2/director", headers=as_staff("cashier") | WHY)).status_code == 403


async def test_directors_see_the_refund_sheet_and_the_trail(
    http: httpx.AsyncClient, house: House, as_staff: Any
) -> None:
    house.publish_tournament(told(t.CancellationProposed))
    shown = (await http.get(f"{PAGE}/director", headers=as_staff("supervisor") | WHY)).json()
    assert shown["refund_sheet"]["credits"] == [
        {"credit": "entry-ann.refund", "entry": "entry-ann", "player": "ann", "prize": 2_000, "fee": 200, "ticket": 0,
         "bounty": 1_000}
    ]  # fmt: skip
    assert [(act["what"], act["by"]) for act in shown["trail"]] == [
        ("TournamentProposed", "floor-1"), ("TournamentAnnounced", "supervisor-1"),
        ("CancellationProposed", "floor-1"),
    ]  # fmt: skip
    house.publish_tournament(told(t.TournamentCancelled))
    assert (await http.get(PAGE)).json()["cause"] == "technical"
    assert (await http.get("/v1/tournaments")).json()["tournaments"] == []


async def test_registering_makes_the_id_of_the_entry(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    for _ in range(2):
        answer = await http.post(f"{PAGE}/register", headers=as_player("alice"))
        assert answer.status_code == 200, answer.text
    [(service, message, _)] = house.sent
    assert (service, message.stream, message.principal.id) == ("tournament", "t-1", "alice")
    assert message.body == {"entry": f"entry-{message.id}", "ticket": None, "price": 2_200}
    assert (await http.post("/v1/tournaments/t-9/register", headers=as_player("alice", "k2"))).status_code == 404


async def test_lists_find_what_is_over_what_waits_and_what_is_ones_own(
    http: httpx.AsyncClient, house: House, as_staff: Any, as_player: Any
) -> None:
    async def names(path: str, kind: str = "tournaments", headers: Any = None) -> tuple[list[str], str | None]:
        shown = (await http.get(f"/v1/{path}", headers=headers)).json()
        return [row["tournament"] for row in shown[kind]], shown["next_after"]

    house.publish_tournament(told(t.TournamentProposed), tournament="t-2")
    for name in ("t-3", "t-4"):
        opened = (told(t.TournamentProposed), told(t.TournamentAnnounced), told(t.RegistrationOpened))
        house.publish_tournament(*opened, told(k.TicketIssued), tournament=name)
    house.publish_tournament(told(t.TournamentCancelled), tournament="t-4")
    assert await names("tournaments") == (["t-1", "t-3"], None)
    assert await names("tournaments?limit=1") == (["t-1"], "t-1")
    assert await names("tournaments?limit=1&after=t-1") == (["t-3"], None)
    assert await names("tournaments?status=cancelled") == (["t-4"], None)
    assert (await http.get("/v1/tournaments?status=proposed")).status_code == 422
    assert await names("proposals", headers=as_staff("supervisor")) == (["t-2"], None)
    proposal = (await http.get("/v1/proposals", headers=as_staff("floor"))).json()["tournaments"][0]
    assert (proposal["status"], proposal["by"]) == ("proposed", "floor-1")
    assert (await http.get("/v1/proposals", headers=as_staff("cashier"))).status_code == 403
    assert await names("entries", "entries", as_player("ann")) == (["t-3", "t-4"], None)
    assert await names("entries", "entries", as_player("bob")) == ([], None)


async def test_who_cannot_pay_for_an_entry_is_told_so_at_once(
    http: httpx.AsyncClient, house: House, as_player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a wallet that has no account to answer for."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.0)
    gateway = house.gateway
    assert gateway is not None
    asked = money(gateway, 2_199, 2_199, 2_200, 0)
    answer = await http.post(f"{PAGE}/register", headers=as_player("ann", "k1"))
    assert (answer.status_code, answer.json()["reason"]) == (409, "insufficient_funds")
    assert (asked, house.sent) == ([("ann", "real", "EUR")] * 2, [])
    for _ in range(2):
        answer = await http.post(f"{PAGE}/register", headers=as_player("ann", "k1"))
        assert answer.status_code == 200, "paid by then; and asked again it is the same answer"
    assert len(house.sent) == 1
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    assert (await http.post(f"{PAGE}/register", headers=as_player("ann", "k2"))).status_code == 200, "the tournament's"
    house.publish_tournament(told(k.TicketIssued))
    ticket = {"ticket": told(k.TicketIssued).ticket}
    assert (await http.post(f"{PAGE}/register", json=ticket, headers=as_player("ann", "k3"))).status_code == 200
    assert len(asked) == 3
    assert [message.body["price"] for message in house.commands] == [2_200, 2_200, 0], "a ticket pays for it"


async def test_who_enters_for_nothing_has_an_account_that_may_be_paid(
    http: httpx.AsyncClient, house: House, as_player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who had none won a prize that was covered and never paid."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.0)
    gateway = house.gateway
    assert gateway is not None
    proposed = told(t.TournamentProposed)
    free = definition(buy_in={"amount": 0, "prize": 0, "fee": 0}, guarantee=10_000)
    announced = (replace(proposed, definition=free), told(t.TournamentAnnounced), told(t.RegistrationOpened))
    house.publish_tournament(*announced, tournament="t-free")
    found = [Spendable(0, 0, False)] * 2 + [Spendable(0)]

    async def look(player: str, book: str, currency: str) -> Spendable:
        return found.pop(0)

    gateway.doorkeeper.books = SimpleNamespace(available=look)
    answer = await http.post("/v1/tournaments/t-free/register", headers=as_player("ann", "k1"))
    assert (answer.status_code, answer.json()["reason"], house.sent) == (409, "no_account", [])
    answer = await http.post("/v1/tournaments/t-free/register", headers=as_player("ann", "k1"))
    assert (answer.status_code, found) == (200, [])
    assert [message.body["price"] for message in house.commands] == [0]


async def test_a_crowd_that_takes_no_part_keeps_nobody_from_a_tournament(
    http: httpx.AsyncClient, house: House, as_player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by an attacker (issue 11): sessions without money used up what everybody's rebuys were taken from."""
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.0)
    gateway = house.gateway
    assert gateway is not None
    gateway.doorkeeper.entrants.share = Share(0.001, 2)
    money(gateway, *[0] * 6, *[2_200] * 9)
    for number in range(20):
        for path in ("unregister", "rebuy", "complaints"):
            body = {"text": "unfair"} if path == "complaints" else None
            refused = await http.post(f"{PAGE}/{path}", json=body, headers=as_player(f"p{number}", f"{path}{number}"))
            assert (refused.status_code, refused.json()["reason"]) == (409, "not_registered")
    for number in range(3):
        refused = await http.post(f"{PAGE}/register", headers=as_player(f"p{number}", f"register{number}"))
        assert (refused.status_code, refused.json()["reason"]) == (409, "insufficient_funds")
    assert house.sent == [], "no commit of the tournament, and no place in what it remembers"
    registered = [await http.post(f"{PAGE}/register", headers=as_player(f"q{n}", f"q{n}")) for n in range(3)]
    assert [answer.status_code for answer in registered] == [200, 200, 429], "those with money share"
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    assert (await http.post(f"{PAGE}/unregister", headers=as_player("ann", "own"))).status_code == 200


async def test_who_has_no_ticket_takes_nothing_of_what_entrants_share(
    http: httpx.AsyncClient, house: House, as_player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by an attacker: tickets that nobody has kept those with money out of a tournament."""
    gateway = house.gateway
    assert gateway is not None
    gateway.doorkeeper.entrants.share = Share(0.001, 1)
    money(gateway, 2_200)
    opened = told(t.TournamentProposed), told(t.TournamentAnnounced), told(t.RegistrationOpened)
    house.publish_tournament(*opened[:2], tournament="t-2")
    issued = told(k.TicketIssued)
    house.publish_tournament(replace(issued, player="bob"))
    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 0.0)

    async def asks(player: str, tournament: str = "t-1", **body: str) -> tuple[int, str | None]:
        path = f"/v1/tournaments/{tournament}/register"
        headers = as_player(player, f"{player}{tournament}{body}")
        answer = await http.post(path, json=body, headers=headers)
        return answer.status_code, answer.json().get("reason")

    for number in range(3):
        assert await asks(f"p{number}", ticket="x") == (409, "unknown_ticket")
        assert await asks(f"p{number}", ticket=issued.ticket) == (409, "not_transferable")
        assert await asks(f"p{number}", "t-2") == (409, "registration_closed")
        assert await asks(f"p{number}", "t-2", ticket="x") == (409, "registration_closed")
    assert house.sent == [], "no commit of the tournament, and no place in what it remembers"

    monkeypatch.setattr(doorkeeper, "LOOK_AGAIN_S", 1.0)
    asyncio.get_running_loop().call_later(0.3, lambda: house.publish_tournament(opened[2], tournament="t-2"))
    for tournament in ("t-2", "t-1"):
        assert (await asks("rich", tournament))[0] == 200, "the view was a moment behind; each has its share"
    assert (await asks("late"))[0] == 429
    assert (await asks("bob", ticket=issued.ticket))[0] == 200, "whose ticket it is"


async def test_who_directs_is_the_role_s_matter(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    body = {"tournament": "t-3", **ProposeTournament.example}

    def announced(message: CommandMessage) -> Reply:
        house.publish_tournament(told(t.TournamentProposed), tournament=message.stream)
        return Reply(command_id=message.id, stream=message.stream, verdict="accepted", version=1)

    house.answer = announced
    assert (await http.post("/v1/tournaments", json=body, headers=as_staff("cashier"))).status_code == 403
    assert (await http.post("/v1/tournaments", json=body, headers=as_staff("floor", "k2"))).status_code == 200
    approve = "/v1/tournaments/t-3/approve"
    assert (await http.post(approve, headers=as_staff("floor", "k3"))).status_code == 403
    assert (await http.post(approve, headers=as_staff("supervisor", "k4"))).status_code == 200
    assert [message.type for message in house.commands] == ["ProposeTournament", "ApproveTournament"]
    page = (await http.get("/v1/tournaments/t-3/director", headers=as_staff("floor") | WHY)).json()
    assert house.commands[-1].body == {"digest": page["digest"]}, "of the rules that the page shows"


async def test_who_approves_a_satellite_hears_that_its_target_does_not_take_it(
    http: httpx.AsyncClient, house: House, as_staff: Any
) -> None:
    refused = iter([told(k.ApprovalFailed), told(t.TournamentAnnounced)])

    def answered(message: CommandMessage) -> Reply:
        house.publish_tournament(told(k.TargetAsked), next(refused), tournament="t-3")
        return Reply(
            command_id=message.id, stream=message.stream, verdict="accepted", version=house.versions["t-3"] - 1
        )

    house.publish_tournament(told(t.TournamentProposed), tournament="t-3")
    house.answer = answered
    answer = await http.post("/v1/tournaments/t-3/approve", headers=as_staff("supervisor"))
    assert (answer.status_code, answer.json()["reason"]) == (409, "target_refuses")
    assert answer.json()["detail"].endswith(" not_answered.")
    page = (await http.get("/v1/tournaments/t-3/director", headers=as_staff("floor") | WHY)).json()
    assert (page["status"], page["approval"]["target"], page["approval"]["failed"]) == (
        "approval_failed", "t-2", "not_answered",
    )  # fmt: skip
    assert [(act["what"], act["reason"]) for act in page["trail"][1:]] == [
        ("TargetAsked", ""), ("ApprovalFailed", "not_answered"),
    ]  # fmt: skip
    assert (await http.post("/v1/tournaments/t-3/approve", headers=as_staff("supervisor", "k2"))).status_code == 200
    page = (await http.get("/v1/tournaments/t-3/director", headers=as_staff("floor") | WHY)).json()
    assert (page["status"], page["approval"]["failed"]) == ("announced", None)


async def test_an_entry_that_came_to_nothing_says_why(http: httpx.AsyncClient, house: House, as_player: Any) -> None:
    async def failed() -> tuple[str, str | None]:
        shown = (await http.get(f"{PAGE}/entry", headers=as_player("ann"))).json()
        return shown["status"], shown["failed"]

    house.publish_tournament(told(t.PaymentDue), told(t.PaymentFailed))
    assert await failed() == ("none", "insufficient_funds")
    house.publish_tournament(told(t.PaymentDue))
    assert await failed() == ("being_paid", None)


async def test_directors_act_on_one_player_each_by_role(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    acts: dict[str, tuple[str, dict[str, Any], str]] = {
        "disqualify": ("supervisor", {"reason": "two seats"}, "DisqualifyPlayer"),
        "release": ("supervisor", {"reason": "the appeal was right"}, "ReleasePrize"),
        "finalize": ("supervisor", {"reason": "the time to appeal is over"}, "FinalizeDisqualification"),
        "confirm-exclusion": ("supervisor", {"reason": "seen on the list"}, "ConfirmExclusion"),
        "move": ("floor", {"table": 2, "reason": "cannot see"}, "MovePlayer"),
    }
    for act, (role, body, _) in acts.items():
        path = f"{PAGE}/players/ann/{act}"
        for other in ("cashier", "support", *(("floor",) if role == "supervisor" else ())):
            assert (await http.post(path, json=body, headers=as_staff(other, f"{act}-{other}"))).status_code == 403
        assert (await http.post(path, json={**body, "reason": ""}, headers=as_staff(role))).status_code == 422
        answer = await http.post(path, json=body, headers=as_staff(role, f"{act}-2"))
        assert answer.status_code == 200, answer.text
    assert [(m.type, m.body) for m in house.commands] == [
        (name, {"player": "ann", **body}) for _, body, name in acts.values()
    ]


async def test_what_is_held_of_a_disqualified_player_is_told_to_directors_and_to_the_player(
    http: httpx.AsyncClient, house: House, as_staff: Any, as_player: Any
) -> None:
    async def seen() -> tuple[list[Any], int, int, Any]:
        page = (await http.get(f"{PAGE}/director", headers=as_staff("floor") | WHY)).json()
        entry = (await http.get(f"{PAGE}/entry", headers=as_player("ann"))).json()
        lines = (await http.get(f"{PAGE}/statement", headers=as_player("ann"))).json()
        return page["withheld"], entry["held"], lines["held"], entry["barred"]

    assert await seen() == ([], 0, 0, None)
    house.publish_tournament(told(t.PlayerDisqualified), told(t.PrizesWithheld))
    barred = {"why": "disqualified", "reason": "two seats", "at": START}
    withheld = {
        "player": "ann", "entry": "entry-ann", "prize": 3_000, "bounty": 0, "disqualified_by": "supervisor-1",
        "reason": "two seats",
    }  # fmt: skip
    assert await seen() == ([withheld], 3_000, 3_000, barred)
    house.publish_tournament(told(t.DisqualificationFinal))
    assert await seen() == ([], 0, 0, barred)
    trail = (await http.get(f"{PAGE}/director", headers=as_staff("floor") | WHY)).json()["trail"]
    assert [(act["what"], act["by"]) for act in trail[-2:]] == [
        ("PlayerDisqualified", "supervisor-1"), ("DisqualificationFinal", "supervisor-2"),
    ]  # fmt: skip


async def test_directors_see_that_everybody_is_away(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    async def since() -> tuple[int | None, Any]:
        shown = (await http.get(f"{PAGE}/director", headers=as_staff("floor") | WHY)).json()
        return shown["all_away_since"], shown["trail"][-1]

    house.publish_tournament(told(t.TournamentStarted), told(p.EverybodyAway))
    at, alarm = await since()
    assert (at, alarm["what"], alarm["by"]) == (START, "EverybodyAway", "house")
    house.publish_tournament(replace(told(p.AbsenceHeard), away=""))
    assert (await since())[0] is None


async def test_a_flood_of_registrations_is_turned_away_at_the_door(
    http: httpx.AsyncClient, house: House, as_player: Any
) -> None:
    status = []
    for number in range(60):
        headers = as_player("alice") | {"idempotency-key": key_of(f"f{number}")}
        status.append((await http.post(f"{PAGE}/register", headers=headers)).status_code)
    assert status[:50] == [200] * 50
    assert status[-1] == 429


async def test_who_of_the_staff_looks_at_entrants_says_what_for_and_it_is_kept_first(
    http: httpx.AsyncClient, house: House, as_staff: Any
) -> None:
    for path, role in ((f"{PAGE}/director", "floor"), (f"{PAGE}/result.csv", "auditor")):
        silent = await http.get(path, headers=as_staff(role))
        assert (silent.status_code, silent.json()["errors"][0]["field"]) == (422, "/query/purpose")
        assert house.reads == []
        assert (await http.get(path, headers=as_staff(role) | WHY)).status_code in (200, 404)
        [kept] = house.reads
        assert (kept["target"], kept["purpose"], kept["roles"]) == (path, "a complaint", [role])
        house.audit_answers = 503
        unkept = await http.get(path, headers=as_staff(role) | WHY)
        assert (unkept.status_code, unkept.json()["type"]) == (503, "urn:croupier:problem:record-unavailable")
        house.reads, house.audit_answers = [], 204


async def test_nobody_has_rules_judged_without_end(http: httpx.AsyncClient, house: House, as_staff: Any) -> None:
    """A definition of 200 levels costs the process of all tournaments some milliseconds each time."""
    assert house.gateway is not None
    house.gateway.doorkeeper.proposals.share = Share(0.001, 2)

    async def approve(who: str, key: str) -> int:
        return (await http.post(f"{PAGE}/approve", headers=as_staff("supervisor", key, who))).status_code

    assert [await approve("ana", key) for key in ("k1", "k2", "k3")] == [200, 200, 429]
    assert await approve("ana", "k1") == 200, "the same answer again costs nothing"
    assert await approve("eva", "k1") == 200, "a share of each one's own"
    declined = await http.post(f"{PAGE}/decline", json={"reason": "too late"}, headers=as_staff("supervisor", "k4"))
    assert declined.status_code == 200, "all else goes on"


async def test_a_page_is_written_once_for_all_strangers(
    http: httpx.AsyncClient, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await http.get(PAGE)
    monkeypatch.setattr("services.gateway.http.tournaments.page_of", lambda *_: pytest.fail("written again"))
    again = await http.get(PAGE)
    assert (again.status_code, again.headers["content-type"]) == (200, "application/json")
    assert again.json() == first.json()
    monkeypatch.undo()
    house.publish_tournament(told(t.PaymentDue), told(t.PlayerRegistered))
    assert (await http.get(PAGE)).json()["entries"] == 1
