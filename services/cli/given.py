"""Files that somebody names on the command line: a device gives bytes for ever, a pipe may give none."""

import errno
from pathlib import Path


def regular(file: Path, most: int | None = None) -> Path:
    """The same. OSError for what is no regular file, or has more than `most` bytes."""
    size = file.stat().st_size
    if not file.is_file():
        raise OSError(errno.EINVAL, "is no regular file")
    if most is not None and size > most:
        raise _too_large(most)
    return file


def whole(file: Path, most: int) -> bytes:
    """What it holds, also where it is a pipe. OSError for more than `most` bytes."""
    with file.open("rb") as opened:
        content = opened.read(most + 1)
    if len(content) > most:
        raise _too_large(most)
    return content


def _too_large(most: int) -> OSError:
    return OSError(errno.EFBIG, f"is larger than {most >> 20} MiB")
