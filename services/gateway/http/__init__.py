"""One file per HTTP endpoint; `routes.py` lists every path."""
