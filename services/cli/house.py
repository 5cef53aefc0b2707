"""The whole house on this machine: addresses, keys, and every service as a process of its own."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from libs.client.login import log_in
from libs.identity.guard import PURPOSE
from services.cli.processes import ServiceProcess
from services.cli.surroundings import OPERATORS, local_keys
from services.demo_provider.people import demo_passwords, demo_people


@dataclass(slots=True)
class House:
    """Where everything is: addresses, keys, logs, processes. They start in the order in which they were added."""

    bootstrap: str
    database_url: str
    home: Path
    keys: dict[str, Path]
    topic_prefix: str = ""
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

    def environment(self) -> dict[str, str]:
        """What every service is told; the same names as in deploy/."""
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap,
            "DATABASE_URL": self.database_url,
            "CROUPIER_KEK_FILE": str(self.keys["kek"]),
            "CROUPIER_GATEWAY_KEY_FILE": str(self.keys["gateway_key"]),
            "CROUPIER_SESSION_KEY_FILE": str(self.keys["session_key"]),
            "CROUPIER_OPERATORS_FILE": str(self.home / "keys" / OPERATORS),
            "CROUPIER_WALLET_TOKEN_FILE": str(self.keys["wallet_token"]),
            "CROUPIER_PROVIDER_KEY_FILE": str(self.keys["provider_key"]),
            "CROUPIER_PEOPLE_FILE": str(demo_people(self.home / "keys")),
            "CROUPIER_CHECKPOINT_KEY_FILE": str(self.keys["checkpoint_key"]),
            "CROUPIER_CHECKPOINT_FILE": str(self.home / "checkpoints.jsonl"),
            "CROUPIER_TOPIC_PREFIX": self.topic_prefix,
            "PYTHONUNBUFFERED": "1",
        }

    def add(self, service: str, name: str | None = None, **extra: str) -> ServiceProcess:
        """A process of `service`, not started yet; `name` tells a second one of the same kind apart."""
        name = name or service
        logs = self.home / "logs"
        process = ServiceProcess(service, self.environment() | extra, logs / f"{name}.out")
        process.environment |= {
            "CROUPIER_LOG_FILE": str(logs / f"{name}.jsonl"),
            "CROUPIER_INSTANCE": name,
        }
        if "demo_provider" in self.processes:
            process.environment["CROUPIER_OIDC_ISSUER"] = self.issuer
        if "wallet" in self.processes:
            process.environment["CROUPIER_WALLET_URL"] = self.wallet_url
        if os.environ.get("CROUPIER_TRACES"):
            process.environment["CROUPIER_TRACE_FILE"] = str(logs / f"{name}.traces.jsonl")
        self.processes[name] = process
        return process

    async def start(self) -> None:
        """Starts what is not running and waits until each is ready."""
        for process in self.processes.values():
            if not process.running:
                await process.start()
        for process in self.processes.values():
            await process.ready()

    async def stop(self) -> None:
        for process in reversed(list(self.processes.values())):
            await process.stop()


def build_house(bootstrap: str, database_url: str, home: Path, topic_prefix: str = "") -> House:
    """A house with one process of every service, and the demo's logins; nothing is started yet."""
    house = House(bootstrap, database_url, home, local_keys(home / "keys"), topic_prefix)
    for service in ("demo_provider", "wallet", "table", "audit", "gateway"):
        house.add(service)
    return house
