"""The faults: one small named function each, in one registry."""

from tests.chaos.faults import clocks, crash_points, hanging, killing, network, records, replicas, storage
from tests.chaos.faults.registry import FAULTS, Fault, groups

__all__ = [
    "FAULTS", "Fault", "clocks", "crash_points", "groups", "hanging", "killing", "network", "records", "replicas",
    "storage",
]  # fmt: skip
