"""Writes agreement.json, paired.json and correlation.json: what SciPy, scikit-learn, krippendorff and irrCAC say.

    pip install scipy scikit-learn krippendorff irrCAC && python tests/vectors/study.py

The resamples of every interval are drawn as `study::bootstrap` documents, and given to SciPy's BCa. Statistics are
rounded to 12 places inside the bootstrap, so that values that are equal but for the order of a sum count as equal;
resamples without a value are left out, as `study::bootstrap` does.
"""

import json
import warnings

import krippendorff
import numpy as np
import pandas as pd
import scipy
import sklearn
from irrCAC.raw import CAC
from scipy import stats
from scipy.stats._resampling import BootstrapResult
from sklearn.metrics import cohen_kappa_score

from splitmix import HERE, SplitMix64

RESAMPLES = 400
warnings.simplefilter("ignore")


def resamples(seed, count):
    rng = SplitMix64(seed)
    return [[rng.below(count) for _ in range(count)] for _ in range(RESAMPLES)]


def number(value):
    """Finite, or null."""
    value = float(value)
    return value if np.isfinite(value) else None


def bca(statistic, seed, count):
    """(low, high) of SciPy's BCa from our resamples, or null where it has none."""

    def rounded(index):
        return np.round(statistic(np.asarray(index, dtype=int)), 12)

    values = np.array([rounded(sample) for sample in resamples(seed, count)])
    known = values[~np.isnan(values)]
    if len(values) - len(known) > 0.05 * len(values) or len(known) == 0 or np.ptp(known) <= 1e-12:
        return None
    given = BootstrapResult(None, known, None)
    result = stats.bootstrap(
        (np.arange(count),), rounded, n_resamples=0, bootstrap_result=given, method="BCa", vectorized=False
    )
    low, high = result.confidence_interval
    return None if np.isnan(low) or np.isnan(high) else [float(low), float(high)]


# Agreement


def gwet(a, b, levels, weights):
    table = pd.DataFrame({"a": a, "b": b})
    coefficient = CAC(table, weights=weights, categories=list(levels), digits=14).gwet()
    return coefficient["est"]["coefficient_value"]


def at_boundary(a, b, levels):
    """How many pairs have both levels, and in how many a rater gave one of them."""
    pairs = [{x, y} for x, y in zip(a, b)]
    return sum(pair == set(levels) for pair in pairs), sum(bool(pair & set(levels)) for pair in pairs)


def boundary(a, b, levels):
    count, of = at_boundary(a, b, levels)
    return count / of if of else np.nan


def kappa(weights):
    def of(a, b, levels):
        place = {level: at for at, level in enumerate(levels)}
        a, b = [place[x] for x in a], [place[x] for x in b]
        return cohen_kappa_score(a, b, labels=range(len(levels)), weights=weights)

    return of


def alpha(a, b, levels):
    if len(set(a) | set(b)) == 1:
        return np.nan
    return krippendorff.alpha(
        reliability_data=np.array([a, b], dtype=float),
        level_of_measurement="ordinal",
        value_domain=np.array(levels, dtype=float),
    )


COEFFICIENTS = {
    "exact": lambda a, b, levels: np.mean(np.array(a) == np.array(b)),
    "within_1": lambda a, b, levels: np.mean(np.abs(np.array(a) - np.array(b)) <= 1),
    "kappa": kappa(None),
    "kappa_linear": kappa("linear"),
    "kappa_quadratic": kappa("quadratic"),
    "spearman": lambda a, b, levels: stats.spearmanr(a, b).statistic,
    "kendall": lambda a, b, levels: stats.kendalltau(a, b).statistic,
    "alpha": alpha,
    "ac1": lambda a, b, levels: gwet(a, b, levels, "identity"),
    "ac2": lambda a, b, levels: gwet(a, b, levels, "quadratic"),
    "boundary_2_3": lambda a, b, levels: boundary(a, b, (2, 3)),
    "boundary_3_4": lambda a, b, levels: boundary(a, b, (3, 4)),
}
SHARES = {"exact", "within_1", "boundary_2_3", "boundary_3_4"}
GWET = {"ac1", "ac2"}  # 1 where both raters gave one level throughout


def agreement(name, a, b, levels, with_intervals, seed=7):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    one_level = len(set(a) | set(b)) == 1
    values, intervals = {}, {}
    for coefficient, of in COEFFICIENTS.items():
        is_defined = coefficient in SHARES or (len(a) > 1 and (not one_level or coefficient in GWET))
        values[coefficient] = number(of(a, b, levels)) if is_defined else None
        if with_intervals and is_defined:
            intervals[coefficient] = bca(lambda at, of=of: of(a[at], b[at], levels), seed, len(a))
    case = {"name": name, "levels": list(map(float, levels)), "a": a.tolist(), "b": b.tolist(), "values": values}
    if with_intervals:
        case |= {"seed": seed, "resamples": RESAMPLES, "intervals": intervals}
    return case


def scores(rng, count, levels, noise):
    """A rater and one who gives the neighbouring level now and then."""
    a = [levels[rng.below(len(levels))] for _ in range(count)]
    b = []
    for score in a:
        at = levels.index(score)
        if rng.unit() < noise:
            at += 1 if rng.below(2) else -1 - rng.below(2)
        b.append(levels[min(max(at, 0), len(levels) - 1)])
    return a, b


def skewed(rng, count):
    """Mostly 4, as good code is scored."""
    score = lambda: [4, 4, 4, 4, 4, 4, 3, 3, 2, 0][rng.below(10)]
    pairs = [(x, x) if rng.unit() < 0.6 else (x, score()) for x in (score() for _ in range(count))]
    return [x for x, _ in pairs], [y for _, y in pairs]


def agreements():
    rng, slump, cases = SplitMix64(2026), [0, 1, 2, 3, 4], []
    for count, noise in [(2, 0.5), (3, 0.5), (5, 0.4), (8, 0.3), (20, 0.2), (20, 0.9), (61, 0.5), (200, 0.35)]:
        a, b = scores(rng, count, slump, noise)
        cases.append(agreement(f"{count} pairs, {noise} disagree", a, b, slump, with_intervals=count in (8, 20, 61)))
    for count in [20, 60]:
        a, b = skewed(rng, count)
        cases.append(agreement(f"{count} pairs, mostly 4", a, b, slump, with_intervals=True))
    a, b = scores(rng, 40, slump, 0)
    cases.append(agreement("no disagreement", a, b, slump, with_intervals=True))
    cases.append(agreement("opposite", [0, 1, 2, 3, 4] * 3, [4, 3, 2, 1, 0] * 3, slump, with_intervals=True))
    cases.append(agreement("one level", [3] * 9, [3] * 9, slump, with_intervals=False))
    cases.append(agreement("two constants", [3] * 9, [2] * 9, slump, with_intervals=False))
    cases.append(agreement("one constant", [3] * 9, [2, 3, 4] * 3, slump, with_intervals=False))
    cases.append(agreement("one pair", [3], [2], slump, with_intervals=False))
    ten = list(range(1, 11))
    for count in [30, 100]:
        a, b = scores(rng, count, ten, 0.6)
        cases.append(agreement(f"1 to 10, {count} pairs", a, b, ten, with_intervals=count == 30))
    gaps = [0, 1, 3, 4]
    a, b = scores(rng, 50, gaps, 0.4)
    cases.append(agreement("observed levels with a gap", a, b, gaps, with_intervals=True))
    halves = [0.5, 1.0, 2.5, 3.0, 3.5]
    a, b = scores(rng, 25, halves, 0.4)
    cases.append(agreement("observed levels with fractions", a, b, halves, with_intervals=False))
    return cases


# Paired


def effect(gaps):
    deviation = np.std(gaps, ddof=1) if len(gaps) > 1 and np.ptp(gaps) > 0 else 0
    return np.mean(gaps) / deviation if deviation > 0 else np.nan


def halves_of_ranks(gaps):
    """Twice the ranks of the sizes of whole or distinct gaps, which are whole numbers where ranks are halves."""
    return [int(2 * rank) for rank in stats.rankdata(np.abs(gaps))]


def exact(gaps):
    """(W, p) of all ways to give the ranks their signs; small ones are held against SciPy's enumeration."""
    ranks = halves_of_ranks(gaps)
    up = sum(rank for rank, gap in zip(ranks, gaps) if gap > 0)
    least = min(up, sum(ranks) - up)
    ways = {0: 1}
    for rank in ranks:
        more = dict(ways)
        for total, count in ways.items():
            more[total + rank] = more.get(total + rank, 0) + count
        ways = more
    below = sum(count for total, count in ways.items() if total <= least)
    p = min(1.0, 2 * below / 2 ** len(ranks))
    if 1 < len(gaps) <= 12:
        signed = np.array([rank if gap > 0 else -rank for rank, gap in zip(ranks, gaps)], dtype=float)
        of = lambda x: float(np.sum(x[x > 0]))
        other = stats.permutation_test((signed,), of, permutation_type="samples", n_resamples=np.inf, vectorized=False)
        assert abs(other.pvalue - p) < 1e-12, (gaps, other.pvalue, p)
    return least / 2, p


def wilcoxon(gaps):
    """What is said of differences, those of 0 dropped: exact up to 25, else SciPy's normal approximation."""
    kept = gaps[gaps != 0]
    if not len(kept):
        return None
    normal = stats.wilcoxon(kept, zero_method="wilcox", correction=False, method="approx")
    w, p, method = float(normal.statistic), float(normal.pvalue), "normal approximation"
    if len(kept) <= 25:
        (w, p), method = exact(kept), "exact"
        if len(set(np.abs(kept))) == len(kept):
            assert abs(p - stats.wilcoxon(kept, method="exact").pvalue) < 1e-12
    return {"w": w, "p": p, "p_normal": float(normal.pvalue), "zeros": len(gaps) - len(kept), "method": method}


def paired(name, a, b, seed=11):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    gaps = a - b
    case = {
        "name": name, "a": a.tolist(), "b": b.tolist(), "seed": seed, "resamples": RESAMPLES,
        "higher": int(np.sum(gaps > 0)), "ties": int(np.sum(gaps == 0)), "lower": int(np.sum(gaps < 0)),
        "mean_gap": number(np.mean(gaps)), "cohen_d": number(effect(gaps)), "wilcoxon": wilcoxon(gaps),
        "mean_gap_interval": bca(lambda at: np.mean(gaps[at]), seed, len(gaps)) if len(gaps) > 1 else None,
        "cohen_d_interval": bca(lambda at: effect(gaps[at]), seed, len(gaps)) if len(gaps) > 1 else None,
    }
    return case


def paireds():
    rng, cases = SplitMix64(31), []
    for count in [1, 2, 3, 5, 12, 20, 25, 26, 40, 120]:
        a = [rng.unit() for _ in range(count)]
        b = [x - 0.2 * rng.unit() + 0.05 for x in a]
        cases.append(paired(f"{count} pairs", a, b))
    for count in [6, 12, 20, 60]:
        a = [rng.below(5) for _ in range(count)]
        b = [rng.below(4) for _ in range(count)]
        cases.append(paired(f"{count} pairs with ties and zeros", a, b))
    cases.append(paired("a zero and no ties", [1, 2.5, 3, 4, 7, 9.5], [1, 2, 5, 1, 3, 1]))
    for count in [3, 5, 9, 25, 26]:
        a = [rng.below(5) for _ in range(count)]
        b = [x + 1 if rng.below(3) else x - 1 for x in a]
        cases.append(paired(f"{count} pairs, gaps of one size", a, b))
    cases.append(paired("all equal", [1, 2, 3], [1, 2, 3]))
    cases.append(paired("one difference throughout", [1.25, 2.25, 3.25, 4.25], [1, 2, 3, 4]))
    cases.append(paired("one difference is large", [1, 2, 3, 4, 100], [0.5, 1.25, 2.75, 3.1, 1]))
    return cases


# Correlation


def correlation(name, a, b):
    is_defined = len(a) > 1 and np.ptp(a) > 0 and np.ptp(b) > 0
    of = lambda test: [number(test(a, b).statistic), number(test(a, b).pvalue) if len(a) > 2 else None]
    pearson, spearman = (of(stats.pearsonr), of(stats.spearmanr)) if is_defined else (None, None)
    return {"name": name, "a": list(map(float, a)), "b": list(map(float, b)), "pearson": pearson, "spearman": spearman}


def correlations():
    rng, cases = SplitMix64(57), []
    for count in [2, 3, 4, 5, 8, 20, 21, 80, 500]:
        for noise in [0.05, 1.0, 20.0]:
            a = [rng.unit() for _ in range(count)]
            b = [x + noise * (rng.unit() - 0.5) for x in a]
            cases.append(correlation(f"{count} pairs, noise {noise}", a, b))
    for count in [6, 20, 100]:
        cases.append(correlation(f"{count} pairs with ties", [rng.below(6) for _ in range(count)],
                                 [rng.below(3) for _ in range(count)]))
    cases.append(correlation("a line", [1, 2, 3, 4, 5], [2, 4, 6, 8, 10]))
    cases.append(correlation("a falling line", [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]))
    cases.append(correlation("one side constant", [1, 2, 3], [4, 4, 4]))
    return cases


def write(name, cases, made_by):
    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
    document = {"made_by": "tests/vectors/" + made_by, "versions": versions, "cases": cases}
    text = json.dumps(document, indent=0, allow_nan=False)
    (HERE / name).write_text(text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("}, {", "},\n{") + "\n")


if __name__ == "__main__":
    write("agreement.json", agreements(), "study.py")
    write("paired.json", paireds(), "study.py")
    write("correlation.json", correlations(), "study.py")
