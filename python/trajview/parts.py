"""Work on runs that ends in files: parts, which are named by shard and content and never change.

A part is there whole or not at all. The same call writes the same part under the same name and leaves one that is there
untouched, so that every call may be made again, also while another still does the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path as FilePath

from .program import run
from .words import Path, Paths, Shard, paths_of, shard_of


def export(
    paths: Paths,
    folder: Path,
    *,
    form: str = "parquet",
    tables: Sequence[str] = (),
    shard: Shard | None = None,
    replace: bool = False,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> list[FilePath]:
    """Writes tables of all runs below the paths, or of one shard of them, into a folder; gives the files.

    `form` is parquet, csv or jsonl; without `tables` all are written. `replace` takes away parts in the folder that hold
    other runs or another division into shards. `options` are further options of `trajview export`, such as
    ["--each", "turn"].
    """
    words = ["export", f"--{form}", str(folder), *shard_of(shard), *_replace(replace)]
    if tables:
        words += ["--tables", ",".join(tables)]
    return _files(run([*words, *options, *paths_of(paths)], program=program), folder)


def score(
    paths: Paths,
    folder: Path,
    *,
    shard: Shard | None = None,
    replace: bool = False,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> list[FilePath]:
    """Writes what `trajview score --json` prints of each run as a line of a part; gives the file."""
    words = ["score", "--parts", str(folder), *shard_of(shard), *_replace(replace)]
    return _files(run([*words, *options, *paths_of(paths)], program=program), folder)


def check(
    paths: Paths,
    folder: Path,
    *,
    shard: Shard | None = None,
    replace: bool = False,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> list[FilePath]:
    """Writes what `trajview check --json` prints of each run as a line of a part; gives the file."""
    words = ["check", "--parts", str(folder), *shard_of(shard), *_replace(replace)]
    return _files(run([*words, *options, *paths_of(paths)], program=program), folder)


def judge(
    folder: Path,
    *,
    shard: Shard | None = None,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> str:
    """Judges each run bundle below a folder, or of one shard of them; gives what `trajview judge` prints.

    Judgements lie in their bundles. What is judged already is not asked again; what was stopped goes on.
    """
    return run(["judge", *shard_of(shard), *options, *paths_of(folder)], program=program)


def merge(
    folders: Paths, out: Path, *, replace: bool = False, program: Path | None = None
) -> list[FilePath]:
    """Joins the parts of all shards into what one call without shards writes, byte for byte; gives the files.

    Nothing is written where a shard is missing, is there twice, or has a run that another has too.
    """
    printed = run(["merge", "--out", str(out), *_replace(replace), *paths_of(folders)], program=program)
    return _files(printed, out)


def _replace(replace: bool) -> list[str]:
    return ["--overwrite"] if replace else []


def _files(printed: str, folder: Path) -> list[FilePath]:
    """The files that a command names, a line each; what else it says has another form.

    The name of a part has no spaces. Notes after it, such as how many parts it was made of, may have any words.
    """
    names = (_NAME.search(line) for line in printed.splitlines())
    return [FilePath(folder, name[1]) for name in names if name]


_NAME = re.compile(r"(?:^|[/\\])([^/\\\s]+\.(?:parquet|csv|jsonl))(?:: \d+ parts?)?(?: \([^()]*\))?$")
