"""Names of the topics that the world is made of."""

from dataclasses import replace

from libs.contracts.topics import REPLIES, TABLE_PRIVATE, topic
from libs.journal.names import Names, names_of
from tests.simulation.broker import WatchedBroker
from tests.testkit.partitions import PARTITIONS

TABLE = names_of("table", PARTITIONS)
WALLET = names_of("wallet", PARTITIONS)
"""As a house begins; `now_of` has them as they are after a move."""
TABLE_EVENTS = topic("table", "events").name
WALLET_EVENTS = topic("wallet", "events").name
PRIVATE = TABLE_PRIVATE.name
REPLIES_TOPIC = REPLIES.name


def now_of(names: Names, broker: WatchedBroker) -> Names:
    """In the house as it stands now."""
    return replace(names, partitions=broker.partitions, incarnation=broker.incarnation)
