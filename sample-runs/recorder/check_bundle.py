#!/usr/bin/env python3
"""Checks a recorded bundle: `check_bundle.py DIR`. Prints what it found and ends with 1 when something does not hold.

It also lists the symbols of components (the names in parentheses) which the package no longer uses at the end, and since which turn.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import check_judged

LEAKS = re.compile(r"(?<![\w.])/(?:work|root|tmp|home/(?!u\b)|Users|opt|var)/[\w.-]+")


def git(bundle, *arguments, **options):
    return subprocess.run(["git", f"--git-dir={bundle / 'workspace.git'}", *arguments], check=True, capture_output=True, **options).stdout


def read_json(bundle, name):
    return json.loads((bundle / name).read_text(encoding="utf-8"))


def user_requests(records):
    items = (r["payload"].get("item", {}) for r in records if r["type"] == "event_msg" and r["payload"]["type"] == "item_completed")
    return ["".join(part["text"] for part in item["content"]) for item in items if item["type"] == "UserMessage"]


def failed_patches(records):
    items = (r["payload"].get("item", {}) for r in records if r["type"] == "event_msg" and r["payload"]["type"] == "item_completed")
    return [item["id"] for item in items if item["type"] == "FileChange" and item["status"] != "completed"]


def replayed_tree(bundle, commits, folder):
    """The tree that results from applying the diff of every turn to an empty folder."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    before = git(bundle, "hash-object", "-t", "tree", "/dev/null", text=True).strip()
    for commit in commits:
        patch = git(bundle, "diff", "--binary", before, commit)
        if patch.strip():
            subprocess.run(["git", "apply", "--whitespace=nowarn", "--index", "-"], check=True, cwd=folder, input=patch)
        before = commit
    return subprocess.run(["git", "write-tree"], check=True, cwd=folder, capture_output=True, text=True).stdout.strip()


def sources(bundle, commit):
    names = git(bundle, "ls-tree", "-r", "--name-only", commit, "ppdiff", text=True).split()
    return "\n".join(git(bundle, "show", f"{commit}:{name}", text=True) for name in names if name.endswith(".py"))


def uses(source, symbol):
    """Mentions other than in definitions and imports."""
    lines = (line for line in source.split("\n") if not re.match(rf"(from|import) |\s*(def|class) {symbol}\b", line))
    return sum(len(re.findall(rf"\b{symbol}\b", line)) for line in lines)


def print_unused(bundle, turns, components):
    history = [sources(bundle, t["commit"]) for t in turns]
    for c in components:
        for symbol in re.findall(r"\w+", c["name"].rpartition("(")[2]):
            counts = [uses(source, symbol) for source in history]
            if not counts[-1]:
                since = next(turns[k + 1]["turn"] for k in reversed(range(len(counts) - 1)) if counts[k])
                gone = "still defined" if re.search(rf"(def|class) {symbol}\b", history[-1]) else "gone"
                print(f"  {c['id']} {symbol}: unused since turn {since}, {gone}")


def problems(bundle):
    run, script, components = (read_json(bundle, name) for name in ("run.json", "script.json", "components.json"))
    session = bundle / "session" / run["turns"][0]["session"]
    records = [json.loads(line) for line in session.read_text(encoding="utf-8").splitlines()]
    turns, asked = run["turns"], [r["text"] for r in script["requests"]]
    log = git(bundle, "log", "--reverse", "--format=%H", "main", text=True).split()
    git(bundle, "fsck", "--strict")
    print(f"{run['id']}: {len(turns)} turns, {len(records)} records, {session.stat().st_size} bytes, "
          f"{sum(r['type'] == 'compacted' for r in records)} compactions")
    print_unused(bundle, turns, components["components"])
    if log != [t["commit"] for t in turns]:
        yield "the commits are not those of run.json"
    if user_requests(records) != asked:
        yield "the requests of the log are not those of script.json"
    if [t["first_line"] for t in turns] != [1] + [t["last_line"] + 1 for t in turns[:-1]] or turns[-1]["last_line"] != len(records):
        yield "the lines of the turns do not cover the log"
    for t in turns:
        if user_requests(records[t["first_line"] - 1:t["last_line"]]) != [asked[t["turn"] - 1]]:
            yield f"turn {t['turn']} does not hold its request"
    if failed_patches(records):
        yield f"patches failed: {failed_patches(records)}"
    if {c["turn"] for c in run["checkpoints"]} != {r["turn"] for r in script["requests"] if r["checkpoint"]}:
        yield "the checkpoints differ"
    if len(components["components"]) != 24:
        yield "there should be 24 components"
    for path in bundle.rglob("*"):
        if path.is_file() and "objects" not in path.parts:
            found = set(LEAKS.findall(path.read_text(encoding="utf-8"))) | ({os.uname().nodename} & set(re.findall(r"[\w.-]+", path.read_text())))
            if found:
                yield f"{path.name} names {sorted(found)}"
        if path.is_dir() and not any(path.iterdir()):
            yield f"{path} is empty"
    yield from check_judged.problems(bundle)
    with tempfile.TemporaryDirectory() as folder:
        if replayed_tree(bundle, log, folder) != git(bundle, "rev-parse", "main^{tree}", text=True).strip():
            yield "the diffs of the turns do not add up to the final tree"
        tests = subprocess.run([sys.executable, "-B", "-m", "unittest"], cwd=folder, capture_output=True, text=True)
        print("  " + " ".join(tests.stderr.split("\n")[-4:]).strip())
        if tests.returncode:
            yield "the tests of the final tree fail\n" + tests.stderr


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1])))
    for problem in found:
        print("  " + problem)
    sys.exit(bool(found))
