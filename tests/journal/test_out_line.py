"""The line out says when what it holds does not go out."""

import asyncio

import pytest

from libs.journal import out_line
from libs.journal.log import LogUnavailable, OutRecord
from libs.journal.out_line import OutLine
from tests.journal.house import until


class Refusing:
    """A log whose publisher is refused so many times."""

    def __init__(self, times: int) -> None:
        self.left = times

    async def publisher(self) -> "Refusing":
        return self

    async def send(self, records: list[OutRecord]) -> object:
        if self.left:
            self.left -= 1
            raise LogUnavailable("not acknowledged: MessageSizeTooLargeError")

        async def landed() -> None: ...

        return landed()

    async def abandon(self) -> None: ...


@pytest.mark.parametrize(("times", "told"), [(3, False), (12, True)])
async def test_what_fails_again_and_again_is_said_until_it_has_gone_out(times, told, monkeypatch):
    monkeypatch.setattr(out_line, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(out_line, "_LONGEST_PAUSE_S", 0.001)
    line = OutLine(Refusing(times), patience_s=1.0)  # type: ignore[arg-type]
    said: set[str | None] = set()
    line.put(OutRecord("events", b"k", b"v", (), 0))
    running = asyncio.create_task(line.run())
    try:

        def gone() -> bool:
            said.add(line.why_stands())
            return line.pending == 0

        await until(gone)
    finally:
        running.cancel()
    assert line.why_stands() is None
    assert any("MessageSizeTooLarge" in (each or "") for each in said) == told
