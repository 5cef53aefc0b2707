"""What takes rows away from whoever looks for them is told: sequences that number elsewhere, months that the next crash
empties. And lists show a row by its mark, whatever its number is."""

import msgspec
import pytest

from libs.edge.paging import Place, place_of
from libs.identity.reads import Reads, breaks, of_audit
from libs.journal.mark_keys import Plan, marks_of
from libs.projecting import Connection, Pool
from services.audit.database_shape import misshapen
from services.audit.incidents import incidents, record
from services.audit.integrity.cases import Case, cases, open_cases
from services.audit.verifying.findings import Finding, Kind
from tests.audit.test_database_logins import server
from tests.audit.test_database_roads import told
from tests.audit.test_reads import pool, read

pytestmark = pytest.mark.stack
__all__ = ["pool", "server"]
MARKS = marks_of("audit", bytes(range(32)), Plan())
NOW = 1_790_000_000_000
PART = "audit.histories_beyond"
CASES = "audit.cases_id_seq"
MINE = "create access method mine type table handler heap_tableam_handler; alter table {} set access method mine"
ELSEWHERE = "set allow_system_table_mods = on; update pg_class set reltablespace = 1663 where oid = '{}'::regclass"
MOVED = f"""alter table audit.histories detach partition {PART};
            alter table audit.histories attach partition {PART} for values from (4102444800001) to (maxvalue)"""
DOWN = "alter id set increment by -1 set minvalue -9223372036854775808 restart with -1"
LEAST = "alter id restart with -9223372036854775808"


@pytest.mark.parametrize(
    "done",
    [
        {
            f"alter table audit.incidents {DOWN}": "audit.incidents_id_seq",
            f"alter sequence {CASES} start 7": CASES,
            f"alter sequence {CASES} maxvalue 100": CASES,
            f"alter sequence {CASES} cycle": CASES,
            f"alter sequence {CASES} cache 1000": CASES,
            f"alter sequence {CASES} as int": CASES,
            f"alter sequence {CASES} set unlogged": CASES,
            "alter sequence wallet.reads_id_seq increment 2": "wallet.reads_id_seq",
            "create sequence wallet.x": "wallet.x",
        },
        {
            "alter table wallet.writing_marks set unlogged": "wallet.writing_marks",
            f"alter table {PART} set unlogged": PART,
            f"alter table {PART} replica identity nothing": PART,
            "alter table audit.cases replica identity full": "audit.cases",
            MOVED: PART,
            MINE.format("audit.cases"): "audit.cases",
            MINE.format("audit.histories"): "audit.histories",
            MINE.format(PART): PART,
            ELSEWHERE.format("audit.cases"): "audit.cases",
            ELSEWHERE.format(PART): PART,
        },
        {
            "alter table audit.cases alter id drop identity": "audit.cases",
            "set role croupier; create sequence audit.cases_id owned by audit.cases.id; reset role": "audit.cases_id",
        },
        {
            f"alter table {PART} set (autovacuum_enabled = false, fillfactor = 50)": "",
            "alter table audit.cases set (autovacuum_vacuum_scale_factor = 0.01)": "",
            "alter table audit.incidents alter id restart with 7": "",
        },
    ],
    ids=["numbers", "kept", "gone", "whose who runs the server"],
)
async def test_what_loses_rows_is_told(server: Connection, done: dict[str, str]) -> None:
    for each, what in done.items():
        tried = server.transaction()
        await tried.start()
        await server.execute(each)
        said = list(await told(server))
        await tried.rollback()
        if "drop identity" in each:
            gone = [f"the relation {CASES}", f"the rights of croupier_audit in {CASES}"]
            assert said == [f"the relation {what}", *gone]
        else:
            assert said == ([f"the relation {what}"] if what else []), each


async def test_each_month_is_for_its_own(server: Connection) -> None:
    """Also those of a leap year, of a year's end, and before 2000's zones."""
    for parent in ("audit.histories", "wallet.transfers"):
        schema, name = parent.split(".")
        await server.execute(f"set search_path to {schema}; set timezone to 'America/St_Johns'")
        for month in ("2024-02", "2024-12", "2026-03", "2026-10"):
            await server.execute(f"select make_month('{name}', '{month}')")
    assert await told(server) == {}
    await server.execute(
        "alter table wallet.transfers detach partition wallet.transfers_2024_02;"
        "alter table wallet.transfers attach partition wallet.transfers_2024_02"
        " for values from (1706745600000) to (1709251200001)"
    )
    assert list(await told(server)) == ["the relation wallet.transfers_2024_02"]


async def test_the_look_at_months_locks_none_of_them(server: Connection) -> None:
    """Who takes several out would wait for the look, and the look for him."""
    await misshapen(server)
    locked = "select relation::regclass::text from pg_locks where pid = pg_backend_pid() and locktype = 'relation'"
    names = {row[0] for row in await server.fetch(locked)}
    assert not {each for each in names if each.endswith(("_before", "_beyond"))}


async def test_numbers_that_others_have_had_are_told_to_the_auditor(server: Connection) -> None:
    await server.execute("set search_path to audit")
    await record(server, [Finding(Kind.ACCOUNT, "ledger", f"account {n}") for n in range(3)], NOW, MARKS)
    assert await told(server) == {}, "an incident takes the last number that was given"
    await server.execute("set role croupier_audit")
    assert await told(server) == {}
    ends = ((f"{2**63 - 1}, true", True), (f"{2**63 - 1_000}, false", True), ("1000000000000, true", False))
    for last, said in (("3, true", False), ("3, false", True), ("2, true", True), *ends):
        await server.execute(f"reset role; select setval('incidents_id_seq', {last}); set role croupier_audit")
        assert list(await told(server)) == (["the next number of audit.incidents_id_seq"] if said else []), last
    await server.execute(
        """reset role; insert into wallet.reads overriding system value
           values (7, 0, '', '{}', '{}', '', '', '', '', '', ''); set role croupier_audit"""
    )
    assert list(await told(server)) == ["the next number of wallet.reads_id_seq"]


async def test_lists_begin_at_the_first_row_there_is(server: Connection) -> None:
    await server.execute(f"set search_path to audit; alter table incidents {DOWN}; alter table cases {DOWN}")
    for n in range(4):
        if n == 3:
            await server.execute(f"alter table incidents {LEAST}; alter table cases {LEAST}")
        await record(server, [Finding(Kind.ACCOUNT, "ledger", f"account {n}")], NOW, MARKS)
        await open_cases(server, [Case(kind="soft_play", players=(str(n),), hands=(), evidence={})], NOW, MARKS)
    for after, limit, ids, further in ((None, 2, [-(2**63), -3], -3), (-3, 3, [-2, -1], None)):
        rows, more = await incidents(server, after, limit, MARKS)
        assert ([each.id for each in rows], more) == (ids, further)
        opened, more = await cases(server, after, limit, MARKS)
        assert ([each["id"] for each in opened], more) == (ids, further)


async def test_reads_are_paged_and_walked_whatever_their_numbers_are(pool: Pool) -> None:
    async with pool.acquire() as connection:
        await connection.execute(f"alter table reads {DOWN}; alter table reads {LEAST}")
    reads, own = Reads(pool, MARKS, of_audit("audit")), of_audit("audit")
    for n in range(3):
        if n == 1:
            await pool.execute("alter table reads alter id restart with -5")
        await reads.record(msgspec.structs.replace(read(5), principal=f"staff:{n}"))
    shown, behind = list[str](), place_of("9" * 18)
    while True:
        page, further = await reads.kept(behind, 1)
        shown += [each.principal for each in page]
        if further is None:
            break
        assert place_of(further.cursor()) == further, "as whoever asks gives it back"
        behind = further
    assert sorted(shown) == ["staff:0", "staff:1", "staff:2"]
    async with pool.acquire() as connection:
        found = await breaks(connection, own, MARKS)
    assert [each.split(" of ")[0] for each in found] == ["row -6", "row -5"], "the smallest number is walked, too"


def test_a_place_has_any_number_there_is() -> None:
    assert place_of("5") == Place(5)
    assert place_of("5~reads~-9223372036854775808") == Place(5, "reads", -(2**63))
    assert place_of(f"5~reads~{10**19 - 1}") == Place(5, "reads", 2**63 - 1)
