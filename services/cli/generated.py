"""Pages that are made from the code: written, or compared with what lies there."""

from collections.abc import Mapping
from pathlib import Path

import typer


def write_or_check(files: Mapping[str, str], out: Path, check: bool, command: str) -> None:
    """Writes `files` (path below `out` to text). With `check` it writes nothing and exits 1 where one differs."""
    if check:
        stale = sorted(name for name, text in files.items() if not _is(out / name, text))
        if stale:
            typer.echo(f"stale: {', '.join(stale)}; run `croupier {command}`", err=True)
            raise typer.Exit(1)
        typer.echo(f"{len(files)} files as the code says")
        return
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, encoding="utf-8")
    typer.echo(f"wrote {len(files)} files into {out}")


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
