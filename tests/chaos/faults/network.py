"""Between one service and the broker: cut, one-way, slow, lossy (tests/chaos/relay.py)."""

import asyncio

from tests.chaos.faults.registry import Fire, add
from tests.chaos.relay import Relay
from tests.chaos.scene import Plan, Scene

_RELAYED = Plan(relayed=True)


def _for_a_while(service: str, worsen: str) -> Fire:
    async def fire(scene: Scene) -> None:
        relay = scene.relays[service]
        _HOW[worsen](relay)
        scene.now()
        try:
            await asyncio.sleep(0.5 + 2.5 * scene.dice.random())
        finally:
            relay.heal()
            if relay.dice.random() < 0.5:
                relay.throw_out()  # half the time what hung for a while is reset when the way is free again

    return fire


def _cut(relay: Relay) -> None:
    relay.cut = True
    relay.throw_out()


def _mute(relay: Relay) -> None:
    relay.stopped = {"to_broker"}


def _deaf(relay: Relay) -> None:
    relay.stopped = {"from_broker"}


def _slow(relay: Relay) -> None:
    relay.delay_s = 0.15


def _lossy(relay: Relay) -> None:
    relay.loss = 0.3


_HOW = {"cut off": _cut, "heard by nobody": _mute, "hears nobody": _deaf, "far away": _slow, "on a bad line": _lossy}
_WORDS = {
    "cut off": "no connection to the broker, those that were are reset",
    "heard by nobody": "nothing arrives at the broker, connections stay open",
    "hears nobody": "nothing comes from the broker: what was written has landed",
    "far away": "150 ms each way",
    "on a bad line": "three chunks in ten come 0.2 to 0.8 s late, as when TCP sends again",
}
_WHO = {
    "table": ("cut off", "heard by nobody", "hears nobody", "far away", "on a bad line"),
    "wallet": ("cut off", "hears nobody"),
    "gateway": ("cut off", "hears nobody"),
}
for _service, _hows in _WHO.items():
    for _how in _hows:
        why = f"For half a second to three: {_WORDS[_how]}."
        add(f"{_service} {_how}", _for_a_while(_service, _how), plan=_RELAYED, group="lines", why=why)
