"""Playing cards as small integers, and the strength of the hands that they make."""
