"""The projector, written once: public events to PostgreSQL, exactly once, with figures that prove it."""

from libs.projecting.acceptance import Accepted, Gap
from libs.projecting.database import DatabaseRefused, open_current
from libs.projecting.figures import Completeness, OpenGap, completeness, open_gaps, parked_count
from libs.projecting.kafka_source import KafkaSource, books_log
from libs.projecting.migrator import MigrationChanged, MigrationHeldUp, drop_schema, migrate, open_pool
from libs.projecting.months import keep_ahead, make_months, month_of
from libs.projecting.parts import Part, Parts
from libs.projecting.positions import PositionLost
from libs.projecting.projection import Connection, Projection, Told, Unbookable, write_rows
from libs.projecting.projector import Progress, Projector, project
from libs.projecting.share import Share
from libs.projecting.source import Arrived, Partition, Source, SourceAway, StreamedSource
from libs.projecting.store import Pool, PostgresStore, Store, is_of_the_event

__all__ = [
    "Accepted", "Arrived", "Completeness", "Connection", "DatabaseRefused", "Gap", "KafkaSource",
    "MigrationChanged", "MigrationHeldUp", "OpenGap", "Part", "Partition", "Parts", "Pool", "PositionLost",
    "PostgresStore", "Progress", "Projection", "Projector", "Share", "Source", "SourceAway", "Store", "StreamedSource",
    "Told", "Unbookable", "books_log", "completeness", "drop_schema", "is_of_the_event", "keep_ahead", "make_months",
    "migrate", "month_of", "open_current", "open_gaps", "open_pool", "parked_count", "project", "write_rows",
]  # fmt: skip
