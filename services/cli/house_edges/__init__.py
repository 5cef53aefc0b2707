"""What the house keeps of each bet of its games, worked out from the rules that the tables play by."""
