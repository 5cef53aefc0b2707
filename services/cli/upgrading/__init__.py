"""`croupier upgrade`: whether two builds may live side by side, and in which order one replaces the other."""
