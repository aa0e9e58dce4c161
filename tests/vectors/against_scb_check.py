"""Holds `trajview score --tree` against scb-check 0.1.3 and 0.2.0 and against CPython 3.12, on 20 packages and on edges.

    python3.12 -m venv A && A/bin/pip install scb-check==0.1.3
    python3.12 -m venv B && B/bin/pip install scb-check==0.2.0
    B/bin/python tests/vectors/against_scb_check.py --trajview target/debug/trajview --check A B --into FOLDER [--edges]

It installs the packages into FOLDER (or with --edges writes a folder of edges for each kind), asks every program for
its numbers and prints `equal`, or each number that differs by more than 1e-9. For scb-paper, whose program is not
published, it prints the files that trajview leaves out and CPython parses, and the other way round.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

PACKAGES = """
    attrs==24.3.0 bottle==0.13.2 click==8.1.8 docutils==0.21.2 flask==3.1.0 httpx==0.28.1 jinja2==3.1.5
    more-itertools==10.5.0 networkx==3.4.2 packaging==24.2 pluggy==1.5.0 pygments==2.18.0 pyyaml==6.0.2
    requests==2.32.3 rich==13.9.4 six==1.17.0 sqlparse==0.5.3 toolz==1.0.0 tqdm==4.67.1 werkzeug==3.1.3
""".split()

BODY = '''def f(a, b):
    """Doc."""
    if a and b:
        return True
    else:
        return False


def g(xs):
    # a note
    out = []
    for x in xs:
        out.append(x)
    return list(out.keys())


def h(xs):
    out = []
    for x in xs:
        out.append(x)
    return list(out.keys())
'''

# By folder: files with their bytes.
EDGES = {
    "bom-before-comment": {"a.py": "\ufeff# coding: utf-8\n" + BODY},
    "bom-before-code": {"a.py": "\ufeffimport os\n" + BODY},
    "form-feed": {"a.py": BODY.replace("\n\ndef g", "\n\x0c\ndef g")},
    "form-feed-in-comment": {"a.py": BODY + "# c\x0c d\ny = 2\n"},
    "u0085-in-comment": {"a.py": BODY + "# a\x85b\nx = 1\n"},
    "u2028-in-comment": {"a.py": BODY + "# a\u2028b c\nx = 1\n"},
    "u2028-in-docstring": {"a.py": BODY.replace("Doc.", "Do\u2028c.")},
    "u2028-in-string": {"a.py": BODY + 's = "a\u2028b"\n'},
    "carriage-returns": {"a.py": BODY.replace("\n", "\r")},
    "crlf": {"a.py": BODY.replace("\n", "\r\n")},
    "latin-1": {"a.py": BODY.encode() + b'# caf\xe9\nt = list(d.keys())\n'},
    "pyw": {"a.pyw": BODY, "b.py": "x = list(d.keys())\n"},
    "upper-case": {"A.PY": BODY, "b.py": "x = list(d.keys())\n"},
    "pyc-folder": {"x.pyc/a.py": BODY, "b.py": "x = list(d.keys())\n"},
    "no-body": {"a.py": "def f():\n\nx = 1\n", "b.py": BODY},
    "tabs": {"a.py": "if a:\n\tx = 1\n        y = 2\n", "b.py": BODY},
    "long-integer": {"a.py": "x = 10L\n", "b.py": BODY},
    "backticks": {"a.py": "x = `a`\n", "b.py": BODY},
    "t-string": {"a.py": 'x = t"a{b}"\n', "b.py": BODY},
    "print": {"a.py": 'print "x"\n', "b.py": BODY},
    "haskell-and-zig": {
        "a.hs": "module Main where\n\nf :: Int -> Int\nf n = case n of\n  1 -> 2\n  _ -> g n\n  where\n"
        "    g x = if x > 1 && x < 4 then x else x - 1\n",
        "b.zig": "fn add(a: u32, b: u32) u32 {\n    if (a > b and b > 1) {\n        return a + b;\n    }\n"
        "    for (0..10) |i| {\n        _ = i;\n    }\n    return a;\n}\n",
    },
}

NAMES = {
    "files_scanned": "files",
    "total_loc": "sloc",
    "total_functions": "callables",
    "high_cc_functions": "high_cc",
    "total_mass": "mass",
    "high_cc_mass": "high_mass",
    "erosion": "erosion",
    "clone_loc": "clone_lines",
    "ast_grep_flagged_loc": "rule_lines",
    "trivial_wrapper_loc": "wrapper_lines",
    "structural_rule_loc": "wrapper_lines",
    "verbosity_flagged_loc": "flagged_lines",
    "verbosity": "verbosity",
}

PAPER_LEAVES_OUT = {
    "__pycache__", "venv", ".venv", "virtualenv", ".virtualenv", ".git", "node_modules", ".tox", ".nox",
}


def ours(trajview, tree, profile, rules):
    command = [trajview, "score", "--tree", tree, "--profile", profile, "--rules", rules, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True)
    return json.loads(ran.stdout)["points"][0]


def theirs(programs, tree):
    """None where the tool ends without an answer."""
    environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    command = [programs / "scb-check", "check", "--report", "--include-all", tree]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    try:
        return json.loads(ran.stdout), ""
    except json.JSONDecodeError:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        return None, said[-1] if said else "nothing"


def compare_check(trajview, venv, tree):
    packages = next((venv / "lib").glob("python*/site-packages"))
    version = next(packages.glob("scb_check-*.dist-info")).name.split("-")[1].removesuffix(".dist")
    profile = f"scb-check-{version}"
    answer, said = theirs(venv / "bin", tree)
    point = ours(trajview, tree, profile, packages / "scb_check/resources/slop_rules")
    if answer is None:
        return profile, f"no answer: {said}; ours: {point['files']} files"
    wrong = []
    for name, number in answer.items():
        mine = point.get(NAMES.get(name, ""))
        if name in NAMES and (mine is None or abs(mine - number) > 1e-9):
            wrong.append(f"{NAMES[name]}: theirs {number}, ours {mine}")
    return profile, "; ".join(wrong) or "equal"


def parses(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, ValueError):
            return False
    return True


def compare_paper(trajview, tree):
    point = ours(trajview, tree, "scb-paper", "none")
    left_out = {row["path"] for row in point["skipped"]}
    wrong = []
    for path in sorted(tree.rglob("*.py")):
        name = path.relative_to(tree)
        is_out = any(part in PAPER_LEAVES_OUT or part.endswith(".pyc") for part in name.parts)
        if path.is_file() and not path.is_symlink() and not is_out:
            if parses(path) == (name.as_posix() in left_out):
                wrong.append(f"{name}: {'left out' if parses(path) else 'measured'} here")
    return "; ".join(wrong) or f"equal, {len(left_out)} files left out"


def trees(into, edges):
    if edges:
        for name, files in EDGES.items():
            for path, text in files.items():
                file = into / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text if isinstance(text, bytes) else text.encode())
            yield into / name
        return
    for package in PACKAGES:
        tree = into / package
        if not tree.is_dir():
            install = ["-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", tree, package]
            subprocess.run([sys.executable, *install], check=True)
        yield tree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trajview", required=True)
    parser.add_argument("--check", nargs="*", type=Path, default=[])
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--edges", action="store_true")
    args = parser.parse_args()
    for tree in trees(args.into.resolve(), args.edges):
        for venv in args.check:
            print(tree.name, *compare_check(args.trajview, venv.resolve(), tree), flush=True)
        print(tree.name, "scb-paper", compare_paper(args.trajview, tree), flush=True)


if __name__ == "__main__":
    assert sys.version_info[:2] == (3, 12), "the paper's code runs on CPython 3.12"
    main()
