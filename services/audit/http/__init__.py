"""The auditor's read API. One file per endpoint; `routes.py` lists them."""
