"""Python imports this when it starts with this folder on its path: one file then reads as CROUPIER_BREAK has it.

Nothing on disk changes. Every process that a test starts inherits it, and data (a rulebook) is broken like code.
"""

import builtins
import io
import json
import os
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

_plan: dict[str, str] = json.loads(os.environ["CROUPIER_BREAK"])
_PATH, _TEXT = os.path.realpath(_plan["path"]), _plan["text"]
_get_code, _open = SourceFileLoader.get_code, io.open


def _is_it(path: Any) -> bool:
    return isinstance(path, str | os.PathLike) and os.path.realpath(path) == _PATH


def _broken_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
    if _is_it(self.get_filename(fullname)):
        return compile(_TEXT, _PATH, "exec", dont_inherit=True)
    return _get_code(self, fullname)


def _broken_open(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
    if _is_it(file) and not set(mode) & set("wax+"):
        return io.BytesIO(_TEXT.encode()) if "b" in mode else io.StringIO(_TEXT)
    return _open(file, mode, *args, **options)


setattr(SourceFileLoader, "get_code", _broken_code)  # noqa: B010 - mypy lets nobody assign to a method
for _module in (builtins, io):
    setattr(_module, "open", _broken_open)  # noqa: B010
