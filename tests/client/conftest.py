"""The client is tested against the gateway's own test house."""

from tests.gateway.conftest import as_player, gateway, house, http, operator, settings, token_of, url

__all__ = ["as_player", "gateway", "house", "http", "operator", "settings", "token_of", "url"]
