"""Runs to test with, and what one export of them writes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import trajview
from trajview.program import find

ROOT = Path(__file__).resolve().parents[2]
SHARDS = 4

# The one that the tests of the program build.
if "TRAJVIEW" not in os.environ and shutil.which("trajview") is None:
    os.environ["TRAJVIEW"] = str(ROOT / "target/debug/trajview")


def messages() -> list[dict]:
    """A small recording."""
    return json.loads((ROOT / "sample-runs/logs/messages.json").read_text())


def make_runs(folder: Path, count: int = 60) -> None:
    """Writes recordings in folders whose names are awkward, some of which share an id, and a damaged one."""
    sample = json.loads((ROOT / "sample-runs/logs/atif/trajectory.json").read_text())
    for number in range(count):
        below = folder / f"task {number % 7}" / ("größe" if number % 5 == 0 else "plain")
        below.mkdir(parents=True, exist_ok=True)
        if number % 3 == 0:
            made = messages()
            made[1]["content"] += f" Number {number}."
        else:
            made = dict(sample, session_id=f"made-{number % 50}")  # some share an id
        (below / f"{number}.json").write_text(json.dumps(made))
    shutil.copytree(ROOT / "tests/bad-runs/bundle-not-json", folder / "damaged")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their names."""
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def program_that_kills_once(folder: Path) -> Path:
    """The program behind a script, which kills the process that calls it for the second shard, the first time.

    The program goes on meanwhile and writes what the next worker writes too: nobody told it that its worker is gone.
    """
    script = folder / "trajview"
    script.write_text(
        "#!/bin/sh\n"
        f'case " $* " in *" --shard 2/{SHARDS} "*) mkdir "{folder}/killed" 2>/dev/null && kill -9 $PPID ;; esac\n'
        f'exec "{find()}" "$@"\n'
    )
    script.chmod(0o755)
    return script


def until(happened) -> None:
    """Waits for something, a minute at most."""
    end = time.monotonic() + 60
    while not happened():
        if time.monotonic() > end:
            raise AssertionError("it did not happen")
        time.sleep(0.002)


class Runs(unittest.TestCase):
    """Two folders of runs, and what one export of each writes."""

    folder: tempfile.TemporaryDirectory
    made: Path
    samples = ROOT / "sample-runs"

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="trajview-test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.made = Path(cls.folder.name, "made")
        make_runs(cls.made)

    def new_folder(self, name: str) -> Path:
        """An empty folder of this test."""
        path = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder.name))
        return path

    def exported(self, runs: Path) -> dict[str, bytes]:
        """The files of one export."""
        folder = self.new_folder("one")
        trajview.export(runs, folder)
        return contents(folder)

    def merged(self, parts: Path) -> dict[str, bytes]:
        """The files that come of the parts of all shards."""
        folder = self.new_folder("merged")
        trajview.merge(parts, folder)
        return contents(folder)

    def run_page(self, name: str, **environment: str) -> str:
        """Runs a file that docs/python.md shows, in a folder with the sample runs; gives what it prints."""
        page = (ROOT / "docs/python.md").read_text()
        (code,) = re.findall(rf"^```python {name}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        folder = self.new_folder("page")
        (folder / "sample-runs").symlink_to(self.samples)
        (folder / name).write_text(code)
        words = [sys.executable, name]
        environment = os.environ | environment
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
