"""Names that the audit service is known by in its database and to whoever rebuilds its read models."""

from pathlib import Path

SCHEMA = "audit"
PROJECTOR = "audit"
MIGRATIONS = Path(__file__).parent / "migrations"
