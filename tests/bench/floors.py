"""CPU of one gateway with every table against two with a floor each, under the same play (docs/years.md, A2).

`python -m tests.bench.floors 20 40` plays at twenty tables of six at forty acts a second, all bots by the first
gateway's door, on a stack of its own.
"""

import asyncio
import json
import sys
from pathlib import Path
from tempfile import mkdtemp

from libs.stack import Stack, down, up
from services.cli.house import build_house
from tests.bench.house.__main__ import HERE, PROJECT
from tests.bench.house.house import Code, Meter, Script, pids, spent
from tests.e2e.test_floors import figures, write

WARM_S, WINDOW_S = 15.0, 60.0
FLOORS = {"gateway": "0-1", "gateway-2": "2-3"}


async def measured(stack: Stack, gateways: int, tables: int, pace: str) -> str:
    prefix = f"floors-{gateways}."
    house = build_house(stack, stack.home / f"house-{prefix}", prefix)
    if gateways > 1:
        house.add("gateway", "gateway-2")
        file = str(stack.home / "floors.json")
        write(file, {own: house.processes[name].url for name, own in FLOORS.items()})
        for name, own in FLOORS.items():
            house.processes[name].environment |= {"CROUPIER_FLOOR": own, "CROUPIER_FLOORS_FILE": file}
    names = list(FLOORS)[:gateways]
    bots = None
    try:
        await house.start()
        bots = Script(await Code(PROJECT).run(str(HERE / "bots.py")))
        bots.tell({"url": house.gateway_url, "token": house.operator_token, "tables": "bench"})
        bots.tell({"tables": tables, "pace": pace})
        await bots.hear()
        meter = Meter(stack, pids(house) | {"bots": bots.pid})
        await asyncio.sleep(WARM_S)
        read = [sum((await figures(house.processes[name], "croupier_gateway_events")).values()) for name in names]
        before, after = await meter.over(WINDOW_S)
        now = [sum((await figures(house.processes[name], "croupier_gateway_events")).values()) for name in names]
        bots.finish()
        played = json.loads(await bots.hear())
    finally:
        if bots is not None:
            await bots.end()
        await house.stop()
    acts = sum(before.at <= row[1] < after.at for row in played["acts"])
    used = spent(before, after, tuple(names))
    told = [
        f"{name} {1000 * used[name] / acts:.2f} ms an act of all, {100 * used[name] / WINDOW_S:.1f} % of a core, "
        f"{end - begin:,.0f} events"
        for name, begin, end in zip(names, read, now, strict=True)
    ]
    return f"{gateways} gateways, {acts:,} acts, {len(played['refused'])} refused: " + "; ".join(told)


def main() -> None:
    tables, pace = int((sys.argv[1:] or ["20"])[0]), (sys.argv[2:] or ["40"])[0]
    for gateways in (1, 2):
        home = Path(mkdtemp(prefix="croupier-floors-"))
        home.chmod(0o755)
        stack = up(home)
        try:
            print(asyncio.run(measured(stack, gateways, tables, pace)), flush=True)
        finally:
            down(home, wipe=True)


if __name__ == "__main__":
    main()
