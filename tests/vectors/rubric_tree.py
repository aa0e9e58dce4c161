"""Writes tests/vectors/rubric_tree.json: made-up rubric trees and what they come to, by another program than ours.

Trees are plain lists: a leaf is [weight, category, score, is_valid], an inner node is [weight, category, [children]].
Scores follow PaperBench (project/paperbench/paperbench/judge/graded_task_node.py and rubric/tasks.py), written again
here with exact fractions beside the floating point numbers, so that a slip in either shows. They are written as
strings: not every reader of JSON has numbers right to the last digit. Python 3.11 or older: newer ones add floats up
in another way.
"""

import json
import random
import sys
from fractions import Fraction

CATEGORIES = ["Code Development", "Code Execution", "Result Analysis"]


def is_leaf(node):
    return len(node) == 4


def children(node):
    return [] if is_leaf(node) else node[2]


def made(rng, depth):
    weight = rng.choice([0, 1, 1, 1, 2, 3, 5, 0.5, 1.25, 7.1])
    if depth == 0 or rng.random() < 0.35:
        is_valid = rng.random() < 0.85
        score = rng.choice([0, 1, 1, round(rng.random(), 3)]) if is_valid else 0
        return [weight, rng.choice(CATEGORIES), score, is_valid]
    category = "Code Development" if rng.random() < 0.05 else None
    return [weight, category, [made(rng, depth - 1) for _ in range(rng.randint(1, 4))]]


def score(node, number):
    """PaperBench's score with numbers of that type."""
    if is_leaf(node):
        return number(node[2])
    scored = [(number(child[0]), score(child, number)) for child in children(node)]
    total = sum(weight for weight, _ in scored)
    return sum(weight * of for weight, of in scored) / total if total else number(0)


def kept(node, keeps):
    """The tree without the leaves that are not kept and without what is left without any; None where all is gone."""
    if is_leaf(node):
        return node if keeps(node) else None
    rest = [child for child in (kept(child, keeps) for child in children(node)) if child is not None]
    return [node[0], node[1], rest] if rest else None


def code_only(node):
    """As `reduce_to_category`: an inner node that is code itself stays, as a leaf with its own score."""
    if is_leaf(node):
        return node if node[1] == CATEGORIES[0] else None
    rest = [child for child in map(code_only, children(node)) if child is not None]
    if not rest:
        return [node[0], node[1], score(node, float), True] if node[1] == CATEGORIES[0] else None
    return [node[0], node[1], rest]


def every(node):
    return [node] + [below for child in children(node) for below in every(child)]


def depth(node):
    return 1 + max(map(depth, children(node))) if children(node) else 0


def root_score(tree):
    if tree is None:
        return None
    rounded, exact = score(tree, float), score(tree, Fraction)
    assert abs(exact - Fraction(rounded)) < Fraction(1, 10**12)
    return rounded


def exactly(score):
    return None if score is None else repr(score)


def vector(tree):
    leaves = [node for node in every(tree) if is_leaf(node)]
    return {
        "tree": tree,
        "scores": [repr(score(node, float)) for node in every(tree)],
        "score": exactly(root_score(tree)),
        "score_without_invalid": exactly(root_score(kept(tree, lambda leaf: leaf[3]))),
        "code_only": exactly(root_score(code_only(tree))),
        "leaves": len(leaves),
        "nodes": len(every(tree)),
        "depth": depth(tree),
        "invalid": sum(not leaf[3] for leaf in leaves),
    }


def main(out):
    rng = random.Random(20260122)
    trees = [[1, CATEGORIES[0], 1, True], [1, CATEGORIES[1], 0, False], [0, None, [[0, CATEGORIES[0], 1, True]]]]
    trees += [made(rng, rng.randint(1, 5)) for _ in range(60)]
    with open(out, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(vector(tree)) for tree in trees) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1])
