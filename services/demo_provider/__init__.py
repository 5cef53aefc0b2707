"""An OpenID Connect provider for the demo and for tests, and for nothing else: it listens on this machine alone."""
