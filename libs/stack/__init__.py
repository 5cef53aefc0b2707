"""The local stack: Apache Kafka and PostgreSQL from Python packages alone, or the ones whose addresses are given."""

from libs.stack.home import StackError, default_home
from libs.stack.house import create_house
from libs.stack.lifecycle import Stack, broker, database, down, ended, running, up
from libs.stack.process import Progress
from libs.stack.provision import Provisioned, provision, remove

__all__ = [
    "Progress",
    "Provisioned",
    "Stack",
    "StackError",
    "broker",
    "create_house",
    "database",
    "default_home",
    "down",
    "ended",
    "provision",
    "remove",
    "running",
    "up",
]
