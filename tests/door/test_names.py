"""Whose name a login says, and that a broker is asked about platforms' alone."""

import asyncio
from struct import pack

import pytest
from aiokafka.protocol.admin import (
    SaslAuthenticateRequest_v0,
    SaslAuthenticateRequest_v1,
    SaslAuthenticateResponse_v0,
    SaslAuthenticateResponse_v1,
)

from libs.broker.rules import house_rules, platform_login, services
from libs.contracts.topics import INSPECTOR
from libs.door.sasl import failure, may_come, mechanism_in, name_in
from libs.stack.logins import house_users
from tests.door.asking import compact, framed, request, text
from tests.door.behind import GOOD, Behind, login_of, opened, refused

SHAKE = request(17, 1, text("SCRAM-SHA-512"))
VERSIONS = (0, 1, 2)
AS = b"n,,n=%b,r=0123abc"
LONG = "platform-" + 31 * "a"


def first(said: bytes, version: int = 1) -> bytes:
    if version < 2:
        return request(36, version, framed(said))
    length = len(said) + 1
    size = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
    return request(36, version, size + said + b"\0", flexible=True)


def frame(client: bytes, body: bytes, version: int = 1) -> bytes:
    return framed(pack(">hhi", 36, version, 7) + client + body)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["platform-acme", "wallet", "admin", LONG, 64 * "x"])
def test_the_name_is_read_in_every_version(name: str, version: int) -> None:
    assert name_in(first(AS % name.encode(), version)) == name
    assert name_in(first(b"n,a=%b,n=%b,r=%b" % (name.encode(), name.encode(), 300 * b"r"), version)) == name


def test_a_client_without_a_name_of_its_own_says_one_too() -> None:
    assert name_in(frame(b"\xff\xff", framed(AS % b"platform-acme"))) == "platform-acme"
    assert name_in(frame(text(""), framed(AS % b"platform-acme"))) == "platform-acme"


@pytest.mark.parametrize(
    "sent",
    {
        "none": first(b""),
        "as PLAIN says it": first(b"\0platform-acme\0password"),
        "as OAUTHBEARER says it": first(b"n,a=platform-acme,\x01auth=Bearer x\x01\x01"),
        "of a token": first(AS % b"platform-acme" + b",tokenauth=true"),
        "with another behind it": first(b"n,,n=wallet,r=xn,,n=platform-acme,r=x"),
        "with another before it": first(b"n,,n=platform-acme,n=wallet,r=x"),
        "with a reserved extension": first(b"n,,m=x,n=platform-acme,r=x"),
        "escaped": first(b"n,,n=platform-acme=2Cx,r=x"),
        "with channel binding": first(b"p=tls-unique,,n=platform-acme,r=x"),
        "with a line behind it": first(AS % b"platform-acme" + b"\n"),
        "with a line in it": first(AS % b"platform-acme\nwallet"),
        "of letters that are no ASCII": first(AS % "platform-acmé".encode()),
        "too long": first(AS % (65 * b"x")),
        "in the client's own name": frame(text("n,,n=platform-acme,r=x"), framed(b"x,,n=wallet,r=x")),
        "with bytes behind it": frame(text("x"), framed(AS % b"platform-acme") + b"\0"),
        "said to be longer": frame(text("x"), pack(">i", 99) + AS % b"platform-acme"),
        "said to be shorter": frame(text("x"), pack(">i", 5) + AS % b"platform-acme"),
        "without an end of the client's": frame(pack(">h", 500), b""),
        "with a client of length -2": frame(pack(">h", -2), framed(AS % b"platform-acme")),
        "with tags before it": frame(text("x") + b"\1\0\0", compact("n,,n=platform-acme,r=x") + b"\0", 2),
        "with tags behind it": frame(text("x") + b"\0", compact("n,,n=platform-acme,r=x") + b"\1\0\0", 2),
        "with a longer length than it needs": frame(
            text("x") + b"\0", b"\x97\x00n,,n=platform-acme,r=x\0", 2
        ),
        "of a newer Kafka": frame(text("x") + b"\0", compact("n,,n=platform-acme,r=x") + b"\0", 3),
        "of an impossible version": frame(text("x"), framed(AS % b"platform-acme"), -1),
    }.values(),
)  # fmt: skip
def test_what_a_broker_could_read_otherwise_is_no_name(sent: bytes) -> None:
    assert name_in(sent) is None


def test_every_platform_may_come_and_nobody_of_the_house() -> None:
    assert may_come(platform_login("acme"))
    assert may_come(platform_login(31 * "a"))
    of_the_house = {*services(), *house_users(), INSPECTOR, "admin", *(each.login for each in house_rules())}
    assert "wallet" in of_the_house
    assert not [
        each for each in (*of_the_house, "platform", "Platform-acme", "xplatform-acme", "", None) if may_come(each)
    ]


def test_a_mechanism_is_one_s_name_or_nothing() -> None:
    assert mechanism_in(SHAKE) == "SCRAM-SHA-512"
    for sent in (request(17, 1, text("SCRAM\nX")), request(17, 1, text(21 * "X")), request(17, 1, b"")):
        assert mechanism_in(sent) == ""


def test_the_failure_is_one_that_clients_read() -> None:
    for version, question, answer in (
        (0, SaslAuthenticateRequest_v0, SaslAuthenticateResponse_v0),
        (1, SaslAuthenticateRequest_v1, SaslAuthenticateResponse_v1),
    ):
        assert version == question.API_VERSION
        said = failure(first(AS % b"wallet", version), "SCRAM-SHA-256")
        assert said[:8] == pack(">ii", len(said) - 4, 7)
        read = answer.decode(said[8:])
        assert (read.error_code, read.sasl_auth_bytes) == (58, b"")
        assert read.error_message.endswith("invalid credentials with SASL mechanism SCRAM-SHA-256")


@pytest.mark.parametrize("name", [b"wallet", b"admin", b"nobody", b"platform", b"x,tokenauth=true"])
async def test_of_a_name_that_is_no_platforms_the_broker_is_not_asked(name: bytes) -> None:
    before, behind = refused("login"), Behind()
    async with opened(behind) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        login = login_of(AS % name)
        writer.write(login)
        told = await asyncio.wait_for(reader.read(), 5)
        assert told == GOOD + failure(login[len(request(17, 1, b"\0\0")) :], "")
        assert behind.got == request(17, 1, b"\0\0")
        writer.close()
    assert refused("login") == before + 1


async def test_a_login_without_a_mechanism_is_refused_too() -> None:
    behind = Behind()
    async with opened(behind) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first(AS % b"platform-acme"))
        assert await asyncio.wait_for(reader.read(), 5) == failure(first(b""), "")
        assert not behind.got
        writer.close()
