"""Holds `trajview score` against the two releases of scb-check: the numbers of 40 packages, and what they cost.

Usage: scoring_peers.py TRAJVIEW [--in FOLDER] [--numbers N] [--rounds N]

Makes a virtual environment of each release and installs the packages, without what they depend on, below FOLDER (a folder
of the system's temporary files); what is there stays. Python 3.12 or later, its own library only; Linux, for processor
affinity. Rules are those that each release brings along, and nothing is taken from trajview's cache.

`--numbers 0` leaves the comparison of numbers out, `--rounds 0` that of time.
"""

import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

RELEASES = ("0.1.3", "0.2.0")
TIMED = ("six", "black", "pytest", "networkx")
PACKAGES = (
    *("six", "black", "pytest", "networkx==3.6.1", "requests", "flask", "click", "rich", "httpx", "jinja2", "werkzeug"),
    *("attrs", "typer", "fastapi", "starlette", "urllib3", "idna", "packaging", "setuptools", "wheel", "virtualenv"),
    *("tox", "coverage", "hypothesis", "pylint", "isort", "flake8", "pycodestyle", "tqdm", "tabulate", "docutils"),
    *("pygments", "markdown", "beautifulsoup4", "django", "sqlalchemy", "pydantic", "celery", "scrapy", "twisted"),
)

# What trajview calls a number, and what each release does.
WRAPPERS = {"0.1.3": "trivial_wrapper_loc", "0.2.0": "structural_rule_loc"}
NAMES = {
    "files": "files_scanned",
    "sloc": "total_loc",
    "flagged_lines": "verbosity_flagged_loc",
    "clone_lines": "clone_loc",
    "rule_lines": "ast_grep_flagged_loc",
    "callables": "total_functions",
    "high_cc": "high_cc_functions",
    "mass": "total_mass",
    "high_mass": "high_cc_mass",
    "erosion": "erosion",
    "verbosity": "verbosity",
}


def environment(folder, release):
    """The folder of a release's programs, installed where it is not there yet."""
    venv = folder / f"scb-check-{release}"
    if not (venv / "bin/scb-check").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "-q", f"scb-check=={release}"], check=True)
    return venv / "bin"


def rules(programs):
    """The folder of the rules that a release brings along."""
    return next(programs.parent.glob("lib/python3*/site-packages/scb_check/resources/slop_rules"))


def package(folder, wanted):
    """The folder of a package, installed where it is not there yet."""
    target = folder / "packages" / wanted.split("==")[0]
    if not target.exists():
        install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, wanted]
        subprocess.run(install, check=True)
    return target


def scb_check(programs, target):
    return [programs / "scb-check", "check", "--report", "--include-all", target]


def trajview(program, programs, release, target):
    profile = ["--profile", f"scb-check-{release}", "--rules", rules(programs)]
    return [program, "score", "--tree", target, *profile, "--no-cache", "--json"]


def run(command, programs, cores=None):
    """What a program printed, its seconds on the clock and of all cores together; those it started are counted."""
    # Without the release's own folder in front it would find another program for `sg`, which starts ast-grep.
    environ = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    keep = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environ, capture_output=True, text=True, preexec_fn=keep)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        return None, wall, 0.0
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, wall, cpu


def differences(ours, theirs, release):
    names = {**NAMES, "wrapper_lines": WRAPPERS[release]}
    for name, other in names.items():
        if not math.isclose(ours[name], theirs[other], rel_tol=0, abs_tol=1e-9):
            yield f"{name} {ours[name]} is {other} {theirs[other]}"


def compare_numbers(args, releases, wanted):
    equal, all_of_them = 0, 0
    for one in wanted:
        target = package(args.folder, one)
        for release, programs in releases.items():
            ours, _, _ = run(trajview(args.trajview, programs, release, target), programs)
            theirs, _, _ = run(scb_check(programs, target), programs)
            all_of_them += 1
            if not ours or not theirs:
                print(f"{target.name} {release}: {'trajview' if not ours else 'scb-check'} gave no answer")
                continue
            found = list(differences(json.loads(ours)["points"][0], json.loads(theirs), release))
            equal += not found
            for line in found:
                print(f"{target.name} {release}: {line}")
    print(f"{equal} of {all_of_them} reports are equal to 1e-9 ({len(wanted)} packages, {len(releases)} profiles)\n")


def compare_time(args, releases):
    print("| package | lines | cores | release | trajview cpu | scb-check cpu | ratio | trajview wall | scb-check wall | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    cores = sorted(os.sched_getaffinity(0))
    for name in TIMED:
        target = package(args.folder, next(one for one in PACKAGES if one.split("==")[0] == name))
        lines = sum(path.read_bytes().count(b"\n") for path in target.rglob("*.py"))
        for count in (1, 2)[: len(cores)]:
            kept = set(cores[:count])
            for release, programs in releases.items():
                pair = (trajview(args.trajview, programs, release, target), scb_check(programs, target))
                # In turns, so that what else the machine does meets both.
                both = [[run(command, programs, kept)[1:] for command in pair] for _ in range(args.rounds)]
                middle = lambda who, what: statistics.median(one[who][what] for one in both)
                wall, cpu = [middle(0, 0), middle(1, 0)], [middle(0, 1), middle(1, 1)]
                cells = [*(f"{one:.2f} s" for one in cpu), f"{cpu[1] / cpu[0]:.1f}"]
                cells += [*(f"{one:.2f} s" for one in wall), f"{wall[1] / wall[0]:.1f}"]
                print(f"| {name} | {lines:,} | {count} | {release} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajview", type=pathlib.Path)
    default = pathlib.Path(tempfile.gettempdir()) / "trajview-scoring-peers"
    parser.add_argument("--in", dest="folder", type=pathlib.Path, default=default)
    parser.add_argument("--numbers", type=int, default=len(PACKAGES), help="compare those of the first N packages")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    args.trajview, args.folder = args.trajview.resolve(), args.folder.resolve()
    releases = {release: environment(args.folder, release) for release in RELEASES}
    if args.numbers:
        compare_numbers(args, releases, PACKAGES[: args.numbers])
    if args.rounds:
        compare_time(args, releases)


if __name__ == "__main__":
    main()
