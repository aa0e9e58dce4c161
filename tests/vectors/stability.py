"""Writes stability.json: repeats of one judging, and what krippendorff, NumPy and SciPy say of them.

    pip install scipy scikit-learn krippendorff irrCAC && python tests/vectors/stability.py

A case is a list of components with one score a repeat, null where there is none, and a second group beside it. Shares
are of every two repeats of a component, then the mean over components; intervals are drawn over components.
"""

import itertools
import json

import krippendorff
import numpy as np

from study import HERE, SplitMix64, bca, number

SEED = 5
IS_SO = {
    "exact": lambda a, b: a == b,
    "within_1": lambda a, b: abs(a - b) <= 1,
    "flips_2_3": lambda a, b: (a >= 3) != (b >= 3),
    "flips_3_4": lambda a, b: (a == 4) != (b == 4),
    "severe_flips": lambda a, b: (a <= 1) != (b <= 1),
}


def given(scores):
    return [score for score in scores if score is not None]


def means(pairs_of_components):
    found = {}
    for name, is_so in IS_SO.items():
        shares = np.array([np.mean([is_so(a, b) for a, b in pairs]) for pairs in pairs_of_components if pairs])
        interval = bca(lambda at: np.mean(shares[at]), SEED, len(shares)) if len(shares) > 1 else None
        found[name] = {"value": number(np.mean(shares)) if len(shares) else None, "ci95": interval}
    return found


def alpha(units):
    table = np.array([[np.nan if score is None else score for score in unit] for unit in units], dtype=float).T
    if len({score for unit in units if len(given(unit)) > 1 for score in given(unit)}) < 2:
        return np.nan
    return krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[0.0, 1.0, 2.0, 3.0, 4.0])


def case(name, first, second):
    units = [unit for unit in first if len(given(unit)) > 1]
    columns = [given(column) for column in zip(*first)]
    mcf = [float(np.mean(column)) for column in columns if column]
    gaps = np.array([np.mean(given(b)) - np.mean(given(a)) for a, b in zip(first, second) if given(a) and given(b)])
    return {
        "name": name, "seed": SEED, "resamples": 400, "first": first, "second": second,
        "shares": means([list(itertools.combinations(given(unit), 2)) for unit in first]),
        "alpha": {"value": number(alpha(units)) if units else None,
                  "ci95": bca(lambda at: alpha([units[i] for i in at]), SEED, len(units)) if len(units) > 1 else None},
        "mcf": mcf, "mcf_sd": float(np.std(mcf, ddof=1)) if len(mcf) > 1 else None,
        "sd": [float(np.std(given(unit), ddof=1)) if len(given(unit)) > 1 else None for unit in first],
        "between": means([list(itertools.product(given(a), given(b))) for a, b in zip(first, second)]),
        "gap": {"value": number(np.mean(gaps)) if len(gaps) else None,
                "ci95": bca(lambda at: np.mean(gaps[at]), SEED, len(gaps)) if len(gaps) > 1 else None},
    }


def drawn(rng, true, repeats, errs, misses):
    def score(level):
        if rng.unit() < misses:
            return None
        up = 1 if rng.below(2) else -1
        return min(max(level + up, 0), 4) if rng.unit() < errs else level

    return [[score(level) for _ in range(repeats)] for level in true]


def cases():
    rng, all_cases = SplitMix64(606), []
    for components, repeats, errs, misses in [(24, 3, 0.2, 0.0), (24, 5, 0.35, 0.1), (8, 2, 0.5, 0.0), (40, 4, 0.1, 0.3)]:
        true = [[0, 1, 2, 3, 3, 4, 4][rng.below(7)] for _ in range(components)]
        first = drawn(rng, true, repeats, errs, misses)
        second = drawn(rng, [min(level + rng.below(2), 4) for level in true], repeats, errs, misses)
        all_cases.append(case(f"{components} components, {repeats} repeats, {errs} err", first, second))
    all_cases.append(case("all one level", [[3, 3, 3]] * 6, [[3, 3, 3]] * 6))
    all_cases.append(case("no repeats", [[3], [2], [4]], [[3], [1], [4]]))
    all_cases.append(case("steady", [[0, 0], [2, 2], [4, 4], [3, 3]], [[1, 1], [2, 2], [4, 3], [3, 3]]))
    return all_cases


if __name__ == "__main__":
    document = {"made_by": "tests/vectors/stability.py", "cases": cases()}
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / "stability.json").write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")
