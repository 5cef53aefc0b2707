"""What crosses a topic: topic names, message envelopes, commands, public events. The only words services share."""
