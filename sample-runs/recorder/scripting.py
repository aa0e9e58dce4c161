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
    _turns.append({"turn": len(_turns) + 1, "text": text, "checkpoint": checkpoint, "steps": _with_plans_in_words(steps)})


def _with_plans_in_words(steps):
    """This version of the program offers no plan tool when it runs without a screen, so a plan is part of what is said.
    A step that has nothing else to do would end the turn; its words go to the next one."""
    said, spoken = "", []
    for found in steps:
        plans = [op["text"] for op in found.get("ops", []) if op["op"] == "plan"]
        ops = [op for op in found.get("ops", []) if op["op"] != "plan"]
        said = "\n\n".join(part for part in (said, found.get("say"), *plans) if part)
        if ops or found is steps[-1]:
            spoken.append({key: value for key, value in {**found, "say": said, "ops": ops}.items() if value})
            said = ""
    return spoken


def step(say=None, *ops, think=None, tokens_in=None):
    found = {"think": think, "say": say, "ops": list(ops), "tokens_in": tokens_in}
    return {key: value for key, value in found.items() if value}


def shell(cmd):
    return {"op": "shell", "cmd": cmd}


MARKS = {"completed": "x", "in_progress": "~", "pending": " "}


def plan(why, *items):
    """Items are (text, "pending" | "in_progress" | "completed")."""
    lines = [f"- [{MARKS[state]}] {part}" for part, state in items]
    return {"op": "plan", "text": "\n".join([f"Plan ({why}):", *lines])}


def patch(*files):
    return {"op": "patch", "files": list(files)}


def add(path, content):
    return {"kind": "add", "path": path, "content": content.lstrip("\n")}


def update(path, *edits, to=None):
    """Edits are (old, new) pieces of whole lines, in the order in which they stand in the file."""
    return {"kind": "update", "path": path, "to": to, "edits": [(old.strip("\n"), new.strip("\n")) for old, new in edits]}


def delete(path):
    return {"kind": "delete", "path": path}


def script(name, condition, title, checkpoints, components, summary, exposure, judged):
    """`checkpoints` maps an id to its label; the turn which ends it carries the id. `judged` says who read and judged."""
    return {"name": name, "condition": condition, "title": title, "checkpoints": checkpoints, "components": components,
            "exposure": exposure, "judged": judged, "summary": summary, "turns": list(_turns)}


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
