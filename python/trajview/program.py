"""The program `trajview`: where it is, and how it is called."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

log = logging.getLogger("trajview")


class TrajviewError(Exception):
    """The program could not do what it was asked; the words are its own.

    `exit_code` is the program's: 1 a check failed, 2 wrong arguments, 3 cannot read, 4 cannot understand. It is negative
    where a signal ended the program, and None where the program could not be started.
    """

    def __init__(self, words: str, exit_code: int | None = None) -> None:
        super().__init__(words, exit_code)
        self.words = words
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.words


def find(program: str | os.PathLike[str] | None = None) -> str:
    """The path of the program: the argument, else the variable TRAJVIEW, else the one that pip installed, else what PATH has."""
    found = program or os.environ.get("TRAJVIEW") or _installed() or shutil.which("trajview")
    if not found:
        raise TrajviewError(
            "the program trajview is neither in this Python environment nor in PATH; install it with `pip install trajview`, "
            "name it with program=..., or in the variable TRAJVIEW"
        )
    return os.fspath(found)


def _installed() -> str | None:
    """The program of the package `trajview` in this environment, or in the user's own folder; None where neither has it."""
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    places = [Path(sysconfig.get_path("scripts", scheme)) / "trajview" for scheme in schemes]
    # `pip install --target FOLDER` puts programs into FOLDER/bin, beside the modules.
    places.append(Path(__file__).resolve().parents[1] / "bin" / "trajview")
    return next((str(place) for place in places if os.access(place, os.X_OK) and place.is_file()), None)


def run(words: Sequence[str], *, program: str | os.PathLike[str] | None = None) -> str:
    """What the program prints when it is called with these words.

    What it says on standard error goes to the logger `trajview`. An exit code other than 0 is a TrajviewError.
    """
    command = [find(program), *words]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
        )
    except OSError as why:
        raise TrajviewError(f"cannot start {command[0]}: {why.strerror}") from why
    said = [line.removeprefix("trajview: ") for line in done.stderr.splitlines()]
    if done.returncode != 0:
        raise TrajviewError("\n".join(said) or _ended(done.returncode), done.returncode)
    for line in said:
        log.info("%s", line)
    return done.stdout


def _ended(code: int) -> str:
    return f"signal {-code} ended trajview" if code < 0 else f"trajview ended with exit code {code}"
