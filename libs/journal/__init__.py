"""The write path of every deciding service: the log decides. Comments cite the journal design by rule number."""
