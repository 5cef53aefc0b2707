"""What a read model can prove of itself: how far behind it is, and that nothing is missing."""

from libs.contracts.documents import Document
from libs.projecting.projection import Connection


class Completeness(Document):
    """One partition as the database has it. `digest` (hex) and `accepted` can be compared with a fold of the log."""

    projection: str
    topic: str
    partition: int
    position: int
    accepted: int
    digest: str
    event_time: int


class OpenGap(Document):
    """A stream that waits for a version it has not got."""

    topic: str
    stream: str
    version: int
    seen: int


async def completeness(connection: Connection, projection: str) -> list[Completeness]:
    rows = await connection.fetch(
        "select projection, topic, partition, position, accepted, encode(digest, 'hex') as digest, event_time"
        " from positions where projection = $1 order by topic, partition",
        projection,
    )
    return [Completeness(**dict(row)) for row in rows]


async def open_gaps(connection: Connection, projection: str) -> list[OpenGap]:
    rows = await connection.fetch(
        "select topic, stream, version, seen from streams where projection = $1 and gap order by topic, stream",
        projection,
    )
    return [OpenGap(**dict(row)) for row in rows]


async def parked_count(connection: Connection, projection: str) -> int:
    return int(await connection.fetchval("select count(*) from parked where projection = $1", projection))
