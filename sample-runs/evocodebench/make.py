#!/usr/bin/env python3
"""Writes tinycalc.json beside it: results of a made task in the form of EvoCodeBench's `docs/data/tasks/*.json`.

Nothing of it was run. Of the three models, `made-a` loses tests from round to round, `made-b` fails others (which is how
the file names them), and `made-c` ends early once and has no result for the last round.
"""
import json
from pathlib import Path

# The tests of each round, by requirement; later rounds keep some of the earlier ones.
SUITES = [
    {"add": ["add: small", "add: negative", "add: float"], "cli-exit": ["exit: usage"]},
    {"add": ["add: small", "add: negative"], "div": ["div: small", "div: by zero"], "cli-exit": ["exit: usage"]},
    {"add": ["add: small", "add: negative"], "div": ["div: small", "div: by zero"], "mul": [f"mul: {n}" for n in range(7)]},
    {"add": ["add: small"], "div": ["div: by zero"], "mul": [f"mul: {n}" for n in range(7)], "cli-exit": ["exit: usage"]},
]
REQUESTS = [
    "Write a calculator tinycalc with `add` on the command line.",
    "Add `div`. Division by zero exits with 2.",
    "Add `mul`, and accept several numbers.",
    "Print results as JSON with `--json`.",
]
# By model: the tests that fail in each round; `early` for a build that failed, None for a round without a result.
FAILED = {
    "made-a": [{"add: float"}, set(), {"add: negative"}, {"div: by zero", "exit: usage"}],
    "made-b": [{"add: small", "add: negative", "exit: usage"}, {"add: negative", "div: by zero"}, {f"mul: {n}" for n in range(7)}, {"add: small", "div: by zero", "exit: usage"}],
    "made-c": [set(), "early", {"div: small"}, None],
}
CASES_KEPT = 5


def result(suite, failed):
    if failed is None:
        return None
    if failed == "early":
        case = {"id": "c001", "intent": "tinycalc builds", "scenario": "build: tinycalc", "expected": "exit 0", "actual": "exit 1", "reason": "build failed with exit=1"}
        return {"pass": 0, "total": 1, "fail": 1, "reward": 0, "fails": [{"req": "build", "type": "core", "n": 1, "reason": case["reason"], "cases": [case]}]}
    total, fails, number = 0, [], 0
    for requirement, scenarios in suite.items():
        cases = []
        for scenario in scenarios:
            number += 1
            if scenario in failed:
                cases.append({"id": f"c{number:03d}", "intent": f"{requirement} works", "scenario": scenario, "expected": "as specified", "actual": "other", "reason": f"{scenario}: expected another number"})
        total += len(scenarios)
        if cases:
            fails.append({"req": requirement, "type": "core", "n": len(cases), "reason": cases[0]["reason"], "cases": cases[:CASES_KEPT]})
    count = sum(fail["n"] for fail in fails)
    return {"pass": total - count, "total": total, "fail": count, "reward": int(count == 0), "fails": sorted(fails, key=lambda it: -it["n"])}


models = {
    name: {str(number): result(suite, failed) for number, (suite, failed) in enumerate(zip(SUITES, by_round), 1)}
    for name, by_round in FAILED.items()
}
document = {
    "task": "made_tinycalc", "meta": {"name": "tinycalc", "difficulty": "easy", "category": "made"}, "n_rounds": len(SUITES), "intent1": REQUESTS[0],
    "rounds": [{"n": number, "title": text, "md": f"{text}\n\nThe tests of earlier rounds stay."} for number, text in enumerate(REQUESTS, 1)],
    "models": models,
    "score": {name: sum(bool(it and it["reward"] == 1) for it in rounds.values()) for name, rounds in models.items()},
    "common_fail": [],
}
Path(__file__).with_name("tinycalc.json").write_text(json.dumps(document, indent=1) + "\n")
