"""Writes calibration.csv, 120 pairs scored by two humans and a judge, and calibration.json, what SciPy and
scikit-learn say of every cell of the table that `agree --calibration` makes of it.

    pip install scipy scikit-learn krippendorff irrCAC && python tests/vectors/calibration.py

The scores are made up: six runs of twenty components, each with a true level (mostly 3 and 4), drawn with SplitMix64
started at SEED. A human gives the true level, or now and then a neighbouring one; the judge errs more often, and
sometimes misses what is there and gives 0 or 1. The true level is not in the file.
"""

import json

import numpy as np
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from study import HERE, RESAMPLES, SplitMix64, at_boundary, bca, boundary

SEED, RUNS, COMPONENTS, DRAWS = 17104, 6, 20, 7
TRUE = [0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
LEVELS = range(5)
ROWS = [("A1 - judge", "A1", "judge"), ("A2 - judge", "A2", "judge"), ("A1 - A2", "A1", "A2")]


def beside(level, rng):
    return min(max(level + (1 if rng.below(2) else -1), 0), 4)


def scored():
    rng, rows = SplitMix64(SEED), []
    for at in range(RUNS * COMPONENTS):
        true = TRUE[rng.below(len(TRUE))]
        a1 = beside(true, rng) if rng.unit() < 0.18 else true
        a2 = beside(true, rng) if rng.unit() < 0.22 else true
        judge = beside(true, rng) if rng.unit() < 0.30 else true
        if rng.unit() < 0.04:
            judge = rng.below(2)
        rows.append((f"C{at % COMPONENTS + 1:02}", f"p{at // COMPONENTS + 1:02}", a1, a2, judge))
    return rows


CELLS = {
    "exact": lambda a, b: np.mean(a == b),
    "within_1": lambda a, b: np.mean(np.abs(a - b) <= 1),
    "kappa_quadratic": lambda a, b: cohen_kappa_score(a, b, labels=LEVELS, weights="quadratic"),
    "spearman": lambda a, b: stats.spearmanr(a, b).statistic,
    "kendall": lambda a, b: stats.kendalltau(a, b).statistic,
    "boundary_2_3": lambda a, b: boundary(a, b, (2, 3)),
    "boundary_3_4": lambda a, b: boundary(a, b, (3, 4)),
}


def row(name, a, b):
    cells = {}
    for cell, of in CELLS.items():
        interval = bca(lambda at, of=of: of(a[at], b[at]), DRAWS, len(a))
        cells[cell] = {"value": float(of(a, b)), "ci95": interval}
    counts = {"2-3": at_boundary(a, b, (2, 3)), "3-4": at_boundary(a, b, (3, 4))}
    return {"row": name, "n": len(a), "cells": cells, "counts": counts}


if __name__ == "__main__":
    rows = scored()
    head = "component,run,A1,A2,judge\n"
    (HERE / "calibration.csv").write_text(head + "".join(",".join(map(str, it)) + "\n" for it in rows))
    by_rater = {name: np.array([it[at] for it in rows]) for at, name in [(2, "A1"), (3, "A2"), (4, "judge")]}
    document = {
        "made_by": "tests/vectors/calibration.py", "seed": DRAWS, "resamples": RESAMPLES,
        "rows": [row(name, by_rater[a], by_rater[b]) for name, a, b in ROWS],
        "base_rates": {name: [float(np.mean(given == level)) for level in LEVELS] for name, given in by_rater.items()},
    }
    (HERE / "calibration.json").write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
