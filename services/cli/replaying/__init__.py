"""Plays recorded hands through the real rules with the cards given, and compares everything that the record claims."""
