"""The words of the command line that several functions share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

Path: TypeAlias = "str | os.PathLike[str]"

# Logs, run bundles, or folders below which runs are looked for: one, or several.
Paths: TypeAlias = "Path | Sequence[Path]"

# One of several shards: its number, from 1, and how many there are.
Shard: TypeAlias = "tuple[int, int]"


def paths_of(paths: Paths) -> list[str]:
    """The paths as words, behind the mark that ends the options."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return ["--", *(os.fspath(path) for path in several)]


def shard_of(shard: Shard | None) -> list[str]:
    """The option that names a shard; nothing for all runs."""
    if shard is None:
        return []
    number, count = shard
    return ["--shard", f"{number}/{count}"]
