"""How far every consumer of a house is behind: as processes say of themselves, and as groups have told the broker."""

from collections import Counter

import httpx

from libs.journal.kafka_cluster import Cluster
from libs.stack import Stack
from services.cli.backups.log import positions
from services.cli.house import House

GAUGES = {
    "croupier_commands_open": "commands without a verdict",
    "croupier_follower_lag_records": "public records without acknowledgement",
    "croupier_projection_lag_records": "records not in the books",
    "croupier_audit_journal_lag_records": "journal records not judged",
}
SOCKETS = "croupier_gateway_websocket_connections"
BEHIND_S = 3.0
"""A consumer with more than the house's records of so many seconds before it is behind: offsets are committed once a
second, books are written twice a second."""
RECORDS_AN_ACT = 5
"""Of the topic with the most, public events, with what starts and ends a hand (4.4 were counted)."""


SHARES = ("wallet-books", "audit-share")
"""Groups that share partitions out and commit nothing: their positions are in the database, and told by the process."""


async def told(house: House) -> Counter[str]:
    """`wallet: records not in the books` and so on, over all partitions, and the gateway's WebSockets."""
    found = Counter[str]()
    async with httpx.AsyncClient(timeout=30.0) as asks:
        for name, process in house.processes.items():
            text = (await asks.get(f"{process.inner_url}/metrics")).text
            for line in text.splitlines():
                gauge = line.partition("{")[0].partition(" ")[0]
                value = float(line.rpartition(" ")[2]) if gauge in GAUGES or gauge == SOCKETS else 0.0
                if gauge in GAUGES:
                    found[f"{name}: {GAUGES[gauge]}"] += int(value)
                elif gauge == SOCKETS:
                    found[SOCKETS] += int(value)
    return found


async def uncommitted(stack: Stack, prefix: str) -> Counter[str]:
    """By group of the broker: records between what it has committed and the end of the topic."""
    committed = await positions(stack.admin, prefix)
    cluster = Cluster(stack.admin, "bench-lags", 30_000)
    await cluster.join()
    try:
        for each in committed:
            await cluster.partitions(each.topic)
        ends = await cluster.offsets([(each.topic, each.partition) for each in committed], -1)
    finally:
        cluster.leave()
    found = Counter[str]()
    for each in committed:
        group = each.group.removeprefix(prefix)
        if group not in SHARES:
            found[f"group {group}"] += max(0, ends[each.topic, each.partition] - each.offset)
    return found


def behind(lags: dict[str, int], acts_per_s: float) -> list[str]:
    """Who is, at so many acts a second."""
    most = max(RECORDS_AN_ACT, acts_per_s * RECORDS_AN_ACT * BEHIND_S)
    return sorted(name for name, records in lags.items() if records > most)
