"""The list of forbidden programs in force, and whether a program that was seen stands on it (pt-811-2015 11.f)."""

import re
from pathlib import Path

import msgspec
import yaml

OURS = Path(__file__).with_name("forbidden_programs.yaml")


class ForbiddenPrograms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`version` goes into every incident, so that one knows later which list was in force."""

    version: str
    programs: tuple[str, ...]

    def names(self, program: str) -> bool:
        return _plain(program) in {_plain(each) for each in self.programs}


def read_forbidden(path: Path = OURS) -> ForbiddenPrograms:
    """ValidationError for a file that is no list."""
    return msgspec.convert(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader), ForbiddenPrograms)


def _plain(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).casefold()
