"""Services as separate operating-system processes: started, watched, killed, started again."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from libs.stack.ports import free_port
from libs.stack.process import alive, claim

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


class ServiceFailed(RuntimeError):
    """A service did not come up; the message names its log."""


@dataclass(slots=True)
class ServiceProcess:
    """One `python -m services.<name>`: its environment, its log file, and what happened to it."""

    name: str
    environment: dict[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    inner_port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None
    starts: int = 0
    through: tuple[str, ...] = ()
    """A module that runs the service, and its arguments: so that tests can let a process die at a chosen place."""
    python: str = sys.executable
    folder: Path | None = None
    """Where another checkout's services lie, and `python` its interpreter."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def inner_url(self) -> str:
        """Of health and metrics."""
        return f"http://127.0.0.1:{self.inner_port}"

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                self.python,
                "-m",
                *self.through,
                f"services.{self.name}",
                env=self._environment(),
                cwd=self.folder,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.starts += 1
        claim(self.log.with_suffix(".pid"), self.process.pid)

    def _environment(self) -> dict[str, str]:
        inherited = dict(os.environ)
        # A service that comes back after a crash must not compile all its modules again.
        inherited.pop("PYTHONDONTWRITEBYTECODE", None)
        ports = {"CROUPIER_HTTP_PORT": str(self.port), "CROUPIER_INNER_PORT": str(self.inner_port)}
        return {**inherited, **self.environment, **ports}

    async def ready(self, timeout_s: float = 40.0, tell: Callable[[str], None] = lambda why: None) -> None:
        """Waits until `/health/ready` says yes; ServiceFailed when it ends first or takes longer than `timeout_s`.
        `tell` hears why it is not ready yet."""
        give_up, why = time.monotonic() + timeout_s, ""
        async with httpx.AsyncClient() as client:
            while time.monotonic() < give_up:
                if not self.running:
                    raise ServiceFailed(f"{self.name} ended while starting; {self._last_words()}")
                # Another checkout may be older than the inner port.
                for url in (self.inner_url, self.url) if self.folder else (self.inner_url,):
                    with suppress(httpx.HTTPError):
                        answer = await client.get(f"{url}/health/ready", timeout=1.0)
                        if answer.status_code == httpx.codes.OK:
                            return
                        why = why_not_ready(answer)
                        tell(f"{self.name}: {why}")
                await asyncio.sleep(0.05)
        said = f" ({why})" if why else ""
        raise ServiceFailed(f"{self.name} was not ready after {timeout_s:.0f} s{said}; {self._last_words()}")

    def _last_words(self) -> str:
        """The end of its log: who reads of a failure elsewhere (CI) has no file to open."""
        logs = [log for log in (self.log, self.log.with_suffix(".jsonl")) if log.exists()]
        text = "".join(log.read_bytes()[-1_500:].decode(errors="replace") for log in logs)
        return f"its log: {self.log}\n{text}".rstrip()

    def send(self, what: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(what)

    async def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        self.send(signal.SIGKILL)
        assert self.process is not None
        await self.process.wait()

    async def stop(self, timeout_s: float = 15.0) -> None:
        """SIGTERM, then SIGKILL for one that does not listen: handing over takes up to eight seconds."""
        if self.running and self.process is not None:
            with suppress(ProcessLookupError):  # it may end by itself meanwhile
                self.send(signal.SIGTERM)
                try:
                    await asyncio.wait_for(self.process.wait(), timeout_s)
                except TimeoutError:
                    await self.kill()
        self.log.with_suffix(".pid").unlink(missing_ok=True)


def why_not_ready(answer: httpx.Response) -> str:
    """What `/health/ready` says is missing, in one line."""
    try:
        missing = answer.json()["missing"].values()
    except (ValueError, KeyError, AttributeError, TypeError):
        return f"status {answer.status_code}"
    return "; ".join(map(str, missing))


def end_when_told() -> None:
    """Told to end, or with its terminal closed, a command stops what it started, as after Ctrl-C.

    Those are processes of their own, which no terminal takes along.
    """

    def end(number: int, _: object) -> None:
        for each in _ENDINGS:
            signal.signal(each, signal.SIG_IGN)  # once is enough
        raise SystemExit(128 + number)

    for each in _ENDINGS:
        if signal.getsignal(each) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(each, end)


def stop_left_running(logs: Path, timeout_s: float = 10.0) -> list[str]:
    """Ends services that a command left running in this folder's house; their names. SIGTERM, then SIGKILL."""
    found: dict[str, psutil.Process] = {}
    for file in sorted(logs.glob("*.pid")):
        with suppress(psutil.NoSuchProcess):
            if (process := alive(file)) is not None:  # by its number and its start: a number alone is used again
                found[file.stem] = process
                process.terminate()
        file.unlink()
    _, stubborn = psutil.wait_procs(list(found.values()), timeout_s)
    for process in stubborn:
        process.kill()
    return list(found)
