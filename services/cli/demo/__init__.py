"""`croupier demo`: the whole house on one machine, thirty bots at the front door, one SIGKILL, every cent counted."""
