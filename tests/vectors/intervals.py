"""Writes intervals.json: MCF, DIR and IF50 of two runs with the intervals that SciPy's BCa of several samples gives.

    pip install scipy && python tests/vectors/intervals.py

A case has the scores of components in both runs (null where a run has none) and, of each run, exported symbols and how
many of them are reused. Components are one sample of pairs, the symbols of each run another. The draws of a resample are
those that `study::compare::intervals` documents: components, symbols of the first run, symbols of the second.
"""

import json

import numpy as np
from scipy import stats
from scipy.stats._resampling import BootstrapResult

from splitmix import HERE, SplitMix64

RESAMPLES, SEED = 400, 7


def bca(statistic, sizes):
    """The value and (low, high), null where there is none."""
    samples = [np.arange(size) for size in sizes if size > 0]
    whole = statistic(*samples)
    if np.isnan(whole):
        return {"value": None, "ci95": None}
    rng = SplitMix64(SEED)
    drawn = [[np.array([rng.below(len(it)) for _ in it]) for it in samples] for _ in range(RESAMPLES)]
    rounded = lambda *index: np.round(statistic(*index), 12)
    values = np.array([rounded(*sample) for sample in drawn])
    known = values[~np.isnan(values)]
    if len(values) - len(known) > 0.05 * len(values) or np.ptp(known) <= 1e-12 or min(map(len, samples)) < 2:
        return {"value": float(whole), "ci95": None}
    given = BootstrapResult(None, known, None)
    result = stats.bootstrap(
        samples, rounded, n_resamples=0, bootstrap_result=given, method="BCa", vectorized=False, paired=False
    )
    low, high = result.confidence_interval
    return {"value": float(whole), "ci95": None if np.isnan(low) or np.isnan(high) else [float(low), float(high)]}


def mean(values):
    values = [value for value in values if value is not None]
    return float(np.mean(values)) if values else np.nan


def case(name, scores, symbols):
    numbers = {}
    for number in ["mcf", "dir", "if50"]:
        components = scores if number != "dir" else []
        counts = symbols if number != "mcf" else [None, None]

        def side(at, with_components, index):
            """Of drawn indices: those of components, then those of symbols, as far as there are any."""
            own = mean([with_components[i][at] for i in index["components"]])
            exported = counts[at]
            share = np.nan if not exported else float(np.mean(index["symbols"][at] < exported[1]))
            return {"mcf": own, "dir": share, "if50": 0.5 * own / 4 + 0.5 * share}[number]

        def told(ats, rows):
            sizes = [len(rows)] + [counts[at][0] if counts[at] and at in ats else 0 for at in (0, 1)]

            def statistic(*samples):
                samples = list(samples)
                index = {"components": samples.pop(0) if sizes[0] else [], "symbols": [None, None]}
                for at in (0, 1):
                    index["symbols"][at] = samples.pop(0) if sizes[1 + at] else None
                values = [side(at, rows, index) for at in ats]
                return values[0] if len(values) == 1 else values[0] - values[1]

            return bca(statistic, sizes)

        own = lambda at: [row for row in components if row[at] is not None]
        numbers[number] = {"a": told([0], own(0)), "b": told([1], own(1)), "difference": told([0, 1], components)}
    return {"name": name, "seed": SEED, "resamples": RESAMPLES, "scores": scores, "symbols": symbols, "numbers": numbers}


def cases():
    rng = SplitMix64(2121)
    scores = lambda count: [[float(rng.below(5)), float(min(4, rng.below(5) + rng.below(2)))] for _ in range(count)]
    some = scores(14)
    some[2][0] = some[5][1] = some[9][1] = None
    return [
        case("paired", scores(24), [[61, 33], [42, 24]]),
        case("components of one run alone", some, [[12, 3], [150, 97]]),
        case("nothing exported in the second", scores(10), [[20, 5], None]),
        case("every symbol is reused", scores(10), [[9, 9], [14, 14]]),
        case("nothing judged in the first", [[None, float(rng.below(5))] for _ in range(8)], [[30, 11], [25, 20]]),
        case("one symbol", scores(6), [[1, 1], [8, 2]]),
    ]


if __name__ == "__main__":
    document = {"made_by": "tests/vectors/intervals.py", "cases": cases()}
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / "intervals.json").write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")
