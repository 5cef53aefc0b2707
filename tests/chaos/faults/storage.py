"""A database without room: the file system that it stands on shrinks to what is used."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

from libs.stack import up
from libs.stack.home import Home
from tests.chaos.faults.registry import fault
from tests.chaos.scene import Scene

ROOM = "1536m"


def cannot_mount() -> str | None:
    """Why no small file system can be made here."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        return "a tmpfs of its own for the database takes Linux and root"
    return None


def mount_room(home: Path) -> bool:
    """Puts the database's folder on a tmpfs of its own, before the stack is up; False where that can't be."""
    folder = Home(home).postgres
    folder.mkdir(parents=True, exist_ok=True)
    if cannot_mount():
        return False
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0755", "croupier", folder]).returncode == 0


def unmount_room(home: Path) -> None:
    subprocess.run(["umount", "-l", Home(home).postgres], check=False, stderr=subprocess.DEVNULL)


def _resize(folder: Path, size: str) -> bool:
    done = subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=False, stderr=subprocess.DEVNULL)
    return done.returncode == 0


@fault("database disk full", cannot=cannot_mount)
async def disk_full(scene: Scene) -> None:
    """Not a page more can be written for two to four seconds; PostgreSQL may panic, and is started again."""
    folder = Home(scene.stack.home).postgres
    # Not below what is used, and that grows while one looks.
    while not _resize(folder, str(shutil.disk_usage(folder).used)):
        await asyncio.sleep(0.01)
    scene.now()
    try:
        await asyncio.sleep(2 + 2 * scene.dice.random())
    finally:
        assert _resize(folder, ROOM)
    await asyncio.to_thread(up, scene.stack.home)
