"""Holds the built program against SciPy, scikit-learn, krippendorff and irrCAC on random cases with ties.

    pip install scipy scikit-learn irrCAC krippendorff
    python tests/vectors/against_references.py [--program target/debug/trajview] [--cases 1000] [--seed 1]

Every number goes through the commands that people use. Agreement: `trajview agree FILE.csv --json` of a table of scores,
a case each; scores are levels, so that ties are everywhere. Paired tests: `trajview corpus DIR --json` of one corpus in
which every agent is two cases: its tasks were run under two conditions, judged and tested, and the metrics are a mean of a
few levels and a share of a few tests, so that equal gaps are different floats. What is expected is worked out from the whole
numbers behind them.

Wilcoxon's W and p are compared exactly where the p is that of a permutation: the ranks are whole numbers of halves and p
a whole number over a power of two, counted here in integers, and SciPy must say the same. Everything else is compared to
1e-9. BCa intervals are SciPy's from the resamples that `study::bootstrap` documents.

Prints the versions, a line for each statistic, and ends with 1 where anything differs.
"""

import argparse
import collections
import concurrent.futures
import fractions
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings
from importlib import metadata

import numpy as np
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from study import alpha, bca, effect, gwet, RESAMPLES

warnings.simplefilter("ignore")
NEAR, LEVELS = 1e-9, [0, 1, 2, 3, 4]


class Tally:
    """How many numbers were compared, and the first that differ."""

    def __init__(self):
        self.compared, self.differ = collections.Counter(), []

    def check(self, statistic, found, expected, case, exact=False):
        self.compared[statistic] += 1
        if found is None or expected is None:
            same = found is None and expected is None
        elif exact:
            same = fractions.Fraction(found) == expected
        else:
            same = abs(found - expected) <= NEAR * max(1.0, abs(expected))
        if not same:
            self.differ.append(f"{statistic}: {found} is not {expected} in {case}")

    def interval(self, statistic, found, expected, case):
        if found is None or expected is None:
            self.check(statistic, found and 0.0, expected and 0.0, case)
        else:
            for one, other in zip(found, expected):
                self.check(statistic, one, other, case)


def finite(value):
    value = float(value)
    return value if math.isfinite(value) else None


# Agreement


def scored(rng):
    """Scores of two raters who agree more or less; now and then one level is almost all there is."""
    count, noise = rng.randint(2, 40), rng.random()
    favourite = rng.choice(LEVELS)
    level = lambda: favourite if rng.random() < rng.choice([0.0, 0.5, 0.95]) else rng.choice(LEVELS)
    a = [level() for _ in range(count)]
    return a, [level() if rng.random() < noise else score for score in a]


AGREEMENT = {
    "kappa": lambda a, b: cohen_kappa_score(a, b, labels=LEVELS),
    "kappa_linear": lambda a, b: cohen_kappa_score(a, b, labels=LEVELS, weights="linear"),
    "kappa_quadratic": lambda a, b: cohen_kappa_score(a, b, labels=LEVELS, weights="quadratic"),
    "alpha": lambda a, b: alpha(a, b, LEVELS),
    "ac1": lambda a, b: gwet(a, b, LEVELS, "identity"),
    "ac2": lambda a, b: gwet(a, b, LEVELS, "quadratic"),
    "spearman": lambda a, b: stats.spearmanr(a, b).statistic,
    "kendall": lambda a, b: stats.kendalltau(a, b).statistic,
}
# Its interval is compared for so many of the cases: a call of irrCAC for each resample takes long.
WITH_INTERVAL = {"kappa": 1, "kappa_linear": 1, "kappa_quadratic": 1, "ac1": 50, "ac2": 50, "alpha": 20}


def expected_agreement(name, a, b):
    if len(set(a) | set(b)) == 1:
        # irrCAC divides nothing by nothing where one level is all there is.
        return 1.0 if name in ("ac1", "ac2") else None
    return finite(AGREEMENT[name](np.array(a, float), np.array(b, float)))


def quick_kappa(weights):
    """As scikit-learn's, over the table of a resample; each case is held against scikit-learn itself as well."""
    steps = np.abs(np.subtract.outer(LEVELS, LEVELS))
    cost = {"kappa": (steps > 0) * 1.0, "kappa_linear": steps * 1.0, "kappa_quadratic": steps**2.0}[weights]

    def of(a, b):
        table = np.zeros((5, 5))
        np.add.at(table, (a.astype(int), b.astype(int)), 1)
        expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
        below = np.sum(cost * expected)
        return 1 - np.sum(cost * table) / below if below else np.nan

    return of


def agreement_case(job):
    at, a, b, program, folder = job
    path = pathlib.Path(folder) / f"{at}.csv"
    # Named so that their order is that of the resamples: pairs are drawn in the order of their names.
    rows = (f"C{row:03},{x},{y}\n" for row, (x, y) in enumerate(zip(a, b)))
    path.write_text("component,a,b\n" + "".join(rows))
    said = subprocess.run(
        [program, "agree", path, "--json", "--levels", "0..4", "--resamples", str(RESAMPLES), "--seed", str(at)],
        capture_output=True, text=True, check=True,
    )
    pair, tally = json.loads(said.stdout)["pairs"][0], Tally()
    left, right = np.array(a, float), np.array(b, float)
    for name in AGREEMENT:
        tally.check(name, pair[name], expected_agreement(name, a, b), (a, b))
    for name, every in WITH_INTERVAL.items():
        if at % every == 0 and len(set(a) | set(b)) > 1:
            of = quick_kappa(name) if name.startswith("kappa") else AGREEMENT[name]
            expected = bca(lambda rows, of=of: of(left[rows], right[rows]), at, len(a))
            tally.interval(f"BCa of {name}", pair["ci95"].get(name), expected, (at, a, b))
    return tally


# Paired


def pairs_of(rng, tasks, most):
    """Whole numbers up to `most` on both sides of each task, near each other so that many gaps are equal."""
    near, pairs = rng.randint(1, 4), []
    for _ in range(tasks):
        a = rng.randint(0, most)
        pairs.append((a, min(max(a + rng.randint(-near, near), 0), most)))
    return pairs


def metrics_of(rng):
    """By metric, of how many the whole numbers are parts, and those of each task: sums of levels, tests that pass."""
    tasks = rng.choice([rng.randint(1, 12), rng.randint(13, 25), rng.randint(26, 32)])
    components, tests = rng.randint(1, 7), rng.randint(2, 9)
    return {"mcf": (components, pairs_of(rng, tasks, 4 * components)), "tests": (tests, pairs_of(rng, tasks, tests))}


def bundle(place, agent, task, condition, parts, wholes):
    """A run without files whose verdicts add up to one number and of whose tests as many pass as the other says."""
    (place / "judgements").mkdir(parents=True)
    scores = [min(max(wholes["mcf"] - 4 * at, 0), 4) for at in range(parts["mcf"])]
    run = {"schema": "trajview.run/1", "id": place.name, "task": {"id": f"t{task:02}"}, "condition": condition,
           "agent": {"name": agent}, "turns": [{"turn": 1}]}
    judgement = {"schema": "trajview.judgement/1", "judge": {"name": "made", "kind": "command"}, "run": place.name,
                 "rubric": "slump-5", "scores": [{"component": f"C{at}", "score": score} for at, score in enumerate(scores)]}
    outcomes = ("passed" if at < wholes["tests"] else "failed" for at in range(parts["tests"]))
    tests = ({"checkpoint": "final", "test": f"t{at}", "group": "core", "outcome": outcome} for at, outcome in enumerate(outcomes))
    (place / "run.json").write_text(json.dumps(run))
    (place / "judgements" / "made.json").write_text(json.dumps(judgement))
    (place / "tests.jsonl").write_text("".join(json.dumps(test) + "\n" for test in tests))


def exact(gaps):
    """(W, p) of whole gaps other than 0 by counting the ways to give the ranks their signs, all in whole numbers."""
    sizes = [abs(gap) for gap in gaps]
    halves = [2 * sum(other < size for other in sizes) + sum(other == size for other in sizes) + 1 for size in sizes]
    up = sum(half for half, gap in zip(halves, gaps) if gap > 0)
    least = min(up, sum(halves) - up)
    ways = collections.Counter({0: 1})
    for half in halves:
        ways = ways + collections.Counter({total + half: count for total, count in ways.items()})
    below = sum(count for total, count in ways.items() if total <= least)
    return fractions.Fraction(least, 2), min(fractions.Fraction(1), fractions.Fraction(2 * below, 2 ** len(gaps))), halves


def check_paired(row, components, pairs, seed, tally):
    gaps = [a - b for a, b in pairs]
    kept, case = [gap for gap in gaps if gap], (components, pairs)
    tally.check("wins, ties, losses", 0, abs(row["wins"] - sum(gap > 0 for gap in gaps)) + abs(row["ties"] - gaps.count(0))
                + abs(row["losses"] - sum(gap < 0 for gap in gaps)), case)
    shares = np.array([a / components - b / components for a, b in pairs])
    tally.check("mean gap", row["mean_gap"], sum(gaps) / components / len(gaps), case)
    whole = np.array(gaps, float) / components
    tally.check("Cohen's d", row["cohen_d"], finite(effect(whole)), case)
    if len(gaps) > 1:
        tally.interval("BCa of the mean gap", row["ci95"], bca(lambda at: np.mean(shares[at]), seed, len(gaps)), case)
        d = bca(lambda at: effect(whole[at]), seed, len(gaps)) if row["cohen_d"] is not None else None
        tally.interval("BCa of Cohen's d", row["cohen_d_ci95"], d, case)
    test = row["wilcoxon"]
    if not kept:
        return tally.check("Wilcoxon", test, None, case)
    normal = stats.wilcoxon(kept, zero_method="wilcox", correction=False, method="approx")
    tally.check("Wilcoxon, p of the normal approximation", test["p_normal"], normal.pvalue, case)
    tally.check("Wilcoxon, zeros", test["zeros"], gaps.count(0), case, exact=True)
    if len(kept) > 25:
        tally.check("Wilcoxon, W", test["w"], fractions.Fraction(float(normal.statistic)), case, exact=True)
        return tally.check("Wilcoxon, p above 25 gaps", test["p"], normal.pvalue, case)
    w, p, halves = exact(kept)
    tally.check("Wilcoxon, W", test["w"], w, case, exact=True)
    tally.check("Wilcoxon, exact p", test["p"], p, case, exact=True)
    by_scipy(kept, halves, w, p, tally, case)


def by_scipy(kept, halves, w, p, tally, case):
    """What SciPy can say of it: W always, p by its own enumeration of few gaps, or of distinct ones."""
    tally.check("Wilcoxon, W by SciPy", stats.wilcoxon(kept, method="approx").statistic, w, case, exact=True)
    if len(set(map(abs, kept))) == len(kept):
        tally.check("Wilcoxon, p by SciPy, no ties", stats.wilcoxon(kept, method="exact").pvalue, float(p), case)
    if 1 < len(kept) <= 10:
        signed = np.array([half if gap > 0 else -half for half, gap in zip(halves, kept)], float)
        of = lambda x, axis: np.sum(np.where(x > 0, x, 0), axis=axis)
        found = stats.permutation_test((signed,), of, permutation_type="samples", n_resamples=np.inf, vectorized=True)
        tally.check("Wilcoxon, p by SciPy's permutations, ties", found.pvalue, float(p), case)


def holm(raw):
    """Adjusted as Holm 1979, in the order of the raw ones."""
    order, least, adjusted = sorted(range(len(raw)), key=lambda at: raw[at]), 0.0, [0.0] * len(raw)
    for before, at in enumerate(order):
        least = max(least, min(1.0, raw[at] * (len(raw) - before)))
        adjusted[at] = least
    return adjusted


def paired_cases(program, cases, rng, folder, seed):
    made = {f"case{at:04}": metrics_of(rng) for at in range(cases)}
    folder = pathlib.Path(folder)
    for agent, metrics in made.items():
        parts = {name: of for name, (of, _) in metrics.items()}
        for task in range(len(metrics["mcf"][1])):
            for side, condition in enumerate(("single-shot", "emergent")):
                wholes = {name: pairs[task][side] for name, (_, pairs) in metrics.items()}
                bundle(folder / f"{agent}-{task}-{condition}", agent, task, condition, parts, wholes)
    said = subprocess.run(
        [program, "corpus", folder, "--json", "--rules", "none", "--no-cache", "--resamples", str(RESAMPLES), "--seed", str(seed)],
        capture_output=True, text=True, check=True,
    )
    tally, seen, raw = Tally(), set(), collections.defaultdict(list)
    for row in json.loads(said.stdout)["paired"]:
        if row["pooled"]:
            continue
        if row["metric"] in made[row["agent"]]:
            seen.add((row["agent"], row["metric"]))
            check_paired(row, *made[row["agent"]][row["metric"]], seed, tally)
        if row["better"] != "neither" and row["wilcoxon"]:
            raw[row["agent"]].append((row["wilcoxon"]["p"], row["wilcoxon"]["p_holm"]))
    for agent, ps in raw.items():
        for (_, found), expected in zip(ps, holm([p for p, _ in ps])):
            tally.check("Holm", found, expected, agent)
    if len(seen) != 2 * cases:
        tally.differ.append(f"{2 * cases - len(seen)} of {2 * cases} paired cases have no row")
    return tally


def versions():
    print("python", sys.version.split()[0], *(f"{name} {metadata.version(name)}" for name in
          ("numpy", "scipy", "scikit-learn", "irrCAC", "krippendorff")), sep="  ")


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--program", default=here / "target/debug/trajview")
    options.add_argument("--cases", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    versions()
    rng, whole = random.Random(options.seed), Tally()
    with tempfile.TemporaryDirectory() as tables, concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as workers:
        jobs = [(at, *scored(rng), options.program, tables) for at in range(options.cases)]
        tallies = list(workers.map(agreement_case, jobs, chunksize=8))
    with tempfile.TemporaryDirectory() as corpus:
        tallies.append(paired_cases(options.program, options.cases, rng, corpus, options.seed))
    for tally in tallies:
        whole.compared += tally.compared
        whole.differ += tally.differ
    for statistic, count in sorted(whole.compared.items()):
        wrong = sum(line.startswith(f"{statistic}: ") for line in whole.differ)
        print(f"{statistic:<45} {count:>6} compared  {wrong} differ")
    print(*whole.differ[:20], sep="\n")
    sys.exit(1 if whole.differ else 0)


if __name__ == "__main__":
    main()
