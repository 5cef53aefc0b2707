"""Names of the topics that the world is made of."""

from libs.contracts.topics import REPLIES, TABLE_PRIVATE, topic
from libs.journal.names import names_of
from tests.testkit.partitions import PARTITIONS

TABLE = names_of("table", PARTITIONS)
WALLET = names_of("wallet", PARTITIONS)
TABLE_EVENTS = topic("table", "events").name
WALLET_EVENTS = topic("wallet", "events").name
PRIVATE = TABLE_PRIVATE.name
REPLIES_TOPIC = REPLIES.name
