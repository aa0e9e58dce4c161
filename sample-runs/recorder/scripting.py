"""The words a script is written in.

A script is a Python file that calls `turn(...)` in order and ends with `SCRIPT = script(...)`. A turn is the researcher's request and the
steps with which the model's side answers it; a step is what the model says in one response: a thought, a sentence, tool calls.
The last step of a turn has no tool call.
"""
import importlib.util
import pathlib
import sys

_turns = []


def turn(text, *steps, checkpoint=None):
    _turns.append({"turn": len(_turns) + 1, "text": text, "checkpoint": checkpoint, "steps": list(steps)})


def step(say=None, *ops, think=None, tokens_in=None):
    found = {"think": think, "say": say, "ops": list(ops), "tokens_in": tokens_in}
    return {key: value for key, value in found.items() if value}


def shell(cmd):
    return {"op": "shell", "cmd": cmd}


def plan(why, *items):
    """Items are (text, "pending" | "in_progress" | "completed")."""
    return {"op": "plan", "why": why, "items": list(items)}


def patch(*files):
    return {"op": "patch", "files": list(files)}


def add(path, content):
    return {"kind": "add", "path": path, "content": content.lstrip("\n")}


def update(path, *edits, to=None):
    """Edits are (old, new) pieces of whole lines, in the order in which they stand in the file."""
    return {"kind": "update", "path": path, "to": to, "edits": [(old.strip("\n"), new.strip("\n")) for old, new in edits]}


def delete(path):
    return {"kind": "delete", "path": path}


def script(name, condition, title, checkpoints, components, summary):
    """`checkpoints` maps an id to its label; the turn which ends it carries the id."""
    return {"name": name, "condition": condition, "title": title, "checkpoints": checkpoints, "components": components,
            "summary": summary, "turns": list(_turns)}


def load(path):
    _turns.clear()
    path = pathlib.Path(path)
    sys.path.insert(0, str(path.parent))
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("scripting", sys.modules[__name__])
    spec.loader.exec_module(module)
    return module.SCRIPT
