"""Deterministic simulation: a virtual clock, seeded entropy, faults of the world, bugs planted in the source."""
