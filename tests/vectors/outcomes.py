"""Writes outcomes.json: what statsmodels, SciPy and the published formulas say of outcomes of trials.

    pip install scipy statsmodels && python tests/vectors/outcomes.py

- `wilson`: statsmodels' proportion_confint(method="wilson").
- `mcnemar`: statsmodels' mcnemar(exact=True) of 30 tables; SciPy's binomtest must say the same.
- `at_k`: pass@k by the numpy function of figure 3 of arXiv 2107.03374, pass^k by the binomials of arXiv 2406.12045; both are
  also counted over all samples of k trials, for small n.
- `groups`: trials of several tasks; pass@k, pass^k and the cost of a pass with SciPy's BCa over tasks, given the draws that
  `study::bootstrap` documents, and the pooled standard deviation of rewards by numpy.
"""

import itertools
import json
import math

import numpy as np
import scipy
import statsmodels
from scipy import stats
from scipy.stats._resampling import BootstrapResult
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from splitmix import HERE, SplitMix64

RESAMPLES, SEED = 400, 5


def pass_at_k(n, c, k):
    """Figure 3 of Chen and others, arXiv 2107.03374, as printed there."""
    if n - c < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))


def pass_hat_k(n, c, k):
    return math.comb(c, k) / math.comb(n, k)


def counted(n, c, k):
    """Both numbers by going through every sample of k trials."""
    samples = list(itertools.combinations([True] * c + [False] * (n - c), k))
    return sum(map(any, samples)) / len(samples), sum(map(all, samples)) / len(samples)


def at_k_cases():
    cases = []
    for n, c, k in [(n, c, k) for n in range(1, 9) for c in range(n + 1) for k in range(1, n + 1)]:
        any_passes, all_pass = counted(n, c, k)
        assert abs(any_passes - pass_at_k(n, c, k)) < 1e-12 and abs(all_pass - pass_hat_k(n, c, k)) < 1e-12
    rng = SplitMix64(16)
    for n in [1, 2, 3, 5, 10, 20, 50, 100, 200, 1000]:
        for _ in range(4):
            c, k = rng.below(n + 1), 1 + rng.below(n)
            cases.append({"n": n, "c": c, "k": k, "any": pass_at_k(n, c, k), "all": pass_hat_k(n, c, k)})
    return cases


def wilson_cases():
    tables = [(0, 1), (1, 1), (0, 10), (10, 10), (1, 2), (5, 9), (44, 89), (3, 1000), (2500, 5000)]
    rng = SplitMix64(1927)
    for _ in range(21):
        n = 1 + rng.below(400)
        tables.append((rng.below(n + 1), n))
    cases = []
    for passed, n in tables:
        for confidence in (0.95, 0.9):
            low, high = proportion_confint(passed, n, alpha=1 - confidence, method="wilson")
            cases.append({"passed": passed, "n": n, "confidence": confidence, "low": float(low), "high": float(high)})
    return cases


def mcnemar_cases():
    tables = [(0, 0, 0, 1), (3, 0, 0, 4), (1, 1, 0, 0), (5, 0, 6, 2), (10, 5, 5, 10), (400, 700, 600, 300), (0, 1500, 900, 7)]
    rng = SplitMix64(1947)
    while len(tables) < 30:
        tables.append(tuple(rng.below(limit) for limit in (60, 2 + rng.below(40), 2 + rng.below(40), 60)))
    cases = []
    for both, only_a, only_b, neither in tables:
        p = float(mcnemar([[both, only_a], [only_b, neither]], exact=True).pvalue)
        if only_a + only_b > 0:
            other = stats.binomtest(only_a, only_a + only_b, 0.5).pvalue
            assert abs(p - other) <= 1e-9 * p, (only_a, only_b, p, other)
        cases.append({"both": both, "only_a": only_a, "only_b": only_b, "neither": neither, "p": p})
    return cases


def bca(statistic, count):
    """The value of a statistic of drawn tasks, with (low, high); null where there is none."""
    value = statistic(np.arange(count))
    if value is None:
        return {"value": None, "ci95": None}
    rng = SplitMix64(SEED)
    draws = [np.array([rng.below(count) for _ in range(count)]) for _ in range(RESAMPLES)]
    rounded = lambda index: np.nan if statistic(index) is None else np.round(statistic(index), 12)
    values = np.array([rounded(draw) for draw in draws], dtype=float)
    known = values[~np.isnan(values)]
    if count < 2 or len(values) - len(known) > 0.05 * len(values) or np.ptp(known) <= 1e-12:
        return {"value": float(value), "ci95": None}
    given = BootstrapResult(None, known, None)
    result = stats.bootstrap(
        (np.arange(count),), rounded, n_resamples=0, bootstrap_result=given, method="BCa", vectorized=False
    )
    low, high = result.confidence_interval
    return {"value": float(value), "ci95": None if np.isnan(low) or np.isnan(high) else [float(low), float(high)]}


def group_case(name, tasks, repeats, ks):
    """Trials with outcome, reward and tokens; the rule is `failures`, and unscored trials count nowhere."""
    rng = SplitMix64(len(name) * 1000 + tasks)
    words = ["passed", "passed", "failed", "failed", "partial", "error", "timeout", "limit", "unscored"]
    trials = []
    for task in range(tasks):
        luck = rng.below(10)
        for attempt in range(1 + (rng.below(repeats) if repeats > 3 else repeats - 1)):
            word = "passed" if rng.below(10) < luck else words[rng.below(len(words))]
            tokens = None if rng.below(12) == 0 else float(1000 + rng.below(90_000))
            reward = None if word in ("error", "unscored") else round(rng.unit(), 3)
            trials.append([f"t{task:02}", attempt + 1, word, reward, tokens])
    by_task = [[it for it in trials if it[0] == f"t{task:02}"] for task in range(tasks)]
    counts = [(sum(it[2] != "unscored" for it in task), sum(it[2] == "passed" for it in task)) for task in by_task]
    at_k = []
    for k in ks:
        entry = {"k": k}
        for key, formula in (("any", pass_at_k), ("all", pass_hat_k)):
            numbers = np.array([formula(n, c, k) for n, c in counts if n >= k])
            entry["tasks"] = len(numbers)
            entry[key] = bca(lambda index: float(np.mean(numbers[index])) if len(numbers) else None, len(numbers))
        at_k.append(entry)
    spent = [[it for it in task if it[2] != "unscored" and it[4] is not None] for task in by_task]
    sums = np.array([(sum(it[4] for it in task), sum(it[2] == "passed" for it in task)) for task in spent if task])

    def per_pass(index):
        total, passed = sums[index].sum(axis=0)
        return total / passed if passed else None

    rewards = [[it[3] for it in task if it[3] is not None] for task in by_task]
    repeated = [it for it in rewards if len(it) > 1]
    squares = sum((len(it) - 1) * np.var(it, ddof=1) for it in repeated)
    spread = float(np.sqrt(squares / sum(len(it) - 1 for it in repeated))) if repeated else None
    return {
        "name": name,
        "seed": SEED,
        "resamples": RESAMPLES,
        "trials": trials,
        "at_k": at_k,
        "flaky": sum(0 < c < n for n, c in counts) if any(n > 1 for n, _ in counts) else None,
        "tokens_per_pass": bca(per_pass, len(sums)),
        "reward_spread": spread,
    }


if __name__ == "__main__":
    document = {
        "made_by": "tests/vectors/outcomes.py",
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
        "wilson": wilson_cases(),
        "mcnemar": mcnemar_cases(),
        "at_k": at_k_cases(),
        "groups": [
            group_case("one trial a task", 25, 1, [1, 2]),
            group_case("three trials a task", 20, 3, [1, 2, 3]),
            group_case("up to eight trials", 40, 8, [1, 4, 8, 9]),
            group_case("one task", 1, 3, [1, 3]),
        ],
    }
    text = json.dumps(document, indent=0, allow_nan=False)
    text = text.replace(",\n", ", ").replace("[\n", "[").replace("\n]", "]").replace("{\n", "{").replace("\n}", "}")
    (HERE / "outcomes.json").write_text(text.replace("}, {", "},\n{").replace("], [", "],\n[") + "\n")
