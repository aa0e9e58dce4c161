"""A judge made from graded trees of PaperBench, and what scikit-learn says of it: JudgeEval's table.

    pip install scikit-learn && python tests/vectors/judge_eval.py [FOLDER]
    python tests/vectors/judge_eval.py FOLDER OUT

FOLDER has graded trees (`*.json`). With OUT, which needs nothing but Python, OUT gets `<name>.judge.json` for each:
a tenth of its leaves flipped by a seed, some graded invalid, the sub-tasks in another order and one leaf left out.
With FOLDER alone, judge_eval_real.json gets what scikit-learn says of those judges, by the tree's name. Without
arguments judge_eval.json gets the same for two small trees, which stand in the file. The table is that of
PaperBench's `judge/judge_eval/evaluate.py`, written again: leaves that the judge graded validly, by category,
scikit-learn's macro averages with `zero_division=0`.
"""

import copy
import json
import pathlib
import sys

from splitmix import HERE, SplitMix64

CATEGORIES = ["Code Development", "Code Execution", "Result Analysis"]


def leaves(node, way=()):
    if not node["sub_tasks"]:
        yield way + (node["id"],), node
    for child in node["sub_tasks"]:
        yield from leaves(child, way + (node["id"],))


def judged(tree, rng):
    """The tree as another judge might have graded it."""
    tree = copy.deepcopy(tree)
    parents = [tree]
    while parents:
        node = parents.pop()
        node["sub_tasks"].reverse()
        parents.extend(node["sub_tasks"])
    for _, leaf in leaves(tree):
        if rng.unit() < 0.1:
            leaf["score"] = 1.0 - leaf["score"]
        if rng.unit() < 0.03:
            leaf["valid_score"], leaf["score"] = False, 0.0
    with_leaves = next(node for node in every(tree) if len(node["sub_tasks"]) > 1 and not node["sub_tasks"][0]["sub_tasks"])
    with_leaves["sub_tasks"].pop(0)
    return again(tree)


def every(node):
    yield node
    for child in node["sub_tasks"]:
        yield from every(child)


def again(node):
    """Inner scores as the leaves have them now."""
    below = [again(child) for child in node["sub_tasks"]]
    if below:
        total = sum(child["weight"] for child in below)
        node["score"] = sum(child["weight"] * child["score"] for child in below) / total if total else 0.0
    return node


def measures(pairs):
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    true, given = [str(a) for a, _ in pairs], [str(b) for _, b in pairs]
    found = {"n": len(pairs), "accuracy": accuracy_score(true, given), "positives": sum(a for a, _ in pairs)}
    for average in ["macro", "weighted"]:
        scores = precision_recall_fscore_support(true, given, average=average, zero_division=0)[:3]
        found[average] = dict(zip(["precision", "recall", "f1"], map(float, scores)))
    return found


def table(reference, judge):
    expected = dict(leaves(reference))
    pairs = [(leaf["task_category"], expected[way]["score"], leaf["score"])
             for way, leaf in leaves(judge) if leaf["valid_score"]]
    by_category = {name: measures([(a, b) for category, a, b in pairs if category == name])
                   for name in CATEGORIES if any(category == name for category, _, _ in pairs)}
    left_out = len(list(leaves(reference))) - len(list(leaves(judge)))
    return {
        "overall": measures([(a, b) for _, a, b in pairs]), "categories": by_category,
        "difference": judge["score"] - reference["score"], "only_reference": left_out,
        "invalid": sum(not leaf["valid_score"] for _, leaf in leaves(judge)),
    }


def small(rng, depth=2, at=""):
    node = {"id": f"n{at}", "requirements": f"requirement {at}", "weight": 1 + rng.below(4), "valid_score": True,
            "explanation": "", "task_category": None, "sub_tasks": []}
    if depth:
        node["sub_tasks"] = [small(rng, depth - 1, f"{at}.{child}") for child in range(3 + rng.below(4))]
    else:
        node |= {"task_category": CATEGORIES[rng.below(3)], "score": float(rng.below(2))}
    return again(node)


def main(arguments):
    if not arguments:
        rng = SplitMix64(1965)
        cases = []
        for _ in range(2):
            reference = small(rng)
            judge = judged(reference, rng)
            cases.append({"reference": reference, "judge": judge, "expected": table(reference, judge)})
        (HERE / "judge_eval.json").write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
        return
    folder, *out = map(pathlib.Path, arguments)
    expected = {}
    for path in sorted(folder.glob("*.json")):
        reference = json.loads(path.read_text())
        # Of its own seed: another file in the folder changes no judge.
        judge = judged(reference, SplitMix64(sum(path.stem.encode())))
        if out:
            (out[0] / f"{path.stem}.judge.json").write_text(json.dumps(judge))
        else:
            expected[path.stem] = table(reference, judge)
    if not out:
        (HERE / "judge_eval_real.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
