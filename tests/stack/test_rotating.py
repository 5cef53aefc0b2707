"""A login's password is made anew: the old one opens nothing more, and the file has the new one."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import pbkdf2_hmac, sha256
from hmac import digest
from pathlib import Path
from struct import error, pack, unpack
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from aiokafka.conn import create_conn
from aiokafka.errors import KafkaError, SaslAuthenticationFailed
from typer.testing import CliRunner

from libs.broker import Broker, LoginRefused, administration, check_login
from libs.broker.administration import ITERATIONS, administering
from libs.broker.broker import MECHANISM, PLATFORMS_MECHANISM
from libs.broker.rules import CLUSTER, Operation, Resource, Rule
from libs.broker.users import LOCKED_ITERATIONS
from libs.stack import Stack, StackError, provision
from libs.stack.home import Home
from libs.stack.logins import ADMIN as ADMIN_AT_BROKER
from libs.stack.logins import Logins
from libs.stack.postgres import ADMIN, changed, verifier
from libs.stack.rotating import rotate_database, rotate_kafka, shut_kafka
from services.cli.__main__ import app


@pytest.mark.stack
async def test_at_the_broker_the_old_password_opens_nothing_more(stack: Stack, tmp_path: Path) -> None:
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    await logins.make_users(stack.admin, [user])
    own = replace(stack.admin, user=user, password_file=logins.kafka(user))
    (old := tmp_path / "old").write_text(logins.kafka(user).read_text())
    async with administering(own):
        pass
    try:
        await rotate_kafka(stack.admin, logins, user)
        assert logins.kafka(user).read_text() != old.read_text()
        assert logins.kafka(user).stat().st_mode & 0o777 == 0o600
        async with administering(own):
            pass
        with pytest.raises(KafkaError):
            async with administering(replace(own, password_file=old)):
                pass
    finally:
        async with administering(stack.admin) as at:
            await at.lock_out([user])


async def opens(own: Broker) -> bool:
    try:
        await check_login(own)
    except LoginRefused:
        return False
    return True


async def comes_to(own: Broker, *, open: bool) -> bool:
    """For the mechanism of another listener the answer to a change comes before the broker goes by it."""
    for _ in range(100):
        if await opens(own) is open:
            return True
        await asyncio.sleep(0.1)
    return False


@pytest.mark.stack
async def test_a_password_is_set_once_the_broker_goes_by_it(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker needs a few milliseconds, and some seconds under load: here the first three logins come before that."""
    user, asked = f"r{uuid4().hex[:8]}", 0

    async def late(*args: Any, **how: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked <= 3:
            raise SaslAuthenticationFailed
        return await create_conn(*args, **how)

    async with administering(stack.admin) as at:
        monkeypatch.setattr(administration, "create_conn", late)
        try:
            (tmp_path / "password").write_text("x" * 16)
            await at.set_passwords({user: "x" * 16})
            await at.passwords_hold({user: "x" * 16})
            assert asked == 4
            assert await opens(replace(stack.admin, user=user, password_file=tmp_path / "password"))
        finally:
            await at.lock_out([user])
        assert not await opens(replace(stack.admin, user=user, password_file=tmp_path / "password"))


def by_the_other(stack: Stack, user: str, password: Path) -> Broker:
    """As who has a second password for the mechanism of the other listener; behind the platforms' door it is the
    platforms'."""
    ports = Home(stack.home).ports()
    assert ports is not None
    if user.startswith("platform-"):
        return replace(stack.admin, user=user, password_file=password)
    behind = f"127.0.0.1:{ports.behind[0]}"
    return Broker(behind, user, password, stack.admin.ca_file, PLATFORMS_MECHANISM)


@pytest.mark.stack
@pytest.mark.parametrize("prefix", ["r", "platform-r"])
async def test_at_the_broker_a_second_password_opens_nothing_more(stack: Stack, tmp_path: Path, prefix: str) -> None:
    """As somebody left it there who had the administrator's once: it outlived every change of a password."""
    if "kafka" in stack.given:
        pytest.skip("a broker that was given has listeners of its own")
    logins, user = Logins(tmp_path), f"{prefix}{uuid4().hex[:8]}"
    own, other = MECHANISM, PLATFORMS_MECHANISM
    if prefix != "r":
        own, other = other, own
    await logins.make_users(stack.admin, [user], own)
    (stolen := tmp_path / "stolen").write_text("five-minutes-once")
    thief = by_the_other(stack, user, stolen)
    async with administering(stack.admin) as at:
        await at.set_passwords({user: "five-minutes-once"}, other)
        try:
            assert await comes_to(thief, open=True)
            await rotate_kafka(stack.admin, logins, user)
            assert await comes_to(thief, open=False)
            assert await at.users([user]) == {user: {own: ITERATIONS, other: LOCKED_ITERATIONS}}
        finally:
            await at.lock_out([user], own)


@pytest.mark.stack
async def test_topics_and_up_lock_second_passwords_of_the_houses_logins(stack: Stack, tmp_path: Path) -> None:
    if "kafka" in stack.given:
        pytest.skip("a broker that was given has listeners of its own")
    (stolen := tmp_path / "stolen").write_text("five-minutes-once")
    thief, platform = by_the_other(stack, "gateway", stolen), f"platform-r{uuid4().hex[:8]}"
    async with administering(stack.admin) as at:
        try:
            await at.set_passwords(
                {"gateway": "five-minutes-once", ADMIN_AT_BROKER: "five-minutes-once"}, PLATFORMS_MECHANISM
            )
            await at.set_passwords({platform: "five-minutes-once"}, MECHANISM)
            await at.passwords_hold({platform: "five-minutes-once"}, MECHANISM)
            assert await comes_to(thief, open=True)
            await provision(stack.admin, 1, f"t{uuid4().hex[:8]}.", only=())
            assert await comes_to(thief, open=False)
            assert await comes_to(by_the_other(stack, ADMIN_AT_BROKER, stolen), open=True), (
                "of brokers that others set up, too"
            )
            assert await opens(by_the_other(stack, platform, stolen))
            await stack.logins.make_house(stack.admin)  # as `up`
            assert await comes_to(by_the_other(stack, ADMIN_AT_BROKER, stolen), open=False)
            assert not await opens(by_the_other(stack, platform, stolen))
            assert await at.lock_others({platform: MECHANISM, "nobody": MECHANISM}) == []
            assert await opens(stack.admin)
        finally:  # the auditor's tests would find these passwords at the broker that they share
            await at.lock_out(["gateway", ADMIN_AT_BROKER], PLATFORMS_MECHANISM)
            await at.lock_out([platform], MECHANISM)


@pytest.mark.stack
async def test_who_is_none_of_the_houses_is_shut(stack: Stack, tmp_path: Path) -> None:
    logins, user = Logins(tmp_path), f"ghost{uuid4().hex[:8]}"
    await logins.make_users(stack.admin, [user])
    await Logins(tmp_path / "other").make_users(stack.admin, [user], PLATFORMS_MECHANISM)
    ghost = replace(stack.admin, user=user, password_file=logins.kafka(user))
    async with administering(stack.admin) as at:
        await at.give([Rule(user, Operation.ALL, Resource.CLUSTER, CLUSTER)])
        assert await opens(ghost)
        await shut_kafka(stack.admin, user)
        assert not await opens(ghost)
        assert not await at.rules(user)
        assert set((await at.users([user]))[user].values()) == {LOCKED_ITERATIONS}
    with pytest.raises(StackError, match="knows no login"):
        await shut_kafka(stack.admin, f"no{user}")


@pytest.mark.parametrize("name", ["admin", "kafka", "table", "inspector", "platform-acme"])
def test_none_of_the_houses_own_is_shut(name: str) -> None:
    told = CliRunner().invoke(app, ["login", "shut", name])
    assert isinstance(told.exception, StackError)
    assert "the house's own" in str(told.exception)


@pytest.mark.stack
async def test_at_the_database_whoever_is_in_under_the_old_one_is_out(stack: Stack, tmp_path: Path) -> None:
    if "postgres" in stack.given:
        pytest.skip("a database that was given has no superuser of ours")
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    server = await asyncpg.connect(stack.database(ADMIN))
    try:
        logins.keep_postgres({user: "first"})
        await server.execute(f"create role \"{user}\" login password '{verifier('first')}'")
        (old := Logins(tmp_path / "old")).keep_postgres({user: "first"})
        address = stack.database_url.split("@", 1)[1].split("?", 1)[0]
        stranger = await asyncpg.connect(old.database(address, user))
        assert await rotate_database(stack.database_url, logins, user) == 1
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)):
            await stranger.fetchval("select 1")
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(old.database(address, user))
        anew = await asyncpg.connect(logins.database(address, user))
        assert await anew.fetchval("select current_user") == user
        await anew.close()
        with pytest.raises(StackError, match="keeps its password at the database"):
            await rotate_database(stack.database_url, old, user)
    finally:
        await server.execute(f'drop role if exists "{user}"')
        await server.close()


@pytest.mark.stack
async def test_who_changes_it_again_and_again_is_out_and_stays_out(stack: Stack, tmp_path: Path) -> None:
    """A thief with the old password, who comes in, changes it in a transaction that stays open, and comes again."""
    if "postgres" in stack.given:
        pytest.skip("a database that was given has no superuser of ours")
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    (tmp_path / "postgres.pgpass").write_text(stack.logins.postgres(ADMIN).read_text())
    (tmp_path / "postgres.pgpass").chmod(0o600)
    thiefs = Logins(tmp_path / "thief")
    address = stack.database_url.split("@", 1)[1].split("?", 1)[0]
    server = await asyncpg.connect(stack.database(ADMIN))
    came = 0

    async def steal() -> None:
        nonlocal came
        while True:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
                own = await asyncpg.connect(thiefs.database(address, user))
                came += 1
                try:
                    while True:
                        async with own.transaction():
                            await own.execute(changed(user, "stolen"))
                            await asyncio.sleep(0.05)
                finally:
                    own.terminate()
            await asyncio.sleep(0)

    loops = []
    try:
        for each in (logins, thiefs):
            each.keep_postgres({user: "stolen"})
        await server.execute(f"create role \"{user}\" login password '{verifier('stolen')}'")
        loops = [asyncio.create_task(steal()) for _ in range(4)]
        while came < 4:
            await asyncio.sleep(0.01)
        assert await rotate_database(stack.database_url, logins, user) >= 1
        came = 0
        await asyncio.sleep(0.5)
        assert came == 0
        assert await server.fetchval("select count(*) from pg_stat_activity where usename = $1", user) == 0
        anew = await asyncpg.connect(logins.database(address, user))
        await anew.close()
    finally:
        for loop in loops:
            loop.cancel()
        await asyncio.gather(*loops, return_exceptions=True)
        await server.execute(f'drop role if exists "{user}"')
        await server.close()


async def half_a_login(address: str, user: str, password: str, then: str = "") -> Callable[[], Awaitable[bool]]:
    """A connection that has asked for its salt, as of the password that holds. The answer proves it, whenever that is
    called, says `then`, and tells whether the server let it in (PostgreSQL's protocol 3.0; RFC 5802)."""
    host, _, port = address.partition("/")[0].rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))

    async def said(wanted: int) -> bytes:
        kind, length = unpack("!cI", await reader.readexactly(5))
        body = await reader.readexactly(length - 4)
        assert (kind, unpack("!I", body[:4])[0]) == (b"R", wanted), body
        return body[4:]

    startup = f"user\0{user}\0database\0{address.partition('/')[2]}\0\0".encode()
    writer.write(pack("!II", len(startup) + 8, 196608) + startup)
    await said(10)
    first = f"n=,r={uuid4().hex}"
    asked = b"SCRAM-SHA-256\0" + pack("!I", len(first) + 3) + b"n,," + first.encode()
    writer.write(b"p" + pack("!I", len(asked) + 4) + asked)
    salted = (await said(11)).decode()
    given = dict(each.split("=", 1) for each in salted.split(","))

    async def prove() -> bool:
        try:
            last = f"c=biws,r={given['r']}"
            key = pbkdf2_hmac("sha256", password.encode(), b64decode(given["s"]), int(given["i"]))
            key = digest(key, b"Client Key", "sha256")
            mine = digest(sha256(key).digest(), f"{first},{salted},{last}".encode(), "sha256")
            proof = bytes(a ^ b for a, b in zip(key, mine, strict=True))
            answer = f"{last},p={b64encode(proof).decode()}".encode()
            writer.write(b"p" + pack("!I", len(answer) + 4) + answer)
            await said(12)
            await said(0)
            if then:
                told = then.encode() + b"\0"
                writer.write(b"Q" + pack("!I", len(told) + 4) + told)
                async with asyncio.timeout(1):
                    await reader.read()
        except TimeoutError:  # it is in, and the server waits for more
            return True
        except (AssertionError, OSError, asyncio.IncompleteReadError, error):
            return False
        finally:
            writer.close()
        return True

    return prove


@pytest.mark.stack
async def test_who_began_to_log_in_by_the_old_one_does_not_end_it(stack: Stack, tmp_path: Path) -> None:
    """The server goes by what it kept as the login began, and waits some seconds for the proof (a minute, where nobody
    has set `authentication_timeout`): long enough to sit a change out, come in and change it back."""
    if "postgres" in stack.given:
        pytest.skip("a database that was given has no superuser of ours")
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    (tmp_path / "postgres.pgpass").write_text(stack.logins.postgres(ADMIN).read_text())
    (tmp_path / "postgres.pgpass").chmod(0o600)
    address = stack.database_url.split("@", 1)[1].split("?", 1)[0]
    server = await asyncpg.connect(stack.database(ADMIN))
    try:
        await server.execute(f"create role \"{user}\" login password '{verifier('stolen')}'")
        assert await (await half_a_login(address, user, "stolen"))()
        prove = await half_a_login(address, user, "stolen")
        await rotate_database(stack.database_url, logins, user)
        assert not await prove()
        anew = await asyncpg.connect(logins.database(address, user))
        await anew.close()
    finally:
        await server.execute(f'drop role if exists "{user}"')
        await server.close()


@pytest.mark.stack
async def test_who_proves_the_old_one_while_a_login_rotates_itself_changes_nothing_for_long(
    stack: Stack, tmp_path: Path
) -> None:
    """There nobody sees who has begun to log in."""
    if "postgres" in stack.given:
        pytest.skip("a database that was given has no superuser of ours")
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    address = stack.database_url.split("@", 1)[1].split("?", 1)[0]
    server = await asyncpg.connect(stack.database(ADMIN))
    try:
        logins.keep_postgres({user: "stolen"})
        await server.execute(f"create role \"{user}\" login password '{verifier('stolen')}'")
        prove = await half_a_login(address, user, "stolen", changed(user, "stolen"))
        waits: list[float] = []
        rotating = asyncio.create_task(rotate_database(stack.database_url, logins, user, waits.append))
        before = logins.postgres(user).read_text()
        while logins.postgres(user).read_text() == before:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        assert await prove(), "it came in and said so"
        stolen = await asyncpg.connect(address_of(address, user, "stolen"))
        await stolen.close()
        assert await rotating >= 0
        assert waits, "nobody waits without knowing how long"
        assert waits[0] > 0
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(address_of(address, user, "stolen"))
        anew = await asyncpg.connect(logins.database(address, user))
        await anew.close()
    finally:
        await server.execute(f'drop role if exists "{user}"')
        await server.close()


def address_of(address: str, user: str, password: str) -> str:
    return f"postgresql://{user}:{password}@{address}"


@pytest.mark.stack
async def test_a_login_that_is_shut_is_rotated_again(stack: Stack, tmp_path: Path) -> None:
    """As where the command was interrupted."""
    if "postgres" in stack.given:
        pytest.skip("a database that was given has no superuser of ours")
    logins, user = Logins(tmp_path), f"r{uuid4().hex[:8]}"
    (tmp_path / "postgres.pgpass").write_text(stack.logins.postgres(ADMIN).read_text())
    (tmp_path / "postgres.pgpass").chmod(0o600)
    server = await asyncpg.connect(stack.database(ADMIN))
    try:
        await server.execute(f'create role "{user}" nologin')
        assert await rotate_database(stack.database_url, logins, user) == 0
        address = stack.database_url.split("@", 1)[1].split("?", 1)[0]
        anew = await asyncpg.connect(logins.database(address, user))
        await anew.close()
    finally:
        await server.execute(f'drop role if exists "{user}"')
        await server.close()


async def test_how_to_connect_is_kept_of_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def connect(address: str, **_: object) -> None:
        asked.append(address)
        raise OSError("nobody there")

    monkeypatch.setattr(asyncpg, "connect", connect)
    given = "postgresql://croupier:secret@[::1]:5433/house?passfile=/theirs&sslmode=verify-full&sslrootcert=/ca.pem"
    with pytest.raises(StackError, match="wallet keeps its password"):
        await rotate_database(given, Logins(tmp_path), "wallet")
    (address,) = asked
    passfile = f"passfile={tmp_path}/wallet.pgpass"
    assert address == f"postgresql://wallet@[::1]:5433/house?{passfile}&sslmode=verify-full&sslrootcert=/ca.pem"


def test_files_alone_for_where_operators_read_them(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["login", "rotate", "wallet", "--files-only", "--logins", str(tmp_path)])
    assert told.exit_code == 0, told.output
    kafka, database = (tmp_path / "wallet.kafka").read_text(), (tmp_path / "wallet.pgpass").read_text()
    assert database.startswith("*:*:*:wallet:")
    assert kafka.strip() not in told.output
    assert database.rsplit(":", 1)[1].strip() not in told.output
    again = CliRunner().invoke(app, ["login", "rotate", "table", "--files-only", "--logins", str(tmp_path)])
    assert again.exit_code == 0
    assert not (tmp_path / "table.pgpass").exists(), "it has no login at the database"
    listed = CliRunner().invoke(app, ["login", "list", "--logins", str(tmp_path)]).output
    assert [line.split()[1:] for line in listed.splitlines() if line.startswith("wallet ")] == [["file", "file"]]


def test_who_is_nobody_has_no_password(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["login", "rotate", "nobody", "--files-only", "--logins", str(tmp_path)])
    assert isinstance(told.exception, StackError)
    assert "there is no login nobody" in str(told.exception)
    assert not list(tmp_path.iterdir())
