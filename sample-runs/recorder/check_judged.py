#!/usr/bin/env python3
"""Checks what a bundle is judged by: `check_judged.py DIR...`. Prints the scores and ends with 1 when something does not hold.

Checklist, exposure and judgements: ids, levels, turns; evidence lies in the judged commit; every look gives the same bytes again;
at most eight looks a component. Given several bundles, they must share one checklist but for the turns.
"""
import datetime
import json
import pathlib
import sys

import inspect_tree

LEVELS = ("Absent", "Wrong", "Simplified", "Equivalent", "Faithful")
MOST_LOOKS = 8


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def of_components(components, turns):
    ids = [c["id"] for c in components]
    if ids != [f"C{n:02}" for n in range(1, len(ids) + 1)]:
        yield "the ids of the components are not C01, C02, ..."
    for c in components:
        if strangers := set(c["connects_to"]) - set(ids) | {c["id"]} & set(c["connects_to"]):
            yield f"{c['id']} connects to {sorted(strangers)}"
        if not all(c[key] for key in ("name", "intent", "formula", "inputs", "outputs")):
            yield f"{c['id']} leaves something out"
        if not 1 <= c["committed_at_turn"] <= turns:
            yield f"{c['id']} is settled in turn {c['committed_at_turn']} of {turns}"


def of_exposure(exposure, components, turns):
    if [e["id"] for e in exposure] != [c["id"] for c in components]:
        yield "the exposure is not that of the components"
    for e in exposure:
        at, levels = [step["turn"] for step in e["by_turn"]], [step["level"] for step in e["by_turn"]]
        if at != sorted(set(at)) or not all(1 <= turn <= turns for turn in at):
            yield f"exposure of {e['id']}: turns {at} of {turns}"
        if levels != sorted(set(levels)) or not all(1 <= level <= 4 for level in levels):
            yield f"exposure of {e['id']}: levels {levels} do not rise"


def of_verdict(verdict, tree):
    score, label, trace = verdict["score"], verdict["label"], verdict["trace"]
    if score not in range(5) or label != LEVELS[score] or not verdict["rationale"] or verdict["error"]:
        yield f"score {score}, label {label}, error {verdict['error']}"
    if score and not verdict["evidence"]:
        yield "a score without evidence"
    for e in verdict["evidence"]:
        if e["path"] not in tree.sizes or not 1 <= e["start"] <= e["end"] <= len(tree.lines(e["path"])):
            yield f"no lines {e['start']} to {e['end']} in {e['path']}"
    if not 1 <= len(trace) <= MOST_LOOKS:
        yield f"{len(trace)} looks"
    for step in trace:
        if inspect_tree.recorded(tree, step["tool"], step["arguments"]) != step:
            yield f"{step['tool']} {step['arguments']} shows something else"


def of_judgement(bundle, judgement, run, components):
    commits = {t["turn"]: t["commit"] for t in run["turns"]}
    if judgement["schema"] != "trajview.judgement/1" or judgement["rubric"] != "slump-5" or judgement["run"] != run["id"]:
        yield "schema, rubric or run"
    if commits.get(judgement["turn"]) != judgement["commit"]:
        yield f"turn {judgement['turn']} did not end at {judgement['commit']}"
    made = datetime.datetime.fromisoformat(judgement["created_at"].replace("Z", "+00:00"))
    if made < datetime.datetime.fromisoformat(run["ended_at"].replace("Z", "+00:00")):
        yield "was made before the run ended"
    if [v["component"] for v in judgement["scores"]] != [c["id"] for c in components]:
        yield "the verdicts are not those of the components"
    tree = inspect_tree.Tree(bundle, judgement["commit"])
    for verdict in judgement["scores"]:
        yield from (f"{verdict['component']}: {what}" for what in of_verdict(verdict, tree))


def print_scores(name, judgement):
    scores = [v["score"] for v in judgement["scores"]]
    low = " ".join(f"{v['component']}={v['score']}" for v in judgement["scores"] if v["score"] < 4)
    print(f"  {name}: turn {judgement['turn']}, MCF {sum(scores) / len(scores):.3f}, of each level {[scores.count(k) for k in range(5)]}; {low}")


def false_absences(judgement, reading):
    """Components that one judgement calls absent without opening any file in which the other finds them."""
    found = {v["component"]: v for v in reading["scores"] if v["score"] > 1}
    for v in judgement["scores"]:
        if v["score"] == 0 and v["component"] in found:
            opened = {step["arguments"].get("path") for step in v["trace"]}
            if not opened & {e["path"] for e in found[v["component"]]["evidence"]}:
                yield v["component"]


def problems(bundle):
    run, components = read_json(bundle / "run.json"), read_json(bundle / "components.json")["components"]
    exposure, turns = read_json(bundle / "exposure.json")["components"], len(run["turns"])
    yield from of_components(components, turns)
    yield from of_exposure(exposure, components, turns)
    last = [e["by_turn"][-1]["level"] for e in exposure]
    print(f"  exposure: recoverable {sum(level > 0 for level in last)}, explicit {last.count(4)} of {len(last)}")
    judgements = {path.name: read_json(path) for path in sorted((bundle / "judgements").glob("*.json"))}
    for name, judgement in judgements.items():
        print_scores(name, judgement)
        yield from (f"{name}: {what}" for what in of_judgement(bundle, judgement, run, components))
        if missed := list(false_absences(judgement, judgements["human-final.json"])):
            print(f"    absent for want of looking: {' '.join(missed)}")
            if "made up" not in judgement["judge"]["name"]:
                yield f"{name}: overlooks {missed}"


def checklist(bundle):
    return [{**c, "committed_at_turn": None} for c in read_json(bundle / "components.json")["components"]]


def main(bundles):
    found = []
    for bundle in bundles:
        print(f"{bundle.name}:")
        found += list(problems(bundle))
    if any(checklist(bundle) != checklist(bundles[0]) for bundle in bundles):
        found.append("the bundles do not share one checklist")
    for problem in found:
        print("  " + problem)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main([pathlib.Path(word) for word in sys.argv[1:]]))
