"""Who a command or a question is for: roles of the house's people, scopes of an operator's credentials."""

from typing import Literal, get_args

Role = Literal["floor", "dealer", "supervisor", "cashier", "auditor", "security", "support", "administrator"]
"""Of a person, as the provider of the house's logins tells it."""
Scope = Literal["sessions", "money", "tables", "signals", "reports", "house"]
"""Of a credential. `house` is for the house's own processes."""

ROLES: tuple[Role, ...] = get_args(Role)
SCOPES: tuple[Scope, ...] = get_args(Scope)
