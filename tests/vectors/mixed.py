"""Writes mixed.json: components of tasks under two conditions, and what statsmodels and SciPy say of them.

    pip install scipy statsmodels scikit-learn krippendorff irrCAC && python tests/vectors/mixed.py

A case is a list of (task, score under a, score under b). The difference is a linear mixed model with a random
intercept a task, fitted by REML (statsmodels' MixedLM), its p-values adjusted by Holm over the measures (statsmodels'
multipletests); intervals are SciPy's BCa over components, and over tasks drawn whole.
"""

import json
import warnings

import numpy as np
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

from panel import both
from study import HERE, RESAMPLES, SplitMix64

warnings.simplefilter("ignore")
SEED = 7
MEASURES = {"score": lambda it: it, "equivalent": lambda it: float(it >= 3), "severe": lambda it: float(it <= 1)}


def mixed(rows):
    tasks, gaps = [task for task, _, _ in rows], np.array([a - b for _, a, b in rows])
    if len(set(tasks)) < 2 or len(set(tasks)) == len(tasks) or np.ptp(gaps) == 0:
        return None
    fits = []
    for method in ["bfgs", "powell", "cg"]:
        try:
            fit = sm.MixedLM(gaps, np.ones((len(gaps), 1)), groups=tasks).fit(reml=True, method=method)
            fits += [fit] if np.isfinite(fit.llf) else []
        except np.linalg.LinAlgError:
            pass  # the variance between tasks is 0, and statsmodels cannot say how sure that is
    best = max(fits, key=lambda fit: fit.llf, default=None)
    if best is None or best.cov_re[0, 0] < 1e-6:
        # Without a variance between tasks the model is that of least squares, with a normal distribution.
        plain = sm.OLS(gaps, np.ones((len(gaps), 1))).fit(use_t=False)
        return {"mean": float(plain.params[0]), "se": float(plain.bse[0]), "z": float(plain.tvalues[0]),
                "p": float(plain.pvalues[0]), "interval": [float(it) for it in plain.conf_int()[0]],
                "between": 0.0, "within": float(plain.scale)}
    low, high = best.conf_int()[0]
    return {"mean": float(best.params[0]), "se": float(best.bse[0]), "z": float(best.tvalues[0]), "p": float(best.pvalues[0]),
            "interval": [float(low), float(high)], "between": float(best.cov_re[0, 0]), "within": float(best.scale)}


def case(name, rows):
    found = {}
    for measure, of in MEASURES.items():
        seen = [[task, of(a), of(b)] for task, a, b in rows]
        tasks = [task for task, _, _ in seen]
        mean = lambda at: lambda rows: np.mean([row[at] for row in rows])
        gap = lambda rows: np.mean([a for _, a, _ in rows]) - np.mean([b for _, _, b in rows])
        found[measure] = {"a": both(mean(1), seen, tasks, True), "b": both(mean(2), seen, tasks, True),
                          "difference": both(gap, seen, tasks, True), "mixed": mixed(seen)}
    tested = [it for it in found.values() if it["mixed"]]
    if tested:
        adjusted = multipletests([it["mixed"]["p"] for it in tested], method="holm")[1]
        for it, p in zip(tested, adjusted):
            it["p_holm"] = float(p)
    return {"name": name, "seed": SEED, "resamples": RESAMPLES, "rows": rows, "measures": found}


def drawn(rng, tasks, most, effect):
    rows = []
    for task in range(tasks):
        shift = (rng.unit() - 0.5) * effect + 0.6
        for _ in range(1 + rng.below(most)):
            a = float(rng.below(5))
            b = a - (1 if rng.unit() < shift else 0) - (1 if rng.unit() < shift / 3 else 0)
            rows.append([task, a, max(b, 0.0)])
    return rows


def cases():
    rng, made = SplitMix64(1212), []
    for tasks, most, effect in [(8, 12, 1.2), (20, 6, 0.2), (4, 24, 1.0), (12, 3, 1.5), (2, 10, 1.0)]:
        made.append(case(f"{tasks} tasks, up to {most} components", drawn(rng, tasks, most, effect)))
    made.append(case("one task", [[0, 4.0, 3.0], [0, 2.0, 2.0], [0, 3.0, 1.0], [0, 4.0, 0.0]]))
    made.append(case("one component a task", [[0, 4.0, 3.0], [1, 2.0, 2.0], [2, 3.0, 1.0]]))
    made.append(case("no difference", [[0, 4.0, 4.0], [0, 2.0, 2.0], [1, 3.0, 3.0]]))
    return made


if __name__ == "__main__":
    document = {"made_by": "tests/vectors/mixed.py", "cases": cases()}
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / "mixed.json").write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")
