#!/usr/bin/env python3
"""The four looks a judge may take at one commit of a bundle, and the traces made of them.

    inspect_tree.py look BUNDLE COMMIT TOOL [KEY=VALUE ...]     prints what the look shows
    inspect_tree.py fill BUNDLE JUDGEMENT.json                  takes the looks of a judgement again and writes down what they showed

| tool | arguments | shows |
|---|---|---|
| `list` | `path` ("" is the root) | every file below it with its size |
| `read` | `path`, `start`, `end` (both may be left out) | the lines with their numbers |
| `search` | `pattern` (a regular expression), `path` (may be left out) | every line that matches, with file and number |
| `symbols` | `path` | the classes and functions of a Python file, with their lines |
"""
import ast
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

EXCERPT = 240       # characters


class Tree:
    """The files of one commit."""

    def __init__(self, bundle, commit):
        self.git = ["git", f"--git-dir={pathlib.Path(bundle) / 'workspace.git'}"]
        self.commit = commit
        listed = self._run("ls-tree", "-r", "-l", "-z", commit).split("\0")
        rows = (row.split("\t", 1) for row in listed if row)
        self.sizes = {name: int(meta.split()[3]) for meta, name in rows}

    def _run(self, *arguments):
        return subprocess.run([*self.git, *arguments], check=True, capture_output=True).stdout.decode("utf-8")

    def lines(self, path):
        return self._run("show", f"{self.commit}:{path}").splitlines()

    def below(self, path):
        prefix = path.rstrip("/") + "/" if path else ""
        return sorted(name for name in self.sizes if name.startswith(prefix) or name == path)

    def list(self, path=""):
        return [f"{self.sizes[name]:7} {name}" for name in self.below(path)] or [f"nothing below {path}"]

    def read(self, path, start=1, end=None):
        if path not in self.sizes:
            return [f"no file {path}"]
        lines = self.lines(path)
        return [f"{n:5}  {line}" for n, line in enumerate(lines, 1) if start <= n <= (end or len(lines))]

    def search(self, pattern, path=""):
        found = [f"{name}:{n}: {line}" for name in self.below(path) for n, line in enumerate(self.lines(name), 1) if re.search(pattern, line)]
        return found or ["no match"]

    def symbols(self, path):
        if path not in self.sizes:
            return [f"no file {path}"]
        return _symbols(ast.parse("\n".join(self.lines(path))).body, "") or ["no symbols"]


def _symbols(body, indent):
    shown = []
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            kind = "class" if isinstance(node, ast.ClassDef) else "def"
            shown.append(f"{node.lineno:5}-{node.end_lineno:<5}{indent}{kind} {node.name}")
        if isinstance(node, ast.ClassDef):
            shown += _symbols(node.body, indent + "  ")
    return shown


def look(tree, tool, arguments):
    """What a look shows: lines, each with its line feed."""
    if tool not in ("list", "read", "search", "symbols"):
        raise ValueError(f"there is no tool {tool}")
    return "".join(line + "\n" for line in getattr(tree, tool)(**arguments))


def recorded(tree, tool, arguments):
    """A look as a judgement keeps it."""
    text = look(tree, tool, arguments)
    excerpt = text if len(text) <= EXCERPT else text[:EXCERPT] + "…"
    return {"tool": tool, "arguments": arguments, "bytes": len(text.encode("utf-8")),
            "sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(), "excerpt": excerpt}


def fill(bundle, path):
    path = pathlib.Path(path)
    judgement = json.loads(path.read_text(encoding="utf-8"))
    tree = Tree(bundle, judgement["commit"])
    for verdict in judgement["scores"]:
        verdict["trace"] = [recorded(tree, step["tool"], step["arguments"]) for step in verdict["trace"]]
    written = path.with_suffix(".part")
    written.write_text(json.dumps(judgement, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(written, path)


def main(words):
    if len(words) == 3 and words[0] == "fill":
        return fill(*words[1:])
    if len(words) >= 4 and words[0] == "look":
        arguments = dict(word.split("=", 1) for word in words[4:])
        arguments.update({key: int(arguments[key]) for key in ("start", "end") if key in arguments})
        return print(look(Tree(*words[1:3]), words[3], arguments), end="")
    raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
