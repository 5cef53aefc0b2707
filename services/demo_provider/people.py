"""Who may log in at the demo's provider: a file of people with roles and passwords as scrypt digests."""

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import scrypt
from pathlib import Path

import msgspec

from libs.contracts.roles import ROLES, Role

MOST_FAILURES, LOCK_S = 3, 300.0
"""After three wrong passwords in a row nobody logs in under that name for five minutes (SEC-7)."""


class Person(msgspec.Struct, frozen=True):
    subject: str
    roles: list[Role]
    salt: str
    digest: str


def made(subject: str, roles: list[Role], password: str) -> Person:
    salt = secrets.token_bytes(16)
    return Person(subject, roles, salt.hex(), _digest(password, salt).hex())


def demo_people(folder: Path) -> Path:
    """The file of one person for each role and two for those that agree in twos, made where it is missing.

    `people.txt` beside it has their passwords in clear, for their owner alone: demo and tests only.
    """
    file, clear = folder / "people.json", folder / "people.txt"
    if not file.exists():
        names: dict[str, Role] = {role: role for role in ROLES}
        names |= {"supervisor-2": "supervisor", "cashier-2": "cashier"}
        passwords = {name: secrets.token_urlsafe(12) for name in names}
        people = [made(name, [role], passwords[name]) for name, role in names.items()]
        for path in (file, clear):
            path.touch(mode=0o600)
        clear.write_text("".join(f"{name} {password}\n" for name, password in passwords.items()))
        file.write_bytes(msgspec.json.encode(people))
    return file


def demo_passwords(folder: Path) -> dict[str, str]:
    return dict(line.split() for line in (folder / "people.txt").read_text().splitlines())


@dataclass(slots=True)
class People:
    held: dict[str, Person]
    clock: Callable[[], float] = time.monotonic
    _failures: dict[str, tuple[int, float]] = field(default_factory=dict, repr=False)

    def log_in(self, name: str, password: str) -> Person | None:
        """None for a wrong name or password, and for one that is locked: nobody is told which."""
        person = self.held.get(name)
        count, last = self._failures.get(name, (0, 0.0))
        if count >= MOST_FAILURES and self.clock() - last < LOCK_S:
            return None
        salt = bytes.fromhex(person.salt) if person is not None else b"\0" * 16
        right = hmac.compare_digest(_digest(password, salt).hex(), person.digest if person is not None else "")
        if person is not None and right:
            self._failures.pop(name, None)
            return person
        if person is not None:
            self._failures[name] = (count + 1, self.clock())
        return None


def read_people(file: Path) -> People:
    return People({person.subject: person for person in msgspec.json.decode(file.read_bytes(), type=list[Person])})


def _digest(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
