"""All attacks in their order, on a house that is started for them and plays all the time."""

from collections.abc import AsyncIterator, Awaitable, Callable

from services.cli.house import House
from tests.attack import canaries, malformed, money, records, tokens, words
from tests.attack.rows import Row
from tests.attack.scene import SECOND_GATEWAY, Scene
from tests.e2e.evening import evening

ATTACKS: tuple[Callable[[Scene], Awaitable[Row]], ...] = (
    words.over_http,
    words.over_websocket,
    records.on_the_topics,
    tokens.forgeries,
    tokens.confusion,
    tokens.by_one_person,
    malformed.malformed,
    malformed.smuggled,
    money.races,
)


async def attacked(house: House, share: float, patience_s: float, only: str = "") -> AsyncIterator[Row]:
    """The row of each attack as it is over, up to one that a process dies of. Whoever made the house stops it."""
    house.add("gateway", SECOND_GATEWAY)
    await house.start()
    async with evening(house, tables=1, bots=3, think_s=0.1) as playing:
        scene = Scene(house, playing, share, patience_s)
        await scene.prepare()
        await canaries.plant(scene)
        for attack in ATTACKS:
            if only in f"{attack.__module__}.{attack.__name__}":
                yield await scene.still_well(await attack(scene))
                if not scene.all_alive:
                    return
        books = await money.to_the_cent(scene)
        yield books.done()
        yield (await canaries.scan(scene)).done()
