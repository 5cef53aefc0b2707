"""`croupier demo`: the whole house on one machine, thirty bots through the front door, one SIGKILL, every cent counted."""
