"""The gateway with its doors and the wallet's books, as their own tests have them."""

from tests.gateway.conftest import as_player, gateway, house, http, operator, settings, through, token_of  # noqa: F401
from tests.wallet.conftest import books_pool, database  # noqa: F401
