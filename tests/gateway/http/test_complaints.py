"""A tournament through the gateway's doors and its own decider: complaints, languages, shown chips (41, 55, 60)."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import httpx
import pytest

from libs.contracts import tournament_play_commands as heard
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_events as told
from libs.contracts.messages import CommandMessage, Reply
from libs.decider import Rejected
from services.tournament.machine import decode_command
from tests.gateway.conftest import House
from tests.testkit.cases import Case
from tests.tournament.course import MINUTE, POLICY, START, Course, done, why
from tests.tournament.directed import Directed

REGULATION = "pt-810-2015"
PAGE = "/v1/tournaments/t-4"
TEXTS = {"pt": "Os limites sobem a cada dez minutos.", "en": "The limits rise every fifteen minutes."}

WHY = {"croupier-purpose": "a complaint"}


class Behind:
    """A running tournament behind the gateway: what it is asked it decides, what it tells is published."""

    def __init__(self, house: House, **rules: Any) -> None:
        self.house, self.tournament, self._seen = house, Directed(9, **rules), 0
        house.answer = self._answer
        self.publish()

    @property
    def course(self) -> Course:
        return self.tournament.course

    def publish(self) -> None:
        self.house.publish_tournament(*self.course.events[self._seen :], tournament="t-4")
        self._seen = len(self.course.events)

    def _answer(self, message: CommandMessage) -> Reply:
        decided = self.course.ask(message.principal, decode_command(message))
        self.publish()
        reason, rule = (decided.reason, decided.rule) if isinstance(decided, Rejected) else (None, None)
        return Reply(
            command_id=message.id, stream=message.stream, verdict="rejected" if reason else "accepted",
            version=self._seen, reason=reason, rule=rule,
        )  # fmt: skip


Asks = Callable[..., Any]


@pytest.mark.rule(REGULATION, "55/1")
async def test_a_complaint_names_the_hand_and_the_rules_and_is_decided_with_a_reason(
    http: httpx.AsyncClient, house: House, as_player: Asks, as_staff: Asks, case: Case
) -> None:
    behind, hand = Behind(house), case["hand"]
    done(behind.course.ask(POLICY, heard.HearDeal(table=1, hand=hand, button=1, began=behind.course.now)))
    behind.publish()

    async def complains(number: int, key: str, name: str = "p1") -> httpx.Response:
        body = {"text": "the pot was mine", "table": 1, "hand": number}
        return await http.post(f"{PAGE}/complaints", json=body, headers=as_player(name, key))

    refused = await complains(hand + 1, "k1")
    assert (refused.status_code, refused.json()["reason"]) == (409, "unknown_hand")
    assert (await complains(hand, "k2", "nobody")).json()["reason"] == "not_registered"
    assert (await complains(hand, "k3")).status_code == 200
    [own] = (await http.get(f"{PAGE}/entry", headers=as_player("p1"))).json()["complaints"]
    rules = behind.course.state.rules
    assert own["record"] == f"/v1/hands/t-4.t1/{hand}", "the record of the hand, which nobody can change"
    assert (own["rulebook"], own["rules"]) == (rules.rulebook, sha256(rules.rules["pt"].encode()).hexdigest())
    assert (own["text"], own["upheld"], own["reason"]) == ("the pot was mine", None, None)
    assert (await http.get(f"{PAGE}/entry", headers=as_player("p2"))).json()["complaints"] == []

    decide = f"{PAGE}/complaints/{own['complaint']}/decide"
    verdict = {"upheld": False, "reason": "the record shows the better hand"}
    assert (await http.post(decide, json=verdict, headers=as_staff("floor", "k4"))).status_code == 403
    assert (await http.post(decide, json={**verdict, "reason": ""}, headers=as_staff("supervisor"))).status_code == 422
    assert (await http.post(decide, json=verdict, headers=as_staff("supervisor", "k5"))).status_code == 200
    again = await http.post(decide, json=verdict, headers=as_staff("supervisor", "k6"))
    assert again.json()["reason"] == "unknown_complaint"
    shown = (await http.get(f"{PAGE}/director", headers=as_staff("supervisor") | WHY)).json()
    [closed] = shown["complaints"]
    assert (closed["upheld"], closed["reason"]) == (False, verdict["reason"])
    assert closed["decided_by"] == shown["trail"][-1]["by"] != "house"
    assert shown["trail"][-1]["what"] == "ComplaintDecided"


@pytest.mark.rule(REGULATION, "60/1")
async def test_the_portuguese_text_decides_and_the_choice_of_a_language_is_on_record(
    http: httpx.AsyncClient, house: House, as_player: Asks, as_staff: Asks
) -> None:
    behind = Behind(house, rules=TEXTS)
    chosen = START + 7 * MINUTE
    behind.course.now = chosen
    language = f"{PAGE}/language"
    wrong = await http.post(language, json={"language": "fr"}, headers=as_player("p1", "k1"))
    assert wrong.json()["reason"] == "unknown_language"
    assert (await http.post(language, json={"language": "en"}, headers=as_player("p1", "k2"))).status_code == 200
    behind.course.now = chosen + MINUTE
    assert (await http.post(language, json={"language": "en"}, headers=as_player("p1", "k3"))).status_code == 200
    body = {"text": "it says fifteen minutes"}
    for name in ("p1", "p2"):
        assert (
            await http.post(f"{PAGE}/complaints", json=body, headers=as_player(name, f"c-{name}"))
        ).status_code == 200
    shown = (await http.get(f"{PAGE}/director", headers=as_staff("supervisor") | WHY)).json()["complaints"]
    assert [(each["player"], each["language"], each["chosen_at"], each["record"]) for each in shown] == [
        ("p1", "en", chosen, None), ("p2", "pt", 0, None),
    ]  # fmt: skip
    page = (await http.get(PAGE)).json()
    assert page["prevails"] == "pt"
    in_force = sha256(page["rules"]["pt"].encode()).hexdigest()
    assert {each["rules"] for each in shown} == {in_force}
    decide = f"{PAGE}/complaints/{shown[0]['complaint']}/decide"
    verdict = {"upheld": False, "reason": "dez minutos"}
    assert (await http.post(decide, json=verdict, headers=as_staff("supervisor", "k4"))).status_code == 200
    [decided] = behind.tournament.of(told.ComplaintDecided)
    assert decided.rules == in_force, "the text that decides is the Portuguese one"


@pytest.mark.rule(REGULATION, "41/2")
async def test_everybody_starts_with_the_same_chips(
    http: httpx.AsyncClient, house: House, as_player: Asks, case: Case
) -> None:
    chips = [{"value": value, "count": count} for count, value in case["composition"]]
    level = [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}]
    behind = Behind(
        house, starting_stack=case["stack"], composition=chips, late_entry={"ms": 5 * MINUTE}, levels=level, seats=5
    )
    behind.tournament.course.register("late", START + MINUTE)
    behind.tournament.course.paid("entry-late", START + MINUTE)
    behind.publish()
    assert behind.tournament.of(play.EntrySeated)[-1].player == "late"

    async def seat(name: str) -> Any:
        return (await http.get(f"{PAGE}/entry", headers=as_player(name))).json()["seat"]

    for name in ("p1", "p9", "late"):
        shown = await seat(name)
        assert (shown["chips"], shown["shown"]) == (case["stack"], sorted(chips, key=lambda each: -each["value"]))
    behind.tournament.becomes("entry-p1", case["stack"] + 150)
    behind.publish()
    shown = (await seat("p1"))["shown"]
    assert sum(each["value"] * each["count"] for each in shown) == case["stack"] + 150
    refused = Course(starting_stack=case["stack"] + 25, composition=chips).proposed
    assert why(refused) == ("bad_definition", f"{REGULATION}#41")
