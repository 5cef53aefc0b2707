"""Credentials of operators' platforms: several, named, scoped, kept as digests in one file that is read again when it
changes. A token has 256 random bits, so that its SHA-256 tells nobody anything.
"""

import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec

from libs.contracts.messages import Principal
from libs.contracts.platforms import HOUSE
from libs.contracts.roles import Scope
from libs.identity.access import Caller
from libs.telemetry import get_logger

PREFIX = "croupier-operator"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
LOOK_AGAIN_S = 1.0
"""A credential that is revoked is good for so long at the most."""
_log = get_logger(__name__)


class Digest(msgspec.Struct, frozen=True):
    """One token of a credential. Times in milliseconds since the epoch; `expires` None: never."""

    sha256: str
    added: int
    expires: int | None = None


class Credential(msgspec.Struct, frozen=True):
    name: str
    scopes: list[Scope]
    digests: list[Digest]
    platform: str = HOUSE
    """Whose credential it is: all of a platform's have its name, and act on its players and tables alone."""
    daily: dict[str, int] = {}
    """Minor units that it may deposit a day (UTC) through one gateway, by currency; no bound where none is named."""

    def __post_init__(self) -> None:
        """ValueError: who is one of the house's own processes is asked for no purpose, and reads no more than they."""
        if "house" in self.scopes and len(self.scopes) > 1:
            raise ValueError("the scope `house` is for the house's own processes, and stands alone")


class CredentialFile(msgspec.Struct):
    operators: list[Credential] = []


class UnknownCredential(LookupError):
    """The file has no credential of this name."""


def read_credentials(file: Path) -> CredentialFile:
    """Empty where there is none. Raises OSError, msgspec.MsgspecError."""
    return msgspec.json.decode(file.read_bytes(), type=CredentialFile) if file.exists() else CredentialFile()


def write_credentials(file: Path, held: CredentialFile) -> None:
    """In one step: who reads it meanwhile has all of the old or all of the new."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    new.touch(mode=0o640)
    new.write_bytes(msgspec.json.format(msgspec.json.encode(held)) + b"\n")
    new.replace(file)


@contextmanager
def changing(file: Path) -> Iterator[CredentialFile]:
    """What is left in it is written, unless the block fails. One at a time: of two who change at once neither undoes
    what the other did. Raises OSError, msgspec.MsgspecError."""
    beside = os.open(file.with_name(f".{file.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(beside, fcntl.LOCK_EX)
        held = read_credentials(file)
        yield held
        write_credentials(file, held)
    finally:
        os.close(beside)


def new_token(name: str) -> str:
    return f"{PREFIX}.{name}.{secrets.token_urlsafe(32)}"


def digest_of(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def add_operator(
    file: Path,
    name: str,
    scopes: Iterable[Scope],
    now: int,
    token: str = "",
    grace_ms: int = 0,
    platform: str = HOUSE,
    daily: Mapping[str, int] = {},
) -> str:
    """The new token of a credential, kept nowhere. One that is there gets these scopes, and its old tokens go after
    `grace_ms`. ValueError for a name that is none, scopes that do not go together, or another platform's credential."""
    if not NAME.fullmatch(name) or not NAME.fullmatch(platform):
        raise ValueError("a name has 1 to 32 small letters, digits and hyphens")
    with changing(file) as held:
        before = next((each for each in held.operators if each.name == name), None)
        if before is not None and before.platform != platform:
            raise ValueError(f"{name} is a credential of the platform {before.platform}")
        made, token = _with_token(
            Credential(name, list(scopes), [], platform, dict(daily)), before, now, token, grace_ms
        )
        held.operators = [*(each for each in held.operators if each.name != name), made]
    return token


def rotate_operator(file: Path, name: str, now: int, grace_ms: int) -> str:
    """A new token of a credential that is there; all else stays. Raises `UnknownCredential`."""
    with changing(file) as held:
        before = _named(held, name)
        made, token = _with_token(before, before, now, "", grace_ms)
        held.operators = [made if each is before else each for each in held.operators]
    return token


def bound_operator(file: Path, name: str, daily: Mapping[str, int]) -> None:
    """Other daily bounds for a credential. Raises `UnknownCredential`."""
    with changing(file) as held:
        before = _named(held, name)
        after = msgspec.structs.replace(before, daily=dict(daily))
        held.operators = [after if each is before else each for each in held.operators]


def revoke_operator(file: Path, name: str) -> None:
    """Raises `UnknownCredential`."""
    with changing(file) as held:
        held.operators.remove(_named(held, name))


def _named(held: CredentialFile, name: str) -> Credential:
    for each in held.operators:
        if each.name == name:
            return each
    raise UnknownCredential(name)


def _with_token(
    wanted: Credential, before: Credential | None, now: int, token: str, grace_ms: int
) -> tuple[Credential, str]:
    """With one more digest; those before go after `grace_ms`."""
    token = token or new_token(wanted.name)
    ends = now + grace_ms
    old = [
        msgspec.structs.replace(each, expires=min(ends, each.expires or ends))
        for each in (before.digests if before is not None else ())
        if grace_ms and (each.expires is None or each.expires > now)
    ]
    return msgspec.structs.replace(wanted, digests=[*old, Digest(digest_of(token), now)]), token


@dataclass(slots=True)
class Operators:
    """Knows tokens by the file. One that can't be read any more changes nothing, and `told` says so."""

    file: Path | None
    clock: Callable[[], float] = time.monotonic
    trouble: str | None = None
    _by_digest: dict[str, tuple[Credential, Digest]] = field(default_factory=dict, repr=False)
    _daily: dict[str, dict[str, int]] = field(default_factory=dict)
    _stamp: tuple[int, int, int] | None = None
    _looked: float = -1e9

    def caller(self, token: str, now: int) -> Caller | None:
        """Who has this token; None where it is unknown, revoked or out of date."""
        self._look()
        digest = digest_of(token)
        if digest not in self._by_digest:
            self._look(at_once=True)  # it may have been made just now
        found = self._by_digest.get(digest)
        if found is None or (found[1].expires is not None and found[1].expires <= now):
            return None
        credential = found[0]
        return Caller(
            Principal("operator", credential.name), scopes=frozenset(credential.scopes), platform=credential.platform
        )

    def daily(self, name: str) -> Mapping[str, int]:
        """What a credential may deposit a day, by currency."""
        self._look()
        return self._daily.get(name, {})

    def told(self) -> str | None:
        """For `/health/ready`: what somebody must look at."""
        self._look()
        return self.trouble

    def _look(self, at_once: bool = False) -> None:
        if self.file is None or (self.clock() - self._looked < LOOK_AGAIN_S and not at_once):
            return
        self._looked = self.clock()
        try:
            status = self.file.stat()
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
            if stamp == self._stamp and self.trouble is None:
                return
            held = msgspec.json.decode(self.file.read_bytes(), type=CredentialFile)
        except (OSError, msgspec.MsgspecError) as wrong:
            if self.trouble is None:
                _log.error("credentials can't be read; those read before hold", error=type(wrong).__name__)
            self.trouble = "the file of operators' credentials can't be read; those read before hold"
            return
        self._stamp, self.trouble = stamp, None
        self._by_digest = {digest.sha256: (each, digest) for each in held.operators for digest in each.digests}
        self._daily = {each.name: each.daily for each in held.operators}
