"""What goes on around the play at any table: lists, draws, sessions, conduct, and what players write to each other."""
