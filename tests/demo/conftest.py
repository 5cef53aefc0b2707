"""The gateway with its doors, as its own tests have it."""

from tests.gateway.conftest import gateway, house, http, operator, settings  # noqa: F401
