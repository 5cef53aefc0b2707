"""The whole house on this machine: every service as a process of its own, with its own logins and keys."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from pydantic_settings import BaseSettings

from libs.client.login import log_in
from libs.contracts.topics import HOUSE, INSPECTOR
from libs.identity.purpose import PURPOSE
from libs.journal.mark_keys import file_of, marks_of, plan_in
from libs.journal.seal_keys import seal_file_of
from libs.stack import Stack, create_house
from services.audit.settings import AuditSettings
from services.cli.migrate import migrated
from services.cli.processes import ServiceProcess
from services.cli.surroundings import CHECKPOINTS, MARKS, SEALS, Tell, local_keys, mark_root, operators_file, silent
from services.demo_provider.__main__ import DemoProviderSettings
from services.demo_provider.people import demo_passwords, demo_people
from services.gateway.settings import Settings as GatewaySettings
from services.table.settings import TableSettings
from services.tournament.settings import TournamentSettings
from services.wallet.settings import WalletSettings

SETTINGS: Mapping[str, type[BaseSettings]] = {
    "demo_provider": DemoProviderSettings,
    "wallet": WalletSettings,
    "table": TableSettings,
    "tournament": TournamentSettings,
    "audit": AuditSettings,
    "gateway": GatewaySettings,
}
"""What each service can be told; nothing else is told to it."""


@dataclass(slots=True)
class House:
    """Where everything is: stack, keys, logs, processes. They start in the order in which they were added."""

    stack: Stack
    home: Path
    keys: dict[str, Path]
    topic_prefix: str = ""
    ports: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Port and inner port by process; who is not in it takes any two."""
    processes: dict[str, ServiceProcess] = field(default_factory=dict)

    @property
    def gateway_url(self) -> str:
        return self.processes["gateway"].url

    @property
    def wallet_url(self) -> str:
        return self.processes["wallet"].url

    @property
    def audit_url(self) -> str:
        return self.processes["audit"].url

    @property
    def operator_token(self) -> str:
        return self.keys["operator_token"].read_text().strip()

    def reader(self, service: str) -> httpx.AsyncClient:
        """Reads wallet or audit as the operator's platform does for its reports."""
        headers = {"authorization": f"Bearer {self.operator_token}", PURPOSE: "the operator's own reports"}
        return httpx.AsyncClient(base_url=self.processes[service].url, headers=headers, timeout=30.0)

    @property
    def issuer(self) -> str:
        return self.processes["demo_provider"].url

    async def log_in(self, name: str) -> str:
        """The access token of one of the demo's people: `floor`, `supervisor`, `supervisor-2` …"""
        return await log_in(self.issuer, name, demo_passwords(self.home / "keys")[name])

    def environment(self, service: str) -> dict[str, str]:
        """What one service is told: logins of its own, and of files only those that it has a setting for."""
        known = SETTINGS[service].model_fields
        found = {name: value for name, value in self._files(service).items() if _setting(name) in known}
        if "database_url" in known:
            found["DATABASE_URL"] = self.stack.database(service)
        if "bootstrap" in known:
            found |= self.stack.broker(service).environment() | {"CROUPIER_TOPIC_PREFIX": self.topic_prefix}
        if "docs" in known:
            found["CROUPIER_DOCS"] = "true"
        return found | {"PYTHONUNBUFFERED": "1"}

    def inspecting(self) -> dict[str, str]:
        """What `croupier verify`, `rebuild` and `scan` are told: every key, and a login that only reads."""
        found = self._files(INSPECTOR) | {
            "DATABASE_URL": self.stack.database_url,
            "CROUPIER_TOPIC_PREFIX": self.topic_prefix,
        }
        return self.stack.broker(INSPECTOR).environment() | found

    def _files(self, process: str) -> dict[str, str]:
        folder = self.home / "keys"
        keys = {f"CROUPIER_{name.upper()}_FILE": str(file) for name, file in self.keys.items()}
        return keys | {
            "CROUPIER_OPERATORS_FILE": str(operators_file(folder)),
            "CROUPIER_PEOPLE_FILE": str(demo_people(folder)),
            "CROUPIER_CHECKPOINT_FILE": str(self.home / CHECKPOINTS),
            "CROUPIER_MARKS_FILE": str(self.marks_file(process)),
            "CROUPIER_SEAL_FILE": str(seal_file_of(folder / SEALS, process)),
        }

    def marks_file(self, process: str) -> Path:
        return file_of(self.home / "keys" / MARKS, process)

    def add(self, service: str, name: str | None = None, **extra: str) -> ServiceProcess:
        """A process of `service`, not started yet; `name` tells a second one of the same kind apart."""
        name = name or service
        logs = self.home / "logs"
        process = ServiceProcess(service, self.environment(service) | extra, logs / f"{name}.out")
        process.port, process.inner_port = self.ports.get(name, (process.port, process.inner_port))
        process.environment |= {
            "CROUPIER_LOG_FILE": str(logs / f"{name}.jsonl"),
            "CROUPIER_INSTANCE": name,
        }
        if "idle_folder" in SETTINGS[service].model_fields:
            process.environment["CROUPIER_IDLE_FOLDER"] = str(self.home / "idle" / name)
        if "demo_provider" in self.processes:
            process.environment["CROUPIER_OIDC_ISSUER"] = self.issuer
        if "wallet" in self.processes:
            process.environment["CROUPIER_WALLET_URL"] = self.wallet_url
        if "audit" in self.processes:
            process.environment["CROUPIER_AUDIT_URL"] = self.audit_url
        if os.environ.get("CROUPIER_TRACES"):
            process.environment["CROUPIER_TRACE_FILE"] = str(logs / f"{name}.traces.jsonl")
        self.processes[name] = process
        return process

    async def create(self) -> None:
        """If it is new; brings the database up to date."""
        keys = self.home / "keys"
        marks = marks_of(HOUSE, mark_root(keys), plan_in(keys / MARKS))
        await create_house(self.stack.admin, marks, self.topic_prefix)
        await migrated(self.stack.database_url)

    async def start(self, each_s: float = 40.0, tell: Tell = silent) -> None:
        """Creates the house if it is new, starts what is not running and waits until each is ready, so long each."""
        await self.create()
        for process in self.processes.values():
            if not process.running:
                await process.start()
        for process in self.processes.values():
            await process.ready(each_s, tell)

    async def stop(self) -> None:
        for process in reversed(list(self.processes.values())):
            await process.stop()


def _setting(variable: str) -> str:
    return variable.removeprefix("CROUPIER_").lower()


def build_house(
    stack: Stack, home: Path, topic_prefix: str = "", ports: Mapping[str, tuple[int, int]] | None = None
) -> House:
    """A house with one process of every service, and the demo's logins; nothing is started yet."""
    house = House(stack, home, local_keys(home / "keys"), topic_prefix, ports or {})
    for service in SETTINGS:
        house.add(service)
    return house
