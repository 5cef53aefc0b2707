"""Tables, seats and hands: who may do what, and what happens then."""
