"""Writes corrected.json: means of a judge that labels correct, as glide-py and ppi-python compute them.

An item is its stratum, its run, the judge's level and the label (null without one).

    pip install ppi-python glide-py && python tests/vectors/corrected.py

glide-py needs Python 3.12. Of 40 made sets 14 are plain, 13 have strata and 13 have runs that are labelled whole. The
mean, its standard error and, where labels alone mean the same here and there, their effective number are glide-py's.
ppi-python has no strata and no runs; it is compared here, by set, by stratum and over the means of runs, with glide-py's
λ. Its variances divide by n, so they are set to n - 1 first.
"""

import json

import numpy as np
from glide.engines.ppi_core import _compute_tuning_parameter
from glide.estimators import ClusteredPPIMeanEstimator, PPIMeanEstimator, StratifiedPPIMeanEstimator
from glide.estimators.clustered_classical import ClusteredClassicalMeanEstimator
from ppi_py import ppi_mean_pointestimate

from splitmix import HERE, SplitMix64


def level(rng, low=0, high=4):
    return low + rng.below(high - low + 1)


def made_items(rng, count, labels, help_of_judge, strata, runs):
    """Items with a judge that is right with some probability, else drawn; the labelled ones are the first of a stratum."""
    items = []
    for at in range(count):
        label = level(rng)
        judged = label if rng.unit() < help_of_judge else level(rng)
        items.append({"stratum": at % strata, "cluster": at % runs if runs else at, "judged": judged, "label": label})
    for at, item in enumerate(items):
        if not (item["cluster"] < labels if runs else at < labels):
            item["label"] = None
    return items


def arrays(items):
    labels = np.array([np.nan if it["label"] is None else float(it["label"]) for it in items])
    judged = np.array([float(it["judged"]) for it in items])
    return labels, judged


def compare_with_ppi_python(labels, judged):
    """Returns λ; fails where the two packages differ."""
    has_label = ~np.isnan(labels)
    y, f, rest = labels[has_label], judged[has_label], judged[~has_label]
    weight = _compute_tuning_parameter(y, f, rest, True)
    assert 0.06 < weight < 1, "made sets have a judge that helps"
    value = float(np.ravel(ppi_mean_pointestimate(y, f, rest, lam=weight))[0])
    ours = float(y.mean() + weight * (rest.mean() - f.mean()))
    assert abs(value - ours) < 1e-12
    return weight


def means_by_run(items):
    runs = sorted({it["cluster"] for it in items})
    of_run = [[it for it in items if it["cluster"] == run] for run in runs]
    labels = [np.mean([it["label"] for it in all]) if all[0]["label"] is not None else np.nan for all in of_run]
    return np.array(labels), np.array([np.mean([it["judged"] for it in all]) for all in of_run])


def case(kind, seed):
    rng = SplitMix64(seed)
    while True:
        strata = 2 + rng.below(3) if kind == "stratified" else 1
        runs = 12 + rng.below(12) if kind == "clustered" else 0
        count = runs * (3 + rng.below(6)) if runs else 60 + rng.below(140)
        labels = 4 + rng.below(runs // 2) if runs else 16 + rng.below(30)
        items = made_items(rng, count, labels, 0.3 + 0.6 * rng.unit(), strata, runs)
        y, f = arrays(items)
        groups = np.array([it["stratum"] for it in items])
        try:
            if kind == "plain":
                weights = [(1.0, compare_with_ppi_python(y, f))]
                found = PPIMeanEstimator().estimate(y, f)
                alone = np.nanvar(y, ddof=1) / np.sum(~np.isnan(y))
            elif kind == "stratified":
                weights = [(np.mean(groups == at), compare_with_ppi_python(y[groups == at], f[groups == at])) for at in range(strata)]
                found = StratifiedPPIMeanEstimator().estimate(y, f, groups)
                alone = None
            else:
                clusters = np.array([it["cluster"] for it in items])
                weights = [(1.0, compare_with_ppi_python(*means_by_run(items)))]
                found = ClusteredPPIMeanEstimator().estimate(y, f, clusters)
                alone = ClusteredClassicalMeanEstimator().estimate(y, clusters).confidence_interval.var
        except AssertionError:
            continue
        interval = found.confidence_interval
        worth = None if alone is None else float(np.sum(~np.isnan(y)) * alone / interval.var)
        return {
            "kind": kind,
            "items": [[it["stratum"], it["cluster"], it["judged"], it["label"]] for it in items],
            "lambda": float(sum(share * weight for share, weight in weights)),
            "value": float(interval.mean),
            "standard_error": float(interval.std),
            "worth": worth,
        }


kinds = ["plain"] * 14 + ["stratified"] * 13 + ["clustered"] * 13
cases = [case(kind, 100 + at) for at, kind in enumerate(kinds)]
lines = ",\n".join(json.dumps(it, separators=(",", ":")) for it in cases)
(HERE / "corrected.json").write_text(f"[\n{lines}\n]\n")
