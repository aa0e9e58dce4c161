#!/usr/bin/env python3
"""Writes the jobs of this folder, as three harnesses write them: Harbor (terminal-bench 2), terminal-bench 1 and SWE-bench.

Nothing of it was recorded; the files and fields are those that the harnesses write, the words are ours. With
`--many N FOLDER` it writes a job of Harbor with N trials, five of each task, to measure with.
"""
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=4) + "\n")


def at(minute, second=0):
    return f"2026-09-21T{14 + minute // 60:02d}:{minute % 60:02d}:{second:02d}.000000Z"


def span(start, end):
    return {"started_at": at(start), "finished_at": at(end)}


def trial(task, ident, minute, *, reward=None, error=None, tokens=(None, None, None), cost=None, steps=None):
    """Returns the result.json of a trial that starts at a minute."""
    name = f"{task}__{ident}"
    verifier = None if reward is None else {"rewards": {"reward": reward}}
    exception = None
    if error:
        kind, message = error
        trace = f"Traceback (most recent call last):\n  ...\n{kind}: {message}\n"
        exception = {"exception_type": kind, "exception_message": message, "exception_traceback": trace, "occurred_at": at(minute + 9)}
    result = {
        "id": f"00000000-0000-4000-8000-{abs(hash_of(name)) % 10**12:012d}",
        "task_name": task,
        "trial_name": name,
        "trial_uri": f"file:///work/jobs/sample/{name}",
        "task_id": {"path": f"tasks/{task}"},
        "source": "made",
        "task_checksum": "0" * 64,
        "config": {"task": {"path": f"tasks/{task}"}, "trial_name": name, "agent": {"name": "made-agent", "model_name": "made-model"}},
        "agent_info": {"name": "made-agent", "version": "1.0", "model_info": None},
        "agent_result": {"n_input_tokens": tokens[0], "n_cache_tokens": tokens[1], "n_output_tokens": tokens[2], "cost_usd": cost},
        "verifier_result": verifier,
        "exception_info": exception,
        "started_at": at(minute),
        "finished_at": at(minute + 9),
        "environment_setup": span(minute, minute + 1),
        "agent_setup": span(minute + 1, minute + 2),
        "agent_execution": span(minute + 2, minute + 7),
        "verifier": span(minute + 7, minute + 8),
    }
    return result | ({"step_results": steps} if steps else {})


def hash_of(text):
    value = 7
    for letter in text:
        value = (value * 31 + ord(letter)) % 2**48
    return value


def ctrf(*tests):
    cases = [{"name": name, "status": "passed" if passed else "failed", "duration": 10} | ({} if passed else {"trace": f"E   AssertionError: {name}"}) for name, passed in tests]
    summary = {"tests": len(cases), "start": 1790000000000, "stop": 1790000000100}
    return {"results": {"tool": {"name": "pytest"}, "summary": summary, "tests": cases}}


def trajectory(words, *commands):
    """Returns a trajectory of ATIF with these commands."""
    steps = [{"step_id": 1, "source": "user", "message": words, "timestamp": at(2)}]
    for number, (command, printed) in enumerate(commands, 2):
        steps.append(
            {
                "step_id": number,
                "source": "agent",
                "message": "I run it.",
                "timestamp": at(2, number),
                "tool_calls": [{"tool_call_id": f"c{number}", "function_name": "bash", "arguments": {"command": command}}],
                "observation": {"results": [{"source_call_id": f"c{number}", "content": printed}]},
            }
        )
    return {"schema_version": "ATIF-v1.5", "session_id": f"made-{hash_of(words)}", "agent": {"name": "made-agent", "version": "1.0", "model_name": "made-model"}, "steps": steps}


def harbor(folder):
    write(folder / "config.json", {"job_name": "sample", "n_attempts": 2, "agents": [{"name": "made-agent", "model_name": "made-model"}]})
    write(folder / "result.json", {"id": "sample", "started_at": at(0), "n_total_trials": 4, "stats": {"n_trials": 4, "n_errors": 1}})
    put = lambda name, below, value: write(folder / name / below, value)

    # A trial with a log, and its repeat, which failed.
    for ident, minute, reward in [("Kd2bWpA", 0, 1.0), ("Zx9cRtM", 20, 0.0)]:
        name = f"sum-column__{ident}"
        put(name, "result.json", trial("sum-column", ident, minute, reward=reward, tokens=(1200, 800, 90), cost=0.01))
        put(name, "config.json", {"trial_name": name})
        put(name, "agent/trajectory.json", trajectory("Sum the second column of data.csv.", ("cut -d, -f2 data.csv | paste -sd+ | bc", "42\n")))
        put(name, "verifier/reward.txt", f"{reward:g}\n")
        put(name, "verifier/ctrf.json", ctrf(("test_sum_is_written", True), ("test_sum_is_right", reward > 0)))

    # A trial without a log: the verifier timed out after it had written its reward.
    name = "parse-dates__Qm3vTzK"
    error = ("VerifierTimeoutError", "Verifier execution timed out after 900.0 seconds")
    put(name, "result.json", trial("parse-dates", "Qm3vTzK", 40, error=error))
    put(name, "agent/made-agent.txt", "$ made-agent --task parse-dates\nconnecting\nmade-agent: connection refused\n")
    put(name, "verifier/reward.txt", "1\n")
    put(name, "exception.txt", "Traceback (most recent call last):\n  ...\nVerifierTimeoutError: Verifier execution timed out after 900.0 seconds\n")

    # A trial in two steps: one run with a checkpoint a step.
    name = "two-steps__Hn7sLqE"
    step = lambda step, reward: {"step_name": step, "agent_result": None, "verifier_result": {"rewards": {"reward": reward}}, "exception_info": None}
    put(name, "result.json", trial("two-steps", "Hn7sLqE", 60, reward=0.75, steps=[step("one", 1.0), step("two", 0.5)]))
    put(name, "steps/one/agent/trajectory.json", trajectory("Write hello.txt.", ("echo hello > hello.txt", "")))
    put(name, "steps/one/verifier/ctrf.json", ctrf(("test_hello", True)))
    put(name, "steps/two/agent/trajectory.json", trajectory("Now write the date into it.", ("date >> hello.txt", ""), ("cat hello.txt", "hello\n")))
    put(name, "steps/two/verifier/ctrf.json", ctrf(("test_hello", True), ("test_date", False)))


def cast(*pairs):
    lines = [json.dumps({"version": 2, "width": 80, "height": 24, "timestamp": 1790000000})]
    now = 0.0
    for command, printed in pairs:
        for kind, text in [("o", "$ "), ("i", command + "\r"), ("o", command + "\r\n"), ("o", printed.replace("\n", "\r\n"))]:
            now = round(now + 0.5, 1)
            lines.append(json.dumps([now, kind, text]))
    return "\n".join(lines) + "\n"


def terminal_bench(folder):
    def result(task, words, resolved, tests, mode="unset"):
        return {
            "id": f"00000000-0000-4000-8000-{hash_of(task) % 10**12:012d}",
            "trial_name": f"{task}.1-of-1.sample",
            "task_id": task,
            "instruction": words,
            "is_resolved": resolved,
            "failure_mode": mode,
            "parser_results": tests,
            "recording_path": f"sample/{task}/{task}.1-of-1.sample/sessions/agent.cast",
            "total_input_tokens": 0,
            "total_output_tokens": 0,
            "trial_started_at": at(0),
            "trial_ended_at": at(6),
            "agent_started_at": at(1),
            "agent_ended_at": at(4),
            "test_started_at": at(4),
            "test_ended_at": at(5),
        }

    hello = result("hello-shell", "Write a script hello.sh that prints hello.", True, {"test_prints_hello": "passed"})
    late = result("long-build", "Build the kernel.", None, None, "agent_timeout")
    write(folder / "results.json", {"id": "sample", "results": [hello, late], "pass_at_k": {}, "n_resolved": 1, "n_unresolved": 1, "resolved_ids": ["hello-shell"], "unresolved_ids": ["long-build"], "accuracy": 0.5})
    write(folder / "run_metadata.json", {"run_id": "sample", "agent_name": "made-agent", "model_name": "made-model", "task_ids": ["hello-shell", "long-build"]})
    own = folder / "hello-shell" / "hello-shell.1-of-1.sample"
    write(own / "results.json", hello)
    write(own / "commands.txt", "['echo \"echo hello\" > hello.sh', 'Enter']\n['sh hello.sh', 'Enter']\n")
    write(own / "sessions/agent.cast", cast(('echo "echo hello" > hello.sh', ""), ("sh hello.sh", "\x1b[32mhello\x1b[0m\n")))
    write(own / "sessions/tests.cast", cast(("pytest", "1 passed\n")))
    write(own / "panes/pre-agent.txt", "$ \n")
    write(own / "panes/post-agent.txt", '$ echo "echo hello" > hello.sh\n$ sh hello.sh\nhello\n')
    write(own / "panes/post-test.txt", "$ pytest\n1 passed\n")


def swe_bench(folder):
    name = lambda number: f"made__tinycalc-{number}"
    patch = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    line = lambda second, kind, text: f"2026-09-21 14:00:{second:02d},000 - {kind} - {text}\n"

    def evaluated(number, resolved):
        own = folder / "logs/run_evaluation/made/scripted" / name(number)
        tests = lambda passed, failed: {"success": passed, "failure": failed}
        fixed = tests(["test_add"], []) if resolved else tests([], ["test_add"])
        status = {"FAIL_TO_PASS": fixed, "PASS_TO_PASS": tests(["test_sub", "test_mul"], [])}
        for group in ("FAIL_TO_FAIL", "PASS_TO_FAIL"):
            status[group] = tests([], [])
        flags = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True}
        write(own / "report.json", {name(number): flags | {"resolved": resolved, "tests_status": status}})
        write(own / "patch.diff", patch)
        write(own / "test_output.txt", f"test_add {'PASSED' if resolved else 'FAILED'}\ntest_sub PASSED\ntest_mul PASSED\n")
        write(own / "run_instance.log", line(0, "INFO", f"Creating container for {name(number)}...") + line(9, "INFO", f"Grading answer for {name(number)}..."))

    evaluated(1, True)
    evaluated(2, False)
    # The tests of the third ran out of time: the harness leaves no report.
    late = folder / "logs/run_evaluation/made/scripted" / name(3)
    write(late / "patch.diff", patch)
    write(late / "test_output.txt", "test_add\n\nTimeout error: 60 seconds exceeded.")
    write(late / "run_instance.log", line(0, "INFO", f"Creating container for {name(3)}...") + line(60, "INFO", f"Traceback (most recent call last):\nEvaluationError: {name(3)}: Test timed out after 60 seconds."))
    ids = lambda *numbers: [name(number) for number in numbers]
    lists = {"completed_ids": ids(1, 2), "incomplete_ids": ids(5), "empty_patch_ids": ids(4), "submitted_ids": ids(1, 2, 3, 4), "resolved_ids": ids(1), "unresolved_ids": ids(2), "error_ids": ids(3), "schema_version": 2}
    counts = {"total_instances": 5, "submitted_instances": 4, "completed_instances": 2, "resolved_instances": 1, "unresolved_instances": 1, "empty_patch_instances": 1, "error_instances": 1}
    write(folder / "scripted.made.json", counts | lists)
    # The log of the agent, which SWE-agent writes, is there for the first alone.
    step = {"action": "sed -i 's/a - b/a + b/' calc.py", "observation": "", "thought": "The sign is wrong.", "response": "The sign is wrong."}
    request = {"role": "user", "content": "add(2, 1) returns 1."}
    info = {"exit_status": "submitted", "submission": patch}
    write(folder / "trajectories/scripted" / name(1) / f"{name(1)}.traj", {"environment": name(1), "trajectory": [step], "history": [request], "info": info})


def many(count, folder):
    write(folder / "config.json", {"job_name": "many", "n_attempts": 5})
    write(folder / "result.json", {"id": "many", "n_total_trials": count})
    for number in range(count):
        task, ident = f"task-{number // 5:05d}", f"{number:07d}"
        own = folder / f"{task}__{ident}"
        error = ("AgentTimeoutError", "Agent execution timed out after 900.0 seconds") if number % 7 == 0 else None
        reward = None if error else float(number % 3 > 0)
        write(own / "result.json", trial(task, ident, number % 600, reward=reward, error=error, tokens=(9000, 4000, 700)))
        write(own / "config.json", {"trial_name": own.name})
        if number % 10:
            write(own / "agent/trajectory.json", trajectory(f"Do {task}.", *[(f"make step-{step}", f"step {step}\n" * 8) for step in range(20)]))
        else:
            write(own / "agent/made-agent.txt", "made-agent: killed\n")
        write(own / "verifier/reward.txt", "1\n" if reward else "0\n")
        write(own / "verifier/ctrf.json", ctrf(("test_first", bool(reward)), ("test_second", True)))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--many":
        many(int(sys.argv[2]), Path(sys.argv[3]))
        return
    harbor(HERE / "harbor")
    terminal_bench(HERE / "terminal-bench")
    swe_bench(HERE / "swe-bench")


main()
