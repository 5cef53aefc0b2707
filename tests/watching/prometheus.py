"""A real Prometheus with the rules that ship, their durations divided."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import yaml

from libs.stack.ports import free_port
from services.cli.house import House
from services.cli.watching.alerts import rules
from tests.watching.tools import found


class Prometheus:
    """Evaluates `groups` each second over what `jobs` (scrape_configs) say."""

    def __init__(self, folder: Path, groups: dict[str, Any], jobs: list[dict[str, Any]]) -> None:
        binary = found("prometheus")
        assert binary is not None, "no prometheus here: `make prometheus` fetches Debian's"
        (folder / "rules.yaml").write_text(yaml.safe_dump(groups))
        (folder / "prometheus.yaml").write_text(yaml.safe_dump({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(folder / "rules.yaml")], "scrape_configs": jobs,
        }))  # fmt: skip
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [binary, f"--config.file={folder / 'prometheus.yaml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdout=(folder / "said").open("w"), stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    async def ask(self, path: str, **parameters: str | float) -> Any:
        async with httpx.AsyncClient(base_url=self.url, timeout=10.0) as client:
            answer = await client.get(f"/api/v1/{path}", params=parameters)
            return answer.raise_for_status().json()["data"]

    async def firing(self) -> set[str]:
        with suppress(httpx.TransportError):  # it is starting
            found = (await self.ask("alerts"))["alerts"]
            return {each["labels"]["alertname"] for each in found if each["state"] == "firing"}
        return set()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        give_up = time.monotonic() + 20
        while self._process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.1)
        self._process.kill()
        self._process.wait()


class OfAHouse(Prometheus):
    """Scrapes every process of a house that runs here."""

    def __init__(self, house: House, folder: Path, by: int) -> None:
        folder.mkdir(parents=True)
        self._house, self._targets = house, folder / "targets.json"
        self._beside: dict[str, int] = {}
        self.aim()
        discovery = {"files": [str(self._targets)], "refresh_interval": "1s"}
        super().__init__(folder, rules(by), [{"job_name": "croupier", "file_sd_configs": [discovery]}])

    def aim(self, **beside: int) -> None:
        """At the processes that the house has now, and inner ports of others, by component, from here on."""
        self._beside |= beside
        ports = [
            (each.name, each.inner_port) for name, each in self._house.processes.items() if name != "demo_provider"
        ]
        targets = [
            {"targets": [f"127.0.0.1:{port}"], "labels": {"component": component}}
            for component, port in (*ports, *self._beside.items())
        ]
        fresh = self._targets.with_suffix(".new")
        fresh.write_text(json.dumps(targets))
        os.replace(fresh, self._targets)
