"""What very many have in common: told with who reported it; who reports it of many hides no two others."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts import wallet_events as w
from libs.projecting import Pool
from services.audit.incidents import incidents
from services.audit.integrity import in_common
from services.audit.integrity.cases import Case, cases, open_cases
from services.audit.integrity.checks import look
from services.audit.integrity.in_common import Reports, of_most, shared_by_many
from services.audit.verifying.findings import Kind
from tests.audit.integrity.folded import shared_identity
from tests.audit.integrity.test_checks import hand
from tests.audit.integrity.test_job import known_to
from tests.audit.scripted import T0, Script, evening

NOW = T0 + 86_400_000
DIGEST = "5f" * 16


@pytest.fixture(autouse=True)
def two_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_common, "MOST_SHARE", 2)


def reported(*reports: tuple[str, str], kind: Any = "device") -> Script:
    """`reports`: by whom, and names of players, of all of whom the same was reported."""
    script = evening()
    for by, players in reports:
        for player in players.split():
            script.at_wallet(player, w.SignalReported, by=by, report=f"r-{by}", kind=kind, value=DIGEST)
    return script


async def told(pool: Pool) -> list[tuple[str, str, str]]:
    async with pool.acquire() as connection:
        found, _ = await incidents(connection)
    assert {each.kind for each in found} <= {Kind.SHARED_BY_MANY}
    return [(each.severity, each.stream, each.detail) for each in found]


@pytest.mark.stack
@pytest.mark.parametrize("by", ["staff:support-1", "operator:acme"])
async def test_who_reports_it_of_many_takes_nobody_elses_evidence_away_and_is_named(database: str, by: str) -> None:
    pool = await known_to(database, reported(("operator:o", "ann bob"), (by, "ann bob cem")))
    (case,) = await look(pool, NOW)
    assert (case.kind, case.players) == ("shared_identity", ("ann", "bob"))
    detail = (
        f"3 players of these thirty days have one device in common: 3 as {by} reports, 2 as operator:o reports; "
        f"no evidence is what is reported by {by}"
    )
    assert await told(pool) == [("major", f"signal-device-{DIGEST}", detail)]
    await pool.close()


@pytest.mark.stack
async def test_what_one_person_alone_says_of_several_is_one_case_and_further_players_are_told(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by an attacker: an hour's typing opened 125 cases among strangers, and a true one among them was lost."""
    pool = await known_to(database, reported(("staff:s", "ann bob")))
    (two,) = await look(pool, NOW)
    assert two.players == ("ann", "bob")
    monkeypatch.setattr(in_common, "MOST_SHARE", 50)

    await pool.execute(
        "insert into account_signals (account, report, player, kind, value, at, by, mark)"
        " values ('a-cem', 'r-s', 'cem', 'device', $1, 1, 'staff:s', '')", DIGEST,
    )  # fmt: skip
    (three,) = await look(pool, NOW)
    assert three.players == ("ann", "bob", "cem")
    assert await look(pool, NOW) == []
    async with pool.acquire() as connection:
        four = replace(three, players=(*three.players, "dan"))
        assert await open_cases(connection, [four], NOW, None) == [four], "somebody new is worth a look"
        assert await open_cases(connection, [four], NOW, None) == []
        shown, _ = await cases(connection)
    assert [row["players"] for row in shown] == [["ann", "bob", "cem", "dan"]]
    await pool.close()


def _told_of(*said: tuple[str, str]) -> list[Case]:
    """`said`: by whom, of whom; all of them in one hand."""
    device = Reports()
    for player in sorted({player for _, players in said for player in players.split()}):
        device.add(player, [by for by, players in said if player in players.split()])
    names = sorted({player for _, players in said for player in players.split()})
    hands = [hand(number, players=dict(enumerate(names, 1))) for number in (1, 2)]
    return shared_identity(hands, {("device", "d"): device})


def test_of_one_person_alone_all_pairs_are_one_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_common, "MOST_SHARE", 50)
    (case,) = _told_of(("staff:s", "ann bob cem dan"), ("staff:S", "cem"))
    assert (case.players, case.hands) == (("ann", "bob", "cem", "dan"), (("t1", 1), ("t1", 2)))
    assert (case.evidence["shared"], case.evidence["reported_by"]) == (["device"], ["staff:S", "staff:s"])
    assert case.evidence["pairs"][0] == {"players": ("ann", "bob"), "shared": ["device"]}
    assert len(case.evidence["pairs"]) == 6
    (more,) = _told_of(("staff:s", "ann bob cem dan eve"))
    assert more.identity == case.identity
    platforms = _told_of(("operator:o", "ann bob cem"))
    assert [each.players for each in platforms] == [("ann", "bob"), ("ann", "cem"), ("bob", "cem")]


def _each_of(**said: list[tuple[str, str]]) -> list[Case]:
    """Devices, and by whom each was reported of whom; all are in one hand."""
    shared: dict[tuple[str, str], Reports] = {}
    names = sorted({player for each in said.values() for _, players in each for player in players.split()})
    for value, each in said.items():
        reports = shared["device", value] = Reports()
        for player in names:
            if reporters := [by for by, players in each if player in players.split()]:
                reports.add(player, reporters)
    return shared_identity([hand(1, players=dict(enumerate(names, 1)))], shared)


def test_a_value_for_each_pair_makes_them_no_cases_of_their_own() -> None:
    """Found by an attacker: six reports, three devices, three cases that looked like true ones."""
    (case,) = _each_of(d1=[("staff:s", "ann bob")], d2=[("staff:s", "cem dan")], d3=[("staff:s", "eve fay")])
    assert case.players == ("ann", "bob", "cem", "dan", "eve", "fay")
    told = [each["players"] for each in case.evidence["pairs"]]
    assert told == [("ann", "bob"), ("cem", "dan"), ("eve", "fay")]
    (one,) = _each_of(d4=[("staff:s", "ann zoe")])
    assert one.identity == case.identity, "also the first of them"
    digest = f"staff:sub:{'a' * 40}:{{}}"
    (case,) = _each_of(d1=[(digest.format("b"), "ann bob")], d2=[(digest.format("c"), "cem dan")])
    assert case.players == ("ann", "bob", "cem", "dan"), "spelled in two ways"


def test_what_others_say_of_both_is_a_case_of_its_own_and_no_others() -> None:
    """Neither is a true one taken among false ones, nor do false ones become true by what is true of one of the two."""
    both = [("operator:o", "ann bob")]
    found = _each_of(d1=[*both, ("staff:s", "ann bob")], d2=[("staff:s", "cem dan")], d3=[("staff:s", "ann bob")])
    assert [each.players for each in found] == [("ann", "bob"), ("cem", "dan")]
    assert found[0].identity == _each_of(d1=both)[0].identity
    (known,) = _each_of(d1=[("operator:o", "ann"), ("staff:s", "bob cem")])
    assert known.players == ("ann", "bob", "cem"), "of a value that is true of one"
    two_people = _each_of(d1=[("staff:s", "ann bob"), ("staff:t", "ann bob")], d2=[("staff:s", "ann cem")])
    assert [each.players for each in two_people] == [("ann", "bob"), ("ann", "cem")]
    each_a_half = _each_of(d1=[("staff:s", "ann"), ("staff:t", "bob cem")])
    assert [each.players for each in each_a_half] == [("ann", "bob", "cem"), ("bob", "cem")]


def test_a_crowd_in_a_freeroll_hides_no_two_at_a_table_for_money() -> None:
    """Nor are a pair's hands of both two cases."""
    there = hand(1, players={1: "ann", 2: "bob", 3: "cem"}, at=NOW)
    two, three = Reports(), Reports()
    for player in ("ann", "bob", "cem"):
        three.add(player, ["operator:o"])
        if player != "cem":
            two.add(player, ["operator:o"])
    device, address = ("device", "d"), ("address", "a")
    (case,) = shared_identity([hand(2)], {device: two}, ([there], {device: three, address: two}))
    assert (case.players, case.hands) == (("ann", "bob"), (("t1", 2), ("t1", 1)))
    assert case.evidence == {"shared": ["address", "device"], "reported_by": ["operator:o"]}
    assert shared_identity([], {device: two}, ([there], {device: three})) == []
    assert of_most({device: two, address: three}, {device: three, address: two}) == {device: three, address: three}


@pytest.mark.stack
async def test_a_platforms_own_crowd_is_no_evidence_and_is_told(database: str) -> None:
    pool = await known_to(database, reported(("operator:o", "ann bob cem"), kind="address"))
    assert await look(pool, NOW) == []
    ((_, stream, detail),) = await told(pool)
    assert stream == f"signal-address-{DIGEST}"
    assert "3 as operator:o reports; no evidence is what is reported by operator:o" in detail
    await pool.close()


@pytest.mark.stack
async def test_a_value_is_told_once_and_once_more_when_somebody_else_reports_it_of_many(database: str) -> None:
    pool = await known_to(database, reported(("operator:o", "ann bob"), ("staff:s", "bob cem")))
    found = list[str]()

    async def looked() -> list[str]:
        found.clear()
        await look(pool, NOW, on_finding=lambda each: found.append(each.detail.partition("; ")[2]))
        return found

    async def further(by: str, player: str) -> None:
        await pool.execute(
            "insert into account_signals (account, report, player, kind, value, at, by, mark)"
            " values ('a-' || $1, 'r-' || $2, $1, 'device', $3, 1, $2, '')", player, by, DIGEST,
        )  # fmt: skip

    assert await looked() == ["no evidence is what is reported by nobody"]
    assert await looked() == []
    await further("operator:p", "ann")
    assert await looked() == [], "it is known"
    await further("staff:s", "ann")
    assert await looked() == ["no evidence is what is reported by staff:s"]
    await further("operator:p", "bob")
    assert await looked() == []
    await further("", "ann")
    assert await looked() == []
    await pool.close()


def test_strangers_that_one_reports_of_many_are_no_case_and_the_evidence_says_whose_word_it_is() -> None:
    device = Reports()
    for player, by in {"ann": "operator:o", "bob": "operator:o", "cem": "", "dan": "staff:s", "eve": "staff:s"}.items():
        device.add(player, [by])
    device.add("fay", ["staff:s"])
    together = hand(1, players=dict(enumerate(("ann", "bob", "cem", "dan", "eve", "fay"), 1)))
    found = shared_identity([together], {("device", "d"): device})
    assert {case.players: case.evidence["reported_by"] for case in found} == {
        ("ann", "bob"): ["operator:o"],
        ("ann", "cem"): ["operator:o", "somebody unknown"],
        ("bob", "cem"): ["operator:o", "somebody unknown"],
    }


def test_of_very_many_reporters_the_first_are_named() -> None:
    device = Reports()
    for number in range(40):
        device.add(f"p{number}", [f"staff:s{number % 12:02}"])
    (told_of,) = shared_by_many({("device", "d"): device})
    assert "4 as staff:s00 reports, " in told_of.detail
    assert "staff:s09 reports, 2 more; no evidence is what is reported by staff:s00, " in told_of.detail
    assert told_of.detail.endswith(", staff:s09, 2 more")
