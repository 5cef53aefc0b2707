"""Who asks: people by OpenID Connect, operators' platforms by credentials, and what each of them may do."""
