"""One table: its seats, its hands, its life from opening to closing."""
