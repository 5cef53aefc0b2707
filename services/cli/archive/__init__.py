"""`croupier archive`: months that are long over, out of the database into files, and read there."""
