"""Scores a collection of made-up runs that share half of their files: what it costs the first time and the second.

Usage: shared_runs.py TRAJVIEW... [--runs N] [--in FOLDER] [--rounds N]

The runs are `sample-runs/codex-p12` again and again: its history is written anew, and every other file has a line of the
run's own at its end, in each of its versions. They are made below FOLDER (a folder of the system's temporary files); what is
there stays. Several programs are measured in turns, each with a cache of its own. Python 3, its own library only; git.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "sample-runs" / "codex-p12"


def history():
    """The sample's history as `git fast-import` reads it, cut where a run's own line may go."""
    export = ["git", "--git-dir", SAMPLE / "workspace.git", "fast-export", "--show-original-ids", "--all"]
    stream = subprocess.run(export, check=True, capture_output=True).stdout
    paths = dict((mark, path) for mark, path in re.findall(rb"^M \d+ :(\d+) (.+)$", stream, re.M))
    own = {path for at, path in enumerate(sorted(set(paths.values()))) if at % 2}
    pieces, originals, at = [b""], [], 0
    for blob in re.finditer(rb"^(blob|commit .+)\nmark :(\d+)\noriginal-oid ([0-9a-f]{40})\n", stream, re.M):
        if blob.start() < at:
            continue
        kind, mark, original = blob.groups()
        if kind != b"blob":
            originals.append((mark, original))
            continue
        head = re.compile(rb"data (\d+)\n").match(stream, blob.end())
        end = head.end() + int(head[1])
        if paths.get(mark) in own:
            pieces[-1] += stream[at : blob.end()]
            pieces.append((int(head[1]), stream[head.end() : end]))
            pieces.append(b"")
        else:
            pieces[-1] += stream[at:end]
        at = end
    pieces[-1] += stream[at:]
    return pieces, originals


def make(folder, number, pieces, originals):
    run = folder / f"run-{number:04}"
    if (run / "run.json").exists():
        return
    line = f"\n# run {number}\n".encode()

    def written(piece):
        if isinstance(piece, bytes):
            return piece
        size, content = piece
        return f"data {size + len(line)}\n".encode() + content + line

    shutil.copytree(SAMPLE, run, dirs_exist_ok=True, ignore=shutil.ignore_patterns("workspace.git", "run.json"))
    repository = run / "workspace.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True)
    marks = run / "marks"
    load = ["git", "--git-dir", repository, "fast-import", "--quiet", f"--export-marks={marks}"]
    subprocess.run(load, check=True, input=b"".join(map(written, pieces)))
    now = dict(row[1:].split() for row in marks.read_text().splitlines())
    marks.unlink()
    renamed = {original.decode(): now[mark.decode()] for mark, original in originals}
    for path in [*run.glob("judgements/*.json"), SAMPLE / "run.json"]:
        text = re.sub("[0-9a-f]{40}", lambda found: renamed.get(found[0], found[0]), path.read_text())
        if path.parent == SAMPLE:
            manifest = json.loads(text) | {"id": f"run-{number:04}"}
            text = json.dumps(manifest, indent=1, ensure_ascii=False)
        (run / path.relative_to(SAMPLE if path.parent == SAMPLE else run)).write_text(text)


def cost(command, cache):
    """Seconds of all cores together, and by the clock."""
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    took = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("trajview", nargs="+", type=pathlib.Path)
    words.add_argument("--runs", type=int, default=1000)
    words.add_argument("--rounds", type=int, default=1)
    words.add_argument("--in", dest="folder", type=pathlib.Path)
    asked = words.parse_args()
    folder = asked.folder or pathlib.Path(tempfile.gettempdir()) / "trajview-bench-logs" / f"shared-{asked.runs}"
    folder.mkdir(parents=True, exist_ok=True)
    pieces, originals = history()
    for number in range(asked.runs):
        make(folder, number, pieces, originals)

    runs = [folder / f"run-{number:04}" for number in range(asked.runs)]
    commands = {
        "corpus": ["corpus", folder, "--json"],
        "score, the end": ["score", *runs, "--json"],
        "score, each turn": ["score", *runs, "--each", "turn", "--json"],
    }
    print(f"{'program':40} {'work':20} {'nothing kept, cpu':>18} {'clock':>8} {'kept, cpu':>10} {'clock':>8} {'cache':>9}")
    rows = {}
    for _ in range(asked.rounds):
        for name, arguments in commands.items():
            for program in asked.trajview:
                with tempfile.TemporaryDirectory() as cache:
                    times = [cost([program.resolve(), *arguments], cache) for _ in ("cold", "warm")]
                    size = sum(path.stat().st_size for path in pathlib.Path(cache).rglob("*") if path.is_file())
                rows.setdefault((program, name), []).append((*times[0], *times[1], size / 1e6))
    for (program, name), all_rows in rows.items():
        middle = [statistics.median(column) for column in zip(*all_rows)]
        seconds = "{:>16.1f} s {:>6.1f} s {:>8.1f} s {:>6.1f} s {:>6.0f} MB".format(*middle)
        print(f"{str(program)[-40:]:40} {name:20} {seconds}")


if __name__ == "__main__":
    main()
