#!/usr/bin/env python3
"""Counts the rounds of EvoCodeBench's results and the tests that were lost between them, apart from trajview's own code.

    python3 tests/vectors/evocodebench_losses.py TASK.json...

Prints one JSON object: by file and model the number of rounds, the rounds with reward 1, and each lost test as
[test, round in which it last passed, round in which it failed]. `tests/commands/losses.rs` runs it.

A test of a round is one that any model failed there. A model passed it if its counts leave no other possibility: the round
ran as many tests as for any model, pass + fail = total, the failures of the requirements add up to fail, the test is not
named among them, and the requirement names each of its failures.
"""
import json
import sys
from pathlib import Path


def verdicts(task, number):
    """By model: {test: True if it passed, False if it failed} of the round; tests of which nothing is known are absent."""
    rounds = {model: results.get(str(number)) for model, results in task["models"].items()}
    rounds = {model: it for model, it in rounds.items() if it}
    named = lambda it: {(fail["req"], case["scenario"]) for fail in it["fails"] for case in fail["cases"]}
    suite = set().union(*(named(it) for it in rounds.values())) if rounds else set()
    most = max((it["total"] for it in rounds.values()), default=0)
    answer = {}
    for model, it in rounds.items():
        failed = named(it)
        known = {test: False for test in failed}
        adds_up = it["pass"] + it["fail"] == it["total"] and sum(fail["n"] for fail in it["fails"]) == it["fail"]
        if it["total"] == most > 0 and adds_up:
            cut = {fail["req"] for fail in it["fails"] if fail["n"] != len(fail["cases"])}
            known.update({test: True for test in suite - failed if test[0] not in cut})
        answer[model] = known
    return answer


def main():
    answer = {}
    for path in map(Path, sys.argv[1:]):
        task = json.loads(path.read_text())
        by_round = [verdicts(task, number) for number in range(1, task["n_rounds"] + 1)]
        for model, results in task["models"].items():
            lost, tests = [], {test for known in by_round for test in known.get(model, {})}
            for test in tests:
                seen = [(number, known[model][test]) for number, known in enumerate(by_round, 1) if test in known.get(model, {})]
                pairs = zip(seen, seen[1:])
                lost += [[": ".join(test), before, after] for (before, passed), (after, passes) in pairs if passed and not passes]
            solved = sum(bool(it and it["reward"] == 1) for it in results.values())
            answer.setdefault(path.name, {})[model] = {"rounds": task["n_rounds"], "solved": solved, "lost": sorted(lost)}
    print(json.dumps(answer))


main()
