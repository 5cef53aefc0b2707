"""No-draw poker: five cards each against the dealer's five (pt-803-2015-no-draw)."""
