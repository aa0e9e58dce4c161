"""Makes slopcodebench/: a run directory as SlopCodeBench G2 lays it out, of a small problem of ours.

SlopCodeBench did not run and no model wrote anything: the agent is this script. Its edits and commands are carried out
in an empty folder, the tests are run against what came of it, and diff.json is made the way the harness makes it.

    python3 slopcodebench.py --out ../slopcodebench
"""

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RUN, PROBLEM = "claude_code-2.0.51_just-solve_none_20260102T0900", "tally"

TALLY_1 = '''"""Counts the words of a text."""

import sys


def words(text):
    return text.split()


def main(argv):
    if len(argv) != 1:
        print("usage: tally FILE", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        print(len(words(file.read())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''

TOP = '''

def top(text, count):
    seen = {}
    for word in words(text):
        seen[word] = seen.get(word, 0) + 1
    ranked = sorted(seen.items(), key=lambda item: (-item[1], item[0]))
    return ranked[:count]
'''

MAIN_1 = '''    if len(argv) != 1:
        print("usage: tally FILE", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        print(len(words(file.read())))
    return 0
'''

MAIN_2 = '''    if len(argv) not in (1, 3):
        print("usage: tally FILE [--top N]", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        text = file.read()
    if len(argv) == 1:
        print(len(words(text)))
        return 0
    for word, count in top(text, int(argv[2])):
        print(word, count)
    return 0
'''

# What each checkpoint asks, what the agent does, and the tests that come with it: (group, name, arguments, expected).
CHECKPOINTS = [
    {
        "prompt": "Write `tally.py FILE`: print how many words the file has. Words are parted by blanks.",
        "steps": [
            ("say", "A small program: read the file, split, count."),
            ("write", "tally.py", TALLY_1),
            ("write", "scratch.txt", "one two\n"),
            ("bash", "python3 tally.py scratch.txt; rm scratch.txt"),
            ("say", "It counts words."),
        ],
        "tests": [
            ("Core", "test_counts_words", ["text.txt"], "5\n"),
            ("Functionality", "test_an_empty_file_has_none", ["empty.txt"], "0\n"),
            ("Error", "test_usage_without_a_file", [], ""),
        ],
        "flags": [{"criteria": "single_use_function", "start": 6, "end": 7, "confidence": 3, "file_name": "tally.py",
                   "category": "structure", "type": "verbosity", "explanation": "`words` only wraps `str.split`."}],
    },
    {
        "prompt": "Add `--top N`: print the N most frequent words with their counts, most frequent first.",
        "steps": [
            ("say", "I add a function for the ranking and an option."),
            ("edit", "tally.py", "    return text.split()\n", "    return text.split()\n" + TOP),
            ("edit", "tally.py", MAIN_1, MAIN_2),
            ("bash", "sed -i 's/Counts the words of a text/Counts and ranks the words of a text/' tally.py"),
            ("say", "`--top` works."),
        ],
        "tests": [
            ("Core", "test_ranks_words", ["text.txt", "--top", "2"], "b 3\na 2\n"),
            ("Error", "test_top_needs_a_number", ["text.txt", "--top", "x"], ""),
        ],
        "flags": [{"criteria": "single_use_function", "start": 6, "end": 7, "confidence": 3, "file_name": "tally.py",
                   "category": "structure", "explanation": "`words` only wraps `str.split`.",
                   "carried_over": "checkpoint_1"}],
    },
    {
        "prompt": "Words are now compared without regard to case, also where they are counted.",
        "steps": [
            ("edit", "tally.py", "    return text.split()\n", "    return sorted(set(text.lower().split()))\n"),
            ("bash", "python3 -c 'import tally; print(tally.words(\"A a b\"))'"),
            ("say", "Case no longer matters."),
        ],
        "tests": [("Core", "test_case_does_not_matter", ["mixed.txt", "--top", "1"], "a 2\n")],
        "flags": [{"criteria": "single_use_function", "start": "15", "end": "16", "confidence": "3",
                   "file_name": "tally.py", "category": "structure",
                   "explanation": "`words` only wraps `str.split`.", "carried_over": "checkpoint_1"},
                  {"criteria": "hidden_behaviour_change", "start": 7, "end": 7, "confidence": 5,
                   "file_name": "tally.py", "category": "behaviour", "type": "erosion",
                   "explanation": "A set loses how often a word occurs, which `top` and the count rely on."}],
    },
]

TEXTS = {"text.txt": "b a b\na b\n", "empty.txt": "", "mixed.txt": "A a b\n"}


def dump(path, value, lines=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    if lines:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in value), encoding="utf-8")
    else:
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def tree(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def patch_of(old, new):
    """Hunks as Claude Code records them."""
    hunks, old, new = [], old.split("\n"), new.split("\n")
    for group in difflib.SequenceMatcher(None, old, new, False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in old[a:b]]
            else:
                lines += ["-" + line for line in old[a:b]] + ["+" + line for line in new[c:d]]
        first, last = group[0], group[-1]
        hunks.append({"oldStart": first[1] + 1, "oldLines": last[2] - first[1], "newStart": first[3] + 1,
                      "newLines": last[4] - first[3], "lines": lines})
    return hunks


class Agent:
    """Carries out the steps in a workspace and writes down what Claude Code would print."""

    def __init__(self, number, workspace):
        self.number, self.workspace, self.rows = number, workspace, []
        self.session = f"00000000-0000-4000-8000-00000000000{number}"
        self.rows.append({"type": "system", "subtype": "init", "cwd": "/workspace", "session_id": self.session,
                          "tools": ["Bash", "Edit", "Write"], "mcp_servers": [], "model": "scripted",
                          "permissionMode": "bypassPermissions", "claude_code_version": "2.0.51",
                          "uuid": self.uuid()})

    def uuid(self):
        return f"00000000-0000-4000-9000-{self.number:04}{len(self.rows):08}"

    def said(self, block):
        step = len(self.rows)
        message = {"id": f"msg_{self.number}_{step}", "type": "message", "role": "assistant", "model": "scripted",
                   "content": [block], "usage": {"input_tokens": 0, "output_tokens": 0}}
        self.rows.append({"type": "assistant", "message": message, "parent_tool_use_id": None,
                          "session_id": self.session, "uuid": self.uuid()})

    def call(self, name, arguments, text, result):
        call = f"toolu_{self.number}_{len(self.rows)}"
        self.said({"type": "tool_use", "id": call, "name": name, "input": arguments})
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": False}
        self.rows.append({"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": None,
                          "session_id": self.session, "uuid": self.uuid(), "tool_use_result": result})

    def step(self, kind, *what):
        if kind == "say":
            return self.said({"type": "text", "text": what[0]})
        if kind == "bash":
            ran = subprocess.run(["bash", "-c", what[0]], cwd=self.workspace, capture_output=True, text=True)
            result = {"stdout": ran.stdout, "stderr": ran.stderr, "interrupted": False, "isImage": False}
            return self.call("Bash", {"command": what[0]}, (ran.stdout + ran.stderr).strip(), result)
        path, inside = self.workspace / what[0], f"/workspace/{what[0]}"
        if kind == "write":
            path.write_text(what[1], encoding="utf-8")
            result = {"type": "create", "filePath": inside, "content": what[1], "structuredPatch": []}
            return self.call("Write", {"file_path": inside, "content": what[1]}, f"File created: {inside}", result)
        before = path.read_text(encoding="utf-8")
        assert before.count(what[1]) == 1, what[1]
        after = before.replace(what[1], what[2])
        path.write_text(after, encoding="utf-8")
        result = {"filePath": inside, "oldString": what[1], "newString": what[2], "originalFile": before,
                  "structuredPatch": patch_of(before, after), "userModified": False, "replaceAll": False}
        arguments = {"file_path": inside, "old_string": what[1], "new_string": what[2]}
        return self.call("Edit", arguments, f"{inside} was updated", result)

    def finish(self, tokens):
        usage = {"input_tokens": tokens["input"], "output_tokens": tokens["output"],
                 "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        self.rows.append({"type": "result", "subtype": "success", "is_error": False, "duration_ms": 1000,
                          "num_turns": len(self.rows) // 2, "result": "done", "session_id": self.session,
                          "total_cost_usd": 0.25 * self.number, "usage": usage, "permission_denials": [],
                          "uuid": self.uuid()})


def diff_of(before, after):
    diffs = {}
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        lines = list(difflib.unified_diff((old or "").splitlines(True), (new or "").splitlines(True), path, path,
                                          lineterm=""))
        content = lines[2:]
        diffs[path] = {
            "path": path,
            "change_type": "created" if old is None else "deleted" if new is None else "modified",
            "is_binary": False,
            "diff_text": "\n".join(lines),
            "lines_added": sum(line.startswith("+") for line in content),
            "lines_removed": sum(line.startswith("-") for line in content),
            "old_size": None if old is None else len(old.encode()),
            "new_size": None if new is None else len(new.encode()),
        }
    return diffs


def evaluate(number, workspace, texts):
    """Runs every test up to this checkpoint; those of earlier ones are regressions."""
    groups, totals, passes, reports = {}, {}, {}, []
    for stage, checkpoint in enumerate(CHECKPOINTS[:number], 1):
        for group, name, arguments, expected in checkpoint["tests"]:
            ran = subprocess.run([sys.executable, str(workspace / "tally.py"), *arguments], cwd=texts,
                                 capture_output=True, text=True)
            passed = (ran.returncode != 0) if group == "Error" else (ran.returncode, ran.stdout) == (0, expected)
            kind = group if stage == number else "Regression"
            outcomes = groups.setdefault(f"checkpoint_{stage}-{kind}", {"passed": [], "failed": [], "skipped": []})
            outcomes["passed" if passed else "failed"].append(name)
            totals[kind] = totals.get(kind, 0) + 1
            passes[kind] = passes.get(kind, 0) + passed
            call = {"duration": 0.02, "outcome": "passed" if passed else "failed"}
            if not passed:
                message = f"AssertionError: assert {ran.stdout!r} == {expected!r}"
                call["crash"] = {"path": f"tests/test_checkpoint_{stage}.py", "lineno": 9, "message": message}
                call["longrepr"] = f"    def {name}(tally):\n>       assert tally({arguments}) == {expected!r}\nE       {message}\n"
            reports.append({"nodeid": f"tests/test_checkpoint_{stage}.py::{name}", "lineno": 8,
                            "outcome": call["outcome"], "call": call})
    for kind in ("Core", "Functionality", "Regression", "Error"):
        totals.setdefault(kind, 0), passes.setdefault(kind, 0)
    evaluation = {
        "schema_version": 1, "problem_name": PROBLEM, "problem_version": 1, "checkpoint_name": f"checkpoint_{number}",
        "checkpoint_version": 1, "duration": 0.5, "entrypoint": "python tally.py", "tests": groups,
        "pass_counts": passes, "total_counts": totals, "pytest_exit_code": int(passes != totals),
        "pytest_collected": sum(totals.values()), "test_collection_hash": None, "infrastructure_failure": False,
    }
    return evaluation, {"exitcode": evaluation["pytest_exit_code"], "tests": reports}


def rate(passed, total):
    return passed / total if total else 0.0


def row_of(number, evaluation, inference, quality):
    passes, totals = evaluation["pass_counts"], evaluation["total_counts"]
    passed, total = sum(passes.values()), sum(totals.values())
    row = {"problem": PROBLEM, "version": 1, "checkpoint": f"checkpoint_{number}", "path": f"outputs/{RUN}/{PROBLEM}",
           "idx": number, "state": "ran", "is_first": number == 1, "is_last": number == len(CHECKPOINTS),
           "strict_pass_rate": rate(passed, total), "core_pass_rate": rate(passes["Core"], totals["Core"]),
           "isolated_pass_rate": rate(passed - passes["Regression"], total - totals["Regression"]),
           "total_tests": total, "passed_tests": passed}
    for kind in ("Core", "Functionality", "Error", "Regression"):
        row[f"{kind.lower()}_total"], row[f"{kind.lower()}_passed"] = totals[kind], passes[kind]
    row.update(started=inference["started"], ended=inference["completed"], duration=inference["elapsed"],
               cost=inference["usage"]["cost"], steps=inference["usage"]["steps"], **inference["usage"]["net_tokens"],
               total_lines=quality["lines"]["total_lines"], sloc=quality["lines"]["loc"])
    return row


def yaml(value, indent=0):
    text = ""
    for key, inner in value.items():
        if isinstance(inner, dict):
            text += " " * indent + f"{key}:\n" + yaml(inner, indent + 2)
        elif isinstance(inner, list):
            text += " " * indent + f"{key}:\n" + "".join(" " * indent + f"- {item}\n" for item in inner)
        else:
            shown = {True: "true", False: "false", None: "null"}.get(inner, inner) if not isinstance(inner, (int, str)) or isinstance(inner, bool) else inner
            text += " " * indent + f"{key}: {shown}\n"
    return text


def record(out):
    problem, rows = out / PROBLEM, []
    work = Path(tempfile.mkdtemp())
    workspace, texts = work / "workspace", work / "texts"
    workspace.mkdir(), texts.mkdir()
    for name, text in TEXTS.items():
        (texts / name).write_text(text, encoding="utf-8")
    for number, checkpoint in enumerate(CHECKPOINTS, 1):
        folder, before = problem / f"checkpoint_{number}", tree(workspace)
        agent = Agent(number, workspace)
        for step in checkpoint["steps"]:
            agent.step(*step)
        tokens = {"input": 1000 * number, "output": 100 * number, "cache_read": 0, "cache_write": 0, "reasoning": 0}
        agent.finish(tokens)
        after = tree(workspace)
        times = {"started": f"2026-01-02T09:{number}0:00", "completed": f"2026-01-02T09:{number}5:00"}
        inference = {"artifacts_dir": "agent", "checkpoint_path": f"outputs/{RUN}/{PROBLEM}/checkpoint_{number}",
                     "elapsed": 300.0, "error_message": None, "had_error": False, "snapshot_dir": "snapshot", **times,
                     "usage": {"cost": 0.25 * number, "steps": len(checkpoint["steps"]), "net_tokens": tokens,
                               "current_tokens": tokens}}
        source = after["tally.py"].splitlines()
        quality = {"file_count": 1, "lines": {"total_lines": len(source), "loc": sum(bool(line.strip()) for line in source)}}
        evaluation, report = evaluate(number, workspace, texts)
        dump(folder / "agent/stdout.jsonl", agent.rows, lines=True)
        (folder / "prompt.txt").write_text(checkpoint["prompt"] + "\n", encoding="utf-8")
        dump(folder / "inference_result.json", inference)
        stamps = {"from_checksum": None, "to_checksum": None, "from_timestamp": times["started"], "to_timestamp": times["completed"]}
        dump(folder / "diff.json", {**stamps, "file_diffs": diff_of(before, after)})
        dump(folder / "evaluation.json", evaluation)
        dump(folder / "evaluation/report.json", report)
        dump(folder / "quality_analysis/overall_quality.json", quality)
        dump(folder / "rubric.jsonl", checkpoint["flags"], lines=True)
        (folder / "checkpoint.yaml").write_text(yaml({"name": f"checkpoint_{number}", "order": number, "version": 1}))
        # The second is left out, as archives often leave them out: its files come from the edits and diff.json.
        if number != 2:
            for path, text in after.items():
                (folder / "snapshot").mkdir(exist_ok=True)
                (folder / "snapshot" / path).write_text(text, encoding="utf-8")
        rows.append(row_of(number, evaluation, inference, quality))
    names = [f"checkpoint_{number}" for number in range(1, len(CHECKPOINTS) + 1)]
    (problem / "problem.yaml").write_text(yaml({
        "name": PROBLEM, "version": 1, "category": "text", "difficulty": "Easy", "entry_file": "tally",
        "checkpoints": {name: {"name": name, "order": order} for order, name in enumerate(names, 1)}}))
    (problem / "run_info.yaml").write_text(yaml({
        "agent_type": "claude_code", "agent_version": "2.0.51", "model_name": "scripted", "pass_policy": "any",
        "summary": {"checkpoints": {name: "ran" for name in names}, "ended": "'2026-01-02T09:40:00'",
                    "started": "'2026-01-02T09:10:00'", "state": "completed"}}))
    (out / "config.yaml").write_text(yaml({
        "agent": {"type": "claude_code", "version": "2.0.51"}, "model": {"name": "scripted", "provider": "none"},
        "one_shot": {"enabled": False}, "pass_policy": "any", "problems": [PROBLEM],
        "prompt_path": "configs/prompts/just-solve.jinja", "save_template": f"scripted/{RUN}", "thinking": "none"}))
    dump(out / "problem_catalog.json", {"version": "v1.0", "commit": None})
    dump(out / "checkpoint_results.jsonl", rows, lines=True)
    solved = {name: sum(row[f"{name}_pass_rate"] == 1.0 for row in rows) for name in ("strict", "isolated", "core")}
    dump(out / "result.json", {
        "model": "scripted", "thinking": "none", "prompt": "just-solve", "agent_type": "claude_code",
        "agent_version": "2.0.51", "num_problems": 1, "num_checkpoints": len(rows), "expected_checkpoints": len(rows),
        "costs": {"total": sum(row["cost"] for row in rows)}, "checkpoints_solved": solved["strict"],
        "checkpoints_iso_solved": solved["isolated"], "checkpoints_core_solved": solved["core"]})
    (out / "provenance.txt").write_text(
        "Made by sample-runs/recorder/slopcodebench.py in the layout of a SlopCodeBench G2 (v1.0) run directory: the agent "
        "is a script and SlopCodeBench did not run; the edits, commands, tests and comparisons were carried out for it; "
        "costs, tokens, times and rubric flags are made up.\n")
    shutil.rmtree(work)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    readme = folder / "README.md"
    kept = readme.read_text(encoding="utf-8") if readme.exists() else None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    record(folder)
    if kept is not None:
        readme.write_text(kept, encoding="utf-8")
