"""In which order a restore closes, writes, judges and opens; on a log: tests/stack/test_killed_restore.py."""

from pathlib import Path
from typing import Any, cast

import pytest

from libs.broker import Broker
from libs.contracts.house import HouseClosed, HouseCreated
from libs.stack import Stack, StackError
from libs.stack.provision import TopicState
from services.cli import restore
from services.cli.backups import evidence
from services.cli.backups.files import Backup
from services.cli.restore import Report, open_restored, restore_into
from services.cli.surroundings import Surroundings
from services.cli.verify import Report as Verified
from tests.cli.backups.test_standing import nothing

HERE = HouseCreated("here", 1, 1, 1)
MOVED = HouseCreated("moved", 2, 1, 1)
DRIFT = {"message.timestamp.type": ("LogAppendTime", "CreateTime")}


class Failed(Verified):
    @property
    def failures(self) -> int:
        return 1


class House:
    """What is done to it, in order."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.made = Backup(1, 1, "", (), (), (), partitions=1)
        self.drift: list[TopicState] = []
        self.differs = False
        self.fails = False
        self.closed: HouseClosed | None = HouseClosed("here", True, "", 1)

    def at(self) -> Surroundings:
        class Servers:
            database_url = ""
            admin = Broker("127.0.0.1:1")

        class At(Surroundings):
            def marks_of(self, process: str) -> Any:
                return None

        return At(cast(Stack, Servers()))

    async def say(self, broker: Broker, marks: Any, prefix: str, what: HouseCreated | HouseClosed) -> None:
        said = f"{what.house} {what.incarnation}" if isinstance(what, HouseCreated) else _word(what)
        self.done.append(said)

    async def restored(self, verify: bool = True, house: HouseCreated | None = HERE) -> Report:
        return await restore_into(self.at(), 1, Path(), verify, None, False, nothing, house)

    async def opened(self) -> Report:
        return await open_restored(self.at(), Path(), None, False, nothing)


def _word(what: HouseClosed) -> str:
    return f"{what.house} {'closed' if what.closed else 'open'}"


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    made = House()

    class Joined:
        def __init__(self, *_: Any) -> None:
            pass

        async def join(self) -> None:
            pass

        def leave(self) -> None:
            pass

    async def passes(*_: Any, **__: Any) -> None:
        pass

    async def write(*_: Any) -> int:
        made.done.append("written")
        return 7

    async def inspected(*_: Any) -> list[TopicState]:
        return made.drift

    async def read_back(at: Any, folder: Any, backup: Any, report: Report, tell: Any) -> None:
        made.done.append("read back")
        report.differences += ["a record"] if made.differs else []

    async def walk(at: Any, backup: Any, report: Report, tell: Any) -> None:
        made.done.append("walked")
        report.verified = Failed() if made.fails else Verified()

    async def records_at(*_: Any) -> tuple[HouseCreated | None, HouseClosed | None]:
        return HERE, made.closed

    monkeypatch.setattr(restore, "checked", lambda *_: made.made)
    monkeypatch.setattr(restore, "Cluster", Joined)
    monkeypatch.setattr(evidence, "check_empty", passes)
    for name in ("check_empty", "put_positions", "_cut"):
        monkeypatch.setattr(restore, name, passes)
    for name, does in (
        ("_write", write), ("inspect", inspected), ("say", made.say), ("_read_back", read_back), ("_walk", walk),
        ("records_at", records_at),
    ):  # fmt: skip
        monkeypatch.setattr(restore, name, does)
    return made


async def test_it_opens_behind_everything_else(house: House) -> None:
    assert (await house.restored()).opened
    assert house.done == ["here closed", "written", "read back", "walked", "here open"]
    house.done.clear()
    assert (await house.restored(verify=False)).opened
    assert house.done == ["here closed", "written", "here open"]


@pytest.mark.parametrize("wrong", ["differs", "fails", "drift"])
async def test_what_is_not_as_it_should_be_stays_closed(house: House, wrong: str) -> None:
    """It was opened before anybody looked, and ended with status 1."""
    house.differs, house.fails = wrong == "differs", wrong == "fails"
    house.drift = [TopicState("t", 1, DRIFT)] if wrong == "drift" else []
    report = await house.restored()
    assert (report.good, report.opened, "here open" in house.done) == (False, False, False)
    house.done.clear()
    assert (await house.opened()).opened is (wrong == "fails"), "what was found may be of before the backup"
    assert house.done == ["read back", *["here open"] * (wrong == "fails")]


async def test_of_a_house_that_was_moved_it_is_closed_before_and_behind(house: House) -> None:
    house.made = Backup(1, 1, "", (), (), (), partitions=1, house=MOVED)
    await house.restored(verify=False)
    assert house.done == ["here closed", "moved 2", "moved closed", "written", "moved open"]


async def test_who_moves_a_house_opens_it(house: House) -> None:
    assert not (await house.restored(house=None)).opened
    assert house.done == ["written", "read back", "walked"]


@pytest.mark.parametrize("closed", [None, HouseClosed("here", False, "", 1), HouseClosed("here", True, "m2.", 1)])
async def test_only_what_a_restore_has_left_closed_is_opened(house: House, closed: HouseClosed | None) -> None:
    house.closed = closed
    with pytest.raises(StackError, match="no house here that a restore has left closed"):
        await house.opened()
    assert house.done == []
