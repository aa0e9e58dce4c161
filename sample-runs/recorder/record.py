#!/usr/bin/env python3
"""Records a run bundle with the real Codex command line against the scripted model server.

    record.py SCRIPT.py --codex PATH --out DIR --work DIR

One Codex process a turn (`codex exec --json`, then `... resume THREAD`), one commit a turn in a repository of our own, whose
directory lies outside the agent's workspace. `--work` must not lie under the system's temporary folder: Codex dislikes its home there.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

import model_server
import scripting
import scrub

MODEL = "gpt-5.5"
KEY_VARIABLE = "SCRIPTED_KEY"
COMPACT_AT = 46000              # tokens; the script reports a little more once, at the end of one turn
WHO = ("trajview recorder", "recorder@example.invalid")
CONFIG = """\
model = "{model}"
model_provider = "scripted"
model_auto_compact_token_limit = {compact_at}
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "{key}"
request_max_retries = 2
stream_max_retries = 2

[analytics]
enabled = false

[features]
plugins = false
remote_plugin = false
apps = false
"""


class Stage:
    """The folders of one recording, and the environment the agent sees: nothing of the caller's but a search path."""

    def __init__(self, work, name):
        self.root = pathlib.Path(work).resolve() / name
        shutil.rmtree(self.root, ignore_errors=True)
        self.home, self.codex_home, self.workspace = self.root / "home", self.root / "home/.codex", self.root / "ppdiff"
        for folder in (self.codex_home, self.workspace, self.root / "tmp", self.root / "bin"):
            folder.mkdir(parents=True)
        (self.root / "bin/python3").symlink_to(os.path.realpath(sys.executable))
        path = f"{self.root / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        (self.home / ".profile").write_text(f"export PATH={path}\n")
        self.env = {"HOME": str(self.home), "CODEX_HOME": str(self.codex_home), "TMPDIR": str(self.root / "tmp"), "PATH": path,
                    "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1", KEY_VARIABLE: "not-a-key"}

    def renames(self):
        stdlib = os.path.dirname(os.__file__)
        return [(str(self.workspace), "/ws/ppdiff"), (str(self.home), "/home/u"), (str(self.root), "/ws"),
                (stdlib, "/usr/lib/python3"), (sys.base_prefix, "/usr")]

    def rollout(self):
        found = sorted((self.codex_home / "sessions").rglob("rollout-*.jsonl"))
        return found[-1] if found else None


class Snapshots:
    """The repository which holds one commit a turn; the agent's own tree never learns of it."""

    def __init__(self, stage, git_dir):
        self.dir, self.base = git_dir, dict(os.environ, GIT_DIR=str(git_dir), GIT_WORK_TREE=str(stage.workspace),
                                            GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(git_dir)], check=True, env=dict(os.environ, GIT_TEMPLATE_DIR=""))
        self.git("config", "core.bare", "false")
        self.ignored = stage.root / "ignored"
        self.ignored.write_text("__pycache__/\n")

    def git(self, *arguments, **extra):
        done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True, env={**self.base, **extra})
        return done.stdout.strip()

    def take(self, turn, text, when):
        who = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER")
               for field, value in (("NAME", WHO[0]), ("EMAIL", WHO[1]), ("DATE", when))}
        self.git("-c", f"core.excludesFile={self.ignored}", "add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"turn {turn}: {' '.join(text.split()[:9])}", **who)
        return self.git("rev-parse", "HEAD")

    def pack(self):
        """Leaves only what a bare repository needs, so that it can be kept inside another repository."""
        self.git("-c", "repack.writeBitmaps=false", "-c", "pack.writeReverseIndex=false", "repack", "-q", "-a", "-d", "-f", "--depth=50")
        self.git("prune-packed")
        (self.dir / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n")
        for name in ("hooks", "info", "logs", "branches", "objects/info", "refs/tags"):
            shutil.rmtree(self.dir / name, ignore_errors=True)
        for name in ("description", "index", "COMMIT_EDITMSG", "packed-refs", "ORIG_HEAD"):
            (self.dir / name).unlink(missing_ok=True)
        for folder in sorted(self.dir.rglob("*"), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def run_turn(codex, stage, thread, text):
    command = [codex, "exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access"]
    command += ["resume", thread, "-"] if thread else ["-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=stage.workspace, env=stage.env, timeout=180)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    started = next((e["thread_id"] for e in events if e["type"] == "thread.started"), None)
    if done.returncode or not started or (thread and started != thread):
        raise SystemExit(f"codex ended with {done.returncode}, thread {started}, expected {thread}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return started


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def record(script, codex, out, work):
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    (out / "session").mkdir(parents=True)
    stage = Stage(work, script["name"])
    snapshots = Snapshots(stage, (out / "workspace.git").resolve())
    server = model_server.serve(script)
    url = "http://127.0.0.1:%d" % server.server_address[1]
    (stage.codex_home / "config.toml").write_text(CONFIG.format(model=MODEL, url=url, key=KEY_VARIABLE, compact_at=COMPACT_AT))

    thread, seen, turns = None, 0, []
    for asked in script["turns"]:
        thread = run_turn(codex, stage, thread, asked["text"])
        written = lines_of(stage.rollout())
        new = written[seen:]
        commit = snapshots.take(asked["turn"], asked["text"], new[-1]["timestamp"])
        turns.append({"turn": asked["turn"], "commit": commit, "started_at": new[0]["timestamp"], "ended_at": new[-1]["timestamp"],
                      "session": stage.rollout().name, "first_line": seen + 1, "last_line": len(written), "layer": None})
        seen = len(written)
        print(f"turn {asked['turn']}: {len(new)} lines", flush=True)
    server.shutdown()
    if server.unhandled:
        raise SystemExit("the server could not answer: " + "; ".join(server.unhandled))
    snapshots.pack()
    scrub.scrub(stage.rollout(), out / "session" / stage.rollout().name, stage.renames())
    write_bundle(script, out, turns, written[0]["payload"]["cli_version"])


def write_bundle(script, out, turns, version):
    ends = {t["checkpoint"]: t["turn"] for t in script["turns"] if t["checkpoint"]}
    numbers = [t["turn"] for t in script["turns"] if any("tokens_in" in s for s in t["steps"])]
    staged = "".join(f", and once, in turn {n}, a staged number that makes the program compact its history" for n in numbers)
    provenance = (f"Recorded with the real Codex CLI {version}, driven by sample-runs/recorder/record.py against a scripted model server on "
                  "loopback; the model's answers are a script written by trajview's authors, not a model; tool calls, command outputs "
                  "and times are the program's own; token counts are what the server reported, one for every four characters"
                  f"{staged}; the vendor's prompt texts are elided and paths made neutral; {script['judged']}")
    task = {"id": "ppdiff", "title": "PPDiff: joint sequence and structure diffusion for protein binder design", "venue": None}
    write_json(out / "run.json", {
        "schema": "trajview.run/1", "id": script["name"], "title": script["title"], "task": task, "condition": script["condition"],
        "platform": "codex", "agent": {"name": "codex", "version": version}, "model": MODEL, "provenance": provenance,
        "started_at": turns[0]["started_at"], "ended_at": turns[-1]["ended_at"], "languages": ["python"],
        "checkpoints": [{"id": i, "turn": ends[i], "label": label} for i, label in script["checkpoints"].items()], "turns": turns})
    write_json(out / "script.json", {
        "schema": "trajview.script/1", "task": "ppdiff", "condition": script["condition"],
        "requests": [{key: t[key] for key in ("turn", "text", "checkpoint")} for t in script["turns"]]})
    write_rubric(script, out)


def write_rubric(script, out):
    write_json(out / "components.json", {"schema": "trajview.components/1", "task": "ppdiff", "components": script["components"]})
    write_json(out / "exposure.json", {"schema": "trajview.exposure/1", "components": script["exposure"]})


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("script")
    options.add_argument("--codex", required=True, help="the native codex binary")
    options.add_argument("--out", required=True, help="the bundle to write; replaced if it exists")
    options.add_argument("--work", required=True, help="a folder for the workspace and the agent's home")
    given = options.parse_args()
    record(scripting.load(given.script), os.path.abspath(given.codex), given.out, given.work)


if __name__ == "__main__":
    main()
