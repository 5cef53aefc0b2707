"""Canaries: every secret of the house, and what was planted, looked for wherever anything is written or shown."""

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil

from libs.client.login import LoginFailed, log_in
from libs.contracts.topics import INSPECTOR
from libs.journal.kafka_log import KafkaLog
from libs.journal.mark_keys import marks_in
from libs.sealing.kek_file import read_keks
from libs.sealing.key_files import BadKey, hex_key
from services.cli.scan import scan_log
from services.cli.secrecy.places import Text
from services.demo_provider.people import demo_passwords
from tests.attack.rows import Row
from tests.attack.scene import ATTACKER, PURPOSE, SCRAP, Scene
from tests.testkit.partitions import PARTITIONS

PASSWORD = "canary-password-Zq7LkT2mWx"
TOKEN = "croupier-operator.canary.Zq7LkT2mWxYvB4nRj8sPdF1hGc5Ae9Ut3Ko6Mi0"
DEVICE = "canary-device-7fK2pQ9xLm"


async def plant(scene: Scene) -> None:
    """Secrets where an attacker, a player or a clumsy client may put them."""
    with suppress(LoginFailed):
        await log_in(scene.house.issuer, "supervisor-2", PASSWORD)
    async with scene.from_elsewhere() as client:
        for path, headers in (
            ("/v1/session", {"authorization": f"Bearer {TOKEN}"}),
            (f"/v1/session?token={TOKEN}", {}),
            (f"/v1/tables/{SCRAP}?authorization=Bearer%20{TOKEN}", {}),
        ):
            await scene.ask(client, "GET", path, headers=headers)
        signal = {"reference": "canary-1", "kind": "device", "value": DEVICE, "currency": "EUR"}
        path = f"/v1/players/{ATTACKER}/signals"
        await scene.ask(client, "POST", path, scene.tokens["platform"], json.dumps(signal).encode())


def secrets(scene: Scene) -> dict[str, bytes]:
    """By name; nothing of them is ever told."""
    house = scene.house
    found: dict[str, bytes] = {"planted password": PASSWORD.encode(), "planted token": TOKEN.encode()}
    found["planted device"] = DEVICE.encode()
    for name, file in house.keys.items():
        try:
            found[name] = hex_key(file)
        except BadKey:
            found[name] = file.read_text().strip().encode()
    for name, token in scene.tokens.items():
        found[f"token of {name}"] = token.rpartition(".")[2].encode()
    for name, password in demo_passwords(house.home / "keys").items():
        found[f"password of {name}"] = password.encode()
    for user in ("table", "wallet", "gateway", "audit", INSPECTOR):
        password_file = house.stack.broker(user).password_file
        if password_file is not None:
            found[f"broker's password of {user}"] = Path(password_file).read_text().strip().encode()
    owner = urlsplit(house.stack.database_url).password
    if owner:
        found["database's password"] = owner.encode()
    return {name: secret for name, secret in found.items() if len(secret) >= 8}


async def scan(scene: Scene) -> Row:
    row = Row("canaries: planted secrets, keys, tokens, passwords, hole cards", found_by="`croupier scan`")
    house = scene.house
    known = secrets(scene)
    pages = [*await _pages(scene, row), *_processes()]
    pages += [Text(f"answer {number}", answer) for number, answer in enumerate(set(scene.heard))]
    log = KafkaLog(house.stack.broker(INSPECTOR), marks_in(house.marks_file(INSPECTOR)), client_id="attack-scan")
    report = await scan_log(
        log,
        PARTITIONS,
        read_keks(house.keys["kek"]),
        known,
        known["gateway_key"],
        house.stack.database_url,
        [house.home / "logs"],
        pages,
        house.topic_prefix,
    )
    row.tried = len(known)
    for kind, place in (("records", report.topics), ("rows", report.rows), ("lines, pages and answers", report.lines)):
        row.said[kind] = place.texts
    row.expect(report.hands > 0 and report.hidden_holes > 0, "no deck was opened: nothing to look for")
    for found in report.findings:
        row.wrong(f"{found.place}: {found.what}")
    return row


async def _pages(scene: Scene, row: Row) -> list[Text]:
    found = []
    async with httpx.AsyncClient(timeout=10) as client:
        for name, process in scene.house.processes.items():
            urls = [f"{process.inner_url}/metrics", f"{process.inner_url}/health/ready"]
            if name in ("gateway", "wallet", "audit"):
                urls.append(f"{process.url}/openapi.json")
            for url in urls:
                try:
                    answer = await client.get(url, headers=PURPOSE)
                except httpx.TransportError as wrong:
                    row.wrong(f"{name} {urlsplit(url).path}: {type(wrong).__name__}")
                    continue
                found.append(Text(f"{name} {urlsplit(url).path}", answer.content))
    return found


def _processes() -> list[Text]:
    """Command lines of the house and of all that was started with it, as everybody on the machine can read them."""
    mine = psutil.Process()
    found = []
    for process in psutil.process_iter(["pid", "cmdline"]):
        if process.username() == mine.username():
            line = "\0".join(process.info["cmdline"] or [])
            found.append(Text(f"/proc/{process.info['pid']}/cmdline", line.encode()))
    return found
