"""Pure folds of what the gateway reads: tables, hands, and each seat's own cards."""
