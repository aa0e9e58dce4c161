"""Writes panel.json: several raters with gaps, and raters against a reference.

    pip install scipy scikit-learn krippendorff irrCAC statsmodels && python tests/vectors/panel.py

What is expected is what krippendorff (alpha), statsmodels (Fleiss' kappa), irrCAC (Gwet's AC) and scikit-learn
(accuracy, precision, recall, F1) say. Things with fewer than two scores are left out first. Intervals are SciPy's BCa
over things, and over runs drawn whole, from the resamples that `study::bootstrap` draws.
"""

import itertools
import json
import warnings

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import accuracy_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import fleiss_kappa

from study import HERE, RESAMPLES, SplitMix64, bca, number

warnings.simplefilter("ignore")
SEED = 7


def levels_given(rows):
    return {score for row in rows for score in row if score is not None}


def table(rows):
    return np.array([[np.nan if score is None else score for score in row] for row in rows], dtype=float)


def alpha(metric):
    def of(rows, levels):
        if len(levels_given(rows)) < 2:
            return np.nan
        return krippendorff.alpha(table(rows).T, level_of_measurement=metric, value_domain=np.array(levels, float))

    return of


def gwet(weights):
    def of(rows, levels):
        # irrCAC's variance needs two things; the coefficient is one of means, the same for a thing twice.
        ratings = pd.DataFrame(table(rows * 2 if len(rows) == 1 else rows))
        if len(levels_given(rows)) < 2:
            return 1.0
        found = CAC(ratings, weights=weights, categories=[float(level) for level in levels], digits=14).gwet()
        return found["est"]["coefficient_value"]

    return of


def fleiss(rows, levels):
    counts = np.array([[sum(score == level for score in row) for level in levels] for row in rows])
    if len(set(counts.sum(axis=1))) != 1 or len(levels_given(rows)) < 2:
        return np.nan
    return fleiss_kappa(counts, method="fleiss")


def exact(rows, levels):
    def share(row):
        pairs = list(itertools.combinations([score for score in row if score is not None], 2))
        return np.mean([a == b for a, b in pairs])

    return np.mean([share(row) for row in rows])


AMONG = {
    "exact": exact,
    "alpha_nominal": alpha("nominal"),
    "alpha": alpha("ordinal"),
    "alpha_interval": alpha("interval"),
    "fleiss_kappa": fleiss,
    "ac1": gwet("identity"),
    "ac2": gwet("quadratic"),
}


def clustered(runs):
    """The places of each run's things, run by run."""
    return [[at for at, run in enumerate(runs) if run == one] for one in sorted(set(runs))]


def both(of, things, runs, with_intervals):
    """A value with its interval over things and over runs; `of` takes a list of things."""
    found = {"value": number(of(things))}
    if with_intervals:
        groups = clustered(runs)
        taken = lambda places: [things[at] for at in places]
        found["ci95"] = bca(lambda at: of(taken(at)), SEED, len(things)) if len(things) > 1 else None
        whole = lambda drawn: [at for group in drawn for at in groups[group]]
        found["ci95_by_run"] = bca(lambda drawn: of(taken(whole(drawn))), SEED, len(groups)) if len(groups) > 1 else None
    return found


def cases_of(rows, runs, levels, least, with_intervals):
    kept = [(row, run) for row, run in zip(rows, runs) if sum(score is not None for score in row) >= least]
    things, of_run = [row for row, _ in kept], [run for _, run in kept]
    found = {"n": len(things), "runs": len(set(of_run))}
    for name, of in AMONG.items():
        is_defined = len(things) > 1 or (name == "exact" and things)
        found[name] = (
            both(lambda rows, of=of: of(rows, levels), things, of_run, with_intervals)
            if is_defined
            else {"value": None, "ci95": None, "ci95_by_run": None}
        )
    return found


def panel(name, rows, runs, levels, with_intervals=True):
    raters = max(len(row) for row in rows)
    return {
        "name": name, "levels": levels, "rows": rows, "runs": runs, "seed": SEED, "resamples": RESAMPLES,
        "with_intervals": with_intervals,
        "available": cases_of(rows, runs, levels, 2, with_intervals),
        "complete": cases_of(rows, runs, levels, max(raters, 2), with_intervals),
    }


def drawn(rng, things, raters, levels, errs, misses):
    def score(at):
        if rng.unit() < misses:
            return None
        if rng.unit() < errs:
            at = min(max(at + (1 if rng.below(2) else -1), 0), len(levels) - 1)
        return levels[at]

    true = [rng.below(len(levels)) for _ in range(things)]
    return [[score(at) for _ in range(raters)] for at in true]


def panels():
    rng, slump, made = SplitMix64(909), [0, 1, 2, 3, 4], []
    for things, raters, runs, errs, misses in [(30, 3, 5, 0.3, 0.0), (40, 4, 8, 0.5, 0.25), (18, 3, 2, 0.4, 0.3), (12, 6, 1, 0.3, 0.5)]:
        rows = drawn(rng, things, raters, slump, errs, misses)
        made.append(panel(f"{things} things, {raters} raters, {runs} runs", rows, [rng.below(runs) for _ in rows], slump))
    for levels in [[0, 1], [1, 2, 3, 4, 5], [0, 1, 3, 4], [0, 0.5, 1]]:
        rows = drawn(rng, 60, 4, levels, 0.3, 0.2)
        made.append(panel(f"levels {levels}", rows, [at // 6 for at in range(60)], levels, with_intervals=False))
    made.append(panel("one level", [[3, 3, None], [3, 3, 3], [3, None, 3]], [0, 1, 1], slump, with_intervals=False))
    made.append(panel("one thing", [[3, 4, 4]], [0], slump, with_intervals=False))
    made.append(panel("nothing in common", [[3, None], [None, 4]], [0, 0], slump, with_intervals=False))
    return made


# Against a reference


def report(pairs, zero):
    """As `precision_recall_fscore_support`; the classes are the levels that either gave."""
    true, given = [str(a) for a, _ in pairs], [str(b) for _, b in pairs]
    score = lambda average: [number(it) for it in precision_recall_fscore_support(true, given, average=average, zero_division=zero)[:3]]
    return {"macro": score("macro"), "weighted": score("weighted")}


def macro(at, average="macro"):
    def of(pairs):
        true, given = [str(a) for a, _ in pairs], [str(b) for _, b in pairs]
        return precision_recall_fscore_support(true, given, average=average, zero_division=np.nan)[at]

    return of


AGAINST = {
    "accuracy": lambda pairs: accuracy_score([str(a) for a, _ in pairs], [str(b) for _, b in pairs]),
    "macro_precision": macro(0),
    "macro_recall": macro(1),
    "macro_f1": macro(2),
    "weighted_f1": macro(2, "weighted"),
}
POSITIVE = {">=3": lambda it: it >= 3, ">2": lambda it: it > 2, "<=1": lambda it: it <= 1, "<1": lambda it: it < 1, "4": lambda it: it == 4}


def binary(pairs, is_positive):
    true, given = [is_positive(a) for a, _ in pairs], [is_positive(b) for _, b in pairs]
    precision, recall, f1, _ = precision_recall_fscore_support(true, given, labels=[True], zero_division=np.nan)
    _, specificity, _, _ = precision_recall_fscore_support(true, given, labels=[False], zero_division=np.nan)
    count = lambda a, b: sum((x, y) == (a, b) for x, y in zip(true, given))
    return {
        "tp": count(True, True), "fp": count(False, True), "fn": count(True, False), "tn": count(False, False),
        "accuracy": number(accuracy_score(true, given)), "precision": number(precision[0]),
        "recall": number(recall[0]), "f1": number(f1[0]), "specificity": number(specificity[0]),
    }


def against(name, pairs, runs, levels, with_intervals=True):
    classes = sorted({score for pair in pairs for score in pair})
    found = precision_recall_fscore_support([str(a) for a, _ in pairs], [str(b) for _, b in pairs],
                                            labels=[str(level) for level in classes], zero_division=np.nan)
    rows = [{"class": level, "precision": number(p), "recall": number(r), "f1": number(f), "support": int(s)}
            for level, p, r, f, s in zip(classes, *found)]
    return {
        "name": name, "levels": levels, "pairs": pairs, "runs": runs, "seed": SEED, "resamples": RESAMPLES,
        "classes": rows,
        "averages": {"undefined": report(pairs, np.nan), "0": report(pairs, 0), "1": report(pairs, 1)},
        "measures": {name: both(of, pairs, runs, with_intervals) for name, of in AGAINST.items()},
        "with_intervals": with_intervals,
        "binary": {words: binary(pairs, test) for words, test in POSITIVE.items()},
    }


def references():
    rng, slump, made = SplitMix64(411), [0, 1, 2, 3, 4], []
    for count, runs, errs in [(40, 6, 0.3), (25, 4, 0.7), (9, 3, 0.5), (120, 1, 0.2)]:
        pairs = [row for row in drawn(rng, count, 2, slump, errs, 0.0)]
        made.append(against(f"{count} pairs", pairs, [rng.below(runs) for _ in pairs], slump))
    pairs = drawn(rng, 50, 2, [0, 1], 0.3, 0.0)
    made.append(against("two classes", pairs, [at // 10 for at in range(50)], [0, 1]))
    made.append(against("a class that one alone gave", [[4, 4], [4, 3], [2, 4], [4, 4]], [0, 0, 1, 1], slump, False))
    made.append(against("nothing right", [[4, 3], [3, 4]], [0, 0], slump, False))
    made.append(against("one class", [[4, 4], [4, 4]], [0, 0], slump, False))
    return made


if __name__ == "__main__":
    document = {"made_by": "tests/vectors/panel.py", "panels": panels(), "references": references()}
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / "panel.json").write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")
