"""Writes fitness.json: what other programs say about the fitness of judges.

    pip install pingouin crowd-kit scikit-learn netcal && python tests/vectors/fitness.py

- Intraclass correlation with intervals: pingouin; items with a missing score are dropped, by pingouin itself.
- Dawid and Skene's consensus: crowd-kit, 600 rounds.
- The alternative annotator test: the definitions of arXiv 2501.10970 (sections 3.2 and 3.3) written out here, with SciPy's
  t-test and SciPy's adjustment by Benjamini and Yekutieli.
- Reliability diagrams: scikit-learn's `calibration_curve`, and netcal's ECE for bins of equal width.
"""

import json
import warnings

import numpy as np
import pandas as pd
import pingouin
from crowdkit.aggregation import DawidSkene
from netcal.metrics import ECE
from scipy import stats
from sklearn.calibration import calibration_curve

from splitmix import HERE, SplitMix64

warnings.simplefilter("ignore")
pingouin.options["round.column.CI95"] = None  # else two decimals


def number(value):
    """Finite, or null."""
    value = float(value)
    return value if np.isfinite(value) else None


def near(rng, level, errs, top):
    """The level, or one beside it with the probability `errs`."""
    if rng.below(1000) >= errs * 1000:
        return level
    step = 1 if rng.below(2) else -1
    return min(max(level + step, 0), top)


def panel(rng, items, errors, top, missing, biases=None):
    """Rows of scores on 0..top, a column for each rater; None where a score is missing."""
    biases = biases or [0] * len(errors)
    rows = []
    for _ in range(items):
        true = rng.below(top + 1)
        given = [min(max(near(rng, true, errs, top) + bias, 0), top) for errs, bias in zip(errors, biases)]
        rows.append([None if rng.below(1000) < missing * 1000 else score for score in given])
    return rows


# Intraclass correlation


def intraclass(name, rows, levels):
    long = pd.DataFrame(
        [{"item": at, "rater": rater, "score": np.nan if score is None else float(score)}
         for at, row in enumerate(rows) for rater, score in enumerate(row)]
    )
    found = pingouin.intraclass_corr(long, "item", "rater", "score", nan_policy="omit").set_index("Type")
    row = lambda kind: {"value": number(found["ICC"][kind]), "ci95": [number(it) for it in found["CI95"][kind]]}
    complete = sum(all(score is not None for score in row) for row in rows)
    return {"name": name, "levels": levels, "rows": rows, "complete": complete, "icc_2_1": row("ICC(A,1)"), "icc_3_1": row("ICC(C,1)")}


def intraclass_cases():
    rng, slump, made = SplitMix64(51), [0, 1, 2, 3, 4], []
    made.append(intraclass("two raters, many ties", panel(rng, 24, [0.3, 0.4], 4, 0), slump))
    made.append(intraclass("one rater is stricter by a level", panel(rng, 40, [0.2, 0.2], 4, 0, [0, -1]), slump))
    made.append(intraclass("three raters with gaps", panel(rng, 50, [0.2, 0.4, 0.6], 4, 0.1), slump))
    made.append(intraclass("five raters with gaps", panel(rng, 60, [0.1, 0.2, 0.3, 0.7, 0.9], 4, 0.08), slump))
    made.append(intraclass("two levels", panel(rng, 30, [0.4, 0.4, 0.4], 1, 0), [0, 1]))
    made.append(intraclass("three items", [[0, 1, 0], [4, 3, 3], [2, 2, 3]], slump))
    made.append(intraclass("uneven steps far from 0", [[1000.5, 1001], [1004, 1004], [1001, 1001], [1000.5, 1000.5], [1004, 1001]], [1000.5, 1001, 1004]))
    unrelated = [[rng.below(5), rng.below(5), rng.below(5)] for _ in range(40)]
    made.append(intraclass("unrelated scores", unrelated, slump))
    opposed = [[at % 5, near(rng, 4 - at % 5, 0.5, 4)] for at in range(23)]
    made.append(intraclass("opposed raters", opposed, slump))
    # Shrout and Fleiss 1979, table 2.
    targets = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    made.append(intraclass("Shrout and Fleiss 1979", targets, list(range(1, 11))))
    return made


# Dawid and Skene


def consensus(name, rows, levels):
    long = pd.DataFrame([{"task": at, "worker": rater, "label": score}
                         for at, row in enumerate(rows) for rater, score in enumerate(row) if score is not None])
    model = DawidSkene(n_iter=600, tol=-np.inf).fit(long)
    share = lambda at, level: float(model.probas_[level].get(at, 0.0)) if level in model.probas_ else 0.0
    rater = lambda number: [[float(model.errors_[true].get((number, given), 0.0)) if true in model.errors_ else None for given in range(levels)]
                            for true in range(levels)]
    return {
        "name": name, "levels": levels, "rows": rows,
        "posteriors": [[share(at, level) for level in range(levels)] for at in range(len(rows))],
        "shares": [float(model.priors_.get(level, 0.0)) for level in range(levels)],
        "raters": [rater(number) for number in range(len(rows[0]))],
    }


def consensus_cases():
    rng = SplitMix64(52)
    return [
        consensus("three raters", panel(rng, 40, [0.1, 0.3, 0.5], 4, 0), 5),
        consensus("five raters with gaps, one unrelated", panel(rng, 80, [0.1, 0.1, 0.2, 0.3, 1.0], 4, 0.15), 5),
        consensus("two levels", panel(rng, 60, [0.1, 0.2, 0.3], 1, 0.05), 2),
        consensus("one rater is stricter", panel(rng, 60, [0.1, 0.1, 0.1], 4, 0, [0, 0, -1]), 5),
        consensus("a level that nobody gave", [[0, 0, 1], [1, 1, 1], [3, 3, 3], [0, 1, 0], [3, 3, 1], [1, 1, 3], [0, 0, 0]], 5),
    ]


# The alternative annotator test


def alternative(name, rows, judge, scoring, epsilon):
    """`rows` have a column for each annotator."""
    score = {
        "accuracy": lambda one, others: np.mean([one == other for other in others]),
        "negative RMSE": lambda one, others: -np.sqrt(np.mean([(one - other) ** 2 for other in others])),
    }[scoring]
    annotators = []
    for left_out in range(len(rows[0])):
        won, lost = [], []
        for row, judged in zip(rows, judge):
            others = [it for at, it in enumerate(row) if at != left_out and it is not None]
            if row[left_out] is None or judged is None or not others:
                continue
            of_judge, of_annotator = score(judged, others), score(row[left_out], others)
            won.append(float(of_judge >= of_annotator))
            lost.append(float(of_annotator >= of_judge))
        gaps = np.array(lost) - np.array(won)
        p = float(stats.ttest_1samp(gaps, epsilon, alternative="less").pvalue) if len(gaps) >= 30 else None
        annotators.append({"items": len(gaps), "judge": float(np.mean(won)), "annotator": float(np.mean(lost)), "p": p})
    tested = [it for it in annotators if it["p"] is not None]
    adjusted = stats.false_discovery_control([it["p"] for it in tested], method="by") if tested else []
    for it, p in zip(tested, adjusted):
        it["p_adjusted"] = float(p)
    return {
        "name": name, "rows": rows, "judge": judge, "scoring": scoring, "epsilon": epsilon, "annotators": annotators,
        "winning_rate": float(np.mean([it["p_adjusted"] <= 0.05 for it in tested])) if tested else None,
        "advantage": float(np.mean([it["judge"] for it in tested])) if tested else None,
    }


def judged(rng, errors, judge, top, items, missing=0.0):
    rows = panel(rng, items, [*errors, judge], top, 0)
    labels = [[None if rng.below(1000) < missing * 1000 else it for it in row[:-1]] for row in rows]
    return labels, [row[-1] for row in rows]


def alternative_cases():
    rng, made = SplitMix64(53), []
    for name, errors, judge, top, items, missing, scoring, epsilon in [
        ("a good judge", [0.3, 0.4, 0.4], 0.1, 4, 80, 0.0, "negative RMSE", 0.2),
        ("a middling judge, with gaps", [0.2, 0.3, 0.4, 0.5], 0.3, 4, 90, 0.2, "negative RMSE", 0.15),
        ("a poor judge", [0.1, 0.1, 0.2], 0.9, 4, 60, 0.0, "negative RMSE", 0.2),
        ("labels", [0.2, 0.3, 0.3], 0.2, 1, 70, 0.1, "accuracy", 0.1),
        ("labels, expert annotators", [0.2, 0.3, 0.3, 0.3, 0.6], 0.25, 1, 50, 0.0, "accuracy", 0.2),
        ("an annotator with few items", [0.2, 0.3, 0.3], 0.2, 4, 37, 0.15, "accuracy", 0.2),
    ]:
        labels, given = judged(rng, errors, judge, top, items, missing)
        made.append(alternative(name, labels, given, scoring, epsilon))
    return made


# Reliability


def reliability(name, answers):
    confidence, right = np.array([it[0] for it in answers]), np.array([it[1] for it in answers], dtype=int)
    found = {"name": name, "answers": [[float(c), bool(r)] for c, r in answers]}
    for words, strategy in [("equal width", "uniform"), ("equal mass", "quantile")]:
        shares, means = calibration_curve(right, confidence, n_bins=10, strategy=strategy)
        found[words] = {"right": shares.tolist(), "mean_confidence": means.tolist()}
    # netcal counts a confidence at a border to the upper bin, so its cases have none there.
    found["ece"] = float(ECE(bins=10).measure(confidence, right))
    return found


def reliability_cases():
    rng = SplitMix64(54)
    share = lambda: (rng.below(9999) + 0.5) / 10000
    sound = [(c, share() < c) for c in (share() for _ in range(400))]
    sure = [(0.5 + c / 2, share() < 0.6) for c in (share() for _ in range(150))]
    steps = [(c, share() < 0.7) for c in ([0.55, 0.75, 0.85, 0.95, 0.97][rng.below(5)] for _ in range(90))]
    few = [(0.93, True), (0.15, True), (0.64, False)]
    return [reliability(name, answers) for name, answers in
            [("sound", sound), ("too sure", sure), ("five steps", steps), ("three answers", few)]]


if __name__ == "__main__":
    document = {
        "made_by": "tests/vectors/fitness.py",
        "intraclass": intraclass_cases(),
        "consensus": consensus_cases(),
        "alternative": alternative_cases(),
        "reliability": reliability_cases(),
    }
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / "fitness.json").write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")
